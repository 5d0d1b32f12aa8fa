# Was Module hier im Browser sagen. Es kommt mit jeder Seite: kurz halten.
comment-block = Kommentieren
comment-count = { $count ->
    [one] 1 Kommentar
   *[other] { $count } Kommentare
 }
comment-about = Zu: { $label }
comment-empty-block = Ein leerer Block
comment-removed = Zu einem entfernten Schritt:
comment-resolved-by = Erledigt von { $name }
comment-edited = bearbeitet
comment-former = Ein früheres Mitglied
comment-edit = Bearbeiten
comment-save = Speichern
comment-delete = Löschen
comment-reply = Antworten
comment-reply-to = Ihre Antwort
comment-resolve = Erledigt
comment-reopen = Wieder öffnen
comment-said = Der Kommentar ist da.
comment-deleted = Der Kommentar ist entfernt.
comment-resolved = Erledigt.
comment-reopened = Wieder offen.
