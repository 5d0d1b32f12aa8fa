"""Words as the screen spells them: what was said and what stands there at that moment, matched by letters and by sound.

A word gives way only to one that stands on the screen, and only where both are the same word: the same letters (but
for marks, case and spoken signs), or a hearing of the label of the very control that was acted on. In doubt what was
said stays.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from activities.drafting.acts import Act
from activities.drafting.language.phonetics import (
    letter_similarity,
    phonetic_key,
    similarity,
    sound_similarity,
    squashed,
)
from domain.documents.illustration import WAITS
from domain.recordings.screen import ChangeKind

_HEARD = 0.75
"""Of letters and sound together. Of pairs that were no hearing of each other ("billing address", "Email address")
the most alike have 0.70."""
_SURELY_READ = 0.7
_WHOLE_OBJECT = 0.8
"""Of the sound, where the label is all that the verb acts on and nothing on the screen is called as it was heard."""
_MOST_WORDS = 7
_LETTERS = re.compile(r"\b[A-Z](?: [A-Z])+\b")
"""A name that was spelled out."""
_PRONOUNS = frozenset({"it", "that", "this", "there", "here", "them", "one"})
_PREPOSITIONS = frozenset(
    (
        *(
            "of",
            "in",
            "on",
            "at",
            "from",
            "under",
            "over",
            "to",
            "into",
            "with",
            "for",
            "as",
            "next",
            "and",
            "or",
            "by",
        ),
        *("im", "in", "auf", "aus", "bei", "unter", "en", "de", "del", "dans", "sur", "que", "who", "which", "that"),
    )
)
_ARTICLES = frozenset(
    (
        *("the", "a", "an", "your", "our", "my", "this", "that", "on", "to", "der", "die", "das", "den", "dem", "auf"),
        *("el", "la", "los", "las", "en", "le", "les", "l", "sur", "un", "una", "une", "ein", "eine", "einen", "sie"),
    )
)


@dataclass(frozen=True, slots=True)
class _Span:
    start: int
    end: int


def spelt(heading: str, act: Act | None, names: Mapping[str, str]) -> str:
    """The heading as the screen spells it.

    Args:
        heading: What was said, verb first.
        act: What was done, if the screen answered.
        names: Short texts that stood there, by their squashed letters.
    """
    words = heading.split()
    if act is not None and act.marked is not None and words:
        words[0] = _as_marked(words[0], marked=act.marked)
    if act is not None and act.label and words and words[0].lower() not in WAITS:
        words = _unglued(words, act.label) if act.in_sidebar and act.is_read else words
        label = _without_verb(act.label, words[0])
        exact = _exact_label(words, label)
        if exact is not None:
            words = _put(words, exact, label)
        elif act.confidence >= _SURELY_READ and (half := _half_heard(words, label, names)) is not None:
            words = _put(words, half, label)
        elif act.confidence >= _SURELY_READ and (heard := _heard_name(words, (label, *act.beside), names)):
            words = _put(words, *heard)
        elif act.is_read and len(words) == 2 and words[1].lower().strip(".,") in _PRONOUNS:
            words = [words[0], act.label]
    if act is not None and act.in_sidebar:
        words = _at_the_side(words, names)
    own = squashed(act.label) if act is not None and act.label else ""
    chosen = _values(act) if act is not None else {}
    words = _as_values(words, chosen, names)
    known = {key: name for key, name in names.items() if key != own}
    return " ".join(_as_names(words, known, chosen))


def _without_verb(label: str, verb: str) -> str:
    """A button that says what it does is told as such: "save the rule" for *Save rule*."""
    first, _, rest = label.partition(" ")
    return rest if rest and squashed(first) == squashed(verb) else label


def _heard_name(words: list[str], labels: Sequence[str], names: Mapping[str, str]) -> tuple[_Span, str] | None:
    """The stretch that is a hearing of a label, and that label."""
    found = ((_misheard(words, label, names), label) for label in labels)
    return next(((span, label) for span, label in found if span is not None), None)


_TICKS = {"tick": "untick", "check": "uncheck"}


def _as_marked(verb: str, *, marked: bool) -> str:
    """What was done to a box to tick, as its mark says: the first syllable of "untick" is easily lost, or heard as
    "then" or "and", and "tick" as "take"."""
    lower = verb.lower()
    if lower not in _TICKS and phonetic_key(lower) == phonetic_key("tick"):
        lower = "tick"
    if lower not in _TICKS:
        return verb
    return (lower if marked else _TICKS[lower]).capitalize()


def _at_the_side(words: list[str], names: Mapping[str, str]) -> list[str]:
    """The place that the screen itself vouches for, where a sentence ends with a hearing of it ("in the side door")."""
    for start in range(len(words) - 1, max(1, len(words) - 3), -1):
        span = " ".join(words[start:])
        heard = _HEARD <= similarity(span, _SIDEBAR) < 1 and squashed(span) not in names
        if heard and words[start - 1].lower() in _ARTICLES and words[start - 2].lower() in _PREPOSITIONS:
            return [*words[:start], _SIDEBAR]
    return words


_SIDEBAR = "sidebar"
_PAGES = ("Seite", "Página", "Page")
"""What navigation leads to, as German, Spanish and French put it before its name."""
_GLUED = 0.58
_KINDS = ("page", "tab", "button", "menu", "screen", "view", "field", "panel", "link", "box", "icon")


def _values(act: Act) -> dict[str, str]:
    """What was chosen or typed into a field, by its letters: values, no sentences."""
    if act.chosen is None and act.kind is not ChangeKind.TYPING:
        return {}
    values = (text.strip() for text in act.appeared)
    return {
        squashed(each): each
        for each in values
        if len(each) > (1 if squashed(each).isdigit() else 3)
        and each[-1].isalnum()
        and any(mark.isupper() or mark.isdigit() for mark in each)
        and each[-1].isalnum()
        and any(mark.isupper() or mark.isdigit() for mark in each)
    }


def _as_values(words: list[str], values: Mapping[str, str], names: Mapping[str, str]) -> list[str]:
    """What was chosen or typed, where it was heard as other words of the same sound ("to expensive" for "Too
    expensive")."""
    for key, value in values.items():
        size = len(value.split())
        for start in range(1, len(words) - size + 1):
            span = " ".join(words[start : start + size])
            phrase = squashed(span)
            if key == phrase:
                break
            close = abs(len(phrase) - len(key)) <= _MORE_LETTERS and similarity(span, value) >= _SAME_VALUE
            other = phrase in names or _is_plural(phrase, key) or len(key) < _LONG_VALUE
            if close and not other and _one_word_each(span, value):
                return _put(words, _Span(start, start + size), value)
    return words


_SAME_VALUE, _LONG_VALUE, _MORE_LETTERS = 0.8, 5, 2


def _is_plural(phrase: str, wanted: str) -> bool:
    """Two forms of one word: "customers" is what the speaker says of a field called Customer."""
    shorter, longer = sorted((phrase, wanted), key=len)
    return longer in (f"{shorter}s", f"{shorter}es", f"{shorter}n", f"{shorter}en", f"{shorter}e")


def _is_compound(phrase: str, wanted: str) -> bool:
    """A longer word that ends with the label is another one: "Teammitglieder" are not *Mitglieder*."""
    return phrase.endswith(wanted) and len(phrase) - len(wanted) >= _COMPOUND


_COMPOUND = 3


def _exact_label(words: list[str], label: str) -> _Span | None:
    """Where the label was said in other marks or another case, the longest stretch from the left."""
    wanted = squashed(label)
    for start in range(1, len(words)):
        for end in range(min(len(words), start + len(label.split()) + 4), start, -1):
            if squashed(" ".join(words[start:end])) == wanted:
                return _Span(start, end)
    for place, word in enumerate(words[1:], start=1):
        kind = next((each for each in _KINDS if squashed(word) == wanted + each), None)
        if kind is not None:
            words[place : place + 1] = [label, kind]
            return _Span(place, place + 1)
    return None


def _unglued(words: list[str], label: str) -> list[str]:
    """The page's name and what it is, where both were heard as one word ("Neitermitglieder" for "Seite
    Mitglieder")."""
    wanted = squashed(label)
    for place, word in enumerate(words[1:], start=1):
        rest = squashed(word).removesuffix(wanted)
        page = max(_PAGES, key=lambda each: letter_similarity(rest, each))
        if rest != squashed(word) and len(wanted) >= _LONG_NAME and letter_similarity(rest, page) >= _GLUED:
            return [*words[:place], page, label, *words[place + 1 :]]
    return words


_LONG_NAME = 5


def _misheard(words: list[str], label: str, names: Mapping[str, str]) -> _Span | None:
    """The stretch that must be a hearing of the label; ``None`` where anything speaks against it."""
    wanted, size = squashed(label), len(label.split())
    best: tuple[float, _Span] | None = None
    for start in range(1, len(words)):
        for end in range(start + max(1, size - 1), min(len(words), start + size + 3) + 1):
            span = " ".join(words[start:end])
            phrase = squashed(span)
            edges = {words[start].lower(), words[end - 1].lower()} & (_ARTICLES | _PREPOSITIONS)
            other = _is_plural(phrase, wanted) or _is_compound(phrase, wanted)
            if not phrase or phrase in names or edges or len(phonetic_key(span)) < 2 or other:
                continue
            if abs(len(phrase) - len(wanted)) > max(2, 0.4 * len(wanted)) or _says_more(words, start, end, names):
                continue
            merit = similarity(span, label)
            whole = _is_whole_object(words, start, end) and sound_similarity(span, label) >= _WHOLE_OBJECT
            good = (merit >= _HEARD and _one_word_each(span, label)) or (whole and _same_size(phrase, wanted))
            if good and (best is None or merit > best[0]):
                best = merit, _Span(start, end)
    return best[1] if best else None


def _half_heard(words: list[str], label: str, names: Mapping[str, str]) -> _Span | None:
    """All that was chosen, where its last word was heard right and the others are not to be found on the screen ("pick
    promise energy" for *Globex Energy*)."""
    written, start = label.split(), 1
    while start < len(words) and words[start].lower() in _ARTICLES:
        start += 1
    end = start + len(written)
    said = words[start:end]
    if len(written) < 2 or len(said) < len(written) or words[0].lower() not in _CHOOSING:
        return None
    behind = words[end].lower() if end < len(words) else ""
    shown = {squashed(word) for name in names.values() for word in name.split()}
    others = [squashed(one) for one, other in zip(said, written, strict=True) if squashed(one) != squashed(other)]
    fits = squashed(said[-1]) == squashed(written[-1]) and len(others) == 1 and not shown & set(others)
    return _Span(start, end) if fits and (not behind or behind in _PREPOSITIONS) else None


_CHOOSING = frozenset(("pick", "choose", "select"))


def _says_more(words: list[str], start: int, end: int, names: Mapping[str, str]) -> bool:
    """Whether a longer stretch around it is the name of something else that stands there."""
    for first in range(max(1, start - 2), start + 1):
        for last in range(end, min(len(words), end + 2) + 1):
            if squashed(" ".join(words[first:last])) in names:
                return True
    return False


def _one_word_each(span: str, label: str) -> bool:
    """Whether every word of a label of several can be heard in the span: "billing address" is no "Email address"
    though one of its words is the same."""
    phrase, written = span.split(), label.split()
    if len(phrase) != len(written) or len(written) == 1:
        return True
    return all(
        squashed(one) == squashed(other) or similarity(one, other) >= 0.6 or sound_similarity(one, other) >= 0.6
        for one, other in zip(phrase, written, strict=True)
    )


def _same_size(phrase: str, wanted: str) -> bool:
    return abs(len(phrase) - len(wanted)) <= 2 and letter_similarity(phrase, wanted) >= 0.25


def _is_whole_object(words: list[str], start: int, end: int) -> bool:
    before = words[start - 1].lower()
    behind = words[end].lower() if end < len(words) else ""
    return (start == 1 or before in _ARTICLES) and (not behind or behind in _PREPOSITIONS)


def _as_names(words: list[str], names: Mapping[str, str], chosen: Mapping[str, str]) -> list[str]:
    """Names of several words, or with capitals or marks of their own, as they stand there: the same letters."""
    made: list[str] = words[:1]
    place = 1
    while place < len(words):
        for end in range(min(len(words), place + _MOST_WORDS), place, -1):
            key = squashed(" ".join(words[place:end]))
            name = names.get(key)
            if name is None or _is_any(words, place, end, name) or not _worth_it(words, place, end, name):
                name = chosen.get(key) if len(key) > 3 or key.isdigit() else None
            if name is not None:
                made += _kept_mark(words[end - 1], name)
                place = end
                break
        else:
            made.append(words[place])
            place += 1
    return made


def _is_any(words: list[str], start: int, end: int, name: str) -> bool:
    """Behind an indefinite article it is any thing of its kind, and no name: "create a new deal" below *New deal*."""
    plain = name == name[:1] + name[1:].lower() and " ".join(words[start:end]) == name[:1].lower() + name[1:]
    return plain and (
        words[start - 1].lower() in ("a", "an", "another") or [w.lower() for w in words[:start]] == _HOW_TO
    )


_HOW_TO = ["how", "to"]


def _worth_it(words: list[str], start: int, end: int, name: str) -> bool:
    """A single common word is a name only where it stands as one: right behind the verb, or before what it is."""
    if name[-1] in ".,;:!?":
        return False
    if end - start > 1 or any(not each.isalnum() for each in name) or name[1:] != name[1:].lower():
        return not name.islower() or any(not each.isalnum() and not each.isspace() for each in name)
    return name[:1].isupper() and (
        words[start - 1].lower() in {"click", "on", "to", "press", "hit", "tap", "auf", "sur", "en"}
        or (
            end < len(words)
            and words[end].lower().strip(".,") in {"tab", "page", "button", "menu", "field", "panel", "row"}
        )
    )


def _put(words: list[str], span: _Span, label: str) -> list[str]:
    kind, behind = words[span.end : span.end + 1], words[span.end + 1 :]
    if kind and kind[0].lower() in _KINDS:
        kind = [kind[0].lower()]  # what it is is no part of its name
    return [*words[: span.start], *_kept_mark(words[span.end - 1], label), *kind, *behind]


def _kept_mark(last: str, name: str) -> list[str]:
    mark = last[-1] if last[-1] in ",;:" and name[-1] not in ",;:" else ""
    return [name + mark]


def as_typed(heading: str, command: str) -> str:
    """The heading with the words of a typed command as they were typed ("npm", "docker compose")."""
    tokens = {squashed(token): token for token in re.findall(r"[\w.@:+-]+", command) if len(squashed(token)) >= 2}
    words = _LETTERS.sub(lambda found: found.group().replace(" ", ""), heading).split()
    return " ".join([*words[:1], *(tokens.get(squashed(word), word) for word in words[1:])])
