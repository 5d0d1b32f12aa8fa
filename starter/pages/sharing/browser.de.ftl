# Was Module hier im Browser sagen. Wird mit jeder Seite gesendet: kurz halten.
share-copied = Kopiert.
share-brought = Die Leser sehen die neueste Version, sobald sie bereit ist.
