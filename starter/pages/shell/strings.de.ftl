# Was auf jeder Seite steht, die Reiter einer Anleitung, und wie Arten, Zustände und Status von Aufträgen heißen.
skip-to-content = Zum Inhalt springen
nav-label = Hauptmenü
nav-jobs = Alle Aufträge
nav-library = Bibliothek
nav-credits = Guthaben
nav-webhooks = Webhooks
nav-lifecycles = Abläufe
nav-new = Neu
sign-out = Abmelden
signed-in-as = Angemeldet als { $name }
former-member = Ein früheres Mitglied
connection-lost = Die Verbindung ist unterbrochen. Was Sie sehen, kann veraltet sein; diese Seite macht weiter, sobald der Server antwortet.
signed-out = Sie sind abgemeldet. Was Sie eingegeben haben, ist noch hier.
signed-in-others = In diesem Browser hat sich jemand anderes angemeldet: Als { $name } ist hier gerade nichts möglich. Was Sie eingegeben haben, ist noch hier.
signed-out-do = In einem anderen Tab wieder anmelden
shortcuts-title = Tastenkürzel
error-title = Das hat nicht geklappt
error-absent = Hier ist nichts
error-home = Zu Ihren Anleitungen
error-again = Noch einmal versuchen

kind = Art
kind-instruction = Anleitung
kind-image = Bild
kind-generation = Generierung
kind-analysis = Auswertung
kind-batch = Stapel
kind-image-is = Aus einer Beschreibung wird ein Bild.
kind-generation-is = Werbetext, der Text einer Webseite, eine Anzeige, ein Video oder Sprache.
kind-analysis-is = Aus einer Frage an Ihre Daten wird ein Plan, dann werden daraus Tabellen und Diagramme.
kind-batch-is = Ausschnitte, Standbilder oder Untertitel vieler Dateien auf einmal.

state = Stand
state-working = In Arbeit
state-waiting = Wartet auf Sie
state-finished = Fertig
state-failed = Fehlgeschlagen

status-instruction-CREATED = Wartet auf die Aufnahme
status-instruction-UPLOADING = Ein Teil der Aufnahme ist da
status-instruction-UPLOADED = Aufnahme ist da
status-instruction-AUDIO_EXTRACTING = Der Ton wird herausgelöst
status-instruction-AUDIO_READY = Ton ist bereit
status-instruction-TRANSCRIBING = Gesprochenes wird aufgeschrieben
status-instruction-TRANSCRIPT_READY = Transkript ist bereit
status-instruction-GENERATING = Der Entwurf wird geschrieben
status-instruction-DRAFT_READY = Entwurf ist bereit
status-instruction-EDITING = Wird bearbeitet
status-instruction-REGENERATING = Ein Teil wird neu geschrieben
status-instruction-EXPORTING = Wird exportiert
status-instruction-DONE = Fertig
status-instruction-FAILED = Fehlgeschlagen
status-instruction-CANCELLED = Abgebrochen

status-image-queued = In der Warteschlange
status-image-running = Wird erstellt
status-image-failed = Fehlgeschlagen, wird noch einmal versucht
status-image-completed = Fertig
status-image-rejected = Vom Sicherheitsfilter abgelehnt
status-image-dead_letter = Fehlgeschlagen

status-generation-pending = Angenommen
status-generation-queued = In der Warteschlange
status-generation-processing = Wird erstellt
status-generation-completed = Fertig
status-generation-failed = Fehlgeschlagen
status-generation-canceled = Abgebrochen
status-generation-expired = Keine Antwort in der Frist

status-analysis-created = Plan wird entworfen
status-analysis-draft_ready = Plan wartet auf Sie
status-analysis-confirmed = Plan ist bestätigt
status-analysis-queued = In der Warteschlange
status-analysis-running = Wird berechnet
status-analysis-succeeded = Fertig
status-analysis-failed = Fehlgeschlagen

status-batch-queued = In der Warteschlange
status-batch-processing = In Arbeit
status-batch-completed = Fertig
status-batch-partial = Teilweise fertig
status-batch-failed = Fehlgeschlagen

all = Alle
search = Suchen
project = Projekt
pages-label = Seiten
pages-first = Neueste
pages-next = Ältere
job-progress = Fortschritt von { $title }
job-correlation = in den Protokollen als { $id }
credits-count = { $count ->
    [one] 1 Credit
   *[other] { $count } Credits
}

instruction-pages = Seiten dieser Anleitung
instruction-tab-editor = Editor
instruction-tab-transcript = Transkript
instruction-tab-versions = Versionen
instruction-tab-translations = Übersetzungen
instruction-tab-export = Export
instruction-tab-share = Teilen
instruction-tab-job = Auftrag
instruction-tab-later = Sobald der Entwurf geschrieben ist
recording = Aufnahme
recording-gone = Die Aufnahme ist nicht mehr hier. Der Text kann weiter bearbeitet werden.
captions = Untertitel
player-keys = Leertaste spielt ab, J und L springen 5 Sekunden, Komma und Punkt ein Bild.
provenance = Woher das stammt

export-needs-scripts = Zum Exportieren wird JavaScript gebraucht. Was früher exportiert wurde, kann hier heruntergeladen werden.
failure-of-operator = Das muss einrichten, wer guidesmith hier betreibt.
job-stands-still = Steht still
job-stands-still-since = Kein Fortschritt seit

language = Sprache dieser Seiten
language-set = Zeigen
own-name-de = Deutsch
own-name-en = English
