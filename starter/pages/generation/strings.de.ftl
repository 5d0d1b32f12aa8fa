# Generierungen: wie sie beginnen, und was entstanden ist.
copy-text = Text kopieren
asked-for = Gewünscht
text-cut = Die Seite zeigt den Anfang. In der Datei steht alles.

new-generation-title = Neue Generierung
new-generation-type = Was entstehen soll
new-generation-do = Erstellen
new-generation-another = Etwas anderes erstellen
generation-is-copy = Texte, die für etwas werben, in einigen Varianten.
generation-is-scrape = Der lesbare Text einer öffentlichen Webseite.
generation-is-static_ad = Ein Bild, das für etwas wirbt.
generation-is-ugc_video = Ein Video, wie es jemand selbst drehen würde.
generation-is-tts = Ein Text, gesprochen.
generation-missing = Hier nicht eingerichtet. Die Betreiber setzen { $needs }.
generation-copy-prompt = Wofür wird geworben?
generation-copy-example = Ein Wasserkocher, der in einer Minute kocht
generation-audience = Für wen
generation-tone = Tonfall
tone-plain = Sachlich
tone-warm = Herzlich
tone-bold = Kühn
generation-variants = Varianten
generation-url = Adresse der Seite
generation-url-hint = Eine öffentliche Seite, deren Website es erlaubt (robots.txt). Skripte der Seite werden nicht ausgeführt.
generation-shows = Was soll zu sehen sein?
generation-text = Was soll gesagt werden?
generation-voice = Stimme
generation-voice-hint = So, wie der Sprachdienst sie nennt. Ohne Angabe: die übliche.
generation-params = Einstellungen des Modells
generation-params-hint = Eine je Zeile, wie das Modell des Anbieters sie kennt: seconds = 8
awaited-until = Auf die Antwort wird gewartet bis
