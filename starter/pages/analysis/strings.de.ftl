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
question-count-or-sum = { $column } ist eine Spalte von Zahlen. Was ist mit „wie viele“ gemeint?
question-share = { $column } geht von { $begin } bis { $end }. Welche Zahl ist dort { $words }?
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
option-sum-of = die Summe von { $column }
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
assumed-counted-as = Jede Zeile zählt als eine von „{ $words }“.
assumed-no-growth = Was im früheren Zeitraum keine Zahl hat, hat kein Wachstum.
assumed-joined = Die Zeilen werden über { $column } mit { $table } verbunden.
assumed-kept = Zeilen, die in { $table } nichts finden, bleiben; ihre Spalten von dort sind leer.
assumed-no-numbers = { $column } enthält Texte; { $share } davon sind keine Zahlen und bleiben weg.
analysis-not-yours = Fragen beantworten und den Plan ausführen können die Bearbeitenden im Projekt von { $owner }.

# Was ein Plan sagt: seine Schritte, und was verstanden wurde (activities/analysis/understanding.py).
plan-load = alle Zeilen von { $table }
plan-filter = Zeilen mit: { $conditions }
plan-both = { $one } und { $other }
plan-either = { $one } oder { $other }
plan-listed = { $some } und { $last }
plan-test-eq = { $column } ist { $values }
plan-test-ne = { $column } ist nicht { $values }
plan-test-lt = { $column } ist kleiner als { $values }
plan-test-le = { $column } ist höchstens { $values }
plan-test-gt = { $column } ist größer als { $values }
plan-test-ge = { $column } ist mindestens { $values }
plan-test-in = { $column } ist eines von { $values }
plan-test-not-in = { $column } ist keines von { $values }
plan-test-contains = { $column } enthält { $values }
plan-test-starts-with = { $column } beginnt mit { $values }
plan-test-ends-with = { $column } endet mit { $values }
plan-test-is-null = { $column } ist leer
plan-test-not-null = { $column } hat einen Wert
plan-derive = { $column } = { $formula }
plan-plus = { $left } plus { $right }
plan-minus = { $left } minus { $right }
plan-times = { $left } mal { $right }
plan-divided-by = { $left } geteilt durch { $right }
plan-part-year = Jahr von { $column }
plan-part-quarter = Quartal von { $column }
plan-part-month = Monat von { $column }
plan-part-week = Woche von { $column }
plan-part-day = Tag von { $column }
plan-part-weekday = Wochentag von { $column }
plan-part-hour = Stunde von { $column }
plan-number = { $column } als Zahl, leer, wo es keine ist
plan-share = { $column } in Prozent der Summe
plan-change-percent = Veränderung von { $column } in Prozent, verglichen mit dem vorigen Wert nach { $along }
plan-change-difference = Unterschied von { $column } zum vorigen Wert nach { $along }
plan-running = laufende Summe von { $column } nach { $along }
plan-within = { $formula }, je { $columns }
plan-rows = Anzahl der Zeilen
plan-measure-count = Anzahl der Werte in { $column }
plan-measure-count-distinct = Anzahl verschiedener Werte in { $column }
plan-measure-sum = Summe von { $column }
plan-measure-mean = Durchschnitt von { $column }
plan-measure-median = Median von { $column }
plan-measure-min = kleinster Wert von { $column }
plan-measure-max = größter Wert von { $column }
plan-for-each = { $measures } je { $groups }
plan-over-all = { $measures } über alle Zeilen
plan-every-day = Tag von { $column }
plan-every-week = Woche von { $column }
plan-every-month = Monat von { $column }
plan-every-quarter = Quartal von { $column }
plan-every-year = Jahr von { $column }
plan-join = Zeilen mit { $keys }
plan-join-left = Zeilen mit { $keys }, und die Zeilen der ersten, die kein Gegenstück haben
plan-sort = Zeilen nach { $order }
plan-descending = { $column } (absteigend)
plan-ascending = { $column } (aufsteigend)
plan-first-one = { $order }, die erste
plan-first-many = { $order }, die ersten { $count }
plan-chart-bar = ein Balkendiagramm von { $values } über { $x }
plan-chart-line = ein Liniendiagramm von { $values } über { $x }
plan-chart-series = { $chart }, aufgeteilt nach { $series }
plan-summary = Werte, Lücken und Bereich von { $columns }
plan-summary-all = Werte, Lücken und Bereich jeder Spalte
plan-data = { $source }, { $rows ->
    [one] eine Zeile
   *[other] { $rows } Zeilen
 }
