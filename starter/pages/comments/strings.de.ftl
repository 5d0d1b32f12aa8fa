# Kommentare zu einer Anleitung.
comments = Kommentare
comments-resolved = Auch erledigte
comments-none = Noch hat niemand etwas gesagt. Wählen Sie an einem Block „Kommentieren“, oder drücken Sie dort c.
comments-none-yet = Noch hat niemand etwas gesagt.
comment-text = Ihr Kommentar
comment-call = Jemanden nennen:
comment-do = Kommentieren
