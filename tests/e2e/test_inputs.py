"""Every kind of recording that people send, taken through the whole job: odd ones work, hopeless ones fail at once."""

import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from pathlib import Path

import av
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from domain.artifacts import Artifact, ArtifactKind
from domain.documents.document import BlockEvidence
from domain.documents.draft import BlockRole
from domain.documents.screenshots import Screenshot
from domain.documents.versions import InstructionVersion
from domain.jobs import Job
from domain.recordings.transcript import NO_LANGUAGE, SpeechFound, Transcript
from sample.truth import Sentence, recording, truth
from tests import narrated, recordings, speech
from tests.e2e.test_faults import started_executions
from tests.stack import OWNER, ROOT, Stack

Maker = Callable[[Path], Path]

EXACT_MS = 100
"""How far any time of a recording may be off."""

LOOK_MS = 400
"""Where a screen begins and ends is known to one look of three a second."""

WORD_MS = 400
"""The speech model places the first word of a sentence no better than this, in the untouched sample too. That the
recording's own times are exact is measured in its sound and its pictures instead."""

ALIKE = 0.8
"""Share of a sentence's letters that a small speech model gets right."""

SOUND_HZ = 16_000
STEP_MS = 10


def sample(_folder: Path) -> Path:
    """The sample itself."""
    return recording()


def german(_folder: Path) -> Path:
    return speech.DATA / "spoken-german.ogg"


def spanish(_folder: Path) -> Path:
    return speech.DATA / "spoken-spanish.ogg"


HOPELESS = {
    recordings.empty: "MEDIA_EMPTY",
    recordings.text_renamed: "MEDIA_NOT_RECOGNISED",
    recordings.random_bytes: "MEDIA_NOT_RECOGNISED",
    recordings.picture_renamed: "MEDIA_NOT_RECOGNISED",
    recordings.playlist_renamed: "MEDIA_NOT_RECOGNISED",
    recordings.concat_script_renamed: "MEDIA_NOT_RECOGNISED",
    recordings.session_description_renamed: "MEDIA_NOT_RECOGNISED",
    recordings.mp4_cut_before_its_index: "MEDIA_TRUNCATED",
    recordings.mp4_unknown_video_codec: "MEDIA_CODEC_UNSUPPORTED",
    recordings.mkv_unknown_audio_codec: "MEDIA_CODEC_UNSUPPORTED",
    recordings.mp4_garbled_video: "MEDIA_CODEC_UNSUPPORTED",
    recordings.wav_too_short: "MEDIA_NO_CONTENT",
}
FOREIGN = (german, spanish)
SPEECHLESS = {
    recordings.mp4_without_sound: SpeechFound.NO_AUDIO_TRACK,
    recordings.mp4_silent: SpeechFound.SILENT,
    recordings.mp4_all_audio_tracks_silent: SpeechFound.SILENT,
    recordings.mp4_music_only: SpeechFound.NO_SPEECH,
}
BEEPING = (
    recordings.mp4,
    recordings.mp4_faststart,
    recordings.mp4_fragmented,
    recordings.mp4_variable_frame_rate,
    recordings.mp4_rotated,
    recordings.mp4_broken_tags,
    recordings.mp4_first_audio_track_empty,
    recordings.mp4_with_late_sound,
    recordings.mov,
    recordings.mkv,
    recordings.mkv_surround,
    recordings.webm,
    recordings.webm_without_duration,
)
FILMED = (sample, narrated.mkv_surround, narrated.mp4_voice_in_the_second_track)
SOUND_ALONE = (narrated.wav, narrated.mp3, narrated.m4a, narrated.ogg)
TAKING_LONGEST_FIRST: tuple[Maker, ...] = (
    *FILMED,
    *SOUND_ALONE,
    *FOREIGN,
    *BEEPING,
    *SPEECHLESS,
    recordings.mp3_with_cover_art,
    *HOPELESS,
)


@dataclass(frozen=True)
class Shot:
    """A step's picture, and its row."""

    row: Screenshot
    image: Image.Image


