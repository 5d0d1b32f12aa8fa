# Eine Anleitung exportieren.
export-title = { $title } exportieren
export-new = Neue Datei
export-version = Version
export-newest = neueste
export-failing = Diese Version hat Mängel, die der Editor zeigt. Exportiert werden kann sie trotzdem.
export-format = Format
export-format-PDF = PDF
export-format-PDF-is = Fertig zum Drucken und Versenden
export-format-DOCX = Word
export-format-DOCX-is = Um anderswo weiterzuschreiben
export-format-HTML = Webseite
export-format-HTML-is = Eine Datei, Bilder inbegriffen
export-format-MD_ZIP = Markdown
export-format-MD_ZIP-is = Ein ZIP mit den Bildern
export-format-SRT = SRT-Untertitel
export-format-SRT-is = Für Videoplayer
export-format-VTT = WebVTT-Untertitel
export-format-VTT-is = Für Webseiten
export-format-MP4 = Video
export-format-MP4-is = Die Aufnahme, auf ihre Schritte geschnitten, mit Untertiteln
export-format-MP4_VOICE = Vorgelesenes Video
export-format-MP4_VOICE-is = Dasselbe, von einer Stimme gelesen
export-format-SITE = Website
export-format-SITE-is = Eine Seite einer Website mit ihren Bildern
export-format-CONFLUENCE = Confluence
export-format-CONFLUENCE-is = Eine Seite in Ihrem Wiki; der nächste Export aktualisiert sie
export-format-NOTION = Notion
export-format-NOTION-is = Eine Seite unter Ihrer; der nächste Export aktualisiert sie
export-open-place = Seite öffnen
export-do = Exportieren
export-earlier = Früher exportiert
export-none = Noch nichts exportiert
export-none-do = Wählen Sie eine Version und ein Format, und klicken Sie auf Exportieren. Die Datei ist hier, sobald sie fertig ist.
export-status = { $status ->
    [REQUESTED] Wartet
    [RUNNING] Wird erstellt
    [SUCCEEDED] Bereit
   *[FAILED] Fehlgeschlagen
 }
export-of-version = Version { $number }
export-download = Herunterladen
export-download-which = { $name } herunterladen
export-preview = Seiten ansehen
export-preview-which = Seiten von { $name } ansehen
export-pages = { $count ->
    [one] Eine Seite
   *[other] { $count } Seiten
 }
export-page = Seite { $number } von { $count }
export-pages-title = Seiten von { $name }
export-pages-more = Nur die ersten { $count } Seiten werden hier gezeigt. Für den Rest laden Sie die Datei herunter.
export-pane = Seiten der Datei
export-pages-hint = Erstellen oder wählen Sie ein PDF, um hier seine Seiten anzusehen.
export-took = in { $seconds } s erstellt
export-again = Exportieren Sie dieselbe Version noch einmal im selben Format, um es erneut zu versuchen.
export-warnings = Was Sie über diese Datei wissen sollten
export-provenance = Woher sie stammt
export-provenance-frozen = Endgültig seit
export-provenance-version = Version
export-provenance-model = Geschrieben von
export-provenance-hand = Hand
export-provenance-prompt = Anweisung ans Modell
export-provenance-pictures = Bilder
export-brand = Mit dem Erscheinungsbild vom
export-provenance-brand = Erscheinungsbild
export-provenance-set = Satz von Bildern
export-provenance-checksum = SHA-256 der Datei
export-older = Ältere Dateien
export-newer = Neueste Dateien
