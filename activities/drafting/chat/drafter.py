"""Drafting with a chat model behind an OpenAI-compatible endpoint.

The model writes; this module decides. What it cites is checked against the transcript, times are derived from that,
an answer that breaks the rules is asked for once more, and after that the built-in drafter takes over with a warning.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeVar

from activities.drafting.chat.answers import AnswerUnusable, Written, WrittenDraft, read_block, read_draft
from activities.drafting.chat.grounding import Sources, ungrounded, without_foreign
from activities.drafting.chat.prompts import (
    BODY_SCHEMA,
    DRAFT_SCHEMA,
    DRAFT_TEMPLATE,
    HEADED_SCHEMA,
    REWRITE_TEMPLATE,
    SEEING_TEMPLATE,
    Messages,
    draft_messages,
    repair_messages,
    rewrite_messages,
)
from activities.drafting.chat.screen_facts import ScreenFacts
from activities.drafting.compose import block_markdown
from activities.drafting.drafters import OnProgress, Pictures, Rewrite, Stop
from activities.drafting.local import LocalDrafter
from activities.drafting.markdown import escape_heading, one_line
from activities.drafting.rederive import is_whole
from activities.drafting.titles import title_from
from domain.documents.document import BlockEvidence
from domain.documents.draft import (
    SET_APART,
    BlockRole,
    Draft,
    DraftBlock,
    DraftProvenance,
    DraftWarning,
    draft_problems,
)
from domain.errors import ProviderRequestRefused
from domain.recordings.media import Scene
from domain.recordings.screen import ScreenRecord
from domain.recordings.transcript import Segment, SpeechFound, Transcript

CHAT_PROFILE = "llm"

PART_CHARACTERS = 24_000
"""Characters of transcript in one request: about 6,000 tokens of English, 25 minutes of speech, so that question and
answer fit a context of 16,000 tokens."""

MOST_PICTURES = 20
"""In one request: about 2 MB, and 20,000 tokens of a model that takes a thousand for a picture."""

_EARLIER_STEPS = 5
_SEARCHED_FOR_PAUSE = 0.2
"""Share of a part's end in which the longest pause becomes the border to the next part."""

_HEADING_LINE = re.compile(r"(#{1,6})[ \t]+[^\n]*")

T = TypeVar("T")


class ChatModel(Protocol):
    """What is needed of a chat endpoint.

    Raises ProviderError and its kin: whoever runs the draft decides about trying again.
    """

    def complete_json(
        self,
        messages: Messages,
        *,
        schema: dict[str, Any],
        schema_name: str,
        model: str,
        stop: Stop | None = None,
    ) -> str:
        """The raw text of the answer, which should be JSON of ``schema``. ``stop`` is asked while it is awaited."""
        ...


