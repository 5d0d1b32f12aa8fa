"""What a reload, a lost connection or a server that is started again does to a person's work: nothing."""

import re
from pathlib import Path

from playwright.sync_api import Page, Route, expect

from domain.jobs import Actor
from domain.lifecycles.lifecycle import Trigger
from tests import recordings
from tests.apis import PART_SIZE, running_api, wait_ready
from tests.browser.conftest import PATIENT_MS, Site, give_up, site_settings
from tests.browser.looking import look
from tests.stack import wait_until

WITHIN_MS = 120_000
PART = re.compile(r".*/api/v1/uploads/.*[?&]part=(\d+).*")


def choose(page: Page, sample: Path) -> None:
    page.get_by_label("Recording", exact=True).set_input_files(sample)


def test_given_an_upload_that_a_lost_connection_and_a_reload_break_off_then_the_rest_alone_is_sent(
    page: Page, site: Site, who: str, sample: Path, quiet: list[str]
) -> None:
    sent: list[int] = []
    arrived: set[int] = set()
    page.on("response", lambda told: arrived.add(int(found[1])) if (found := PART.fullmatch(told.url)) else None)

    def bad_line(route: Route) -> None:
        part = int(PART.fullmatch(route.request.url)[1])  # type: ignore[index]
        if part > 5:
            route.abort("connectionfailed")
        else:
            sent.append(part)
            route.continue_()

    page.route(PART, bad_line)
    page.goto("/new")
    choose(page, sample)
    page.get_by_label("Spoken language").select_option("en")
    page.get_by_role("button", name="Send and start").click()
    expect(page.get_by_text("waits for the connection")).to_be_visible()
    expect(page.get_by_label("Spoken language")).to_be_disabled()
    look(page, "new-waiting")
    other = page.context.new_page()  # the same file, once more
    other.route(PART, lambda route: route.abort("connectionfailed"))
    other.goto("/new")
    choose(other, sample)
    other.get_by_role("button", name="Send and start").click()
    expect(other.get_by_text("waits for the connection")).to_be_visible()
    wait_until(lambda: page.evaluate("true") and arrived == {1, 2, 3, 4, 5}, 30, "what is on its way to be there")
    page.on("dialog", lambda dialog: dialog.accept())  # the browser asks before it leaves an upload
    page.reload()
    expect(page.get_by_role("heading", name="Not finished yet")).to_be_visible()
    expect(page.locator(".pending")).to_contain_text("recording.mp4")
    look(page, "new-pending")
    page.unroute(PART)
    before = sorted(set(sent))
    assert before == [1, 2, 3, 4, 5]
    seen: list[str] = []

    def still_confirming(route: Route) -> None:
        answer = route.fetch()
        seen.append(str(answer.json()["status"]))
        early = len(seen) == 1  # as it is while another tab confirms that all of it is there
        route.fulfill(response=answer, json=answer.json() | ({"status": "UPLOADING"} if early else {}))

    other.route(re.compile(r".*/api/v1/jobs/[0-9a-f-]{36}$"), still_confirming)
    again: list[int] = []
    page.on("request", lambda asked: again.append(int(found[1])) if (found := PART.fullmatch(asked.url)) else None)
    choose(page, sample)
    page.get_by_role("button", name="Send and start").click()
    page.wait_for_url(re.compile("/jobs/[0-9a-f-]{36}$"), timeout=WITHIN_MS)
    parts = -(-sample.stat().st_size // PART_SIZE)
    assert sorted(set(again)) == list(range(6, parts + 1))
    jobs = site.stack.store.list_jobs(who).items
    assert [job.source_name for job in jobs] == ["recording.mp4"]
    other.unroute(PART)
    other.wait_for_url(page.url, timeout=WITHIN_MS)
    give_up(site, who, jobs[0].id)
    answered = [each for each in seen[1:] if each != "UPLOADING"]
    assert len(answered) == 1, "it asks again until the other tab has confirmed it, and then no more"
    page.goto("/new")
    expect(page.get_by_role("heading", name="Not finished yet")).to_be_hidden()


def test_given_a_job_at_work_when_the_server_is_started_again_then_its_page_goes_on(
    site: Site, who: str, tmp_path: Path, quiet: list[str]
) -> None:
    settings = site_settings(site.stack)
    with running_api(settings) as api:
        wait_ready(api)
        own = Site(site.stack, api, site.browser)
        with own.visitor(who) as context:
            page = context.new_page()
            page.goto("/new")
            choose(page, recordings.mp4(tmp_path))
            page.get_by_label("Spoken language").select_option("zxx")
            page.get_by_role("button", name="Send and start").click()
            page.wait_for_url(re.compile("/jobs/[0-9a-f-]{36}$"), timeout=WITHIN_MS)
            storage, address = context.storage_state(), page.url
    with site.browser.new_context(storage_state=storage) as context:
        context.set_default_timeout(PATIENT_MS)
        page = context.new_page()
        with running_api(settings) as api:
            wait_ready(api)
            page.goto(address)
            expect(page.locator("[data-status]")).to_be_visible()
        expect(page.locator("[data-lost]")).to_be_visible()
        with running_api(settings) as api:
            wait_ready(api)
            expect(page.locator("[data-lost]")).to_be_hidden(timeout=WITHIN_MS)
            expect(page.locator("[data-status]")).to_have_text("Draft is ready", timeout=WITHIN_MS)


def test_given_an_upload_that_was_stopped_when_another_file_is_sent_then_it_is_another_recording(
    page: Page, site: Site, who: str, sample: Path, tmp_path: Path
) -> None:
    page.route(PART, lambda route: route.abort("connectionfailed") if ask_part(route) > 2 else route.continue_())
    page.goto("/new")
    choose(page, sample)
    page.get_by_role("button", name="Send and start").click()
    expect(page.get_by_text("waits for the connection")).to_be_visible()
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_text("Stopped. Send it again to go on from here.")).to_be_visible()
    expect(page.get_by_role("button", name="Send and start")).to_be_focused()
    other = tmp_path / "ein \u202egpm.\U0001f3ac „Film“' \n.mp4"
    other.write_bytes(sample.read_bytes() + b"more")
    choose(page, other)
    page.get_by_role("button", name="Send and start").click()
    expect(page.get_by_text("waits for the connection")).to_be_visible()
    newer, older = site.stack.store.job_cards(who).items
    assert (older.file_name, str(newer.file_name)[:3]) == (sample.name, "ein")
    other.write_bytes(b"another recording altogether")
    expect(page.get_by_role("alert")).to_contain_text("has changed, or is gone")
    expect(page.get_by_role("button", name="Send and start")).to_be_enabled()
    page.get_by_label("Recording", exact=True).set_input_files(
        {"name": f"{'x' * 1000}\n.mp4", "mimeType": "video/mp4", "buffer": b"neither long nor a film"}
    )
    page.get_by_role("button", name="Send and start").click()
    page.wait_for_url(re.compile("/jobs/[0-9a-f-]{36}$"), timeout=WITHIN_MS)
    expect(page.get_by_role("heading", level=1)).to_have_text(f"{'x' * 196}.mp4")


