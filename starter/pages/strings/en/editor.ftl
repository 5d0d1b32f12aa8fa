# The editor of an instruction, and the tabs above all pages of one.
instruction-pages = Pages of this instruction
instruction-tab-editor = Editor
instruction-tab-transcript = Transcript
instruction-tab-versions = Versions
instruction-tab-export = Export
instruction-tab-job = Job
recording = Recording
recording-gone = The recording is not here any more. The text can still be edited.
captions = Captions
editor-needs-scripts = The editor needs JavaScript. You can read the text here; turn scripts on to change it.
editor-text = Text
editor-tools = Editing
save = Save
player-keys = Space plays, J and L jump 5 seconds, comma and period step one frame.
play-from-here = Play from here
drag-to-move = Drag to move
block-write = Edit
block-more = More actions
block-append = Add a block
block-changed = Edited
block-do-write = Edit
block-do-regenerate = Write again…
block-do-picture = Add a picture…
block-do-up = Move up
block-do-down = Move down
block-do-above = Insert above
block-do-below = Insert below
block-do-merge = Merge with next
block-do-delete = Delete
said-open = Open in the transcript
unplaced = Pictures without a place
unplaced-hint = The step that they belonged to is gone. They are not exported.
warnings-title = What to know about this version
provenance = Where this comes from
provenance-source = Recording
provenance-speech = Transcribed by
provenance-model = Written by
provenance-by-hand = hand
provenance-prompt = Prompt
provenance-version = Version
provenance-origin = { $origin ->
    [draft] drafted for { $author }
    [regenerate] written again for { $author }
    [restore] restored by { $author }
   *[edit] edited by { $author }
 }
