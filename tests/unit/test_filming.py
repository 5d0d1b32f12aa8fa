"""A guide as a film: what it shows and when, what is heard, and that nothing hidden is ever in it."""

import io
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image

from activities.filming import isolated
from activities.filming.film import STILL, Filmed, Material, canvas_for, film, within
from activities.filming.narration import parts
from activities.filming.scenes import Footage, Marked, scenes
from activities.media import extract_audio, grab_frame
from activities.pictures.drawing import draw
from activities.publishing.manuscript import read
from domain.documents.annotations import box_of, hides, operation_list
from domain.documents.publication import Picture, PublicationBlock
from domain.errors import Cancelled
from domain.recordings.transcript import Segment, SpeechFound, Transcript, Word
from tests import recordings
from tests.unit.publishing_samples import block, publication

SIZE = (recordings.WIDTH, recordings.HEIGHT)
DURATION = recordings.DURATION_MS
RING = {"op_type": "ring", "geometry": {"x": 0.4, "y": 0.4, "w": 0.2, "h": 0.2}}
BLUR = {"op_type": "blur", "geometry": {"x": 0.4, "y": 0.4, "w": 0.2, "h": 0.2}}


def shown(recording: Path, at_ms: int) -> Picture:
    image = grab_frame(recording, at_ms, duration_ms=DURATION).image
    out = io.BytesIO()
    image.save(out, "PNG")
    name = f"anchor-{at_ms}"
    return Picture(
        anchor_id=name, data=out.getvalue(), media_type="image/png", width=SIZE[0], height=SIZE[1], timestamp_ms=at_ms
    )


def step(heading: str, start_ms: int, end_ms: int, *pictures: Picture) -> PublicationBlock:
    made = block(f"## {heading}\n\nThen wait.", "step", start_ms, *pictures)
    return made.model_copy(update={"end_ms": end_ms})


@dataclass
class Memory:
    """What is kept between two tries. ``spoilt`` remembers nothing."""

    kept: dict[str, bytes] = field(default_factory=dict)

    def load(self, what: str) -> bytes | None:
        return self.kept.get(what)

    def save(self, what: str, data: bytes) -> None:
        self.kept[what] = data


class Voice:
    """Says every text as a second of a tone."""

    name = "tone"

    def __init__(self) -> None:
        self.said: list[str] = []

    def speak(self, text: str, language: str, request_id: str, stop: object) -> bytes:
        self.said.append(f"{language}: {text}")
        samples = (0.3 * 32767 * np.sin(2 * np.pi * 440 * np.arange(24_000) / 24_000)).astype("<i2").tobytes()
        head = b"RIFF" + (36 + len(samples)).to_bytes(4, "little") + b"WAVEfmt "
        head += (16).to_bytes(4, "little") + (1).to_bytes(2, "little") * 2 + (24_000).to_bytes(4, "little")
        head += (48_000).to_bytes(4, "little") + (2).to_bytes(2, "little") + (16).to_bytes(2, "little")
        return head + b"data" + len(samples).to_bytes(4, "little") + samples


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return recordings.mp4(tmp_path_factory.mktemp("film"))


@pytest.fixture(scope="module")
def sound(recording: Path) -> Path:
    out = recording.parent / "sound.flac"
    extract_audio(recording, 1, out)
    return out


@pytest.fixture(scope="module")
def material(recording: Path, sound: Path) -> Material:
    said = Transcript(
        speech=SpeechFound.SPEECH,
        duration_ms=DURATION,
        model="test",
        segments=(
            Segment(id=0, start_ms=400, end_ms=900, text="Open {it} now."),
            Segment(id=1, start_ms=4_300, end_ms=4_900, text="Press Save."),
        ),
    )
    return Material(
        footage=Footage(DURATION, has_picture=True, may_move=True),
        recording=recording,
        size=SIZE,
        checksum="c",
        sound=sound,
        transcript=said,
    )


def filmed(
    what: object, material: Material, out: Path, voice: Voice | None = None, kept: Memory | None = None
) -> Filmed:
    out.mkdir()
    return film(what, material, narrator=voice, out=out, kept=kept or Memory(), on_progress=lambda: None)  # type: ignore[arg-type]


