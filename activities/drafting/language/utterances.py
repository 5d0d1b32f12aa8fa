"""Reads one spoken English sentence: which step it tells, whether it is an aside, what it announces.

Nothing here invents a word: headings and sentences are what was said, less fillers and lead-ins.
"""

import re
from dataclasses import dataclass

from activities.drafting.language import english

HEADING_LIMIT = 80
"""Characters of a step's heading. Longer ones are cut between words, and the body has the whole sentence."""

_WORD = re.compile(r"[\w'-]+")
_DETERMINERS = frozenset({"a", "an", "the", "your", "this", "that", "it", "them"})
_MAY_REPEAT = frozenset(
    (
        *("that", "had", "very", "no", "bye", "is"),
        *("dash", "hyphen", "minus", "plus", "dot", "slash", "backslash", "colon", "star", "equals", "underscore"),
    )
)
"""Signs, too, that are spelt out: "dash dash port"."""
_STUTTER = re.compile(r"\b(?:([a-z']+ [a-z']+), \1|([a-z']+),? \2)\b", re.IGNORECASE)
_DANGLING = re.compile(
    r"(?:,?\s+(?:and|but|so|or|then)|,\s+please|,?\s+and that's (?:it|all))+$",
    re.IGNORECASE,
)
_CODE_LIKE = re.compile(r"[_/\\=<>{}()`@$#]|[a-z][A-Z]|\w\.\w|^--?\w")


@dataclass(frozen=True, slots=True)
class Action:
    """A sentence that tells somebody to do something. ``whole``: the heading says all of it."""

    heading: str
    whole: bool


def cleaned(sentence: str) -> str:
    """The sentence without fillers, with a capital and a full stop. Every other word stays."""
    text = capitalised(bare(sentence))
    return text if not text or text[-1] in ".!?:;\u2026\"')" else text.rstrip(",-") + "."


def without_mumbling(line: str) -> str:
    """A line of Markdown without "um" and "uh"; its indentation and everything else stay."""
    if not english.MUMBLE.search(line):
        return line
    text = line.lstrip()
    return line[: len(line) - len(text)] + _unmumbled(text)


def action(sentence: str) -> Action | None:
    """The step that the sentence tells, or ``None``."""
    text, cued = _without_lead_in(_unmumbled(sentence).rstrip(" .!,;"))
    if not text or text.endswith("?") or english.OPTION.match(text):
        return None
    if (verb_first := _imperative(text, cued=cued)) is not None:
        return headed(verb_first, nothing_dropped=True)
    for setting in (english.SETTING, english.SETTING_WITHOUT_COMMA, english.AIM_WITHOUT_COMMA):
        if found := setting.match(text):
            rest, _ = _without_lead_in(text[found.end() :])
            verb_first = None if english.OPTION.match(rest) else _imperative(rest, cued=False)
            if verb_first is not None:
                before = found.group() if english.BEFORE.match(found.group()) else ""
                return headed(before + verb_first, nothing_dropped=bool(before))
    return None


def clauses(sentence: str) -> list[str]:
    """The sentence cut where one action follows another ('Click File, then choose Export'); one piece otherwise."""
    if action(sentence) is None:
        return [sentence]
    pieces: list[str] = []
    start = 0
    for cut in english.SEQUENCE.finditer(sentence):
        before, behind = sentence[start : cut.start()], sentence[cut.end() :]
        if _surely_begins_action(behind) and action(before):
            pieces.append(before)
            start = cut.end()
    return [*pieces, sentence[start:]]


def _surely_begins_action(text: str) -> bool:
    """Stricter than :func:`action`: a list of nouns goes on with a noun that may look like a verb."""
    rest, _ = _without_lead_in(text)
    subject = None if english.POSSIBLE.match(rest) else english.SUBJECT.match(rest)
    verb, following = _first_two(rest[subject.end() :] if subject else rest)
    return (
        verb.lower() in english.VERBS
        and (verb.lower() in english.POINTING or following.lower() in english.OBJECT_WORDS or following[:1].isupper())
        and _imperative(rest, cued=True) is not None
    )


def is_note(sentence: str) -> bool:
    """Whether the sentence warns, reminds or advises rather than tells what happens."""
    return bool(english.NOTE.match(bare(sentence)))


def is_question(sentence: str) -> bool:
    """Whether somebody asks; recognisers forget the mark."""
    text = bare(sentence)
    return text.rstrip("\"' ").endswith("?") or bool(english.QUESTION.match(text))


