# What modules here say in the browser. Sent with every page: keep it short.
share-copied = Copied.
share-brought = Its readers see the newest version as soon as it is ready.
behind-title = { $count ->
    [one] A link still shows what was before
   *[other] { $count } links still show what was before
 }
behind-what = Their readers see the pictures without the blur until the links show the guide as it is now.
behind-recording = { $count ->
    [one] One of them leads to the recording, where nothing is blurred: only revoking it ends that.
   *[other] { $count } of them lead to the recording, where nothing is blurred: only revoking them ends that.
 }
behind-nameless = A link without a name
behind-update = Show the guide as it is now
behind-revoke = { $count ->
    [one] Revoke it
   *[other] Revoke them
 }
behind-leave = Leave it so
behind-revoked = { $count ->
    [one] The link opens nothing any more.
   *[other] { $count } links open nothing any more.
 }
