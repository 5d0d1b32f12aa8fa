# Die Liste der Aufträge.
jobs-none = Noch keine Aufträge
jobs-none-do = Nehmen Sie Ihren Bildschirm auf, sprechen Sie dabei, und legen Sie die Aufnahme hier ab.

search-jobs = Titel, Datei oder Beschreibung
jobs-none-fit = Kein Auftrag passt
jobs-none-fit-do = Ändern Sie, wonach Sie suchen.
jobs-all = Alle Aufträge zeigen
