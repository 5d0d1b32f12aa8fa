"""Anchors as they are sent: with their pictures, and with where they are in one version of the text."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from fastapi import Request

from activities.store import Store
from domain.documents.anchor_resolution import Resolution, Resolver
from domain.documents.anchors import Anchor
from domain.documents.document import BlockEvidence, Document, absorbed_by, parse
from domain.errors import NotFound
from starter.api.context import Api
from starter.api.pictures.answers import asset_answer
from starter.api.pictures.shapes import AnchorAnswer


@dataclass
class Places:
    """Where anchors are in one version. Each version that an anchor is of is read once."""

    store: Store
    version_id: str
    document: Document
    absorbed: Mapping[str, str]
    _known: dict[str, Resolver] = field(default_factory=dict)

    @classmethod
    def of(cls, store: Store, owner: str, instruction_id: str, version_id: str | None) -> "Places":
        """In a version of the instruction, or in its newest.

        Raises:
            NotFound: ``owner``'s instruction has no such version.
        """
        if version_id is None:
            version = store.get_instruction(owner, instruction_id)
        else:
            version = store.get_version_by_id(version_id, owner=owner)
        if version.instruction_id != instruction_id:
            raise NotFound
        evidence = (BlockEvidence.model_validate(each) for each in version.evidence)
        return cls.among(store, version.id, parse(version.markdown), evidence)

    @classmethod
    def among(cls, store: Store, version_id: str, document: Document, evidence: Iterable[BlockEvidence]) -> "Places":
        """In a version that was read already."""
        absorbed = absorbed_by(evidence)
        return cls(store, version_id, document, absorbed, {version_id: Resolver(document, document, absorbed)})

    def read(self, anchors: Sequence[Anchor]) -> None:
        """Read the versions that these anchors are of."""
        missing = {each.instruction_version_id for each in anchors} - self._known.keys()
        for version_id, markdown in self.store.texts_of(missing).items():
            self._known[version_id] = Resolver(parse(markdown), self.document, self.absorbed)

    def find(self, anchor: Anchor) -> Resolution:
        return self._known[anchor.instruction_version_id].resolve(anchor.addressing)


def anchor_answers(
    api: Api, request: Request, anchors: Sequence[Anchor], places: Places | None, *, include_deleted: bool = False
) -> tuple[AnchorAnswer, ...]:
    """Some anchors as they are sent. Reads the database."""
    pictures = api.store.assets_of([each.id for each in anchors], include_deleted=include_deleted)
    if places is not None:
        places.read(anchors)
    return tuple(
        AnchorAnswer.of(
            each,
            tuple(asset_answer(api, request, asset) for asset in pictures[each.id]),
            None if places is None else (places.version_id, places.find(each)),
        )
        for each in anchors
    )
