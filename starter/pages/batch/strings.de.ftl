# Stapel: wie sie beginnen, und was entstanden ist.
new-batch-title = Neuer Stapel
new-batch-type = Was entstehen soll
new-batch-do = Stapel starten
new-batch-another = Noch einen Stapel starten
new-batch-none = Noch keine Aufnahmen
new-batch-none-do = Ein Stapel arbeitet an Aufnahmen, die Sie gesendet haben. Senden Sie zuerst eine.
new-batch-recordings = Von welchen Aufnahmen
new-batch-newest = Hier stehen die neuesten { $count }.
new-batch-no-transcript = hat noch kein Transkript
new-batch-ranges = Welche Teile
new-batch-ranges-hint = Jeder wird aus jeder Aufnahme herausgeschnitten, wie sie ist; nichts wird neu kodiert. Schreiben Sie Zeiten als 1:05 oder 1:02:03, oder übernehmen Sie sie, während die Aufnahme läuft.
new-batch-player = Die Aufnahme, um Zeiten darin zu finden
new-batch-add = Teil hinzufügen
new-batch-stills = Standbilder
new-batch-count = Bilder je Aufnahme
new-batch-width = Breite in Pixeln
new-batch-formats = Formate
batch-clips = Ausschnitte
batch-thumbnails = Standbilder
batch-captions = Untertitel
batch-is-clips = Teile von Aufnahmen als eigene Dateien.
batch-is-thumbnails = Bilder, verteilt über jede Aufnahme, und ein Kontaktbogen.
batch-is-captions = Was gesprochen wird, als SRT und VTT.
batch-items = Posten
batch-zip = { $state ->
    [working] Was da ist als ZIP herunterladen
   *[over] Alles als ZIP herunterladen
}
batch-play = Posten { $number } abspielen: { $name }
asset-clip = Ausschnitt
asset-contact-sheet = Kontaktbogen
asset-still = Standbild
asset-captions-srt = SRT
asset-captions-vtt = VTT
batch-item = Posten { $number }
batch-errors = Was nicht gelang
batch-asset = { $name } aus { $source }
item-waiting = Wartet
item-done = Fertig
item-failed = Fehlgeschlagen
and-more = { $count ->
    [one] Und 1 weiterer.
   *[other] Und { $count } weitere.
}
download-which = { $name } herunterladen
