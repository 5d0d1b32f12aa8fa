# Auswertungen: wie sie beginnen, ihr Plan und ihre Antwort.
new-analysis-title = Neue Auswertung
new-analysis-question = Was möchten Sie wissen?
new-analysis-example = Gesamtumsatz nach Region und Quartal, als Diagramm
new-analysis-files = Dateien
new-analysis-choose = Legen Sie Tabellen hier ab, oder wählen Sie sie
new-analysis-choose-hint = CSV, Parquet oder Excel; bis zu { $count } Dateien mit je { $size }
new-analysis-do = Senden und planen
analysis-asked = Die Frage
analysis-file-missing = ist nicht angekommen
analysis-chart = Diagramm { $name }
analysis-more-rows = Die ersten { $count } Zeilen; sortiert werden diese. In den Dateien stehen alle.
analysis-files = Dateien
analysis-plan = Der Plan
analysis-planning = Der Plan wird entworfen.
analysis-no-plan = Ein Plan wird entworfen, sobald alle Dateien angekommen sind.
analysis-understood = Was verstanden wurde
understood-data = Daten
understood-computed = Berechnet
understood-for-each = Für jedes
understood-period = Zeitraum
understood-rows = Zeilen
understood-order = Reihenfolge
understood-left-out = Weggelassen
understood-guessed = Vermutet
understood-to-know = Gut zu wissen
analysis-steps = Schritt für Schritt
analysis-unknowns = Was nicht zu klären ist
analysis-unknowns-do = Ändern Sie die Frage oder die Schritte so, dass das keine Rolle spielt.
analysis-questions = Fragen
analysis-open = zu beantworten
analysis-other = Etwas anderes
analysis-answer = Antworten
analysis-change-question = Etwas anderes fragen
analysis-plan-anew = Das planen
analysis-edit-steps = Schritte ändern
analysis-edit-end = So lassen, wie sie waren
analysis-steps-json = Als JSON, wie Programme sie senden
analysis-steps-hint = Höchstens acht; jeder nennt die Schritte, auf denen er aufbaut. Beim Speichern werden sie an Ihren Tabellen geprüft.
analysis-save-steps = Schritte speichern
analysis-confirm = Plan bestätigen
analysis-confirm-means = Friert Plan und Daten ein. Berechnet wird noch nichts.
analysis-confirm-first = Beantworten Sie zuerst die Fragen oben.
analysis-plan-again = Plan noch einmal entwerfen
analysis-run = Berechnen
analysis-run-means = Führt jeden Schritt mit Ihren Daten aus, auf dem Rechner von guidesmith, ohne Zugang zum Netz.
analysis-answer-label = Die Antwort
analysis-how = Wie das berechnet wurde
analysis-no-rows = Keine Zeilen.
chart-order = Reihenfolge
chart-order-computed = wie berechnet
chart-order-most = Größtes zuerst
chart-order-least = Kleinstes zuerst
chart-order-name = nach Namen
chart-save-svg = Als SVG speichern
chart-save-png = Als PNG speichern
chart-values = Werte des Diagramms; die Pfeiltasten führen von einem zum nächsten

