"""The HTTP API: routes over the store, the artifacts and the job service. No rule of the product lives here."""
