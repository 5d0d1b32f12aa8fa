# Ein Auftrag: wo er steht, was geschehen ist, und was zu tun ist.
job-open = Anleitung öffnen
job-cancel = Auftrag abbrechen
cancel-title = Diesen Auftrag abbrechen?
cancel-means = Seine Arbeit hört sofort auf. Was gespeichert ist, bleibt; ein abgebrochener Auftrag kann nicht wieder begonnen werden.
cancel-do = Auftrag abbrechen
cancel-keep = Weiterlaufen lassen
job-recording-missing = Dieser Auftrag wartet noch auf seine Aufnahme.
job-recording-send = Setzen Sie das Hochladen fort, oder wählen Sie die Aufnahme noch einmal.
job-failed = Dieser Auftrag ist fehlgeschlagen
job-failed-stage = { $stage ->
    [audio] beim Herauslösen des Tons
    [transcription] beim Anhören
    [draft] beim Schreiben des Entwurfs
    [illustration] beim Aufnehmen der Bilder
    [export] beim Exportieren
   *[other] bei { $stage }
 }
job-retry = Noch einmal versuchen
job-send-another = Eine andere Aufnahme senden
job-retry-from = Es geht weiter ab: { $place }
job-log = Was geschehen ist
job-way = Wo er steht
job-facts = Angaben
job-checkpoint = gesichert: ein neuer Versuch kann hier weitermachen
job-took = dauerte { $time }
job-took-no-time = dauerte unter 1 s
job-retries = { $count ->
    [one] einmal neu versucht
   *[other] { $count }-mal neu versucht
}
job-made = Angelegt
job-ended = Beendet
job-attempt = Versuch
job-cost = Kosten
job-cost-back = zurückgegeben
job-id = Auftrag
job-run = Ablaufsteuerung
job-run-open = Lauf in Temporal öffnen
log-older = Ältere zeigen
log-again = { $status }: noch einmal versucht
log-attempt = Versuch { $number }
actor-editor = von Ihnen
actor-orchestrator = von selbst
actor-system = vom System
log-JOB_CREATED = Der Auftrag wurde angelegt
log-STATUS_CHANGED = Der Status hat sich geändert
log-STAGE_RETRIED = Ein Arbeitsgang wurde noch einmal versucht
log-RUN_DISPATCHED = Der Auftrag wurde gestartet
log-RETRY_DISPATCHED = Der Auftrag wurde noch einmal gestartet
log-PROGRESS = Fortschritt
log-SAFE_BLOCK = Der Sicherheitsfilter hat abgelehnt
log-INSTRUCTION_SAVED = Die Anleitung wurde gespeichert
log-INSTRUCTION_RESTORED = Eine frühere Version wurde wiederhergestellt
log-REGENERATE_REQUESTED = Ein Teil soll neu geschrieben werden
log-REGENERATE_STARTED = Ein Teil wird neu geschrieben
log-REGENERATE_SUCCEEDED = Ein Teil wurde neu geschrieben
log-REGENERATE_FAILED = Das Neuschreiben eines Teils ist fehlgeschlagen
log-TRANSLATION_REQUESTED = Eine Übersetzung wurde angefordert
log-TRANSLATION_STARTED = Die Anleitung wird übersetzt
log-TRANSLATION_SUCCEEDED = Die Anleitung wurde übersetzt
log-TRANSLATION_FAILED = Die Übersetzung ist fehlgeschlagen
log-TRANSLATION_DELETED = Eine Übersetzung wurde gelöscht
log-TRANSLATION_ANSWERED = Ein Schritt einer Übersetzung wurde durchgesehen
log-EXPORT_REQUESTED = Ein Export wurde angefordert
log-EXPORT_STARTED = Ein Export hat begonnen
log-EXPORT_SUCCEEDED = Ein Export ist bereit
log-EXPORT_FAILED = Ein Export ist fehlgeschlagen
log-COMMENT_CREATED = Es wurde kommentiert
log-COMMENT_MENTIONED = Jemand wurde in einem Kommentar genannt
log-COMMENT_CHANGED = Ein Kommentar wurde geändert
log-COMMENT_DELETED = Ein Kommentar wurde entfernt
log-COMMENT_RESOLVED = Kommentare wurden erledigt
log-COMMENT_REOPENED = Kommentare wurden wieder geöffnet
log-ANCHOR_CREATED = Ein Platz für ein Bild wurde angelegt
log-ANCHOR_ANNOTATED = In ein Bild wurde gezeichnet
log-SCREENSHOT_REQUESTED = Ein Bildschirmfoto wurde angefordert
log-SCREENSHOT_STARTED = Ein Bildschirmfoto wird aufgenommen
log-SCREENSHOT_SUCCEEDED = Ein Bildschirmfoto wurde aufgenommen
log-SCREENSHOT_FAILED = Ein Bildschirmfoto aufzunehmen ist fehlgeschlagen
log-SCREENSHOT_UPLOAD_REQUESTED = Ein Bild wird gesendet
log-SCREENSHOT_UPLOADED = Ein Bild ist angekommen
log-SCREENSHOT_ATTACHED = Ein Bild wurde eingesetzt
log-SCREENSHOT_DELETED = Ein Bild wurde entfernt
log-SCREENSHOT_SHOWN = Ein früheres Bild wurde zurückgeholt
log-INPUTS_CHANGED = Die Daten haben sich geändert
log-PLAN_REQUESTED = Ein Plan wurde angefordert
log-PLAN_DRAFTED = Ein Plan wurde entworfen
log-PLAN_CHANGED = Der Plan wurde geändert
log-TRANSCRIPT_CORRECTED = Das Transkript wurde berichtigt
log-PLAN_FAILED = Das Entwerfen des Plans ist fehlgeschlagen
log-RECORDING_ERASED = Die Aufnahme wurde gelöscht
log-GUIDE_BINNED = Die Anleitung kam in den Papierkorb
log-GUIDE_RESTORED = Die Anleitung wurde aus dem Papierkorb geholt
log-JOB_MOVED = Der Auftrag kam in ein anderes Projekt
log-JOB_HANDED_OVER = Das Projekt wurde übergeben, und der Auftrag mit ihm
job-delete = Auftrag löschen
job-delete-recording = Aufnahme löschen
job-throw = Löschen