@dataclass(frozen=True)
class Result:
    """A job that ended, and what it made."""

    stack: Stack
    job: Job

    @cached_property
    def version(self) -> InstructionVersion:
        return self.stack.store.get_instruction(OWNER, self.job.instruction_id or "")

    @cached_property
    def steps(self) -> list[BlockEvidence]:
        evidence = [BlockEvidence.model_validate(each) for each in self.version.evidence]
        return [each for each in evidence if each.role is BlockRole.STEP]

    @cached_property
    def shots(self) -> dict[str, Shot]:
        """By block."""
        rows = self.stack.store.screenshots_for(self.version.id)
        return {row.block_id: Shot(row, self._image(row)) for row in rows}

    def _image(self, row: Screenshot) -> Image.Image:
        return Image.open(io.BytesIO(self.stack.artifacts.read_bytes(row.blob)))

    def artifact(self, kind: ArtifactKind) -> Artifact:
        found = self.stack.store.latest_artifact(self.job.id, kind)
        assert found is not None
        return found

    @cached_property
    def transcript(self) -> Transcript:
        return Transcript.model_validate_json(
            self.stack.artifacts.read_bytes(self.artifact(ArtifactKind.TRANSCRIPT).blob)
        )

    @cached_property
    def sound(self) -> NDArray[np.float32]:
        """The extracted sound, as the speech model hears it."""
        content = self.stack.artifacts.read_bytes(self.artifact(ArtifactKind.AUDIO).blob)
        with av.open(io.BytesIO(content), "r") as container:
            assert container.streams.audio[0].codec_context.sample_rate == SOUND_HZ
            parts = [frame.to_ndarray()[0] for frame in container.decode(audio=0)]
        return (np.concatenate(parts) / 32768).astype(np.float32)

    @property
    def prose(self) -> list[str]:
        """The document's lines without headings, markers and blank ones."""
        return [line for line in self.version.markdown.splitlines() if line and not line.startswith(("#", "<!--"))]


Results = Callable[[Maker], Result]


