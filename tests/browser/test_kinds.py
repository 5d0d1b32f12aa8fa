"""Pictures, generations, analyses and batches in the browser: asked for, followed, and what they made."""

import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Site
from tests.browser.looking import SIZES, check_accessible, fits, look
from tests.stack import wait_until

MARKUP = "<img src=x onerror=alert(1)>"
XSS = f"{MARKUP}<script>alert(2)</script>"
JOB = re.compile("/jobs/[0-9a-f-]{36}$")
MADE_WITHIN_MS = 120_000


@pytest.fixture
def rich(site: Site, who: str) -> Callable[[int], None]:
    """Gives who looks at the pages so many credits."""

    def given(credits: int) -> None:
        site.stack.store.grant(who, credits, reason="test", actor="test", idempotency_key=f"{who}-{credits}")

    return given


# --- pictures --------------------------------------------------------------------------------------------------------


def test_given_a_prompt_when_it_is_sent_twice_at_once_then_one_picture_is_made_and_shown(
    page: Page, site: Site, who: str, rich: Callable[[int], None]
) -> None:
    page.goto("/new/image")
    page.get_by_role("button", name="Make the picture").click()
    expect(page.get_by_role("alert")).to_have_text("Say what is to be made.")
    prompt = page.get_by_label("What shall the picture show?")
    prompt.fill("x" * 2001)
    page.reload()  # what is typed outlasts it
    expect(page.locator(".count")).to_have_text("1 character too many. Shorten it.")
    page.get_by_role("button", name="Make the picture").click()
    expect(page.get_by_role("alert")).to_contain_text("1 character too many")
    prompt.fill(f"A lighthouse {XSS}")
    page.get_by_role("button", name="Make the picture").click()
    expect(page.get_by_role("alert")).to_contain_text("This costs 4, and you can spend 0.")
    look(page, "new-image")
    rich(10)
    page.get_by_label(re.compile("^512")).check()
    page.get_by_role("button", name="Make the picture").dblclick()
    page.wait_for_url(JOB)
    expect(page.locator(".badge").first).to_have_text("Done", timeout=MADE_WITHIN_MS)
    picture = page.locator(".made img")
    expect(picture).to_be_visible()
    assert picture.evaluate("async each => { await each.decode(); return each.naturalWidth }") == 512
    expect(page.locator(".made .words")).to_have_text(f"A lighthouse {XSS}")
    with page.expect_download() as started:
        page.get_by_role("link", name="Download").click()
    assert started.value.suggested_filename.startswith("picture-")
    assert site.stack.store.balance(who).balance == 6
    look(page, "job-image")
    for address in ("/library", "/credits"):
        page.goto(address)
        named = page.get_by_role("link", name=f"A lighthouse {XSS}", exact=True).last
        expect(named).to_be_visible()
        page.set_viewport_size(SIZES[0])
        check_accessible(page)
        named.evaluate("each => (each.textContent = 'w'.repeat(90))")  # a title may have no place to break at
        assert page.evaluate("document.documentElement.scrollWidth") <= SIZES[0]["width"]


# --- generations -----------------------------------------------------------------------------------------------------


def test_given_types_when_one_is_chosen_then_its_fields_are_asked_for_and_what_is_not_set_up_says_so(
    page: Page, rich: Callable[[int], None]
) -> None:
    rich(5)
    page.goto("/new/generation")
    expect(page.get_by_role("radio", name=re.compile("^Video"))).to_be_disabled()
    expect(page.locator("#missing-ugc_video")).to_contain_text("GUIDESMITH_UGC_VIDEO_MODEL")
    page.get_by_role("radio", name=re.compile("^A web page")).check()
    page.get_by_label("Address of the page").fill("example")
    page.get_by_role("button", name="Make it").click()
    expect(page.get_by_role("alert")).to_contain_text("Give the whole address of the page")
    page.get_by_label("Address of the page").fill("http://127.0.0.1/secrets")
    page.get_by_role("button", name="Make it").click()
    expect(page.get_by_role("alert")).not_to_contain_text("Give the whole address of the page")
    expect(page.get_by_role("alert")).not_to_be_empty()
    page.reload()
    expect(page.get_by_role("radio", name=re.compile("^A web page"))).to_be_checked()
    expect(page.get_by_label("Address of the page")).to_have_value("http://127.0.0.1/secrets")
    page.get_by_role("radio", name=re.compile("^Copy")).check()
    page.get_by_label("What is advertised?").fill(f"A kettle {XSS} **bold** [link](javascript:alert(3))")
    page.get_by_label("For whom").fill("Early risers")
    look(page, "new-generation")
    page.keyboard.press("Control+Enter")
    page.wait_for_url(JOB)
    expect(page.locator(".badge").first).to_have_text("Done", timeout=MADE_WITHIN_MS)
    expect(page.locator("[data-text]")).to_contain_text(XSS)
    assert page.locator("[data-text] img, [data-text] script, [data-text] a[href^=javascript]").count() == 0
    expect(page.locator(".made .facts")).to_contain_text("embedded-templates")
    look(page, "job-generation")
    page.goto("/new/generation")
    expect(page.get_by_label("What is advertised?")).to_be_empty()  # it was sent


