# Jobs: their kinds, statuses, lists, and how one begins.
kind = Kind
kind-instruction = Instruction
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
search-jobs = Title, file or prompt
project = Project
pages-label = Pages
pages-first = Newest
pages-next = Older
jobs-none-fit = No jobs fit
jobs-none-fit-do = Change what you look for.
jobs-all = Show all jobs
job-progress = Progress of { $title }
drop-here = Drop the recording to start

new-title = New instruction
new-recording = Recording
new-choose = Drop a recording here, or choose one
new-choose-hint = Video or sound, up to { $size }
new-language = Spoken language
new-language-detect = Detect it
new-language-none = Nobody speaks: from the screens alone
new-profile = Written by
new-project-other = A new project
new-project-name = Name of the new project
new-project-default = My recordings
new-start = Send and start
new-stop = Stop
new-progress = Progress of the upload
new-pending = Not finished yet
new-other = Or something else
profile-local = the built-in drafter
profile-llm = the language model

language-en = English
language-de = German
language-fr = French
language-es = Spanish
language-it = Italian
language-pt = Portuguese
language-nl = Dutch
language-pl = Polish
language-sv = Swedish
language-da = Danish
language-fi = Finnish
language-cs = Czech
language-uk = Ukrainian
language-ru = Russian
language-tr = Turkish
language-ja = Japanese
language-ko = Korean
language-zh = Chinese

job-open = Open the instruction
job-cancel = Cancel the job
cancel-title = Cancel this job?
cancel-means = Its work stops at once. What is stored stays; a cancelled job cannot be started again.
cancel-do = Cancel the job
cancel-keep = Let it go on
job-recording-missing = This job still waits for its recording.
job-recording-send = Go on with the upload, or choose the recording again.
job-failed = This job failed
job-failed-stage = { $stage ->
    [audio] while its sound was extracted
    [transcription] while it was listened to
    [draft] while the draft was written
    [illustration] while pictures were taken
    [export] while it was exported
   *[other] at { $stage }
 }
job-correlation = in the logs as { $id }
job-retry = Try again
job-send-another = Send another recording
job-retry-from = It goes on from: { $place }
job-log = What happened
job-way = Where it is
job-facts = Facts
job-checkpoint = kept: a retry can go on from here
job-took = took { $time }
job-took-no-time = took under 1 s
job-retries = { $count ->
    [one] tried again once
   *[other] tried again { $count } times
}
job-made = Made
job-ended = Ended
job-attempt = Attempt
job-cost = Cost
job-cost-back = given back
job-id = Job
job-run = Engine
job-run-open = Open its run in Temporal
credits-count = { $count ->
    [one] 1 credit
   *[other] { $count } credits
}
log-older = Show older
log-again = { $status }: tried again
log-attempt = attempt { $number }
actor-editor = by you
actor-orchestrator = by the engine
actor-system = by the system
log-JOB_CREATED = The job was made
log-STATUS_CHANGED = The status changed
log-STAGE_RETRIED = A stage was tried again
log-RUN_DISPATCHED = The job was started
log-RETRY_DISPATCHED = The job was started again
log-PROGRESS = Progress
log-SAFE_BLOCK = The safety filter refused it
log-INSTRUCTION_SAVED = The instruction was saved
log-INSTRUCTION_RESTORED = An earlier version was restored
log-REGENERATE_REQUESTED = A part is to be written again
log-REGENERATE_STARTED = A part is being written again
log-REGENERATE_SUCCEEDED = A part was written again
log-REGENERATE_FAILED = Writing a part again failed
log-EXPORT_REQUESTED = An export was asked for
log-EXPORT_STARTED = An export began
log-EXPORT_SUCCEEDED = An export is ready
log-EXPORT_FAILED = An export failed
log-ANCHOR_CREATED = A place for a picture was made
log-ANCHOR_ANNOTATED = A picture was drawn on
log-SCREENSHOT_REQUESTED = A screenshot was asked for
log-SCREENSHOT_STARTED = A screenshot is being taken
log-SCREENSHOT_SUCCEEDED = A screenshot was taken
log-SCREENSHOT_FAILED = Taking a screenshot failed
log-SCREENSHOT_UPLOAD_REQUESTED = A picture is being sent
log-SCREENSHOT_UPLOADED = A picture arrived
log-SCREENSHOT_ATTACHED = A picture was put in its place
log-SCREENSHOT_DELETED = A picture was taken away
log-SCREENSHOT_SHOWN = An earlier picture was put back
log-INPUTS_CHANGED = The data changed
log-PLAN_REQUESTED = A plan was asked for
log-PLAN_DRAFTED = A plan was drafted
log-PLAN_CHANGED = The plan was changed
log-TRANSCRIPT_CORRECTED = The transcript was corrected
log-PLAN_FAILED = Drafting the plan failed
