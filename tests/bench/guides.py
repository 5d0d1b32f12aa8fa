"""Makes the guide of a recording as a job does, without what surrounds one, and judges it by what is true of it.

    python -m tests.bench.guides FOLDER [--keep FOLDER] [NAME ...]

judges every ``NAME.mp4`` of a folder that has a ``NAME.json`` beside it. What is true of a recording is an object with
``steps`` (``text``; ``also``: other wordings; ``start_ms``: its cue; ``click``: the control as ``label, x, y, w, h`` in
pixels, if one is acted on; ``before_ms`` to ``click_ms``: while that is to be seen; ``typed``: its picture shows the
field filled; ``settled_ms`` to ``until_ms``: while the screen stands that it led to; ``changes``: whether it led to
any), ``sections`` (``title``, ``start_ms``), ``not_steps``, ``ui`` (texts as on screen) and ``size``.

A drafted step is a true one where their content words overlap by half (Jaccard) and it starts within 3 s of the cue.
Its picture shows the control where it was taken in the time before the click, and rings it where the middle of what it
rings is within 25 px of the control. What came of a step is judged where a second picture was taken.
"""

import argparse
import hashlib
import json
import statistics
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel
from rich.console import Console
from rich.table import Table

from activities import media, speech
from activities.drafting import LocalDrafter
from activities.drafting.compose import compose
from activities.pictures.illustrating import Illustrating
from activities.screen import read_screen
from activities.speech.options import WhisperOptions
from activities.speech.whisper import WhisperRecogniser
from domain.artifacts import Blob
from domain.documents.annotations import Ring
from domain.documents.draft import BlockRole, Draft
from domain.documents.screenshots import NewScreenshot
from domain.recordings.screen import ScreenRecord
from domain.recordings.transcript import Transcript
from tests.bench.alike import like, overlap, sections_f1

NEAR_MS = 3_000
RINGED_PX = 25
SLACK_MS = 100
"""Of a true time: a picture stands that long at ten a second."""
THREADS = 2

_Model = TypeVar("_Model", bound=BaseModel)
Truth = dict[str, Any]


@dataclass(frozen=True)
class DraftedStep:
    """``pictures``: the step's own, then what came of it."""

    heading: str
    start_ms: int
    pictures: tuple[NewScreenshot, ...]


@dataclass(frozen=True)
class Guide:
    """What a recording became. ``sections``: title and start, ms."""

    transcript: Transcript
    screen: ScreenRecord
    draft: Draft
    steps: tuple[DraftedStep, ...]
    sections: tuple[tuple[str, int], ...]


def guide_of(recording: Path, kept: Path | None = None, said: Transcript | None = None) -> Guide:
    """Hear (unless what is ``said`` is known), read, draft and illustrate. What was heard and read is kept in a folder,
    if one is given, together with the pictures, and not heard and read again."""
    transcript = said or _kept(kept, f"{recording.stem}.heard.json", Transcript, lambda: heard(recording))
    transcript = transcript.model_copy(update={"duration_ms": media.probe(recording).duration_ms})
    read = _kept(kept, f"{recording.stem}.read.json", ScreenRecord, lambda: read_screen(recording, threads=THREADS))
    screen = read if read.width else None
    scenes = media.find_scenes(recording) if screen is not None else ()
    draft = LocalDrafter().draft(transcript, scenes, source_name=recording.name, screen=screen)
    numbers = count()
    composed = compose(draft, transcript, scenes, lambda: f"00000000-0000-0000-0000-{next(numbers):012}", screen)

    def keep(name: str, png: bytes) -> Blob:
        if kept is not None:
            (kept / f"{recording.stem}.{name}").write_bytes(png)
        digest = hashlib.sha256(png).hexdigest()
        return Blob(key=name, size_bytes=len(png), checksum_sha256=digest, media_type="image/png")

    made = Illustrating(keep, check=lambda: None, advance=lambda _: None).screenshots(
        recording,
        "0" * 64,
        composed.evidence,
        scenes,
        screen,
        transcript.duration_ms,
        {each.block_id: block.heading for each, block in zip(composed.evidence, draft.blocks, strict=True)},
    )
    pictures: dict[str, list[NewScreenshot]] = {}
    for each in made if screen is not None else ():
        pictures.setdefault(each.block_id, []).append(each)
    blocks = [
        (block, each.start_ms or 0, tuple(pictures.get(each.block_id, ())))
        for block, each in zip(draft.blocks, composed.evidence, strict=True)
    ]
    return Guide(
        transcript=transcript,
        screen=read,
        draft=draft,
        steps=tuple(DraftedStep(b.heading, at, shots) for b, at, shots in blocks if b.role is BlockRole.STEP),
        sections=tuple((block.heading, at) for block, at, _ in blocks if block.role is BlockRole.SECTION),
    )


