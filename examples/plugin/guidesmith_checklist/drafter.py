"""A drafter that adds and leaves out nothing: every sentence that was said is a step."""

from activities.drafting import OnProgress, Rewrite, Stop
from domain.documents.document import BlockEvidence
from domain.documents.draft import BlockRole, Draft, DraftBlock, DraftProvenance, DraftWarning
from domain.recordings.media import Scene
from domain.recordings.screen import ScreenRecord
from domain.recordings.transcript import Transcript

PROVENANCE = DraftProvenance(model_profile_id="verbatim", prompt_template_id="verbatim/1")
LONGEST_HEADING = 120


class Verbatim:
    """Chosen by ``GUIDESMITH_DRAFT_PROVIDER=verbatim``."""

    def draft(
        self,
        transcript: Transcript,
        scenes: tuple[Scene, ...],
        *,
        source_name: str,
        screen: ScreenRecord | None = None,
        on_progress: OnProgress | None = None,
    ) -> Draft:
        """A step for each segment, which cites it and nothing else."""
        title = DraftBlock(role=BlockRole.TITLE, heading=source_name or "Transcript")
        steps = [
            DraftBlock(role=BlockRole.STEP, heading=segment.text[:LONGEST_HEADING], segments=(number,))
            for number, segment in enumerate(transcript.segments)
        ]
        if on_progress is not None:
            on_progress(1.0)
        warning = DraftWarning(code="VERBATIM", message="Every sentence stands here as it was said.")
        return Draft(blocks=(title, *steps), language=transcript.language, warnings=(warning,), provenance=PROVENANCE)

    def rewrite(
        self,
        text: str,
        *,
        evidence: BlockEvidence,
        transcript: Transcript,
        context: str = "",
        instruction: str | None = None,
        passage: bool | None = None,
        stop: Stop | None = None,
    ) -> Rewrite:
        """The same text: nothing is put in other words."""
        return Rewrite(markdown=text, provenance=PROVENANCE)
