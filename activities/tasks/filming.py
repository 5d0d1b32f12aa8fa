"""A version as a film: what of its recording and pictures goes in, and who reads it out."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from activities.rails.heartbeat import Heartbeat
from domain.artifacts import Artifact, ArtifactKind
from domain.documents.annotations import box_of, crop_of, without_crop
from domain.documents.publication import MEDIA_TYPES, ExportFormat, Publication
from domain.documents.screenshots import Screenshot
from domain.documents.tasks import Export
from domain.errors import ArtifactCorrupt, ArtifactMissing, UploadInvalid, VoiceUnavailable
from domain.jobs import Job
from domain.recordings.transcript import Transcript

if TYPE_CHECKING:
    from activities.artifacts import ArtifactStore
    from activities.filming.film import Material
    from activities.filming.narration import Narrator
    from activities.filming.scenes import Marked
    from activities.publishing.publisher import Published

DIGEST_BYTES = hashlib.sha256().digest_size


class RecordingStore(Protocol):
    """What a film needs of the store."""

    def get_job(self, job_id: str) -> Job: ...
    def latest_artifact(self, job_id: str, kind: ArtifactKind) -> Artifact | None: ...
    def hides_something(self, instruction_id: str) -> bool: ...


@dataclass(frozen=True)
class Films:
    """Makes films. ``narrator``: who reads them out, where anybody can."""

    store: RecordingStore
    artifacts: "ArtifactStore"
    narrator: "Narrator | None" = None

    def published(
        self,
        export: Export,
        publication: Publication,
        screenshots: Sequence[tuple[Screenshot, bytes]],
        heard: Callable[[], Transcript | None],
        folder: Path,
        heartbeat: Heartbeat,
    ) -> "Published":
        """The film of ``export``, in ``folder``; ``heard``: what was said in its recording.

        Raises:
            VoiceUnavailable: It is to be read out, and nobody can.
            ExportFailed, MediaError, DecodingDied, Cancelled: As ``activities.filming.film``.
        """
        from activities.filming.film import film
        from activities.publishing.naming import filename_of
        from activities.publishing.publisher import Published

        narrator = self._narrator(export.format)
        kept = _Remembered(self.artifacts, export)
        with ExitStack() as held:
            material = self._material(export, screenshots, heard, held, heartbeat)
            made = film(
                publication,
                material,
                narrator=narrator,
                out=folder,
                kept=kept,
                on_progress=heartbeat.check,
                note=lambda done, of: heartbeat.note(scenes_done=done, scenes=of),
            )
        filename = f"{filename_of(publication.title)}{made.path.suffix}"
        return Published(made.path, MEDIA_TYPES[export.format], filename, made.warnings)

    def forget(self, export: Export) -> None:
        """Keep nothing but the file: it is recorded."""
        _Remembered(self.artifacts, export).forget()

    def _narrator(self, export_format: ExportFormat) -> "Narrator | None":
        if export_format is not ExportFormat.MP4_VOICE:
            return None
        if self.narrator is None:
            raise VoiceUnavailable(
                "Nobody can read the video out: install guidesmith[tts] or espeak-ng on every worker, or set "
                "GUIDESMITH_TTS_BASE_URL. Without a voice, export it as MP4."
            )
        return self.narrator

    def _material(
        self,
        export: Export,
        screenshots: Sequence[tuple[Screenshot, bytes]],
        heard: Callable[[], Transcript | None],
        held: ExitStack,
        heartbeat: Heartbeat,
    ) -> "Material":
        from activities import media
        from activities.filming.film import Material
        from activities.filming.scenes import Footage

        if self.store.hides_something(export.instruction_id):
            return Material(hidden=True)
        video, audio = (
            self.store.latest_artifact(export.job_id, kind) for kind in (ArtifactKind.VIDEO, ArtifactKind.AUDIO)
        )
        recording = self._local(video, held, heartbeat)
        if video is None or recording is None:
            return Material(gone=True)
        facts = audio.facts if audio is not None else {}
        size, duration_ms = _size(facts), facts.get("duration_ms")
        if not isinstance(duration_ms, int) or (size is None and facts.get("has_video") is not False):
            info = media.probe(recording, on_progress=lambda _: heartbeat.check())
            size, duration_ms = (info.video.width, info.video.height) if info.video else None, info.duration_ms
        sound = self._local(audio, held, heartbeat) if facts.get("has_audio", audio is not None) else None
        return Material(
            footage=Footage(duration_ms, has_picture=size is not None, may_move=True),
            recording=recording,
            size=size,
            checksum=video.blob.checksum_sha256,
            sound=sound if audio is not None and audio.blob.media_type.startswith("audio/") else None,
            transcript=_there(heard) if export.format is ExportFormat.MP4 else None,
            marks=dict(self._marks(screenshots, heartbeat)),
        )

    def _local(self, artifact: Artifact | None, held: ExitStack, heartbeat: Heartbeat) -> Path | None:
        if artifact is None:
            return None
        try:
            opened = self.artifacts.local_path(artifact.blob, on_progress=lambda _: heartbeat.check())
            return held.enter_context(opened)
        except (ArtifactMissing, ArtifactCorrupt):
            return None

    def _marks(
        self, screenshots: Sequence[tuple[Screenshot, bytes]], heartbeat: Heartbeat
    ) -> Iterator[tuple[str, "Marked"]]:
        """What is drawn on each block's first frame of the recording."""
        from activities.filming.scenes import Marked
        from activities.pictures.isolated import draw

        told = set[str]()
        for shot, data in screenshots:
            if shot.is_outcome or shot.timestamp_ms is None or shot.base is None or shot.block_id in told:
                continue
            drawn = without_crop(shot.operations)
            if not drawn:
                continue
            heartbeat.check()
            try:
                base = self.artifacts.read_bytes(shot.base)
                picture = draw(base, drawn)[0] if crop_of(shot.operations) is not None else data
            except (ArtifactMissing, ArtifactCorrupt, UploadInvalid):
                continue
            told.add(shot.block_id)
            yield shot.block_id, Marked(shot.timestamp_ms, base, picture, tuple(box_of(each) for each in drawn))


class _Remembered:
    """Pieces and spoken texts of one export, for as long as it is being made. They lie where its own files do: they go
    with the job, and what nobody came back for is swept."""

    def __init__(self, artifacts: "ArtifactStore", export: Export) -> None:
        self._artifacts = artifacts
        self._folder = f"exports/{export.job_id}/{export.id}/0/"

    def load(self, what: str) -> bytes | None:
        sealed = self._artifacts.load_small(f"{self._folder}{what}")
        if sealed is None:
            return None
        digest, data = sealed[:DIGEST_BYTES], sealed[DIGEST_BYTES:]
        return data if hashlib.sha256(data).digest() == digest else None

    def save(self, what: str, data: bytes) -> None:
        sealed = hashlib.sha256(data).digest() + data
        self._artifacts.put_bytes(f"{self._folder}{what}", sealed, "application/octet-stream")

    def forget(self) -> None:
        for found in list(self._artifacts.list(self._folder)):
            self._artifacts.delete(found.key)


def _there(heard: Callable[[], Transcript | None]) -> Transcript | None:
    """A film without captions is worth more than none."""
    try:
        return heard()
    except (ArtifactMissing, ArtifactCorrupt):
        return None


def _size(facts: Mapping[str, object]) -> tuple[int, int] | None:
    width, height = facts.get("width"), facts.get("height")
    return (width, height) if isinstance(width, int) and isinstance(height, int) else None
