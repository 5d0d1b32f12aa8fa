# What stands on every page, the tabs of an instruction, and what kinds, states and statuses of jobs are called.
skip-to-content = Skip to content
nav-label = Main
nav-jobs = All work
nav-library = Library
nav-credits = Credits
nav-webhooks = Webhooks
nav-lifecycles = Lifecycles
nav-new = New
sign-out = Sign out
signed-in-as = Signed in as { $name }
former-member = A former member
connection-lost = The connection is lost. What you see may be old; this page goes on as soon as the server answers.
signed-out = You are signed out. What you have typed is still here.
signed-in-others = Somebody else has signed in in this browser: nothing can be done here as { $name } now. What you have typed is still here.
signed-out-do = Sign in again in another tab
shortcuts-title = Keyboard shortcuts
error-title = That did not work
error-absent = There is nothing here
error-home = Go to your guides
error-again = Try again

kind = Kind
kind-instruction = Guide
kind-image = Picture
kind-generation = Generation
kind-analysis = Analysis
kind-batch = Batch
kind-image-is = A prompt becomes a picture.
kind-generation-is = Copy, a web page's text, an ad, a video or speech.
kind-analysis-is = A question about your data becomes a plan, then tables and charts.
kind-batch-is = Clips, stills or captions of many files at once.

state = State
state-working = At work
state-waiting = Waiting for you
state-finished = Finished
state-failed = Failed

status-instruction-CREATED = Waiting for the recording
status-instruction-UPLOADING = Part of the recording is here
status-instruction-UPLOADED = Recording is here
status-instruction-AUDIO_EXTRACTING = Extracting the sound
status-instruction-AUDIO_READY = Sound is ready
status-instruction-TRANSCRIBING = Writing down what is said
status-instruction-TRANSCRIPT_READY = Transcript is ready
status-instruction-GENERATING = Writing the draft
status-instruction-DRAFT_READY = Draft is ready
status-instruction-EDITING = Being edited
status-instruction-REGENERATING = Writing a part again
status-instruction-EXPORTING = Being exported
status-instruction-DONE = Done
status-instruction-FAILED = Failed
status-instruction-CANCELLED = Cancelled

status-image-queued = Queued
status-image-running = Being made
status-image-failed = Failed, will be tried again
status-image-completed = Done
status-image-rejected = Refused by the safety filter
status-image-dead_letter = Failed

status-generation-pending = Accepted
status-generation-queued = Queued
status-generation-processing = Being made
status-generation-completed = Done
status-generation-failed = Failed
status-generation-canceled = Cancelled
status-generation-expired = No answer in time

status-analysis-created = Plan is being drafted
status-analysis-draft_ready = Plan waits for you
status-analysis-confirmed = Plan is confirmed
status-analysis-queued = Queued
status-analysis-running = Computing
status-analysis-succeeded = Done
status-analysis-failed = Failed

status-batch-queued = Queued
status-batch-processing = At work
status-batch-completed = Done
status-batch-partial = Done in part
status-batch-failed = Failed

all = All
search = Search
project = Project
pages-label = Pages
pages-first = Newest
pages-next = Older
job-progress = Progress of { $title }
job-correlation = in the logs as { $id }
credits-count = { $count ->
    [one] 1 credit
   *[other] { $count } credits
}

instruction-pages = Pages of this instruction
instruction-tab-editor = Editor
instruction-tab-transcript = Transcript
instruction-tab-versions = Versions
instruction-tab-translations = Translations
instruction-tab-export = Export
instruction-tab-share = Share
instruction-tab-job = Job
instruction-tab-later = Once the draft is written
recording = Recording
recording-gone = The recording is not here any more. The text can still be edited.
captions = Captions
player-keys = Space plays, J and L jump 5 seconds, comma and period step one frame.
provenance = Where this comes from

export-needs-scripts = Exporting needs JavaScript. What was exported before can be downloaded here.
failure-of-operator = This takes whoever runs guidesmith here: something has to be set up.
job-stands-still = Stands still
job-stands-still-since = No progress since

language = Language of these pages
language-set = Show
own-name-de = Deutsch
own-name-en = English
