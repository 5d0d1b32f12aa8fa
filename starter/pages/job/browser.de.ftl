# Was Module hier im Browser sagen. Wird mit jeder Seite gesendet: kurz halten.
retry-began = Der Auftrag geht weiter.
job-delete-title = Diesen Auftrag löschen?
job-delete-means = Seine Aufnahme, Texte, Bilder und Exporte werden entfernt. Das kann nicht rückgängig gemacht werden.
job-delete-yes = Auftrag löschen
recording-delete-title = Die Aufnahme löschen?
recording-delete-means = Text, Bilder und Exporte bleiben. Weitere Bilder können nicht mehr daraus entnommen werden. Das kann nicht rückgängig gemacht werden.
recording-delete-yes = Aufnahme löschen
