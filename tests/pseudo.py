"""A language that nobody speaks: every string of the catalogue with accents, two fifths longer, between brackets. What
is without brackets on a page is in no catalogue; what hangs out at the side has no room for a longer language."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from fluent.syntax import FluentParser, FluentSerializer, ast
from fluent.syntax.visitor import Visitor

from starter.pages.shell import catalogue

LANGUAGE = "eo"
"""A code that browsers and Babel know, and that the pages do not have; its plurals are English's."""
OPENS, CLOSES = "⁅", "⁆"
LONGER = 0.4
ACCENTED = str.maketrans("AEIOUYaeiouycnszgCNSZG", "ÀÉÎÖÛÝàéîöûýçñšžğÇÑŠŽĞ")


@contextmanager
def spoken(folder: Path, patch: pytest.MonkeyPatch) -> Iterator[str]:
    """Let the pages have this language besides English, and no other: its code."""
    for source in catalogue.PAGES.glob(f"*/*.{catalogue.FALLBACK}.ftl"):
        made = folder / source.relative_to(catalogue.PAGES)
        made.parent.mkdir(exist_ok=True)
        text = source.read_text("utf-8")
        made.write_text(text, "utf-8")
        made.with_name(made.name.replace(f".{catalogue.FALLBACK}.", f".{LANGUAGE}.")).write_text(
            _lengthened(text), "utf-8"
        )
    with (folder / "shell" / f"strings.{LANGUAGE}.ftl").open("a", encoding="utf-8") as names:
        names.write(f"own-name-{LANGUAGE} = {OPENS}x{CLOSES}\n")
    with (folder / "shell" / f"strings.{catalogue.FALLBACK}.ftl").open("a", encoding="utf-8") as names:
        names.write(f"own-name-{LANGUAGE} = {OPENS}x{CLOSES}\n")
    patch.setattr(catalogue, "PAGES", folder)
    _forget()
    try:
        yield LANGUAGE
    finally:
        patch.undo()
        _forget()


def _forget() -> None:
    for each in (catalogue.languages, catalogue.sayings, catalogue.browser_strings):
        each.cache_clear()


def _lengthened(source: str) -> str:
    resource = FluentParser().parse(source)
    _Longer().visit(resource)
    return FluentSerializer().serialize(resource)


class _Longer(Visitor):
    def visit_Pattern(self, pattern: ast.Pattern) -> None:  # noqa: N802 - the visitor's own name
        self.generic_visit(pattern)
        letters = 0
        for each in pattern.elements:
            if isinstance(each, ast.TextElement):
                letters += len(each.value.strip())
                each.value = each.value.translate(ACCENTED)
        if not letters:
            return  # nothing but what is put in, or choices, which have brackets of their own
        more = "·" * round(letters * LONGER)
        pattern.elements.insert(0, ast.TextElement(OPENS))
        pattern.elements.append(ast.TextElement(f" {more}{CLOSES}"))
