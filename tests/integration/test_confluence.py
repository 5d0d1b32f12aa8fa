"""Guides put into a Confluence that holds to its documented API: created, updated, refused, and made on the rails."""

import base64
from collections.abc import Iterator
from contextlib import nullcontext

import pytest
from pydantic import SecretStr

from activities.publishing.confluence.space import ConfluenceSpace
from activities.publishing.manuscript import read
from domain.documents.publication import Publication
from domain.errors import (
    ExportFailed,
    ProviderAccessDenied,
    ProviderRateLimited,
    ProviderRequestRefused,
    ProviderUnavailable,
    SettingsInvalid,
)
from tests.unit.publishing_samples import GUIDE, HOSTILE, TRAINING, block, publication, screenshot
from tests.wiki import Wiki, parsed, running_wiki

TOKEN = "a-token-that-nobody-may-see"
BASIC = "Basic " + base64.b64encode(f"ann@example.org:{TOKEN}".encode()).decode()


@pytest.fixture
def wiki() -> Iterator[Wiki]:
    with running_wiki(BASIC) as running:
        yield running
        assert running.broken == []


def space(wiki: Wiki, token: str = TOKEN) -> ConfluenceSpace:
    return ConfluenceSpace(wiki.space, "ann@example.org", SecretStr(token), timeout_s=60)


def put(
    wiki: Wiki, what: Publication, guide: str = "guide-1", before: dict[str, object] | None = None
) -> dict[str, object]:
    place = space(wiki).publish(read(what), guide, before, lambda: None)
    return {"site": place.site, "page_id": place.page_id, "version": place.version, "url": place.url}


def test_given_the_address_of_a_page_when_a_guide_is_put_then_it_is_under_that_and_stays_where_somebody_moves_it(
    wiki: Wiki,
) -> None:
    parent = str(put(wiki, TRAINING, "parent")["page_id"])
    below = ConfluenceSpace(f"{wiki.url}/wiki/spaces/HB/pages/{parent}/A+title", "ann@example.org", SecretStr(TOKEN))
    place = below.publish(read(GUIDE), "guide-1", None, lambda: None)
    assert wiki.pages[place.page_id]["parent"] == parent
    wiki.pages[place.page_id]["parent"] = "elsewhere"
    again = below.publish(read(GUIDE), "guide-1", {"site": place.site, "page_id": place.page_id}, lambda: None)
    assert (again.page_id, again.version) == (place.page_id, 2)
    assert wiki.pages[place.page_id]["parent"] == "elsewhere"


def test_given_a_guide_when_put_then_it_is_a_page_with_headings_panels_tables_code_and_its_pictures(wiki: Wiki) -> None:
    place = put(wiki, GUIDE)
    page = wiki.pages[str(place["page_id"])]
    assert page["title"] == "Export last month's invoices"
    assert place["url"] == f"{wiki.url}/wiki/pages/viewpage.action?pageId={page['id']}"
    tree = parsed(page["body"])
    assert next("".join(each.itertext()).strip() for each in tree.iter("h2")).endswith("1. Open the invoices 0:05")
    macros = {each.get("{ac}name"): each for each in tree.iter("{ac}structured-macro")}
    assert {"info", "code", "toc", "anchor"} <= macros.keys()
    assert "".join(macros["info"].itertext()) == "NoteDrafts are not shown."
    assert "ledgerly export --token" in "".join(macros["code"].itertext())
    assert [cell.text for cell in tree.findall(".//table/tbody/tr/th/p")] == ["Format", "Good for"]
    shown = [each.get("{ri}filename") for each in tree.iter("{ri}attachment")]
    assert len(shown) == 4 and set(shown) == set(wiki.files[page["id"]])
    assert screenshot(1).data in wiki.files[page["id"]].values()


