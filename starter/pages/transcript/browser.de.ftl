# Was Module hier im Browser sagen. Wird mit jeder Seite gesendet: kurz halten.
play-from = Ab { $time } abspielen
heard-as = Erkannt als: { $text }
correct-at = Berichtigen, was bei { $time } gesagt wird
correct-save = Speichern
correct-undo = Berichtigung zurücknehmen
correct-saved = Berichtigt. Untertitel und alles, was ab jetzt geschrieben wird, sagen es so.
correct-undone = Es lautet wieder, wie es erkannt wurde.
found-place = { $at } von { $count }
found-none = Nicht gesagt
shortcut-found-next = Nächste Fundstelle
shortcut-found-previous = Vorige Fundstelle
shortcut-correct = Diese Zeile berichtigen
