# What modules here say in the browser. Sent with every page: keep it short.
block-label = { $kind ->
    [title] Title
    [lead] Introduction
    [section] Section
    [step] Step { $number }
    [note] Note
    [warning] Warning
   *[text] Text
 }
said-here = { $count ->
    [one] What was said here
   *[other] What was said here ({ $count })
 }
warning-seek = Play from here
shot-alt = Screenshot at { $at }
shot-alt-uploaded = Picture
shot-draw = Draw
shot-as-outcome = Mark as result
shot-as-before = Mark as before
shot-replace = Change
standing-saved = Saved
standing-unsaved = Unsaved changes
standing-kept = Changes are kept
standing-kept-what = They become a version when you pause, leave this page or press Save.
standing-unkept = Changes are not kept by the server
standing-conflict = In conflict with version { $number }
name-title = Name this version
name-label = Name
name-yes = Save under this name
standing-saving = Saving…
block-empty = Nothing here yet. An empty block goes away when you save.
block-text = Text of { $label }
writer-looks = Show as it looks
writer-only-markdown = This text holds HTML or something else that only its Markdown shows.
block-preview = Preview
block-done = Done
block-split = Split here
deleted = Deleted.
deleted-undo = Bring it back
moved = { $label } is number { $place } of { $count } now.
provenance-by-hand = hand
provenance-origin = { $origin ->
    [draft] drafted by { $author }
    [regenerate] written again for { $author }
    [restore] restored by { $author }
    [translate] translated for { $author }
   *[edit] edited by { $author }
 }
moment-told = It tells of { $at } now.
moment-picture = Take the picture of that moment
moment-pick = Pick its moment
moment-other = Pick another moment
draft-restored = Changes that were not saved, from { $at }, are back.
draft-discard = Discard them
draft-unkept = This browser keeps no draft: its storage is full or switched off. Save before you leave this page.
draft-older = There are unsaved changes of version { $number }, from { $at }.
draft-merge = Merge them
version-exists = { $mine ->
    [yes] Version { $number } was saved in another tab.
   *[no] Version { $number } by { $author } exists.
 }
version-load = Load it
version-merge = Merge
conflict-title = Somebody saved version { $number } meanwhile
conflict-clean = Your changes and theirs are in different places. Both are kept.
conflict-choose = { $count ->
    [one] One block was changed by both. Choose what it shall say.
   *[other] { $count } blocks were changed by both. Choose what each shall say.
 }
conflict-left = { $count ->
    [one] One block is to be chosen.
   *[other] { $count } blocks are to be chosen.
 }
conflict-save = Merge and save
conflict-take = Merge
conflict-mine = Yours
conflict-theirs = Theirs
conflict-both = Both
conflict-result = Text of { $label } after the merge
conflict-only-mine = Changed by you
conflict-only-theirs = Changed in version { $number }
conflict-new-mine = Added by you
conflict-new-theirs = Added in version { $number }
conflict-gone-mine = Deleted by you
conflict-gone-theirs = Deleted in version { $number }
conflict-by-both = Changed by both
conflict-keep = Keep it
conflict-drop = Delete it
regenerate-title = Write { $label } again
regenerate-wish = What should be different? (optional)
regenerate-hint = For example “shorter” or “as a list”. It is written from what was said here.
regenerate-hint-plain = It is written from what was said here. No language model is set up: other wishes cannot be followed.
regenerate-how = How?
regenerate-as-heard = As it was drafted
regenerate-as-shorter = Shorter
regenerate-as-as-a-list = As a list
regenerate-start = Write again
regenerate-saves-first = Your changes are saved first.
regenerate-running = Being written…
regenerate-busy = Another part of this instruction is being written. This one can start when that has ended.
regenerate-same = It came out the same.
proposal-title = Proposal
proposal-kept = It was edited meanwhile, so the new text was not put in place.
proposal-waits = A new text for { $label } waits for your decision.
proposal-show = Show it
proposal-diff = Proposal for { $label }, with what it changes
proposal-accept = Accept
proposal-reject = Reject
shortcut-blocks = Go from block to block
shortcut-write = Edit the block
shortcut-leave = Leave the block’s text; once more: letters act on the block
left-first = Press Esc once more, or an arrow key, before letters act on this block.
shortcut-move = Move the block
shortcut-split = Split the block at the cursor
shortcut-seek = Play from the block’s time
shortcut-regenerate = Write the block again
shortcut-picture = Add a picture to the block
shortcut-above = Insert a block above
shortcut-below = Insert a block below
shortcut-merge = Merge with the next block
shortcut-delete = Delete the block
shortcut-save = Save
shortcut-undo = Undo
shortcut-redo = Redo
redact-title = Blur what is private
redact-what = E-mail addresses, keys and tokens, card and phone numbers that were read on the pictures. The blurs can be changed and removed under “Draw”.
redact-also = Words and names to blur as well, with commas
redact-keep = Keep these words, for my other instructions as well
redact-looking = Looking at the pictures …
redact-found = { $count ->
    [0] There is nothing left to blur.
    [one] One picture shows something private.
   *[other] { $count } pictures show something private.
 }
redact-value = { $kind ->
    [email] E-mail address
    [key] Key or password
    [card] Card number
    [phone] Phone number
   *[listed] Listed
 }: { $text } ({ $count ->
    [0] on none of the pictures
    [one] on one picture
   *[other] on { $count } pictures
 })
redact-unchecked = { $count ->
    [one] One picture could not be checked. Look at it yourself: { $where }
   *[other] { $count } pictures could not be checked. Look at them yourself: { $where }
 }
redact-do = Blur on all pictures
redact-done = { $count ->
    [one] Blurred on one picture.
   *[other] Blurred on { $count } pictures.
 }
picture-needs-words = Write something first: a picture is of a text that is saved.