def is_farewell(sentence: str) -> bool:
    """Whether the speaker takes his leave ("that is all, thank you for watching")."""
    text = bare(sentence)
    return bool(english.OUTRO.match(text)) and action(text) is None


def is_courtesy(sentence: str) -> bool:
    """Greetings, thanks and bare fillers, which no written instruction repeats."""
    return not bare(sentence) or (
        len(sentence.split()) <= english.COURTESY_WORDS
        and bool(english.COURTESY.match(sentence.strip()))
        and action(sentence) is None
    )


def announces(sentence: str) -> bool:
    """Whether the sentence says what the recording holds ("in this session we will cover five topics")."""
    return bool(english.ANNOUNCES.search(sentence))


def title(sentences: list[str]) -> tuple[int, str] | None:
    """The number of the sentence that announces what the recording is about, and the topic as a title."""
    greeted = [_without_greeting(each) for each in sentences]
    for read in (_how_to, _this_is_about, _about, _welcome, _plan):
        for number, text in enumerate(greeted):
            if (found := read(text)) is not None:
                return number, found
    return None


def _how_to(text: str) -> str | None:
    found = english.HOW_TO.search(text)
    before = text[: found.start()].strip() if found else ""
    announced = not before or english.ANNOUNCES.search(before) or english.ASKED.search(before)
    topic = _topic(found) if found and announced else None
    return f"How to {topic}" if topic else None


def _this_is_about(text: str) -> str | None:
    topic = _topic(english.THIS_IS_ABOUT.match(text))
    return capitalised(topic) if topic else None


def _welcome(text: str) -> str | None:
    topic = _topic(english.WELCOME.search(text))
    return capitalised(re.sub(r"^(?:the|this|our|my) ", "", topic, flags=re.IGNORECASE)) if topic else None


def _about(text: str) -> str | None:
    topic = _topic(english.ABOUT.search(text) or english.QUICK_ONE.match(text))
    return capitalised(topic) if topic else None


def _plan(text: str) -> str | None:
    return _topic_to_do(english.PLAN.match(text))


def opening_plan(sentence: str) -> str | None:
    """What is done in a recording that begins with saying so, as a title; ``None`` where the words call a control."""
    text = _without_greeting(sentence)
    plan = _topic_to_do(english.WILL.match(text) or english.HERE_WE.match(text))
    return None if plan is None or plan.partition(" ")[0].lower() in english.POINTING else plan


def opening_aim(sentence: str) -> str | None:
    """What the first step of a recording is for, as a title: most probably all of it is."""
    return _topic_to_do(english.TO_DO.match(_without_greeting(sentence)))


def _topic_to_do(found: re.Match[str] | None) -> str | None:
    """The topic as an imperative; ``None`` where no known verb begins it."""
    topic = _topic(found)
    imperative = _based(topic) if topic else None
    return capitalised(imperative) if imperative else None


def _topic(found: re.Match[str] | None) -> str | None:
    if found is None:
        return None
    topic = found.group("topic")
    end = english.TOPIC_END.search(topic)
    topic = (topic[: end.start()] if end else topic).strip(" ,.-\"'").removeprefix("the process of ")
    meaningful = [word for word in topic.lower().split() if word not in english.EMPTY_TITLE_WORDS]
    return topic if meaningful and len(topic) <= english.TOPIC_LIMIT else None


def _without_greeting(sentence: str) -> str:
    text = bare(sentence)
    greeting = english.GREETING.match(text)
    return bare(text[greeting.end() :]) if greeting else text


def capitalised(text: str) -> str:
    """With a capital first letter, unless the first word looks like code (``npm``'s case is its own business, but it
    cannot be told from a word; ``git_init``, ``iPhone`` and ``./run`` can)."""
    first = text.split(" ", 1)[0]
    return text if _CODE_LIKE.search(first) else text[:1].upper() + text[1:]


def _unmumbled(text: str) -> str:
    text = english.PARENTHESIS.sub(" ", english.MUMBLE.sub(" ", text.replace("\u2019", "'")))
    text = re.sub(r"\s+([,.!?;:])", r"\1", " ".join(text.split())).lstrip(",.;:!? ")
    return _STUTTER.sub(_once, text)


def _once(found: re.Match[str]) -> str:
    """'the, the' and 'I just, I just' once; 'had had', numbers and names ("Freeze Panes, Freeze Panes") as they are."""
    once = found.group(1) or found.group(2)
    is_name = " " in once and once.istitle()
    return found.group() if is_name or once.lower() in _MAY_REPEAT else once


