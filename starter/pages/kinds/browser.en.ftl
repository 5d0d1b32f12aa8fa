# What modules here say in the browser. Sent with every page: keep it short.
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
shortcut-send = Send the form
cost-is = { $count ->
    [0] This costs nothing.
    [one] This costs 1 credit.
   *[other] This costs { $count } credits.
 }
