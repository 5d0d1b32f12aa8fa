# What modules here say in the browser. Sent with every page: keep it short.
batch-no-recording = Choose at least one recording.
batch-no-format = Choose at least one format.
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
