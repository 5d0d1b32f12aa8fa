# What modules here say in the browser. Sent with every page: keep it short.
shortcut-help = Show these shortcuts
shortcut-home = Go to your jobs
shortcut-new = Start a new job