# --- batches ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def uploaded(site: Site, who: str, sample: Path) -> Callable[[str], str]:
    """A job of somebody's whose recording has arrived, by the file's name: its id."""

    def made(filename: str) -> str:
        with site.client(who) as client:
            project = client.post("projects", json={"name": "Handbooks"}).json()
            job: str = client.post(f"projects/{project['id']}/jobs", json={}).json()["id"]
            upload = client.post(f"jobs/{job}/upload", json={"filename": filename}).json()
            assert httpx.put(upload["upload_url"], content=sample.read_bytes(), timeout=60).status_code == 200
            client.post(f"jobs/{job}/confirm-upload", json={"video_uri": upload["video_uri"]}).raise_for_status()
        return job

    return made


def test_given_recordings_when_parts_are_cut_then_what_succeeds_is_shown_beside_what_does_not(
    page: Page, uploaded: Callable[[str], str]
) -> None:
    page.goto("/new/batch")
    expect(page.get_by_role("heading", name="No recordings yet")).to_be_visible()
    uploaded("a tour.mp4")
    uploaded(f"{MARKUP}.mp4")
    page.reload()
    page.get_by_role("button", name="Start the batch").click()
    expect(page.get_by_role("alert")).to_have_text("Choose at least one recording.")
    page.get_by_role("radio", name=re.compile("^Captions")).check()
    expect(page.get_by_role("checkbox", name=re.compile("a tour.mp4"))).to_be_disabled()
    page.get_by_role("radio", name=re.compile("^Clips")).check()
    page.get_by_role("checkbox", name=re.compile("a tour.mp4")).check()
    page.get_by_role("checkbox", name=re.compile("onerror")).check()
    expect(page.locator("[data-player]")).to_be_visible()
    page.get_by_label("Start of part 1").fill("0:03")
    page.get_by_label("End of part 1").fill("0:01")
    page.get_by_role("button", name="Start the batch").click()
    expect(page.get_by_role("alert")).to_have_text("Part 1 ends before it starts. Correct it.")
    page.get_by_label("Start of part 1").fill("0:01")
    page.get_by_label("End of part 1").fill("0:03,5")
    page.get_by_role("button", name="Add a part").click()
    page.get_by_label("Start of part 2").fill("1:00:00")
    page.get_by_label("End of part 2").fill("1:00:10")
    expect(page.locator("[data-total]")).to_have_text("4 items")
    look(page, "new-batch")
    page.get_by_role("button", name="Start the batch").click()
    page.wait_for_url(JOB)
    expect(page.locator(".badge").first).to_have_text("Done in part", timeout=MADE_WITHIN_MS)
    expect(page.locator(".errors li")).to_have_count(2)
    expect(page.locator("#items > li")).to_have_count(4)
    states = "each => each.map(item => item.dataset.state)"
    wanted = ["done", "failed", "done", "failed"]
    wait_until(
        lambda: page.locator("#items > li").evaluate_all(states) == wanted, 10, "each item in the order of the request"
    )
    posters = page.locator("#items img")
    expect(posters).to_have_count(2)
    assert posters.first.evaluate("async each => { await each.decode(); return each.naturalWidth }") == 320
    expect(page.locator("#items")).to_contain_text(MARKUP)
    with page.expect_download() as started:
        page.get_by_role("link", name="Download all as ZIP").click()
    with zipfile.ZipFile(started.value.path()) as archive:
        assert archive.testzip() is None and archive.namelist() == ["clip-0001.mp4", "clip-0003.mp4"]
    page.get_by_role("link", name=re.compile("^Play item 3")).press("Enter")
    expect(page.locator("#item-3 video")).to_be_focused()
    expect(page.locator("#item-3 video")).to_have_js_property("readyState", 4)
    look(page, "job-batch")


# --- analyses --------------------------------------------------------------------------------------------------------

SALES = "region,quarter,revenue,<b>note</b>\n" + "".join(
    f"{region},{quarter},{100 * place + quarter},{MARKUP}\n"
    for place, region in enumerate(("North", "South", "West"), start=1)
    for quarter in (1, 2, 3, 4)
)