@pytest.fixture(scope="module")
def results(shared_stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> Results:
    """All recordings run side by side; a test waits for its own."""
    folder = tmp_path_factory.getbasetemp() / "recordings"
    jobs: dict[Maker, Job] = {}
    for make in TAKING_LONGEST_FIRST:
        jobs[make] = shared_stack.new_job(make(folder))
        shared_stack.run(jobs[make])

    def ended(make: Maker) -> Result:
        return Result(shared_stack, shared_stack.wait_for(jobs[make], "DRAFT_READY", "FAILED", within_s=180))

    return ended


def name_of(make: Maker) -> str:
    return make.__name__


# --- recordings that cannot be worked with -------------------------------------------------------------------------


@pytest.mark.parametrize("make", HOPELESS, ids=name_of)
def test_given_a_hopeless_file_then_the_job_fails_at_once_and_says_what_to_do(make: Maker, results: Results) -> None:
    failed = results(make)
    assert failed.job.status == "FAILED" and failed.job.failure is not None
    assert failed.job.failure.failure_code == HOPELESS[make]
    assert failed.job.failure.failed_stage == "audio"
    assert re.search(r"\b[Ss]end\b", failed.job.failure.failure_message), "it does not say what to do"
    assert_tried_once(failed, "audio")
    assert failed.stack.scheduled(failed.job) == ["audio"]
    assert failed.stack.statuses(failed.job)[-2:] == ["AUDIO_EXTRACTING", "FAILED"]


@pytest.mark.parametrize("make", FOREIGN, ids=name_of)
def test_given_another_language_than_the_bundled_model_knows_then_the_job_names_the_setting(
    make: Maker, results: Results
) -> None:
    failed = results(make)
    assert failed.job.status == "FAILED" and failed.job.failure is not None
    assert failed.job.failure.failure_code == "SPEECH_LANGUAGE_UNSUPPORTED"
    assert failed.job.failure.failed_stage == "transcription"
    assert "GUIDESMITH_SPEECH_MODEL" in failed.job.failure.failure_message
    assert_tried_once(failed, "transcription")
    assert failed.job.instruction_id is None


def assert_tried_once(failed: Result, stage: str) -> None:
    assert started_executions(failed.stack, failed.job.id)[stage] == 1
    assert [event for event in failed.stack.audit(failed.job) if event.event_type == "STAGE_RETRIED"] == []


# --- recordings without speech -------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", SPEECHLESS, ids=name_of)
def test_given_nobody_speaks_then_the_draft_shows_each_screen_says_why_and_invents_no_word(
    make: Maker, results: Results
) -> None:
    done = results(make)
    assert done.job.status == "DRAFT_READY"
    assert done.transcript.speech is SPEECHLESS[make]
    assert done.transcript.segments == ()
    (warning,) = done.version.warnings
    assert warning["code"] == SPEECHLESS[make].value.upper()
    assert done.prose == [f"{warning['message']} {SCREENS_LEAD}"]
    assert re.search(r"no speech|[Nn]obody speaks", warning["message"])
    headings = [line for line in done.version.markdown.splitlines() if line.startswith("## ")]
    assert [re.sub(r"\d\d:\d\d", "TIME", heading) for heading in headings] == [
        f"## Screen {number} at TIME" for number in (1, 2, 3)
    ]
    assert_shows_the_storyboard(done)


SCREENS_LEAD = "Each step below is a screen that it shows; describe in your own words what happens there."


def test_given_two_recordings_without_sound_then_each_shows_its_own_screens_at_its_own_times(
    results: Results, shared_stack: Stack, tmp_path: Path
) -> None:
    shorter = results(recordings.mp4_without_sound)
    job = shared_stack.new_job(recordings.mp4_screens_with_transitions(tmp_path))
    shared_stack.run(job)
    longer = Result(shared_stack, shared_stack.wait_for(job, "DRAFT_READY", "FAILED", within_s=180))
    assert shorter.transcript.duration_ms == pytest.approx(recordings.DURATION_MS, abs=EXACT_MS)
    assert longer.transcript.duration_ms == pytest.approx(recordings.SETTLED_MS[-1][1], abs=EXACT_MS)
    for step, (start_ms, end_ms) in zip(longer.steps, recordings.SETTLED_MS, strict=True):
        taken_ms = longer.shots[step.block_id].row.timestamp_ms
        assert taken_ms is not None and start_ms <= taken_ms <= end_ms


def test_given_sound_alone_without_speech_then_the_draft_says_that_there_is_nothing_to_show(results: Results) -> None:
    done = results(recordings.mp3_with_cover_art)
    assert done.job.status == "DRAFT_READY"
    assert (done.steps, done.shots) == ([], {})
    (lead,) = done.prose
    assert lead.startswith("Nobody speaks in this recording") and "no settled screen" in lead


# --- recordings of every make --------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", BEEPING, ids=name_of)
def test_given_any_container_then_its_sound_and_its_pictures_come_at_their_times(make: Maker, results: Results) -> None:
    done = results(make)
    assert done.job.status == "DRAFT_READY"
    late_ms = recordings.LATE_MS if make is recordings.mp4_with_late_sound else 0
    due_ms = [late_ms + beep_ms for beep_ms in recordings.BEEPS_MS]
    assert beeps_ms(done.sound) == pytest.approx(due_ms, abs=EXACT_MS)
    assert done.transcript.duration_ms == pytest.approx(recordings.DURATION_MS + late_ms, abs=EXACT_MS)
    assert_shows_the_storyboard(done, upright=make is not recordings.mp4_rotated)


def assert_shows_the_storyboard(done: Result, *, upright: bool = True) -> None:
    """A step for each of its screens; pictures of the right colour, the right way up, taken when the row says."""
    assert len(done.steps) == len(done.shots) == len(recordings.COLOURS)
    for number, (step, colour) in enumerate(zip(done.steps, recordings.COLOURS, strict=True)):
        assert step.start_ms == pytest.approx(number * recordings.SCREEN_MS, abs=LOOK_MS)
        assert step.end_ms == pytest.approx((number + 1) * recordings.SCREEN_MS, abs=LOOK_MS)
        shot = done.shots[step.block_id]
        as_stored = shot.image if upright else shot.image.transpose(Image.Transpose.ROTATE_90)
        assert as_stored.size == (recordings.WIDTH, recordings.HEIGHT)
        assert (shot.row.width, shot.row.height) == shot.image.size
        assert pixel(as_stored, recordings.WIDTH // 2, recordings.HEIGHT // 2) == pytest.approx(colour, abs=20)
        assert min(pixel(as_stored, recordings.MARKER_PX // 2, recordings.MARKER_PX // 2)) > 200
        assert shot.row.timestamp_ms == pytest.approx(recordings.clock_ms(as_stored), abs=EXACT_MS)


def pixel(image: Image.Image, x: int, y: int) -> tuple[int, ...]:
    found = image.convert("RGB").getpixel((x, y))
    assert isinstance(found, tuple)
    return found


def beeps_ms(samples: NDArray[np.float32]) -> list[float]:
    """When loud stretches begin that at least 100 ms of quiet precede."""
    loud = np.nonzero(np.abs(samples) > 0.04)[0]
    starts = loud[np.diff(loud, prepend=-SOUND_HZ) > SOUND_HZ // 10]
    return [float(start) * 1000 / SOUND_HZ for start in starts]


# --- recordings with a voice ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", FILMED, ids=name_of)
def test_given_the_narrated_sample_then_each_step_cites_its_sentence_and_shows_its_screen(
    make: Maker, results: Results
) -> None:
    done = results(make)
    told = truth()
    assert done.job.status == "DRAFT_READY"
    assert len(done.steps) == len(told.steps) >= 6
    for step, sentence in zip(done.steps, told.steps, strict=True):
        assert_cites(done, step, sentence)
        shot = done.shots[step.block_id]
        assert told.screen_in(shot.image) == sentence.screen, sentence.text
        assert shot.row.timestamp_ms is not None
        assert told.screen_at(shot.row.timestamp_ms) == sentence.screen, "the row names another time"
    assert_heard_in_step(done)
    assert done.transcript.duration_ms == pytest.approx(told.duration_ms, abs=EXACT_MS)
    assert done.version.warnings == ()


@pytest.mark.parametrize("make", SOUND_ALONE, ids=name_of)
def test_given_sound_alone_then_each_step_cites_its_sentence(make: Maker, results: Results) -> None:
    done = results(make)
    told = [sentence for sentence in truth().steps if sentence.end_ms <= narrated.BEGINNING_MS]
    assert done.job.status == "DRAFT_READY"
    assert len(done.steps) == len(told) == 2
    for step, sentence in zip(done.steps, told, strict=True):
        assert_cites(done, step, sentence)
    assert done.shots == {}
    assert_heard_in_step(done)
    assert done.transcript.duration_ms == pytest.approx(narrated.BEGINNING_MS, abs=EXACT_MS)


@pytest.mark.parametrize("make", [narrated.mp4_voice_in_the_second_track, recordings.mp4_first_audio_track_empty])
def test_given_a_first_track_that_is_empty_then_the_second_is_taken_and_recorded(make: Maker, results: Results) -> None:
    facts = results(make).artifact(ArtifactKind.AUDIO).facts
    assert (facts["track_index"], facts["track_reason"]) == (2, "only_audible")


def test_given_all_that_was_said_then_the_worker_logged_none_of_it(shared_stack: Stack, results: Results) -> None:
    said = {segment.text.strip() for make in FILMED for segment in results(make).transcript.segments}
    log = shared_stack.log_file.read_text()
    assert said and log
    assert [text for text in said if text in log] == []


def assert_cites(done: Result, step: BlockEvidence, sentence: Sentence) -> None:
    """The step rests on exactly this sentence, and happens when it is said."""
    cited = [done.transcript.segments[number] for number in step.segments]
    said = " ".join(segment.text for segment in cited)
    assert likeness(said, sentence.text) > ALIKE, f"{said!r} for {sentence.text!r}"
    assert step.start_ms == cited[0].start_ms == pytest.approx(sentence.start_ms, abs=WORD_MS)
    assert step.end_ms == cited[-1].end_ms == pytest.approx(sentence.end_ms, abs=WORD_MS)


def likeness(one: str, other: str) -> float:
    first, second = (re.sub(r"[^a-z ]", "", text.lower()) for text in (one, other))
    return SequenceMatcher(None, first, second, autojunk=False).ratio()


def assert_heard_in_step(done: Result) -> None:
    """The extracted sound is loud and quiet when the sample's is: where the two match best, they are not shifted."""
    heard = loudness(done.sound, SOUND_HZ)
    said = loudness(narrated.narration()[: done.sound.size * narrated.RATE_HZ // SOUND_HZ], narrated.RATE_HZ)
    match = np.correlate(heard - heard.mean(), said - said.mean(), mode="full")
    shift_ms = (int(np.argmax(match)) - (said.size - 1)) * STEP_MS
    assert abs(shift_ms) <= EXACT_MS


def loudness(samples: NDArray[np.float32], rate_hz: int) -> NDArray[np.float32]:
    """Root mean square of each ``STEP_MS``."""
    length = rate_hz * STEP_MS // 1000
    whole = samples[: samples.size // length * length].reshape(-1, length)
    return np.asarray(np.sqrt((whole**2).mean(axis=1)), dtype=np.float32)


def test_given_a_recording_whose_screens_alone_are_asked_for_when_it_is_run_then_nobody_listens(
    shared_stack: Stack,
) -> None:
    job = shared_stack.draft(ROOT / "sample" / "recording.mp4", language=NO_LANGUAGE)
    assert job.status == "DRAFT_READY", job.failure
    made = Result(shared_stack, job)
    assert [each["code"] for each in made.version.warnings] == ["UNHEARD"]
    assert len(made.steps) > 2
    assert all(each.segments == () for each in made.steps)
    artifact = shared_stack.store.latest_artifact(job.id, ArtifactKind.TRANSCRIPT)
    assert artifact is not None
    assert artifact.facts["speech"] == "unheard"
