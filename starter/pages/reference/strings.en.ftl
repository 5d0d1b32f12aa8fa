# The HTTP interface.
reference-title = HTTP interface
reference-is = Every route of the API with what it takes and answers, drawn from the description that the API gives of itself.
reference-raw = The OpenAPI document
reference-contents = Groups of routes
reference-shapes = Shapes
reference-parameters = Parameters
reference-body = Body
reference-answers = Answers
reference-open = Needs no token: the address itself opens it.
reference-name = Name
reference-place = In
reference-type = Type
reference-meaning = Meaning
reference-required = required
