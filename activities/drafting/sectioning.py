"""Sections: topics that a speaker announces, and slides that name them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from activities.drafting.acts import Act, Shown
from activities.drafting.agreement import named
from activities.drafting.language import english, utterances
from activities.drafting.language.language_rules import RULES
from activities.drafting.language.phonetics import squashed
from activities.drafting.language.sentences import Sentence
from activities.drafting.language.speech_acts import Kind, Reading
from domain.recordings.screen import ChangeKind

_TOPIC_WORDS = 9
_TOPIC_LETTERS = 70
_SLIDE_TEXTS = 4
"""A slide that names a topic has a title and hardly more; a page of a program has dozens of texts."""
_FULL_SLIDE_TEXTS = 12
"""Of one that is shown without a program: its points, too."""
_KEPT_TEXTS = 0.25
"""Share of what stands on a slide that may have stood on the one before: a footer, a name."""
_SET_LARGE = 0.045
"""Of the picture's height: a title, and no button that stands alone."""
_SLIDE_STANDS_MS = 1_200
_SAID_NEAR_MS = 3_000
"""From a slide to the words that are its title."""
_ANNOUNCED_NEAR_MS = 8_000
_SPELT_WITHIN_MS = 60_000


@dataclass(frozen=True, slots=True)
class Announced:
    """A topic. ``number`` is the sentence that announces it, or ``None`` for a slide alone, which ``act`` shows."""

    heading: str
    number: int | None
    sentence: Sentence | None
    act: Act | None

    @property
    def start_ms(self) -> int:
        return self.sentence.begins_ms if self.sentence else self.act.at_ms if self.act else 0


def announced(read: Sequence[Reading], language: str, shown: Shown | None, answered: Sequence[bool]) -> list[Announced]:
    """The topics in order; none where there is only one, but for one that is called a topic.

    ``answered`` tells of each sentence whether an action of the screen answers it: then it is a step.
    """
    spoken_of: list[Announced] = []
    named = 0
    for number, reading in enumerate(read):
        found = _topic(reading, language) if reading.kind in (Kind.REMARK, Kind.COURTESY) else None
        if found is None or (answered[number] and not found[1]):
            continue
        named += found[1]
        spoken_of.append(Announced(_spelt(found[0], reading.sentence, shown), number, reading.sentence, None))
    made = _with_slides(spoken_of, shown, read) if shown else spoken_of
    return made if len(made) > 1 or named else []


def _topic(reading: Reading, language: str) -> tuple[str, bool] | None:
    """The topic that the sentence announces, and whether it is called one."""
    text = reading.text
    if language == "en":
        for pattern, called in ((english.SECTION, True), (english.NEXT_TOPIC, False)):
            found = pattern.match(utterances.bare(text))
            topic = _bare_topic(found.group("topic")) if found else None
            if topic and (called or not any(stated.sure for stated in reading.stated)):
                return topic, called
        return None
    rules = RULES.get(language)
    found = rules.section.match(text) if rules else None
    topic = _bare_topic(found.group("topic")) if found else None
    return (topic, True) if topic else None


def _bare_topic(text: str) -> str | None:
    topic = re.split(r"[.!?;]", text, maxsplit=1)[0].strip(" ,:-\"'")
    if topic.partition(" ")[0].lower() in ("and", "where", "which", "because", "so", "if", "when"):
        return None
    fits = 0 < len(topic.split()) <= _TOPIC_WORDS and len(topic) <= _TOPIC_LETTERS
    return utterances.capitalised(topic) if fits else None


def _spelt(topic: str, sentence: Sentence, shown: Shown | None) -> str:
    names = shown.names(sentence.begins_ms, sentence.ends_ms + _SPELT_WITHIN_MS) if shown else {}
    name = names.get(squashed(topic))
    return name if name is not None and not name.islower() else topic


