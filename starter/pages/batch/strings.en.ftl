# Batches: how they begin, and what was made.
new-batch-title = New batch
new-batch-type = What is to be made
new-batch-do = Start the batch
new-batch-another = Start another batch
new-batch-none = No recordings yet
new-batch-none-do = A batch works on recordings that you have sent. Send one first.
new-batch-recordings = Of which recordings
new-batch-newest = The newest { $count } are here.
new-batch-no-transcript = has no transcript yet
new-batch-ranges = Which parts
new-batch-ranges-hint = Each is cut out of each recording as it is, nothing is encoded again. Write times as 1:05 or 1:02:03, or take them from the recording while it plays.
new-batch-player = The recording, to find times in
new-batch-add = Add a part
new-batch-stills = Stills
new-batch-count = Pictures of each recording
new-batch-width = Width in pixels
new-batch-formats = Formats
batch-clips = Clips
batch-thumbnails = Stills
batch-captions = Captions
batch-is-clips = Parts of recordings as files of their own.
batch-is-thumbnails = Pictures spread over each recording, and a contact sheet.
batch-is-captions = What is said, as SRT and VTT.
batch-items = Items
batch-zip = { $state ->
    [working] Download what is there as ZIP
   *[over] Download all as ZIP
}
batch-play = Play item { $number }: { $name }
asset-clip = Clip
asset-contact-sheet = Contact sheet
asset-still = Still
asset-captions-srt = SRT
asset-captions-vtt = VTT
batch-item = Item { $number }
batch-errors = What went wrong
batch-asset = { $name } of { $source }
item-waiting = Waiting
item-done = Done
item-failed = Failed
and-more = { $count ->
    [one] And 1 more.
   *[other] And { $count } more.
}
download-which = Download { $name }