def _kept(folder: Path | None, name: str, model: type[_Model], make: Callable[[], _Model]) -> _Model:
    if folder is None:
        return make()
    path = folder / name
    if not path.exists():
        path.write_text(make().model_dump_json())
    return model.model_validate_json(path.read_text())


@lru_cache(maxsize=1)
def _recogniser() -> WhisperRecogniser:
    return WhisperRecogniser(WhisperOptions(threads=THREADS))


def heard(recording: Path) -> Transcript:
    """What is said, by the weights that are the default."""
    info = media.probe(recording)
    segments: list[speech.SpokenSegment] = []
    if not info.audio:
        return speech.assemble([], duration_ms=info.duration_ms, model=_recogniser().name, has_audio=False)
    with tempfile.TemporaryDirectory() as folder:
        sound = Path(folder) / "audio.flac"
        choice = media.pick_speech_track(recording, info)
        facts = media.extract_audio(recording, choice.index, sound, also=choice.also)
        found = _recogniser().recognise(
            sound, language=None, start_ms=0, end_ms=None, on_segment=segments.append, on_progress=lambda _: None
        )
    return speech.assemble(
        [segments],
        duration_ms=max(info.duration_ms, facts.duration_ms),
        model=_recogniser().name,
        language=found.language,
        language_probability=found.language_probability,
        likely_language=found.likely_language,
        peak_dbfs=facts.peak_dbfs,
        unclear=found.unclear,
    )


@dataclass
class Share:
    """So many of so many."""

    right: int = 0
    of: int = 0

    def note(self, right: bool) -> bool:
        self.right += right
        self.of += 1
        return right

    def __add__(self, other: "Share") -> "Share":
        return Share(self.right + other.right, self.of + other.of)

    def __str__(self) -> str:
        return f"{self.right}/{self.of}" if self.of else ""

    @property
    def share(self) -> float:
        return self.right / self.of if self.of else 1.0


@dataclass
class Score:
    """Of one recording. ``late_ms``: of each found step, how far from its cue it starts. ``before``, ``filled``: first
    pictures taken before the click, of a field filled where the step types; ``ringed``; ``after``: second pictures that
    show what came of it; ``labels``: as on screen. ``swapped``: headings with a text of the screen that neither was
    said nor is the step's."""

    name: str
    true: int
    drafted: int
    late_ms: list[int] = field(default_factory=list)
    before: Share = field(default_factory=Share)
    filled: Share = field(default_factory=Share)
    ringed: Share = field(default_factory=Share)
    after: Share = field(default_factory=Share)
    labels: Share = field(default_factory=Share)
    swapped: int = 0
    sections: float | None = None
    wrong: int = 0
    """Of what must not be a step."""
    amiss: list[str] = field(default_factory=list)
    """What to look at."""

    @property
    def f1(self) -> float:
        return 2 * len(self.late_ms) / max(1, self.true + self.drafted)

    @property
    def start_ms(self) -> float:
        return statistics.median(self.late_ms) if self.late_ms else 0.0


def score(name: str, truth: Truth, guide: Guide) -> Score:
    """Judge a guide by what is true of its recording."""
    made = Score(name, len(truth["steps"]), len(guide.steps))
    left: list[Truth] = list(truth["steps"])
    for step in guide.steps:
        near = [true for true in left if abs(step.start_ms - true["start_ms"]) <= NEAR_MS]
        best = max(near, key=lambda true: like(true, step.heading), default=None)
        if best is None or like(best, step.heading) < 0.5:
            made.amiss.append(f"no true step: {step.heading!r} at {step.start_ms}")
            continue
        left.remove(best)
        made.late_ms.append(abs(step.start_ms - best["start_ms"]))
        made.amiss += _judge(made, step, best, truth)
    made.amiss += [f"missed: {true['text']!r} at {true['start_ms']}" for true in left]
    made.sections = sections_f1(truth.get("sections", ()), guide.sections)
    for bad in truth.get("not_steps", ()):
        written = any(overlap(bad, step.heading) >= 0.5 for step in guide.steps)
        made.wrong += written
        made.amiss += [f"must not be a step: {bad!r}"] if written else []
    return made


