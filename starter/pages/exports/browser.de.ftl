# Was Module hier im Browser sagen. Wird mit jeder Seite gesendet: kurz halten.
shortcut-export = Exportieren
export-made-before = Diese Datei gab es schon, und sie wäre jetzt noch dieselbe.
export-pages-failed = Die Seiten können nicht gezeigt werden. Laden Sie stattdessen die Datei herunter, oder exportieren Sie die Version noch einmal.
