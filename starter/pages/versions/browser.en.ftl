# What modules here say in the browser. Sent with every page: keep it short.
restore-title = Restore version { $number }?
restore-what = Its text becomes the newest version, with the pictures that it had; what was deleted or blurred since stays so. Version { $newest } stays in the list, and nothing is lost.
restore-yes = Restore
restore-same = Version { $newest } says the same as version { $number } already. Nothing has changed.
restore-conflict = Somebody saved meanwhile
restore-conflict-what = There is a newer version than this page knows. Look at it, then restore again if you still want to.
restore-look = Show the versions
lines-unchanged = $ unchanged lines