def _with_slides(spoken_of: Sequence[Announced], shown: Shown, read: Sequence[Reading]) -> list[Announced]:
    """Announced topics and slides in order; a slide near an announcement is that one's, and spells it."""
    slides = [(act, title) for act in shown.acts if (title := slide_title(act, shown)) is not None]
    last_ms = read[-1].sentence.ends_ms if read else shown.record.duration_ms
    made = list(spoken_of)
    alone: list[Announced] = []
    for act, title in slides:
        near = [place for place, each in enumerate(made) if abs(each.start_ms - act.at_ms) <= _ANNOUNCED_NEAR_MS]
        if near:
            place = near[0]
            made[place] = Announced(title, made[place].number, made[place].sentence, act)
        elif act.at_ms < last_ms - _ANNOUNCED_NEAR_MS:
            number = _said(title, act.at_ms, read)
            alone.append(Announced(title, number, None if number is None else read[number].sentence, act))
    return sorted([*made, *(alone if len(alone) + len(made) > 1 else [])], key=lambda each: each.start_ms)


def _said(title: str, at_ms: int, read: Sequence[Reading]) -> int | None:
    """The sentence that says a slide's title as it comes up, and hardly more."""
    for number, reading in enumerate(read):
        near = abs(reading.sentence.begins_ms - at_ms) <= _SAID_NEAR_MS
        if near and len(reading.text.split()) <= 2 * len(title.split()) + 2 and named(reading.text, title) == 1.0:
            return number
    return None


def slides_of(shown: Shown) -> frozenset[int]:
    """The places of the actions that led to a slide by itself, or away from one: they answer nothing that was said."""
    return frozenset(
        place
        for place, act in enumerate(shown.acts)
        if (is_shown_alone(act, shown) and slide_title(act, shown) is not None) or _leaves_slide(act, shown)
    )


def _leaves_slide(act: Act, shown: Shown) -> bool:
    """Whether a slide gave way to what is shown next, and nothing but the slide was there to act on."""
    if act.kind is ChangeKind.TYPING or shown.command(act) is not None:
        return False
    span = max(0, act.at_ms - 600), max(1, act.at_ms - 300)
    title = largest_text(shown, *span)
    if title is None or max(each.box.h for each in shown.texts(*span)) < _SET_LARGE:
        return False
    return act.label is None or squashed(act.label) == squashed(title)


def slide_title(act: Act, shown: Shown) -> str | None:
    """The title of the slide that the action led to, if it is one: a page with hardly any text that stays, or one that
    nobody's hand led to and on which all is new, under a title."""
    if act.until_ms - act.after_ms < _SLIDE_STANDS_MS:
        return None
    span = act.after_ms + 100, act.after_ms + 600
    if is_shown_alone(act, shown):
        return largest_text(shown, *span, most=_FULL_SLIDE_TEXTS)
    return largest_text(shown, *span) if act.kind is ChangeKind.PAGE else None


def is_shown_alone(act: Act, shown: Shown) -> bool:
    """Whether one picture gave way to another, and nobody acted on anything to be seen: the next slide."""
    if act.has_control or act.kind is ChangeKind.TYPING or shown.command(act) is not None:
        return False
    before = shown.texts(max(0, act.at_ms - 300), max(1, act.at_ms - 200))
    after = shown.texts(act.after_ms + 100, act.after_ms + 200)
    kept = sum(each.start_ms < act.at_ms - 200 for each in after)
    return bool(before) and bool(after) and kept <= _KEPT_TEXTS * len(after)


def largest_text(shown: Shown, from_ms: int, until_ms: int, most: int = _SLIDE_TEXTS) -> str | None:
    """The one text of a slide that is set largest; ``None`` where it is no slide."""
    texts = [each for each in shown.texts(from_ms, until_ms) if each.confidence >= 0.5 and len(squashed(each.text)) > 2]
    if not 0 < len(texts) <= most:
        return None
    largest = max(texts, key=lambda each: (each.box.h, -each.box.y))
    others = [each for each in texts if each is not largest]
    stands_out = all(largest.box.h >= 1.25 * each.box.h for each in others)
    fits = len(largest.text.split()) <= _TOPIC_WORDS
    return largest.text.strip() if stands_out and fits else None
