"""Makes the stored document of a draft: Markdown with block markers, and what each block rests on."""

import re
from collections.abc import Callable

from pydantic import BaseModel, ConfigDict

from activities.drafting.markdown import escape_heading, one_line
from domain.documents.document import BlockEvidence, Document
from domain.documents.draft import SET_APART, BlockRole, Draft, DraftBlock, check_draft, cited_time
from domain.recordings.media import Scene
from domain.recordings.screen import ScreenRecord
from domain.recordings.transcript import Transcript

_PLAIN_PARAGRAPH = re.compile(r"[^\W\d_\"'(]")


class Composed(BaseModel):
    """A document as it is stored. ``title`` is plain text; ``evidence`` has one entry a block, in order."""

    model_config = ConfigDict(frozen=True)

    markdown: str
    evidence: tuple[BlockEvidence, ...]
    title: str


def compose(
    draft: Draft,
    transcript: Transcript,
    scenes: tuple[Scene, ...],
    new_id: Callable[[], str],
    screen: ScreenRecord | None = None,
) -> Composed:
    """The document of a draft. Steps carry no numbers: people reorder them, and publishers count.

    Args:
        draft: What a drafter wrote; its times are derived here from what it cites.
        transcript: What it cites.
        scenes: What it cites where nobody spoke.
        new_id: Gives block ids (``domain.documents.document.stable_ids``).
        screen: What it cites of the screen.

    Raises:
        DraftInvalid: The draft cannot be traced to the recording, or is no document.
    """
    check_draft(draft, transcript, scenes, screen)
    pairs: list[tuple[str, str]] = []
    evidence: list[BlockEvidence] = []
    for block in draft.blocks:
        block_id = new_id()
        pairs.append((block_id, block_markdown(block, language=draft.language)))
        evidence.append(_evidence(block_id, block, transcript, scenes, screen))
    return Composed(
        markdown=Document.of(pairs).render(), evidence=tuple(evidence), title=one_line(draft.blocks[0].heading)
    )


def block_markdown(block: DraftBlock, *, language: str | None) -> str:
    """One block's Markdown: ``# Title``, the lead as it is, ``## Section``, ``## Step`` with its body, a note as a
    quotation."""
    heading = escape_heading(block.heading)
    body = block.body.strip("\n").rstrip()
    if block.role in SET_APART:
        return _quoted(_note_text(heading, body, language))
    if not heading:
        return body
    level = {BlockRole.TITLE: "#", BlockRole.SECTION: "##", BlockRole.STEP: "##"}.get(block.role)
    head = f"{level} {heading}" if level else f"**{heading}**"
    return f"{head}\n\n{body}" if body else head


def _note_text(heading: str, body: str, language: str | None) -> str:
    if heading:
        return f"**{heading}**\n\n{body}" if body else f"**{heading}**"
    # The label is an English word, and it can stand before a paragraph only, not before a list or code.
    labelled = body[:4].lower() == "note" or not _PLAIN_PARAGRAPH.match(body)
    if not labelled and (language or "en").lower().startswith("en"):
        return f"**Note:** {body}"
    return body


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}" if line else ">" for line in text.split("\n"))


def _evidence(
    block_id: str,
    block: DraftBlock,
    transcript: Transcript,
    scenes: tuple[Scene, ...],
    screen: ScreenRecord | None,
) -> BlockEvidence:
    cited = cited_time(block, transcript, scenes, screen)
    return BlockEvidence(
        block_id=block_id,
        role=block.role,
        segments=tuple(sorted(set(block.segments))),
        scenes=tuple(sorted(set(block.scenes))),
        changes=tuple(dict.fromkeys(block.changes)),
        start_ms=cited.start_ms if cited else None,
        end_ms=cited.end_ms if cited else None,
        action_ms=cited.action_ms if cited else None,
    )
