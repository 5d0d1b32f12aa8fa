# Eine Anleitung in anderen Sprachen.
translations-title = Übersetzungen von { $title }
translations-are = Eine Übersetzung ist ein eigenes Dokument: Sie wird bearbeitet, exportiert und geteilt wie das Original und zeigt dessen Bilder. Ändert sich das Original, sagt sie, welche Schritte zurückliegen.
translations-none = Noch keine Übersetzungen
translations-none-do = Wählen Sie eine Sprache, und die Anleitung wird Schritt für Schritt übersetzt.
translation-new = Neue Übersetzung
translation-into = In die Sprache
translation-choose = Sprache wählen
translation-from = Ausgehend von
translation-sends = Der Text der Anleitung geht an das Sprachmodell, das hier eingerichtet ist. Code, Adressen und die Namen von Schaltflächen bleiben, wie sie sind.
translation-start = Übersetzen
translation-needs-scripts = Dafür ist JavaScript nötig.
translation-no-model = Hier ist kein Sprachmodell eingerichtet, und nur ein solches übersetzt. Wer guidesmith betreibt, kann eines einrichten.
translation-running = { $language }: wird übersetzt
translation-cancel = Anhalten
translation-failed = { $language }: Die Übersetzung ist fehlgeschlagen.
translation-current = Auf dem neuesten Stand
translation-current-is = Jeder Schritt entspricht Version { $number } des Originals.
translation-behind = { $count ->
    [one] 1 Schritt liegt zurück
   *[other] { $count } Schritte liegen zurück
 }
translation-missing = { $count ->
    [one] 1 Schritt fehlt
   *[other] { $count } Schritte fehlen
 }
translation-offered = { $count ->
    [one] 1 neuer Text wartet auf Sie
   *[other] { $count } neue Texte warten auf Sie
 }
translation-untranslated = { $count ->
    [one] 1 Schritt ließ sich nicht übersetzen
   *[other] { $count } Schritte ließen sich nicht übersetzen
 }
translation-gone = { $count ->
    [one] 1 Schritt steht nicht mehr im Original
   *[other] { $count } Schritte stehen nicht mehr im Original
 }
translation-left-out = { $count ->
    [one] 1 Schritt wurde hier weggelassen
   *[other] { $count } Schritte wurden hier weggelassen
 }
translation-reordered = Andere Reihenfolge als im Original
translation-reorder = Reihenfolge des Originals übernehmen
translation-update = Rückstand übersetzen ({ $count })
translation-update-which = Rückstand übersetzen ({ $count }): { $language }
translation-look = Durchsehen
translation-look-which = { $language } durchsehen
translation-of = Übersetzung ({ $language }) von
translation-all = Alle Sprachen
translation-is-behind = Das Original hat sich geändert
translation-is-missing = Noch nicht übersetzt
translation-is-gone = Nicht mehr im Original
translation-is-left-out = Hier weggelassen
translation-is-own = Hier geschrieben
translation-is-current = Auf dem neuesten Stand
translation-is-untranslated = Ließ sich nicht übersetzen: Der Text steht in der Sprache des Originals
translation-changed = Das Original hat sich seitdem geändert
translation-original = Original
translation-here = Hier
translation-offer = Neue Übersetzung
translation-take = Neue Übersetzung übernehmen
translation-keep = Der Text hier stimmt
translation-one = Diesen Schritt übersetzen
translation-edit = Bearbeiten
translation-pictures = Die Bilder sind die des Originals: Ändern Sie sie dort.
translation-linked = Diese Anleitung in anderen Sprachen
translation-delete = Löschen
translation-delete-which = Übersetzung löschen: { $language }
