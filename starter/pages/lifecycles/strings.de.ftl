# Die Abläufe von Aufträgen.
lifecycles-are = Jede Art von Auftrag hat eine Tabelle der Übergänge, die erlaubt sind. Gezeichnet sind sie aus dem Code, der jeden Übergang prüft.
lifecycles-drawing = Der Ablauf: { $kind }
lifecycles-everywhere = Von jedem Status aus, der kein Ende ist: { $statuses }.
lifecycles-no-ops = Ein Übergang in den Status, den ein Auftrag schon hat, gelingt und ändert nichts.
lifecycles-rows = Alle erlaubten Übergänge
lifecycles-from = Von
lifecycles-to = Nach
lifecycles-by = Durch
lifecycles-note = Wann
