# What modules here say in the browser. Sent with every page: keep it short.
translation-taken = The new translation is in its place.
translation-kept = Noted: the text here is up to date.
translation-delete-title = Delete the translation ({ $language })?
translation-delete-means = Its text with all versions, its exports, links and comments are removed now, and no bin keeps them. The original and other languages stay.
translation-delete-yes = Delete for good
translation-deleted = The translation ({ $language }) is gone.
