"""What is said in a recording: read, searched, played from a place, corrected, taken home."""

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from domain.recordings.transcript import Segment, SpeechFound, Transcript
from tests.browser.conftest import Site
from tests.browser.looking import look
from tests.integration.api_builders import transcribed
from tests.integration.store_builders import Run, uploaded_job
from tests.stack import wait_until

HOSTILE = '<img src=x onerror="alert(1)"> </script> the customer'


def at(page: Page) -> float:
    """Where the recording is, in seconds."""
    return float(page.evaluate("document.querySelector('video').currentTime"))


def test_given_a_recording_when_its_transcript_is_read_then_it_is_searched_played_and_corrected_by_mouse_and_keys(
    page: Page, site: Site, who: str, drafted: Callable[[str], dict[str, str]], tmp_path: Path
) -> None:
    job = drafted(who)["job"]
    with site.client(who) as client:
        items = client.get(f"jobs/{job}/transcript").json()["items"]
    place = next(each for each in items if "invoice" in each["text"] and each["index"] > 1)

    page.goto(f"/jobs/{job}/transcript#t={place['start_ms'] + 50}")
    slowly = "video => { video.defaultPlaybackRate = video.playbackRate = 0.0625 }"  # it stays within a line
    page.locator("video").evaluate(slowly)
    line = page.locator(f"#s{place['index']}")
    expect(line).to_have_attribute("aria-current", "true")
    expect(line.get_by_role("button").first).to_be_focused()
    assert at(page) == (place["start_ms"] + 50) / 1000
    page.keyboard.press("ArrowUp")
    expect(page.locator(f"#s{place['index'] - 1}").get_by_role("button").first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(f"#s{place['index'] - 1}")).to_have_attribute("aria-current", "true")
    page.keyboard.press("k")

    page.keyboard.press("/")
    page.keyboard.insert_text("INVOICE")  # at once: a part of it that is typed slowly is found, too
    count = sum(each["text"].lower().count("invoice") for each in items)
    expect(page.get_by_text(f"1 of {count}")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_text(f"2 of {count}")).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("p")
    page.keyboard.press("p")
    expect(page.get_by_text(f"{count} of {count}")).to_be_visible()
    page.keyboard.press("n")
    expect(page.get_by_text(f"1 of {count}")).to_be_visible()
    look(page, "transcript")

    line.get_by_role("button").first.click()
    assert abs(at(page) - place["start_ms"] / 1000) < 2
    page.keyboard.press("k")
    page.keyboard.press("c")
    field = line.get_by_role("textbox")
    expect(field).to_be_focused()
    expect(field).to_have_value(place["text"].strip())
    look(page, "transcript-correcting")
    field.fill(HOSTILE)
    page.keyboard.press("Escape")
    expect(line).to_contain_text(place["text"].strip())
    page.keyboard.press("c")
    line.get_by_role("textbox").fill(HOSTILE)
    page.keyboard.press("Enter")
    expect(line.locator("p")).to_have_text(HOSTILE)
    expect(line).to_contain_text(f"Recognised as: {place['text'].strip()}")
    expect(line.get_by_role("button").first).to_be_focused()
    page.reload()
    expect(line.locator("p")).to_have_text(HOSTILE)
    with page.expect_download() as downloading:
        page.get_by_role("link", name="TXT").click()
    downloading.value.save_as(tmp_path / "said.txt")
    assert HOSTILE in (tmp_path / "said.txt").read_text().splitlines()

    with site.client(who) as client:  # somebody else, meanwhile
        client.put(f"jobs/{job}/transcript/segments/{place['index']}", json={"text": "Else."}).raise_for_status()
    line.hover()
    line.get_by_role("button", name="Correct").click()
    line.get_by_role("textbox").fill("Mine.")
    line.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("Somebody corrected this")
    expect(line.get_by_role("textbox")).to_have_value("Mine.")
    page.keyboard.press("Escape")
    expect(line.locator("p")).to_have_text("Else.")
    line.get_by_role("button", name="Correct").click()
    line.get_by_role("button", name="Undo the correction").click()
    expect(line.locator("p")).to_have_text(place["text"].strip())


def test_given_hours_of_speech_when_it_is_searched_then_the_last_place_is_reached_and_only_what_is_seen_is_laid_out(
    page: Page, site: Site, who: str
) -> None:
    count = 10_000
    said = Transcript(
        speech=SpeechFound.SPEECH,
        language="en",
        duration_ms=count * 4000,
        model="test",
        segments=tuple(
            Segment(id=number, start_ms=number * 4000, end_ms=number * 4000 + 3900, text=f"Sentence {number} of many.")
            for number in range(count)
        ),
    )
    store = site.stack.store
    run = Run(store, uploaded_job(store, who).id).dispatched().extract_audio()
    page.goto(f"/jobs/{run.job_id}/transcript")
    expect(page.get_by_role("heading", name="There is no transcript yet")).to_be_visible()
    look(page, "transcript-none")
    transcribed(store, site.stack.artifacts, run, said)  # the page shows it by itself
    lines = page.locator(".lines > li")
    expect(lines).to_have_count(count)
    expect(lines.last).not_to_be_in_viewport()
    # no roles, and nothing that is not so at once: for both, the test's driver has every line laid out
    page.locator("input[name=wanted]").fill("9998 of")
    wait_until(lambda: page.evaluate("document.querySelector('[data-found]').textContent") == "1 of 1", 60, "a find")
    expect(page.locator("#s9998")).to_be_in_viewport()
    page.goto(f"/jobs/{run.job_id}/transcript#t={5000 * 4000}")
    marked = "document.querySelector('#s5000')?.getAttribute('aria-current') === 'true'"
    wait_until(lambda: page.evaluate(marked), 60, "the place of the address")
    expect(page.locator("#s5000")).to_be_in_viewport()
    expect(page.locator("#s5000")).to_have_attribute("aria-current", "true")
    expect(page.locator("#s9998")).not_to_be_in_viewport()


def test_given_nobody_speaks_then_the_page_says_so_and_a_strangers_page_is_not_there(
    page: Page, site: Site, who: str
) -> None:
    store = site.stack.store
    run = Run(store, uploaded_job(store, who).id).dispatched().extract_audio()
    silent = Transcript(speech=SpeechFound.SILENT, duration_ms=9000, model="test")
    page.goto(f"/jobs/{run.job_id}")
    tab = page.get_by_role("link", name="Transcript")
    expect(tab).to_be_disabled()
    transcribed(store, site.stack.artifacts, run, silent)
    expect(tab).to_be_enabled()  # the draft is not written yet
    tab.click()
    expect(page.get_by_role("heading", name="The recording is silent")).to_be_visible()
    with site.visitor("mallory") as context:
        for path in ("transcript", "transcript/segments"):
            assert context.request.get(f"/jobs/{run.job_id}/{path}").status == 404
