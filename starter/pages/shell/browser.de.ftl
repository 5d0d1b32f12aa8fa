# Was Module hier im Browser sagen. Wird mit jeder Seite gesendet: kurz halten.
shortcut-help = Diese Tastenkürzel zeigen
shortcut-home = Zu Ihren Anleitungen
shortcut-jobs = Zu allen Aufträgen
shortcut-new = Einen neuen Auftrag beginnen
