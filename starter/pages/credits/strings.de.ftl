# Guthaben, und was Dinge kosten.
credits-available = Verfügbar
credits-reserved = Zurückgehalten für laufende Aufträge
credits-balance = Insgesamt
credits-entries = Buchungen
credits-when = Wann
credits-what = Was
credits-account = Konto
credits-amount = Betrag
credits-job = sein Auftrag
credits-none = Noch hat sich nichts bewegt.
credits-nothing = Sie haben kein Guthaben mehr. { $admin ->
    [yes] Geben Sie sich hier selbst welches.
   *[no] Bitten Sie die Betreiber um Guthaben.
 }
credits-prices = Preise
credits-free = Alles andere kostet nichts.
posting-grant = Gutgeschrieben
posting-reserve = Für einen Auftrag zurückgehalten
posting-capture = Für einen Auftrag bezahlt
posting-release = Unverbraucht zurückgegeben
posting-deduct = Für einen Auftrag bezahlt
posting-refund = Erstattet
account-available = verfügbar
account-reserved = zurückgehalten
account-issued = ausgegeben
account-earned = eingenommen
price-image = Bild
price-copy = Werbetext
price-scrape = Text einer Webseite
price-static_ad = Anzeige
price-ugc_video = Video
price-tts = Sprache
grant-title = Guthaben geben
grant-to = Wem
grant-reason = Warum
grant-do = Geben
balances-title = Was alle haben
balances-none = Kein Benutzer gefunden.
account-title = Ihre Daten
account-export-is = Alles, was Ihnen gehört, als ein ZIP: Aufträge, Dokumente, Dateien, Guthaben.
account-export = Alles herunterladen
account-delete-is = Jeder Auftrag mit seinen Dateien, jedes Projekt und jeder Webhook wird entfernt. Die Bücher behalten, was gebucht wurde, ohne Ihren Namen.
account-delete = Alles löschen
account-delete-title = Alles löschen, was Ihnen gehört?
account-delete-means = Das kann nicht rückgängig gemacht werden.
account-delete-name = Schreiben Sie zur Bestätigung { $name }
