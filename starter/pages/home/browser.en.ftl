# Guides: chosen, exported, thrown away.
shortcut-choose-none = Choose nothing
guides-chosen-count = { $count ->
    [one] 1 chosen
   *[other] { $count } chosen
}
guides-not-yours = These guides belong to somebody else: only they can do this.
guides-moved = { $count ->
    [one] The guide was moved.
   *[other] { $count } guides were moved.
}
guides-export-none = Nothing to export: no draft is written yet.
guides-publish-own = Guides
guides-publish-many = A website holds up to { $most } guides. Choose fewer, or publish by folder.
guides-export-count = { $count ->
    [one] 1 guide becomes a file.
   *[other] { $count } guides become one ZIP file.
}
guides-place-count = { $count ->
    [one] 1 guide becomes a page there, or its page is updated.
   *[other] { $count } guides become a page each there, or their pages are updated.
}
exporting-placed = { $count ->
    [one] 1 page is up to date
   *[other] { $count } pages are up to date
}
exporting = { $count } of { $all } exported
exporting-progress = Progress of the export
exporting-failed = Could not be exported: { $titles }
exporting-done = { $count ->
    [one] The export is being saved.
   *[other] { $count } exports are being saved.
}
throw-making-title = Stop what is being made?
throw-making-text = { $count ->
    [one] This guide is still being made. That work is stopped and lost, also if you bring it back.
   *[other] { $count } of these guides are still being made. That work is stopped and lost, also if you bring them back.
}
throw-making-yes = Stop and delete
throw-done = { $count ->
    [one] The guide is in the bin.
   *[other] { $count } guides are in the bin.
}
throw-undo = Undo
throw-undone = { $count ->
    [one] The guide is back.
   *[other] { $count } guides are back.
}
bin-restored = { $title } is back.
bin-erase-title = Delete { $title } for good?
bin-erase-means = The recording, the text, pictures, exports and links are removed. This cannot be undone.
bin-erase-yes = Delete for good
bin-empty-title = Delete everything in the bin for good?
bin-empty-yes = Empty the bin
