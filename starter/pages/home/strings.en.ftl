# Guides, their folders, and the bin.
nav-guides = Guides
guides-search = Search your guides
guides-search-hint = Search titles, steps, what was said and shown
guides-none = No guides yet
guides-none-do = Record your screen, talk while you work, and drop the recording here.
guides-more = More guides
guides-choose = Choose
guides-choose-none = Choose none
guides-chosen = Guides that are chosen
guides-export-title = Export guides
guides-export-format = Format
guides-export-do = Export
guides-publish = Publish as a website
guides-publish-title = Publish as a website
guides-publish-means = All guides that are listed here become one website: an index, a search and a page for each. It is saved as a ZIP that opens from your disk, or goes to any web server.
guides-publish-name = Name of the website
guides-publish-translations = With their translations
guides-publish-do = Make the website
drop-here = Drop the recording to start

folder = Folder
folders = Folders
folders-all = All guides
folder-new = New folder
folder-new-do = Make it
folder-name = Name
folder-empty = This folder is empty
folder-empty-do = Move guides here, or choose it when you send a recording.

sort = Sorted by
sort-do = Sort
sort-changed = last changed
sort-made = newest
sort-title = title

guide-untitled = Without a name
guide-title = Title
guide-steps = { $count ->
    [one] 1 step
   *[other] { $count } steps
}
guide-making = Being made
guide-ready = Ready
guide-look = Needs a look
guide-failed = Failed
guide-stopped = Stopped
guide-still = Stands still
guide-look-draft = The draft has doubts. Read through it once.
guide-look-recording = Its recording has not arrived yet.
guide-choose = Choose { $title }
guide-more = What can be done with { $title }
guide-rename = Rename
guide-rename-do = Rename it
guide-move = Move
guide-move-title = Move to a folder
guide-move-do = Move
guide-export = Export
guide-delete = Delete

bin = Bin
bin-back = Back to your guides
bin-means = What you delete stays here for { $days } days with all that belongs to it, and can be brought back. Until it is gone it counts towards your storage. Shared links open nothing meanwhile.
bin-thrown = Deleted
bin-left = { $days ->
    [0] goes today
    [one] goes in 1 day
   *[other] goes in { $days } days
}
bin-restore = Bring back
bin-erase = Delete for good
bin-empty = Empty the bin
bin-none = The bin is empty
bin-none-do = Guides that you delete lie here for a while.

found-title = Search
found-hint = Every word has to be in the guide, in its title, its steps, what was said or what was on the screen. Put words in quotes to find them one behind the other.
found-title-of = Title
found-step = Step { $number }
found-text = Text
found-transcript = Said at { $time }
found-screen = Shown at { $time }
found-more = { $count ->
    [one] and 1 more place
   *[other] and { $count } more places
}
found-nothing = Nothing found for { $asked }
found-nothing-do = Try fewer words, or only their beginnings.
guides-way-record = Record
guides-way-draft = It is written
guides-way-guide = Share the guide
