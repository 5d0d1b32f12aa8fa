"""The first page in the browser: guides renamed, chosen, exported, thrown away and brought back; the search."""

import io
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.conftest import PATIENT_MS, Site
from tests.browser.looking import look
from tests.integration.api_builders import translated_by_hand
from tests.notion import PARENT
from tests.stack import wait_until

WITHIN_MS = 120_000


def shelf(site: Site, who: str, ids: dict[str, str], count: int) -> list[str]:
    """More guides beside a drafted one: jobs that wait for their recordings."""
    store = site.stack.store
    return [store.create_job(who, ids["project"]).id for _ in range(count)]


def test_given_a_guide_when_it_is_renamed_deleted_and_brought_back_then_it_says_so_everywhere_and_is_whole(
    page: Page, site: Site, who: str, drafted: Callable[[str], dict[str, str]]
) -> None:
    ids = drafted(who)
    shelf(site, who, ids, 2)
    with site.client(who) as client:
        document = client.get(f"instructions/{ids['instruction']}").json()
        page.goto("/")
        card = page.locator(f"#guide-{ids['job']}")
        expect(page.locator(".guide")).to_have_count(3)
        expect(card).to_contain_text(document["title"])
        expect(card).to_contain_text(re.compile(r"\d+ steps"))
        picture = card.locator("img")
        expect(picture).to_be_visible()
        assert picture.evaluate("each => each.decode().then(() => each.naturalWidth)") > 0
        look(page, "home")

        card.hover()
        card.get_by_role("button", name="What can be done").click()
        page.get_by_role("button", name="Rename", exact=True).click()
        page.get_by_role("textbox", name="Title").fill("Kunden *neu* anlegen #1")
        page.get_by_role("button", name="Rename it").click()
        expect(card.locator(".guide-title")).to_have_text("Kunden *neu* anlegen #1")
        renamed = client.get(f"instructions/{ids['instruction']}").json()
        assert (renamed["title"], renamed["version"]) == ("Kunden *neu* anlegen #1", document["version"] + 1)
        card.locator(".guide-open").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Kunden *neu* anlegen #1")
        page.goto("/")

        card.hover()
        card.get_by_role("button", name="What can be done").press("Enter")
        expect(page.get_by_role("button", name="Rename", exact=True)).to_be_focused()
        page.keyboard.press("ArrowUp")
        expect(page.locator("[data-guide-menu] [data-do=delete]")).to_be_focused()
        page.keyboard.press("Enter")
        expect(card).to_have_count(0)
        assert client.get(f"instructions/{ids['instruction']}").status_code == 404
        page.get_by_role("button", name="Undo").click()
        expect(card).to_be_visible()
        assert client.get(f"instructions/{ids['instruction']}").json() == renamed

        card.hover()
        card.get_by_role("button", name="What can be done").click()
        page.locator("[data-guide-menu] [data-do=delete]").click()
        expect(card).to_have_count(0)
        page.get_by_role("link", name="Bin").click()
        expect(page.get_by_text("goes in 30 days")).to_be_visible()
        expect(page.get_by_text("counts towards your storage")).to_be_visible()
        look(page, "bin")
        page.locator(f"#thrown-{ids['job']} [data-restore]").click()
        expect(page.get_by_role("heading", name="The bin is empty")).to_be_visible()
        assert client.get(f"instructions/{ids['instruction']}").json() == renamed
        page.goto("/")
        expect(card).to_be_visible()


