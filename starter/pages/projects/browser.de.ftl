# Was Module hier im Browser sagen. Es kommt mit jeder Seite: kurz halten.
project-renamed = Umbenannt.
project-placed = Gespeichert.
member-changed = Die Rolle ist geändert.
invitation-copied = Kopiert.
