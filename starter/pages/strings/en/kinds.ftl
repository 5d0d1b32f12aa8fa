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

# batches
new-batch-title = New batch
new-batch-type = What is to be made
new-batch-do = Start the batch
new-batch-another = Start another batch
new-batch-none = No recordings yet
new-batch-none-do = A batch works on recordings that you have sent. Send one first.
new-batch-recordings = Of which recordings
new-batch-newest = The newest { $count } are here.
new-batch-no-transcript = has no transcript yet
new-batch-ranges = Which parts
new-batch-ranges-hint = Each is cut out of each recording as it is, nothing is encoded again. Write times as 1:05 or 1:02:03, or take them from the recording while it plays.
new-batch-player = The recording, to find times in
new-batch-add = Add a part
new-batch-stills = Stills
new-batch-count = Pictures of each recording
new-batch-width = Width in pixels
new-batch-formats = Formats
batch-clips = Clips
batch-thumbnails = Stills
batch-captions = Captions
batch-is-clips = Parts of recordings as files of their own.
batch-is-thumbnails = Pictures spread over each recording, and a contact sheet.
batch-is-captions = What is said, as SRT and VTT.
batch-items = Items
batch-item = Item { $number }
batch-number = No.
batch-recording = Recording
batch-range = Part
batch-errors = What went wrong
batch-asset = { $name } of { $source }
item-waiting = Waiting
item-done = Done
item-failed = Failed
and-more = { $count ->
    [one] And 1 more.
   *[other] And { $count } more.
}
show-more = Show more
download-which = Download { $name }

new-analysis-title = New analysis
new-analysis-question = What do you want to know?
new-analysis-example = Total revenue by region and quarter, as a chart
new-analysis-files = Files
new-analysis-choose = Drop tables here, or choose them
new-analysis-choose-hint = CSV, Parquet or Excel; up to { $count } files of { $size } each
new-analysis-do = Send and plan
analysis-asked = The question
analysis-file-missing = has not arrived
analysis-report = Report
analysis-whole-table = The whole table:
analysis-chart = Chart { $name }
analysis-more-rows = The first rows.
analysis-files = Files
analysis-plan = The plan
analysis-planning = The plan is being drafted.
analysis-no-plan = A plan is drafted once all files have arrived.
analysis-understood = What was understood
understood-data = Data
understood-computed = Computed
understood-for-each = For each
understood-period = Period
understood-rows = Rows
understood-order = Order
understood-left-out = Left out
understood-guessed = Guessed
understood-to-know = To know
analysis-steps = Step by step
analysis-unknowns = What cannot be settled
analysis-unknowns-do = Change the question, or the steps, so that this does not matter.
analysis-questions = Questions
analysis-open = to be answered
analysis-other = Something else
analysis-answer = Answer
analysis-change-question = Ask something else
analysis-plan-anew = Plan that
analysis-edit-steps = Edit the steps
analysis-steps-json = Steps as JSON
analysis-steps-hint = At most eight; each names the steps that it builds on. They are checked against your tables when they are saved.
analysis-save-steps = Save the steps
analysis-confirm = Confirm the plan
analysis-confirm-means = Freezes plan and data. Nothing is computed yet.
analysis-confirm-first = Answer the questions above first.
analysis-plan-again = Draft the plan again
analysis-run = Compute
analysis-run-means = Runs each step over your data, on this machine, without any way to the network.
analysis-rows = Rows of { $name }
