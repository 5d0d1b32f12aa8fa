"""Translations: a document in another language, block by block of an original, and how far it is behind that.

A translation keeps the ids of the original's blocks. Each block remembers which text of the original it was made from
(:class:`TranslatedFrom`), with what it rests on, so that edits, restored versions and blocks that come back keep it.
What people wrote in a translation is never written over: a new text for such a block is an offer.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any

from pydantic import Field

from domain.documents.document import Block, BlockEvidence, Document
from domain.documents.draft import BlockRole
from domain.documents.versions import TranslatedFrom, fingerprint
from domain.errors import RequestInvalid
from domain.jobs import Failure, Frozen, TaskStatus

_TAG = re.compile(
    r"(?P<language>[a-z]{2,3})(?:-(?P<script>[a-z]{4}))?(?:-(?P<region>[a-z]{2}|\d{3}))?"
    r"(?P<variants>(?:-(?:[a-z0-9]{5,8}|\d[a-z0-9]{3}))*)",
    re.IGNORECASE,
)
"""Language, script, region and variants of BCP 47 (RFC 5646, section 2.1), without extensions."""

LONGEST_TAG = 35
"""Characters that BCP 47 asks everybody to have room for (RFC 5646, section 4.4.1)."""


def language_tag(text: str) -> str:
    """A language's tag as it is written: ``pt-BR``, ``zh-Hant``.

    Raises:
        RequestInvalid: It is none of BCP 47.
    """
    found = _TAG.fullmatch(text.strip().replace("_", "-")) if len(text) <= LONGEST_TAG else None
    if found is None or found["language"].lower() in ("und", "mul", "zxx", "mis"):
        raise RequestInvalid(
            "A language is a tag like de, pt-BR or zh-Hant (BCP 47: language, script, region).", field="language"
        )
    parts = [found["language"].lower(), (found["script"] or "").title(), (found["region"] or "").upper()]
    return "-".join(each for each in (*parts, found["variants"].lower().strip("-")) if each)


class BlockStanding(StrEnum):
    """How one block of a translation stands to the original.

    BEHIND: the original's text changed since. MISSING: the original has it, the translation never had. LEFT_OUT:
    somebody took it out of the translation. GONE: the original has it no more. OWN: somebody wrote it here.
    """

    CURRENT = "current"
    BEHIND = "behind"
    MISSING = "missing"
    LEFT_OUT = "left_out"
    GONE = "gone"
    OWN = "own"


class BlockState(Frozen):
    """One block of the two documents. ``edited``: a person changed its translation. ``untranslated``: it stands in the
    original's language. ``offered``: a newer translation waits for somebody to take it. ``changed``: of one that was
    left out, the original's text is another since."""

    block_id: str
    state: BlockStanding
    edited: bool = False
    untranslated: bool = False
    offered: bool = False
    changed: bool = False


class TranslationStanding(Frozen):
    """How a translation stands to its original, block by block: in the translation's order, then what it does not have
    in the original's. ``reordered``: what both have stands in another order."""

    blocks: tuple[BlockState, ...] = ()
    reordered: bool = False

    def ids(self, *standings: BlockStanding) -> tuple[str, ...]:
        return tuple(each.block_id for each in self.blocks if each.state in standings)

    @property
    def to_translate(self) -> tuple[str, ...]:
        """What an update translates unless it is told otherwise: what is behind, missing or could not be translated,
        but for what waits to be taken."""
        return tuple(
            each.block_id
            for each in self.blocks
            if (each.state in (BlockStanding.BEHIND, BlockStanding.MISSING) and not each.offered)
            or (each.state is BlockStanding.CURRENT and each.untranslated and not each.edited)
        )

    def counts(self) -> dict[str, int]:
        """How many blocks stand how, by standing; all of them are named."""
        return {str(each): sum(found.state is each for found in self.blocks) for each in BlockStanding}


class Offer(Frozen):
    """A translation of a block whose own was edited. ``source_sha256``: of the original's text it was made from."""

    markdown: str
    source_sha256: str


class Translation(Frozen):
    """A translated document, as it is linked to its original. ``offers`` by block."""

    instruction_id: str
    source_id: str
    job_id: str
    owner: str
    language: str
    offers: dict[str, Offer] = Field(default_factory=dict)
    created_at: datetime
    updated_at: datetime


class NewText(Frozen):
    """One block as it was translated. ``untranslated``: it is the original's text, for want of a usable answer."""

    markdown: str
    source_sha256: str
    untranslated: bool = False


class Update(Frozen):
    """What an update comes to: the document, what its blocks rest on, the texts that gave way to an edit, by block,
    and which blocks were put in place and taken out."""

    document: Document
    evidence: tuple[BlockEvidence, ...]
    offers: dict[str, Offer]
    applied: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


