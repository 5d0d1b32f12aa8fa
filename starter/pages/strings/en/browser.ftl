# What modules in the browser say. Sent with every page: keep it short.
failed-unreachable = The server cannot be reached. Nothing is lost; try again in a moment.
failed-unforeseen = Something went wrong. Try again; if it happens again, look at the server's log.
dismiss = Dismiss
shortcut-help = Show these shortcuts
shortcut-home = Go to your jobs
shortcut-new = Start a new job
shortcut-search = Search
