"""How good the built-in drafter's steps are, on recordings whose steps are known.

Fourteen of them, each of another kind: unscripted talk, dialogues, several actions in a sentence, talk before and after
the action, trainings with topics, a terminal, a device beside the screen, Spanish, French, German, and nobody speaking.
``said`` is what was spoken, ``heard`` what the multilingual weights made of it (voices of Flite and eSpeak NG; those
that are no English are hard to understand for people, too), ``screen`` what stood on the screens and was done.

A drafted step is a true one where their content words overlap by half (Jaccard) and it starts within 3 s of the cue. A
label is right where it stands in the heading exactly as on the screen.
"""

import json
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from rich.table import Table

from activities.drafting import LocalDrafter
from domain.documents.draft import BlockRole, Draft, check_draft, cited_time
from domain.recordings.screen import ScreenRecord
from domain.recordings.transcript import Segment, SpeechFound, Transcript, Word
from tests.bench.alike import like, overlap, sections_f1
from tests.unit.drafting_builders import TOUR, spoken

_RECORDINGS = Path(__file__).parent / "drafting"
_NEAR_MS = 3_000
MEAN_SAID = 0.97
MEAN_HEARD = 0.85
"""Of the English ones and the silent one."""
LEAST_SAID = 0.9
LEAST_HEARD = 0.7
LABELS = 0.9
START_MS = 200
TWICE = 3.0
"""Times as long for twice as much: a step that looks at every other one would take four times."""


@dataclass(frozen=True)
class Score:
    f1: float
    late_ms: float
    labels: int
    of_labels: int
    sections: float | None
    wrong: int
    """Sentences that must not be steps and are."""


def test_steps_are_those_that_were_shown() -> None:
    table = Table("recording", "F1 said", "F1 heard", "start ms", "labels", "sections", "wrong", title="drafting")
    said, heard = dict(_scores("said")), dict(_scores("heard"))
    for name, one in said.items():
        other = heard[name]
        table.add_row(
            *(name, f"{one.f1:.2f}", f"{other.f1:.2f}", f"{other.late_ms:.0f}", f"{other.labels}/{other.of_labels}"),
            *("" if one.sections is None else f"{one.sections:.2f}", f"{one.wrong}, {other.wrong}"),
        )
    english = [name for name in heard if _recording(name)["language"] == "en"]
    means = statistics.mean(each.f1 for each in said.values()), statistics.mean(heard[name].f1 for name in english)
    table.add_row("mean", f"{means[0]:.3f}", f"{means[1]:.3f} (English)")
    Console().print(table)
    assert means[0] >= MEAN_SAID
    assert means[1] >= MEAN_HEARD
    assert min(each.f1 for each in said.values()) >= LEAST_SAID
    assert min(heard[name].f1 for name in english) >= LEAST_HEARD
    assert sum(each.wrong for each in said.values()) == 0
    assert statistics.median(each.late_ms for each in heard.values() if each.late_ms < 1_000) <= START_MS
    labelled = [(heard[name].labels, heard[name].of_labels) for name in english]
    assert sum(right for right, _ in labelled) >= LABELS * sum(all_of_them for _, all_of_them in labelled)


def _recording(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((_RECORDINGS / f"{name}.json").read_text("utf-8"))
    return found


def _scores(source: str) -> Iterator[tuple[str, Score]]:
    for path in sorted(_RECORDINGS.glob("*.json")):
        row = _recording(path.stem)
        transcript, screen = _transcript(row, source), ScreenRecord.model_validate(row["screen"])
        draft = LocalDrafter().draft(transcript, (), source_name=path.name, screen=screen)
        check_draft(draft, transcript, (), screen)
        yield path.stem, _score(row, draft, transcript, screen)


def _transcript(row: dict[str, Any], source: str) -> Transcript:
    segments = tuple(
        Segment(
            id=place,
            start_ms=start,
            end_ms=end,
            text=text,
            words=tuple(Word(start_ms=a, end_ms=b, text=word) for a, b, word in (words[0] if words else ())),
        )
        for place, (start, end, text, *words) in enumerate(row[source])
    )
    return Transcript(
        speech=SpeechFound.SPEECH if segments else SpeechFound.NO_AUDIO_TRACK,
        language=row["language"],
        duration_ms=row["duration_ms"],
        model=source,
        segments=segments,
    )


def _score(row: dict[str, Any], draft: Draft, transcript: Transcript, screen: ScreenRecord) -> Score:
    timed = [(block, cited_time(block, transcript, (), screen)) for block in draft.blocks]
    steps = [(block.heading, cited.start_ms) for block, cited in timed if block.role is BlockRole.STEP and cited]
    left, late, labels, of_labels = list(row["steps"]), [], 0, 0
    for heading, start_ms in steps:
        near = [true for true in left if abs(start_ms - true["start_ms"]) <= _NEAR_MS]
        best = max(near, key=lambda true: like(true, heading), default=None)
        if best is None or like(best, heading) < 0.5:
            continue
        left.remove(best)
        late.append(abs(start_ms - best["start_ms"]))
        label = best["label"]
        if label and label.lower() in " ".join([best["text"], *best.get("also", [])]).lower():
            of_labels += 1
            labels += label in heading
    sections = [(block.heading, cited.start_ms) for block, cited in timed if block.role is BlockRole.SECTION and cited]
    return Score(
        f1=2 * len(late) / (len(steps) + len(row["steps"])),
        late_ms=statistics.median(late) if late else 0,
        labels=labels,
        of_labels=of_labels,
        sections=sections_f1(row["sections"], sections),
        wrong=sum(any(overlap(bad, heading) >= 0.5 for heading, _ in steps) for bad in row["not_steps"]),
    )


@pytest.mark.parametrize(("said", "times"), [(TOUR, 80), (("click the thing and then ",), 4_000)])
def test_twice_as_much_speech_takes_twice_as_long(said: tuple[str, ...], times: int) -> None:
    tries = [(_seconds_for(said, times), _seconds_for(said, 2 * times)) for _ in range(3)]
    once, twice = map(min, zip(*tries, strict=True))
    Console().print(f"drafting {times} and {2 * times} times {said[0]!r}: {once:.2f} and {twice:.2f} s")
    assert twice < TWICE * once


def _seconds_for(said: tuple[str, ...], times: int) -> float:
    """Of a processor: each text a segment, a single one as one long segment."""
    transcript = spoken(*(said * times)) if len(said) > 1 else spoken(said[0] * times)
    began = time.process_time()
    LocalDrafter().draft(transcript, (), source_name="talk.mp4")
    return time.process_time() - began
