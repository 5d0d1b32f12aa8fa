# What modules in the browser say. Sent with every page: keep it short.
failed-unreachable = The server cannot be reached. Nothing is lost; try again in a moment.
failed-outdated = A part of this page could not be loaded: the server has a newer version, or cannot be reached. Reload the page; what you wrote is kept.
reload = Reload
failed-unforeseen = Something went wrong. Try again; if it happens again, look at the server's log.
failed-signed-out = You are signed out. Sign in again in another tab, then do this once more: nothing is lost here.
failed-signed-in-others = Somebody else has signed in in this browser. Sign in as yourself again in another tab, then do this once more.
dismiss = Dismiss
shortcut-help = Show these shortcuts
shortcut-home = Go to your jobs
shortcut-new = Start a new job
shortcut-search = Search

# --- jobs and uploads
elapsed = at work for { $time }
left = about { $time } left
pending-upload = { $name }: { $percent } % has arrived
pending-go-on = Go on
pending-discard = Discard
new-choose-again = Choose { $name } again to go on
refused-empty = This file is empty.
refused-large = This file has { $size }; at most { $most } can be sent.
refused-type = This is neither a video nor a sound recording. MP4, MOV, MKV, WebM, MP3, WAV and the like can be used.
new-project-name-default = My recordings
new-sending = is being sent
new-waiting = waits for the connection, and goes on by itself
new-stopped = Stopped. Send it again to go on from here.
new-checking = has arrived, and is being checked
new-speed = { $speed }/s
new-remaining = { $time } left
failed-file-changed = This file has changed, or is gone, since it was chosen. Choose it again.
failed-upload = The storage refused a part of the recording (status { $status }). Try again.

# The editor.
block-label = { $kind ->
    [title] Title
    [lead] Introduction
    [section] Section
    [step] Step { $number }
    [note] Note
   *[text] Text
 }
version-number = Version { $number }
said-here = { $count ->
    [one] What was said here
   *[other] What was said here ({ $count })
 }
warning-seek = Play from here
shot-alt = Screenshot at { $at }
shot-alt-uploaded = Picture
shot-draw = Draw
shot-replace = Change
shot-whole = Whole picture
standing-saved = Saved
standing-unsaved = Unsaved changes
standing-saving = Saving…
block-empty = Nothing here yet. An empty block goes away when you save.
block-text = Text of { $label }, Markdown
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
   *[edit] edited by { $author }
 }
merged-pictures = The pictures of the second block lose their place when you save.
saved-version = Saved as version { $number }.
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
cancel = Cancel
regenerate-title = Write { $label } again
regenerate-wish = What should be different? (optional)
regenerate-hint = For example “shorter” or “as a list”. It is written from what was said here.
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
shortcut-play = Play or pause the recording
shortcut-back = Back 5 seconds
shortcut-on = On 5 seconds
shortcut-frame-back = One frame back
shortcut-frame-on = One frame on
shortcut-blocks = Go from block to block
shortcut-write = Edit the block
shortcut-leave = Leave the block’s text
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

# choosing and drawing on pictures
close = Close
discard = Discard
undo = Undo
redo = Redo
picture-title = Picture of this step
picture-lost = The picture cannot be shown. Close this and try again; if it stays so, take or upload it again.
picture-no-video = The recording has no picture to take a frame of. Bring a picture of your own.
picture-video-lost = The recording cannot be played here. Bring a picture of your own.
picture-frame = The recording at this moment
picture-moment = Moment
picture-take = Take this frame
picture-taking = Taking the frame …
picture-sending = Sending { $name } …
picture-deleting = Taking it out of view …
picture-second-back = One second back
picture-second-on = One second on
picture-frame-back = One frame back
picture-frame-on = One frame on
picture-keys = ← and → step by a frame, with Shift by a second; Page Up and Page Down by ten. Enter takes the frame.
picture-own = Or bring a picture of your own
picture-own-what = PNG, JPEG or WebP, at most 20 MB. Drop it here, or choose it.
picture-refused-type = That is no PNG, JPEG or WebP picture. Save it as one of them, and bring that.
picture-refused-size = The picture has more than { $limit } MB. Bring a smaller one.
picture-refused-empty = The file is empty. Bring a picture.
picture-refused-damaged = The picture is cut off or damaged. Save it again, and bring that.
picture-versions = Pictures of this place
picture-version = { $number }: { $kind }
picture-kind-extracted = taken from the recording
picture-kind-uploaded = brought along
picture-kind-annotated = drawn on
picture-shows = shows now
picture-delete = Delete
picture-delete-which = Delete picture { $name }
picture-delete-title = Delete this picture?
picture-delete-what = The newest one that is left shows in its place, or none.
draw-title = Draw on the picture
draw-canvas = Picture. Enter adds what the tool draws; arrow keys move it, with Shift they resize it; Delete removes it.
draw-keys = Draw with the mouse, or press Enter on the picture to add. Arrow keys move it, Shift resizes, Alt goes finely, Delete removes. Tools: B, R, A, M, P, C, V.
draw-tools = Tool
draw-tool-choose = Select
draw-tool-ring = Ring
draw-tool-crop = Crop
draw-whole = Readers can open the whole picture
draw-tool-blur = Blur
draw-tool-arrow = Arrow
draw-tool-marker = Marker
draw-tool-pencil = Pencil
draw-colour = Colour
draw-colour-name = Colour: { $color }
draw-colour-own = Another colour
colour-e5484d = red
colour-f5a623 = orange
colour-ffd60a = yellow
colour-30a46c = green
colour-3b82f6 = blue
colour-111111 = black
colour-ffffff = white
draw-width = Width
draw-width-thin = Thin
draw-width-medium = Medium
draw-width-thick = Thick
draw-width-bold = Very thick
draw-strength = Coarseness
draw-strength-light = Fine
draw-strength-medium = Medium
draw-strength-strong = Coarse
draw-add = Add
draw-add-hint = Add it in the middle of the picture
draw-remove = Remove
draw-save = Save the drawing
draw-list = Drawn so far
draw-none = Nothing yet.
draw-described = { $what } at { $left }, { $top } %: { $width } by { $height } %
draw-discard = Discard the drawing?
draw-discard-what = What you drew here is not saved.
draw-go-on = Go on drawing
redact-title = Blur what is private
redact-what = E-mail addresses, keys and tokens, card and phone numbers that were read on the pictures. The blurs can be changed and removed under “Draw”.
redact-also = Words and names to blur as well, with commas
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
retry-began = The job goes on.
redelivered = It is being sent once more.

