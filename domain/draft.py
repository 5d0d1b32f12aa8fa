"""A draft and the rule that it must not lie.

A drafter, local or model, says which transcript segments (or, when nobody spoke, which scenes) each block rests on,
and nothing about time: times, frames and anchors are derived from what is cited. A block that cites what does not
exist, or a step that cites nothing, cannot be stored.
"""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field

from domain.errors import DraftInvalid
from domain.media import Scene
from domain.transcript import Transcript


class BlockRole(StrEnum):
    """TITLE is the document's heading, LEAD its first paragraph; both may cite nothing. STEP and NOTE must cite."""

    TITLE = "title"
    LEAD = "lead"
    STEP = "step"
    NOTE = "note"


class DraftBlock(BaseModel):
    """One block as a drafter writes it.

    ``text`` is Markdown without block markers: a title's or a step's first line is plain text (the heading), the
    rest is its body.
    """

    model_config = ConfigDict(frozen=True)

    role: BlockRole
    heading: str = Field(default="", max_length=300)
    body: str = Field(default="", max_length=20_000)
    segments: tuple[int, ...] = ()
    scenes: tuple[int, ...] = ()


class Draft(BaseModel):
    """What a drafter answers. ``warnings`` are stable codes with a sentence, shown with the version."""

    model_config = ConfigDict(frozen=True)

    blocks: tuple[DraftBlock, ...]
    language: str | None = None
    warnings: tuple["DraftWarning", ...] = ()
    provenance: "DraftProvenance"


class DraftWarning(BaseModel):
    model_config = ConfigDict(frozen=True)

    code: str
    message: str


class DraftProvenance(BaseModel):
    """Who wrote the draft: ``model_profile_id`` (``local`` for the built-in drafter), the prompt template and its
    version, and a reference to the parameters."""

    model_config = ConfigDict(frozen=True)

    model_profile_id: str
    prompt_template_id: str
    prompt_params_ref: str | None = None


class Cited(BaseModel):
    """A block's time in the recording, derived from its citations. Milliseconds."""

    model_config = ConfigDict(frozen=True)

    start_ms: int
    end_ms: int


def cited_time(block: DraftBlock, transcript: Transcript, scenes: tuple[Scene, ...] = ()) -> Cited | None:
    """When the block's evidence happens, or ``None`` where a title or a lead cites nothing.

    Raises:
        DraftInvalid: The block cites a segment or scene that does not exist or lies outside the recording, or it is
            a step or a note that cites nothing.
    """
    spans: list[tuple[int, int]] = []
    for number in block.segments:
        if not 0 <= number < len(transcript.segments):
            raise DraftInvalid(f"The draft cites segment {number}, which the transcript does not have.")
        segment = transcript.segments[number]
        spans.append((segment.start_ms, segment.end_ms))
    for number in block.scenes:
        if not 0 <= number < len(scenes):
            raise DraftInvalid(f"The draft cites scene {number}, which the recording does not have.")
        spans.append((scenes[number].start_ms, scenes[number].end_ms))
    if not spans:
        if block.role in (BlockRole.STEP, BlockRole.NOTE):
            raise DraftInvalid(f"A {block.role} of the draft cites nothing of the recording.")
        return None
    cited = Cited(start_ms=min(start for start, _ in spans), end_ms=max(end for _, end in spans))
    if cited.start_ms >= transcript.duration_ms:
        raise DraftInvalid("The draft cites a time outside the recording.")
    return cited


def check_draft(draft: Draft, transcript: Transcript, scenes: tuple[Scene, ...] = ()) -> None:
    """Refuse a draft that could not be traced to the recording.

    Raises:
        DraftInvalid: See :func:`cited_time`; also a draft without a title or without any text.
    """
    roles = [block.role for block in draft.blocks]
    if roles.count(BlockRole.TITLE) != 1 or roles[0] is not BlockRole.TITLE:
        raise DraftInvalid("A draft has exactly one title, first.")
    for block in draft.blocks:
        if not (block.heading.strip() or block.body.strip()):
            raise DraftInvalid(f"A {block.role} of the draft is empty.")
        cited_time(block, transcript, scenes)
