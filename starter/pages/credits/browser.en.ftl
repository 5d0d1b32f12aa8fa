# What modules here say in the browser. Sent with every page: keep it short.
account-going = Everything of yours is being removed.
account-other-name = That is not your name: nothing was deleted.
grant-done = { $user } was given { $amount ->
    [one] 1 credit
   *[other] { $amount } credits
}.
