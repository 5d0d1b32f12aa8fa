# Anleitungen: ausgewählt, exportiert, gelöscht.
shortcut-choose-none = Auswahl aufheben
guides-chosen-count = { $count ->
    [one] 1 ausgewählt
   *[other] { $count } ausgewählt
}
guides-not-yours = Diese Anleitungen gehören jemand anderem: Nur diese Person kann das tun.
guides-moved = { $count ->
    [one] Die Anleitung wurde verschoben.
   *[other] { $count } Anleitungen wurden verschoben.
}
guides-export-none = Nichts zu exportieren: Noch ist kein Entwurf geschrieben.
guides-publish-own = Anleitungen
guides-publish-many = Eine Website fasst bis zu { $most } Anleitungen. Wählen Sie weniger oder veröffentlichen Sie je Ordner.
guides-export-count = { $count ->
    [one] Aus 1 Anleitung wird eine Datei.
   *[other] Aus { $count } Anleitungen wird eine ZIP-Datei.
}
guides-place-count = { $count ->
    [one] 1 Anleitung wird dort eine Seite, oder ihre Seite wird aktualisiert.
   *[other] { $count } Anleitungen werden dort je eine Seite, oder ihre Seiten werden aktualisiert.
}
exporting-placed = { $count ->
    [one] 1 Seite ist auf dem neuesten Stand
   *[other] { $count } Seiten sind auf dem neuesten Stand
}
exporting = { $count } von { $all } exportiert
exporting-progress = Fortschritt des Exports
exporting-failed = Nicht exportiert werden konnte: { $titles }
exporting-done = { $count ->
    [one] Der Export wird gespeichert.
   *[other] { $count } Exporte werden gespeichert.
}
throw-making-title = Laufende Arbeit abbrechen?
throw-making-text = { $count ->
    [one] Diese Anleitung entsteht noch. Die Arbeit daran wird abgebrochen und ist verloren, auch wenn Sie sie zurückholen.
   *[other] { $count } dieser Anleitungen entstehen noch. Die Arbeit daran wird abgebrochen und ist verloren, auch wenn Sie sie zurückholen.
}
throw-making-yes = Abbrechen und löschen
throw-done = { $count ->
    [one] Die Anleitung liegt im Papierkorb.
   *[other] { $count } Anleitungen liegen im Papierkorb.
}
throw-undo = Rückgängig
throw-undone = { $count ->
    [one] Die Anleitung ist wieder da.
   *[other] { $count } Anleitungen sind wieder da.
}
bin-restored = { $title } ist wieder da.
bin-erase-title = { $title } endgültig löschen?
bin-erase-means = Aufnahme, Text, Bilder, Exporte und Links werden entfernt. Das lässt sich nicht rückgängig machen.
bin-erase-yes = Endgültig löschen
bin-empty-title = Alles im Papierkorb endgültig löschen?
bin-empty-yes = Papierkorb leeren
