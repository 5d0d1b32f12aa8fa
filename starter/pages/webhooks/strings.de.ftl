# Webhooks und ihre Zustellungen.
webhooks-are = Adressen von Ihnen, die erfahren, was mit Ihren Aufträgen geschieht, signiert nach Standard Webhooks.
webhooks-made = Die Adresse ist angelegt
webhooks-secret = Bewahren Sie dieses Geheimnis auf: Damit wird signiert, was gesendet wird. Es wird nicht noch einmal gezeigt.
webhooks-none = Noch keine Adressen
webhooks-none-do = Fügen Sie eine Adresse hinzu, um zu erfahren, wann ein Auftrag endet.
webhooks-new = Neue Adresse
webhooks-url = Adresse
webhooks-description = Wofür sie ist
webhooks-events = Ereignisse
webhooks-events-none = Keines gewählt: Alles wird mitgeteilt.
webhooks-everything = alles
webhooks-add = Hinzufügen
webhooks-delete = Löschen
webhooks-delete-title = Diese Adresse löschen?
webhooks-delete-means = Dorthin wird nichts mehr gesendet, auch nicht, was schon unterwegs ist.
webhooks-deliveries = Zustellungen
webhooks-redeliver = Noch einmal senden
webhooks-attempts = { $count ->
    [one] 1 Anfrage
   *[other] { $count } Anfragen
}
deliveries-none = Dorthin wurde noch nichts gesendet
deliveries-none-do = Das Nächste, was mit einem Ihrer Aufträge geschieht, wird es.
delivery-pending = Unterwegs
delivery-delivered = Zugestellt
delivery-failed = Fehlgeschlagen