def test_given_several_guides_when_they_are_chosen_then_they_are_exported_as_one_file_and_deleted_for_good(
    page: Page, site: Site, who: str, drafted: Callable[[str], dict[str, str]], tmp_path: Path
) -> None:
    first, second = drafted(who), drafted(who)
    (empty,) = shelf(site, who, first, 1)
    page.goto("/")
    page.get_by_role("button", name="Choose", exact=True).click()
    for each in (first["job"], second["job"], empty):
        page.locator(f"#guide-{each} .guide-open").click()  # who chooses does not open
    expect(page.locator("[data-many-count]")).to_have_text("3 chosen")
    look(page, "home-chosen")
    page.locator("[data-many-export]").click()
    expect(page.locator("[data-export-count]")).to_have_text("2 guides become one ZIP file.")
    page.get_by_role("dialog").get_by_label("Format").select_option("Confluence")
    expect(page.locator("[data-export-count]")).to_have_text(re.compile("^2 guides become a page each there"))
    page.get_by_role("dialog").get_by_role("button", name="Export").click()
    placed = page.get_by_role("dialog", name="1 page is up to date")
    expect(placed.get_by_text(re.compile("another page of the space has the title", re.IGNORECASE))).to_be_visible(
        timeout=WITHIN_MS
    )
    look(page, "home-placed")
    assert site.wiki is not None
    address = placed.get_by_role("link").get_attribute("href")
    assert address in [f"{site.wiki.url}/wiki/pages/viewpage.action?pageId={each}" for each in site.wiki.pages]
    placed.get_by_role("button", name="Close").click()
    own = page.context.new_page()  # a space for the guides of one project
    own.goto(f"/projects/{second['project']}")
    own.get_by_label("Confluence space").fill("https://elsewhere.example/wiki/spaces/OPS")
    own.locator("[data-places]").get_by_role("button").click()
    expect(own.locator("[data-toasts]")).to_contain_text("this is another site")
    own.get_by_label("Confluence space").fill(f"{site.wiki.url}/wiki/spaces/OPS/overview")
    own.locator("[data-places]").get_by_role("button").click()
    expect(own.get_by_label("Confluence space")).to_have_value("OPS")
    own.close()
    page.locator(f"#guide-{first['job']} .guide-open").click()  # Notion takes three requests a second
    page.locator("[data-many-export]").click()
    page.get_by_role("dialog").get_by_label("Format").select_option("Notion")
    expect(page.locator("[data-export-count]")).to_have_text(re.compile("^1 guide becomes a page there"))
    page.get_by_role("dialog").get_by_role("button", name="Export").click()
    placed = page.get_by_role("dialog", name="1 page is up to date")
    expect(placed.get_by_role("link")).to_have_count(1, timeout=WITHIN_MS)
    assert site.notion is not None and site.notion.broken == []
    there = [f"https://www.notion.so/{each['id'].replace('-', '')}" for each in site.notion.children(PARENT)]
    assert placed.get_by_role("link").get_attribute("href") in there
    placed.get_by_role("button", name="Close").click()
    page.locator(f"#guide-{first['job']} .guide-open").click()
    page.locator("[data-many-export]").click()
    page.get_by_role("dialog").get_by_label("Format").select_option("Markdown")
    with page.expect_download(timeout=WITHIN_MS) as downloading:
        page.get_by_role("dialog").get_by_role("button", name="Export").click()
    downloading.value.save_as(tmp_path / "guides.zip")
    with zipfile.ZipFile(tmp_path / "guides.zip") as file:
        names = file.namelist()
        assert file.testzip() is None and len(names) == 2 and names[1] == names[0].replace(".zip", " (2).zip")
        assert all(zipfile.is_zipfile(io.BytesIO(file.read(each))) for each in names)

    page.locator("[data-many-delete]").click()
    expect(page.get_by_text("3 guides are in the bin.")).to_be_visible()
    expect(page.get_by_role("heading", name="No guides yet")).to_be_visible()
    page.goto("/bin")
    expect(page.locator("[data-thrown]")).to_have_count(3)
    page.locator(f"#thrown-{empty} [data-erase]").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete for good").click()
    expect(page.locator("[data-thrown]")).to_have_count(2)
    page.get_by_role("button", name="Empty the bin").click()
    page.get_by_role("dialog").get_by_role("button", name="Empty the bin").click()
    expect(page.get_by_role("heading", name="The bin is empty")).to_be_visible()
    wait_until(lambda: not site.stack.store.open_erasures(-60.0), 60, "the erasures")
    assert {each.job_id for each in site.stack.store.list_erasures(limit=100).items} >= {first["job"], second["job"]}


