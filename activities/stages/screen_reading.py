"""Reading the screen of a recording, beside the transcription: what is shown and what is done, for the draft.

The activity writes nothing but what it remembers of the recording (``StageMemo``), addressed by the recording's own
checksum: it needs no place in the run's sequence, and a second job of the same recording reads nothing again. The
draft's stage records it as the job's artifact. A reading that fails never fails the job; the draft says so.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from temporalio import activity

from activities.rails.contracts import StageCall, StageResult
from activities.rails.heartbeat import Heartbeat
from activities.rails.stage import StageSpec
from domain.artifacts import Artifact, ArtifactKind, Blob
from domain.errors import ArtifactMissing, RecordingLost
from domain.jobs import Job, NewArtifact, StageName
from domain.lifecycles.instruction import TRANSCRIBING
from domain.recordings.screen import ScreenRecord

if TYPE_CHECKING:
    from activities.artifacts import ArtifactStore, ResumePoints, StageMemo

STAGE = "screen"
READER = "pp-ocrv6-small/8"
"""``activities.screen.reading.NAME``, which costs a second to import; a test holds them together."""

UNREADABLE = "SCREEN_UNREADABLE"
UNREADABLE_MESSAGE = (
    "The screen could not be read. The steps come from what was said alone; check the names of buttons and fields."
)
PARTLY_READ_MESSAGE = (
    "The screen changed too often to read all of it. What lies around the pointer was read first; check the names of "
    "buttons and fields, and do not rely on the search for what stood elsewhere."
)


class Library(Protocol):
    """What the reading needs of the store."""

    def get_job(self, job_id: str) -> Job: ...
    def latest_artifact(self, job_id: str, kind: ArtifactKind) -> Artifact | None: ...


def screen_inputs(video: Blob) -> dict[str, str]:
    """What a reading depends on."""
    return {"video": video.checksum_sha256, "reader": READER}


def known_screen(memo: "StageMemo", owner: str, video: Blob) -> NewArtifact | None:
    """What was read off the recording, as an artifact for a job."""
    known = memo.get(owner, STAGE, screen_inputs(video))
    return NewArtifact(kind=ArtifactKind.SCREEN, blob=known[0], facts=known[1]) if known is not None else None


class ScreenReading:
    """The activity.

    Args:
        threads: Cores that text is read with, besides one for the pictures; the transcription has its own.
    """

    def __init__(
        self,
        library: Library,
        artifacts: "ArtifactStore",
        memo: "StageMemo",
        resume_points: "ResumePoints",
        threads: int = 1,
    ) -> None:
        self._library = library
        self._artifacts = artifacts
        self._memo = memo
        self._resume_points = resume_points
        self._threads = threads

    @activity.defn(name="screen", no_thread_cancel_exception=True)
    def read(self, call: StageCall) -> StageResult:
        """Read the recording's pictures, from where an execution stopped that died.

        Raises:
            RecordingLost: It is gone.
            MediaError: It cannot be read.
            ScreenReaderUnavailable: There are no weights.
        """
        with Heartbeat(call.heartbeat_timeout_s) as heartbeat:
            job = self._library.get_job(call.job_id)
            video = self._recording(job)
            known = known_screen(self._memo, job.owner, video)
            if known is not None:
                return _told(known)
            record = self._read(job, video, heartbeat)
            blob = self._artifacts.put_bytes(
                f"jobs/{job.id}/{call.attempt}-{STAGE}-{activity.info().attempt}/screen.json",
                record.model_dump_json().encode(),
                "application/json",
            )
            facts: dict[str, object] = {
                "texts": len(record.texts),
                "changes": len(record.changes),
                "duration_ms": record.duration_ms,
            }
            self._memo.put(job.owner, STAGE, screen_inputs(video), blob, facts)
            self._resume_points.clear(job.owner, STAGE, screen_inputs(video))
            return _told(NewArtifact(kind=ArtifactKind.SCREEN, blob=blob, facts=facts))

    def _read(self, job: Job, video: Blob, heartbeat: Heartbeat) -> ScreenRecord:
        from activities.screen import ScreenResumePoint, read_screen

        inputs = screen_inputs(video)
        saved = self._resume_points.load(job.owner, STAGE, inputs)
        so_far = ScreenResumePoint.model_validate_json(saved) if saved is not None else None

        def at(position_ms: int) -> None:
            heartbeat.check()
            heartbeat.note(position_ms=position_ms)

        def save(now: ScreenResumePoint) -> None:
            self._resume_points.save(job.owner, STAGE, inputs, now.model_dump_json().encode())

        with self._artifacts.local_path(video) as recording:
            return read_screen(recording, threads=self._threads, on_progress=at, so_far=so_far, save=save)

    def _recording(self, job: Job) -> Blob:
        video = self._library.latest_artifact(job.id, ArtifactKind.VIDEO)
        if video is None:
            raise ArtifactMissing("The job has no video. Retry it.")
        if not self._artifacts.exists(video.blob.key):
            raise RecordingLost("The recording of this job is gone from the store. Upload it again as a new job.")
        return video.blob


def _told(artifact: NewArtifact) -> StageResult:
    return StageResult(facts={name: value for name, value in artifact.facts.items() if isinstance(value, int)})


Reading = Callable[[Any, StageCall], StageResult]

ScreenReading.read.__dict__["spec"] = StageSpec(
    StageName.TRANSCRIPTION, TRANSCRIBING, None, "media", "read what the screen shows"
)
