"""Annotating a picture: draw, store, record. What was drawn before is answered from its row."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from activities.artifacts import ArtifactStore
from activities.pictures.drawing import RENDERER
from activities.pictures.isolated import draw
from activities.pictures.opening import MOST_STORED_BYTES
from activities.store.documents.annotations import AnnotationBase
from domain.documents.annotations import Operation, ops_hash
from domain.documents.screenshots import NewDrawing
from domain.errors import ArtifactCorrupt, ArtifactMissing, ArtifactTooLarge, PictureUnusable, UploadInvalid


class AnnotationStore(Protocol):
    """What annotating needs of the store."""

    def annotation_base(self, owner: str, anchor_id: str, base_asset_id: str) -> AnnotationBase: ...
    def show_annotation(self, owner: str, anchor_id: str, base_asset_id: str, ops_hash: str) -> str | None: ...
    def add_annotation(self, owner: str, anchor_id: str, base_asset_id: str, new: NewDrawing) -> str: ...


@dataclass(frozen=True, slots=True)
class Annotated:
    """What was drawn on what, and what shows now."""

    anchor_id: str
    base_asset_id: str
    ops_hash: str
    rendered_asset_id: str

    @property
    def active_asset_id(self) -> str:
        """A drawing shows as soon as it is made."""
        return self.rendered_asset_id


class Annotator:
    """Draws on pictures.

    It works where it is called, in the thread of a request, and not in a workflow: a drawing takes half a
    second, its caller waits for it, and as the same drawing is the same asset there is nothing to resume. A process
    that dies in the middle has changed nothing, and the request can be sent again.
    """

    def __init__(self, store: AnnotationStore, artifacts: ArtifactStore) -> None:
        self._store = store
        self._artifacts = artifacts

    def annotate(self, owner: str, anchor_id: str, base_asset_id: str, operations: Sequence[Operation]) -> Annotated:
        """Draw on one of an anchor's pictures, and let the result show.

        Raises:
            NotFound: The anchor is absent or not ``owner``'s, or the picture is absent, deleted or another anchor's.
            PictureUnusable: The picture cannot be drawn on. Nothing changed.
        """
        base = self._store.annotation_base(owner, anchor_id, base_asset_id)
        drawing = ops_hash(base.blob.checksum_sha256, operations, RENDERER)
        asset_id = self._store.show_annotation(owner, anchor_id, base_asset_id, drawing)
        if asset_id is None:
            new = self._drawn(base, anchor_id, drawing, operations)
            asset_id = self._store.add_annotation(owner, anchor_id, base_asset_id, new)
        return Annotated(anchor_id, base_asset_id, drawing, asset_id)

    def _drawn(self, base: AnnotationBase, anchor_id: str, drawing: str, operations: Sequence[Operation]) -> NewDrawing:
        try:
            data, width, height = draw(self._artifacts.read_bytes(base.blob, limit=MOST_STORED_BYTES), operations)
        except (ArtifactMissing, ArtifactCorrupt, ArtifactTooLarge, UploadInvalid) as cause:
            raise PictureUnusable(
                "The picture is lost, damaged or too large to be drawn on. Take or upload it again, and draw on that."
            ) from cause
        # the same drawing lies under the same key: what a request that dies here leaves behind, the next one uses
        key = f"jobs/{base.job_id}/annotations/{anchor_id}/{drawing}.png"
        blob = self._artifacts.put_bytes(key, data, "image/png")
        return NewDrawing(ops_hash=drawing, blob=blob, width=width, height=height, operations=tuple(operations))
