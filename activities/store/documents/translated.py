"""Translations held against their originals, and what people say of blocks that are behind."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, and_, func, select, update

from activities.store.documents.documents import (
    Documents,
    add_version,
    compose,
    conflict,
    last_evidence,
    lock_instruction,
    owned_version,
)
from activities.store.jobs.locking import LockedJob, not_found
from activities.store.records import EventType
from activities.store.tables import instruction_versions, instructions
from domain.documents.document import BlockEvidence, parse
from domain.documents.translations import Offer, Translation, TranslationStanding, answered, held_against
from domain.documents.versions import InstructionVersion, NewVersion, VersionOrigin, fingerprint
from domain.errors import RequestInvalid, TranslationMismatch
from domain.jobs import Actor

STREAM = "task"


@dataclass(frozen=True)
class Compared:
    """A translation, the version of it and of its original that are current, and how the one stands to the other."""

    translation: Translation
    source: InstructionVersion
    version: InstructionVersion
    stands: TranslationStanding


@dataclass(frozen=True)
class NamedTranslation:
    """A translation in a list, by its newest version."""

    instruction_id: str
    language: str
    title: str
    version_id: str


@dataclass(frozen=True)
class Linked:
    """One document of a job, and its language, where that is known."""

    instruction_id: str
    language: str | None


class Translated(Documents):
    def documents_of(self, owner: str, job_id: str) -> tuple[Linked, ...]:
        """A job's document and its translations, the original first, then by language."""
        newest = and_(
            instruction_versions.c.instruction_id == instructions.c.id,
            instruction_versions.c.version == instructions.c.current_version,
        )
        language = func.coalesce(instructions.c.language, instruction_versions.c.language).label("language")
        query = (
            select(instructions.c.id, language)
            .join(instruction_versions, newest)
            .where(instructions.c.job_id == job_id, instructions.c.owner == owner)
            .order_by(instructions.c.translation_of.is_not(None), instructions.c.language)
        )
        with self._database.read() as connection:
            return tuple(Linked(row.id, row.language) for row in connection.execute(query))

    def translations_by_original(self, source_ids: Collection[str]) -> dict[str, tuple[NamedTranslation, ...]]:
        """The translations of originals, by their ids, each by its language. One that has none is left out. Whose they
        are has been asked before."""
        newest = and_(
            instruction_versions.c.instruction_id == instructions.c.id,
            instruction_versions.c.version == instructions.c.current_version,
        )
        columns = (instruction_versions.c.title, instruction_versions.c.id.label("version_id"))
        query = (
            select(instructions.c.id, instructions.c.translation_of, instructions.c.language, *columns)
            .join(instruction_versions, newest)
            .where(instructions.c.translation_of.in_(sorted(source_ids)))
            .order_by(instructions.c.language)
        )
        found: dict[str, list[NamedTranslation]] = {}
        with self._database.read() as connection:
            for row in connection.execute(query):
                known = NamedTranslation(row.id, row.language, row.title, row.version_id)
                found.setdefault(row.translation_of, []).append(known)
        return {source_id: tuple(each) for source_id, each in found.items()}

    def translations_of(self, owner: str, source_id: str) -> tuple[Compared, ...]:
        """An original's translations, by their languages. Raises: NotFound: it is absent, or not ``owner``'s."""
        mine = instructions.c.translation_of == source_id, instructions.c.owner == owner
        with self._database.read() as connection:
            source = owned_version(connection, owner, source_id)
            found = connection.execute(select(instructions).where(*mine).order_by(instructions.c.language))
            known = [_translation(row) for row in found.mappings()]
            return tuple(_compared(connection, each, source) for each in known)

    def compare_translation(self, owner: str, instruction_id: str) -> Compared:
        """How a translation stands to its original.

        Raises:
            NotFound: It is absent, or not ``owner``'s. TranslationMismatch: It is an original.
        """
        with self._database.read() as connection:
            return compared(connection, owner, instruction_id)

    def answer_translated(
        self, owner: str, instruction_id: str, block_id: str, *, base_version: int, take: bool, author: str
    ) -> Compared:
        """Somebody has looked at a block that is behind: it is true of the original as that is now, or the text that
        was offered stands in its place.

        Raises:
            NotFound, TranslationMismatch: See :meth:`compare_translation`.
            VersionConflict: ``base_version`` is no longer the translation's newest; nothing was written.
            RequestInvalid: The translation or the original has no such block, or nothing was offered for it.
        """
        known = self.compare_translation(owner, instruction_id)
        offer = known.translation.offers.get(block_id)
        if take and offer is None:
            raise RequestInvalid("No other translation of this block waits.", field="take")
        original = parse(known.source.markdown).block(block_id)
        digest = offer.source_sha256 if take and offer else fingerprint(original.markdown)
        document, evidence = answered(
            evidence_of(known.version), parse(known.version.markdown), block_id, digest, offer if take else None
        )
        kept = known.version.model_dump(include=set(NewVersion.model_fields))
        new = NewVersion(
            **{
                **kept,
                "title": document.title or known.version.title,
                "markdown": document.render(),
                "evidence": tuple(each.model_dump(mode="json") for each in evidence),
                "origin": VersionOrigin.TRANSLATE if take else VersionOrigin.EDIT,
                "author": author,
            }
        )
        composed = compose(new, self._new_id)
        with self._database.write() as connection:
            job = LockedJob(connection, known.translation.job_id, self._clock(), owner=owner)
            instruction = lock_instruction(connection, instruction_id)
            if not instruction.current_version == known.version.version == base_version:
                raise conflict(base_version, instruction.current_version)
            version = add_version(connection, instruction, composed, job.now, self._new_id)
            left = {name: each for name, each in offers_of(connection, instruction_id).items() if name != block_id}
            keep_offers(connection, instruction_id, left, job.now)
            facts: dict[str, object] = {"instruction_version": version.version, "block_id": block_id, "taken": take}
            job.log(EventType.TRANSLATION_ANSWERED, stream=STREAM, actor=Actor.EDITOR, data=facts)
            job.save()
        return self.compare_translation(owner, instruction_id)


