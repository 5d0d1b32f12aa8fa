"""The catalogue has what the pages look up by a name that they put together."""

import re
from pathlib import Path

import pytest

from activities.store.records import EventType
from domain.credits import Account, PostingKind
from domain.jobs import Actor
from domain.library import AssetMedium
from domain.lifecycles.kinds import LIFECYCLES
from domain.webhooks import DeliveryStatus
from starter.pages.catalogue import StringMissing, browser_strings, languages, preferred, sayings
from starter.pages.status_view import Group
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


def test_every_plain_name_in_templates_and_modules_is_in_the_catalogue() -> None:
    say = sayings("en")
    for template in (PAGES / "templates").glob("*.html"):
        for name in re.findall(r"say\('([a-zA-Z0-9_-]+)'\)", template.read_text()):
            assert say(name), (template.name, name)
    browser = set(re.findall(r"^([a-zA-Z0-9_-]+) =", browser_strings("en"), re.M))
    for module in (PAGES / "frontend" / "src").rglob("*.js"):
        for name in re.findall(r"say\(\s*\"([a-zA-Z0-9_-]+)\"", module.read_text()):
            assert name in browser, (module.name, name)


@pytest.mark.parametrize("asked", ["", "de-AT,fr;q=0.8", "en-GB", "x;q=nonsense,en", "*"])
def test_given_languages_that_a_browser_asks_for_then_one_of_ours_is_said(asked: str) -> None:
    assert preferred(asked) == "en"
