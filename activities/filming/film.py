"""A guide becomes a film: scenes, their words, a voice, pieces, and all of it joined.

Each piece and each spoken text is remembered until the film is made, by what went into it: a worker that dies leaves
the next one only the rest.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from activities.filming import isolated
from activities.filming.cards import Canvas, cards
from activities.filming.narration import Kept, Narrator, Voiced, narrate
from activities.filming.scenes import LEAD_MS, NO_FOOTAGE, Footage, Marked, Scene, scenes
from activities.publishing.labels import primary_language
from activities.publishing.manuscript import Manuscript, read
from domain.documents.publication import Publication
from domain.geometry import Box
from domain.recordings.captions import cues
from domain.recordings.transcript import Segment, SpeechFound, Transcript

VERSION = "1"
"""Of what a piece looks like: pieces of another version are not taken."""
WIDEST, HIGHEST = 1920, 1080
"""Pixels of a film at most, the band included."""
BAND, LEAST_BAND = 0.11, 72
"""Of the picture's height."""
UNKNOWN_SIZE = (1280, 720)
"""Of a film without any picture."""
AROUND_MARK, LEAST_AROUND_MARK = 0.015, 16
"""Of the width, and pixels, around what is drawn that belong to it: a ring lies outside of its control."""
LARGEST_KEPT = 60 << 20
"""Bytes of a piece that is remembered: what a resume point may have. A larger one is some ten minutes of film."""

STILL = (
    "Something in this guide's pictures is hidden (blurred, covered, cut off, or a picture of your own stands in its "
    "place). What is hidden in a picture could be seen or heard at another moment of the recording, so the video shows "
    "the pictures, and leaves the recording's film and sound out."
)
GONE = "The recording is not there any more, so the video shows the guide's pictures."


@dataclass(frozen=True, slots=True)
class Material:
    """What a film is made of, besides the guide.

    Attributes:
        recording: The recording's file, where it may be shown; ``size`` of its picture, ``checksum`` of its bytes.
        sound: Its sound, where it may be heard.
        marks: What is drawn on frames of it, by block.
        hidden: Whether something is hidden, and the recording therefore left out. ``gone``: whether there is none.
    """

    footage: Footage = NO_FOOTAGE
    recording: Path | None = None
    size: tuple[int, int] | None = None
    checksum: str = ""
    sound: Path | None = None
    transcript: Transcript | None = None
    marks: Mapping[str, Marked] = field(default_factory=dict)
    hidden: bool = False
    gone: bool = False


@dataclass(frozen=True, slots=True)
class Filmed:
    """The film's file, how long it is, and sentences for whoever watches it."""

    path: Path
    length_ms: int
    warnings: tuple[str, ...]


def film(
    publication: Publication,
    material: Material,
    *,
    narrator: Narrator | None,
    out: Path,
    kept: Kept,
    on_progress: Callable[[], None],
    note: Callable[[int, int], None] = lambda done, of: None,
) -> Filmed:
    """Make the film in the folder ``out``, which exists and is empty.

    Args:
        narrator: Who reads the guide out; ``None``: the recording's own sound is heard, where it may be.
        on_progress: Called often; what it raises stops the work.
        note: Called with the pieces that are done, of how many.

    Raises:
        ExportFailed: The words could not be set. DecodingDied, MediaError: The recording cannot be read, or the
            process that reads it died. What the narrator raises.
    """
    manuscript = read(publication, on_progress)
    shown = scenes(manuscript, publication.blocks, material.marks, material.footage)
    language = primary_language(publication.language)
    voices: list[Voiced | None] = [None] * len(shown)
    if narrator is not None:
        voices = narrate(shown, narrator, language, out, kept, on_progress)
    is_heard = narrator is None and material.sound is not None
    lengths = [
        scene.length_ms(None if voice is None else voice.length_ms, is_heard=is_heard)
        for scene, voice in zip(shown, voices, strict=True)
    ]
    canvas = canvas_for(material.size or _largest(manuscript))
    set_words = cards(
        shown, canvas, publication.language, manuscript.edition, on_progress, appearance=manuscript.appearance
    )
    pieces = []
    for place, (scene, card, length_ms) in enumerate(zip(shown, set_words.pictures, lengths, strict=True)):
        piece = out / f"piece-{place:04}.mp4"
        _encode(_Piece.of(scene, card, canvas, length_ms), material, piece, kept, on_progress)
        pieces.append(piece)
        note(place + 1, len(shown))
    order = {
        "title": manuscript.title_text,
        "is_heard": is_heard or any(voices),
        "pieces": [
            _joined(piece, scene, voice, length_ms, is_heard=is_heard)
            for piece, scene, voice, length_ms in zip(pieces, shown, voices, lengths, strict=True)
        ],
        "chapters": list(_chapters(shown, lengths)),
        "captions": [
            {"start_ms": cue.start_ms, "end_ms": cue.end_ms, "text": "\n".join(cue.lines)}
            for cue in cues(_said(shown, voices, lengths, material, language))
        ],
    }
    files = [*pieces, *(file for voice in voices if voice for file in voice.files)]
    made = out / "instruction.mp4"
    whole_ms = sum(lengths)
    isolated.join(material.sound or _nothing(out), order, files, whole_ms, made, on_progress)
    return Filmed(made, whole_ms, (*manuscript.warnings, *_warnings(material, set_words.missing)))