def compared(connection: Connection, owner: str, instruction_id: str) -> Compared:
    """As :meth:`Translated.compare_translation`, in the caller's transaction."""
    mine = instructions.c.id == instruction_id, instructions.c.owner == owner
    row = connection.execute(select(instructions).where(*mine)).mappings().one_or_none()
    if row is None:
        raise not_found()
    if row["translation_of"] is None:
        raise TranslationMismatch("This guide is an original, and a translation of nothing.")
    translation = _translation(row)
    return _compared(connection, translation, owned_version(connection, owner, translation.source_id))


def _compared(connection: Connection, translation: Translation, source: InstructionVersion) -> Compared:
    version = owned_version(connection, translation.owner, translation.instruction_id)
    return Compared(translation, source, version, standing_of(connection, translation, source, version))


def standing_of(
    connection: Connection, translation: Translation, source: InstructionVersion, version: InstructionVersion
) -> TranslationStanding:
    """How a version of a translation stands to one of its original."""
    original, document = parse(source.markdown), parse(version.markdown)
    absent = {block.id for block in original.blocks if block.markdown} - set(document.ids)
    earlier = last_evidence(connection, version.instruction_id, absent) if absent else ()
    return held_against(original, document, evidence_of(version), offers=translation.offers, earlier=earlier)


def counted(compared: Compared) -> dict[str, int]:
    """How many blocks stand how; also how many wait to be taken, and stand in the original's language."""
    states = compared.stands.blocks
    return {
        **compared.stands.counts(),
        "offered": sum(each.offered for each in states),
        "untranslated": sum(each.untranslated for each in states),
    }


def _translation(row: Any) -> Translation:
    known = {name: row[name] for name in ("job_id", "owner", "language", "created_at", "updated_at")}
    offers = {block_id: Offer.model_validate(each) for block_id, each in (row["offers"] or {}).items()}
    return Translation(instruction_id=row["id"], source_id=row["translation_of"], offers=offers, **known)


def offers_of(connection: Connection, instruction_id: str) -> dict[str, Offer]:
    kept = connection.scalar(select(instructions.c.offers).where(instructions.c.id == instruction_id)) or {}
    return {block_id: Offer.model_validate(each) for block_id, each in kept.items()}


def keep_offers(connection: Connection, instruction_id: str, offers: Mapping[str, Offer], now: datetime) -> None:
    kept = {block_id: each.model_dump() for block_id, each in offers.items()} or None
    changed = update(instructions).where(instructions.c.id == instruction_id)
    connection.execute(changed.values(offers=kept, updated_at=now))


def evidence_of(version: InstructionVersion) -> tuple[BlockEvidence, ...]:
    return tuple(BlockEvidence.model_validate(each) for each in version.evidence)
