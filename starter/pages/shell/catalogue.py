"""What the pages say, in Fluent: beside each page, in ``strings.<language>.ftl``.

What its modules say in the browser is in ``browser.<language>.ftl``; all of these are sent along with each page. A new
language is ``strings.de.ftl`` beside ``strings.en.ftl``; what it lacks is said in English.
"""

from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from pathlib import Path

from fluent.runtime import FluentBundle, FluentResource

PAGES = Path(__file__).parents[1]
FALLBACK = "en"
BROWSER = "browser"

KEPT_SAYINGS = 4096
"""Of each language: three kilobytes of steps that are numbered from one, and what is said of files and people."""

Say = Callable[..., str]
"""``say("job-count", count=3)``."""


class StringMissing(LookupError):
    """No language has this string, or it lacks an argument: a fault of ours, met by the first test of the page."""


@cache
def languages() -> tuple[str, ...]:
    """Those that there is a catalogue of; the fallback first."""
    found = sorted({each.suffixes[0][1:] for each in PAGES.glob("*/strings.*.ftl")})
    return (FALLBACK, *(each for each in found if each != FALLBACK))


def preferred(accept_language: str) -> str:
    """The language of ours that a browser asks for most; else the fallback."""
    weighed: list[tuple[float, int, str]] = []
    for number, part in enumerate(accept_language[:500].split(",")):
        name, _, weight = part.strip().partition(";q=")
        try:
            weighed.append((-float(weight or 1), number, name.lower()))
        except ValueError:
            continue
    return next((_known(name) for _, _, name in sorted(weighed) if _known(name)), FALLBACK)


def _known(name: str) -> str:
    plain = name.partition("-")[0]
    return next((each for each in languages() if each.lower() in (name, plain)), "")


@cache
def sayings(language: str) -> Say:
    """What says a string in ``language``."""
    bundles = tuple(_bundle(each) for each in dict.fromkeys((language, FALLBACK)))

    @lru_cache(maxsize=KEPT_SAYINGS, typed=True)  # a list says the same few things of each thing in it
    def say(name: str, /, **arguments: object) -> str:
        for bundle in bundles:
            if not bundle.has_message(name):
                continue
            message = bundle.get_message(name)
            if message.value is None:
                continue
            text, faults = bundle.format_pattern(message.value, arguments)
            if faults:
                raise StringMissing(f"{name}: {faults[0]}")
            return str(text)
        raise StringMissing(name)

    return say


def explained(
    language: str, kind: str, code: str, message: str = "", details: Mapping[str, object] | None = None
) -> str:
    """What a code says: of an ``error``, of a ``warning`` on a draft, of an ``issue`` of a document.

    What comes with it (``message``, ``details``) is an English sentence that says the most: English pages show that.
    Others show the catalogue's sentence for the code, and what came where there is none.
    """
    if language == FALLBACK and message:
        return message
    named = {name: value for name, value in (details or {}).items() if isinstance(value, str | int | float)}
    try:
        return sayings(language)(f"{kind}-{code}", **{"said": message, **named})
    except StringMissing:
        return message or code


@cache
def browser_strings(language: str) -> str:
    """The Fluent source for the browser: the fallback's, then the language's own, which rules where it has a string."""
    return "\n".join(_source(each, BROWSER) for each in dict.fromkeys((FALLBACK, language)))


def source_of(language: str, page: str) -> str:
    """The Fluent source of one page's strings; empty where the language has none."""
    path = PAGES / page / f"strings.{language}.ftl"
    return path.read_text("utf-8") if language in languages() and path.exists() else ""


def _bundle(language: str) -> FluentBundle:
    # no isolation marks: they would stand in titles, file names and what people copy
    bundle = FluentBundle([language], use_isolating=False)
    bundle.add_resource(FluentResource(_source(language, "*")))
    return bundle


def _source(language: str, name: str) -> str:
    return "\n".join(path.read_text("utf-8") for path in sorted(PAGES.glob(f"*/{name}.{language}.ftl")))
