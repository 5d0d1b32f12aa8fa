"""Recording the screen in the browser: Chromium's own devices, a spoken recording for the microphone."""

import contextlib
import re
import time
import wave
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import av
import pytest
from playwright.sync_api import BrowserContext, Error, Page, Playwright, expect

from activities.media import probe
from domain.artifacts import ArtifactKind
from domain.jobs import Job
from tests.browser.conftest import WHOLE, Site, give_up, started
from tests.browser.looking import check_accessible, look
from tests.stack import wait_until

WITHIN_MS = 120_000
PART = re.compile(r".*/api/v1/uploads/.*[?&]part=(\d+).*")
JOB = re.compile("/jobs/[0-9a-f-]{36}$")
SPOKEN_S = 12
SHOWN = """<!doctype html><title>Maple</title><h1>Send an invoice</h1><button>Save</button><br>
<canvas width=300 height=200></canvas><script>
  const pen = document.querySelector("canvas").getContext("2d");
  setInterval(() => {
    for (let each = 0; each < 40; each++) {
      pen.fillStyle = `hsl(${Math.random() * 360} 80% 50%)`;
      pen.fillRect(Math.random() * 300, Math.random() * 200, 20, 20);
    }
  }, 100);
</script>"""
"""The tab that is recorded: a part of it never stands still, so that a second has more than one part of an upload."""
KEPT_MS = """() => new Promise((tell) => {
  const opening = indexedDB.open("guidesmith-recordings");
  opening.onsuccess = ({ target: { result: database } }) => {
    const all = database.transaction("recordings").objectStore("recordings").getAll();
    all.onsuccess = () => (database.close(), tell(Math.max(0, ...all.result.map(({ ms }) => ms))));
  };
})"""
"""How much the browser would still have if it died now."""
REFUSING = """() => {
  navigator.mediaDevices.getDisplayMedia = () => Promise.reject(new DOMException("", "NotAllowedError"));
}"""


