# Was Module hier im Browser sagen. Wird mit jeder Seite gesendet: kurz halten.
failed-unreachable = Der Server ist nicht zu erreichen. Nichts ist verloren; versuchen Sie es gleich noch einmal.
failed-outdated = Ein Teil dieser Seite konnte nicht geladen werden: Der Server hat eine neuere Version oder ist nicht zu erreichen. Laden Sie die Seite neu; was Sie geschrieben haben, bleibt erhalten.
reload = Neu laden
failed-unforeseen = Etwas ist schiefgegangen. Versuchen Sie es noch einmal; geschieht es wieder, hilft ein Blick ins Protokoll des Servers.
failed-signed-out = Sie sind abgemeldet. Melden Sie sich in einem anderen Tab wieder an, und tun Sie das dann noch einmal: Hier ist nichts verloren.
failed-signed-in-others = In diesem Browser hat sich jemand anderes angemeldet. Melden Sie sich in einem anderen Tab wieder als Sie selbst an, und tun Sie das dann noch einmal.
dismiss = Ausblenden
shortcut-search = Suchen

elapsed = seit { $time } in Arbeit
left = noch etwa { $time }
failed-file-changed = Diese Datei hat sich seit der Auswahl geändert oder ist nicht mehr da. Wählen Sie sie noch einmal.
failed-upload = Der Speicher hat einen Teil der Aufnahme abgelehnt (Status { $status }). Versuchen Sie es noch einmal.
version-number = Version { $number }
cancel = Abbrechen
shortcut-play = Aufnahme abspielen oder anhalten
shortcut-back = 5 Sekunden zurück
shortcut-on = 5 Sekunden vor
shortcut-frame-back = Ein Bild zurück
shortcut-frame-on = Ein Bild vor

close = Schließen
