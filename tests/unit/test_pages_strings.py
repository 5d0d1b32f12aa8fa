"""The catalogue has what the pages look up by a name that they put together."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from fluent.syntax import FluentParser, ast

from activities.store.records import EventType
from domain.credits import Account, PostingKind
from domain.jobs import Actor
from domain.library import AssetMedium
from domain.lifecycles.kinds import LIFECYCLES
from domain.webhooks import DeliveryStatus
from starter.access.jwks import KeysUnavailable
from starter.access.openid import Reason
from starter.pages.shell import catalogue
from starter.pages.shell.catalogue import StringMissing, browser_strings, languages, preferred, sayings
from starter.pages.shell.status_view import Group
from starter.settings import load_settings

NAMES = (
    *(f"kind-{kind}" for kind in LIFECYCLES),
    *(f"status-{kind}-{status}" for kind, table in LIFECYCLES.items() for status in table.statuses),
    *(f"log-{each}" for each in EventType),
    *(f"actor-{each}" for each in Actor),
    *(f"state-{each}" for each in Group),
    *(f"posting-{each}" for each in PostingKind),
    *(f"account-{each}" for each in Account),
    *(f"medium-{each}" for each in AssetMedium),
    *(f"delivery-{each}" for each in DeliveryStatus),
    *(f"sign-in-failed-{each}" for each in (*Reason, KeysUnavailable.code)),
    *(f"price-{each}" for each in load_settings().price_list),
)
PAGES = Path(__file__).parents[2] / "starter" / "pages"


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("name", NAMES)
def test_every_value_of_the_domain_has_a_word(language: str, name: str) -> None:
    assert sayings(language)(name)


def test_given_a_name_that_no_language_has_when_said_then_it_is_a_fault() -> None:
    with pytest.raises(StringMissing):
        sayings("en")("nonsense")


@pytest.mark.parametrize("language", languages())
def test_a_name_stands_in_one_place_however_many_files_there_are(language: str) -> None:
    sources = [each.read_text("utf-8") for each in PAGES.glob(f"*/*.{language}.ftl")]
    names = Counter(name for each in sources for name in re.findall(r"^([\w-]+) =", each, re.M))
    assert [name for name, times in names.items() if times > 1] == []


def test_given_strings_of_another_language_beside_a_page_then_they_are_said_and_the_rest_in_english(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for language, what in (("en", "save = Save\nopen = Open\n"), ("de", "save = Speichern\n")):
        (tmp_path / "editor").mkdir(exist_ok=True)
        (tmp_path / "editor" / f"strings.{language}.ftl").write_text(what)
        (tmp_path / "editor" / f"browser.{language}.ftl").write_text(what.replace("save", "done"))
    monkeypatch.setattr(catalogue, "PAGES", tmp_path)
    for each in (languages, sayings, browser_strings):
        each.cache_clear()
    try:
        assert languages() == ("en", "de")
        assert preferred("de-AT") == "de"
        assert [sayings("de")(each) for each in ("save", "open", "done")] == ["Speichern", "Open", "Speichern"]
        assert browser_strings("de") == "done = Save\nopen = Open\n\ndone = Speichern\n"
    finally:
        for each in (languages, sayings, browser_strings):
            each.cache_clear()


def test_every_plain_name_in_templates_and_modules_is_in_the_catalogue() -> None:
    say = sayings("en")
    for template in PAGES.glob("*/*.html"):
        for name in re.findall(r"say\('([a-zA-Z0-9_-]+)'\)", template.read_text()):
            assert say(name), (template, name)
    browser = set(re.findall(r"^([a-zA-Z0-9_-]+) =", browser_strings("en"), re.M))
    modules = [each for each in PAGES.rglob("*.js") if each.relative_to(PAGES).parts[0] not in ("frontend", "static")]
    for module in modules:
        for name in re.findall(r"say\(\s*\"([a-zA-Z0-9_-]+)\"", module.read_text()):
            assert name in browser, (module, name)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("", "en"),
        ("en-GB", "en"),
        ("x;q=nonsense,en", "en"),
        ("*", "en"),
        ("fr,es;q=0.8", "en"),
        ("de-AT,fr;q=0.8", "de"),
        ("fr,DE;q=0.8,en;q=0.5", "de"),
        ("de;q=0.2,en;q=0.9", "en"),
    ],
)
def test_given_languages_that_a_browser_asks_for_then_one_of_ours_is_said(asked: str, said: str) -> None:
    assert preferred(asked) == said


# --- every language says the same ------------------------------------------------------------------------------------


def messages(path: Path) -> dict[str, tuple[set[str], set[str]]]:
    """Of each message its variables and, of what it chooses by, the variants that are not plural forms."""
    found = {}
    for entry in FluentParser().parse(path.read_text("utf-8")).body:
        assert not isinstance(entry, ast.Junk), f"{path}: {entry.content}"
        if isinstance(entry, ast.Message):
            nodes = list(within(entry))
            keys = [each.key for each in nodes if isinstance(each, ast.Variant) and not each.default]
            found[entry.id.name] = (
                {each.id.name for each in nodes if isinstance(each, ast.VariableReference)},
                {key.name for key in keys if isinstance(key, ast.Identifier)} - PLURALS,
            )
    return found


def within(node: ast.BaseNode) -> Iterator[ast.BaseNode]:
    yield node
    for value in vars(node).values():
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, ast.BaseNode):
                yield from within(each)


PLURALS = {"zero", "one", "two", "few", "many", "other"}
ENGLISH = sorted(PAGES.glob("*/*.en.ftl"))


@pytest.mark.parametrize("language", languages()[1:])
@pytest.mark.parametrize("english", ENGLISH, ids=lambda each: f"{each.parent.name}/{each.name}")
def test_every_language_has_exactly_the_messages_and_variables_of_english(language: str, english: Path) -> None:
    path = english.with_name(english.name.replace(".en.", f".{language}."))
    assert path.exists(), f"{path.relative_to(PAGES)} is missing: CONTRIBUTING.md tells how to add a string"
    wanted, there = messages(english), messages(path)
    assert there.keys() == wanted.keys(), sorted(there.keys() ^ wanted.keys())
    assert {name: each for name, each in there.items() if each != wanted[name]} == {}


@pytest.mark.parametrize("language", languages()[1:])
def test_no_language_has_a_file_that_english_has_not(language: str) -> None:
    files = {each.relative_to(PAGES).as_posix() for each in PAGES.glob(f"*/*.{language}.ftl")}
    assert files == {each.relative_to(PAGES).as_posix().replace(".en.", f".{language}.") for each in ENGLISH}


VOID_OF_WORDS = re.compile(
    r"\{% block shape %\}.*?\{% endblock %\}|\{[{%#].*?[}%#]\}|<(script|style|code)\b.*?</\1>|<[^>]*>", re.S
)
OURS = {"guidesmith", "ms"}


def test_no_template_has_words_of_its_own() -> None:
    """What a template says stands in the catalogue: outside of tags and of what Jinja puts there are no letters."""
    for template in PAGES.glob("*/*.html"):
        words = set(re.findall(r"[^\W\d_]{2,}", VOID_OF_WORDS.sub(" ", template.read_text()))) - OURS
        assert not words, (template.relative_to(PAGES), words)
