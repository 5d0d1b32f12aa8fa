"""What the pages weigh on the line. Counted in bytes, compressed, as the browser gets them."""

import pytest
from playwright.sync_api import Page, Response

FIRST_PAGE_BYTES = 100 * 1024


@pytest.mark.parametrize("address", ["/", "/new", "/new/recording", "/credits", "/lifecycles"])
def test_given_a_first_visit_when_a_page_opens_then_it_weighs_less_than_a_hundred_kilobytes(
    page: Page, address: str
) -> None:
    got: list[Response] = []
    page.on("response", lambda response: got.append(response))
    page.goto(address, wait_until="networkidle" if address != "/" else "load")
    files = [each for each in got if "/live" not in each.url]
    weight = sum(each.request.sizes()["responseBodySize"] for each in files)
    assert 10 * 1024 < weight < FIRST_PAGE_BYTES, {each.url: each.request.sizes()["responseBodySize"] for each in files}
    assert not any("editor" in each.url for each in files)
    for each in files:
        if "/static/" in each.url:
            assert each.headers["cache-control"] == "public, max-age=31536000, immutable"
