# Pictures: how they begin, and what was made.
as-the-model-likes = As the model likes
asked-prompt = Prompt
moderation = Safety

new-image-title = New picture
new-image-prompt = What shall the picture show?
new-image-example = A lighthouse in a storm, seen from the sea
new-image-size = Size
new-image-quality = Quality
new-image-background = Background
image-quality-low = Low
image-quality-medium = Medium
image-quality-high = High
image-background-opaque = Filled
image-background-transparent = Transparent
new-image-embedded = No image model is set up here: the built-in painter draws a poster of the prompt’s words.
new-image-do = Make the picture
new-image-another = Make another
made-image = Picture
made-image-none = { $state ->
    [working] The picture appears here.
   *[over] There is no picture.
}
new-image-recent = Made before
new-image-recent-one = Picture { $number } made before
