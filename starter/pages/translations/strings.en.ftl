# A guide in other languages.
translations-title = Translations of { $title }
translations-are = A translation is a document of its own: it is edited, exported and shared like the original, and shows its pictures. When the original changes, it says which steps are behind.
translations-none = No translations yet
translations-none-do = Choose a language, and the guide is translated step by step.
translation-new = New translation
translation-into = Into
translation-choose = Choose a language
translation-from = From
translation-sends = The text of the guide is sent to the language model that is set up here. Code, addresses and the names of buttons stay as they are.
translation-start = Translate
translation-needs-scripts = This needs JavaScript.
translation-no-model = No language model is set up here, and nothing else translates. Whoever runs guidesmith can set one up.
translation-running = { $language }: being translated
translation-cancel = Stop
translation-failed = { $language } could not be translated.
translation-current = Up to date
translation-current-is = Every step is true of version { $number } of the original.
translation-behind = { $count ->
    [one] 1 step is behind
   *[other] { $count } steps are behind
 }
translation-missing = { $count ->
    [one] 1 step is missing
   *[other] { $count } steps are missing
 }
translation-offered = { $count ->
    [one] 1 new text waits for you
   *[other] { $count } new texts wait for you
 }
translation-untranslated = { $count ->
    [one] 1 step could not be translated
   *[other] { $count } steps could not be translated
 }
translation-gone = { $count ->
    [one] 1 step is no longer in the original
   *[other] { $count } steps are no longer in the original
 }
translation-left-out = { $count ->
    [one] 1 step was left out here
   *[other] { $count } steps were left out here
 }
translation-reordered = Other order than the original
translation-reorder = Take the original’s order
translation-update = Translate what is behind ({ $count })
translation-update-which = Translate what is behind ({ $count }): { $language }
translation-look = Look through
translation-look-which = Look through { $language }
translation-of = Translation into { $language } of
translation-all = All languages
translation-is-behind = The original has changed
translation-is-missing = Not translated yet
translation-is-gone = No longer in the original
translation-is-left-out = Left out here
translation-is-own = Written here
translation-is-current = Up to date
translation-is-untranslated = Could not be translated: it stands in the original’s language
translation-changed = The original has changed since
translation-original = Original
translation-here = Here
translation-offer = New translation
translation-take = Take the new translation
translation-keep = The text here is right
translation-one = Translate this step
translation-edit = Edit
translation-pictures = Its pictures are the original’s: change them there.
translation-linked = This guide in other languages
translation-delete = Delete
translation-delete-which = Delete the translation: { $language }
