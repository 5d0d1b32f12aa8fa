"""The catalogue has what the pages look up by a name that they put together."""

import re
from collections import Counter
from pathlib import Path

import pytest

from activities.store.records import EventType
from domain.credits import Account, PostingKind
from domain.jobs import Actor
from domain.library import AssetMedium
from domain.lifecycles.kinds import LIFECYCLES
from domain.webhooks import DeliveryStatus
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


@pytest.mark.parametrize("asked", ["", "de-AT,fr;q=0.8", "en-GB", "x;q=nonsense,en", "*"])
def test_given_languages_that_a_browser_asks_for_then_one_of_ours_is_said(asked: str) -> None:
    assert preferred(asked) == "en"