def test_given_a_guide_that_was_put_when_put_again_then_its_page_is_updated_and_only_what_changed_is_sent(
    wiki: Wiki,
) -> None:
    first = put(wiki, GUIDE)
    page_id = str(first["page_id"])
    wiki.files[page_id]["budget.xlsx"] = b"somebody else's"
    blurred = GUIDE.blocks[2].model_copy(update={"pictures": (screenshot(9),)})
    renamed = GUIDE.model_copy(
        update={"blocks": (block("# Invoices", "title"), GUIDE.blocks[1], blurred, *GUIDE.blocks[3:])}
    )
    wiki.asked.clear()
    second = put(wiki, renamed, before=first)
    assert (second["page_id"], second["version"]) == (page_id, 2)
    assert (len(wiki.pages), wiki.pages[page_id]["title"]) == (1, "Invoices")
    assert sum("child/attachment" in each for each in wiki.asked) == 1
    assert screenshot(1).data not in wiki.files[page_id].values()  # what is shown no more is taken away
    assert screenshot(9).data in wiki.files[page_id].values()
    assert wiki.files[page_id]["budget.xlsx"] == b"somebody else's"


def test_given_a_worker_that_died_behind_the_creation_when_put_again_then_it_is_the_same_page(wiki: Wiki) -> None:
    first = put(wiki, GUIDE)
    again = put(wiki, GUIDE)  # nothing is known of the first
    assert (again["page_id"], again["version"]) == (first["page_id"], 2)


def test_given_a_page_that_was_deleted_when_put_again_then_there_is_another(wiki: Wiki) -> None:
    first = put(wiki, GUIDE)
    wiki.pages.clear()
    assert put(wiki, GUIDE, before=first)["version"] == 1
    assert len(wiki.pages) == 1


def test_given_another_page_with_that_title_when_put_then_it_is_refused_and_stays(wiki: Wiki) -> None:
    put(wiki, GUIDE, guide="guide-1")
    with pytest.raises(ExportFailed, match="has the title"):
        put(wiki, GUIDE, guide="guide-2")
    assert [each["version"] for each in wiki.pages.values()] == [1]


@pytest.mark.parametrize(
    ("status", "headers", "expected"),
    [
        (429, {"Retry-After": "7"}, ProviderRateLimited),
        (500, {}, ProviderUnavailable),
        (409, {}, ProviderUnavailable),
        (403, {}, ProviderAccessDenied),
        (404, {}, ProviderRequestRefused),
    ],
)
def test_given_a_refusal_when_put_then_it_is_told_by_its_code_and_whether_to_try_again(
    wiki: Wiki, status: int, headers: dict[str, str], expected: type[Exception]
) -> None:
    wiki.faults.append((status, headers))
    with pytest.raises(expected) as told:
        put(wiki, GUIDE)
    assert told.value.retryable is (status in (429, 500, 409))  # type: ignore[attr-defined]
    if status == 429:
        assert told.value.retry_after_s == 7  # type: ignore[attr-defined]
    put(wiki, GUIDE)


def test_given_a_token_that_does_not_hold_when_put_then_it_is_said_without_the_token(wiki: Wiki) -> None:
    with pytest.raises(ProviderAccessDenied) as denied:
        space(wiki, "wrong").publish(read(GUIDE), "guide-1", None, lambda: None)
    assert "wrong" not in f"{denied.value.message} {denied.value.details}"
    assert TOKEN not in repr(space(wiki))


@pytest.mark.parametrize("what", [HOSTILE, TRAINING, publication()], ids=["hostile", "training", "empty"])
def test_given_any_guide_when_put_then_it_is_sound_storage_format_without_links_that_run(
    wiki: Wiki, what: Publication
) -> None:
    page = wiki.pages[str(put(wiki, what)["page_id"])]
    hrefs = [each.get("href") or "" for each in parsed(page["body"]).iter("a")]
    assert all(each.startswith(("http://", "https://", "mailto:")) for each in hrefs)


@pytest.mark.parametrize(
    ("url", "holds"),
    [
        ("https://team.atlassian.net/wiki/spaces/HB", True),
        ("https://team.atlassian.net/wiki/spaces/~ann/overview", True),
        ("https://team.atlassian.net/wiki", False),
    ],
)
def test_given_an_address_when_it_is_none_of_a_space_then_it_is_refused(url: str, holds: bool) -> None:
    with nullcontext() if holds else pytest.raises(SettingsInvalid):
        ConfluenceSpace(url, None, None)