@pytest.fixture(scope="module")
def recorder(
    site: Site, playwright: Playwright, sample: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    """The pages in a browser that gives another tab, and a microphone in which the sample's voice speaks."""
    voice = tmp_path_factory.mktemp("voice") / "voice.wav"
    speak(sample, voice)
    devices = (
        "--auto-select-tab-capture-source-by-title=Maple",
        "--use-fake-device-for-media-stream",
        f"--use-file-for-fake-audio-capture={voice}",
    )
    with started(playwright, WHOLE, *devices) as browser:
        yield replace(site, browser=browser)


def speak(sample: Path, to: Path) -> None:
    """The sample's first seconds as the file that the browser takes for a microphone."""
    with av.open(str(sample)) as source, wave.open(str(to), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(48_000)
        resampler = av.AudioResampler(format="s16", layout="mono", rate=48_000)
        for frame in source.decode(audio=0):
            if (frame.time or 0) > SPOKEN_S:
                break
            for part in resampler.resample(frame):
                file.writeframes(part.to_ndarray().tobytes())


@pytest.fixture
def context(recorder: Site, who: str, quiet: list[str]) -> Iterator[BrowserContext]:
    with recorder.visitor(who) as visitor:
        visitor.grant_permissions(["microphone"])
        visitor.route("**/maple", lambda route: route.fulfill(body=SHOWN, content_type="text/html"))
        shown = visitor.new_page()
        shown.set_viewport_size({"width": 480, "height": 360})  # each of its pixels is encoded, thirty times a second
        shown.goto("/maple")
        yield visitor
    # Chromium says so whenever a screen is recorded; nobody asks for a camera
    quiet[:] = [each for each in quiet if "camera is not allowed in this document" not in each]


def opened(context: BrowserContext) -> Page:
    page = context.new_page()
    page.set_viewport_size({"width": 800, "height": 600})  # its meter is drawn sixty times a second
    page.goto("/new/recording")
    return page


def begin(page: Page) -> None:
    page.get_by_role("button", name="Start").click()
    expect(page.locator("[data-count]")).to_have_text(re.compile("[123]"))
    expect(page.get_by_role("heading", name="Recording", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Stop")).to_be_focused()


def recorded_s(page: Page) -> int:
    minutes, seconds = page.locator("[data-elapsed-time]").inner_text().split(":")
    return 60 * int(minutes) + int(seconds)


def record_until(page: Page, seconds: int) -> None:
    wait_until(lambda: recorded_s(page) >= seconds, 30, f"{seconds} s are recorded")


def duration_ms(site: Site, job: Job) -> int:
    video = site.stack.store.latest_artifact(job.id, ArtifactKind.VIDEO)
    assert video is not None
    with site.stack.artifacts.local_path(video.blob) as path:
        info = probe(path)
    assert info.video is not None
    assert len(info.audio) == 1
    return info.duration_ms


def test_given_a_tab_that_dies_while_it_records_when_the_page_is_opened_again_then_what_was_recorded_becomes_a_guide(
    context: BrowserContext, recorder: Site, who: str, quiet: list[str]
) -> None:
    page = opened(context)
    page.get_by_label("Spoken language").select_option("en")
    began = time.monotonic()
    begin(page)
    record_until(page, 6)
    wait_until(lambda: page.evaluate(KEPT_MS) >= 6000, 30, "six seconds are on the disk")
    with page.expect_event("crash"), contextlib.suppress(Error):
        page.goto("chrome://crash")
    most_s = time.monotonic() - began + 1  # it goes on until the tab is dead
    page.close()
    page = opened(context)
    offered = page.locator(".left")
    expect(offered).to_contain_text(re.compile(r"Screen recording .*: interrupted after 0:\d\d"))
    assert 5 <= int(offered.inner_text().partition("interrupted after 0:")[2][:2]) <= most_s
    look(page, "recording-interrupted")
    offered.get_by_role("button", name="Look at it and use it").click()
    expect(page.get_by_role("heading", name="Your recording")).to_be_focused()
    wait_until(
        lambda: 4.5 < page.locator("video").evaluate("video => video.duration") < most_s,
        10,
        "the preview knows its length",
    )
    page.get_by_role("button", name="Make a guide of it").click()
    page.wait_for_url(JOB, timeout=WITHIN_MS)
    (job,) = recorder.stack.store.list_jobs(who).items
    assert 4_500 < duration_ms(recorder, job) < 1000 * most_s
    job = recorder.stack.wait_for(job, "DRAFT_READY", within_s=90)
    with recorder.client(who) as client:
        heard = client.get(f"jobs/{job.id}/transcript?format=txt").text
    assert "invoice" in heard.lower()
    page.goto(f"/instructions/{job.instruction_id}")
    video = page.locator("[data-video]")
    wait_until(lambda: video.evaluate("video => video.readyState") >= 1, 15, "the player has the recording")
    video.evaluate("video => { video.currentTime = 4; }")
    wait_until(
        lambda: video.evaluate("video => !video.seeking && video.readyState >= 2 && video.currentTime") == 4,
        15,
        "the player goes to a moment",
    )
    page.goto("/new/recording")
    expect(page.get_by_role("heading", name="Interrupted")).to_be_hidden()


def test_given_a_lost_connection_and_a_pause_when_it_is_stopped_then_all_but_the_pause_is_there(
    context: BrowserContext, recorder: Site, who: str, quiet: list[str]
) -> None:
    page = opened(context)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/api/" in request.url else None)
    page.get_by_role("button", name="Try it").click()
    expect(page.get_by_role("button", name="Try it")).to_have_attribute("aria-pressed", "true")
    meter = page.locator("[data-level=try]")
    wait_until(lambda: float(meter.evaluate("meter => meter.value")) > 0.3, 10, "the voice is seen")
    look(page, "recording")
    assert asked == []  # nothing leaves before Start

    page.route(PART, lambda route: route.abort("connectionfailed"))
    begin(page)
    away = page.get_by_text("The server cannot be reached. Recording goes on").filter(visible=True)
    expect(away).to_be_visible(timeout=WITHIN_MS)  # once a part of it is full
    check_accessible(page)
    record_until(page, 3)
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Go on")).to_be_focused()
    paused_at = recorded_s(page)
    sent: list[int] = []
    page.on("response", lambda told: sent.append(int(found[1])) if (found := PART.fullmatch(told.url)) else None)
    with page.expect_response(PART, timeout=WITHIN_MS):
        page.unroute(PART)
        page.evaluate("dispatchEvent(new Event('online'))")  # as the browser says where a network is back
    assert recorded_s(page) == paused_at
    page.get_by_role("button", name="Go on").click()
    record_until(page, paused_at + 4)  # the first of its pictures may come late
    assert sent[0] == 1
    page.get_by_role("button", name="Stop").click()
    page.get_by_label("Name", exact=True).fill("How invoices are sent")
    stopped_at = recorded_s(page)
    look(page, "recording-preview")
    page.get_by_role("button", name="Make a guide of it").click()
    page.wait_for_url(JOB, timeout=WITHIN_MS)
    (job,) = recorder.stack.store.list_jobs(who).items
    give_up(recorder, who, job.id)
    assert job.source_name == "How invoices are sent.webm"
    assert 1000 * (paused_at + 1) < duration_ms(recorder, job) < 1000 * (stopped_at + 2)
    assert sorted(set(sent)) == list(range(1, max(sent) + 1))


def test_given_a_browser_without_room_when_it_records_then_it_stops_and_says_so_and_it_can_be_thrown_away(
    context: BrowserContext, recorder: Site, who: str, quiet: list[str]
) -> None:
    page = opened(context)
    page.route(PART, lambda route: route.abort("connectionfailed"))
    devtools = context.new_cdp_session(page)
    begin(page)
    devtools.send("Storage.overrideQuotaForOrigin", {"origin": recorder.url, "quotaSize": 1_000})
    expect(page.get_by_text("This browser has no room left").filter(visible=True)).to_be_visible(timeout=WITHIN_MS)
    expect(page.get_by_role("heading", name="Your recording")).to_be_visible()
    (job,) = wait_until(lambda: recorder.stack.store.list_jobs(who).items, 30, "its job")
    page.get_by_role("button", name="Throw it away").click()
    page.get_by_role("dialog").get_by_role("button", name="Throw away").click()
    expect(page.get_by_role("button", name="Start")).to_be_focused()
    with recorder.client(who) as client:
        wait_until(lambda: client.get(f"jobs/{job.id}").status_code == 404, 15, "the server has deleted it")
    page.reload()
    expect(page.get_by_role("heading", name="Interrupted")).to_be_hidden()


def test_given_a_browser_that_gives_nothing_then_each_reason_is_said(page: Page, site: Site) -> None:
    page.goto("/new")
    page.get_by_role("link", name="Record the screen here").click()
    page.get_by_role("button", name="Try it").click()
    expect(page.get_by_role("alert")).to_contain_text(
        re.compile("The microphone was refused|There is no such microphone")
    )
    page.evaluate(REFUSING)  # nobody is there to answer the browser's own question
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("alert")).to_contain_text("Nothing was chosen to be recorded")
    expect(page.get_by_role("button", name="Start")).to_be_enabled()
    assert site.stack.store.list_jobs(page.evaluate("document.body.dataset.owner")).items == ()

    page.add_init_script("Object.defineProperty(window, 'isSecureContext', {value: false})")
    page.reload()
    expect(page.get_by_role("alert")).to_contain_text("only when it comes by https")
    expect(page.get_by_role("button", name="Start")).to_be_disabled()
    page.add_init_script(
        "Object.defineProperty(window, 'isSecureContext', {value: true}); delete MediaDevices.prototype.getDisplayMedia"
    )
    page.reload()
    expect(page.get_by_role("alert")).to_contain_text("This browser cannot record a screen")


def test_only_the_page_that_records_may_ask_for_screen_and_microphone(site: Site, who: str) -> None:
    with site.visitor(who) as visitor:
        policies = {
            address: visitor.request.get(address).headers["permissions-policy"]
            for address in ("/new/recording", "/new", "/")
        }
    assert policies["/new/recording"] == "camera=(), microphone=(self), display-capture=(self), geolocation=()"
    assert policies["/new"] == policies["/"] == "camera=(), microphone=(), display-capture=(), geolocation=()"
