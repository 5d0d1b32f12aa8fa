# What modules here say in the browser. Sent with every page: keep it short.
record-facts = { $recorded } recorded, { $sent } of it sent
record-name-default = Screen recording { $day } { $time }
record-interrupted = { $name }: interrupted after { $time }
record-look = Look at it and use it
record-discard-it = Throw away
record-discard-sure = Throw this recording away?
record-discard-means = It is deleted here and on the server, and cannot be brought back.
