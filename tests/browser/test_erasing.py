"""What is deleted for good, pressed as people press it: a recording, a job, a project, everything of a person's."""

import io
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from activities.store import JobRequest
from tests.browser.conftest import Site
from tests.stack import wait_until


def pressed(page: Page, name: str) -> None:
    """Press the button, say no first, and then yes."""
    page.get_by_role("button", name=name, exact=True).first.click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_be_hidden()
    page.get_by_role("button", name=name, exact=True).first.click()
    dialog.get_by_role("button", name=name).click()


def test_given_what_is_a_persons_when_it_is_deleted_piece_by_piece_then_each_is_gone_and_the_archive_has_what_is_left(
    site: Site, page: Page, who: str, drafted: Callable[[str], dict[str, str]]
) -> None:
    store, artifacts = site.stack.store, site.stack.artifacts
    ids = drafted(who)
    job = store.get_job(ids["job"])
    page.goto(f"/jobs/{job.id}")
    pressed(page, "Delete the recording")
    expect(page.get_by_role("button", name="Delete the recording")).to_have_count(0)
    wait_until(lambda: not [*artifacts.list(f"jobs/{job.id}/upload/")], 30, "the recording's end")

    order, _ = store.request_job(JobRequest(owner=who, kind="image", input={"prompt": "A kettle"}, cost=0))
    page.goto(f"/jobs/{order.id}")
    pressed(page, "Delete the job")
    page.wait_for_url("**/")
    wait_until(lambda: not store.open_erasures(-60.0), 30, "the job's end")
    assert [each.id for each in store.list_jobs(who).items] == [job.id]

    page.goto("/credits")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download everything").click()
    with zipfile.ZipFile(io.BytesIO(Path(download.value.path()).read_bytes())) as archive:
        assert job.id in archive.read("index.json").decode() or any(job.id in name for name in archive.namelist())

    page.goto(f"/projects/{job.project_id}")
    pressed(page, "Delete the project")
    page.wait_for_url("**/projects")
    expect(page.get_by_role("link", name="Handbooks")).to_have_count(0)
    wait_until(lambda: not store.open_purges(-60.0), 60, "the project's end")
    assert store.list_jobs(who).items == ()

    page.goto("/credits")
    page.get_by_role("button", name="Delete everything").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label(re.compile("To confirm")).fill("somebody")
    dialog.get_by_role("button", name="Delete everything").click()
    expect(page.get_by_text("That is not your name: nothing was deleted.")).to_be_visible()
    page.get_by_role("button", name="Delete everything").click()
    dialog.get_by_label(re.compile("To confirm")).fill(who)
    dialog.get_by_role("button", name="Delete everything").click()
    expect(page.get_by_text("Everything of yours is being removed.")).to_be_visible()
    wait_until(lambda: not store.open_purges(-60.0), 60, "the person's end")
    assert store.list_projects(who).items == ()
