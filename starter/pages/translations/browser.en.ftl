# What modules here say in the browser. Sent with every page: keep it short.
translation-taken = The new translation is in its place.
translation-kept = Noted: the text here is up to date.
