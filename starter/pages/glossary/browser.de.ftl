# Was Module hier im Browser sagen. Wird mit jeder Seite gesendet: kurz halten.
glossary-removed = Der Eintrag für { $heard } ist entfernt.
glossary-undo = Zurückholen
everywhere-title = Ein Wort überall berichtigen
everywhere-known = Aus Ihrem Glossar bekannt
everywhere-heard = Verstanden
everywhere-right = Richtig
everywhere-looking = Wird gesucht …
everywhere-start = Sagen Sie, was verstanden wurde und was richtig ist.
everywhere-found = { $count ->
    [0] Es steht hier nirgends.
    [one] Eine Stelle, { $ticked } angekreuzt
   *[other] { $count } Stellen, { $ticked } angekreuzt
 }
everywhere-more = Die ersten { $count } Stellen, { $ticked } angekreuzt. Sind sie berichtigt, suchen Sie die übrigen.
everywhere-steps = In der Anleitung
everywhere-said = Im Transkript
everywhere-how = { $how ->
    [inflected] mit einer Endung
    [compound] in einem Wort
    [code] in Code
    [address] in einer Adresse
   *[similar] klingt ähnlich
 }
everywhere-all = Alle
everywhere-none = Keine
everywhere-keep = Im Glossar behalten
everywhere-keep-no = Nein, nur hier
everywhere-keep-project = Für Aufnahmen dieses Projekts
everywhere-keep-all = Für alle meine Aufnahmen
everywhere-only-keep = Im Glossar behalten
everywhere-glossary = Glossar öffnen
everywhere-do = { $count ->
    [one] Eine Stelle berichtigen
   *[other] { $count } Stellen berichtigen
 }
everywhere-done = { $steps ->
    [0] Im Transkript berichtigt.
   *[other] Berichtigt, in { $steps ->
        [one] einem Block
       *[other] { $steps } Blöcken
     } { $segments ->
        [0] der Anleitung.
       *[other] und im Transkript.
     }
 }
everywhere-undo = Rückgängig
everywhere-undone = Es lautet wie zuvor.
everywhere-kept = Es steht im Glossar.
everywhere-offer = „{ $heard }“ steht hier { $count ->
    [one] noch einmal.
   *[other] noch { $count }-mal.
 }
everywhere-offer-do = Überall berichtigen …
everywhere-knows = { $count ->
    [one] Ihr Glossar kennt hier ein Wort, das falsch verstanden wurde.
   *[other] Ihr Glossar kennt hier { $count } Stellen, die falsch verstanden wurden.
 }
everywhere-knows-do = Ansehen