def bare(sentence: str) -> str:
    """The sentence without mumbling, and without fillers at its start."""
    text = _unmumbled(sentence)
    while (filler := english.FILLER.match(text)) and filler.end() < len(text):
        text = text[filler.end() :]
    return text


def without_lead_in(sentence: str) -> str:
    """The sentence without fillers, answers and cues at its start."""
    return _without_lead_in(bare(sentence))[0]


def _without_lead_in(text: str) -> tuple[str, bool]:
    """The text behind fillers and cues, and whether there was a cue ('first', 'then', 'the next thing is to')."""
    cued = False
    while True:
        text = text.lstrip(" ,;:-")
        if english.MOUSE_BUTTON.match(text):
            return text, cued
        found = english.FILLER.match(text)
        cue = None if found else english.CUE.match(text)
        step = found or cue or english.SOFTENER.match(text)
        if step is None or step.end() >= len(text) or not step.end():
            return text, cued
        cued = cued or cue is not None
        text = text[step.end() :]


def _imperative(text: str, *, cued: bool) -> str | None:
    """The text from its verb on, in the imperative, or ``None`` where no action begins it."""
    subject = english.SUBJECT.match(text)
    rest = text[subject.end() :] if subject else text
    while softener := english.SOFTENER.match(rest):
        rest = rest[softener.end() :]
    if by := english.STARTING_BY.match(rest):
        return _based(rest[by.end() :])
    rest = _with_mouse_verb(rest)
    if subject and english.PROGRESSIVE.search(subject.group()):
        return _based(rest)
    verb, following = (word.lower() for word in _first_two(rest))
    if not verb or english.NO_STEP.match(rest):
        return None
    if verb in english.VERBS:
        used_as_noun = (
            not subject
            and following not in english.OBJECT_WORDS
            and english.VERB_AS_NOUN.match(rest[:1].lower() + rest[1:])
        )
        return None if used_as_noun else rest
    if verb in english.PASTS:  # 'Then I clicked the tab': somebody tells what he did
        return f"{english.PASTS[verb]} {rest.partition(' ')[2]}" if subject and cued else None
    # 'First, whisk the eggs': a cue and an object make a verb of a word that no list has.
    return rest if cued and verb.isalpha() and following in _DETERMINERS and verb not in english.NOT_VERBS else None


def _first_two(text: str) -> tuple[str, str]:
    first, _, rest = text.partition(" ")
    return first.strip(",."), rest.partition(" ")[0].strip(",.")


def _with_mouse_verb(text: str) -> str:
    """'right click' and 'right clicking' as one word."""
    button = english.MOUSE_BUTTON.match(text)
    return f"{button['how']}-{text[button.end() :]}" if button else text


def _based(text: str) -> str | None:
    """'clicking Save' as 'click Save'; ``None`` where no known verb begins it."""
    first, _, rest = _with_mouse_verb(text).partition(" ")
    verb = first.lower().strip(",")
    base = english.GERUNDS.get(verb)
    if base is None and verb in english.VERBS:
        base = verb
    imperative = f"{base} {rest}".strip()
    return None if base is None or english.NO_STEP.match(imperative) else imperative


def headed(text: str, *, nothing_dropped: bool) -> Action:
    """An instruction that begins with its verb, cut where its explanation begins. ``nothing_dropped``: the text is
    all that was said."""
    text = _DANGLING.sub("", _unmumbled(text).rstrip(" .!,;:-"))
    pressed = english.PRESS_ON.match(text)
    heading = pressed.group(1) + text[pressed.end() :] if pressed else text
    whole = nothing_dropped
    clause = english.CLAUSE.search(heading)
    if clause and clause.start() > 0 and len(_WORD.findall(heading[: clause.start()])) >= 2:
        heading, whole = heading[: clause.start()], False
    heading = _DANGLING.sub("", heading.rstrip(" .!,;:-"))
    if len(heading) > HEADING_LIMIT:
        heading, whole = shortened(heading, HEADING_LIMIT), False
    return Action(heading=capitalised(heading), whole=whole)


def shortened(text: str, limit: int) -> str:
    """At most ``limit`` characters, cut between words where there are any, with an ellipsis where it was cut."""
    if len(text) <= limit:
        return text
    cut = text[: limit - 1]
    space = cut.rfind(" ")
    return (cut[:space] if space > limit // 2 else cut).rstrip(" ,;:-") + "\u2026"
