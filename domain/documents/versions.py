"""The versions of an instruction: the whole document each, added and never changed."""

import hashlib
from datetime import datetime
from enum import StrEnum
from typing import Any

from domain.jobs import Frozen

KEPT_DAYS = 30
"""For which what is written at a desk is kept before it is a version, since it was written at last: as long as a
browser keeps it. In the bin none of it gets too old, and of a guide that came back it is kept as long from then on."""

MOST_SITTINGS = 20
"""Of one instruction. A person has a tab or two, and a device or two; what was left longest ago goes."""


class VersionOrigin(StrEnum):
    """Where a version of an instruction comes from. What only a newer version knows reads as an edit: its rows are read
    after a rollback."""

    DRAFT = "draft"
    EDIT = "edit"
    REGENERATE = "regenerate"
    RESTORE = "restore"
    TRANSLATE = "translate"

    @classmethod
    def _missing_(cls, value: object) -> "VersionOrigin | None":
        return cls.EDIT if isinstance(value, str) else None


class NewVersion(Frozen):
    """A version that is about to be stored.

    ``evidence`` is what each block rests on (``domain.documents.document.BlockEvidence`` as plain values), ``warnings``
    are ``{code, message, at_ms}``; those of earlier versions have no moments.
    """

    title: str
    markdown: str
    evidence: tuple[dict[str, object], ...] = ()
    language: str | None = None
    warnings: tuple[dict[str, Any], ...] = ()
    origin: VersionOrigin
    author: str
    model_profile_id: str | None = None
    prompt_template_id: str | None = None
    prompt_params_ref: str | None = None


class InstructionVersion(NewVersion):
    """A stored version. ``id`` is the instruction_version_id, ``version`` counts from 1."""

    id: str
    instruction_id: str
    job_id: str
    owner: str
    version: int
    validation_status: str
    validation_errors: tuple[dict[str, str], ...] = ()
    validator_version: str
    validated_at: datetime
    created_at: datetime
    name: str | None = None
    translation_of: str | None = None
    """Of a translation: the id of the original instruction."""


class TranslatedFrom(Frozen):
    """What a block of a translation was made from, kept with what the block rests on.

    ``source_sha256`` is the hash of the original's block that the translation is true of, ``made_sha256`` of the
    text that was made of it: a block with another text was edited since. ``role`` is what the original's block was.
    ``untranslated``: no answer of the model could be used, and the block stands in the original's language.
    """

    source_sha256: str
    made_sha256: str
    role: str = "text"
    untranslated: bool = False


def fingerprint(markdown: str) -> str:
    """The hash of one block's text."""
    return hashlib.sha256(markdown.encode("utf-8", "surrogatepass")).hexdigest()