class ChatDrafter:
    """Drafts with a model.

    Args:
        client: The endpoint.
        model: The model's name there.
        local: Takes over where nobody speaks and where the model's answers are of no use.
        profile: The model profile that versions name.
        part_characters: See :data:`PART_CHARACTERS`.
        sees: Whether the model is sent pictures of what was done.
    """

    def __init__(
        self,
        client: ChatModel,
        model: str,
        *,
        local: LocalDrafter | None = None,
        profile: str = CHAT_PROFILE,
        part_characters: int = PART_CHARACTERS,
        sees: bool = False,
    ) -> None:
        self._client = client
        self._model = model
        self._local = local or LocalDrafter()
        self._profile = profile
        self._part_characters = part_characters
        self.sees = sees

    def draft(
        self,
        transcript: Transcript,
        scenes: tuple[Scene, ...],
        *,
        source_name: str,
        screen: ScreenRecord | None = None,
        pictures: Pictures | None = None,
        on_progress: OnProgress | None = None,
    ) -> Draft:
        """See :meth:`activities.drafting.drafters.Drafter.draft`. A recording without speech is drafted locally.
        Warning codes: ``MODEL_ANSWER_UNUSABLE`` (and those of the built-in drafter, who then wrote it),
        ``TEXT_NOT_GROUNDED``, ``FOREIGN_TEXT_LEFT_OUT``, ``PICTURES_REFUSED``."""
        if transcript.speech is not SpeechFound.SPEECH:
            return self._local.draft(
                transcript, scenes, source_name=source_name, screen=screen, on_progress=on_progress
            )
        try:
            return self._drafted(transcript, screen, pictures if self.sees else None, source_name, on_progress)
        except AnswerUnusable:
            draft = self._local.draft(transcript, scenes, source_name=source_name, screen=screen)
            return draft.model_copy(update={"warnings": (_UNUSABLE, *draft.warnings)})

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
        """See :meth:`activities.drafting.drafters.Drafter.rewrite`. Warning codes: ``MODEL_ANSWER_UNUSABLE`` (and
        those of the built-in drafter), ``TEXT_NOT_GROUNDED``, ``FOREIGN_TEXT_LEFT_OUT``."""
        cited = [transcript.segments[number] for number in evidence.segments if number < len(transcript.segments)]
        place = _Place.of(text, evidence.role if cited and is_whole(text, evidence.role, passage) else None)
        asked = rewrite_messages(
            place.text,
            schema=place.schema,
            segments=_numbered(cited),
            context=context,
            instruction=instruction,
            language=transcript.language,
        )
        allowed = {segment.id for segment in cited}
        sources = Sources([text, context, instruction or "", *(segment.text for segment in cited)])
        try:
            written, warnings = self._ask(
                asked,
                place.schema,
                "block",
                lambda answer: _given_alone(read_block(answer), sources),
                lambda answer: _block_problems(answer, place, allowed),
                lambda answer: bool(cited) and ungrounded(f"{answer.heading} {answer.body}", cited),
                stop,
            )
            markdown = place.markdown(written, transcript.language)
        except AnswerUnusable:
            fallback = self._local.rewrite(
                text,
                evidence=evidence,
                transcript=transcript,
                context=context,
                instruction=instruction,
                passage=passage,
            )
            return fallback.model_copy(update={"warnings": (_UNUSABLE, *fallback.warnings)})
        warnings += (_LEFT_OUT,) if written.left_out else ()
        return Rewrite(markdown=markdown, warnings=warnings, provenance=self._provenance(REWRITE_TEMPLATE))

    def _drafted(
        self,
        transcript: Transcript,
        screen: ScreenRecord | None,
        pictures: Pictures | None,
        source_name: str,
        on_progress: OnProgress | None,
    ) -> Draft:
        facts = ScreenFacts(transcript, screen)
        parts = parts_of(transcript.segments, self._part_characters)
        blocks: list[DraftBlock] = []
        warnings: dict[str, DraftWarning] = {}
        seen = False
        for number, part in enumerate(parts, start=1):
            stop = _reporting(on_progress, (number - 1) / len(parts))
            if stop:
                stop()
            asked = partial(
                draft_messages,
                _numbered(part),
                source_name=one_line(source_name),
                language=transcript.language,
                part=number,
                parts=len(parts),
                earlier_steps=[block.heading for block in blocks if block.role is BlockRole.STEP][-_EARLIER_STEPS:],
                changes=facts.changes(part),
                topics=facts.topics(part),
            )
            shown = list(pictures(facts.to_show(part, MOST_PICTURES))) if pictures is not None else []
            try:
                made, noticed = self._part(asked(pictures=shown), part, transcript, facts, source_name, stop)
                seen |= bool(shown)
            except ProviderRequestRefused as refused:
                if not shown or "status" not in refused.details:
                    raise
                pictures = None  # nor for the parts that follow
                warnings[_REFUSED.code] = _REFUSED
                made, noticed = self._part(asked(), part, transcript, facts, source_name, stop)
            blocks += made if number == 1 else [block for block in made if block.role in _BODY_ROLES]
            warnings |= {warning.code: warning for warning in noticed}
        if on_progress:
            on_progress(1.0)
        template = SEEING_TEMPLATE if seen else DRAFT_TEMPLATE
        draft = self._as_draft(blocks, transcript, tuple(warnings.values()), template)
        if problems := draft_problems(draft, transcript, (), screen):
            raise AnswerUnusable(problems)
        return draft

    def _part(
        self,
        asked: Messages,
        part: Sequence[Segment],
        transcript: Transcript,
        facts: ScreenFacts,
        source_name: str,
        stop: Stop | None,
    ) -> tuple[list[DraftBlock], tuple[DraftWarning, ...]]:
        """The blocks of one part, title first."""
        listed = {segment.id for segment in part}

        def problems(answer: WrittenDraft) -> list[str]:
            if not answer.blocks and part[0].id > 0:
                return []  # a later part may hold nothing but small talk
            draft = self._as_draft(_draft_blocks(answer, source_name), transcript, ())
            strange = sorted({number for block in draft.blocks for number in block.segments} - listed)
            foreign = [f"Segments {', '.join(map(str, strange[:10]))} are not listed."] if strange else []
            unlisted = sorted({number for block in draft.blocks for number in block.changes} - facts.listed(part))
            foreign += [f"Changes {', '.join(map(str, unlisted[:10]))} are not listed."] if unlisted else []
            return [*foreign, *draft_problems(draft, transcript, (), facts.record)]

        def strays(answer: WrittenDraft) -> bool:
            return any(
                ungrounded(f"{block.heading} {block.body}", [transcript.segments[number] for number in block.segments])
                for block in answer.blocks
                if not block.changes
            )

        sources = Sources([source_name, *(segment.text for segment in transcript.segments), *facts.words])

        def read(text: str) -> WrittenDraft:
            return _draft_given_alone(read_draft(text), sources)

        answer, warnings = self._ask(asked, DRAFT_SCHEMA, "draft", read, problems, strays, stop)
        left_out = answer.left_out or any(block.left_out for block in answer.blocks)
        return _draft_blocks(answer, source_name), (*warnings, *([_LEFT_OUT] if left_out else []))

    def _ask(
        self,
        asked: Messages,
        schema: dict[str, Any],
        name: str,
        read: Callable[[str], T],
        problems_of: Callable[[T], list[str]],
        strays: Callable[[T], bool],
        stop: Stop | None = None,
    ) -> tuple[T, tuple[DraftWarning, ...]]:
        """An answer that keeps the rules, asked for twice at most. One that merely strays from the words that it
        cites is taken the second time, with a warning: a paraphrase is no lie, but somebody should look.

        Raises:
            AnswerUnusable: Neither answer can be used.
        """

        def answered(messages: Messages) -> str:
            return self._client.complete_json(messages, schema=schema, schema_name=name, model=self._model, stop=stop)

        def judged(text: str) -> T:
            answer = read(text)
            if problems := problems_of(answer):
                raise AnswerUnusable(problems)
            return answer

        first = answered(asked)
        try:
            answer = judged(first)
            if not strays(answer):
                return answer, ()
            problems = ["A text shares no word with the segments that it cites. Say what they say."]
        except AnswerUnusable as unusable:
            problems = unusable.problems
        answer = judged(answered(repair_messages(asked, first, problems)))
        return answer, (_NOT_GROUNDED,) if strays(answer) else ()

    def _as_draft(
        self,
        blocks: Sequence[DraftBlock],
        transcript: Transcript,
        warnings: tuple[DraftWarning, ...],
        template: str = DRAFT_TEMPLATE,
    ) -> Draft:
        return Draft(
            blocks=tuple(blocks),
            language=transcript.language,
            warnings=warnings,
            provenance=self._provenance(template),
        )

    def _provenance(self, template: str) -> DraftProvenance:
        return DraftProvenance(
            model_profile_id=self._profile,
            prompt_template_id=template,
            prompt_params_ref=f"model={self._model}"[:200],
        )


