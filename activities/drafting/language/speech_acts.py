"""What each sentence tells: actions, and whether it asks, greets, warns, corrects, announces or merely talks."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto

from activities.drafting.language import english, parsing, utterances
from activities.drafting.language.language_rules import RULES, LanguageRules
from activities.drafting.language.sentences import Sentence
from activities.drafting.markdown import one_line

_JOINED = re.compile(
    r",?\s+(?:und|y|et|e|en)\s+(?:dann |danach |luego |después |puis |ensuite )?|[,;]\s+", re.IGNORECASE
)


_MAY_HOLD_MORE = re.compile(r"\s(?:and|then)\s", re.IGNORECASE)
_SO = re.compile(r"(?:so|but|because)\b", re.IGNORECASE)
_LONGEST_PARSED = 400
"""Characters. Nobody tells an action in a longer sentence, and what recognisers make of noise can be any length."""


class Kind(Enum):
    """What a sentence is besides the actions that it may tell."""

    REMARK = auto()
    NOTE = auto()
    """It warns, reminds or advises."""
    QUESTION = auto()
    COURTESY = auto()
    """Greetings, thanks, farewells, bare fillers."""


@dataclass(frozen=True, slots=True)
class StatedAction:
    """An action that somebody tells. ``clause`` is its cue, ``heading`` the imperative, ``whole`` whether that says
    all of it. ``sure``: told as an instruction is; else only an answer of the screen makes it a step."""

    clause: Sentence
    heading: str
    whole: bool
    sure: bool

    @property
    def verb(self) -> str:
        return self.heading.partition(" ")[0].lower().rstrip(",.")


@dataclass(frozen=True, slots=True)
class Reading:
    """A sentence as it was understood. ``text`` is what was meant: less what the speaker took back; ``corrects``: it
    takes back the sentence before."""

    sentence: Sentence
    text: str
    kind: Kind
    stated: tuple[StatedAction, ...] = ()
    corrects: bool = False


def readings(sentences: Sequence[Sentence], language: str) -> list[Reading]:
    """Every sentence, in order. ``language`` is a primary tag; of one that is not known here, each sentence may be an
    action, if the screen answers it."""
    rules = RULES.get(language)
    read = _english if language == "en" else lambda sentence: _foreign(sentence, rules)
    return [read(sentence) for sentence in sentences]


def is_own(reading: Reading, language: str) -> bool:
    """Whether the speaker talks of himself: side talk, unless it warns."""
    rules = RULES.get(language)
    pattern = english.OWN if language == "en" else rules.own if rules else None
    return bool(pattern and pattern.search(reading.text))


# --- English ---------------------------------------------------------------------------------------------------


def _english(sentence: Sentence) -> Reading:
    if english.CORRECTS.fullmatch(f"{sentence.text} "):
        return Reading(sentence, sentence.text, Kind.COURTESY, corrects=True)
    courtesy = utterances.is_courtesy(sentence.text) and not _tells_behind_filler(sentence.text)
    if courtesy or utterances.is_farewell(sentence.text):
        return Reading(sentence, sentence.text, Kind.COURTESY)
    if utterances.is_question(sentence.text):
        return Reading(sentence, sentence.text, Kind.QUESTION)
    meant, corrects = _meant(sentence)
    kind = Kind.NOTE if utterances.is_note(meant.text) else Kind.REMARK
    stated: tuple[StatedAction, ...] = () if kind is Kind.NOTE else tuple(_actions(meant))
    if len(stated) == 1:
        (only,) = stated
        stated = (replace(only, clause=sentence, whole=only.whole and only.clause.text.strip() == meant.text.strip()),)
    elif stated and meant is not sentence:
        stated = (replace(stated[0], clause=_joined(sentence, stated[0].clause)), *stated[1:])
    return Reading(sentence, meant.text, kind, stated, corrects)


def _tells_behind_filler(text: str) -> bool:
    """Whether a sentence that begins with a filler tells what somebody does ("so I opened projects")."""
    return bool(english.BEGINS_WITH_FILLER.match(text.strip())) and bool(parsing.doings(text))


def _joined(sentence: Sentence, first: Sentence) -> Sentence:
    """The sentence up to the end of its first action."""
    found = sentence.text.find(first.text)
    return sentence.part(0, found + len(first.text)) if found >= 0 else first


def _meant(sentence: Sentence) -> tuple[Sentence, bool]:
    """The sentence without what it takes back, and whether it takes back the one before it."""
    text = sentence.text
    opening = english.CORRECTS.match(text)
    begins = opening.end() if opening and opening.end() < len(text) else 0
    meant = sentence.part(begins, len(text)) if begins else sentence
    corrects = begins > 0 and not english.ADDS.match(meant.text)
    cuts = list(english.CORRECTION.finditer(meant.text))
    cuts = [cut for cut in cuts if cut.start() > 0 and meant.text[cut.end() :].strip(" .,!")]
    if not cuts:
        return meant, corrects
    before, after = meant.text[: cuts[0].start()], meant.text[cuts[-1].end() :]
    if utterances.action(after) is not None or parsing.doings(after[:_LONGEST_PARSED]):
        return meant.part(cuts[-1].end(), len(meant.text)), corrects
    kept = before[: parsing.last_things(before)] + after if len(before) <= _LONGEST_PARSED else before + after
    return replace(meant, text=one_line(kept)), corrects


def _actions(sentence: Sentence) -> Iterator[StatedAction]:
    """By what follows its reason ("you need a rule, so hit Add rule"), by how sentences begin, and where neither finds
    one by grammar. A clause that begins like an instruction may hold another one that only grammar finds ("set it to
    seven and you copy the link")."""
    if (reason := english.SO_PRESS.search(sentence.text)) is not None:
        before, behind = sentence.text[: reason.start()], sentence.part(reason.end(), len(sentence.text))
        aims = english.AIMED_AT.search(before) or utterances.action(before) is None
        if aims and (found := list(_actions(behind))):
            yield replace(found[0], clause=_joined(sentence, found[0].clause), whole=False)
            yield from found[1:]
            return
    end = 0
    for text in utterances.clauses(sentence.text):
        start = sentence.text.index(text, end)
        end = start + len(text)
        clause = sentence.part(start, end)
        stated = utterances.action(text)
        found = list(_parsed(clause)) if stated is None or _MAY_HOLD_MORE.search(text) else []
        cut = english.AND_CLICK.search(text) if stated is not None and len(found) < 2 else None
        if cut is not None and (first := utterances.action(text[: cut.start()])) is not None:
            yield StatedAction(clause.part(0, cut.start()), first.heading, first.whole, sure=True)
            yield from _actions(clause.part(cut.end(), len(text)))
        elif stated is not None and len(found) < 2:
            yield StatedAction(clause, stated.heading, stated.whole, sure=True)
        elif stated is not None:
            yield StatedAction(found[0].clause, *_headed(found[0], stated), sure=True)
            yield from found[1:]
        else:
            yield from found


def _headed(first: StatedAction, stated: utterances.Action) -> tuple[str, bool]:
    """The heading of the first of several actions: as the beginning of the sentence tells it, cut at the next."""
    own = utterances.action(first.clause.text)
    return (own.heading, own.whole) if own else (stated.heading, stated.whole)


def _parsed(clause: Sentence) -> Iterator[StatedAction]:
    text = clause.text
    sure = True
    if len(text) > _LONGEST_PARSED or english.OPTION.match(text):
        return
    for doing in parsing.doings(text):
        written = f"{doing.base} {text[doing.verb_end : doing.end].strip()}"
        action = utterances.headed(written, nothing_dropped=doing.verb <= doing.start + 12)
        if english.NO_STEP.match(action.heading) or len(action.heading.split()) < 2:
            continue
        part = clause.part(doing.start, max(doing.start + 1, doing.end))
        first = doing.start == doing.verb == 0
        # "so give it a second": behind another clause an imperative is a manner of speaking.
        sure = (
            sure
            and doing.imperative
            and (doing.base in english.VERBS or first)
            and (first or _leads(text, doing.start))
        )
        yield StatedAction(part, action.heading, action.whole, sure)


def _leads(text: str, start: int) -> bool:
    """Whether the sentence begins with the clause, or with other actions and what joins them."""
    return start == 0 or not _SO.match(text[start:])


# --- other languages -------------------------------------------------------------------------------------------


def _foreign(sentence: Sentence, rules: LanguageRules | None) -> Reading:
    text = one_line(sentence.text)
    if rules is None:
        kind = Kind.QUESTION if text.endswith(("?", "\uff1f")) else Kind.REMARK
        return Reading(sentence, text, kind, (_weak(sentence, text),) if kind is Kind.REMARK else ())
    bare = _without(rules.lead_in, text)
    if rules.courtesy.match(text) or rules.courtesy.match(bare):
        return Reading(sentence, text, Kind.COURTESY)
    if text.endswith("?") or rules.question.match(bare):
        return Reading(sentence, text, Kind.QUESTION)
    if rules.note.match(bare):
        return Reading(sentence, text, Kind.NOTE)
    corrects = rules.correction.match(text)
    pieces = list(_pieces(sentence, rules))
    stated = tuple(
        StatedAction(piece, _heading(told, rules), whole=told == _behind_lead_in(piece.text, rules), sure=True)
        for piece in pieces
        if (told := _instruction(piece.text, rules)) is not None
    )
    if len(stated) == 1:
        stated = (replace(stated[0], clause=sentence),)
    return Reading(sentence, text, Kind.REMARK, stated or (_weak(sentence, bare),), bool(corrects))


def _weak(sentence: Sentence, text: str) -> StatedAction:
    heading = utterances.shortened(text.rstrip(" .,;:!\u3002\uff01"), utterances.HEADING_LIMIT) or text
    return StatedAction(sentence, utterances.capitalised(heading), whole=not heading.endswith("\u2026"), sure=False)


def _pieces(sentence: Sentence, rules: LanguageRules) -> Iterator[Sentence]:
    """The sentence cut where one instruction follows another."""
    start = 0
    for cut in _JOINED.finditer(sentence.text):
        pieces = sentence.text[start : cut.start()], sentence.text[cut.end() :]
        if all(_instruction(piece, rules) is not None for piece in pieces):
            yield sentence.part(start, cut.start())
            start = cut.end()
    yield sentence.part(start, len(sentence.text))


def _instruction(text: str, rules: LanguageRules) -> str | None:
    """What the text tells somebody to do, without when, where and what for; ``None``: nothing."""
    bare = _behind_lead_in(text, rules)
    setting = rules.setting.match(bare)
    for told in (bare, bare[setting.end() :] if setting else ""):
        if rules.imperative.match(told) and not rules.refused.match(told):
            return told
    return None


def _behind_lead_in(text: str, rules: LanguageRules) -> str:
    return _without(rules.lead_in, one_line(text))


def _heading(wanted: str, rules: LanguageRules) -> str:
    if rules.inverted is not None:
        wanted = rules.inverted.sub(lambda found: f"{found[2]} {found[1].lower()}", wanted)
    return utterances.capitalised(utterances.shortened(wanted.rstrip(" .,;:!"), utterances.HEADING_LIMIT))


def _without(pattern: re.Pattern[str], text: str) -> str:
    text = text.lstrip(" ,;:.-")
    while (found := pattern.match(text)) and 0 < found.end() < len(text):
        text = text[found.end() :].lstrip(" ,;:.-")
    return text
