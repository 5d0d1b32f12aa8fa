# What modules here say in the browser. Sent with every page: keep it short.
refused-many = At most { $count } files can be sent; the first are kept.
order-no-file = Choose at least one file.
take-away = Take away
take-away-which = Take away { $name }
new-hashing = The files are being read.
plan-changed-elsewhere = The plan was changed meanwhile. This is the new one.
plan-answered = Answered.
plan-no-json = This is no JSON. Look for a missing comma or quote.
plan-saved = The steps are saved.
plan-confirmed = The plan is confirmed. Compute it when you like.
