"""Writes one block again without a model: derived anew from the sentences that it cites."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from activities.drafting.compose import block_markdown
from activities.drafting.language import utterances
from activities.drafting.language.english import OUTRO
from activities.drafting.language.sentences import Sentence, sentences
from activities.drafting.markdown import escape, letters_only, one_line, plain_words
from activities.drafting.steps import clauses_of, instructions, is_english, stretches
from domain.documents.document import BlockEvidence
from domain.documents.draft import SET_APART, BlockRole, DraftBlock, DraftWarning
from domain.recordings.transcript import Transcript

_SHORTER = re.compile(
    r"\b(?:short(?:er|en)?|concise|brief(?:er|ly)?|less text|condense|trim"
    r"|kurz|kürze(?:r|n)?|knapp(?:er)?|weniger Text)\b",
    re.IGNORECASE,
)
_AS_LIST = re.compile(
    r"\b(?:list|bullets?|bullet points?|points|Liste|Aufzählung|Stichpunkten?|Punkten?)\b", re.IGNORECASE
)
_SENTENCE_END = re.compile(r"(?<=[.!?\u2026])\s+")
_COMMAND = re.compile(r"\s*((`{3,})\n[^\n]*\n\2)(?=\n|$)")
_SAME_BLOCK_SHARE = 0.5
"""Share of words that a sentence and a block have in common, of whichever has fewer, above which it is in the block."""


@dataclass(frozen=True)
class RewriteRequest:
    """What of a user's instruction can be followed without a model."""

    shorter: bool = False
    as_list: bool = False
    unknown: bool = False

    @classmethod
    def of(cls, instruction: str | None) -> "RewriteRequest":
        words = (instruction or "").strip()
        shorter = bool(_SHORTER.search(words))
        as_list = not shorter and bool(_AS_LIST.search(words))
        return cls(shorter=shorter, as_list=as_list, unknown=bool(words) and not (shorter or as_list))


def rederived(
    text: str, *, evidence: BlockEvidence, transcript: Transcript, request: RewriteRequest, whole: bool
) -> tuple[str, tuple[DraftWarning, ...]]:
    """The text again, and a warning where the request was not followed.

    A whole block that cites something is derived from it. A passage of a block, or a block that cites nothing, is
    the writer's own: it only loses its mumbling, or all but its first sentence.
    """
    segments = [transcript.segments[number] for number in evidence.segments if number < len(transcript.segments)]
    if not segments or not whole:
        unfollowed = request.unknown or request.as_list
        return _tidied(text, shorter=request.shorter), (_NOT_FOLLOWED,) if unfollowed else ()
    cited = sentences(segments)
    english = is_english(transcript.language, (word for each in cited for word in each.text.split()))
    clauses = [clause for each in cited for clause in clauses_of(each)] if english else cited
    block = _block(evidence.role, _own_words(text, clauses), request, english)
    if block is not None and evidence.changes:
        block = _as_shown(block, text)
    markdown = block_markdown(block, language=transcript.language) if block else text
    return markdown, (_NOT_FOLLOWED,) if request.unknown else ()


def _as_shown(block: DraftBlock, text: str) -> DraftBlock:
    """The block with what the screen gave it: its heading, spelt as it stands there, and a command that was typed."""
    heading, _, rest = text.partition("\n")
    written = plain_words(heading.lstrip("# ")) if heading.startswith("#") else block.heading
    command = _COMMAND.match(rest)
    kept = f"{command.group(1)}\n\n{block.body}".rstrip() if command else block.body
    return block.model_copy(update={"heading": written or block.heading, "body": kept})


def is_whole(text: str, role: BlockRole, passage: bool | None) -> bool:
    """Whether ``text`` is a whole block of this role rather than a passage of one. Where nobody says, it begins as
    such a block does."""
    if passage is not None:
        return not passage
    marks = {BlockRole.TITLE: "# ", BlockRole.STEP: "## ", BlockRole.SECTION: "## "}
    return text.startswith(">" if role in SET_APART else marks.get(role, ""))


_NOT_FOLLOWED = DraftWarning(
    code="INSTRUCTION_NOT_FOLLOWED",
    message="The built-in drafter can make a text shorter or turn it into a list, and could not follow this "
    "instruction. Configure a language model for other wishes.",
)


def _block(role: BlockRole, cited: Sequence[Sentence], request: RewriteRequest, english: bool) -> DraftBlock | None:
    if not cited:
        return None
    if role is BlockRole.SECTION:
        return None  # a topic has no other words than its own
    if role is BlockRole.TITLE:
        found = utterances.title([each.text for each in cited]) if english else None
        return DraftBlock(role=role, heading=found[1]) if found else None
    heading, texts = _step(cited, english) if role is BlockRole.STEP else ("", _texts(cited, english))
    if request.shorter:
        texts = [] if heading else texts[:1]
    body = "\n".join(f"- {escape(text)}" for text in texts) if request.as_list else escape(" ".join(texts))
    return DraftBlock(role=role, heading=heading, body=body)


def _step(cited: Sequence[Sentence], english: bool) -> tuple[str, list[str]]:
    """Heading and sentences of a step; what comes with it stays with it."""
    entries = instructions(cited) if english else []
    if not any(entry.role is BlockRole.STEP for entry in entries):
        entries = stretches(cited, english=english)
    place = next(number for number, entry in enumerate(entries) if entry.role is BlockRole.STEP)
    before = [text for entry in entries[:place] for text in entry.texts]
    behind = [entry.as_line() for entry in entries[place + 1 :]]
    heading = entries[place].heading
    return heading, [text for text in (*before, *entries[place].texts, *behind) if not _says_no_more(text, heading)]


def _says_no_more(text: str, heading: str) -> bool:
    """Whether the sentence is the heading's own with a leave taken behind it: "hit Save, and you're done"."""
    parts = [part.strip(" .!") for part in utterances.without_lead_in(text).split(",")]
    own, closing = parts[0], parts[1:]
    repeats = "".join(letters_only(word) for word in own.split()) == "".join(map(letters_only, heading.split()))
    return bool(closing) and repeats and all(OUTRO.match(part) for part in closing)


def _texts(cited: Sequence[Sentence], english: bool) -> list[str]:
    kept = [each.text for each in cited if not utterances.is_courtesy(each.text)] if english else []
    kept = kept or [each.text for each in cited]
    return [utterances.cleaned(text) if english else one_line(text) for text in kept]


def _own_words(text: str, cited: list[Sentence]) -> list[Sentence]:
    """What of the cited is this block's, where it shares its segments with others; all of it where nothing is."""
    written = {letters_only(word) for word in plain_words(text).split()}

    def share(sentence: Sentence) -> float:
        words = {letters_only(word) for word in sentence.text.split()}
        return len(words & written) / max(1, min(len(words), len(written)))

    return [each for each in cited if share(each) > _SAME_BLOCK_SHARE] or cited


def _tidied(markdown: str, *, shorter: bool) -> str:
    """The text itself: only its first sentence (below a heading), or the same without mumbling."""
    if not shorter:
        return "\n".join(utterances.without_mumbling(line) for line in markdown.split("\n"))
    lines = markdown.split("\n")
    kept: list[str] = []
    for line in lines:
        if line.strip() and not line.lstrip().startswith("#"):
            return "\n".join([*kept, _SENTENCE_END.split(line, maxsplit=1)[0]])
        kept.append(line)
    return markdown
