"""Whether guides show where to act: films of a real browser whose steps are known, read and illustrated.

What is said is taken as said (``test_drafting`` hears). Needs Chromium (Debian's package ``chromium``).
"""

from pathlib import Path

from playwright.sync_api import Browser
from rich.console import Console

from domain.recordings.transcript import Segment, SpeechFound, Transcript
from tests.bench.browsed.filming import film
from tests.bench.browsed.stories import STORIES
from tests.bench.guides import guide_of, score, table_of, total
from tests.browser.conftest import _driven  # noqa: F401  (a fixture that every test here takes)

MEAN_F1, LEAST_F1 = 0.93, 0.85
BEFORE, RINGED, AFTER, LABELS = 0.9, 0.85, 0.9, 0.9
START_MS = 200


def test_guides_show_where_to_act(chromium: Browser, tmp_path: Path) -> None:
    scores = []
    for name, (app, story) in STORIES.items():
        recording = tmp_path / f"{name}.mp4"
        truth = film(chromium, recording, app, story)
        guide = guide_of(recording, said=transcript(truth.lines))
        scores.append(score(name, vars(truth) | {"spoken": " ".join(said for said, *_ in truth.lines)}, guide))
    console = Console(width=140)
    console.print(table_of(scores, "guides"))
    for each in scores:
        console.print(*(f"{each.name}: {line}" for line in each.amiss), sep="\n", markup=False, highlight=False)
    assert sum(each.f1 for each in scores) >= MEAN_F1 * len(scores)
    assert min(each.f1 for each in scores) >= LEAST_F1
    assert total(each.before for each in scores).share >= BEFORE
    assert total(each.filled for each in scores).share >= BEFORE
    assert total(each.ringed for each in scores).share >= RINGED
    assert total(each.after for each in scores).share >= AFTER
    assert total(each.labels for each in scores).share >= LABELS
    assert sum(each.swapped + each.wrong for each in scores) == 0
    assert max(each.start_ms for each in scores) <= START_MS


def transcript(lines: list[tuple[str, int, int]]) -> Transcript:
    """Of what is said, with its times in ms."""
    return Transcript(
        speech=SpeechFound.SPEECH if lines else SpeechFound.NO_AUDIO_TRACK,
        language="en",
        duration_ms=max((end for *_, end in lines), default=0),
        model="said",
        segments=tuple(
            Segment(id=number, start_ms=start, end_ms=end, text=said) for number, (said, start, end) in enumerate(lines)
        ),
    )
