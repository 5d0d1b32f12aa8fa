# Was Module hier im Browser sagen. Wird mit jeder Seite gesendet: kurz halten.
pending-upload = { $name }: { $percent } % sind da
pending-go-on = Fortsetzen
pending-discard = Verwerfen
new-choose-again = Wählen Sie { $name } noch einmal, um fortzusetzen
new-several = { $count } Aufnahmen, je ein Auftrag
new-several-are = { $names } · zusammen { $size }
refused-empty = Diese Datei ist leer.
refused-large = Diese Datei hat { $size }; höchstens { $most } können gesendet werden.
refused-type = Das ist weder ein Video noch eine Tonaufnahme. Möglich sind MP4, MOV, MKV, WebM, MP3, WAV und Ähnliches.
new-project-name-default = Meine Aufnahmen
new-sending = wird gesendet
new-waiting = wartet auf die Verbindung und macht von selbst weiter
new-stopped = Angehalten. Senden Sie noch einmal, um hier fortzusetzen.
new-checking = ist angekommen und wird geprüft
new-speed = { $speed }/s
new-remaining = noch { $time }
