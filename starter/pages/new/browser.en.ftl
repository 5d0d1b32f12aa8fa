# What modules here say in the browser. Sent with every page: keep it short.
pending-upload = { $name }: { $percent } % has arrived
pending-go-on = Go on
pending-discard = Discard
new-choose-again = Choose { $name } again to go on
new-several = { $count } recordings, a job for each
new-several-are = { $names } · { $size } in all
refused-empty = This file is empty.
refused-large = This file has { $size }; at most { $most } can be sent.
refused-type = This is neither a video nor a sound recording. MP4, MOV, MKV, WebM, MP3, WAV and the like can be used.
new-project-name-default = My recordings
new-sending = is being sent
new-waiting = waits for the connection, and goes on by itself
new-stopped = Stopped. Send it again to go on from here.
new-checking = has arrived, and is being checked
new-speed = { $speed }/s
new-remaining = { $time } left