_BODY_ROLES = (BlockRole.SECTION, BlockRole.STEP, BlockRole.NOTE)
_ROLES = {"note": BlockRole.NOTE, "section": BlockRole.SECTION}

_UNUSABLE = DraftWarning(
    code="MODEL_ANSWER_UNUSABLE",
    message="The language model answered twice with something that cannot be traced to the recording, so the built-in "
    "drafter wrote this text. Regenerate it, or configure another model.",
)
_REFUSED = DraftWarning(
    code="PICTURES_REFUSED",
    message="The language model's endpoint refused pictures, so it was asked without. Whoever runs guidesmith "
    "can choose a model that sees, or ask none for it.",
)
_NOT_GROUNDED = DraftWarning(
    code="TEXT_NOT_GROUNDED",
    message="Some of the model's text shares no word with what was said at that point. Compare it with the recording.",
)
_LEFT_OUT = DraftWarning(
    code="FOREIGN_TEXT_LEFT_OUT",
    message="The language model wrote an address or a piece of code that nobody said; it was left out. Add it by hand "
    "where it is right.",
)


def _given_alone(block: Written, sources: Sources) -> Written:
    """The block without addresses and code that the model was not given."""
    heading, body = (without_foreign(each, sources) for each in (block.heading, block.body))
    left_out = (heading, body) != (block.heading, block.body)
    return block.model_copy(update={"heading": heading, "body": body, "left_out": left_out}) if left_out else block


