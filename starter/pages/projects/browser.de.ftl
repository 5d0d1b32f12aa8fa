# Was Module hier im Browser sagen. Es kommt mit jeder Seite: kurz halten.
project-renamed = Umbenannt.
member-changed = Die Rolle ist geändert.
invitation-copied = Kopiert.