def _judge(made: Score, step: DraftedStep, true: Truth, truth: Truth) -> Iterator[str]:
    click, wordings = true.get("click"), [true["text"], *true.get("also", [])]
    told = f"{step.heading!r} ({true['text']!r}, {true['start_ms']})"
    if (
        click
        and click["label"].lower() in " ".join(wordings).lower()
        and not made.labels.note(click["label"] in step.heading)
    ):
        yield f"label {click['label']!r}: {told}"
    others = [text for text in truth.get("ui", ()) if len(text) > 3 and text in step.heading]
    if any(text.lower() not in f"{' '.join(wordings)} {truth.get('spoken', '')}".lower() for text in others):
        made.swapped += not (click and all(text in click["label"] or click["label"] in text for text in others))
    own = next((each for each in step.pictures if not each.is_outcome), None)
    came = next((each for each in step.pictures if each.is_outcome), None)
    settled: tuple[int, int] = true["settled_ms"] - SLACK_MS, true["until_ms"]
    if click and true.get("typed"):
        if not made.filled.note(own is not None and settled[0] <= own.timestamp_ms < settled[1]):
            yield f"not filled at {_at(own)} (from {settled[0]} until {settled[1]}): {told}"
    elif click and not made.before.note(
        own is not None and true["before_ms"] - SLACK_MS <= own.timestamp_ms <= true["click_ms"]
    ):
        yield f"not before at {_at(own)} (from {true['before_ms']} until {true['click_ms']}): {told}"
    if click and not made.ringed.note(own is not None and _is_ringed(own, click)):
        yield f"not ringed: {told}"
    if came is not None and not made.after.note(settled[0] <= came.timestamp_ms < settled[1]):
        yield f"not after at {_at(came)} (from {settled[0]} until {settled[1]}): {told}"


def _at(picture: NewScreenshot | None) -> str:
    return "no picture" if picture is None else f"{picture.timestamp_ms}"


def _is_ringed(picture: NewScreenshot, control: Truth) -> bool:
    drawn = picture.drawing.operations if picture.drawing is not None else ()
    ring = next((each.geometry for each in drawn if isinstance(each, Ring)), None)
    if ring is None:
        return False
    x, y = (ring.x + ring.w / 2) * picture.width, (ring.y + ring.h / 2) * picture.height
    across = max(control["x"] - x, 0, x - control["x"] - control["w"])
    down = max(control["y"] - y, 0, y - control["y"] - control["h"])
    return bool((across**2 + down**2) ** 0.5 <= RINGED_PX)


def table_of(scores: Sequence[Score], title: str) -> Table:
    """The figures, a row a recording, and of all together."""
    table = Table(
        *("recording", "F1", "start ms", "before", "filled", "ringed", "after", "labels", "swaps", "sections", "wrong"),
        title=title,
    )
    for each in scores:
        table.add_row(
            *(each.name, f"{each.f1:.2f}", f"{each.start_ms:.0f}", str(each.before), str(each.filled)),
            *(str(each.ringed), str(each.after), str(each.labels), f"{each.swapped}"),
            *("" if each.sections is None else f"{each.sections:.2f}", f"{each.wrong}"),
        )
    late = [ms for each in scores for ms in each.late_ms]
    sections = [each.sections for each in scores if each.sections is not None]
    table.add_row(
        "all",
        f"{statistics.mean(each.f1 for each in scores):.2f}",
        f"{statistics.median(late) if late else 0:.0f}",
        *(str(total(getattr(each, kind) for each in scores)) for kind in ("before", "filled", "ringed")),
        *(str(total(getattr(each, kind) for each in scores)) for kind in ("after", "labels")),
        f"{sum(each.swapped for each in scores)}",
        f"{statistics.mean(sections):.2f}" if sections else "",
        f"{sum(each.wrong for each in scores)}",
    )
    return table


def total(shares: Iterable[Share]) -> Share:
    return sum(shares, Share())


def main() -> None:
    asked = argparse.ArgumentParser(description="Judge the guides of recordings whose steps are known.")
    asked.add_argument("folder", type=Path)
    asked.add_argument("names", nargs="*")
    asked.add_argument("--keep", type=Path, help="a folder for what was heard and read, and for the pictures")
    told = asked.parse_args()
    scores, console = [], Console(width=150)
    for path in sorted(told.folder.glob("*.mp4")):
        truth = path.with_suffix(".json")
        if truth.exists() and (not told.names or path.stem in told.names):
            guide = guide_of(path, told.keep)
            scores.append(score(path.stem, json.loads(truth.read_text()), guide))
            for line in [*scores[-1].amiss, *(f"warns: {warning.code}" for warning in guide.draft.warnings)]:
                console.print(f"{path.stem}: {line}", markup=False, highlight=False)
    if scores:
        console.print(table_of(scores, "guides"))


if __name__ == "__main__":
    main()
