# What modules here say in the browser. Sent with every page: keep it short.
share-copied = Copied.
share-brought = Its readers see the newest version as soon as it is ready.
