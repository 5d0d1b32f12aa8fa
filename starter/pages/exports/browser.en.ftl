# What modules here say in the browser. Sent with every page: keep it short.
shortcut-export = Export
export-made-before = This file was made before, and is still what it would be now.
export-pages-failed = The pages cannot be shown. Download the file instead, or export the version again.
