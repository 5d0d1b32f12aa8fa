# One job: where it is, what went on, and what to do about it.
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
log-older = Show older
log-again = { $status }: tried again
log-attempt = attempt { $number }
actor-editor = by you
actor-orchestrator = by itself
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
log-TRANSLATION_REQUESTED = A translation was asked for
log-TRANSLATION_STARTED = The guide is being translated
log-TRANSLATION_SUCCEEDED = The guide was translated
log-TRANSLATION_FAILED = Translating the guide failed
log-TRANSLATION_DELETED = A translation was deleted
log-TRANSLATION_ANSWERED = A step of a translation was looked through
log-EXPORT_REQUESTED = An export was asked for
log-EXPORT_STARTED = An export began
log-EXPORT_SUCCEEDED = An export is ready
log-EXPORT_FAILED = An export failed
log-COMMENT_CREATED = A comment was made
log-COMMENT_MENTIONED = Somebody was called in a comment
log-COMMENT_CHANGED = A comment was changed
log-COMMENT_DELETED = A comment was taken away
log-COMMENT_RESOLVED = A thread of comments was resolved
log-COMMENT_REOPENED = A thread of comments was opened again
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
log-RECORDING_ERASED = The recording was deleted
log-GUIDE_BINNED = The guide was put into the bin
log-GUIDE_RESTORED = The guide was brought back from the bin
log-JOB_MOVED = The job was moved to another project
log-JOB_HANDED_OVER = The project was handed over, and the job with it
job-delete = Delete the job
job-delete-recording = Delete the recording
job-throw = Delete
