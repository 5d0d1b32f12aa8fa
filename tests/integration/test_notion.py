"""Guides put into a Notion that holds to its documented API: created, written anew, refused; all limits held."""

import time
from collections.abc import Iterator

import pytest
from pydantic import SecretStr, TypeAdapter, ValidationError

from activities.publishing.manuscript import read
from activities.publishing.notion.page import PACE_S, NotionPage
from domain.documents.publication import Publication
from domain.errors import ProviderAccessDenied, ProviderRateLimited, ProviderRequestRefused, ProviderUnavailable
from starter.setting_values import NotionParent
from tests.notion import PARENT, Notion, running_notion, words
from tests.unit.publishing_samples import GUIDE, HOSTILE, TRAINING, block, publication, screenshot

TOKEN = "a-token-that-nobody-may-see"


@pytest.fixture
def notion() -> Iterator[Notion]:
    with running_notion(TOKEN) as running:
        yield running
        assert running.broken == []


def page(notion: Notion, token: str = TOKEN, pace_s: float = 0.0) -> NotionPage:
    return NotionPage(notion.url, PARENT, SecretStr(token), timeout_s=60, pace_s=pace_s)


def put(
    notion: Notion, what: Publication, guide: str = "guide-1", before: dict[str, object] | None = None
) -> dict[str, object]:
    place = page(notion).publish(read(what), guide, before, lambda: None)
    return {"site": place.site, "page_id": place.page_id, "version": place.version, "url": place.url}


def test_given_a_guide_when_put_then_it_is_a_page_of_headings_callouts_lists_tables_code_and_pictures(
    notion: Notion,
) -> None:
    page_id = str(put(notion, GUIDE)["page_id"])
    assert notion.blocks[page_id]["child_page"]["title"] == "Export last month's invoices"
    texts = notion.texts(page_id)
    assert ("heading_2", "1. Open the invoices 0:05") in texts
    assert ("callout", "Note") in texts and ("paragraph", "Drafts are not shown.") in texts
    assert ("bulleted_list_item", "open ones are amber") in texts
    assert ("numbered_list_item", "reminders are below") in texts  # within that one
    assert ("quote", "Ask your accountant first.") in texts
    assert any(kind == "code" and "ledgerly export --token" in text for kind, text in texts)
    every = notion.every(page_id)
    rows = [[words(cell) for cell in each["table_row"]["cells"]] for each in every if each["type"] == "table_row"]
    assert rows == [["Format", "Good for"], ["CSV", "spreadsheets"], ["PDF", "archives"]]
    pieces = [piece for each in every for piece in each[each["type"]].get("rich_text", [])]
    shown = {piece["text"]["content"]: piece.get("annotations", {}) for piece in pieces}
    assert (shown["Period"], shown["Last month"]) == ({"bold": True}, {"italic": True})
    assert {piece["text"].get("link", {}).get("url") for piece in pieces} >= {
        "https://example.com/manual?a=1&b=2",
    }
    assert notion.shown(page_id) == [screenshot(number).data for number in (1, 2, 3, 4)]
    assert next(words(each["image"]["caption"]) for each in every if each["type"] == "image") == "Screen 1"


def test_given_a_guide_that_was_put_when_put_again_then_its_page_is_written_anew_and_pages_below_it_stay(
    notion: Notion,
) -> None:
    first = put(notion, GUIDE)
    page_id = str(first["page_id"])
    below = put(notion, TRAINING, "guide-2")["page_id"]
    notion.within[PARENT].remove(str(below))
    notion.within[page_id].append(str(below))
    renamed = publication(block("# Invoices", "title"), block("## Open them", "step", 1_000, screenshot(9)))
    second = put(notion, renamed, before=first)
    assert (second["page_id"], second["version"]) == (page_id, 2)
    assert notion.blocks[page_id]["child_page"]["title"] == "Invoices"
    assert notion.texts(page_id)[0] == ("paragraph", "guidesmith-guide-1")
    assert not any("Open the invoices" in text for _, text in notion.texts(page_id))
    assert screenshot(9).data in notion.shown(page_id) and screenshot(1).data not in notion.shown(page_id)
    assert not notion.blocks[str(below)]["archived"]
    assert [each["id"] for each in notion.children(PARENT)] == [page_id]


def test_given_a_worker_that_died_within_the_page_when_put_again_then_it_is_the_same_page_once(notion: Notion) -> None:
    first = put(notion, GUIDE)
    before = notion.texts(str(first["page_id"]))
    again = put(notion, GUIDE)  # nothing is known of the first
    assert again["page_id"] == first["page_id"]
    assert notion.texts(str(first["page_id"])) == before


