# Was die Formulare und Ergebnisse von Bildern, Generierungen, Auswertungen und Stapeln gemeinsam haben.
cost-left = Sie haben { $count } verfügbar.
download = Herunterladen
made-by = Erstellt von
next-try = Der nächste Versuch ist um
verdict-passed = Vom Sicherheitsfilter durchgelassen
verdict-unmoderated = Hier nicht beurteilt: Es ist kein Sicherheitsfilter eingerichtet
verdict-rejected = Abgelehnt. Was dafür zurückgehalten war, ist verbraucht: Der Filter hat gearbeitet.
made-none = { $state ->
    [working] Was entsteht, erscheint hier.
   *[over] Es ist nichts entstanden.
}
