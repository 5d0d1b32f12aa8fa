"""The fonts that PDFs are set in, and what they cannot show.

They come as packages, so that a document looks the same wherever it is made. Fonts of the system are looked at only
for characters that none of ours has: there, a glyph that differs between machines is better than a box.
"""

import io
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

import fontpkg_inter
import fontpkg_jetbrains_mono
import manimgx_fonts
import typst
from fontTools.subset import Options, Subsetter, load_font, save_font
from fontTools.ttLib import TTFont, TTLibError

from activities.process.checksums import check_fonts

BODY = "Inter"
CODE = "JetBrains Mono"
CJK_PACKAGE = "manimgx_fonts_cjk"
"""Optional, for its size: the extra ``cjk``."""

_CJK_FAMILIES = {"ja": "JP", "ko": "KR", "zh": "SC"}
_LAST = ("Noto Sans Symbols", "Noto Emoji", "DejaVu Sans")
"""After the scripts: they have digits and letters of their own that must not win. DejaVu has what is left of arrows,
boxes and mathematics."""
_DEJAVU_PACKAGE = "ziafont"
"""A reader of fonts, of which only the font that it brings is used."""


@dataclass(frozen=True, slots=True)
class Typeface:
    """What to set a document with: the folders of the fonts and whether the system's are needed too, the families in
    order of preference, and the characters that none of them has."""

    folders: tuple[Path, ...]
    with_system: bool
    body: tuple[str, ...]
    code: tuple[str, ...]
    missing: tuple[str, ...]


def typeface_for(text: str, language: str, first: str | None = None) -> Typeface:
    """The fonts for a document that says ``text``; ``language`` decides how Han characters look. ``first``: the family
    of a brand, which all others stand in for."""
    lacking = _uncovered(_shown(text), _files(_bundled()))
    missing = _uncovered(lacking, _files(_with_system())) if lacking else ()
    body = _preference(language)
    if first is not None:
        body = (first, *(family for family in body if family != first))
    return Typeface(_folders(), len(missing) < len(lacking), body, (CODE, *body), missing)


WEB_FEATURES = ("ccmp", "kern", "liga", "locl", "mark", "mkmk", "rlig")
"""Of OpenType: what text takes to be set right, and no alternative letters."""


def web_fonts(family: str, text: str) -> dict[str, bytes]:
    """The family for a page that says ``text``, as WOFF: ``normal`` and ``italic``, each of all weights. What it has no
    glyph for, readers' own fonts show. The same text gives the same bytes."""
    files: dict[str, str] = {}
    for font in sorted(_bundled().fonts(), key=lambda font: (font.path or "", font.index)):
        if font.family == family and font.path:
            files.setdefault("italic" if "Italic" in Path(font.path).name else "normal", font.path)
    characters = frozenset(ord(each) for each in text) | frozenset(range(0x20, 0x7F))
    return {style: _subset(path, characters) for style, path in sorted(files.items(), reverse=True)}


@lru_cache(maxsize=16)
def _subset(path: str, characters: frozenset[int]) -> bytes:
    options = Options()
    options.flavor = "woff"
    options.layout_features = list(WEB_FEATURES)
    options.notdef_outline = True
    options.recalc_timestamp = False
    options.hinting = False
    font = load_font(path, options)
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=characters)
    subsetter.subset(font)
    out = io.BytesIO()
    save_font(font, out, options)
    return out.getvalue()


def _preference(language: str) -> tuple[str, ...]:
    families = set(_bundled().families())
    japanese_korean_chinese = [name for name in families if name.startswith("Noto Sans CJK")]
    wanted = f"Noto Sans CJK {_CJK_FAMILIES.get(language, 'SC')}"
    japanese_korean_chinese.sort(key=lambda name: (name != wanted, name))
    named = {BODY, CODE, "Noto Sans", *japanese_korean_chinese, *_LAST}
    scripts = sorted(name for name in families - named if name.startswith("Noto Sans "))
    return (BODY, "Noto Sans", *scripts, *japanese_korean_chinese, *_LAST)


@lru_cache(maxsize=1)
def _bundled() -> typst.Fonts:
    return typst.Fonts(
        include_system_fonts=False, include_embedded_fonts=False, font_paths=[str(each) for each in _folders()]
    )


def _with_system() -> typst.Fonts:
    return typst.Fonts(
        include_system_fonts=True, include_embedded_fonts=False, font_paths=[str(each) for each in _folders()]
    )


@lru_cache(maxsize=1)
def _folders() -> tuple[Path, ...]:
    folders = [
        check_fonts("fontpkg-inter", fontpkg_inter.ROOT / "files"),
        check_fonts("fontpkg-jetbrains-mono", fontpkg_jetbrains_mono.ROOT / "files"),
        check_fonts("manimgx-fonts", Path(manimgx_fonts.__file__).parent),
    ]
    for package, below in ((_DEJAVU_PACKAGE, "fonts"), (CJK_PACKAGE, ".")):
        found = find_spec(package)
        if found is not None and found.origin is not None:
            folders.append(check_fonts(package.replace("_", "-"), Path(found.origin).parent / below))
    return tuple(folders)


def _files(book: typst.Fonts) -> tuple[str, ...]:
    """The book's files, the bodies of most text first, so that a document in English opens one font."""
    order = {BODY: 0, "Noto Sans": 1, CODE: 2}
    fonts = sorted(book.fonts(), key=lambda font: (order.get(font.family, 3), font.path or "", font.index))
    return tuple(dict.fromkeys(font.path for font in fonts if font.path))


def _shown(text: str) -> tuple[str, ...]:
    """The characters that need a glyph, once each, in order."""
    return tuple(character for character in dict.fromkeys(text) if _needs_glyph(character))


def _needs_glyph(character: str) -> bool:
    variation_selector = "\ufe00" <= character <= "\ufe0f"
    return not variation_selector and unicodedata.category(character) not in ("Cc", "Cf", "Zs", "Zl", "Zp")


def _uncovered(characters: Sequence[str], files: Iterable[str]) -> tuple[str, ...]:
    left = tuple(characters)
    for file in files:
        if not left:
            break
        left = tuple(character for character in left if ord(character) not in _coverage(file))
    return left


@lru_cache(maxsize=256)
def _coverage(file: str) -> frozenset[int]:
    """The code points of a font file (of a collection: of its first font, whose siblings share them). A file that
    cannot be read covers nothing."""
    try:
        with TTFont(file, fontNumber=0, lazy=True) as font:
            return frozenset(font.getBestCmap() or ())
    except (TTLibError, OSError, ValueError, KeyError, AssertionError):
        return frozenset()
