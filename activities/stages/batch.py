"""The stages of the batch job: one item each, done and recorded once, and the batch's end.

What an item is about is read from the order in the database by its number: Temporal only ever sees that.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Protocol

from temporalio import activity

from activities.rails.contracts import JobStart, Message
from activities.rails.stage import Product, StageLedger, Stages, Work, stage
from domain.artifacts import Artifact, ArtifactKind
from domain.documents.publication import MEDIA_TYPES, ExportFormat
from domain.errors import ArtifactMissing, TranscriptNotReady
from domain.jobs import Failure, Job
from domain.library import AssetMedium, NewAsset
from domain.lifecycles.batch import PROCESSING, BatchType
from domain.lifecycles.fence import Fence
from domain.orders.batch import BatchItem, BatchOrder, CaptionFormat
from domain.recordings.corrections import Correction, corrected
from domain.recordings.transcript import Transcript

if TYPE_CHECKING:
    from PIL.Image import Image

    from activities.artifacts import ArtifactStore
    from activities.store import JobInput

JPEG = "image/jpeg"
POSTER_QUALITY = 75
STILL, CONTACT_SHEET = "still", "contact-sheet"


class BatchStage(StrEnum):
    """What ``failed_stage`` of an item says."""

    CLIPS = "clips"
    THUMBNAILS = "thumbnails"
    CAPTIONS = "captions"


class BatchPlan(Message):
    """What the workflow knows of the order."""

    job_type: BatchType
    items: int


class BatchStart(JobStart):
    """A job's start, and how far the runs before this one have come. ``plan``: once the first has looked."""

    plan: BatchPlan | None = None
    begun: int = 0


class BatchCall(Message):
    """The end of a batch, or of an item that was given up: then ``number`` says which. ``failure``: why the item,
    or the batch where it was stopped before its end."""

    job_id: str
    attempt: int
    dispatch_id: str
    seq: int
    items: int
    number: int = 0
    failure: Failure | None = None

    @property
    def fence(self) -> Fence:
        return Fence(attempt=self.attempt, dispatch_id=self.dispatch_id, seq=self.seq)


class BatchEnd(Message):
    status: str
    failure: Failure | None = None


class BatchStore(StageLedger, Protocol):
    """What the stages need of the store."""

    def job_input(self, job_id: str) -> "JobInput": ...
    def latest_artifact(self, job_id: str, kind: ArtifactKind) -> Artifact | None: ...
    def corrections(self, job_id: str) -> tuple[Correction, ...]: ...
    def is_settled(self, job_id: str, number: int) -> bool: ...
    def finish_item(self, job_id: str, fence: Fence, number: int, items: int, assets: Sequence[NewAsset]) -> None: ...
    def fail_item(self, job_id: str, fence: Fence, number: int, items: int, failure: Failure) -> None: ...
    def close_batch(self, job_id: str, fence: Fence, items: int, stopped: Failure | None = None) -> Job: ...


class BatchControl:
    """What the workflow asks about the whole batch: local activities, a transaction each."""

    def __init__(self, store: BatchStore) -> None:
        self._store = store

    @activity.defn(name="plan-batch", no_thread_cancel_exception=True)
    def plan(self, job_id: str) -> BatchPlan:
        """How much there is to do."""
        order = order_of(self._store, job_id)
        return BatchPlan(job_type=order.job_type, items=order.items)

    @activity.defn(name="give-up-item", no_thread_cancel_exception=True)
    def give_up(self, call: BatchCall) -> None:
        """Record why an item was not done."""
        assert call.failure is not None
        self._store.fail_item(call.job_id, call.fence, call.number, call.items, call.failure)

    @activity.defn(name="close-batch", no_thread_cancel_exception=True)
    def close(self, call: BatchCall) -> BatchEnd:
        """End the batch as its items did."""
        job = self._store.close_batch(call.job_id, call.fence, call.items, call.failure)
        return BatchEnd(status=job.status, failure=job.failure)


@dataclass(frozen=True)
class BatchParts:
    """What the stages work with. ``scratch``: folder for a clip while it is written."""

    store: BatchStore
    artifacts: "ArtifactStore"
    scratch: Path | None = None


Make = Callable[[Work, BatchOrder, BatchItem], list[NewAsset]]


