# Die Aufträge aller, für Administratoren.
nav-administration = Verwaltung
administration-jobs = Aufträge aller
administration-job = Auftrag
administration-place = Art und Stand
administration-all-of = { $kind }: alle
administration-user = Benutzer
administration-to-review = Nur aufgegebene, die niemand geprüft hat
administration-retry = Noch einen Versuch geben
administration-review = Prüfung
administration-note = Was gefunden wurde
administration-reviewed = Als geprüft vermerken
actor-owner = vom Eigentümer
