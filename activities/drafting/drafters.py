"""What every drafter does, local or model: write a draft, and write one block of it again."""

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from pydantic import BaseModel, ConfigDict

from domain.documents.document import BlockEvidence
from domain.documents.draft import Draft, DraftProvenance, DraftWarning
from domain.recordings.media import Scene
from domain.recordings.screen import ScreenRecord
from domain.recordings.transcript import Transcript

OnProgress = Callable[[float], None]
"""Told the share that is done, 0 to 1. May raise :class:`domain.errors.Cancelled` to stop the work."""


Stop = Callable[[], bool | None]
"""Asked while an answer is awaited: returns true, or raises, to give it up."""


Pictures = Callable[[Sequence[int]], Iterable[tuple[int, bytes]]]
"""For ids of changes, those ids and JPEGs of the screens that they were made on, without what is private. A drafter
with an attribute ``sees`` that is true takes it as ``pictures``."""


class Rewrite(BaseModel):
    """The new text, the same text where there is nothing to change."""

    model_config = ConfigDict(frozen=True)

    markdown: str
    warnings: tuple[DraftWarning, ...] = ()
    provenance: DraftProvenance


class Drafter(Protocol):
    """Both methods are pure but for what a model says; neither stores anything."""

    def draft(
        self,
        transcript: Transcript,
        scenes: tuple[Scene, ...],
        *,
        source_name: str,
        screen: ScreenRecord | None = None,
        on_progress: OnProgress | None = None,
    ) -> Draft:
        """A draft that :func:`domain.documents.draft.check_draft` lets pass.

        Args:
            transcript: What was said; without speech the draft is made of the scenes.
            scenes: The recording's settled screens, empty for a sound recording.
            source_name: The recording's file name, from which a title is made where nobody said or showed one.
            screen: What was read off the recording's pictures; ``None`` where nobody read them (a sound recording,
                a transcript of before).
            on_progress: See :data:`OnProgress`.

        Raises:
            ProviderError: The model's provider failed; the taxonomy says whether to try again.
        """
        ...

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
        """A block's Markdown, or a passage of it, written again: Markdown for the same place, without marker.

        Args:
            text: The block as it is (without its marker), or a stretch of it.
            evidence: What the block rests on: all that the new text may say. Empty for one written by hand.
            transcript: What it cites.
            context: The Markdown around it, to fit in; nothing of it is to be repeated.
            instruction: What the user asked for.
            passage: Whether ``text`` is a stretch of the block rather than all of it; ``None``: judge by its looks.
            stop: See :data:`Stop`.

        Raises:
            ProviderError: As :meth:`draft`.
        """
        ...
