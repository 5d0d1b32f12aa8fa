"""What there was of an instruction: listed, compared, restored."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Site
from tests.browser.looking import look

HOSTILE = '<img src=x onerror="alert(1)"> </script><script>alert(2)</script>'


@pytest.fixture
def edited(site: Site, who: str, drafted: Callable[[str], dict[str, str]]) -> str:
    """An instruction of three versions: a changed block with markup in it, then one more and one less."""
    instruction = drafted(who)["instruction"]
    with site.client(who) as client:
        one = client.get(f"instructions/{instruction}").json()["markdown"]
        blocks = one.split("<!-- block:")
        two = "<!-- block:".join([*blocks[:2], blocks[2].rstrip() + f" {HOSTILE}\n\n", *blocks[3:]])
        saved = client.put(f"instructions/{instruction}", json={"base_version": 1, "markdown": two})
        assert saved.json()["version"] == 2
        blocks = saved.json()["markdown"].split("<!-- block:")
        three = "<!-- block:".join(blocks[:-1]) + "\n\nCall the customer.\n"
        assert client.put(f"instructions/{instruction}", json={"base_version": 2, "markdown": three}).is_success
    return instruction


def test_given_three_versions_when_two_are_compared_then_both_texts_and_each_block_tell_and_one_can_be_restored(
    page: Page, site: Site, who: str, edited: str
) -> None:
    with site.client(who) as client:
        shot = client.get(f"instructions/{edited}/anchors").json()["items"][-1]
        client.post(f"anchors/{shot['id']}/hide").raise_for_status()  # version 3 shows one less
    page.goto(f"/instructions/{edited}/versions")
    changes = page.locator(".changes > li")
    expect(page.get_by_role("heading", name="From version 2 to version 3")).to_be_visible()
    expect(changes.filter(has_text="was added")).to_contain_text("Call the customer.")
    expect(changes.filter(has_text="was removed")).to_have_count(1)
    expect(page.locator(".cm-mergeView .cm-editor")).to_have_count(2)
    expect(page.get_by_label("Version 3", exact=True)).to_contain_text("Call the customer.")

    page.get_by_role("radio", name="Compare from version 1").check()
    page.get_by_role("radio", name="Compare to version 2").check()
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_role("heading", name="From version 1 to version 2")).to_be_visible()
    expect(changes).to_have_count(1)
    expect(changes.locator("ins")).to_contain_text(HOSTILE)
    expect(page.get_by_label("Version 2", exact=True)).to_contain_text(HOSTILE)
    look(page, "versions")
    page.set_viewport_size({"width": 600, "height": 900})
    expect(page.locator(".cm-mergeView")).to_have_count(0)
    expect(page.locator(".cm-deletedChunk")).to_have_count(1)
    page.set_viewport_size({"width": 1280, "height": 900})

    page.get_by_role("button", name="Restore version 1").press("Enter")
    page.get_by_role("dialog", name="Restore version 1?").get_by_role("button", name="Cancel").press("Enter")
    expect(page.get_by_role("button", name="Restore version 1")).to_be_focused()
    page.keyboard.press("Enter")
    look(page, "versions-restore")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="From version 3 to version 4")).to_be_visible()
    expect(page.get_by_text("restored by")).to_be_visible()
    page.get_by_role("button", name="Restore version 1").click()
    page.get_by_role("dialog").get_by_role("button", name="Restore").click()
    expect(page.get_by_text("Version 4 says the same as version 1 already.")).to_be_visible()
    page.goto(f"/instructions/{edited}/versions?from=2&to=2")
    expect(page.get_by_text("These are both version 2.")).to_be_visible()
    with site.client(who) as client:
        first, now = (client.get(f"instructions/{edited}?version={number}").json() for number in (1, 4))
        shown = client.get(f"anchors/{shot['id']}").json()["active_asset_id"]
    assert now["markdown"] == first["markdown"]
    assert shown == shot["active_asset_id"] is not None
    page.goto(f"/instructions/{edited}")
    expect(page.locator(f".write .shot[data-asset='{shown}'] img")).to_be_visible()


def test_given_a_save_meanwhile_when_a_version_is_restored_then_nothing_is_lost_and_the_page_says_so(
    page: Page, site: Site, who: str, edited: str
) -> None:
    page.goto(f"/instructions/{edited}/versions")
    with site.client(who) as client:
        now = client.get(f"instructions/{edited}").json()
        client.put(
            f"instructions/{edited}", json={"base_version": 3, "markdown": now["markdown"] + "\n\nAnd more.\n"}
        ).raise_for_status()
    page.get_by_role("button", name="Restore version 1").click()
    page.get_by_role("dialog").get_by_role("button", name="Restore").click()
    page.get_by_role("dialog", name="Somebody saved meanwhile").get_by_role("button", name="Show the versions").click()
    expect(page.get_by_role("heading", name="From version 3 to version 4")).to_be_visible()


def test_given_one_version_when_the_page_opens_then_it_says_that_there_is_nothing_to_compare(
    page: Page, who: str, drafted: Callable[[str], dict[str, str]]
) -> None:
    page.goto(f"/instructions/{drafted(who)['instruction']}/versions")
    expect(page.get_by_text("there is nothing to compare it with")).to_be_visible()
    assert page.goto(f"/instructions/{drafted('somebody-else')['instruction']}/versions").status == 404  # type: ignore[union-attr]
    expect(page.get_by_role("heading", name="There is nothing here")).to_be_visible()
