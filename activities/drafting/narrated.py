"""The document of a recording in which somebody speaks: steps are what at least two of three witnesses agree on.

What is said, what is shown and what is done: a spoken action with the change that answers it; a change that nobody
tells as an action takes the sentence spoken over it, or its label where none was spoken. Where no screen was read, or
hardly anything on it answers, what was said stands alone.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field, replace

from activities.drafting.acts import Act, Shown, overlap
from activities.drafting.agreement import Pair, agreed, link, named, named_by, stated_time
from activities.drafting.labels import as_typed, spelt
from activities.drafting.language import english, utterances
from activities.drafting.language.language_rules import RULES
from activities.drafting.language.phonetics import squashed
from activities.drafting.language.speech_acts import Kind, Reading, StatedAction, is_own
from activities.drafting.markdown import one_line
from activities.drafting.outline import Entry
from activities.drafting.remarks import explains, that_matter, without_outro
from activities.drafting.sectioning import Announced, announced, slides_of
from activities.drafting.unanswered import is_taken_back, stands_alone
from activities.drafting.wording import shown_heading
from domain.documents.draft import BlockRole
from domain.recordings.screen import ChangeKind

_USABLE_ACTS = 2
_USABLE_SHARE = 0.4
"""Of the surely told actions that the screen answers. Below that the picture shows something else: a speaker's face,
a device on a table."""
_OVER_BEFORE_MS = 4_000
_OVER_BEHIND_MS = 2_500
_CUE_BEHIND_MS = 1_500
_UNSPOKEN_MS = 2_500
"""A change that no sentence is near to was made in silence."""
_LONGEST_SENTENCE_MS = 60_000
_SURE_LABEL = 0.85
_AROUND = frozenset(
    (
        *("then", "just", "that", "this", "with", "youre", "done", "first", "next", "gonna", "going", "want", "wanna"),
        *("okay", "sorry", "wait", "here", "there", "last", "thing", "need", "have", "your", "finally", "after"),
        *("dann", "jetzt", "noch", "muss", "mussen", "sollten", "zuerst", "danach", "einfach", "hier", "dazu"),
    )
)
_BUTTON = 0.35, 0.1
"""Of the picture's width and height: what is larger and gives way to another page may be a picture's title."""
_ECHO_MS = 12_000
_PART_MS = 4_000
_FEW = 3
_FEW_SHARE = 0.12
_LINKED = 0.6
_SURELY_LINKED = 0.75
"""Where the label would do: of a language in which a faint likeness is as often none."""
_TOO_CLOSE_MS = 900
_OPENING = 2


@dataclass
class Found:
    """What was found, for the document and for its warnings."""

    entries: list[Entry] = field(default_factory=list)
    sections: int = 0
    unanswered: list[int] = field(default_factory=list)
    """Moments of surely told actions that the screen does not answer, and that were left out."""
    read_from_screen: list[int] = field(default_factory=list)
    """Moments of steps that nobody told."""
    left_out: set[int] = field(default_factory=set)
    """Sentences that tell what was taken back, or never done: no step, and no explanation of one."""
    unexplained: list[int] = field(default_factory=list)
    """Moments of changes that no step tells."""


@dataclass
class _Step:
    number: int
    """The sentence behind which it stands."""
    at_ms: int
    heading: str
    whole: bool
    stated: StatedAction | None
    act: Act | None
    code: str | None = None


def narrated(read: Sequence[Reading], language: str, shown: Shown | None, topic: int | None) -> Found:
    """Lead, sections, steps and notes in the order in which they happened.

    Args:
        read: Every sentence.
        language: Primary tag.
        shown: The screens, if they were read.
        topic: The sentence whose topic became the title: the lead does not repeat it.
    """
    found = Found()
    stated = [(number, each) for number, reading in enumerate(read) if number != topic for each in reading.stated]
    if shown is not None:
        shown = Shown(shown.record, [stated_time(each) for _, each in stated])
    back = frozenset(place for place in range(len(stated)) if is_taken_back(place, stated, read))
    slides = slides_of(shown) if shown else frozenset[int]()
    pairs = agreed([each for _, each in stated], shown, back, slides) if shown else {}
    usable = shown is not None and _is_usable(stated, pairs, shown, language)
    answered = [False] * len(read)
    for place in pairs:
        answered[stated[place][0]] = True
    topics = announced(read, language, shown, answered)
    announcing = {each.number for each in topics}
    steps = _stated_steps(read, stated, pairs, shown if usable else None, announcing, language, found)
    if usable and shown is not None:
        taken = slides | {pair.act for pair in pairs.values() if stated[pair.stated][0] not in announcing}
        steps += _unstated_steps(read, steps, taken, shown, language, announcing | {topic}, topics, found)
    steps.sort(key=lambda step: (step.at_ms, step.number))
    _write(found, read, _apart(steps), topics, language, shown, topic)
    return found


def _is_usable(stated: Sequence[tuple[int, StatedAction]], pairs: dict[int, Pair], shown: Shown, language: str) -> bool:
    if len(shown.acts) < _USABLE_ACTS:
        return False
    sure = [place for place, (_, each) in enumerate(stated) if each.sure]
    within = sum(place in pairs for place in sure)
    if sure:
        return within >= _USABLE_SHARE * len(sure)
    return bool(pairs) or (language != "en" and sum(map(_speaks_for_itself, shown.acts)) >= _USABLE_ACTS)


def _stated_steps(
    read: Sequence[Reading],
    stated: Sequence[tuple[int, StatedAction]],
    pairs: dict[int, Pair],
    shown: Shown | None,
    announcing: set[int | None],
    language: str,
    found: Found,
) -> list[_Step]:
    steps: list[_Step] = []
    found.left_out |= {stated[place][0] for place in range(len(stated)) if is_taken_back(place, stated, read)}
    if shown is None and language == "en":
        stated = _with_second_chance(stated, len(read))
    in_part: set[int] = set()
    for place, (number, each) in enumerate(stated):
        if number in announcing:
            continue
        pair = pairs.get(place) if shown else None
        act = shown.acts[pair.act] if shown and pair else None
        if act is None and not stands_alone(place, stated, read, pairs, shown):
            if each.sure and shown:
                found.left_out.add(number)
                found.unanswered.append(each.clause.begins_ms)
            if not shown:
                in_part.add(number)
            continue
        begins, ends = each.clause.begins_ms, each.clause.ends_ms
        names = shown.names(*_seen(act, begins, ends)) if shown else {}
        named_act = named_by(each.heading, act, shown) if shown and act else act
        heading = spelt(each.heading, named_act, names)
        code = shown.command(act) if shown and act else None
        whole = each.whole
        if act is not None and pair is not None and _better_read(each, pair, act, language):
            heading, whole = shown_heading(act, language), False
        elif code is not None:
            heading = as_typed(heading, code)
        steps.append(_Step(number, begins, heading, whole, each, act, code))
    for step in steps:
        if step.number in in_part and step.stated is not None:  # what its sentence tells besides stands nowhere else
            step.stated, step.whole = replace(step.stated, clause=read[step.number].sentence), False
            in_part.remove(step.number)
    return steps


def _with_second_chance(stated: Sequence[tuple[int, StatedAction]], sentences: int) -> list[tuple[int, StatedAction]]:
    """What was told as an action; where hardly anything was told as an instruction is (somebody shows what he does
    himself), also what grammar finds, unless under a condition."""
    sure = sum(each.sure for _, each in stated)
    if sure >= max(_FEW, _FEW_SHARE * sentences):
        return list(stated)
    return [
        (
            number,
            replace(each, sure=each.sure or (each.verb in english.VERBS and not english.IF.match(each.clause.text))),
        )
        for number, each in stated
    ]


def _better_read(stated: StatedAction, pair: Pair, act: Act, language: str) -> bool:
    """Whether the label says more than a sentence of which nothing is understood but when it was spoken."""
    if language == "en" or stated.sure or not (act.is_read and act.has_control):
        return False
    return language in RULES or pair.link < _LINKED


def _seen(act: Act | None, begins_ms: int, ends_ms: int) -> tuple[int, int]:
    """When what a cue names stands on the screen."""
    if act is None:
        return begins_ms, ends_ms + 500
    return max(0, min(act.at_ms - 500, begins_ms)), act.at_ms + 1


def _unstated_steps(
    read: Sequence[Reading],
    steps: Sequence[_Step],
    taken: Set[int],
    shown: Shown,
    language: str,
    announcing: set[int | None],
    topics: Sequence[Announced],
    found: Found,
) -> list[_Step]:
    """Steps of changes that nobody tells as an action."""
    made: list[_Step] = []
    used = {step.number for step in steps} | announcing
    of_topics = {act for each in topics if each.act for act in each.act.changes}
    kept = without_outro(read, max((step.number for step in steps), default=-1))
    leaves_ms = read[len(kept)].sentence.begins_ms - _OVER_BEHIND_MS if len(kept) < len(read) else 1 << 62
    for place, act in enumerate(shown.acts):
        if place in taken or set(act.changes) & of_topics:
            continue
        command = shown.command(act)
        over = _spoken_over(read, act, used, language, before=command is not None)
        cue = _cue(read, act, used, language) if over is None else None
        if over is not None:
            number, reading = over
            heading = _as_heading(reading, act)
            begins = reading.sentence.begins_ms
            names = shown.names(*_seen(act, begins, reading.sentence.ends_ms))
            whole = not heading.endswith("\u2026") and len(heading.split()) >= len(reading.text.split()) - 3
            stated = StatedAction(reading.sentence, heading, whole, sure=False)
            made.append(_Step(number, begins, spelt(f"\x00 {heading}", act, names)[2:], whole, stated, act, command))
            used.add(number)
        elif (
            (act.at_ms < leaves_ms or _is_cued(cue, len(kept), act))
            and not _tells_of(act, [*steps, *made])
            and (act.appeared or act.kind is ChangeKind.TYPING)
            and (
                (language != "en" and _speaks_for_itself(act))
                or (act.is_read and act.has_control and _is_unspoken(read, act))
            )
        ):
            heading = shown_heading(act, language)
            if cue is None:
                number = bisect_right(read, act.at_ms, key=lambda each: each.sentence.begins_ms) - 1
                made.append(_Step(number, act.at_ms, heading, True, None, act, command))
            else:
                sentence = read[cue].sentence
                stated = StatedAction(sentence, heading, whole=True, sure=False)
                made.append(_Step(cue, sentence.begins_ms, heading, True, stated, act, command))
                used.add(cue)
            found.read_from_screen.append(act.at_ms)
        elif act.label is not None and act.appeared and not _belongs(act, [*steps, *made]):
            found.unexplained.append(act.at_ms)
    return made


def _spoken_over(
    read: Sequence[Reading], act: Act, used: set[int | None], language: str, *, before: bool
) -> tuple[int, Reading] | None:
    """The sentence that was spoken over a change and names what was acted on; or with ``before``, which needs no name
    (a command is no word), the one right before it."""
    best: tuple[float, int] | None = None
    for number in _near(read, act.at_ms):
        reading = read[number]
        begins, ends = reading.sentence.begins_ms, reading.sentence.ends_ms
        if begins - _OVER_BEHIND_MS > act.at_ms or number in used:
            continue
        if act.at_ms > ends + _OVER_BEFORE_MS or reading.kind is not Kind.REMARK:
            continue
        if language == "en" and english.RESULT.match(utterances.bare(reading.text)):
            continue
        related = link(reading.text, act)
        if before and 0 <= act.at_ms - ends <= _OVER_BEHIND_MS and not is_own(reading, language):
            related = max(related, _LINKED)
        least = _LINKED if language == "en" or not _speaks_for_itself(act) else _SURELY_LINKED
        if related >= least and (best is None or related > best[0]):
            best = related, number
    return (best[1], read[best[1]]) if best else None


def _cue(read: Sequence[Reading], act: Act, used: set[int | None], language: str) -> int | None:
    """The sentence that a change was made over, or right behind, though none of its words could be made out."""
    for number in _near(read, act.at_ms):
        reading = read[number]
        said = reading.kind is Kind.REMARK and number not in used and not is_own(reading, language)
        if said and reading.sentence.begins_ms <= act.at_ms <= reading.sentence.ends_ms + _CUE_BEHIND_MS:
            return number
    return None


def _is_cued(cue: int | None, kept: int, act: Act) -> bool:
    """Whether a button was pressed over what is told before the speaker takes his leave: no end card."""
    return cue is not None and cue < kept and act.is_read and _speaks_for_itself(act)


def _as_heading(reading: Reading, act: Act) -> str:
    text = utterances.without_lead_in(reading.text)
    if act.label and named(text, act.label) < _LINKED <= named(reading.text, act.label):
        text = utterances.bare(reading.text)  # the cue is the control's name: "and next once more"
    text = text.rstrip(" .,;:!-")
    return utterances.capitalised(utterances.shortened(text, utterances.HEADING_LIMIT))


def _belongs(act: Act, steps: Sequence[_Step]) -> bool:
    """Whether a change comes so soon before or behind what a step tells that it is part of it (a menu that opens)."""
    return any(step.act is not None and abs(step.act.at_ms - act.at_ms) <= _PART_MS for step in steps)


def _tells_of(act: Act, steps: Sequence[_Step]) -> bool:
    """Whether a step of that time tells of the same control: what is seen to change there again is an echo."""
    label = act.label or ""
    return any(
        abs(step.at_ms - act.at_ms) <= _ECHO_MS
        and (
            (named(step.heading, label) >= _LINKED and not _is_other(step.act, act))
            or squashed(step.act.label or "" if step.act else "") == squashed(label)
        )
        for step in steps
    )


def _is_other(one: Act | None, act: Act) -> bool:
    """Whether two actions were surely made on two controls."""
    return (
        one is not None
        and one.control is not None
        and act.control is not None
        and not overlap(one.control, act.control)
    )


def _speaks_for_itself(act: Act) -> bool:
    """Whether something was surely clicked or filled, whatever was said over it."""
    if act.control is None or act.confidence < _SURE_LABEL:
        return False
    is_button = act.control.w <= _BUTTON[0] and act.control.h <= _BUTTON[1]
    return is_button or act.kind is not ChangeKind.PAGE


def _is_unspoken(read: Sequence[Reading], act: Act) -> bool:
    near = (read[number].sentence for number in _near(read, act.at_ms))
    return not any(each.begins_ms - _UNSPOKEN_MS <= act.at_ms <= each.ends_ms + _UNSPOKEN_MS for each in near)


def _near(read: Sequence[Reading], at_ms: int) -> Iterator[int]:
    """The sentences that can have been spoken over a moment."""
    first = bisect_left(read, at_ms - _LONGEST_SENTENCE_MS, key=lambda each: each.sentence.begins_ms)
    last = bisect_right(read, at_ms + _LONGEST_SENTENCE_MS, key=lambda each: each.sentence.begins_ms)
    yield from range(first, last)


def _apart(steps: Sequence[_Step]) -> list[_Step]:
    """Steps without those that come too close to tell anything of their own."""
    kept: list[_Step] = []
    for step in steps:
        last = kept[-1] if kept else None
        if (
            last is not None
            and step.at_ms - last.at_ms < _TOO_CLOSE_MS
            and squashed(step.heading) == squashed(last.heading)
        ):
            continue
        kept.append(step)
    return kept


def _write(
    found: Found,
    read: Sequence[Reading],
    steps: Sequence[_Step],
    topics: Sequence[Announced],
    language: str,
    shown: Shown | None,
    topic: int | None,
) -> None:
    last = max((step.number for step in steps), default=-1)
    kept = without_outro(read, last)
    of_steps = {step.number for step in steps}
    announcing = {each.number for each in topics}
    marks: list[tuple[int, int, Announced | _Step]] = sorted(
        [*((each.start_ms, 0, each) for each in topics), *((step.at_ms, 1, step) for step in steps)],
        key=lambda mark: mark[:2],
    )
    starts = [mark[0] for mark in marks]
    between: list[list[Reading]] = [[] for _ in range(len(marks) + 1)]
    for number, reading in enumerate(kept):
        if number not in of_steps | found.left_out and number not in announcing and number != topic:
            place = bisect_right(starts, reading.sentence.begins_ms)
            between[place].append(reading)
    found.entries += _opening(between[0], language)
    for place, (_, _, mark) in enumerate(marks, start=1):
        if isinstance(mark, Announced):
            found.entries.append(_section(mark))
            found.sections += 1
            explained: list[Reading] = []
        else:
            entry = _step_entry(mark, language)
            found.entries.append(entry)
            explained = [each for each in between[place] if explains(each, language)]
            names = list(shown.names(mark.at_ms, mark.at_ms + 1).values()) if shown else []
            for each in that_matter(explained, mark.heading, names):
                entry.add(_cleaned(each.text, language), each.sentence)
        found.entries += _notes(between[place], language)


def _section(topic: Announced) -> Entry:
    if topic.sentence is not None:
        return Entry.of(BlockRole.SECTION, topic.sentence, topic.heading)
    changes = topic.act.changes if topic.act is not None else ()
    return Entry.shown(BlockRole.SECTION, topic.start_ms, changes, topic.heading)


def _step_entry(step: _Step, language: str) -> Entry:
    changes = step.act.changes if step.act else ()
    if step.stated is None:
        entry = Entry.shown(BlockRole.STEP, step.at_ms, changes, step.heading)
    else:
        entry = Entry.of(BlockRole.STEP, step.stated.clause, step.heading)
        entry.changes = changes
        if not step.whole and _says_more(step.stated.clause.text, step.heading):
            entry.texts.append(_cleaned(step.stated.clause.text, language))
    entry.code = step.code
    return entry


def _says_more(sentence: str, heading: str) -> bool:
    """Whether the sentence holds more than the heading made of it and the words around every instruction."""
    if heading.endswith("\u2026"):
        return True
    kept = {squashed(word) for word in heading.split()}
    more = {squashed(word) for word in sentence.split()} - kept
    joined = english.JOINED_VERB.findall(sentence)
    verbs = {squashed(verb) for verb, it in joined if verb.islower() and (it or verb in english.VERBS)}
    if more & (english.POINTING | verbs):  # something else that is to be done
        return True
    aims = english.AIM.match(utterances.without_lead_in(sentence)) or english.SO_PRESS.search(sentence)
    needed = 1 if aims else 2
    return sum(len(word) > 3 and word not in _AROUND for word in more) >= needed


def _notes(readings: Sequence[Reading], language: str) -> list[Entry]:
    made: list[Entry] = []
    last: Reading | None = None
    for reading in readings:
        if reading.kind is Kind.NOTE:
            if not made or last is None or reading.sentence.begins_ms - last.sentence.ends_ms > 3_000:
                made.append(Entry.of(BlockRole.NOTE, reading.sentence))
            made[-1].add(_cleaned(reading.text, language), reading.sentence)
            last = reading
    return made


def _opening(readings: Sequence[Reading], language: str) -> list[Entry]:
    said = [each for each in readings if each.kind in (Kind.REMARK, Kind.NOTE)]
    kept = [
        each for each in said if each.kind is Kind.NOTE or utterances.announces(each.text) or not is_own(each, language)
    ]
    if not kept:
        return []
    lead = Entry.of(BlockRole.LEAD, kept[0].sentence)
    for each in kept[:_OPENING]:
        lead.add(_cleaned(each.text, language), each.sentence)
    return [lead, *_notes([each for each in kept[_OPENING:] if each.kind is Kind.NOTE], language)]


def _cleaned(text: str, language: str) -> str:
    return utterances.cleaned(text) if language == "en" else utterances.capitalised(one_line(text))
