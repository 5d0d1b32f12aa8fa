# What modules here say in the browser. Sent with every page: keep it short.
project-renamed = Renamed.
project-placed = Saved.
member-changed = The role is changed.
invitation-copied = Copied.
