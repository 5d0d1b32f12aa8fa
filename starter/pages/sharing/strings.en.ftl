# Links that show a guide to others: where they are made.
share-title = Share { $title }
share-is = Whoever holds a link reads the guide without an account. It shows the version that you chose, until you bring it up to date or revoke it.
share-made = The link is made
share-once = Copy it now: it is not shown again.
share-copy = Copy
share-new = New link
share-name = What it is for
share-until = Valid
share-for-ever = until it is revoked
share-days = { $count ->
    [one] for 1 day
   *[other] for { $count } days
 }
share-passphrase = Passphrase
share-passphrase-is = Optional. At least { $count } characters.
share-recording = The recording may be watched, too
share-sites = Sites that may embed the guide
share-sites-are = Optional, one a line, at most { $count }. Not together with a passphrase.
share-make = Make a link
share-nameless = Link
share-revoked = Revoked
share-expired = Expired
share-pictures = Pictures or the brand were changed since
share-failed = Could not be made ready
share-making = Version { $number } is being made ready
share-behind = Version { $number } is newer
share-views = { $count ->
    [0] Not opened yet
    [one] Opened once
   *[other] Opened { $count } times
 }
share-last = last
share-guarded = passphrase
share-with-recording = with the recording
share-embedded = may be embedded by { $sites }
share-ends = until
share-since = made
share-made-by = made by { $name }
share-updated-by = brought up to date by { $name }
share-revoked-by = revoked by { $name }
share-update = Show version { $number }
share-revoke = Revoke
share-revoke-title = Revoke this link?
share-revoke-means = It opens nothing any more, at once and for good.
share-older = Older links
share-none = No links yet
share-none-do = Make one to show this guide to somebody who has no account here.
# What a link opens.
shared-passphrase = This guide asks for a passphrase
shared-passphrase-is = Whoever sent you the link knows it.
shared-wrong = That is not the passphrase.
shared-open = Open
shared-waiting = The guide is being made ready
shared-waiting-is = This page looks again every { $seconds } seconds.
shared-absent = This guide cannot be shown right now
shared-absent-is = Its file is not there. Whoever sent you the link can have it made ready again.
shared-watch = Watch the recording
