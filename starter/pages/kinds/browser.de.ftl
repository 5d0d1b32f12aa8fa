# Was Module hier im Browser sagen. Wird mit jeder Seite gesendet: kurz halten.
credits-short = Das kostet { $cost }, und Sie haben { $available } verfügbar. Bitten Sie die Betreiber um Guthaben, und senden Sie es dann noch einmal.
characters-at-most = Höchstens { $most } Zeichen
characters-left = { $count ->
    [one] Noch 1 Zeichen
   *[other] Noch { $count } Zeichen
 }
characters-over = { $count ->
    [one] 1 Zeichen zu viel. Kürzen Sie.
   *[other] { $count } Zeichen zu viel. Kürzen Sie.
 }
order-empty = Sagen Sie, was entstehen soll.
order-number = { $name } ist eine ganze Zahl von { $least } bis { $most }.
order-url = Geben Sie die ganze Adresse der Seite an, mit https:// am Anfang.
shortcut-send = Formular senden
cost-is = { $count ->
    [0] Das kostet nichts.
    [one] Das kostet 1 Credit.
   *[other] Das kostet { $count } Credits.
 }
