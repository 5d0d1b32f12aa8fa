# What modules here say in the browser. Sent with every page: keep it short.
retry-began = The job goes on.