def ask_part(route: Route) -> int:
    return int(PART.fullmatch(route.request.url)[1])  # type: ignore[index]


def test_given_a_server_that_refuses_for_a_while_then_what_stands_in_the_list_stays_and_is_renewed(
    page: Page, site: Site, who: str
) -> None:
    project = site.stack.store.create_project(who, "Handbooks").id
    first = site.stack.store.create_job(who, project).id
    page.goto("/")
    refused: list[str] = []

    def refuse(route: Route) -> None:
        refused.append(route.request.url)
        route.fulfill(status=503, body="<h1>Database away</h1>", content_type="text/html")

    page.route(f"{site.url}/", refuse)
    second = site.stack.store.create_job(who, project).id
    expect(page.locator("[data-lost]")).to_be_visible()
    assert refused
    expect(page.locator(f"#guide-{first}")).to_be_visible()
    expect(page.get_by_text("Database away")).to_have_count(0)
    page.unroute(f"{site.url}/")
    expect(page.locator(f"#guide-{second}")).to_be_visible()
    expect(page.locator("[data-lost]")).to_be_hidden()


SEEN = "Object.defineProperty(document, 'visibilityState', {get: () => window.seen ? 'visible' : 'hidden'})"


def test_given_more_tabs_than_a_browser_has_connections_then_those_that_nobody_sees_hold_none(
    page: Page, site: Site, who: str
) -> None:
    job = site.stack.store.create_job(who, site.stack.store.create_project(who, "Handbooks").id).id
    page.context.add_init_script(SEEN)
    tabs = [page.context.new_page() for _ in range(7)]
    for tab in tabs:
        tab.goto(f"/jobs/{job}")
    page.goto("/")  # hangs where each of the seven holds a connection
    expect(page.locator(f"#guide-{job}")).to_be_visible()
    site.stack.store.move(job, None, "CANCELLED", trigger=Trigger.API, actor=Actor.EDITOR)
    tabs[0].evaluate("window.seen = true; document.dispatchEvent(new Event('visibilitychange'))")
    expect(tabs[0].locator("[data-status]")).to_have_text("Cancelled")
