"""What a translation must leave as it is: code, addresses, HTML, numbers, and the names of what is on the screen.

Before a text is sent, code, addresses and HTML give way to tokens, so that no model can change them; behind that,
whatever comes back is held against the original.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token

from activities.drafting.markdown import plain_words
from domain.documents.constructs import has_unclosed_fence

_READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])

_OPEN, _CLOSE = "\u27e6", "\u27e7"
_INNER_OPEN, _INNER_CLOSE = "\ue000", "\ue001"
"""Of tokens while a text is still searched, which may hold the others as its own."""
_TOKEN = re.compile(rf"{_OPEN}[ \t]*(\d{{1,6}})[ \t]*{_CLOSE}")
_PROTECTED = re.compile(
    r"(?P<code>(?<!`)(`+)(?!`)(?:.|\n)+?(?<!`)\2(?!`))"
    r"|(?<=\])\((?P<link>[^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*'))?)\)"
    r"|(?P<reference>(?<=\])\[[^\]\n]*\])"
    r"|(?P<definition>^ {0,3}\[[^\]\n]+\]:[^\n]*$)"
    r"|(?P<tag></?[a-zA-Z!?][^<>\n]*>)"
    r"|(?P<address>\b[a-z][a-z0-9+.-]{1,15}://[^\s<>`|)\]*]+|(?<![\w@./-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+)"
    rf"|(?P<mark>[{_OPEN}{_CLOSE}])",
    re.MULTILINE | re.IGNORECASE,
)
_BOLD = re.compile(r"(?<![\w*\\])(\*\*|__)(?=\S)([^*_\n]+?)(?<=\S)\1(?![\w*])")
_LONGEST_LABEL = 60
_NO_LABEL_END = ":.!?\uff1a\u3002\uff01\uff1f"

_GROUPS = re.compile(r"(?<=\d)[.,'\u2019\u00a0\u202f ](?=\d{3}(?!\d))")
"""Between groups of three digits, which languages set apart each in its own way."""
_DIGITS = re.compile(r"\d+")
_COUNTED = 12
"""Up to here a language may write a number as a word, and another as digits."""

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\u202a-\u202e]")
_LONGER = 4
_LONGER_BY = 300
"""A translation of more characters than so many times the original's, and these, is no translation."""
_WORDS_NEEDED = 3
"""Words of the original from which on a translation is not the same text: fewer may all be names."""


@dataclass(frozen=True)
class Masked:
    """A block as it is sent. ``pieces`` are what its tokens stand for, ``labels`` what has to stand as it is."""

    original: str
    text: str
    pieces: tuple[str, ...]
    labels: tuple[str, ...]

    @property
    def is_whole(self) -> bool:
        """Whether the block can be put together again; else nothing may be done to it."""
        return self.unmasked(self.text) == self.original

    @property
    def has_words(self) -> bool:
        """Whether anything is left to translate."""
        bare = _TOKEN.sub(" ", self.text)
        for label in self.labels:
            bare = bare.replace(label, " ")
        return any(letter.isalpha() for letter in plain_words(bare))

    def unmasked(self, text: str) -> str:
        """With the pieces back in place of their tokens; a token that nothing stands for stays."""

        def piece(found: re.Match[str]) -> str:
            number = int(found[1])
            return self.pieces[number - 1] if 1 <= number <= len(self.pieces) else found[0]

        return _TOKEN.sub(piece, text)


def masked(markdown: str, on_screen: Iterable[str] = ()) -> Masked:
    """A block's Markdown with tokens for what no model may touch.

    Args:
        on_screen: Names of the controls that the block tells, as they are spelt there.
    """
    pieces: list[str] = []

    def token(piece: str) -> str:
        pieces.append(piece)
        return f"{_INNER_OPEN}{len(pieces)}{_INNER_CLOSE}"

    def replaced(found: re.Match[str]) -> str:
        return f"({token(found['link'])})" if found["link"] else token(found[0]) if found[0] != "()" else "()"

    text = _PROTECTED.sub(replaced, _without_code_blocks(markdown, token))
    text = text.replace(_INNER_OPEN, _OPEN).replace(_INNER_CLOSE, _CLOSE)
    return Masked(markdown, text, tuple(pieces), _labels(text, on_screen))


