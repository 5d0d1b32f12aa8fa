# Die HTTP-Schnittstelle.
reference-title = HTTP-Schnittstelle
reference-is = Alle Routen der API mit dem, was sie entgegennehmen und antworten, gezeichnet aus der Beschreibung, die die API von sich selbst gibt (auf Englisch).
reference-raw = Das OpenAPI-Dokument
reference-contents = Gruppen von Routen
reference-shapes = Datenstrukturen
reference-parameters = Parameter
reference-body = Rumpf der Anfrage
reference-answers = Antworten
reference-open = Braucht kein Token: Die Adresse selbst öffnet sie.
reference-name = Name
reference-place = Ort
reference-type = Typ
reference-meaning = Bedeutung
reference-required = Pflichtangabe
