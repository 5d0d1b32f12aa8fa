# What modules here say in the browser. Sent with every page: keep it short.
comment-block = Comment
comment-count = { $count ->
    [one] 1 comment thread
   *[other] { $count } comment threads
 }
comment-about = About: { $label }
comment-empty-block = An empty block
comment-removed = About a removed step:
comment-resolved-by = Resolved by { $name }
comment-edited = edited
comment-former = A former member
comment-edit = Edit
comment-save = Save
comment-delete = Delete
comment-reply = Reply
comment-reply-to = Your reply
comment-resolve = Resolve
comment-reopen = Open again
comment-said = The comment is there.
comment-deleted = The comment is gone.
comment-resolved = Resolved.
comment-reopened = Open again.
