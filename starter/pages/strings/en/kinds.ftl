# Pictures, generations, analyses and batches: how they begin, and what they made.
cost-is = { $count ->
    [0] This costs nothing.
    [one] This costs 1 credit.
   *[other] This costs { $count } credits.
}
cost-left = You can spend { $count }.
characters-at-most = At most { $most } characters
as-the-model-likes = As the model likes
download = Download
copy-text = Copy the text
made-by = Made by
asked-for = Asked for
asked-prompt = Prompt
next-try = It is tried again at
moderation = Safety
verdict-passed = Passed the safety filter
verdict-unmoderated = Not judged here: no safety filter is set up
verdict-rejected = Refused. What was held for it is spent: the filter has done its work.
text-cut = The page shows the beginning. The file has all of it.

# pictures
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

# generations
new-generation-title = New generation
new-generation-type = What is to be made
new-generation-do = Make it
new-generation-another = Make something else
generation-is-copy = Texts that advertise something, in a few variants.
generation-is-scrape = The readable text of a public web page.
generation-is-static_ad = A picture that advertises something.
generation-is-ugc_video = A video as a user would make it.
generation-is-tts = A text, spoken.
generation-missing = Not set up here. The operator sets { $needs }.
generation-copy-prompt = What is advertised?
generation-copy-example = A kettle that boils in a minute
generation-audience = For whom
generation-tone = Tone
tone-plain = Plain
tone-warm = Warm
tone-bold = Bold
generation-variants = Variants
generation-url = Address of the page
generation-url-hint = A public page whose site allows it (robots.txt). Pages that scripts write are not run.
generation-shows = What shall it show?
generation-text = What shall be said?
generation-voice = Voice
generation-voice-hint = As the one who speaks calls it. Left out: the usual one.
generation-params = Settings of the model
generation-params-hint = One a line, as the provider’s model knows them: seconds = 8
awaited-until = Its answer is awaited until
made-none = { $state ->
    [working] What is made appears here.
   *[over] Nothing was made.
}