def test_given_a_folder_when_it_is_published_then_the_site_opens_from_the_disk_and_is_searched_and_read(
    page: Page, site: Site, who: str, drafted: Callable[[str], dict[str, str]], tmp_path: Path
) -> None:
    ids = drafted(who)
    with site.client(who) as client:
        document = client.get(f"instructions/{ids['instruction']}").json()
    translated_by_hand(site.stack.store, who, ids["instruction"])
    page.goto(f"/?folder={ids['project']}")
    page.get_by_role("button", name="Publish as a website").click()
    expect(page.get_by_role("textbox", name="Name of the website")).to_have_value("Handbooks")
    look(page, "publish")
    with page.expect_download(timeout=WITHIN_MS) as downloading:
        page.get_by_role("button", name="Make the website").click()
    with zipfile.ZipFile(downloading.value.path()) as archive:
        assert sum(each.startswith("guides/") and each.endswith("/index.html") for each in archive.namelist()) == 1
        archive.extractall(tmp_path)
    page.get_by_role("button", name="Publish as a website").click()
    page.get_by_label("With their translations").check()
    with page.expect_download(timeout=WITHIN_MS) as downloading:
        page.get_by_role("button", name="Make the website").click()
    with zipfile.ZipFile(downloading.value.path()) as archive:
        pages = [each for each in archive.namelist() if each.startswith("guides/") and each.endswith("/index.html")]
        assert len(pages) == 2 and all(b'hreflang="de"' in archive.read(each) for each in pages)

    said: list[str] = []
    context = site.browser.new_context(viewport={"width": 375, "height": 812}, color_scheme="dark")
    context.set_default_timeout(PATIENT_MS)
    try:
        opened = context.new_page()
        opened.on("console", lambda message: said.append(message.text))
        opened.on("pageerror", lambda error: said.append(str(error)))
        opened.on("request", lambda asked: said.append(asked.url) if not asked.url.startswith("file:") else None)
        opened.on("requestfailed", lambda asked: said.append(f"failed: {asked.url}"))
        opened.goto(tmp_path.joinpath("index.html").as_uri())
        expect(opened.get_by_role("heading", level=1)).to_have_text("Handbooks")
        picture = opened.locator(".card img")
        assert picture.evaluate("each => each.decode().then(() => each.naturalWidth)") > 0
        look(opened, "site-index")
        opened.emulate_media(color_scheme="dark")
        opened.keyboard.press("/")
        opened.keyboard.insert_text("CUSTÓMER")  # at once: a part of it that is typed slowly is found, too
        expect(opened.get_by_role("status")).to_have_text("1 guide found")
        expect(opened.locator("mark").first).to_have_text(re.compile("customer", re.IGNORECASE))
        step = opened.locator(".found-place", has_text="Step").first
        number = step.locator(".found-where").text_content()
        step.click()
        expect(opened).to_have_url(re.compile(f"#step-{(number or '').split()[-1]}$"))
        expect(opened.get_by_role("heading", level=1)).to_have_text(document["title"])
        shown = opened.locator("main img")
        assert shown.count() > 0
        assert shown.first.evaluate("each => each.decode().then(() => each.naturalWidth)") > 0
        opened.wait_for_load_state()  # what is still on its way when a page is left has failed
        background = "getComputedStyle(document.body).backgroundColor"
        assert opened.evaluate(background) == "rgb(20, 25, 31)"
        opened.get_by_role("button", name="Light or dark").click()
        assert opened.evaluate(background) == "rgb(255, 255, 255)"
        look(opened, "site-guide")
        opened.go_back()
        expect(opened.get_by_role("status")).to_have_text("1 guide found")
        assert opened.evaluate(background) == "rgb(255, 255, 255)"  # as chosen on the other page
        assert opened.evaluate("document.documentElement.scrollWidth") == 375
        assert said == []
    finally:
        context.close()
    context = site.browser.new_context(java_script_enabled=False)
    context.set_default_timeout(PATIENT_MS)
    try:  # without scripts there is no search, and all else
        opened = context.new_page()
        opened.goto(tmp_path.joinpath("index.html").as_uri())
        expect(opened.get_by_role("search")).to_be_hidden()
        opened.locator(".card").click()
        expect(opened.get_by_role("heading", level=1)).to_have_text(document["title"])
    finally:
        context.close()


def test_given_what_was_written_said_and_shown_when_searched_then_it_is_found_and_leads_there(
    page: Page, site: Site, who: str, drafted: Callable[[str], dict[str, str]]
) -> None:
    ids = drafted(who)
    store = site.stack.store
    wait_until(lambda: not store.unindexed(), 30, "the index")
    page.goto("/")
    page.keyboard.press("/")
    page.keyboard.type("custom")
    page.keyboard.press("Enter")
    expect(page.locator(".found > li")).to_have_count(1)
    look(page, "search")
    step = page.locator(".found-places a").filter(has_text=re.compile("^Step")).first
    block = (step.get_attribute("href") or "").partition("#")[2]
    step.click()
    expect(page.locator(f"#{block}")).to_be_in_viewport()

    page.goto("/search")
    page.get_by_role("searchbox").fill("nothing of the kind")
    expect(page.get_by_role("heading", name="Nothing found for nothing of the kind")).to_be_visible()
    page.get_by_role("searchbox").fill("customer")
    place = page.locator(".found-places a").filter(has_text=re.compile("^(Said|Shown) at")).first
    at_ms = int((place.get_attribute("href") or "").partition("#t=")[2])
    place.click()
    page.wait_for_url(f"**/jobs/{ids['job']}/transcript#t={at_ms}")
    expect(page.locator("video")).to_be_visible()
    page.wait_for_function("at => Math.abs(document.querySelector('video').currentTime * 1000 - at) < 1500", arg=at_ms)
