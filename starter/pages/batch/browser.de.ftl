# Was Module hier im Browser sagen. Wird mit jeder Seite gesendet: kurz halten.
batch-no-recording = Wählen Sie mindestens eine Aufnahme.
batch-no-format = Wählen Sie mindestens ein Format.
batch-range-time = Schreiben Sie die Zeiten von Teil { $number } als 1:05 oder 1:02:03.
batch-range-order = Teil { $number } endet, bevor er beginnt. Berichtigen Sie ihn.
batch-too-many = Das ergibt { $count } Posten; höchstens { $most } passen in einen Stapel. Teilen Sie ihn auf.
batch-total = { $count ->
    [one] 1 Posten
   *[other] { $count } Posten
 }
batch-from = Beginn von Teil { $number }
batch-to = Ende von Teil { $number }
batch-here-from = Beginnt hier
batch-here-to = Endet hier
batch-remove = Teil { $number } entfernen
