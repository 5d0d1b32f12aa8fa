"""The built-in drafter: deterministic, offline, and honest. It writes only what was said.

English instructions are read sentence by sentence (``spoken.py``): cues and imperatives make steps, warnings and
reminders make notes, the rest explains the step before it. Other languages get one step a stretch of speech, with a
warning. A recording without speech gets its screens.
"""

import re
from collections.abc import Sequence
from pathlib import PureWindowsPath

from activities.drafting import spoken
from activities.drafting.drafters import OnProgress, Rewrite, Stop
from activities.drafting.markdown import one_line
from activities.drafting.outline import MAX_STEPS, blocks_of, within_limit
from activities.drafting.rederive import Wish, is_whole, rederived
from activities.drafting.sentences import Sentence, sentences
from activities.drafting.silent import silent_blocks
from activities.drafting.steps import instructions, is_english, stretches
from domain.documents.document import BlockEvidence
from domain.documents.draft import BlockRole, Draft, DraftBlock, DraftProvenance, DraftWarning
from domain.recordings.media import Scene
from domain.recordings.screen import ScreenRecord
from domain.recordings.transcript import SpeechFound, Transcript

LOCAL_PROFILE = "local"
LOCAL_TEMPLATE = "local/v1"
"""Changes whenever the same transcript gives another draft."""

_PROVENANCE = DraftProvenance(model_profile_id=LOCAL_PROFILE, prompt_template_id=LOCAL_TEMPLATE)

_TITLE_WITHIN_SENTENCES = 12
"""A title is announced in the first minute or not at all."""


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
        ``STEPS_GROUPED``."""
        if said := sentences(transcript.segments):
            title, blocks, warnings = _spoken_blocks(said, transcript.language, source_name)
        else:
            # Also where a recogniser gives nothing but music notes and dots.
            why = SpeechFound.NO_SPEECH if transcript.speech is SpeechFound.SPEECH else transcript.speech
            title = DraftBlock(role=BlockRole.TITLE, heading=title_from(source_name))
            blocks, warnings = silent_blocks(why, scenes)
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
        wish = Wish.of(instruction)
        markdown, warnings = rederived(text, evidence=evidence, transcript=transcript, wish=wish, whole=whole)
        return Rewrite(markdown=markdown if markdown.strip() else text, warnings=warnings, provenance=_PROVENANCE)


def title_from(source_name: str) -> str:
    """A title from a file name: what people call a file is all that is known when nobody says a title."""
    stem = PureWindowsPath(source_name).stem  # takes both kinds of separators
    words = one_line(re.sub(r"[_\-\u2013+]+|%20", " ", stem))
    return spoken.shortened(words[:1].upper() + words[1:], 120) if words else "Untitled recording"


def _spoken_blocks(
    said: Sequence[Sentence], language: str | None, source_name: str
) -> tuple[DraftBlock, list[DraftBlock], list[DraftWarning]]:
    warnings: list[DraftWarning] = []
    english = is_english(language, (word for each in said for word in each.text.split()))
    entries = instructions(said) if english else []
    if not any(entry.role is BlockRole.STEP for entry in entries):
        entries = stretches(said, english=english)
        warnings.append(_NO_STEPS if english else _LANGUAGE)
    entries, grouped = within_limit(entries)
    if grouped:
        warnings.append(
            DraftWarning(
                code="STEPS_GROUPED",
                message=f"The recording has more than {MAX_STEPS} steps. Some were grouped under one heading.",
            )
        )
    title = _title(said, source_name) if english else DraftBlock(role=BlockRole.TITLE, heading=title_from(source_name))
    return title, [block for entry in entries for block in blocks_of(entry)], warnings


_NO_STEPS = DraftWarning(
    code="NO_STEPS_RECOGNISED",
    message="No instruction was recognised in what was said, so each step is a stretch of speech. Edit the headings.",
)
_LANGUAGE = DraftWarning(
    code="LANGUAGE_NOT_FULLY_SUPPORTED",
    message="The built-in drafter recognises instructions in English only, so each step is a stretch of speech between "
    "pauses. Configure a language model for better steps in other languages.",
)


def _title(said: Sequence[Sentence], source_name: str) -> DraftBlock:
    opening = said[:_TITLE_WITHIN_SENTENCES]
    found = spoken.title([sentence.text for sentence in opening])
    if found is None:
        return DraftBlock(role=BlockRole.TITLE, heading=title_from(source_name))
    number, heading = found
    announced = opening[number]
    return DraftBlock(
        role=BlockRole.TITLE,
        heading=heading,
        segments=announced.segments,
        begins_at=announced.begins_at,
        ends_at=announced.ends_at,
    )
