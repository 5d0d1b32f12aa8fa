# Was Module hier im Browser sagen. Wird mit jeder Seite gesendet: kurz halten.
share-copied = Kopiert.
share-brought = Die Leser sehen die neueste Version, sobald sie bereit ist.
behind-title = { $count ->
    [one] Ein Link zeigt noch den früheren Stand
   *[other] { $count } Links zeigen noch den früheren Stand
 }
behind-what = Wer sie öffnet, sieht die Bilder ohne die Unschärfe, bis die Links die Anleitung zeigen, wie sie jetzt ist.
behind-recording = { $count ->
    [one] Einer davon führt zur Aufnahme, in der nichts unscharf ist: Das endet erst, wenn Sie ihn widerrufen.
   *[other] { $count } davon führen zur Aufnahme, in der nichts unscharf ist: Das endet erst, wenn Sie sie widerrufen.
 }
behind-nameless = Ein Link ohne Namen
behind-update = Jetzigen Stand zeigen
behind-revoke = { $count ->
    [one] Widerrufen
   *[other] Alle widerrufen
 }
behind-leave = So lassen
behind-revoked = { $count ->
    [one] Der Link öffnet nichts mehr.
   *[other] { $count } Links öffnen nichts mehr.
 }
