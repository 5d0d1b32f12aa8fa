"""Captions as files: WebVTT (by webvtt-py) and SubRip, from the cues of ``domain/recordings/captions.py``."""

import html

import webvtt

from domain.recordings.captions import cues
from domain.recordings.transcript import Transcript

ARROW = "-->"
"""Ends a cue's text in both formats, wherever it stands. WebVTT has an escape for it, SRT has none."""


def vtt(transcript: Transcript) -> str:
    """WebVTT. Text is escaped, so that what was said is never read as markup. No speech: a file without cues."""
    captions = [
        webvtt.Caption(_stamp(cue.start_ms, "."), _stamp(cue.end_ms, "."), [_escaped(line) for line in cue.lines])
        for cue in cues(transcript)
    ]
    return webvtt.WebVTT(captions=captions).content.rstrip("\n") + "\n"


def srt(transcript: Transcript) -> str:
    """SubRip. No speech: an empty file, which is what the format has for that."""
    # Not by webvtt-py: its SRT leaves out whatever looks like a tag, and "press < and >" does.
    return "\n".join(
        f"{number}\n{_stamp(cue.start_ms, ',')} --> {_stamp(cue.end_ms, ',')}\n"
        + "".join(f"{line.replace(ARROW, '→')}\n" for line in cue.lines)
        for number, cue in enumerate(cues(transcript), start=1)
    )


def _escaped(line: str) -> str:
    return html.escape(line, quote=False)


def _stamp(time_ms: int, point: str) -> str:
    """``01:02:03.456``; hours take more digits where they need them."""
    seconds, millis = divmod(time_ms, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02}:{minutes:02}:{seconds:02}{point}{millis:03}"
