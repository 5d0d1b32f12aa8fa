# What the forms and results of pictures, generations, analyses and batches share.
cost-left = You can spend { $count }.
download = Download
made-by = Made by
next-try = It is tried again at
verdict-passed = Passed the safety filter
verdict-unmoderated = Not judged here: no safety filter is set up
verdict-rejected = Refused. What was held for it is spent: the filter has done its work.
made-none = { $state ->
    [working] What is made appears here.
   *[over] Nothing was made.
}
