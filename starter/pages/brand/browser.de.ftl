# Was Module hier im Browser sagen. Es kommt mit jeder Seite: kurz halten.
brand-saved-now = Gespeichert. So sehen Exporte ab jetzt aus.
brand-logo-saved = Das Logo ist gespeichert.
brand-logo-large = Ein Logo hat als Datei höchstens { $size } KiB. Speichern Sie es kleiner.