class TranslationTask(Frozen):
    """A translation that was asked for. ``blocks``: those that are translated; ``None``: all that is to be.

    ``instruction_id`` and ``instruction_version`` are what it led to; ``translated``, ``offered``, ``removed`` how many
    blocks; ``untranslated`` the ids of those for which no answer of the model could be used.
    """

    id: str
    source_id: str
    job_id: str
    owner: str
    language: str
    source_version: int
    blocks: tuple[str, ...] | None = None
    reorder: bool = False
    status: TaskStatus
    progress_pct: int = 0
    client_request_id: str
    requested_by: str
    requested_at: datetime
    updated_at: datetime
    instruction_id: str | None = None
    instruction_version: int | None = None
    translated: int = 0
    offered: int = 0
    removed: int = 0
    untranslated: tuple[str, ...] = ()
    model_profile_id: str | None = None
    prompt_template_id: str | None = None
    prompt_params_ref: str | None = None
    failure: Failure | None = None

    @property
    def is_over(self) -> bool:
        return self.status in (TaskStatus.SUCCEEDED, TaskStatus.FAILED)


def held_against(
    source: Document,
    translation: Document,
    evidence: Iterable[BlockEvidence],
    *,
    offers: Collection[str] = (),
    earlier: Iterable[BlockEvidence] = (),
) -> TranslationStanding:
    """How ``translation`` stands to ``source``, a version of its original.

    Args:
        evidence: What the translation's blocks rest on.
        offers: Blocks with a newer translation that waits.
        earlier: What blocks that the translation does not have (any more) rested on when it did.
    """
    known = {each.block_id: each.translated for each in evidence}
    had = {each.block_id: each.translated for each in earlier}
    originals = {block.id: fingerprint(block.markdown) for block in source.blocks if block.markdown}
    there = {block.id for block in translation.blocks}
    states = [_state(block, known.get(block.id), originals.get(block.id), offers) for block in translation.blocks]
    for block_id, now in originals.items():
        if block_id in there:
            continue
        was = had.get(block_id)
        absent = BlockStanding.MISSING if was is None else BlockStanding.LEFT_OUT
        states.append(BlockState(block_id=block_id, state=absent, changed=was is not None and was.source_sha256 != now))
    shared = [block_id for block_id in translation.ids if block_id in originals]
    in_order = [block_id for block_id in source.ids if block_id in there and block_id in originals]
    return TranslationStanding(blocks=tuple(states), reordered=shared != in_order)


def _state(block: Block, made: TranslatedFrom | None, original: str | None, offers: Collection[str]) -> BlockState:
    if made is None:
        # an original's block that somebody wrote here anew is theirs, too
        return BlockState(block_id=block.id, state=BlockStanding.OWN, offered=block.id in offers)
    if original is None:
        found = BlockStanding.GONE
    else:
        found = BlockStanding.CURRENT if original == made.source_sha256 else BlockStanding.BEHIND
    edited = fingerprint(block.markdown) != made.made_sha256
    return BlockState(
        block_id=block.id,
        state=found,
        edited=edited,
        untranslated=made.untranslated and not edited,
        offered=block.id in offers,
    )


def updated(
    source: Document,
    source_evidence: Iterable[BlockEvidence],
    translation: Document,
    evidence: Iterable[BlockEvidence],
    texts: Mapping[str, NewText],
    *,
    offers: Mapping[str, Offer] | None = None,
    reorder: bool = False,
) -> Update:
    """Put translated blocks into ``translation``, the version that is current now; with none, it is a first one.

    A block takes its new text where its translation is as it was made; where somebody edited it, the text is an offer.
    A missing one is put behind the nearest that stands before it in the original. What the original has no more goes,
    unless somebody edited it. What a block is follows the original where that changed and the translation did not.

    Args:
        source, source_evidence: The version of the original that ``texts`` were made from.
        texts: By block; those that the original does not have are passed over.
        offers: Texts that wait already.
        reorder: Whether what both have is put in the original's order; what the translation alone has stays behind
            what it stands behind.
    """
    of_source = {each.block_id: each for each in source_evidence}
    known = {each.block_id: each for each in evidence}
    originals = {block.id for block in source.blocks if block.markdown}
    blocks = list(translation.blocks)
    waiting = dict(offers or {})
    applied: list[str] = []
    removed = [block.id for block in blocks if block.id not in originals and _is_as_made(block, known.get(block.id))]
    blocks = [block for block in blocks if block.id not in removed]
    for block_id in (each for each in source.ids if each in texts and each in originals):
        new = texts[block_id]
        place = next((place for place, block in enumerate(blocks) if block.id == block_id), None)
        if place is not None and not _is_as_made(blocks[place], known.get(block_id)):
            waiting[block_id] = Offer(markdown=new.markdown, source_sha256=new.source_sha256)
            continue
        made = Block(id=block_id, markdown=new.markdown)
        if place is None:
            blocks.insert(_place_of(block_id, source.ids, blocks), made)
        else:
            blocks[place] = blocks[place].model_copy(update={"markdown": new.markdown})
        waiting.pop(block_id, None)
        applied.append(block_id)
        known[block_id] = _rests_on(of_source.get(block_id), known.get(block_id), block_id, new)
    ids = {block.id for block in blocks}
    for block_id in ids & originals - set(applied):
        if (own := known.get(block_id)) is not None:
            known[block_id] = _as_original_is(own, of_source.get(block_id))
    if reorder:
        blocks = _in_order(blocks, [each for each in source.ids if each in originals])
    return Update(
        document=Document(blocks=tuple(_spaced(blocks)), preamble=translation.preamble),
        evidence=tuple(known[block.id] for block in blocks if block.id in known),
        offers={block_id: offer for block_id, offer in waiting.items() if block_id in ids and block_id in originals},
        applied=tuple(applied),
        removed=tuple(removed),
    )


