# What modules here say in the browser. Sent with every page: keep it short.
failed-unreachable = The server cannot be reached. Nothing is lost; try again in a moment.
failed-outdated = A part of this page could not be loaded: the server has a newer version, or cannot be reached. Reload the page; what you wrote is kept.
reload = Reload
failed-unforeseen = Something went wrong. Try again; if it happens again, look at the server's log.
failed-signed-out = You are signed out. Sign in again in another tab, then do this once more: nothing is lost here.
failed-signed-in-others = Somebody else has signed in in this browser. Sign in as yourself again in another tab, then do this once more.
dismiss = Dismiss
shortcut-search = Search

elapsed = at work for { $time }
left = about { $time } left
failed-file-changed = This file has changed, or is gone, since it was chosen. Choose it again.
failed-upload = The storage refused a part of the recording (status { $status }). Try again.
version-number = Version { $number }
cancel = Cancel
shortcut-play = Play or pause the recording
shortcut-back = Back 5 seconds
shortcut-on = On 5 seconds
shortcut-frame-back = One frame back
shortcut-frame-on = One frame on

close = Close
