# Anleitungen, ihre Ordner und der Papierkorb.
nav-guides = Anleitungen
guides-search = In Ihren Anleitungen suchen
guides-search-hint = Titel, Schritte, Gesprochenes und Gezeigtes durchsuchen
guides-none = Noch keine Anleitungen
guides-none-do = Nehmen Sie Ihren Bildschirm auf, sprechen Sie dabei, und legen Sie die Aufnahme hier ab.
guides-more = Weitere Anleitungen
guides-choose = Auswählen
guides-choose-none = Auswahl aufheben
guides-chosen = Ausgewählte Anleitungen
guides-export-title = Anleitungen exportieren
guides-export-format = Format
guides-export-do = Exportieren
guides-publish = Als Website veröffentlichen
guides-publish-title = Als Website veröffentlichen
guides-publish-means = Alle Anleitungen, die hier stehen, werden eine Website: eine Übersicht, eine Suche und je eine Seite. Gespeichert wird eine ZIP-Datei. Sie lässt sich von Ihrer Festplatte öffnen oder auf jeden Webserver legen.
guides-publish-name = Name der Website
guides-publish-translations = Mit ihren Übersetzungen
guides-publish-do = Website erstellen
drop-here = Aufnahme hier ablegen, um zu beginnen

folder = Ordner
folders = Ordner
folders-all = Alle Anleitungen
folder-new = Neuer Ordner
folder-new-do = Anlegen
folder-name = Name
folder-empty = Dieser Ordner ist leer
folder-empty-do = Verschieben Sie Anleitungen hierher, oder wählen Sie ihn, wenn Sie eine Aufnahme senden.

sort = Sortiert nach
sort-do = Sortieren
sort-changed = letzter Änderung
sort-made = Erstellung
sort-title = Titel

guide-untitled = Ohne Namen
guide-title = Titel
guide-steps = { $count ->
    [one] 1 Schritt
   *[other] { $count } Schritte
}
guide-making = Entsteht gerade
guide-ready = Fertig
guide-look = Bitte ansehen
guide-failed = Fehlgeschlagen
guide-stopped = Abgebrochen
guide-still = Steht still
guide-look-draft = Am Entwurf ist manches unsicher. Lesen Sie ihn einmal durch.
guide-look-recording = Die Aufnahme ist noch nicht da.
guide-choose = { $title } auswählen
guide-more = Was mit { $title } getan werden kann
guide-rename = Umbenennen
guide-rename-do = Umbenennen
guide-move = Verschieben
guide-move-title = In einen Ordner verschieben
guide-move-do = Verschieben
guide-export = Exportieren
guide-delete = Löschen

bin = Papierkorb
bin-back = Zurück zu Ihren Anleitungen
bin-means = Was Sie löschen, bleibt { $days } Tage mit allem, was dazugehört, hier und lässt sich zurückholen. Bis dahin zählt es zu Ihrem Speicher. Geteilte Links öffnen so lange nichts.
bin-thrown = Gelöscht
bin-left = { $days ->
    [0] verschwindet heute
    [one] verschwindet in 1 Tag
   *[other] verschwindet in { $days } Tagen
}
bin-restore = Zurückholen
bin-erase = Endgültig löschen
bin-empty = Papierkorb leeren
bin-none = Der Papierkorb ist leer
bin-none-do = Anleitungen, die Sie löschen, liegen eine Weile hier.

found-title = Suche
found-hint = Jedes Wort muss in der Anleitung stehen: im Titel, in den Schritten, im Gesprochenen oder im Gezeigten. In Anführungszeichen stehen Wörter genau so hintereinander.
found-title-of = Titel
found-step = Schritt { $number }
found-text = Text
found-transcript = Gesprochen bei { $time }
found-screen = Gezeigt bei { $time }
found-more = { $count ->
    [one] und 1 weitere Stelle
   *[other] und { $count } weitere Stellen
}
found-nothing = Nichts gefunden zu { $asked }
found-nothing-do = Versuchen Sie es mit weniger Wörtern oder nur mit ihrem Anfang.
guides-way-record = Aufnehmen
guides-way-draft = Wird geschrieben
guides-way-guide = Anleitung teilen
