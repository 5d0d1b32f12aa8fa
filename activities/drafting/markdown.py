"""Between spoken words, a model's Markdown and the stored Markdown: escaping and taming."""

import re
import unicodedata

from markdown_it import MarkdownIt

from domain.documents.constructs import groups, has_unclosed_fence
from domain.spaces import with_spaces

_ALWAYS = re.compile(r"[\\`*\[\]<]|~(?=~)|(?<=~)~")
_LONE_UNDERSCORE = re.compile(r"(?<![^\W_])_|_(?![^\W_])")
_ENTITY = re.compile(r"&(?=#?\w+;)")
_LINE_START = re.compile(r"^(#{1,6}(?=\s|$)|[-+](?=\s|$|-)|>|=)")
_LINE_START_NUMBER = re.compile(r"^(\d{1,9})([.)])(?=\s|$)")
_CLOSING_HASHES = re.compile(r"(?<=\s)#+$")

_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})")
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*$")
_SETEXT_UNDERLINE = re.compile(r"^ {0,3}(=+|-+)[ \t]*$")
_CODE_SPAN = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_IMAGE = re.compile(r"!\[([^\]\n]*)\](?:\([^)\n]*\)|\[[^\]\n]*\])?")
_LINK = re.compile(r"\[([^\]\n]+)\](?:\([^)\n]*\)|\[[^\]\n]*\])")
_REFERENCE = re.compile(r"^ {0,3}\[[^\]\n]+\]:.*$")
_AUTOLINK = re.compile(r"<([a-zA-Z][a-zA-Z0-9+.-]{1,31}:[^\s<>]*)>")
_TAG = re.compile(r"<(?=[a-zA-Z/!?])")
_BLOCK_MARKER = re.compile(r"^[ \t]*<!--[ \t]*block\b", re.MULTILINE)
_READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
_WILD = frozenset({"html_block", "html_inline", "image", "link_open", "heading_open"})
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


_TURNED = re.compile("[\u202a-\u202e]")
"""Turns the direction of what follows around, and shows one text as another."""


def one_line(text: str) -> str:
    """The text with runs of blank space (also line ends) as single spaces, without control characters."""
    return " ".join(_CONTROL.sub(" ", _TURNED.sub("", text)).split())


def escape(text: str) -> str:
    """Plain text as one line of Markdown that shows exactly these words. Code-like words (``foo_bar``, ``--flag``)
    are left as they are wherever that is safe."""
    line = _ALWAYS.sub(lambda found: "\\" + found.group(), one_line(text))
    line = _ENTITY.sub(r"\\&", _LONE_UNDERSCORE.sub(r"\\_", line))
    line = _LINE_START_NUMBER.sub(r"\1\\\2", line)
    return _LINE_START.sub(lambda found: "\\" + found.group(), line)


def escape_heading(text: str) -> str:
    """As :func:`escape`, for the text behind ``#``, where marks at the end would be taken for decoration."""
    return _CLOSING_HASHES.sub(lambda found: "\\" + found.group(), escape(text))


def fenced(code: str) -> str:
    """A line of code as a block that shows exactly these characters."""
    line = _CONTROL.sub(" ", code)
    longest = max((len(run) for run in re.findall(r"`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{line}\n{fence}"


def tame(markdown: str) -> str:
    """A model's Markdown as the body of one block.

    Paragraphs, lists, tables, emphasis and code stay. Headings become bold lines (a heading would begin a block of
    its own), links and pictures their text (a model does not know addresses, and somebody's words might have told
    it some), HTML and block markers plain text. A fence that was left open is closed. Where a construct escapes all
    that, as a heading within a list does, the whole becomes plain text.
    """
    text = _CONTROL.sub(" ", with_spaces(markdown.replace("\r\n", "\n").replace("\r", "\n")))
    text = _TURNED.sub("", text)
    tamed = _tame_lines(text.split("\n"))
    return tamed if _is_tame(tamed) else _without_marks(text)


def _tame_lines(raw: list[str]) -> str:
    lines: list[str] = []
    fence = ""
    for line in raw:
        mark = _FENCE.match(line)
        if fence:
            lines.append(line)
            if mark and mark.group(1).startswith(fence) and line.strip() == mark.group(1):
                fence = ""
        elif mark:
            fence = mark.group(1)
            lines.append(line)
        else:
            lines.append(_tame_line(line, below_text=bool(lines and lines[-1].strip())))
    if fence:
        lines.append(fence)
    return "\n".join(lines).strip("\n").rstrip()


def _is_tame(markdown: str) -> bool:
    tokens = _READER.parse(markdown)
    kinds = {each.type for token in tokens for each in (token, *(token.children or ()))}
    return not (
        kinds & _WILD
        or _BLOCK_MARKER.search(markdown)
        or has_unclosed_fence(markdown)
        or len(groups(f"## Step\n\n{markdown}", keep_together=True)) > 1
    )


def _without_marks(text: str) -> str:
    return "\n\n".join(escaped for line in text.split("\n") if (escaped := escape(line)))


def _tame_line(line: str, *, below_text: bool) -> str:
    if heading := _HEADING.match(line):
        words = _tame_inline(heading.group(1)).strip("*_ ")
        return f"**{words}**" if words else ""
    if below_text and _SETEXT_UNDERLINE.match(line):
        return ""
    if _REFERENCE.match(line):
        return ""
    return _tame_inline(line)


def _tame_inline(line: str) -> str:
    """Everything but code spans, which show what they hold."""
    pieces: list[str] = []
    end = 0
    for code in _CODE_SPAN.finditer(line):
        pieces += [_tame_words(line[end : code.start()]), code.group()]
        end = code.end()
    pieces.append(_tame_words(line[end:]))
    return "".join(pieces)


def _tame_words(text: str) -> str:
    return _TAG.sub(r"\\<", without_links(text))


def without_links(markdown: str) -> str:
    """The text of links and pictures, without where they lead."""
    text = _IMAGE.sub(r"\1", markdown)
    text = _LINK.sub(r"\1", text)
    return _AUTOLINK.sub(r"\1", text)


def plain_words(markdown: str) -> str:
    """The words of a piece of Markdown, roughly: marks and escapes taken away, on one line."""
    text = re.sub(r"<!--.*?-->", " ", markdown, flags=re.DOTALL)
    text = re.sub(r"^[ \t]*(?:#{1,6}|[-+*>]|\d{1,9}[.)]|`{3,}.*|~{3,}.*)(?=\s|$)", " ", text, flags=re.MULTILINE)
    text = re.sub(r"\\([!-/:-@\[-`{-~])|[*`]|(?<!\w)_|_(?!\w)", lambda found: found.group(1) or "", text)
    return one_line(text)


def letters_only(word: str) -> str:
    """The word's letters and digits, folded, for comparing words."""
    return "".join(each for each in unicodedata.normalize("NFKC", word).casefold() if each.isalnum())
