"""What is wrong with a document, if anything is."""

import re
from collections.abc import Iterable, Sequence
from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from domain.documents.constructs import constructs, has_unclosed_fence
from domain.documents.document import MAX_DOCUMENT_BYTES, Document
from domain.documents.titles import title_of

VALIDATOR_VERSION = "document/1"
"""Changes whenever :func:`validate` judges differently."""

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


class ValidationStatus(StrEnum):
    PASS = "PASS"  # noqa: S105 - a verdict, no secret
    FAIL = "FAIL"


class Issue(BaseModel):
    """One reason why a document does not pass. ``path`` is a JSON pointer into the document: ``/blocks/3``, or
    empty for the whole."""

    model_config = ConfigDict(frozen=True)

    code: str
    message: str
    path: str = ""


def validate(document: Document) -> list[Issue]:
    """Everything that is wrong with the document, in its order; empty: PASS.

    Codes: ``DOCUMENT_TOO_LARGE``, ``TITLE_MISSING``, ``DOCUMENT_EMPTY``, ``BLOCK_ID_MISSING``,
    ``BLOCK_ID_DUPLICATED``, ``BLOCK_EMPTY``, ``FENCE_UNCLOSED``, ``CONTROL_CHARACTER``.
    """
    return [*_issues_of_whole(document), *_issues_of_blocks(document)]


def verdict(issues: Sequence[Issue]) -> ValidationStatus:
    return ValidationStatus.FAIL if issues else ValidationStatus.PASS


def _issues_of_whole(document: Document) -> Iterable[Issue]:
    if len(document.render().encode("utf-8", "surrogatepass")) > MAX_DOCUMENT_BYTES:
        yield Issue(
            code="DOCUMENT_TOO_LARGE", message="The document is larger than 1 MiB. Split it into several instructions."
        )
    if not document.title:
        yield Issue(code="TITLE_MISSING", message='The document has no title. Begin it with a line like "# My title".')
    if not any(_holds_more_than_title(block.markdown) for block in document.blocks):
        yield Issue(code="DOCUMENT_EMPTY", message="The document has no text below its title. Write at least one step.")
    if document.preamble.strip():
        yield Issue(code="BLOCK_ID_MISSING", message="There is text above the first block marker.")


def _issues_of_blocks(document: Document) -> Iterable[Issue]:
    seen: set[str] = set()
    for place, block in enumerate(document.blocks):
        path = f"/blocks/{place}"
        if block.id in seen:
            yield Issue(code="BLOCK_ID_DUPLICATED", message="Two blocks have the same id.", path=path)
        seen.add(block.id)
        if not block.markdown.strip():
            yield Issue(code="BLOCK_EMPTY", message="The block has a marker and no text.", path=path)
        if has_unclosed_fence(block.markdown):
            yield Issue(
                code="FENCE_UNCLOSED",
                message="A code block is opened and not closed. End it with a line of the same marks.",
                path=path,
            )
        if found := _CONTROL.search(block.markdown):
            yield Issue(
                code="CONTROL_CHARACTER",
                message=f"The block holds a control character (U+{ord(found.group()):04X}). Delete it.",
                path=path,
            )


def _holds_more_than_title(markdown: str) -> bool:
    if title_of(markdown) is None:
        return bool(markdown.strip())
    return len(constructs(markdown)) > 1
