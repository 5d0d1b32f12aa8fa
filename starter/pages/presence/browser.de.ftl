# Was die Module hier im Browser sagen. Geht mit jeder Seite mit: kurz halten.
present-you = Ein anderer Tab von Ihnen
present-here = { $name } hat diese Anleitung geöffnet
present-in = { $name } ist bei { $label }
present-writing-in = { $name } schreibt in { $label }
present-is-here = { $name } ist hier
present-writes = { $name } schreibt
present-same-block = { $count ->
    [one] { $names } schreibt auch in diesem Block. Wer später speichert, führt beide Texte zusammen.
   *[other] { $names } schreiben auch in diesem Block. Wer später speichert, führt die Texte zusammen.
 }