def frames(path: Path) -> Iterator[tuple[int, Image.Image]]:
    with av.open(str(path)) as source:
        for frame in source.decode(video=0):
            yield round(1000 * (frame.time or 0)), Image.fromarray(frame.to_ndarray(format="rgb24"))


def frame_at(path: Path, at_ms: int) -> Image.Image:
    found = None
    for ms, image in frames(path):
        if ms > at_ms:
            break
        found = image
    assert found is not None
    return found


def heard(path: Path) -> list[int]:
    """When beeps begin, ms."""
    with av.open(str(path)) as source:
        samples = np.concatenate([each.to_ndarray().reshape(-1) for each in source.decode(audio=0)])
        rate = source.streams.audio[0].rate
    loud = np.abs(samples) > 0.1
    starts = [at for at in np.flatnonzero(loud) if not loud[max(0, at - rate // 10) : at].any()]
    return [round(1000 * at / rate) for at in starts]


# --- the whole -----------------------------------------------------------------------------------------------------


def test_given_steps_when_filmed_then_the_recording_is_cut_to_them_with_picture_sound_chapters_and_captions_in_time(
    recording: Path, material: Material, tmp_path: Path
) -> None:
    guide = publication(
        block("# Save it", "title"),
        step("Open the list", 200, 1_500, shown(recording, 300)),
        step("Press Save", 4_200, 5_000, shown(recording, 4_200)),
    )
    made = filmed(guide, material, tmp_path / "out")
    with av.open(str(made.path)) as source:
        video, audio = source.streams.video[0], source.streams.audio[0]
        assert (video.codec_context.name, video.codec_context.pix_fmt) == ("h264", "yuv420p")
        assert (video.width, video.height) == (SIZE[0], SIZE[1] + 72)
        assert audio.codec_context.name == "aac"
        chapters = [
            (each["metadata"]["title"], round(each["start"] * (each["time_base"] or 0) * 1000))
            for each in source.chapters()
        ]
        captions = [
            (round(1000 * float(packet.pts * (packet.time_base or 0))), bytes(packet)[2:].decode())
            for packet in source.demux(source.streams.subtitles[0])
            if packet.pts is not None and len(bytes(packet)) > 2
        ]
        assert abs((source.duration or 0) / 1000 - made.length_ms) < 60
    data = made.path.read_bytes()
    assert data.index(b"moov") < data.index(b"mdat")  # plays as it comes
    card = 3_000
    spans = [each.span for each in scenes(read(guide), guide.blocks, {}, material.footage) if each.span]
    assert spans == [(200, 2_200), (4_000, 6_000)]
    at_second = card + spans[0][1] - spans[0][0]
    assert chapters == [("Save it", 0), ("1. Open the list", card), ("2. Press Save", at_second)]
    for moment in (card + 100, card + 1_000, at_second + 60, at_second + 800):
        begun, span = (card, spans[0]) if moment < at_second else (at_second, spans[1])
        told = recordings.clock_ms(frame_at(made.path, moment).crop((0, 0, *SIZE)))
        assert abs(told - (span[0] + moment - begun)) <= 45, moment
    beeps = [card + 500 - spans[0][0], at_second + 4_500 - spans[1][0]]
    assert [abs(each - wanted) <= 40 for each, wanted in zip(heard(made.path), beeps, strict=True)] == [True, True]
    assert captions == [(card + 200, "Open {it} now."), (at_second + 300, "Press Save.")]
    assert made.warnings == ()


def test_given_a_ring_on_a_picture_then_it_is_drawn_while_the_screen_is_what_it_was_drawn_on_and_no_longer(
    recording: Path, material: Material, tmp_path: Path
) -> None:
    picture = shown(recording, 1_900)
    operations = operation_list.validate_python([RING])
    marked = Marked(1_900, picture.data, draw(picture.data, operations)[0], tuple(box_of(each) for each in operations))
    what = step("Press it", 1_000, 3_400, picture)
    guide = publication(block("# Press", "title"), what)
    made = filmed(guide, replace(material, marks={what.block_id: marked}), tmp_path / "out")
    x, y = round(0.4 * SIZE[0]) - 3, SIZE[1] // 2
    ringed = {
        ms - 3_000 + 1_000: bool(
            np.abs(np.asarray(image)[y, x - 4 : x + 4].astype(int) - recordings.colour_at(ms - 2_000)).max() > 60
        )
        for ms, image in frames(made.path)
        if ms >= 3_000
    }
    assert all(ringed[at] for at in ringed if at < 1_960)
    assert not any(ringed[at] for at in ringed if at > 2_040)


def test_given_a_voice_when_filmed_then_each_step_lasts_as_long_as_it_is_read_and_the_recording_is_not_heard(
    recording: Path, material: Material, tmp_path: Path
) -> None:
    guide = publication(
        block("# Save it", "title"),
        step("Open the list", 4_400, 5_000, shown(recording, 4_400)),
        block("> **Note:** Drafts are not shown.", "note", 5_000),
        language="de",
    )
    voice = Voice()
    made = filmed(guide, material, tmp_path / "out", voice)
    assert voice.said == ["de: Save it.", "de: Open the list. Then wait.", "de: Drafts are not shown."]
    title, note = 300 + 1_000 + 500, 300 + 1_000 + 500
    film_ms = DURATION - 4_000
    assert made.length_ms == title + film_ms + note
    assert [
        abs(each - wanted) < 40
        for each, wanted in zip(heard(made.path), (300, title + 300, title + film_ms + 300), strict=True)
    ] == [True] * 3


# --- what is hidden ------------------------------------------------------------------------------------------------


def test_given_something_hidden_then_nothing_of_the_recording_is_seen_or_heard(recording: Path, tmp_path: Path) -> None:
    picture = shown(recording, 1_000)
    blurred, width, height = draw(picture.data, operation_list.validate_python([BLUR]))
    pixelated = picture.model_copy(update={"data": blurred, "width": width, "height": height})
    guide = publication(block("# Press", "title"), step("Type it", 500, 2_500, pixelated))
    made = filmed(guide, Material(hidden=True), tmp_path / "out")
    assert made.warnings == (STILL,)
    with av.open(str(made.path)) as source:
        assert not source.streams.audio
    wanted = np.asarray(Image.open(io.BytesIO(blurred)).convert("RGB")).astype(int)
    for ms, image in frames(made.path):
        if ms >= 3_000:
            there = np.asarray(image.crop((0, 0, *SIZE))).astype(int)
            assert np.abs(there - wanted).mean() < 6


@pytest.mark.parametrize(
    ("operations", "hidden"),
    [
        ([RING], False),
        ([BLUR], True),
        ([{"op_type": "marker", "geometry": RING["geometry"]}], False),
        ([{"op_type": "marker", "geometry": RING["geometry"], "style": {"opacity": 1.0, "color": "#000000"}}], True),
        ([{"op_type": "crop", "geometry": RING["geometry"], "style": {"whole": True}}], False),
        ([{"op_type": "crop", "geometry": RING["geometry"]}, RING], True),
    ],
)
def test_what_hides(operations: list[object], hidden: bool) -> None:
    assert hides(operation_list.validate_python(operations)) is hidden


def test_given_a_step_without_a_picture_then_it_is_a_card_and_the_recording_does_not_move(
    recording: Path, material: Material
) -> None:
    guide = publication(
        block("# Press", "title"),
        step("Its picture was taken away", 500, 2_500),
        step("Shown", 3_000, 4_000, shown(recording, 3_200)),
    )
    told = scenes(read(guide), guide.blocks, {}, material.footage)
    assert [(each.kind, each.moves, each.is_card) for each in told] == [
        ("title", False, True),
        ("step", False, True),
        ("step", True, False),
    ]


def test_given_sentences_close_to_each_other_then_no_cut_is_within_one_and_a_note_is_heard_once(
    recording: Path, material: Material
) -> None:
    picture = shown(recording, 1_000)

    def at(ms: int) -> Picture:
        return picture.model_copy(update={"timestamp_ms": ms})

    def note(text: str, start_ms: int, end_ms: int) -> PublicationBlock:
        return block(f"> **Note:** {text}", "note", start_ms).model_copy(update={"end_ms": end_ms})

    guide = publication(
        block("# Save it", "title"),
        step("Click New", 10_000, 13_000, at(13_000)),
        step("Choose it", 14_000, 17_000, at(16_500)),
        note("Tax is added.", 17_500, 19_900),
        step("Save", 21_000, 22_000, at(21_500), at(24_000)),
        note("That is said of the step, too.", 21_500, 22_000),
        note("An hour of it", 30_000, 59_000),
    )
    told = scenes(read(guide), guide.blocks, {}, replace(material.footage, duration_ms=60_000))
    assert [(each.kind, each.span) for each in told] == [
        ("title", None),
        ("step", (10_000, 14_000)),  # not 14,500: by then the next is spoken of
        ("step", (14_000, 17_500)),
        ("note", (17_500, 19_900)),
        ("step", (21_000, 25_500)),
        ("note", None),
        ("note", None),
    ]
    assert [each.length_ms(None, is_heard=True) for each in told[3:5]] == [3_000, 4_500]
    assert told[3].length_ms(900, is_heard=True) == 300 + 900 + 500


def test_given_a_segment_that_is_cut_then_each_of_its_words_is_captioned_once() -> None:
    words = tuple(
        Word(start_ms=1_000 + 500 * place, end_ms=1_500 + 500 * place, text=f" {text}")
        for place, text in enumerate(("Choose", "Harbor", "Coffee", "now."))
    )
    said = Segment(id=0, start_ms=1_000, end_ms=3_000, text="Choose Harbor Coffee now.", words=words)
    cut = [(each.text, each.end_ms) for span in ((0, 1_700), (1_700, 9_000)) for each in within((said,), span)]
    assert cut == [("Choose Harbor", 1_700), ("Coffee now.", 3_000)]


# --- the work ------------------------------------------------------------------------------------------------------


def test_given_a_worker_that_died_then_the_next_one_makes_only_the_rest(
    recording: Path, material: Material, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    guide = publication(
        block("# Save it", "title"),
        step("One", 200, 900, shown(recording, 300)),
        step("Two", 4_200, 5_000, shown(recording, 4_200)),
    )
    kept, encode = Memory(), isolated.encode
    made: list[str] = []

    def dying(source: Path, spec: object, files: object, out: Path, on_progress: object) -> None:
        if len(made) == 2:
            raise Cancelled("killed")
        made.append(out.name)
        encode(source, spec, files, out, on_progress)  # type: ignore[arg-type]

    monkeypatch.setattr(isolated, "encode", dying)
    with pytest.raises(Cancelled):
        filmed(guide, material, tmp_path / "first", kept=kept)
    made.clear()
    filmed(guide, material, tmp_path / "second", kept=kept)
    assert made == ["piece-0002.mp4"]


def test_given_a_cancel_while_a_piece_is_encoded_then_it_stops(
    material: Material, recording: Path, tmp_path: Path
) -> None:
    guide = publication(block("# Save it", "title"), step("One", 200, 900, shown(recording, 300)))
    out = tmp_path / "out"
    out.mkdir()
    asked = 0

    def check() -> None:
        nonlocal asked
        asked += 1
        if asked > 6:
            raise Cancelled("stop")

    with pytest.raises(Cancelled):
        film(guide, material, narrator=None, out=out, kept=Memory(), on_progress=check)
    assert not (out / "instruction.mp4").exists()


@pytest.mark.parametrize(
    ("size", "whole"),
    [
        ((1920, 1080), (1728, 1080)),
        ((1280, 720), (1280, 800)),
        ((3840, 2160), (1728, 1080)),
        ((1080, 1920), (546, 1080)),
        ((321, 181), (320, 252)),
    ],
)
def test_a_film_has_1080_lines_at_most_and_even_sides(size: tuple[int, int], whole: tuple[int, int]) -> None:
    canvas = canvas_for(size)
    assert canvas.width % 2 == canvas.height % 2 == canvas.band % 2 == 0
    assert canvas.whole <= 1080
    assert abs(canvas.width / canvas.height - size[0] / size[1]) < 0.02
    assert abs(canvas.whole - whole[1]) <= 4


def test_a_long_text_is_spoken_in_parts_of_whole_sentences() -> None:
    said = " ".join(f"This is sentence number {number}." for number in range(200))
    told = parts(said)
    assert " ".join(told) == said
    assert all(len(each) <= 1_500 and each.endswith(".") for each in told)
    assert parts("… — !") == []