def test_given_a_table_and_a_question_when_the_plan_is_confirmed_and_computed_then_its_results_are_shown(
    page: Page, site: Site, who: str
) -> None:
    page.goto("/new/analysis")
    page.get_by_role("button", name="Send and plan").click()
    expect(page.get_by_role("alert")).to_have_text("Say what is to be made.")
    page.get_by_label("What do you want to know?").fill("Total revenue by region, as a chart")
    page.reload()
    expect(page.get_by_label("What do you want to know?")).to_have_value("Total revenue by region, as a chart")
    page.get_by_role("button", name="Send and plan").click()
    expect(page.get_by_role("alert")).to_have_text("Choose at least one file.")
    table = {"name": f"sales {MARKUP}.csv".replace("/", ""), "mimeType": "text/csv", "buffer": SALES.encode()}
    page.get_by_label("Files", exact=True).set_input_files(table)  # type: ignore[arg-type]
    look(page, "new-analysis")
    page.get_by_role("button", name="Send and plan").click()
    page.wait_for_url(JOB)
    status = page.locator("[data-status]")
    expect(status).to_have_text("Plan waits for you", timeout=MADE_WITHIN_MS)
    expect(page.get_by_role("heading", level=1)).to_have_text("Total revenue by region, as a chart")
    expect(page.locator(".plan-steps li").first).to_be_visible()
    for question in page.locator("[data-answers] input").all():
        if not question.input_value():
            question.fill(question.evaluate("each => each.list?.options[0]?.value ?? 'yes'"))
    if page.get_by_role("button", name="Answer", exact=True).count():
        page.get_by_role("button", name="Answer", exact=True).click()
    look(page, "job-analysis-plan")
    page.get_by_role("button", name="Change the steps").click()
    described = page.locator("[data-steps-edited]")
    described.get_by_label("What Step 1 is called").fill("The sales")
    described.get_by_label("Add a step").select_option(label="Put in order")
    described.get_by_label("Column", exact=True).last.select_option("region")
    described.get_by_label("How many rows").last.fill("2")
    look(page, "job-analysis-steps")
    page.locator("summary").filter(has_text="As JSON, as programs send it").click()
    steps = page.get_by_label("As JSON, as programs send it")
    written = steps.input_value()
    assert json.loads(written)[-1]["operation"] == {
        "op": "sort",
        "by": [{"column": "region", "descending": True}],
        "limit": 2,
    }
    steps.fill(written.replace('"title"', "title", 1))
    page.get_by_role("button", name="Save the steps").click()
    expect(page.get_by_text("This is no JSON")).to_be_visible()
    page.get_by_role("button", name="Dismiss").click()
    steps.fill(written)
    page.get_by_role("button", name="Save the steps").click()
    expect(page.get_by_text("The steps are saved.")).to_be_visible()
    expect(page.locator("[data-steps-said]")).to_contain_text("Rows by region, largest first; the first 2.")
    confirm = page.get_by_role("button", name="Confirm the plan")
    expect(confirm).to_be_enabled(timeout=MADE_WITHIN_MS)
    confirm.click()
    expect(status).to_have_text("Plan is confirmed")
    page.get_by_role("button", name="Compute", exact=True).click()
    expect(status).to_have_text("Done", timeout=MADE_WITHIN_MS)
    chart = page.locator("[data-drawing]").first
    values = chart.locator("[data-tip]")
    expect(values).to_have_count(3)
    values.nth(1).hover()
    expect(page.locator("[data-tip-shown]").first).to_have_text("South: 810")
    chart.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("[data-tip-shown]").first).to_have_text("West: 1,210")
    told = "each => each.map(mark => mark.dataset.tip)"
    assert values.evaluate_all(told) == ["North: 410", "South: 810", "West: 1,210"]
    page.locator("[data-order]").select_option(label="largest first")
    expect(values.first).to_have_attribute("data-tip", "West: 1,210")
    for kind, begins in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        with page.expect_download() as started:
            page.get_by_role("link", name=f"Save as {kind}").click()
        assert Path(started.value.path()).read_bytes().startswith(begins)
    rows = page.locator("[data-sortable] tbody").first.locator("tr")
    page.locator("[data-sortable]").first.get_by_role("button").last.click()
    expect(rows.first).to_contain_text("West")
    expect(page.locator("[data-sortable]").first.get_by_role("columnheader").last).to_have_attribute(
        "aria-sort", "descending"
    )
    page.locator("[data-sortable]").first.get_by_role("button").last.press("Enter")
    expect(rows.first).to_contain_text("North")
    expect(page.locator("#how")).not_to_have_attribute("open", "")
    look(page, "job-analysis")
    page.locator("#how > summary").click()
    expect(page.locator("#how")).to_contain_text("Rows by region, largest first; the first 2. · 2 rows")
    with site.visitor(who, locale="de-AT") as context:
        german = context.new_page()
        german.goto(page.url)
        expect(german.locator(".findings")).to_contain_text("Summe revenue: am meisten bei West (1210)")
        german.locator("#how > summary").click()
        for words in ("die Summe von revenue", "Alle Zeilen von sales", "Worauf das beruht", "4 Spalten"):
            expect(german.locator("#how")).to_contain_text(words)
        fits(german, "job-analysis-german")
    address = page.locator("[data-save-svg]").first.get_attribute("href")
    assert address is not None
    with site.visitor("mallory") as context:
        assert context.request.get(address).status == 404