# Was der Planer fragt, anbietet und annimmt.
question-goal = Was soll berechnet werden? Nennen Sie eine Zahl und wofür sie jeweils gilt, mit den Namen der Spalten.
question-which-meant = Welche Spalte ist mit „{ $words }“{ $more } gemeint?
question-which-grouped = Nach welcher Spalte soll gruppiert werden, wo „{ $words }“ steht?
question-which-be = Für welche Spalte gilt „{ $words }“?
question-what-be = Wofür gilt „{ $words }“?
question-when = Welche Spalte sagt, wann?
question-headings = { $count } Spalten haben die Überschrift „{ $words }“. Welche ist gemeint? ({ $more })
question-tables = Mehrere Tabellen enthalten „{ $words }“. Welche ist gemeint?
question-values = „{ $words }“ ist ein Wert mehrerer Spalten. Welche ist gemeint?
question-no-value = Keine Zeile hat bei { $column } „{ $words }“. Welcher Wert ist gemeint?
question-count = Keine Spalte heißt „{ $words }“. Was soll gezählt werden?
question-measure-named = Keine Spalte heißt „{ $words }“. Welche Spalte enthält die Zahlen, die gemeint sind?
question-measure = Welche Spalte enthält die Zahlen, die gemeint sind?
question-no-numbers-named = Keine Spalte heißt „{ $words }“. Keine Spalte enthält Zahlen, mit denen sich rechnen lässt. Sollen die Zeilen gezählt werden?
question-no-numbers = Keine Spalte enthält Zahlen, mit denen sich rechnen lässt. Sollen die Zeilen gezählt werden?
question-growth = Wachstum auf welche Art, und von wann bis wann?
question-years = Welche Jahre: ein Zeitraum vom ersten bis zum letzten?
question-of-year = { $words } welchen Jahres?
question-unread = { $words } wurde nicht verstanden. Fragen Sie in anderen Worten, oder sagen Sie, dass es nicht wichtig ist.
question-units = { $column } hat mehrere Einheiten, die „{ $words }“ nennt. Wie soll gerechnet werden?
question-called-totals = Manche Zeilen haben { $words } als { $column }. Sind das Summen der anderen Zeilen?
question-totals = Zeilen mit { $words } als { $column } enthalten, was andere zusammen ergeben. Sind das deren Summen?
question-stands-in = { $column } enthält { $words }, weit weg von allen anderen. Steht das für „nicht bekannt“?
question-texts = { $column } enthält unter Zahlen { $words }, was sich nicht als Zahl lesen lässt.
question-parts = Manche Werte von { $column } sind eingerückt oder heißen so: { $words }. Sind das Teile der Zeilen darüber?
question-sheets = { $words } Welche sind gemeint?
option-rows = die Anzahl der Zeilen
option-different = verschiedene Werte von { $column }
option-does-not-matter = ist nicht wichtig
option-count-them = es sind Daten: mitzählen
option-leave-out = weglassen
option-all = alle
option-as-they-stand = so, wie die Zahlen dastehen
option-yes = ja
option-summary = eine Übersicht jeder Spalte
option-total-by = Summe von { $column } nach { $group }
option-each-rows = { $column } jeder Zeile
option-total-of-group = die Summe von { $column } jeder Gruppe
option-for-each = für jedes { $column }
option-only = nur { $words }
option-growth-percent = in Prozent, von { $begin } bis { $end }
option-growth-amount = als Betrag, von { $begin } bis { $end }
assumed-said-of = „{ $words }“ gilt für { $column }.
assumed-is-of = „{ $words }“ ist das von { $column }.
assumed-is-averaged = „{ $words }“ ist { $column }; davon wird der Durchschnitt genommen, da nicht gesagt wurde, wie.
assumed-is-added = „{ $words }“ ist { $column }; das wird zusammengezählt, da nicht gesagt wurde, wie.
assumed-averaged = Von { $column } wird der Durchschnitt genommen, da nicht gesagt wurde, wie.
assumed-added = { $column } wird zusammengezählt, da nicht gesagt wurde, wie.
assumed-counted-back = „{ $words }“ wird vom spätesten { $column } in den Daten zurückgerechnet: { $latest }.
assumed-is = „{ $words }“ ist { $column }.
assumed-once = { $column }: Jeder Wert zählt einmal, so viele Zeilen er auch hat.
assumed-only-number = Gemeint ist die Zahl { $column }, die einzige, die es gibt.
assumed-each-is = { $column }: Jeder Wert ist { $every ->
    [day] ein Tag
    [week] eine Woche
    [month] ein Monat
    [quarter] ein Quartal
   *[year] ein Jahr
 }.
assumed-by-period = Die Zeit wird nach { $every ->
    [day] Tagen
    [week] Wochen
    [month] Monaten
    [quarter] Quartalen
   *[year] Jahren
 } gezeigt, da kein Zeitraum genannt wurde.
assumed-first-of-all = Die ersten { $count } sind die aller Gruppen zusammen, nicht jeder einzelnen.
assumed-share = Angegeben wird der Anteil von { $column }; alle Zeilen zusammen sind 100 Prozent.
assumed-rows-counted = Gezählt werden die Zeilen: Jede ist eine von „{ $words }“.
assumed-left-out = { $words } blieb unberücksichtigt.
assumed-all-taken = Genommen werden alle: { $words }. Nennen Sie eines, um nur das zu haben.
assumed-no-growth = Was im früheren Zeitraum keine Zahl hat, hat kein Wachstum.
assumed-joined = Die Zeilen werden über { $column } mit { $table } verbunden.
assumed-kept = Zeilen, die in { $table } nichts finden, bleiben; ihre Spalten von dort sind leer.
assumed-no-numbers = { $column } enthält Texte; { $share } davon sind keine Zahlen und bleiben weg.
analysis-not-yours = Fragen beantworten und den Plan ausführen können die Bearbeitenden im Projekt von { $owner }.
