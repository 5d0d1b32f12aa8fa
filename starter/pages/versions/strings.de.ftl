# Die Versionen einer Anleitung.
versions-title = Versionen von { $title }
versions-list = Alle Versionen
versions-compare = Vergleichen
versions-from = Von
versions-to = Bis
versions-from-which = Ab Version { $number } vergleichen
versions-to-which = Bis Version { $number } vergleichen
versions-newest = neueste
versions-restore = Wiederherstellen
versions-restore-which = Version { $number } wiederherstellen
versions-older = Ältere Versionen
versions-newer = Neueste Versionen
versions-failing = Braucht Aufmerksamkeit
versions-failing-what = Ihr Text besteht die Prüfung nicht; der Editor sagt, wo.
versions-between = Von Version { $old } bis Version { $new }
versions-first = Version { $number } ist die erste: Es gibt nichts, womit sie verglichen werden kann.
versions-same = Beides ist Version { $number }. Wählen Sie zwei Versionen aus der Liste, und klicken Sie auf Vergleichen.
versions-model = { $profile ->
    [local] eingebauter Verfasser
    [llm] Sprachmodell
   *[other] { $profile }
 }
versions-nothing = Zwischen diesen beiden Versionen ist nichts verschieden.
versions-markers-only = Der Text liest sich gleich; nur was Leser nicht sehen, ist verschieden.
versions-changes = Was sich geändert hat, Block für Block
versions-untold = { $count ->
    [one] Eine weitere Änderung steht im Vergleich oben.
   *[other] { $count } weitere Änderungen stehen im Vergleich oben.
 }
versions-change = { $change ->
    [added] Block { $place } kam hinzu
    [removed] Block { $place } wurde entfernt
    [moved] Block { $was } ist jetzt Block { $place }
   *[changed] Block { $place } wurde geändert
 }
versions-change-moved = Block { $was } wurde geändert und ist jetzt Block { $place }
versions-empty-block = (kein Text)
versions-was = Bisher
versions-is = Jetzt
versions-needs-scripts = Der Vergleich der Texte braucht JavaScript; was sich je Block geändert hat, steht unten.
