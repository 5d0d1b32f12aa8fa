# Was Module hier im Browser sagen. Wird mit jeder Seite gesendet: kurz halten.
grant-done = { $user } hat { $amount ->
    [one] 1 Credit
   *[other] { $amount } Credits
} erhalten.
account-going = Alles, was Ihnen gehört, wird entfernt.
account-other-name = Das ist nicht Ihr Name: Es wurde nichts gelöscht.