def problems(before: Masked, answer: str, *, may_be_same: bool = False) -> list[str]:
    """What keeps an answer from standing for a block, as sentences that hold nothing of either text."""
    found: list[str] = []
    counts = Counter(int(number) for number in _TOKEN.findall(answer))
    if counts != Counter(range(1, len(before.pieces) + 1)):
        found.append(f"Every token like {_OPEN}1{_CLOSE} of the text stands in its translation exactly once.")
    text = before.unmasked(answer)
    if not text.strip():
        return ["The translation is empty."]
    if _CONTROL.search(text):
        found.append("The translation holds control characters.")
    if len(text) > _LONGER * len(before.original) + _LONGER_BY:
        found.append("The translation is far longer than the text.")
    if has_unclosed_fence(text) or _shape(text) != _shape(before.original):
        found.append(
            "The translation has the same Markdown blocks as the text: headings of the same level, as many paragraphs, "
            "list items, table cells."
        )
    elif fixed(text) != fixed(before.original):
        found.append("Code, links, pictures and HTML are those of the text, no more and no less.")
    if any(label not in text for label in before.labels):
        found.append('What "keep" lists stands in the translation exactly as it is spelt.')
    found += _number_problems(before.original, text)
    if not may_be_same and before.has_words and text == before.original:
        bare = plain_words(_TOKEN.sub(" ", before.text))
        for label in before.labels:
            bare = bare.replace(label, " ")
        if sum(any(map(str.isalpha, word)) for word in bare.split()) >= _WORDS_NEEDED:
            found.append("The translation is the text itself. Translate it.")
    return found


def _without_code_blocks(markdown: str, token: Callable[[str], str]) -> str:
    """Blocks of code, and of HTML, each as one token on a line."""
    lines = markdown.split("\n")
    spans = [
        each.map
        for each in _READER.parse(markdown)
        if each.type in ("fence", "code_block", "html_block") and each.map is not None
    ]
    for first, behind in reversed(spans):
        # an indented block ends with its last line of code
        last = next((at for at in range(behind - 1, first, -1) if lines[at].strip()), first)
        lines[first : last + 1] = [token("\n".join(lines[first : last + 1]))]
    return "\n".join(lines)


def _labels(text: str, on_screen: Iterable[str]) -> tuple[str, ...]:
    """What is set in bold as a label is, and names of controls where they stand within a sentence: at its beginning a
    name may be a verb."""
    found = [each[1] for each in _BOLD.findall(text) if _is_label(each[1])]
    for label in on_screen:
        within = rf"(?<=[\w,)\u201d\"'*] ){re.escape(label)}(?!\w)"
        if len(label) > 1 and not label[0].islower() and _TOKEN.search(label) is None and re.search(within, text):
            found.append(label)
    return tuple(dict.fromkeys(found))


def _is_label(text: str) -> bool:
    """Emphasis is written small or ends a sentence; what introduces one ends with a colon."""
    first = next((each for each in text if each.isalnum()), "")
    has_token = _TOKEN.search(text) is not None
    return (
        bool(first)
        and not first.islower()
        and len(text) <= _LONGEST_LABEL
        and not (text.endswith(tuple(_NO_LABEL_END)) or has_token)
    )


def _shape(markdown: str) -> list[tuple[str, str]]:
    return [(each.type, each.tag) for each in _READER.parse(markdown)]


def fixed(markdown: str) -> Counter[tuple[str, str]]:
    """The code, addresses of links and pictures, and HTML of a text: what, and how often."""
    return Counter(_fixed_pieces(_READER.parse(markdown)))


def _fixed_pieces(tokens: Iterable[Token]) -> Iterator[tuple[str, str]]:
    for each in tokens:
        if each.type in ("fence", "code_block", "html_block", "code_inline", "html_inline"):
            yield each.type, f"{each.info}\n{each.content.strip()}"
        elif each.type == "link_open":
            yield each.type, str(each.attrs.get("href"))
        elif each.type == "image":
            yield each.type, str(each.attrs.get("src"))
        if each.children and each.type != "image":
            yield from _fixed_pieces(each.children)


def _number_problems(before: str, after: str) -> Iterator[str]:
    had, has = _numbers(before), _numbers(after)
    if had - has:
        yield "Numbers, times and dates stand in the translation with the digits of the text."
    if any(int(number) > _COUNTED for number in has - had):
        yield "The translation holds a number that the text does not have."


def _numbers(markdown: str) -> Counter[str]:
    digits = "".join(str(unicodedata.digit(each)) if each.isdigit() else each for each in markdown)
    return Counter(_DIGITS.findall(_GROUPS.sub("", digits)))
