# The versions of an instruction.
versions-title = Versions of { $title }
versions-list = All versions
versions-compare = Compare
versions-from = From
versions-to = To
versions-from-which = Compare from version { $number }
versions-to-which = Compare to version { $number }
versions-newest = newest
versions-restore = Restore
versions-restore-which = Restore version { $number }
versions-older = Older versions
versions-newer = Newest versions
versions-failing = Needs attention
versions-failing-what = Its text does not pass validation; the editor says where.
versions-between = From version { $old } to version { $new }
versions-first = Version { $number } is the first one: there is nothing to compare it with.
versions-same = These are both version { $number }. Choose two versions from the list, and press Compare.
versions-model = { $profile ->
    [local] built-in drafter
    [llm] language model
   *[other] { $profile }
 }
versions-nothing = Nothing is different between these two versions.
versions-markers-only = The text reads the same; only what a reader does not see is different.
versions-changes = What changed, block by block
versions-untold = { $count ->
    [one] One more change is in the comparison above.
   *[other] { $count } more changes are in the comparison above.
 }
versions-change = { $change ->
    [added] Block { $place } was added
    [removed] Block { $place } was removed
    [moved] Block { $was } is now block { $place }
   *[changed] Block { $place } was changed
 }
versions-change-moved = Block { $was } was changed, and is now block { $place }
versions-empty-block = (no text)
versions-was = It said
versions-is = It says
versions-needs-scripts = The comparison of the texts needs JavaScript; what changed by block is below.