def answered(
    evidence: Iterable[BlockEvidence], document: Document, block_id: str, source_sha256: str, taken: Offer | None
) -> tuple[Document, tuple[BlockEvidence, ...]]:
    """A translation where somebody said of one block that it is true of the original's text of that hash: its own text,
    or, with ``taken``, the one that was offered.

    Raises:
        RequestInvalid: The translation has no such block.
    """
    before = document.block(block_id)
    if taken is not None:
        document = document.replace_block(block_id, taken.markdown)
    found: list[BlockEvidence] = []
    known = {each.block_id: each for each in evidence}
    own = known.get(before.id) or BlockEvidence(block_id=before.id, role=BlockRole.TEXT)
    made = own.translated or TranslatedFrom(source_sha256=source_sha256, made_sha256="", role=str(own.role))
    changed: dict[str, Any] = {"source_sha256": source_sha256, "untranslated": False}
    if taken is not None:
        changed["made_sha256"] = fingerprint(taken.markdown)
    known[before.id] = own.model_copy(update={"translated": made.model_copy(update=changed)})
    found = [known[each] for each in document.ids if each in known]
    return document, tuple(found)


def _is_as_made(block: Block, rests: BlockEvidence | None) -> bool:
    made = rests.translated if rests else None
    return made is not None and fingerprint(block.markdown) == made.made_sha256


def _rests_on(original: BlockEvidence | None, own: BlockEvidence | None, block_id: str, new: NewText) -> BlockEvidence:
    """What a block rests on that was just translated: what the original's does."""
    role = str(original.role) if original else str(BlockRole.TEXT)
    rests = original or BlockEvidence(block_id=block_id, role=BlockRole.TEXT)
    if own is not None and own.translated is not None and str(own.role) != own.translated.role:
        rests = rests.model_copy(update={"role": own.role})  # somebody made something else of it
    made = TranslatedFrom(
        source_sha256=new.source_sha256,
        made_sha256=fingerprint(new.markdown),
        role=role,
        untranslated=new.untranslated,
    )
    return rests.model_copy(update={"translated": made})


def _as_original_is(own: BlockEvidence, original: BlockEvidence | None) -> BlockEvidence:
    """What a block is follows the original's, where that changed and nobody changed it here."""
    made, role = own.translated, str(original.role) if original else str(BlockRole.TEXT)
    if made is None or made.role == role:
        return own
    changed: dict[str, Any] = {"translated": made.model_copy(update={"role": role})}
    if str(own.role) == made.role:
        changed["role"] = BlockRole(role)
    return own.model_copy(update=changed)


def _place_of(block_id: str, order: tuple[str, ...], blocks: list[Block]) -> int:
    """Behind the nearest block that stands before it in the original, else before all."""
    places = {block.id: place for place, block in enumerate(blocks)}
    before = order[: order.index(block_id)]
    return next((places[each] + 1 for each in reversed(before) if each in places), 0)


def _in_order(blocks: list[Block], order: list[str]) -> list[Block]:
    ranks = {block_id: rank for rank, block_id in enumerate(order)}
    head: list[Block] = []
    runs: list[list[Block]] = []
    for block in blocks:
        if block.id in ranks:
            runs.append([block])
        else:
            (runs[-1] if runs else head).append(block)
    runs.sort(key=lambda run: ranks[run[0].id])
    return [*head, *(block for run in runs for block in run)]


def _spaced(blocks: list[Block]) -> list[Block]:
    """One blank line between blocks, at least; a line end behind the last."""
    spaced = [each if each.gap.count("\n") >= 2 else each.model_copy(update={"gap": "\n\n"}) for each in blocks[:-1]]
    return [*spaced, *(each.model_copy(update={"gap": "\n"}) for each in blocks[-1:])]
