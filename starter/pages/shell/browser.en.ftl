# What modules here say in the browser. Sent with every page: keep it short.
shortcut-help = Show these shortcuts
shortcut-home = Go to your guides
shortcut-jobs = Go to all work
shortcut-new = Start a new job
