# The transcript of a recording.
transcript-title = Transcript of { $title }
transcript-search = Search what was said
transcript-search-hint = n and p go to the next and the previous one.
transcript-previous = Previous one
transcript-next = Next one
transcript-follow = Follow the recording
transcript-list = What was said
transcript-keys = ↑ and ↓ go from place to place, Enter plays from there, c corrects it.
transcript-heard = Recognised as: { $text }
transcript-correct = Correct
transcript-correct-which = Correct what is said at { $time }
transcript-play-which = Play from { $time }
transcript-count = { $count ->
    [one] One segment
   *[other] { $count } segments
 }
transcript-model = recognised by { $model }
transcript-corrections = What you correct here is kept. Captions say it, and so does whatever is written from then on: a new draft, or a step that is written again.
transcript-download = Download
transcript-download-srt = SRT
transcript-download-vtt = VTT
transcript-download-txt = TXT
transcript-more = The first { $shown } of { $count } segments. With JavaScript all of them are here; the text file has them, too.
transcript-none = There is no transcript yet
transcript-none-do = It is here as soon as the recording has been listened to. This page shows it by itself.
transcript-none-job = See how far the job is
transcript-silent = { $speech ->
    [no_audio_track] The recording has no sound
    [silent] The recording is silent
    [unheard] Nobody has listened to this recording
   *[no_speech] Nobody speaks in this recording
 }
transcript-silent-do = { $speech ->
    [unheard] It was asked for that the screens alone are described. To have what is said written down, begin a new job with the spoken language.
   *[other] The instruction was written from what is on screen. If there should be speech, check the microphone and record again.
 }
