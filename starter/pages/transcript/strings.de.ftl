# Das Transkript einer Aufnahme.
transcript-title = Transkript von { $title }
transcript-search = Gesprochenes durchsuchen
transcript-search-hint = n und p führen zur nächsten und zur vorigen Fundstelle.
transcript-previous = Vorige
transcript-next = Nächste
transcript-follow = Der Aufnahme folgen
transcript-list = Was gesagt wurde
transcript-keys = ↑ und ↓ führen von Stelle zu Stelle, Enter spielt ab dort, c berichtigt.
transcript-heard = Erkannt als: { $text }
transcript-correct = Berichtigen
transcript-correct-which = Berichtigen, was bei { $time } gesagt wird
transcript-play-which = Ab { $time } abspielen
transcript-count = { $count ->
    [one] Ein Abschnitt
   *[other] { $count } Abschnitte
 }
transcript-model = erkannt von { $model }
transcript-corrections = Was Sie hier berichtigen, bleibt. Untertitel sagen es so, und alles, was von da an geschrieben wird: ein neuer Entwurf, oder ein Schritt, der neu geschrieben wird.
transcript-download = Herunterladen
transcript-download-srt = SRT
transcript-download-vtt = VTT
transcript-download-txt = TXT
transcript-more = Die ersten { $shown } von { $count } Abschnitten. Mit JavaScript sind alle hier; auch die Textdatei enthält sie.
transcript-none = Es gibt noch kein Transkript
transcript-none-do = Es ist hier, sobald die Aufnahme angehört wurde. Diese Seite zeigt es von selbst.
transcript-none-job = Ansehen, wie weit der Auftrag ist
transcript-silent = { $speech ->
    [no_audio_track] Die Aufnahme hat keinen Ton
    [silent] Die Aufnahme ist stumm
    [unheard] Niemand hat diese Aufnahme angehört
   *[no_speech] In dieser Aufnahme spricht niemand
 }
transcript-silent-do = { $speech ->
    [unheard] Gewünscht war, dass nur der Bildschirm beschrieben wird. Soll das Gesprochene aufgeschrieben werden, beginnen Sie einen neuen Auftrag mit der gesprochenen Sprache.
   *[other] Die Anleitung wurde nach dem geschrieben, was auf dem Bildschirm ist. Sollte etwas zu hören sein, prüfen Sie das Mikrofon, und nehmen Sie noch einmal auf.
 }
