# Die Bibliothek.
library-medium = Sorte
library-none = Noch nichts hier
library-none-start = Etwas beginnen
library-none-do = Bilder, Ausschnitte, Untertitel und Sprache, die Ihre Aufträge erstellen, werden hier aufbewahrt.
medium-picture = Bilder
medium-audio = Ton
medium-video = Videos
medium-document = Dokumente
medium-one = { $medium ->
    [picture] Bild
    [audio] Ton
    [video] Video
   *[document] Dokument
 }
asset-open = „{ $name }“ öffnen