def canvas_for(size: tuple[int, int]) -> Canvas:
    """As large as the picture, with the band below; smaller where that is more than a film may have. Even numbers, as
    H.264 wants them."""
    width, height = size
    band = max(LEAST_BAND, round(height * BAND))
    scale = min(1.0, WIDEST / width, HIGHEST / (height + band))
    wide, high = _even(width * scale), _even(height * scale)
    return Canvas(wide, high, min(_even(max(LEAST_BAND, high * BAND)), _even(max(2, HIGHEST - high))))


def _even(length: float) -> int:
    return max(2, int(length) // 2 * 2)


def _largest(manuscript: Manuscript) -> tuple[int, int]:
    sizes = [
        ((each.whole or each).width, (each.whole or each).height)
        for section in manuscript.sections
        for each in section.illustrations
    ]
    return max(sizes, key=lambda size: size[0] * size[1], default=UNKNOWN_SIZE)


# --- pieces --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Piece:
    """One scene as ``activities.filming.encoding`` reads it."""

    spec: Mapping[str, Any]
    files: Mapping[str, bytes]
    moves: bool

    @classmethod
    def of(cls, scene: Scene, card: bytes, canvas: Canvas, length_ms: int) -> _Piece:
        files = {"under.png": card}
        spec: dict[str, Any] = {
            "width": canvas.width,
            "height": canvas.height,
            "whole": canvas.whole,
            "length_ms": length_ms,
            "under": "under.png",
            "stills": [],
        }
        if scene.moves:
            spec["span"] = scene.span
            if scene.marked is not None:
                files |= {"base": scene.marked.base, "drawn": scene.marked.drawn}
                boxes = [pixels(box, canvas) for box in scene.marked.boxes]
                spec["marked"] = {"base": "base", "drawn": "drawn", "boxes": boxes}
        else:
            stills = {f"still-{place}": data for place, data in enumerate(scene.stills)}
            files |= stills
            spec["stills"] = list(stills)
        return cls(spec, files, scene.moves)

    def digest(self, recording: str) -> str:
        """What the piece is known by: all that it is made of."""
        parts = [VERSION, recording if self.moves else "", json.dumps(self.spec, sort_keys=True)]
        parts += [hashlib.sha256(data).hexdigest() for _, data in sorted(self.files.items())]
        return hashlib.sha256("\n".join(("piece", *parts)).encode()).hexdigest()


def pixels(box: Box, canvas: Canvas) -> tuple[int, int, int, int]:
    """Left, top, right and bottom of what is drawn in a box, on the film."""
    around = max(LEAST_AROUND_MARK, round(AROUND_MARK * canvas.width))
    left, top = round(box.x * canvas.width) - around, round(box.y * canvas.height) - around
    right = round((box.x + box.w) * canvas.width) + around
    bottom = round((box.y + box.h) * canvas.height) + around
    return max(0, left), max(0, top), min(canvas.width, right), min(canvas.height, bottom)


def _encode(piece: _Piece, material: Material, out: Path, kept: Kept, on_progress: Callable[[], None]) -> None:
    what = piece.digest(material.checksum)
    known = kept.load(what)
    if known is not None:
        out.write_bytes(known)
        return
    source = material.recording if piece.moves and material.recording is not None else _nothing(out.parent)
    isolated.encode(source, piece.spec, piece.files, out, on_progress)
    if out.stat().st_size <= LARGEST_KEPT:
        kept.save(what, out.read_bytes())


def _nothing(folder: Path) -> Path:
    """A file for a process that reads no recording."""
    path = folder / "nothing"
    path.touch()
    return path


# --- the whole -----------------------------------------------------------------------------------------------------


def _joined(piece: Path, scene: Scene, voice: Voiced | None, length_ms: int, *, is_heard: bool) -> Mapping[str, object]:
    shown: dict[str, object] = {"file": piece.name, "length_ms": length_ms}
    if voice is not None:
        shown |= {"voices": [each.name for each in voice.files], "lead_ms": LEAD_MS}
    elif is_heard and scene.span is not None:
        shown["span"] = scene.span
    return shown


def _chapters(shown: Sequence[Scene], lengths: Sequence[int]) -> Iterator[Mapping[str, object]]:
    """The title, each part and each step; what belongs to a step is in its chapter."""
    begun_ms = 0
    for scene, length_ms in zip(shown, lengths, strict=True):
        if scene.kind in ("title", "part", "step"):
            title = f"{scene.mark}. {scene.heading}" if scene.mark else scene.heading
            yield {"title": title, "start_ms": begun_ms}
        begun_ms += length_ms


def _said(
    shown: Sequence[Scene], voices: Sequence[Voiced | None], lengths: Sequence[int], material: Material, language: str
) -> Transcript:
    """What is said in the film, at its times there."""
    segments: list[Segment] = []
    begun_ms = 0
    for scene, voice, length_ms in zip(shown, voices, lengths, strict=True):
        if voice is not None:
            start = begun_ms + LEAD_MS
            segments.append(Segment(id=0, start_ms=start, end_ms=start + voice.length_ms, text=scene.script))
        elif not any(voices) and material.sound is not None and material.transcript and scene.span:
            shift = begun_ms - scene.span[0]
            segments += (_moved(each, shift) for each in within(material.transcript.segments, scene.span))
        begun_ms += length_ms
    numbered = tuple(each.model_copy(update={"id": place}) for place, each in enumerate(segments))
    speech = SpeechFound.SPEECH if numbered else SpeechFound.NO_SPEECH
    return Transcript(speech=speech, language=language, duration_ms=begun_ms, model="film", segments=numbered)


def within(segments: Iterable[Segment], span: tuple[int, int]) -> Iterator[Segment]:
    """What is said in a stretch, of a segment that reaches beyond it the words that begin within: each word is in one
    of two stretches that follow each other."""
    start, end = span
    for segment in segments:
        if segment.start_ms >= end or segment.end_ms <= start:
            continue
        if start <= segment.start_ms and segment.end_ms <= end:
            yield segment
        elif words := tuple(each for each in segment.words if start <= each.start_ms < end):
            words = (*words[:-1], words[-1].model_copy(update={"end_ms": min(words[-1].end_ms, end)}))
            yield segment.model_copy(
                update={
                    "start_ms": words[0].start_ms,
                    "end_ms": words[-1].end_ms,
                    "text": " ".join(each.text.strip() for each in words),
                    "words": words,
                }
            )


def _moved(segment: Segment, by_ms: int) -> Segment:
    def later(each: Any) -> dict[str, int]:
        return {"start_ms": each.start_ms + by_ms, "end_ms": each.end_ms + by_ms}

    words = tuple(word.model_copy(update=later(word)) for word in segment.words)
    return segment.model_copy(update={**later(segment), "words": words})


def _warnings(material: Material, missing: Sequence[str]) -> Iterator[str]:
    if material.hidden:
        yield STILL
    elif material.gone:
        yield GONE
    if missing:
        some = ", ".join(f"U+{ord(each):04X} {each}" for each in missing[:20])
        yield f"{len(missing)} character(s) have no font on this machine and stand as boxes in the video: {some}."