# versions
restore-title = Restore version { $number }?
restore-what = Its text becomes the newest version. Version { $newest } stays in the list, and nothing is lost.
restore-yes = Restore
restore-same = Version { $newest } says the same as version { $number } already. Nothing has changed.
restore-conflict = Somebody saved meanwhile
restore-conflict-what = There is a newer version than this page knows. Look at it, then restore again if you still want to.
restore-look = Show the versions
lines-unchanged = $ unchanged lines

# exports
shortcut-export = Export
export-made-before = This file was made before, and is still what it would be now.
export-pages-failed = The pages cannot be shown. Download the file instead, or export the version again.

# the other kinds
cost-is = { $count ->
    [0] This costs nothing.
    [one] This costs 1 credit.
   *[other] This costs { $count } credits.
 }
credits-short = This costs { $cost }, and you can spend { $available }. Ask whoever runs this for credits, then send it again.
characters-at-most = At most { $most } characters
characters-left = { $count ->
    [one] 1 character left
   *[other] { $count } characters left
 }
characters-over = { $count ->
    [one] 1 character too many. Shorten it.
   *[other] { $count } characters too many. Shorten it.
 }
order-empty = Say what is to be made.
order-number = { $name } is a whole number from { $least } to { $most }.
order-url = Give the whole address of the page, with https:// at its beginning.
order-params = “{ $line }” is no setting. Write one a line: name = value
text-copied = Copied.
text-not-copied = The browser did not let the text be copied. Mark it, and copy it by hand.
shortcut-send = Send the form

# the transcript
play-from = Play from { $time }
heard-as = Recognised as: { $text }
correct-at = Correct what is said at { $time }
correct-save = Save
correct-undo = Undo the correction
correct-saved = Corrected. Captions and what is written from now on say so.
correct-undone = It reads again as it was recognised.
found-place = { $at } of { $count }
found-none = Not said
shortcut-found-next = Next place found
shortcut-found-previous = Previous place found
shortcut-correct = Correct this line
batch-no-recording = Choose at least one recording.
batch-no-format = Choose at least one format.
batch-no-transcript = “{ $name }” has no transcript yet. Run its job first, or leave it out.
batch-range-time = Write the times of part { $number } as 1:05 or 1:02:03.
batch-range-order = Part { $number } ends before it starts. Correct it.
batch-too-many = That makes { $count } items; at most { $most } go into one batch. Split it into several.
batch-total = { $count ->
    [one] 1 item
   *[other] { $count } items
 }
batch-from = Start of part { $number }
batch-to = End of part { $number }
batch-here-from = Starts here
batch-here-to = Ends here
batch-remove = Remove part { $number }

# --- analyses
refused-many = At most { $count } files can be sent; the first are kept.
order-no-file = Choose at least one file.
take-away = Take away
take-away-which = Take away { $name }
new-hashing = The files are being read.
plan-changed-elsewhere = The plan was changed meanwhile. This is the new one.
plan-answered = Answered.
plan-no-json = This is no JSON. Look for a missing comma or quote.
plan-saved = The steps are saved.
plan-confirmed = The plan is confirmed. Compute it when you like.
