"""Taking one screenshot on request: the frame at a time of the recording, encoded, stored, recorded."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from temporalio import activity

from activities.rails.contracts import TaskCall, TaskFailure
from activities.rails.heartbeat import Heartbeat
from domain.artifacts import Artifact, ArtifactKind
from domain.documents.screenshots import Extraction, FrameStrategy, NewFrame, PictureFormat, ScreenshotTask
from domain.errors import ArtifactMissing, MediaHasNoContent
from domain.jobs import Failure, TaskStatus

if TYPE_CHECKING:
    from PIL import Image

    from activities.artifacts import ArtifactStore
    from activities.media import Frame


@dataclass(frozen=True, slots=True)
class Footage:
    """What is known of a recording's pictures without opening it; ``None``: nobody has measured that."""

    duration_ms: int | None = None
    has_picture: bool | None = None

    @classmethod
    def of(cls, audio: Artifact | None) -> "Footage":
        """As it was measured when the sound was taken out."""
        facts = audio.facts if audio is not None else {}
        duration_ms, has_picture = facts.get("duration_ms"), facts.get("has_video")
        return cls(
            duration_ms if isinstance(duration_ms, int) else None,
            has_picture if isinstance(has_picture, bool) else None,
        )

    def check(self, extraction: Extraction) -> None:
        """Refuse what cannot be taken from it.

        Raises:
            MediaHasNoContent: The recording has no picture.
            RequestInvalid: The moment is outside of it.
        """
        if self.has_picture is False:
            raise MediaHasNoContent("The recording has no picture, so there is nothing to take a screenshot of.")
        extraction.check_within(self.duration_ms)


class ScreenshotStore(Protocol):
    """What taking a screenshot needs of the store."""

    def latest_artifact(self, job_id: str, kind: ArtifactKind) -> Artifact | None: ...
    def begin_screenshot(self, task_id: str) -> ScreenshotTask: ...
    def finish_screenshot(self, task_id: str, frame: NewFrame) -> ScreenshotTask: ...
    def fail_screenshot(self, task_id: str, failure: Failure) -> ScreenshotTask: ...


class ScreenshotTaker:
    """The activities of the screenshot workflow. Each may run twice; its task is settled once."""

    def __init__(self, store: ScreenshotStore, artifacts: "ArtifactStore") -> None:
        self._store = store
        self._artifacts = artifacts

    @activity.defn(name="take-screenshot", no_thread_cancel_exception=True)
    def take(self, call: TaskCall) -> None:
        """Take the frame that was asked for; its picture shows at the task's anchor."""
        with Heartbeat(call.heartbeat_timeout_s) as heartbeat:
            task = self._store.begin_screenshot(call.task_id)
            if task.status is not TaskStatus.RUNNING:
                return
            frame = self._frame(task, heartbeat)
            heartbeat.check()
            picture = task.extraction.format
            blob = self._artifacts.put_bytes(
                f"jobs/{task.job_id}/screenshots/{task.id}/{activity.info().attempt}.{picture}",
                encoded(frame.image, picture),
                picture.media_type,
            )
            width, height = frame.image.size
            taken = NewFrame(blob=blob, width=width, height=height, pts_ms=frame.pts_ms)
            self._store.finish_screenshot(task.id, taken)

    @activity.defn(name="fail-screenshot", no_thread_cancel_exception=True)
    def fail_screenshot(self, call: TaskFailure) -> None:
        self._store.fail_screenshot(call.task_id, call.failure)

    def _frame(self, task: ScreenshotTask, heartbeat: Heartbeat) -> "Frame":
        video = self._store.latest_artifact(task.job_id, ArtifactKind.VIDEO)
        if video is None:
            raise ArtifactMissing("The recording of this job is gone. Upload it again as a new job.")
        footage = Footage.of(self._store.latest_artifact(task.job_id, ArtifactKind.AUDIO))
        footage.check(task.extraction)
        with self._artifacts.local_path(video.blob, on_progress=lambda _: heartbeat.check()) as recording:
            return grabbed(recording, task.extraction, footage.duration_ms, on_progress=lambda _: heartbeat.check())


def grabbed(
    recording: Path, extraction: Extraction, duration_ms: int | None, *, on_progress: Callable[[int], None]
) -> "Frame":
    """The frame that ``extraction`` names.

    Args:
        duration_ms: The recording's length; measured where it is ``None``.
        on_progress: Called now and then while the frame is looked for; may raise ``Cancelled``.

    Raises:
        RequestInvalid, MediaHasNoContent, MediaTruncated: See ``activities.media``.
    """
    from activities import media

    moment_ms = extraction.moment_ms
    if extraction.strategy is FrameStrategy.NEAREST_KEYFRAME:
        return media.grab_frame(recording, moment_ms, strategy="nearest_keyframe", duration_ms=duration_ms)
    return next(media.grab_frames(recording, [moment_ms], duration_ms=duration_ms, on_progress=on_progress))


def encoded(image: "Image.Image", picture: PictureFormat) -> bytes:
    """The picture as a file of that format."""
    from activities import media

    encoders = {
        PictureFormat.PNG: media.encode_png,
        PictureFormat.JPG: media.encode_jpeg,
        PictureFormat.WEBP: media.encode_webp,
    }
    return encoders[picture](image)
