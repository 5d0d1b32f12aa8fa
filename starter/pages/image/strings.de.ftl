# Bilder: wie sie beginnen, und was entstanden ist.
as-the-model-likes = Das Modell entscheidet
asked-prompt = Beschreibung
moderation = Sicherheit

new-image-title = Neues Bild
new-image-prompt = Was soll das Bild zeigen?
new-image-example = Ein Leuchtturm im Sturm, vom Meer aus gesehen
new-image-size = Größe
new-image-quality = Qualität
new-image-background = Hintergrund
image-quality-low = Niedrig
image-quality-medium = Mittel
image-quality-high = Hoch
image-background-opaque = Deckend
image-background-transparent = Transparent
new-image-embedded = Hier ist kein Bildmodell eingerichtet: Der eingebaute Maler zeichnet ein Plakat aus den Wörtern der Beschreibung.
new-image-do = Bild erstellen
new-image-another = Noch eines erstellen
made-image = Bild
made-image-none = { $state ->
    [working] Das Bild erscheint hier.
   *[over] Es gibt kein Bild.
}
new-image-recent = Schon gemacht
new-image-recent-one = Bild { $number }, schon gemacht
