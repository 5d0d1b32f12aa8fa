# Was Module hier im Browser sagen. Wird mit jeder Seite gesendet: kurz halten.
block-label = { $kind ->
    [title] Titel
    [lead] Einleitung
    [section] Abschnitt
    [step] Schritt { $number }
    [note] Hinweis
    [warning] Warnung
   *[text] Text
 }
said-here = { $count ->
    [one] Was hier gesagt wurde
   *[other] Was hier gesagt wurde ({ $count })
 }
warning-seek = Ab hier abspielen
shot-alt = Bildschirmfoto bei { $at }
shot-alt-uploaded = Bild
shot-draw = Zeichnen
shot-as-outcome = Als Ergebnis kennzeichnen
shot-as-before = Als Bild davor kennzeichnen
shot-replace = Ändern
standing-saved = Gespeichert
standing-unsaved = Nicht gespeicherte Änderungen
standing-saving = Wird gespeichert …
block-empty = Hier steht noch nichts. Ein leerer Block verschwindet beim Speichern.
block-text = Text von { $label }
writer-looks = Zeigen, wie es aussieht
writer-only-markdown = Dieser Text enthält HTML oder anderes, das nur sein Markdown zeigt.
block-preview = Vorschau
block-done = Fertig
block-split = Hier teilen
deleted = Gelöscht.
deleted-undo = Zurückholen
moved = { $label } ist jetzt Nummer { $place } von { $count }.
provenance-by-hand = Hand
provenance-origin = { $origin ->
    [draft] entworfen von { $author }
    [regenerate] neu geschrieben für { $author }
    [restore] wiederhergestellt von { $author }
    [translate] übersetzt für { $author }
   *[edit] bearbeitet von { $author }
 }
draft-restored = Nicht gespeicherte Änderungen von { $at } sind wieder da.
draft-discard = Verwerfen
draft-unkept = Dieser Browser kann nicht sichern, was Sie schreiben: Sein Speicher ist voll oder ausgeschaltet. Speichern Sie, bevor Sie diese Seite verlassen.
draft-older = Es gibt nicht gespeicherte Änderungen an Version { $number } von { $at }.
draft-merge = Zusammenführen
version-exists = { $mine ->
    [yes] Version { $number } wurde in einem anderen Tab gespeichert.
   *[no] Es gibt Version { $number } von { $author }.
 }
version-load = Laden
version-merge = Zusammenführen
conflict-title = Jemand hat inzwischen Version { $number } gespeichert
conflict-clean = Ihre Änderungen und die anderen stehen an verschiedenen Stellen. Beide bleiben erhalten.
conflict-choose = { $count ->
    [one] Ein Block wurde von beiden geändert. Wählen Sie, was er sagen soll.
   *[other] { $count } Blöcke wurden von beiden geändert. Wählen Sie, was jeder sagen soll.
 }