class BatchStages(Stages):
    """The activities that do items; ``call.unit`` is the item's number."""

    def __init__(self, parts: BatchParts) -> None:
        super().__init__(parts.store)
        self._parts = parts

    @stage(BatchStage.CLIPS, PROCESSING, queue="media", summary="cut a clip", activity_name="cut-clip")
    def cut_clip(self, work: Work) -> Product:
        """A stretch of a recording as a file of its own."""
        return self._done(work, self._clip)

    @stage(BatchStage.THUMBNAILS, PROCESSING, queue="media", summary="take thumbnails", activity_name="take-thumbnails")
    def take_thumbnails(self, work: Work) -> Product:
        """Stills of a recording, and a contact sheet of them."""
        return self._done(work, self._thumbnails)

    @stage(BatchStage.CAPTIONS, PROCESSING, queue="jobs", summary="write captions", activity_name="write-captions")
    def write_captions(self, work: Work) -> Product:
        """The transcript of a recording as captions."""
        return self._done(work, self._captions)

    def _done(self, work: Work, make: Make) -> Product:
        """Do an item that is not settled yet, and record it. An execution that died between the two does it again."""
        number = work.call.unit
        if not self._parts.store.is_settled(work.job.id, number):
            order = order_of(self._parts.store, work.job.id)
            assets = make(work, order, order.item(number))
            work.check()
            self._parts.store.finish_item(work.job.id, work.fence, number, order.items, assets)
        return Product()

    # --- what is made ----------------------------------------------------------------------------------------

    def _clip(self, work: Work, order: BatchOrder, item: BatchItem) -> list[NewAsset]:
        from activities import batching, media

        assert item.span is not None
        with self._recording(item) as recording, self._folder() as folder:
            out = folder / "clip"
            clip = batching.cut(recording, item.span, out, work.check)
            key = work.key(f"clip.{clip.container.suffix}")
            blob = self._parts.artifacts.put_file(key, out, clip.media_type, on_progress=lambda _: work.check())
        poster = None
        if clip.poster is not None:
            small = media.encode_jpeg(clip.poster, quality=POSTER_QUALITY)
            poster = self._parts.artifacts.put_bytes(work.key("poster.jpg"), small, JPEG)
        facts = {"source": item.source, "begins_ms": clip.begins_ms, "ends_ms": clip.ends_ms}
        medium = AssetMedium.VIDEO if clip.has_video else AssetMedium.AUDIO
        return [
            NewAsset(
                ordinal=item.ordinal(1), medium=medium, blob=blob, thumbnail=poster, facts={"name": "clip", **facts}
            )
        ]

    def _thumbnails(self, work: Work, order: BatchOrder, item: BatchItem) -> list[NewAsset]:
        from activities import batching, media

        with self._recording(item) as recording:
            duration_ms = media.probe(recording, on_progress=lambda _: work.check()).duration_ms
            frames = media.grab_frames(
                recording,
                batching.spread(duration_ms, order.stills),
                duration_ms=duration_ms,
                on_progress=lambda _: work.check(),
            )
            stills = [batching.small(each, order.width) for each in frames]
        sheet = self._picture(work, item, 1, batching.contact_sheet(stills), {"name": CONTACT_SHEET})
        return [
            sheet,
            *(
                self._picture(work, item, number, each.image, {"name": STILL, "at_ms": each.timestamp_ms})
                for number, each in enumerate(stills, start=2)
            ),
        ]

    def _picture(self, work: Work, item: BatchItem, asset: int, picture: "Image", facts: dict[str, object]) -> NewAsset:
        from activities import media

        blob = self._parts.artifacts.put_bytes(work.key(f"{asset}.jpg"), media.encode_jpeg(picture), JPEG)
        return NewAsset(
            ordinal=item.ordinal(asset),
            medium=AssetMedium.PICTURE,
            blob=blob,
            width=picture.width,
            height=picture.height,
            facts={"source": item.source, **facts},
        )

    def _captions(self, work: Work, order: BatchOrder, item: BatchItem) -> list[NewAsset]:
        from activities.publishing import captions

        said = self._parts.store.latest_artifact(item.source, ArtifactKind.TRANSCRIPT)
        if said is None:
            raise TranscriptNotReady("The recording has no transcript yet. Run its job, then ask for captions again.")
        heard = Transcript.model_validate_json(self._parts.artifacts.read_bytes(said.blob))
        transcript = corrected(heard, self._parts.store.corrections(item.source))
        written = {CaptionFormat.SRT: captions.srt, CaptionFormat.VTT: captions.vtt}
        assets = []
        for number, each in enumerate(order.formats, start=1):
            media_type = MEDIA_TYPES[ExportFormat(each.name)]
            blob = self._parts.artifacts.put_bytes(
                work.key(f"captions.{each}"), written[each](transcript).encode(), media_type
            )
            facts: dict[str, object] = {"name": f"captions.{each}", "source": item.source}
            assets.append(NewAsset(ordinal=item.ordinal(number), medium=AssetMedium.DOCUMENT, blob=blob, facts=facts))
        return assets

    @contextmanager
    def _recording(self, item: BatchItem) -> Iterator[Path]:
        video = self._parts.store.latest_artifact(item.source, ArtifactKind.VIDEO)
        if video is None:
            raise ArtifactMissing("The job has no recording yet. Upload it, then ask for this again.")
        with self._parts.artifacts.local_path(video.blob) as recording:
            yield recording

    @contextmanager
    def _folder(self) -> Iterator[Path]:
        with TemporaryDirectory(prefix="guidesmith-", dir=self._parts.scratch) as folder:
            yield Path(folder)


class InputStore(Protocol):
    def job_input(self, job_id: str) -> "JobInput": ...


def order_of(store: InputStore, job_id: str) -> BatchOrder:
    """What the batch is asked to do. Raises: NotFound: it is no batch."""
    return BatchOrder.model_validate(store.job_input(job_id).input)
