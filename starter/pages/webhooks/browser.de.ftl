# Was Module hier im Browser sagen. Wird mit jeder Seite gesendet: kurz halten.
redelivered = Es wird noch einmal gesendet.