plan-joined = verbunden über { $keys }: { $how }
plan-only = nur die mit: { $conditions }
plan-all-rows = die Anzahl der Zeilen
plan-computed-count = die Anzahl der Werte in { $column }
plan-computed-count-distinct = die Anzahl verschiedener Werte in { $column }
plan-computed-sum = die Summe von { $column }
plan-computed-mean = der Durchschnitt von { $column }
plan-computed-median = der Median von { $column }
plan-computed-min = der kleinste Wert von { $column }
plan-computed-max = der größte Wert von { $column }
plan-one-answer = nichts: eine Antwort über alle Zeilen
plan-each-day = jeder Tag von { $column }
plan-each-week = jede Woche von { $column }
plan-each-month = jeder Monat von { $column }
plan-each-quarter = jedes Quartal von { $column }
plan-each-year = jedes Jahr von { $column }
plan-by = nach { $order }
plan-headed = { $name } („{ $heading }“)

# Was man von den Tabellen wissen sollte (activities/analysis/reading/inputs.py).
note-encoding-guessed = Der Text ist kein UTF-8 und wurde als { $words } gelesen. Prüfen Sie Buchstaben mit Akzenten und Umlaute.
note-letters-lost = Manche Buchstaben gingen verloren, ehe die Datei gesendet wurde (dafür steht �): Namen können gleich aussehen.
note-letters-garbled = Manche Buchstaben wurden in einer Kodierung geschrieben und in einer anderen gelesen, ehe die Datei gesendet wurde (wie „{ $words }“): Namen stehen vielleicht zweimal da.
note-control-characters-removed = Steuerzeichen im Text wurden weggelassen.
note-preamble-skipped = Zeilen über der Überschrift wurden weggelassen.
note-rows-twice-guessed = Zeilen, die buchstäblich zweimal dastehen, werden so oft mitgerechnet: { $words } davon.
note-rows-short-guessed = Manche Zeilen haben weniger Zellen als die Überschrift; es wird angenommen, dass die letzten fehlen.
note-rows-apart-guessed = Manche Zeilen stehen unter einer leeren Zeile; sie gelten als Zeilen derselben Tabelle.
note-cells-in-error-guessed = Manche Zellen enthalten einen Fehler (#BEZUG! und ähnliche). Sie gelten als leer.
note-remarks-left-out = Zeilen unter der Tabelle, die nur einen Text enthalten, wurden weggelassen: { $words }.
note-remarks-among-left-out = Zeilen, die mit # beginnen und sonst nichts enthalten, wurden weggelassen: { $words }.
note-heading-repeated = Zeilen, die die Überschrift wiederholen, wurden weggelassen: { $words }.
note-heading-missing = Die Tabelle hat keine Überschrift; ihre Spalten sind deshalb nummeriert.
note-totals-left-out = Zeilen, die die anderen zusammenzählen, wurden weggelassen: { $words }.
note-totals-suspected = Manche Zeilen heißen { $words }. Sie zählen die anderen nicht zusammen und gelten als Daten.
note-sums-guessed = Die Zahlen von { $words } sind die Summe anderer Zeilen oder deren Durchschnitt. Vielleicht sind es Summen; sie gelten als Daten.
note-stand-ins-guessed = { $column } enthält { $words }, weit weg von den anderen: Vielleicht steht das für keinen Wert; es wird mitgerechnet.
note-sheets-hidden = Ausgeblendete Blätter wurden weggelassen: { $words }.
note-hidden-counted-guessed = Manche Zeilen oder Spalten des Blatts sind ausgeblendet, etwa durch einen Filter. Sie werden mitgerechnet.
note-rows-grouped-guessed = Manche Zeilen des Blatts sind gruppiert, wie es Teile einer Summe sind. Alle gelten als Daten.
note-formulas-empty-guessed = Manche Zellen enthalten Formeln, die noch kein Programm berechnet hat, und gelten als leer. Öffnen und speichern Sie die Arbeitsmappe.
note-labels-filled-guessed = { $column } nennt jede Gruppe nur in ihrer ersten Zeile; die Zeilen darunter gelten als Zeilen dieser Gruppe: { $words }.
note-merged-cells-filled = Ein Name in verbundenen Zellen gilt für jede ihrer Zeilen; eine Zahl darin zählt einmal.
note-formats-unseen-guessed = Bei dieser Art von Arbeitsmappe werden nur die Werte gelesen, nicht, was ausgeblendet ist oder wie Zahlen gezeigt werden: in welcher Währung oder als Prozent. Wo das wichtig ist, speichern Sie sie als .xlsx.
note-shown-as-percent = { $column } wird als Prozent gezeigt: 0,12 ist 12 %.
note-percent-among-guessed = { $column } wird in manchen Zellen als Prozent gezeigt, in anderen als einfache Zahl. Genommen werden alle, wie sie gespeichert sind: 12 % als 0,12.
note-currencies-of-formats = Nur das Format der Zellen sagt die Währung mancher Zahlen: { $words }.
note-sheets-together = Gleich aufgebaut und zusammengenommen: { $words }. Die Spalte { $column } unterscheidet sie.
note-numbers-cleaned = { $column } wurde als Zahlen gelesen, ohne Zeichen und Trennzeichen: { $words }.
note-number-format-guessed = { $column } wurde als Zahlen gelesen; nichts in der Datei sagt, welches Zeichen vor den Nachkommastellen steht. Prüfen Sie (auf Englisch): { $words }.
note-numbers-mixed = { $column } enthält Zahlen mit Punkt und mit Komma vor den Nachkommastellen ({ $words }) und bleibt deshalb Text.
note-units-mixed = { $column } enthält Zahlen in mehreren Einheiten ({ $words }) und bleibt deshalb Text.
note-texts-among-numbers = { $column } enthält unter Zahlen Texte: { $words }.
note-identifiers-kept = { $column } enthält Zahlen mit 16 Stellen oder mehr; sie bleiben Stelle für Stelle erhalten, als Text.
note-digits-lost = { $column } enthält Zahlen mit 16 Stellen oder mehr, von denen eine Arbeitsmappe 15 behält: Der Rest ist verloren.
note-durations-as-hours = { $column } enthält Zeitspannen, gelesen als Stunden und Minuten und angegeben in Stunden: { $words }.
note-date-order-of-file = { $column } wurde als { $words } gelesen, wie eine andere Spalte der Datei.
note-date-order-guessed = { $column } wurde als { $words } gelesen; kein Datum darin verrät es. Schreiben Sie Daten als 2024-12-31.
note-century-guessed = { $column } hat Jahre mit zwei Stellen, gelesen als die von 1969 bis 2068: { $words }.
note-era-guessed = { $column } enthält Jahre weit voraus oder lange her, gelesen als die unserer Zeitrechnung: { $words }.
note-exponents-kept-guessed = { $column } enthält Texte wie { $words }, die Namen oder Zahlen sein können. Sie gelten als Namen.
note-dates-mixed = { $column } enthält Tage vor Monaten und Monate vor Tagen und bleibt deshalb Text.
note-zone-as-written = { $column } enthält Zeiten mit einer Zeitzone ({ $words }); sie werden genommen, wie sie dastehen.
note-zones-as-utc = { $column } enthält Zeiten mehrerer Zeitzonen ({ $words }); sie wurden in UTC umgerechnet.
note-column-empty = { $column } enthält keine Werte.
note-column-left-out = Spalten mit Binärdaten wurden weggelassen.
note-units-row-left-out = Eine Zeile mit Einheiten unter der Überschrift wurde weggelassen: { $words }.
note-table-below-guessed = Was ab { $words } unter einer leeren Zeile steht, hat andere Spalten und wurde weggelassen. Senden Sie es in einer eigenen Datei.
note-parts-overlap-guessed = Zeilen, die buchstäblich in mehreren der Teile stehen, werden so oft mitgerechnet: { $words } davon.
note-units-partly-guessed = { $column } ist in manchen Zeilen in { $words } angegeben, in anderen ohne Einheit. Alle gelten als gleich.
note-days-as-hours-guessed = { $column } enthält Zeitspannen, angegeben in Stunden, ein Tag als 24 davon: { $words }. Ist ein Arbeitstag gemeint, schreiben Sie Stunden.

analysis-rows = { $count ->
    [one] eine Zeile
   *[other] { $count } Zeilen
 }
analysis-rests = Worauf das beruht
analysis-table = { $source }: { $rows ->
    [one] eine Zeile
   *[other] { $rows } Zeilen
 }, { $columns ->
    [one] eine Spalte
   *[other] { $columns } Spalten
 }, genannt { $name }
analysis-of-inputs = Zu den Dateien:
analysis-was-asked = Gefragt und geantwortet:
analysis-csv-guard = In den CSV-Dateien beginnen Texte, die eine Tabellenkalkulation für eine Formel halten könnte, mit einem Apostroph; in den Parquet-Dateien stehen die Werte, wie sie sind.

# Was der Planer noch fragt und anbietet, und was keine Antwort klärt.
question-signs = { $column } hat keine Vorzeichen, und „{ $words }“ sagt, was hereinkommt und was hinausgeht: Was davon?
question-percent = { $column } ist in Prozent; davon gibt es keine Summe. Was ist gemeint?
option-averaged = der Durchschnitt
option-added-up = trotzdem zusammenzählen
unknown-no-dates = Die Frage spricht von Zeit, und keine Spalte enthält Daten. Senden Sie Tabellen mit Daten (wie 2024-12-31), oder lassen Sie die Zeit aus der Frage weg.
unknown-apart = { $column } steht in { $one }, andere Zahlen stehen in { $other }. Fragen Sie nach einem nach dem anderen.
unknown-no-key = Die Tabellen { $one } und { $other } haben keine gemeinsame Spalte, die die Zeilen von { $other } unterscheidet.
unknown-other-type = { $column } ist in { $one } von anderer Art als in { $other }. Schreiben Sie es in beiden gleich.
unknown-groups = Neben einen Zeitraum passen höchstens { $count } Gruppen. Lassen Sie eine weg: { $words }.
unknown-identifier = { $column } ist eine Kennung: Danach wird gezählt oder gruppiert, gerechnet wird damit nicht.
unknown-ambiguous = Mehrere Spalten haben die Überschrift von { $column }. Sagen Sie, welche gemeint ist.
unknown-lost = { $column } hat in der Arbeitsmappe Stellen verloren; verschiedene Werte können gleich sein. Senden Sie sie als CSV.
unknown-multiplied = { $column } wird mit je mehreren Zeilen verbunden und zählte so oft. Berechnen Sie es vor dem Verbinden.
unknown-percent = { $column } ist in Prozent; davon gibt es keine Summe. Nehmen Sie den Durchschnitt.
unknown-units = { $column } hat mehrere Einheiten, die { $words } nennt. Gruppieren Sie danach, oder behalten Sie eine.
unknown-counted = Gezählt werden Zeilen, gefragt ist eine Summe oder ein Durchschnitt. Sagen Sie, welche Spalte das enthält.
unknown-sums = Zeilen mit { $words } als { $column } enthalten, was andere zusammen ergeben. Lassen Sie sie weg.
unknown-stand-ins = { $column } enthält { $words }, was für keinen Wert steht. Lassen Sie diese Zeilen weg.

# Was man von dem wissen sollte, was ein Plan berechnet.
note-no-row = { $column } reicht von { $least } bis { $most }: Keine Zeile erfüllt die Bedingung dafür.
note-made-empty = { $column } ist in { $count } von { $rows } Zeilen leer: { $words } dort auch.
note-time-empty = { $column } ist in { $count } von { $rows } Zeilen leer: Sie gehören zu keinem Zeitraum.
note-number-empty = { $column } ist in { $count } von { $rows } Zeilen leer: Sie zählen nicht mit.
note-group-empty = { $column } ist in { $count } von { $rows } Zeilen leer: Sie sind eine eigene Gruppe.
note-rates-mixed = { $column } reicht von { $least } bis { $most }: Vielleicht stehen Teile von eins und Prozent durcheinander.
note-rates-added = { $column } sieht nach Raten oder Durchschnitten aus; sie werden hier so zusammengezählt, wie sie dastehen.
note-rates-averaged = { $column } sieht nach Raten oder Durchschnitten aus: In ihrem Durchschnitt zählt jede Zeile gleich.
note-parts-added = { $column } enthält Teile von eins: Sie werden hier so zusammengezählt, wie sie dastehen.
note-ranks-added = { $column } enthält 1 bis { $most }, jede Zahl einmal, wie Ränge: Sie werden hier so zusammengezählt, wie sie dastehen.
note-states-added = { $column } sieht nach einem Stand zu einer Zeit aus: Bei mehreren Zeiten wird er so oft mitgezählt.
note-versions = { $column } unterscheidet Fassungen: Gerechnet wird mit allen Zeilen, auch mit denen, die andere ersetzen.
note-alike = { $column } hat Werte, die verschieden geschrieben sind und getrennt gezählt werden: { $words }.
note-model-answer = Das Sprachmodell hat zweimal etwas geantwortet, das kein Plan für diese Tabellen ist; deshalb hat der eingebaute Planer diesen entworfen. Prüfen Sie ihn, oder richten Sie ein anderes Modell ein.

# Wie der Planer Schritte nennt.
title-all-rows = Alle Zeilen von { $words }
title-with = Mit { $words }
title-groups-meant = Die Gruppen, die gemeint sind
title-rows-meant = Die Zeilen, die gemeint sind
title-as-numbers = { $words } als Zahlen
title-share = Anteil von { $words } in Prozent
title-change = Veränderung von { $words } in Prozent
title-running = { $words }, laufend
title-two-periods = Die beiden Zeiträume
title-growth = Wachstum von { $words }
title-became = Was daraus wurde
title-first-one = Die erste Zeile nach { $words }, { $way ->
    [ascending] aufsteigend
   *[descending] absteigend
 }
title-first = Die ersten { $count } nach { $words }, { $way ->
    [ascending] aufsteigend
   *[descending] absteigend
 }
title-ordered = Geordnet nach { $words }, { $way ->
    [ascending] aufsteigend
   *[descending] absteigend
 }
title-summary = Übersicht
title-by = { $words } nach { $groups }

# Was ein Bericht gefunden hat.
finding-none = **{ $words }**: kein Wert
finding-no-rows = **Nichts zu rechnen**: Keine Zeile erfüllt die Bedingungen
finding-gaps = **Lücken**: { $every ->
    [day] Tage
    [week] Wochen
    [quarter] Quartale
    [year] Jahre
   *[month] Monate
 } zwischen dem ersten und dem letzten Eintrag, die keine Zeilen haben und hier fehlen: { $count }
finding-same = **{ $words }**: überall { $value }
finding-extremes = **{ $words }**: am meisten bei { $where } ({ $most }), am wenigsten bei { $other } ({ $least })
finding-trend = **{ $words }** ging von { $first } ({ $begin }) auf { $last } ({ $end }){ $change ->
    [none] {""}
   *[other] , { $change } %
 }; am meisten: { $most } ({ $when })
finding-not-alone = **Nicht allein**: { $count } weitere mit gleichem { $words } wie in der letzten Zeile hier wurden weggelassen.
finding-value = **{ $words }**: { $value }

# Wie der Planer die Zahlen nennt, die er berechnet.
number-rows = Anzahl der Zeilen
number-count = Anzahl { $column }
number-sum = Summe { $column }
number-mean = Durchschnitt { $column }
number-median = Median { $column }
number-least = kleinster Wert { $column }
number-most = größter Wert { $column }
question-size = { $column } zählt in { $size } und geht von { $begin } bis { $end }. Welche Zahl ist dort { $words }?
question-which-number = Welche Zahl ist { $words }?
question-time-or-value = „{ $words }“ ist eine Zeit und ein Wert von { $column }. Was ist gemeint?
question-which-year = { $column } ist nicht in allen Zeilen das Jahr von { $other }. Welches Jahr ist gemeint?
question-together = { $column } gehört zu mehreren Jahren, die { $other } nennt. Werden sie zusammengenommen?
question-of-a-row = { $column } kann mehrere Zeilen haben. Gilt { $number } für eine davon oder für alle zusammen?
question-rows-of = Die Zeilen welcher Tabelle sind „{ $words }“?
question-count-of = { $column } steht in { $words }. Welche werden gezählt?
option-the-time = die Zeit
option-years-together = alle Jahre zusammen
option-of-a-row = { $column } einer Zeile
unknown-keys = Von { $column } in { $one } ({ $words }) steht nichts in { $other }. Schreiben Sie beide gleich.
assumed-keys = { $count } von { $all } { $column } stehen nicht in { $table }: { $words }.
note-remark-counted-guessed = Die letzte Zeile, { $words }, beginnt wie eine Anmerkung und gilt als Daten.
note-tables-beside-guessed = Zwischen { $words } steht eine leere Spalte. Was auf beiden Seiten steht, gilt als eine Tabelle.
note-spellings-guessed = { $column } enthält Namen, die auf mehrere Arten geschrieben sind und getrennt gezählt werden: { $words }.
note-set-in-guessed = Manche Werte von { $column } sind eingerückt wie Teile der Zeilen darüber: { $words }. Alle gelten als Daten.
note-digits-short-guessed = { $column } enthält Zahlen, von denen nur die ersten Stellen geblieben sind ({ $words }). Was sich dahinter unterscheidet, gilt als eins.
note-cells-struck-guessed = Manche Zellen des Blatts sind durchgestrichen. Sie werden mitgerechnet.
note-numbers-unseen-guessed = Manche Zahlen des Blatts haben ein Format, das nichts zeigt (;;;). Sie werden mitgerechnet.
note-empty-kept = { $column } ist in { $count } von { $rows } Zeilen leer: Auch sie bleiben dabei.
note-weights-ignored = { $column } sagt vielleicht, wie viel eine Zeile zählt; in { $words } zählt jede gleich.
note-percent-factor = { $column } sind Prozent: In { $words } zählt die Zahl vor dem Zeichen, 12 von 12 %.
assumed-alone = „{ $words }“ zählt allein, nicht auch { $others }.
assumed-averaged-within = Der Durchschnitt ist der über die Zeilen, jeweils für { $column }, nicht der über deren Summen.
assumed-change-of-rows = Eine Änderung ist die seit dem letzten Zeitraum, der Zeilen hat; von 0 aus gibt es keine.
question-best = Welcher Wert von { $column } ist { $way ->
    [best] der beste
   *[worst] der schlechteste
 }: der höchste oder der niedrigste?
option-highest = der höchste
option-lowest = der niedrigste
