# Was Module hier im Browser sagen. Kommt mit jeder Seite: kurz halten.
translation-taken = Die neue Übersetzung steht an ihrem Platz.
translation-kept = Vermerkt: Der Text hier ist auf dem neuesten Stand.