conflict-save = Zusammenführen und speichern
conflict-take = Zusammenführen
conflict-mine = Ihres
conflict-theirs = Das andere
conflict-both = Beides
conflict-result = Text von { $label } nach dem Zusammenführen
conflict-only-mine = Von Ihnen geändert
conflict-only-theirs = In Version { $number } geändert
conflict-new-mine = Von Ihnen hinzugefügt
conflict-new-theirs = In Version { $number } hinzugefügt
conflict-gone-mine = Von Ihnen gelöscht
conflict-gone-theirs = In Version { $number } gelöscht
conflict-by-both = Von beiden geändert
conflict-keep = Behalten
conflict-drop = Löschen
regenerate-title = { $label } neu schreiben
regenerate-wish = Was soll anders sein? (freiwillig)
regenerate-hint = Zum Beispiel „kürzer“ oder „als Liste“. Geschrieben wird nach dem, was hier gesagt wurde.
regenerate-hint-plain = Geschrieben wird nach dem, was hier gesagt wurde. Ein Sprachmodell ist nicht eingerichtet: Anderen Wünschen kann nicht gefolgt werden.
regenerate-how = Wie?
regenerate-as-heard = Wie im Entwurf
regenerate-as-shorter = Kürzer
regenerate-as-as-a-list = Als Liste
regenerate-start = Neu schreiben
regenerate-saves-first = Ihre Änderungen werden zuerst gespeichert.
regenerate-running = Wird geschrieben …
regenerate-busy = Ein anderer Teil dieser Anleitung wird gerade geschrieben. Dieser kann beginnen, wenn das beendet ist.
regenerate-same = Es kam dasselbe heraus.
proposal-title = Vorschlag
proposal-kept = Inzwischen wurde hier bearbeitet; deshalb wurde der neue Text nicht eingesetzt.
proposal-waits = Ein neuer Text für { $label } wartet auf Ihre Entscheidung.
proposal-show = Zeigen
proposal-diff = Vorschlag für { $label }, mit dem, was er ändert
proposal-accept = Annehmen
proposal-reject = Ablehnen
shortcut-blocks = Von Block zu Block gehen
shortcut-write = Block bearbeiten
shortcut-leave = Text des Blocks verlassen
shortcut-move = Block verschieben
shortcut-split = Block am Cursor teilen
shortcut-seek = Ab dem Zeitpunkt des Blocks abspielen
shortcut-regenerate = Block neu schreiben
shortcut-picture = Dem Block ein Bild hinzufügen
shortcut-above = Darüber einen Block einfügen
shortcut-below = Darunter einen Block einfügen
shortcut-merge = Mit dem nächsten Block verbinden
shortcut-delete = Block löschen
shortcut-save = Speichern
shortcut-undo = Rückgängig
shortcut-redo = Wiederholen
redact-title = Privates unkenntlich machen
redact-what = E-Mail-Adressen, Schlüssel und Tokens, Karten- und Telefonnummern, die auf den Bildern gelesen wurden. Unter „Zeichnen“ lassen sich die Stellen ändern und entfernen.
redact-also = Weitere Wörter und Namen, mit Kommas dazwischen
redact-keep = Diese Wörter behalten, auch für meine anderen Anleitungen
redact-looking = Die Bilder werden angesehen …
redact-found = { $count ->
    [0] Es gibt nichts mehr unkenntlich zu machen.
    [one] Ein Bild zeigt etwas Privates.
   *[other] { $count } Bilder zeigen etwas Privates.
 }
redact-value = { $kind ->
    [email] E-Mail-Adresse
    [key] Schlüssel oder Passwort
    [card] Kartennummer
    [phone] Telefonnummer
   *[listed] Genannt
 }: { $text } ({ $count ->
    [0] auf keinem der Bilder
    [one] auf einem Bild
   *[other] auf { $count } Bildern
 })
redact-unchecked = { $count ->
    [one] Ein Bild konnte nicht geprüft werden. Sehen Sie es selbst an: { $where }
   *[other] { $count } Bilder konnten nicht geprüft werden. Sehen Sie sie selbst an: { $where }
 }
redact-do = Auf allen Bildern unkenntlich machen
redact-done = { $count ->
    [one] Auf einem Bild unkenntlich gemacht.
   *[other] Auf { $count } Bildern unkenntlich gemacht.
 }
standing-kept = Änderungen sind gesichert
standing-kept-what = Sie werden zu einer Version, wenn Sie innehalten, diese Seite verlassen oder auf Speichern klicken.
standing-unkept = Der Server sichert die Änderungen nicht
standing-conflict = Im Konflikt mit Version { $number }
name-title = Diese Version benennen
name-label = Name
name-yes = Unter diesem Namen speichern
moment-told = Der Block gehört jetzt zum Moment { $at }.
moment-picture = Bild dieses Moments nehmen
moment-pick = Moment auswählen
moment-other = Anderen Moment auswählen
conflict-left = { $count ->
    [one] Bei einem Block ist noch zu wählen.
   *[other] Bei { $count } Blöcken ist noch zu wählen.
 }
left-first = Drücken Sie noch einmal Esc oder eine Pfeiltaste, bevor Buchstaben auf diesen Block wirken.
picture-needs-words = Schreiben Sie zuerst etwas: Ein Bild gehört zu einem gespeicherten Text.
