# Generations: how they begin, and what was made.
copy-text = Copy the text
asked-for = Asked for
text-cut = The page shows the beginning. The file has all of it.

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
