"""The built-in drafter: deterministic, offline, and honest. It writes only what was said.

Sentences are read for the actions that they tell (``speech_acts.py``), screens for those that were done (``acts.py``),
and a step is what both agree on (``agreement.py``, ``narrated.py``). Warnings and reminders make notes, what explains
a step is its body, side talk is left to the transcript. Where no screen was read, what was said stands alone; where
nobody speaks, what is shown. Without either it is one step a stretch of speech or a screen, with a warning.
"""

import re
from collections.abc import Sequence

from activities.drafting.acts import Shown
from activities.drafting.doubts import doubts
from activities.drafting.drafters import OnProgress, Rewrite, Stop
from activities.drafting.language.sentences import Sentence, sentences
from activities.drafting.language.speech_acts import readings
from activities.drafting.narrated import narrated
from activities.drafting.outline import MAX_STEPS, blocks_of, within_limit
from activities.drafting.rederive import RewriteRequest, is_whole, rederived
from activities.drafting.silent import silent_blocks
from activities.drafting.steps import is_english, stretches
from activities.drafting.titles import titled
from domain.documents.document import BlockEvidence
from domain.documents.draft import BlockRole, Draft, DraftBlock, DraftProvenance, DraftWarning
from domain.recordings.media import Scene
from domain.recordings.screen import ScreenRecord
from domain.recordings.transcript import SpeechFound, Transcript

LOCAL_PROFILE = "local"
DRAFT_TEMPLATE = "local/v7"
"""Changes whenever the same recording gives another draft."""
LOCAL_TEMPLATE = "local/v1"
"""Changes whenever the same block is written again in another way."""

_PROVENANCE = DraftProvenance(model_profile_id=LOCAL_PROFILE, prompt_template_id=DRAFT_TEMPLATE)
_REWRITTEN = DraftProvenance(model_profile_id=LOCAL_PROFILE, prompt_template_id=LOCAL_TEMPLATE)


class LocalDrafter:
    """See the module. Linear in the length of the transcript; no state."""

    def draft(
        self,
        transcript: Transcript,
        scenes: tuple[Scene, ...],
        *,
        source_name: str,
        screen: ScreenRecord | None = None,
        on_progress: OnProgress | None = None,
    ) -> Draft:
        """See :meth:`activities.drafting.drafters.Drafter.draft`. Warning codes: ``NO_AUDIO_TRACK``, ``SILENT``,
        ``NO_SPEECH``, ``SCREENS_LIMITED``, ``LANGUAGE_NOT_FULLY_SUPPORTED``, ``NO_STEPS_RECOGNISED``,
        ``STEPS_GROUPED`` and those of :func:`activities.drafting.doubts.doubts`."""
        shown = Shown(screen) if screen is not None and (screen.changes or screen.texts) else None
        if transcribed := sentences(transcript.segments):
            title, blocks, warnings = _spoken_blocks(
                transcribed, _language(transcript, transcribed), source_name, shown
            )
        else:
            # Also where a recogniser gives nothing but music notes and dots.
            why = SpeechFound.NO_SPEECH if transcript.speech is SpeechFound.SPEECH else transcript.speech
            language = primary(transcript.language) or "en"
            title, _ = titled((), language, shown, source_name)
            blocks, warnings = silent_blocks(why, scenes, shown, language=language, unclear=bool(transcript.unclear))
        if on_progress:
            on_progress(1.0)
        return Draft(
            blocks=(title, *blocks),
            language=transcript.language,
            warnings=tuple(warnings),
            provenance=_PROVENANCE,
        )

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
        """See :meth:`activities.drafting.drafters.Drafter.rewrite`. Follows "shorter" and "as a list"; any other
        instruction gets the warning ``INSTRUCTION_NOT_FOLLOWED``."""
        whole = is_whole(text, evidence.role, passage)
        request = RewriteRequest.of(instruction)
        markdown, warnings = rederived(text, evidence=evidence, transcript=transcript, request=request, whole=whole)
        return Rewrite(markdown=markdown if markdown.strip() else text, warnings=warnings, provenance=_REWRITTEN)


def _spoken_blocks(
    transcribed: Sequence[Sentence], language: str, source_name: str, shown: Shown | None
) -> tuple[DraftBlock, list[DraftBlock], list[DraftWarning]]:
    warnings: list[DraftWarning] = []
    read = readings(transcribed, language)
    title, topic = titled(read, language, shown, source_name)
    found = narrated(read, language, shown, topic)
    entries = found.entries
    if not any(entry.role is BlockRole.STEP for entry in entries):
        known = language == "en"
        entries = stretches(transcribed, english=known)
        warnings.append(_NO_STEPS if known else _LANGUAGE)
    entries, grouped = within_limit(entries)
    if grouped:
        warnings.append(
            DraftWarning(
                code="STEPS_GROUPED",
                message=f"The recording has more than {MAX_STEPS} steps. Some were grouped under one heading.",
            )
        )
    return title, [block for entry in entries for block in blocks_of(entry)], [*warnings, *doubts(found)]


def _language(transcript: Transcript, transcribed: Sequence[Sentence]) -> str:
    """The primary tag of the language that is spoken; English by its words where nobody knows."""
    if is_english(transcript.language, (word for each in transcribed for word in each.text.split())):
        return "en"
    return primary(transcript.language)


def primary(language: str | None) -> str:
    return re.split(r"[-_]", (language or "").lower())[0]


_NO_STEPS = DraftWarning(
    code="NO_STEPS_RECOGNISED",
    message="No instruction was recognised in what was said, so each step is a stretch of speech. Edit the headings.",
)
_LANGUAGE = DraftWarning(
    code="LANGUAGE_NOT_FULLY_SUPPORTED",
    message="No instruction was recognised in this language, and nothing on the screen tells the steps, so each is a "
    "stretch of speech between pauses. Configure a language model for better steps.",
)
