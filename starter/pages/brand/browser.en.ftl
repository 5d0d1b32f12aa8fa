# What modules here say in the browser. Sent with every page: keep it short.
brand-saved-now = Saved. Exports look like this from now on.
brand-logo-saved = The logo is saved.
brand-logo-large = A logo's file has at most { $size } KiB. Save it smaller.
