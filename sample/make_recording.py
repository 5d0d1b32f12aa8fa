"""Make the sample again: ``sample/recording.mp4``, and ``sample/narration.json`` that says what is true of it.

    apt-get install festival festvox-us-slt-hts fonts-inter
    python -m sample.make_recording

The voice, the typeface and the encoder decide the bytes: with the same packages the same files come out. Nothing but
this script needs them; the recording itself is kept in the repository.
"""

import json
from pathlib import Path

from sample.studio.app import paint
from sample.studio.film import shoot
from sample.studio.story import STORY
from sample.studio.timeline import Timeline
from sample.studio.voice import say
from sample.truth import FOLDER, NARRATION, RECORDING, fingerprint


def milliseconds(seconds: float) -> int:
    return round(seconds * 1000)


def narration(timeline: Timeline) -> dict[str, object]:
    """The ground truth, in the shape that ``sample/truth.py`` reads."""
    return {
        "title": "Create and send an invoice with Maple",
        "language": "en",
        "duration_ms": milliseconds(timeline.duration),
        "sentences": [
            {
                "role": spoken.role,
                "text": spoken.text,
                "start_ms": milliseconds(spoken.start),
                "end_ms": milliseconds(spoken.end),
                "screen": spoken.screen,
            }
            for spoken in timeline.spoken
        ],
        "screens": [
            {
                "name": shown.screen,
                "start_ms": milliseconds(shown.start),
                "end_ms": milliseconds(shown.end),
                "fingerprint": fingerprint(paint(shown.ui)).hex(),
            }
            for shown in timeline.shown()
        ],
    }


def main(folder: Path = FOLDER) -> None:
    speeches = [say(line.text) for line in STORY]
    timeline = Timeline(STORY, [speech.seconds for speech in speeches])
    shoot(timeline, speeches, folder / RECORDING)
    text = json.dumps(narration(timeline), indent=1)
    (folder / NARRATION).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