def _draft_given_alone(draft: WrittenDraft, sources: Sources) -> WrittenDraft:
    title, lead = (without_foreign(each, sources) for each in (draft.title, draft.lead))
    return draft.model_copy(
        update={
            "title": title,
            "lead": lead,
            "blocks": [_given_alone(block, sources) for block in draft.blocks],
            "left_out": (title, lead) != (draft.title, draft.lead),
        }
    )


def _reporting(on_progress: OnProgress | None, share: float) -> Stop | None:
    """A stop that reports the share done so far, and lets what that raises through."""
    return None if on_progress is None else lambda: on_progress(share)


def parts_of(segments: Sequence[Segment], characters: int) -> list[Sequence[Segment]]:
    """The segments in parts of at most so many characters (a longer segment is a part of its own). A border lies in
    the longest pause of a part's last fifth. Linear."""
    parts: list[Sequence[Segment]] = []
    start = length = place = 0
    while place < len(segments):
        length += len(segments[place].text)
        if length > characters and place > start:
            earliest = max(start + 1, place - int((place - start) * _SEARCHED_FOR_PAUSE))
            cut = max(
                range(earliest, place + 1),
                key=lambda border: (segments[border].start_ms - segments[border - 1].end_ms, border),
            )
            parts.append(segments[start:cut])
            start = place = cut
            length = 0
        else:
            place += 1
    return [*parts, segments[start:]] if start < len(segments) else parts


def _numbered(segments: Sequence[Segment]) -> list[tuple[int, str]]:
    return [(segment.id, one_line(segment.text)) for segment in segments]


def _draft_blocks(answer: WrittenDraft, source_name: str) -> list[DraftBlock]:
    """The answer as a draft's blocks, as it is: whether they may be stored is judged elsewhere."""
    title = DraftBlock(
        role=BlockRole.TITLE, heading=answer.title or title_from(source_name), segments=tuple(answer.title_segments)
    )
    lead = [DraftBlock(role=BlockRole.LEAD, body=answer.lead, segments=tuple(answer.lead_segments))]
    return [
        title,
        *(lead if answer.lead.strip() else []),
        *(
            DraftBlock(
                role=_ROLES.get(block.kind, BlockRole.STEP),
                heading=block.heading,
                body=block.body,
                segments=tuple(dict.fromkeys(block.segments)),
                changes=tuple(dict.fromkeys(block.changes)),
            )
            for block in answer.blocks
            if block.heading or block.body
        ),
    ]


@dataclass(frozen=True)
class _Place:
    """Where a rewritten text goes, and thus what is asked of the model: heading and body, or a body alone.

    ``text`` is what the model sees, ``role`` that of a whole block which cites something, ``marks`` those of a heading
    at its start, ``margins`` the blank space around a passage.
    """

    text: str
    role: BlockRole | None
    marks: str
    margins: tuple[str, str]

    @classmethod
    def of(cls, text: str, role: BlockRole | None) -> "_Place":
        bare = text.strip()
        before, _, behind = text.partition(bare)
        heading = _HEADING_LINE.match(bare)
        return cls(bare, role, heading.group(1) if heading else "", (before, behind))

    @property
    def schema(self) -> dict[str, Any]:
        return HEADED_SCHEMA if self.marks else BODY_SCHEMA

    def markdown(self, written: Written, language: str | None) -> str:
        before, behind = self.margins
        return f"{before}{self._inner(written, language)}{behind}"

    def _inner(self, written: Written, language: str | None) -> str:
        if self.role in SET_APART:
            return block_markdown(DraftBlock(role=self.role, body=written.body), language=language)
        if not self.marks:
            # A passage within a line must stay within it.
            return written.body if self.role or "\n" in self.text else " ".join(written.body.split())
        head = f"{self.marks} {escape_heading(written.heading)}"
        return f"{head}\n\n{written.body}" if written.body and self.role is not BlockRole.TITLE else head


def _block_problems(answer: Written, place: _Place, allowed: set[int]) -> list[str]:
    problems = []
    if place.marks and not answer.heading:
        problems.append("The heading is empty.")
    if not place.marks and not answer.body.strip():
        problems.append("The body is empty.")
    if strange := sorted(set(answer.segments) - allowed):
        problems.append(f"Segments {', '.join(map(str, strange[:10]))} are not listed.")
    if allowed and not answer.segments:
        problems.append("The answer cites no segment.")
    return problems
