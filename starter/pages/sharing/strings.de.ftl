# Links, die anderen eine Anleitung zeigen: wo sie entstehen.
share-title = { $title } teilen
share-is = Wer einen Link hat, liest die Anleitung ohne Konto. Er zeigt die Version, die Sie gewählt haben, bis Sie ihn auf den neuesten Stand bringen oder widerrufen.
share-made = Der Link ist angelegt
share-once = Kopieren Sie ihn jetzt: Er wird nicht noch einmal gezeigt.
share-copy = Kopieren
share-new = Neuer Link
share-name = Zweck
share-until = Gültig
share-for-ever = bis er widerrufen wird
share-days = { $count ->
    [one] 1 Tag lang
   *[other] { $count } Tage lang
 }
share-passphrase = Passwort
share-passphrase-is = Freiwillig. Mindestens { $count } Zeichen.
share-recording = Auch die Aufnahme darf angesehen werden
share-sites = Websites, die die Anleitung einbetten dürfen
share-sites-are = Freiwillig, eine je Zeile, höchstens { $count }. Nicht zusammen mit einem Passwort.
share-make = Link anlegen
share-nameless = Link
share-revoked = Widerrufen
share-expired = Abgelaufen
share-pictures = Seitdem wurden Bilder oder das Erscheinungsbild geändert
share-failed = Konnte nicht bereitgestellt werden
share-making = Version { $number } wird bereitgestellt
share-behind = Version { $number } ist neuer
share-views = { $count ->
    [0] Noch nicht geöffnet
    [one] Einmal geöffnet
   *[other] { $count }-mal geöffnet
 }
share-last = zuletzt
share-guarded = Passwort
share-with-recording = mit der Aufnahme
share-embedded = darf eingebettet werden von { $sites }
share-ends = bis
share-since = angelegt
share-made-by = angelegt von { $name }
share-updated-by = auf den neuesten Stand gebracht von { $name }
share-revoked-by = widerrufen von { $name }
share-update = Version { $number } zeigen
share-revoke = Widerrufen
share-revoke-title = Diesen Link widerrufen?
share-revoke-means = Er öffnet nichts mehr, sofort und endgültig.
share-older = Ältere Links
share-none = Noch keine Links
share-none-do = Legen Sie einen an, um diese Anleitung jemandem zu zeigen, der hier kein Konto hat.
# Was ein Link öffnet.
shared-passphrase = Diese Anleitung fragt nach einem Passwort
shared-passphrase-is = Wer Ihnen den Link geschickt hat, kennt es.
shared-wrong = Das ist nicht das Passwort.
shared-open = Öffnen
shared-waiting = Die Anleitung wird bereitgestellt
shared-waiting-is = Diese Seite sieht alle { $seconds } Sekunden wieder nach.
shared-absent = Diese Anleitung kann gerade nicht gezeigt werden
shared-absent-is = Ihre Datei ist nicht da. Wer Ihnen den Link geschickt hat, kann sie neu bereitstellen.
shared-watch = Aufnahme ansehen
