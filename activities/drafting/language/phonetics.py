"""Whether two spellings can be the same words: by their letters, and by how they sound.

The sound of a word is its skeleton of consonants, roughly as English, German, French and Spanish speak them: what a
recogniser mistakes are vowels and spelling ("Cabernets" for Kubernetes), hardly ever the consonants.
"""

import re
import unicodedata
from difflib import SequenceMatcher
from functools import lru_cache

_SPOKEN_MARKS = {
    "dot": ".",
    "point": ".",
    "punkt": ".",
    "punto": ".",
    "slash": "/",
    "dash": "-",
    "hyphen": "-",
    "minus": "-",
    "underscore": "_",
    "colon": ":",
    "at": "@",
}
"""How people speak the marks within names."""

_SMALL = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_NUMBERS = {word: str(value) for value, word in enumerate(_SMALL)} | {
    word: str(20 + 10 * place) for place, word in enumerate(_TENS)
}
_NUMBER = re.compile(rf"(?<!\w)(?:{'|'.join(_NUMBERS)})(?!\w)")
"""Also of a word with a hyphen: "two-factor" is heard as "2 factor"."""
_TEN_AND_ONE = re.compile(r"\b([2-9])0 ([1-9])\b")
_RULES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), sound)
    for pattern, sound in (
        (r"tsch|tch|sch|sh|ch", "c"),
        (r"ph", "f"),
        (r"gh(?![aeiouy])", ""),
        (r"^kn|^gn", "n"),
        (r"^wr", "r"),
        (r"^ps", "s"),
        (r"ck|q", "k"),
        (r"x", "ks"),
        (r"sc(?=[eiy])", "s"),
        (r"c(?=[eiy])", "s"),
        (r"c(?=[^c]|$)", "k"),
        (r"[zß]", "s"),
        (r"[pb]", "p"),
        (r"[td]", "t"),
        (r"[kg]", "k"),
        (r"[vf]", "f"),
    )
)
"""Spellings and their consonants; voiced and unvoiced ones count as the same."""


def squashed(text: str) -> str:
    """Letters and digits alone, in lower case without accents; spoken marks and numbers as they are written ("users
    dot read" and "users.read" are the same)."""
    return "".join(each for each in _written(text) if each.isalnum())


@lru_cache(maxsize=4096)
def _written(text: str) -> str:
    plain = "".join(
        each for each in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(each)
    ).replace("'", "")
    words = re.findall(r"[\w.@/:+#$%&-]+", plain)
    inner = [_SPOKEN_MARKS.get(word, word) if 0 < place < len(words) - 1 else word for place, word in enumerate(words)]
    counted = _NUMBER.sub(lambda found: _NUMBERS[found.group()], " ".join(inner))
    return _TEN_AND_ONE.sub(r"\1\2", counted)


@lru_cache(maxsize=4096)
def phonetic_key(text: str) -> str:
    """The consonants that are heard; a vowel at the start counts as ``a``."""
    sound = squashed(text)
    begins = "a" if sound[:1] in set("aeiouy") else ""
    for pattern, replacement in _RULES:
        sound = pattern.sub(replacement, sound)
    bare = re.sub(r"[aeiouyhw]", "", sound)
    return begins + re.sub(r"(.)\1+", r"\1", bare)


def letter_similarity(one: str, other: str) -> float:
    """0 to 1: how many letters two texts share, in order."""
    a, b = squashed(one), squashed(other)
    return SequenceMatcher(None, a, b, autojunk=False).ratio() if a and b else 0.0


def sound_similarity(one: str, other: str) -> float:
    """0 to 1: how many consonants two texts share, in order."""
    a, b = phonetic_key(one), phonetic_key(other)
    return SequenceMatcher(None, a, b, autojunk=False).ratio() if a and b else 0.0


def similarity(one: str, other: str) -> float:
    """0 to 1: how likely one is a mishearing of the other. 1 for the same words."""
    letters = letter_similarity(one, other)
    return letters if letters == 1.0 else max(letters, 0.5 * letters + 0.5 * sound_similarity(one, other))
