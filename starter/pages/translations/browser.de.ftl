# Was Module hier im Browser sagen. Kommt mit jeder Seite: kurz halten.
translation-taken = Die neue Übersetzung steht an ihrem Platz.
translation-kept = Vermerkt: Der Text hier ist auf dem neuesten Stand.
translation-delete-title = Übersetzung ({ $language }) löschen?
translation-delete-means = Ihr Text mit allen Fassungen, ihre Exporte, Links und Kommentare werden sofort entfernt und kommen nicht in den Papierkorb. Das Original und andere Sprachen bleiben.
translation-delete-yes = Endgültig löschen
translation-deleted = Die Übersetzung ({ $language }) ist gelöscht.
