"""Whether a text has anything to do with the words that it cites."""

import html
import re
from collections.abc import Iterable, Sequence

from markdown_it import MarkdownIt

from activities.drafting.language.sentences import UNSPACED
from activities.drafting.markdown import letters_only, plain_words
from domain.recordings.transcript import Segment

_STEM = 4
"""Letters that two forms of one word share ('click', 'clicking'): crude, and enough to find no relation at all."""

_WORDS_NEEDED = 3
"""With fewer words on either side a paraphrase need not share one."""


_DOMAINS = (
    "com|org|net|edu|gov|biz|io|xyz|de|uk|fr|nl|pl|ru|ua|cn|jp|br|eu|app|dev|shop|online|site|cloud|tech|icu|info|ai|co"
    "|ch|es|se|ca|au|tv"
)
"""Ends of names without a scheme, by which they are known: common ones, that are neither words nor endings of files."""
_ADDRESS = re.compile(
    r"[ \t]*(?:[(<]?(?:\b[a-z][a-z0-9+.-]{1,15}[:\uff1a]//|\bhttps?[:\uff1a][/\\]|(?<![\w:/])//(?=[\w-]+\.[a-z])"
    r"|\bwww\.|\b(?:javascript|vbscript):(?=\S)|\bdata:\w+/)"
    r"[^\s<>`|]+[>)]?"
    r"|(?<![\w@./-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
    rf"|(?<![\w@./-])(?:[\w-]+[.\u3002])+(?:{_DOMAINS})\b(?![\w-])(?:[:/][^\s<>`|]*)?"
    r"|(?<![\w@./-])(?:[\w-]+\.)+(?:[a-z]{2,24}|xn--[a-z0-9-]+)/[^\s<>`|]+"
    r"|(?<![\w@./-])(?:[\w-]+\.)*xn--[\w-]+(?:\.[\w-]+)+"
    r"|(?<![\w@./-])\d{1,3}(?:\.\d{1,3}){3}[:/][^\s<>`|]+)",
    re.IGNORECASE,
)
_REFERENCE = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|colon|sol|period|commat);")
_COMMAND = re.compile(r"[ \t]*(?<!`)(`+)(?!`)([^`\n]*?\s[^`\n]*?)(?<!`)\1(?!`)")
"""Code within a line, of several words: one may be any name."""
_LEAST_WORDS = 2
_ADDRESS_END = ".,;:!?)>\"'*_"
_OF_ANY_ADDRESS = frozenset(("http", "https", "ftp", "www", "com", "org", "net", "html"))
_CODE_GROUNDED = 0.5
"""Share of a code block's words that must have been said: a command is heard in other words, but not in all others."""
_SURE_INSIDE = 4
"""Letters of a word that counts as said also where it was written apart ("git hub") or within a longer one."""
_CODE_READER = MarkdownIt("commonmark")

_EVERYWHERE = frozenset(
    (
        *("the", "and", "for", "you", "your", "with", "this", "that", "then", "from", "are", "will", "can", "into"),
        *("der", "die", "das", "und", "les", "des", "une", "los", "las", "del", "que", "het", "een"),
    )
)
"""Words that relate any two texts."""


def ungrounded(text: str, cited: Sequence[Segment]) -> bool:
    """Whether the text shares not one word of three letters or more with the segments.

    Scripts without spaces are not judged: their words cannot be told apart here.
    """
    said = _stems(" ".join(segment.text for segment in cited))
    written = _stems(plain_words(text))
    if len(said) < _WORDS_NEEDED or len(written) < _WORDS_NEEDED:
        return False
    return not said & written


def _stems(text: str) -> set[str]:
    words = (letters_only(word) for word in text.split())
    return {word[:_STEM] for word in words if len(word) >= 3 and word not in _EVERYWHERE and not UNSPACED.search(word)}


class Sources:
    """The words that a model was given: what it may name an address or write code from."""

    def __init__(self, texts: Iterable[str]) -> None:
        given = " ".join(texts)
        self._words = {each for each in _tokens(given) if each}
        self._letters = letters_only(given)

    def have(self, token: str) -> bool:
        return token in self._words or (len(token) >= _SURE_INSIDE and token in self._letters)


def without_foreign(markdown: str, sources: Sources) -> str:
    """A model's text without the web and mail addresses, and the blocks of code, that it was not given: as with links,
    it does not know any, and somebody's words might have told it some."""
    markdown = _REFERENCE.sub(_spelled_out, markdown)
    lines = markdown.split("\n")
    for token in reversed(_CODE_READER.parse(markdown)):
        if token.type in ("fence", "code_block") and token.map and not _is_given(token.content, sources):
            first, behind = token.map
            lines[first:behind] = [] if first and not lines[first - 1].strip() else [""]
    text = "\n".join(lines)
    kept = _COMMAND.sub(lambda found: found.group() if _is_given_within(found[2], sources) else "", text)
    kept = _ADDRESS.sub(lambda found: _address(found.group(), sources), kept)
    return markdown if kept == markdown else kept.strip("\n")


def _spelled_out(found: re.Match[str]) -> str:
    """The letter that is meant: an address may be written in references to characters, too."""
    meant = html.unescape(found.group())
    return meant if len(meant) == 1 and (meant.isalnum() or meant in ":/.@") else found.group()


def _address(found: str, sources: Sources) -> str:
    """The address, and the space before it, where every part of it was given; else what stands around it."""
    bare = found.rstrip(_ADDRESS_END)
    opened = bare.lstrip()[1:].count("(") - bare.count(")")
    while opened > 0 and found.startswith(")", len(bare)):
        bare, opened = bare + ")", opened - 1
    parts = [each for each in _tokens(bare) if each not in _OF_ANY_ADDRESS]
    if parts and all(sources.have(each) for each in parts):
        return found
    behind = found[len(bare) :]
    return behind[1:] if bare.lstrip()[0] in "(<" and behind[:1] in (")", ">") else behind


def _is_given_within(code: str, sources: Sources) -> bool:
    """As of a block of code, where there is enough to judge by."""
    telling = [each for each in _tokens(code) if len(each) > 1 and not each.isdigit()]
    return len(telling) < _LEAST_WORDS or _is_given(code, sources)


def _is_given(code: str, sources: Sources) -> bool:
    if any(_address(each.group(), sources) != each.group() for each in _ADDRESS.finditer(code)):
        return False
    words = [each for each in _tokens(code) if not each.isdigit()]
    return not words or sum(map(sources.have, words)) >= _CODE_GROUNDED * len(words)


def _tokens(text: str) -> list[str]:
    """Words as letters and digits, each part of what is written together ("kube-system", "users.read") by itself."""
    return [folded for each in re.split(r"[\W_]+", text) if (folded := letters_only(each))]
