# Was Module hier im Browser sagen. Wird mit jeder Seite gesendet: kurz halten.
order-params = „{ $line }“ ist keine Einstellung. Schreiben Sie eine je Zeile: name = wert
text-copied = Kopiert.
text-not-copied = Der Browser hat das Kopieren nicht erlaubt. Markieren Sie den Text, und kopieren Sie ihn von Hand.
