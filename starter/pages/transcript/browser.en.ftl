# What modules here say in the browser. Sent with every page: keep it short.
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