def test_given_somebody_elses_page_of_that_title_or_one_that_is_gone_when_put_then_there_is_another(
    notion: Notion,
) -> None:
    first = put(notion, GUIDE)
    other = put(notion, GUIDE, "guide-2")
    assert other["page_id"] != first["page_id"]
    notion.blocks[str(first["page_id"])]["archived"] = True
    third = put(notion, GUIDE, before=first)
    assert third["version"] == 1 and third["page_id"] not in (first["page_id"], other["page_id"])


def test_given_more_than_a_request_or_a_block_takes_when_put_then_nothing_of_it_is_lost(notion: Notion) -> None:
    rows = "\n".join(f"| {number} | x |" for number in range(250))
    many = "\n".join(f"{number}. item {number}" for number in range(1, 231))
    deep = "\n".join(f"{'  ' * depth}- level {depth}" for depth in range(6))
    runs = " ".join(f"*r{number}* `c{number}`" for number in range(120))
    long = "\U0001f600" * 3_000 + "a" * 5_000
    what = publication(
        block("# Much", "title"),
        block(f"## A step\n\n{many}\n\n| a | b |\n|--|--|\n{rows}\n\n{deep}\n\n{runs}\n\n{long}", "step", 1_000),
        block("- [x] done\n- [ ] open\n\n3. three\n4. four\n\n```mermaidish\n" + "b" * 450_000 + "\n```"),
    )
    page_id = str(put(notion, what)["page_id"])
    texts = notion.texts(page_id)
    every = notion.every(page_id)
    assert [text for kind, text in texts if kind == "numbered_list_item"] == [f"item {n}" for n in range(1, 231)]
    assert sum(each["type"] == "table_row" for each in every) == 251
    assert [text for _, text in texts if text.startswith("level")] == [f"level {depth}" for depth in range(6)]
    together = "".join(text for _, text in texts)
    assert all(f"r{number} c{number}" in together for number in range(120))
    assert long in together and sum(text.count("b") for kind, text in texts if kind == "code") == 450_000
    assert {each["code"]["language"] for each in every if each["type"] == "code"} == {"plain text"}
    ticked = [(words(each["to_do"]["rich_text"]), each["to_do"]["checked"]) for each in every if "to_do" in each]
    assert ticked == [("done", True), ("open", False)]
    assert ("paragraph", "3. three") in texts and ("paragraph", "4. four") in texts


@pytest.mark.parametrize(
    ("status", "headers", "expected"),
    [
        (429, {"Retry-After": "700"}, ProviderRateLimited),
        (500, {}, ProviderUnavailable),
        (409, {}, ProviderUnavailable),
        (401, {}, ProviderAccessDenied),
        (403, {}, ProviderAccessDenied),
        (404, {}, ProviderRequestRefused),
    ],
)
def test_given_a_refusal_when_put_then_it_is_told_by_its_code_and_whether_to_try_again(
    notion: Notion, status: int, headers: dict[str, str], expected: type[Exception]
) -> None:
    notion.faults.append((status, headers))
    with pytest.raises(expected) as told:
        put(notion, publication())
    assert told.value.retryable is (status in (429, 500, 409))  # type: ignore[attr-defined]
    if status == 429:
        assert told.value.retry_after_s == 700  # type: ignore[attr-defined]
    assert TOKEN not in repr(told.value) + repr(page(notion))


def test_given_a_request_that_came_too_early_when_put_then_it_is_sent_again_as_late_as_asked(notion: Notion) -> None:
    notion.faults += [(429, {"Retry-After": "1"})]
    began = time.monotonic()
    put(notion, publication())
    assert time.monotonic() - began >= 1


def test_given_many_requests_when_put_then_there_are_three_a_second(notion: Notion) -> None:
    began = time.monotonic()
    page(notion, pace_s=PACE_S).publish(read(publication()), "guide-1", None, lambda: None)
    assert time.monotonic() - began >= (len(notion.asked) - 1) / 3


@pytest.mark.parametrize("what", [HOSTILE, TRAINING, publication()], ids=["hostile", "training", "empty"])
def test_given_any_guide_when_put_then_notion_takes_it(notion: Notion, what: Publication) -> None:
    assert notion.texts(str(put(notion, what)["page_id"]))


@pytest.mark.parametrize(
    "named",
    [
        PARENT,
        PARENT.replace("-", ""),
        "https://www.notion.so/team/The-handbook-1f2e3d4c5b6a79880123456789abcdef?pvs=4",
        "https://www.notion.so/1f2e3d4c5b6a79880123456789abcdef",
    ],
)
def test_given_a_page_however_it_is_named_then_its_id_is_known(named: str) -> None:
    assert TypeAdapter(NotionParent).validate_python(named) == PARENT


@pytest.mark.parametrize("named", ["", "Handbook", "https://www.notion.so/team/Handbook", "http:1f2e"])
def test_given_what_is_no_page_then_it_is_refused(named: str) -> None:
    with pytest.raises(ValidationError, match="is a page of Notion"):
        TypeAdapter(NotionParent).validate_python(named)
