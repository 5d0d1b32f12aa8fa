"""Blurring what is private on all pictures of an instruction, by what was read off its recording's screen."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from domain.artifacts import Artifact, ArtifactKind
from domain.documents.anchors import Anchor
from domain.documents.annotations import Operation
from domain.documents.privacy import Private, Unchecked, private_of, to_blur, unchecked, with_blurs
from domain.documents.screenshots import ScreenshotAsset
from domain.documents.versions import InstructionVersion
from domain.errors import PictureUnusable
from domain.geometry import Box
from domain.jobs import Page
from domain.recordings.screen import ScreenRecord

if TYPE_CHECKING:
    from activities.artifacts import ArtifactStore
    from activities.tasks.annotating import Annotator

ANCHORS_AT_ONCE = 100


class RedactionStore(Protocol):
    """What redacting needs of the store."""

    def get_instruction(self, owner: str, instruction_id: str) -> InstructionVersion: ...
    def latest_artifact(self, job_id: str, kind: ArtifactKind) -> Artifact | None: ...
    def list_anchors(self, owner: str, instruction_id: str, limit: int, cursor: str | None) -> Page[Anchor]: ...
    def get_asset(self, asset_id: str) -> ScreenshotAsset | None: ...


@dataclass(frozen=True, slots=True)
class Redaction:
    """One picture: how many blurs it lacks, or why it could not be checked, or both."""

    anchor_id: str
    asset_id: str
    blurs: int
    unchecked: Unchecked | None
    operations: tuple[Operation, ...] = ()
    base_asset_id: str = ""


@dataclass(frozen=True, slots=True)
class Redactions:
    """What was found in the recording, each value with the number of pictures that it stands on, and the pictures."""

    found: tuple[tuple[Private, int], ...] = ()
    pictures: tuple[Redaction, ...] = field(default=())


class Redactor:
    """Finds what is private on the pictures that show, and blurs it. The blurs are drawings like any other: they can be
    changed and taken away."""

    def __init__(self, store: RedactionStore, artifacts: "ArtifactStore", annotator: "Annotator") -> None:
        self._store = store
        self._artifacts = artifacts
        self._annotator = annotator

    def find(self, owner: str, instruction_id: str, listed: Sequence[str]) -> Redactions:
        """What would be blurred; ``listed`` words, too.

        Raises:
            NotFound: The instruction is absent or not ``owner``'s.
        """
        version = self._store.get_instruction(owner, instruction_id)
        screen = self._screen(version.job_id)
        known = private_of(screen, listed) if screen is not None else ()
        counts: Counter[str] = Counter()
        pictures = []
        for anchor in self._anchors(owner, instruction_id):
            asset = self._store.get_asset(anchor.active_asset_id) if anchor.active_asset_id else None
            if asset is None:
                continue
            places: tuple[tuple[Private, Box], ...] = ()
            if screen is not None and asset.timestamp_ms is not None:
                places = to_blur(screen, asset.timestamp_ms, known, listed)
            counts.update({_same(value) for value, _ in places})
            drawn = asset.operations or ()
            wanted = with_blurs(drawn, [box for _, box in places])
            pictures.append(
                Redaction(
                    anchor_id=anchor.id,
                    asset_id=asset.id,
                    blurs=len(wanted) - len(drawn),
                    unchecked=unchecked(screen, asset.timestamp_ms),
                    operations=wanted,
                    base_asset_id=(asset.rendered_from_asset_id or asset.id) if drawn else asset.id,
                )
            )
        return Redactions(tuple((value, counts[_same(value)]) for value in known), tuple(pictures))

    def redact(self, owner: str, instruction_id: str, listed: Sequence[str]) -> Redactions:
        """Blur all of it. A picture that has every blur already stays as it is; one that is lost or cannot be drawn on
        is told of as unchecked. What is answered is what was drawn, with what shows now.

        Raises:
            NotFound: As :meth:`find`.
        """
        found = self.find(owner, instruction_id, listed)
        return Redactions(found.found, tuple(self._drawn(owner, each) for each in found.pictures))

    def _drawn(self, owner: str, each: Redaction) -> Redaction:
        if not each.blurs:
            return each
        try:
            drawn = self._annotator.annotate(owner, each.anchor_id, each.base_asset_id, each.operations)
        except PictureUnusable:
            return Redaction(each.anchor_id, each.asset_id, 0, Unchecked.LOST)
        return Redaction(each.anchor_id, drawn.rendered_asset_id, each.blurs, each.unchecked)

    def _screen(self, job_id: str) -> ScreenRecord | None:
        artifact = self._store.latest_artifact(job_id, ArtifactKind.SCREEN)
        if artifact is None:
            return None
        return ScreenRecord.model_validate_json(self._artifacts.read_bytes(artifact.blob))

    def _anchors(self, owner: str, instruction_id: str) -> list[Anchor]:
        """Those of the instruction, the oldest first."""
        anchors: list[Anchor] = []
        cursor: str | None = None
        while True:
            page = self._store.list_anchors(owner, instruction_id, ANCHORS_AT_ONCE, cursor)
            anchors += page.items
            cursor = page.next_cursor
            if cursor is None:
                return anchors[::-1]


def _same(value: Private) -> str:
    return "".join(each for each in value.text.casefold() if each.isalnum())
