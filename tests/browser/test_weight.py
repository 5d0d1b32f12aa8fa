"""What the pages weigh on the line. Counted in bytes, compressed, as the browser gets them."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Response, expect

from domain.documents.screenshots import NewScreenshot
from tests.browser.conftest import Site
from tests.integration import store_builders

FIRST_PAGE_BYTES = 100 * 1024
FULL_PAGE_BYTES = 120 * 1024
GUIDES = 20


def weighed(page: Page, address: str) -> dict[str, Response]:
    """What a page brings, by its address, while it comes."""
    got: dict[str, Response] = {}

    def came(response: Response) -> None:
        if "/live" not in response.url:
            got[response.url] = response

    page.on("response", came)
    page.goto(address, wait_until="networkidle" if address != "/" else "load")
    return got


def sizes(files: dict[str, Response]) -> dict[str, int]:
    there = list(files.items())  # more may come while the browser is asked
    return {url: each.request.sizes()["responseBodySize"] for url, each in there}


def test_given_a_first_visit_when_a_page_opens_then_it_weighs_less_than_a_hundred_kilobytes(
    site: Site, who: str, quiet: list[str]
) -> None:
    with site.visitor(who) as context:
        for address in ("/", "/new", "/new/recording", "/credits", "/lifecycles"):
            page = context.new_page()
            context.new_cdp_session(page).send("Network.clearBrowserCache")
            files = weighed(page, address)
            assert 10 * 1024 < sum(sizes(files).values()) < FIRST_PAGE_BYTES, sizes(files)
            assert not any("editor" in each for each in files)
            for url, each in files.items():
                if "/static/" in url:
                    assert each.headers["cache-control"] == "public, max-age=31536000, immutable"
            page.close()


def test_given_twenty_guides_with_names_of_all_europe_when_the_first_page_opens_then_it_is_light_beside_its_pictures(
    page: Page, site: Site, who: str, drafted: Callable[[str], dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    store = site.stack.store
    shown = store.screenshots_for(store.get_instruction(who, drafted(who)["instruction"]).id)[0]

    def pictured(block_id: str, key: str) -> NewScreenshot:
        return NewScreenshot(
            block_id=block_id,
            blob=shown.blob,
            width=shown.width,
            height=shown.height,
            timestamp_ms=500,
            extraction_key=key,
        )

    monkeypatch.setattr(store_builders, "screenshot", pictured)
    for number in range(1, GUIDES):
        run = store_builders.Run(store, store_builders.uploaded_job(store, who).id).dispatched()
        title = f"Ügyfél rögzítése és törlése: őrző {number}, müşteri, řidič"
        run.extract_audio().transcribe().write_draft(
            store_builders.draft(store_builders.MARKDOWN.replace("Add a customer", title))
        )
    files = weighed(page, "/")
    expect(page.locator(".guide-picture img")).to_have_count(GUIDES)
    page.evaluate("document.fonts.ready")
    expect(page.locator(".guide-picture img").first).not_to_have_js_property("naturalWidth", 0)
    beside = sizes({url: each for url, each in files.items() if "/pictures/" not in url})
    assert len(beside) < len(files)
    assert any("latin-ext-a" in url for url in beside), (page.locator(".guide-title").all_inner_texts(), beside)
    assert not any("latin-ext-wght" in url for url in beside)
    assert sum(beside.values()) < FULL_PAGE_BYTES, beside
