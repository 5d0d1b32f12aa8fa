"""The stages of the image job: judge the prompt, make the picture and keep it.

An execution that died is done again by another worker: a picture that had arrived is found again, so that nobody pays
for it twice; the library has the picture once, with the job's last move.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from activities.rails.stage import Product, StageLedger, Stages, Work, stage
from domain.artifacts import Blob
from domain.errors import ProviderAnswerInvalid, SettingsInvalid, UploadInvalid
from domain.library import AssetMedium, NewAsset
from domain.lifecycles.image import COMPLETED, QUEUED, RUNNING
from domain.orders.picture import PictureOrder

if TYPE_CHECKING:
    from activities.artifacts import ArtifactStore, StageMemo
    from activities.imaging import Moderator, Painter
    from activities.pictures.opening import PictureFacts
    from activities.store import JobInput

THUMBNAIL_SIDE = 320
"""Pixels of a thumbnail's longer side."""

SUFFIXES = {"image/png": "png", "image/jpeg": "jpg", "image/webp": "webp"}


class ImageStage(StrEnum):
    """What ``failed_stage`` says."""

    MODERATION = "moderation"
    PAINTING = "painting"


class ImageStore(StageLedger, Protocol):
    """What the stages need of the store."""

    def job_input(self, job_id: str) -> "JobInput": ...


@dataclass(frozen=True)
class ImageParts:
    """What the stages work with. ``moderator``: ``None`` where none is configured."""

    store: ImageStore
    artifacts: "ArtifactStore"
    memo: "StageMemo"
    painter: "Painter"
    moderator: "Moderator | None" = None


class ImageStages(Stages):
    """The activities of the image job."""

    def __init__(self, parts: ImageParts) -> None:
        super().__init__(parts.store)
        self._parts = parts

    @stage(
        ImageStage.MODERATION,
        QUEUED,
        queue="providers",
        summary="have the prompt judged",
        activity_name="moderate-image",
        span=(0, 5),
    )
    def moderate(self, work: Work) -> Product:
        """Nothing, where the prompt may be painted; ContentRejected, where not."""
        if self._parts.moderator is None:
            raise SettingsInvalid("The job is to be moderated, and this worker has no GUIDESMITH_MODERATION_BASE_URL.")
        self._parts.moderator.check(self._order(work).prompt, stop=work.check)
        return Product()

    @stage(
        ImageStage.PAINTING,
        RUNNING,
        checkpoint=COMPLETED,
        queue="providers",
        summary="make the picture and keep it",
        activity_name="paint-image",
    )
    def paint(self, work: Work) -> Product:
        """The picture, checked and kept privately, with a thumbnail, as an asset of the owner's library."""
        original, model = self._original(work)
        work.advance(0.8)
        data = self._parts.artifacts.read_bytes(original)
        facts, small = made_small(data)
        thumb = self._parts.artifacts.put_bytes(work.key("thumbnail.jpg"), small, "image/jpeg")
        asset = NewAsset(
            medium=AssetMedium.PICTURE,
            blob=original,
            thumbnail=thumb,
            width=facts.width,
            height=facts.height,
            facts={"provider": self._parts.painter.name, "model": model},
        )
        return Product(assets=[asset], result={"provider": self._parts.painter.name, "model": model})

    def _original(self, work: Work) -> tuple[Blob, str]:
        """The picture as it was made, and the model that made it; that of an execution which died, where there is."""
        asked = {"job": work.job.id, "attempt": str(work.call.attempt), "seq": str(work.call.seq)}
        known = self._parts.memo.get(work.job.owner, "picture", asked)
        if known is not None:
            return known[0], str(known[1]["model"])
        made = self._parts.painter.paint(self._order(work), request_id="-".join(asked.values()), stop=work.check)
        media_type = inspected(made.data).media_type
        key = work.key(f"original.{SUFFIXES[media_type]}")
        blob = self._parts.artifacts.put_bytes(key, made.data, media_type)
        self._parts.memo.put(work.job.owner, "picture", asked, blob, {"model": made.model})
        return blob, made.model

    def _order(self, work: Work) -> PictureOrder:
        return PictureOrder.model_validate(self._parts.store.job_input(work.job.id).input)


def inspected(data: bytes) -> "PictureFacts":
    """What the picture is, by its content.

    Raises:
        ProviderAnswerInvalid: It is none that can be kept.
    """
    from activities.pictures import isolated

    try:
        return isolated.inspect_picture(data)
    except UploadInvalid as wrong:
        raise _no_picture(wrong) from None


def made_small(data: bytes) -> "tuple[PictureFacts, bytes]":
    """What the picture is, and its thumbnail, a JPEG. Raises as :func:`inspected`."""
    from activities.pictures import isolated

    try:
        return isolated.made_small(data, THUMBNAIL_SIDE)
    except UploadInvalid as wrong:
        raise _no_picture(wrong) from None


def _no_picture(wrong: UploadInvalid) -> ProviderAnswerInvalid:
    from activities.pictures.formats import problem_of

    return ProviderAnswerInvalid(f"The provider sent a file that is no picture we keep ({problem_of(wrong)}).")
