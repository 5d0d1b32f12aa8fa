# Was Module hier im Browser sagen. Wird mit jeder Seite gesendet: kurz halten.
restore-title = Version { $number } wiederherstellen?
restore-what = Ihr Text wird zur neuesten Version. Version { $newest } bleibt in der Liste, und nichts geht verloren.
restore-yes = Wiederherstellen
restore-same = Version { $newest } sagt schon dasselbe wie Version { $number }. Nichts hat sich geändert.
restore-conflict = Jemand hat inzwischen gespeichert
restore-conflict-what = Es gibt eine neuere Version, als diese Seite kennt. Sehen Sie sie an, und stellen Sie dann wieder her, falls Sie das noch wollen.
restore-look = Versionen zeigen
lines-unchanged = $ unveränderte Zeilen
