# What modules here say in the browser. Sent with every page: keep it short.
redelivered = It is being sent once more.
