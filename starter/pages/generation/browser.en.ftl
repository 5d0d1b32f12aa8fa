# What modules here say in the browser. Sent with every page: keep it short.
order-params = “{ $line }” is no setting. Write one a line: name = value
text-copied = Copied.
text-not-copied = The browser did not let the text be copied. Mark it, and copy it by hand.
