# What modules here say in the browser. Sent with every page: keep it short.
glossary-removed = The entry for { $heard } is removed.
glossary-undo = Bring it back
everywhere-title = Correct a word everywhere
everywhere-known = Known from your glossary
everywhere-heard = Heard
everywhere-right = Right
everywhere-looking = Looking…
everywhere-start = Say what was heard and what is right.
everywhere-found = { $count ->
    [0] It stands nowhere here.
    [one] One place, { $ticked } ticked
   *[other] { $count } places, { $ticked } ticked
 }
everywhere-more = The first { $count } places, { $ticked } ticked. Once they are corrected, look for the others.
everywhere-steps = In the instruction
everywhere-said = In the transcript
everywhere-how = { $how ->
    [inflected] with an ending
    [compound] within a word
    [code] in code
    [address] in an address
   *[similar] sounds alike
 }
everywhere-all = All
everywhere-none = None
everywhere-keep = Keep it in the glossary
everywhere-keep-no = No, only here
everywhere-keep-project = For recordings of this project
everywhere-keep-all = For all my recordings
everywhere-only-keep = Keep in the glossary
everywhere-glossary = Open the glossary
everywhere-do = { $count ->
    [one] Correct one place
   *[other] Correct { $count } places
 }
everywhere-done = { $steps ->
    [0] Corrected in the transcript.
   *[other] Corrected, in { $steps ->
        [one] one block
       *[other] { $steps } blocks
     } { $segments ->
        [0] of the instruction.
       *[other] and in the transcript.
     }
 }
everywhere-undo = Undo
everywhere-undone = It reads as before.
everywhere-kept = It is in the glossary.
everywhere-offer = “{ $heard }” stands here { $count ->
    [one] once more.
   *[other] { $count } more times.
 }
everywhere-offer-do = Correct everywhere…
everywhere-knows = { $count ->
    [one] Your glossary knows a word here that was misheard.
   *[other] Your glossary knows { $count } places here that were misheard.
 }
everywhere-knows-do = Look at them
