# Was Module hier im Browser sagen. Wird mit jeder Seite gesendet: kurz halten.
record-facts = { $recorded } aufgenommen, davon { $sent } gesendet
record-name-default = Bildschirmaufnahme { $day } { $time }
record-interrupted = { $name }: nach { $time } unterbrochen
record-look = Ansehen und verwenden
record-discard-it = Verwerfen
record-discard-sure = Diese Aufnahme verwerfen?
record-discard-means = Sie wird hier und auf dem Server gelöscht und kann nicht zurückgeholt werden.
