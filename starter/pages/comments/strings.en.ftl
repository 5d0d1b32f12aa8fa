# Comments on a guide.
comments = Comments
comments-resolved = Also resolved ones
comments-none = Nobody has said anything yet. Choose “Comment” at a block, or press c there.
comments-none-yet = Nobody has said anything yet.
comment-text = Your comment
comment-call = Call somebody:
comment-do = Comment
