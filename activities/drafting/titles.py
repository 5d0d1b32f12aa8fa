"""What a document is called: what somebody announces, what a first slide says, and only then the file's name."""

import re
from collections.abc import Sequence
from pathlib import PureWindowsPath

from activities.drafting.acts import Act, Shown
from activities.drafting.labels import spelt
from activities.drafting.language import utterances
from activities.drafting.language.language_rules import RULES
from activities.drafting.language.phonetics import squashed
from activities.drafting.language.speech_acts import Kind, Reading
from activities.drafting.markdown import one_line
from activities.drafting.sectioning import largest_text
from domain.documents.draft import BlockRole, DraftBlock

_WITHIN_SENTENCES = 12
"""A title is announced in the first minute or not at all."""
_LIMIT = 120
_SLIDE_WITHIN_MS = 10_000
_ANSWER_MS = 1_000
"""A click that follows so soon does what was just told."""
_ALWAYS_THERE = 0.8
_TELLING_WORDS = 3
_TELLS_NOTHING = re.compile(
    r"^(?:screen ?(?:recording|cast|capture)?|recording|video|movie|untitled|new|clip|output|capture|zoom|meeting|"
    r"[\d\s.:apm]+|img|vid|mov|obs|gmt)\b",
    re.IGNORECASE,
)


def title_from(source_name: str) -> str:
    """A title from a file name: what people call a file is all that is known when nobody says a title."""
    stem = PureWindowsPath(source_name).stem  # takes both kinds of separators
    words = one_line(re.sub(r"[_\-\u2013+]+|%20", " ", stem))
    return utterances.shortened(words[:1].upper() + words[1:], _LIMIT) if words else "Untitled recording"


def titled(
    read: Sequence[Reading], language: str, shown: Shown | None, source_name: str
) -> tuple[DraftBlock, int | None]:
    """The title, and the sentence that it was taken from whole (which the lead need not repeat)."""
    opening = read[:_WITHIN_SENTENCES]
    found = _announced([each.sentence.text for each in opening], language)
    found = found or (_begun_with(opening, shown) if language == "en" else None)
    slide = _shown_title(shown) if found is None else None
    known = found or slide or language != "en" or _tells(title_from(source_name))
    aim = None if known else _aimed_at(opening)
    if (found := found or aim) is not None:
        number, heading = found
        sentence = opening[number].sentence
        names = shown.names(0, shown.record.duration_ms) if shown else {}
        block = DraftBlock(
            role=BlockRole.TITLE,
            heading=spelt(heading, None, {key: name for key, name in names.items() if _is_name(name)}),
            segments=sentence.segments,
            begins_at=sentence.begins_at,
            ends_at=sentence.ends_at,
        )
        return block, None if aim else number
    return DraftBlock(role=BlockRole.TITLE, heading=slide or _named(source_name, shown)), None


def _announced(texts: list[str], language: str) -> tuple[int, str] | None:
    if language == "en":
        return utterances.title(texts)
    rules = RULES.get(language)
    for number, text in enumerate(texts):
        found = rules.title.match(one_line(text)) if rules else None
        if found is not None:
            topic = next(part for part in found.groups() if part)
            heading = topic.split(".")[0].strip(" ,;:!?") if "topic" not in found.groupdict() else topic
            heading = re.split(r"[.!?;]", heading)[0].strip(" ,:")
            if found.groupdict().get("topic"):
                heading = f"{_how(found)} {heading}"
            return number, utterances.shortened(utterances.capitalised(heading), _LIMIT)
    return None


def _how(found: re.Match[str]) -> str:
    """The words before the topic: "wie man", "cómo", "comment"."""
    before = found.string[: found.start("topic")].split()
    return " ".join(before[-2:]) if before[-2:-1] == ["wie"] else before[-1]


def _begun_with(opening: Sequence[Reading], shown: Shown | None) -> tuple[int, str] | None:
    """The first sentence that is no greeting, if it says what is done in the recording and nothing is done over it."""
    number = _first_said(opening)
    if number is None or not any(each.stated for each in opening[number + 1 :]):
        return None
    plan, sentence = utterances.opening_plan(opening[number].text), opening[number].sentence
    answered = shown is not None and any(act.at_ms <= sentence.ends_ms + _ANSWER_MS for act in shown.acts)
    return None if plan is None or answered else (number, plan)


def _aimed_at(opening: Sequence[Reading]) -> tuple[int, str] | None:
    """The first sentence that is no greeting, if it is a step that says what it is for."""
    number = _first_said(opening)
    aim = utterances.opening_aim(opening[number].text) if number is not None and opening[number].stated else None
    return None if number is None or aim is None else (number, aim)


def _first_said(opening: Sequence[Reading]) -> int | None:
    """The first sentence that is no greeting."""
    return next((place for place, each in enumerate(opening) if each.kind is not Kind.COURTESY), None)


def _is_name(text: str) -> bool:
    """Names of programs and things, not any word of the screen that a title may use in its common sense."""
    return any(each.isupper() for each in text[1:]) or " " in text


def _shown_title(shown: Shown | None) -> str | None:
    return largest_text(shown, 0, min(_SLIDE_WITHIN_MS, _first_act(shown))) if shown else None


def _first_act(shown: Shown) -> int:
    return shown.acts[0].at_ms if shown.acts else _SLIDE_WITHIN_MS


def _opens_its_own(act: Act, shown: Shown) -> bool:
    """Whether a click opened what is titled as the control is ("Invite members")."""
    label = squashed(act.label or "")
    later = shown.texts(act.at_ms, act.after_ms + 500)
    return len((act.label or "").split()) > 1 and any(
        squashed(each.text) == label and act.at_ms <= each.start_ms <= act.after_ms + 500 for each in later
    )


def _tells(name: str) -> bool:
    """Whether a file's name says what its recording is about."""
    return len(name.split()) >= _TELLING_WORDS and not _TELLS_NOTHING.match(name)


def _named(source_name: str, shown: Shown | None) -> str:
    """The file's name; where it tells nothing, what stands at the top of the screen all the time."""
    name = title_from(source_name)
    if _tells(name) or shown is None:
        return name
    opened = next((act.label for act in shown.acts if act.is_read and _opens_its_own(act, shown)), None)
    if opened is not None:
        return opened
    span = shown.record.duration_ms * _ALWAYS_THERE
    stands = [each for each in shown.record.texts if each.end_ms - each.start_ms >= span and len(each.text.strip()) > 3]
    top = min(stands, key=lambda each: (each.box.y, -each.box.h), default=None)
    return one_line(top.text) if top is not None and top.box.y < 0.15 and _TELLS_NOTHING.match(name) else name
