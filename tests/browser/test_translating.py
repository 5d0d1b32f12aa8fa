"""A guide in another language, in the browser: asked for, seen to be behind, brought up to date, looked through."""

from collections.abc import Iterator
from dataclasses import replace
from uuid import uuid4

import pytest
from playwright.sync_api import expect
from pydantic import SecretStr

from activities.drafting.chat.translator import ChatTranslator
from activities.providers import ChatClient, ProviderClient
from starter.sandbox import RunningSandbox
from starter.settings import Settings
from tests.apis import running_api
from tests.browser.conftest import Site, site_settings
from tests.browser.looking import look
from tests.integration.api_builders import told_job
from tests.temporal import TemporalServer
from tests.workers import document_workers

pytest_plugins = ("tests.sandbox",)

WITHIN_MS = 120_000


@pytest.fixture
def speaking(
    site: Site, sandbox: RunningSandbox, temporal: TemporalServer, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Site]:
    """The same pages where a language model is set up, and a worker that asks it."""
    model = {"llm_base_url": sandbox.base_url, "llm_api_key": SecretStr("key"), "llm_model": "sandbox"}
    values = {**site_settings(site.stack).model_dump(), **model, "task_queue_prefix": f"speaking-{uuid4().hex}"}
    settings = Settings(**values)
    monkeypatch.setenv("TEMPORAL_ADDRESS", temporal.address)
    chat = ChatClient(ProviderClient(sandbox.base_url, timeout_s=30.0))
    stack = site.stack
    with (
        running_api(settings) as api,
        document_workers(
            temporal.address,
            settings,
            stack.store,
            stack.artifacts,
            ("jobs", "providers"),
            translator=ChatTranslator(chat, "sandbox"),
        ),
    ):
        yield replace(site, api=api, complaints=[])


def test_given_a_guide_when_it_is_translated_and_changes_then_its_page_says_what_is_behind_and_brings_it_up_to_date(
    speaking: Site, who: str
) -> None:
    job = told_job(speaking.api.store, speaking.api.artifacts, who)
    original = f"/instructions/{job.instruction_id}"
    with speaking.visitor(who) as context, speaking.client(who) as client:
        page = context.new_page()
        page.goto(original)
        page.get_by_role("link", name="Translations").click()
        expect(page.get_by_role("heading", name="No translations yet")).to_be_visible()
        look(page, "translations-none")
        page.get_by_label("Into").select_option("German")
        page.get_by_role("button", name="Translate", exact=True).click()
        row = page.locator("[data-part] li")
        expect(row).to_contain_text("German", timeout=WITHIN_MS)
        expect(row).to_contain_text("Up to date")
        translation = row.get_by_role("link", name="Ädd ä cüstömër").get_attribute("href")
        assert translation is not None

        newest = client.get(original.removeprefix("/")).json()
        changed = (
            newest["markdown"].replace("Choose **New**", "Press **New**").replace("Enter the name", "Type the name")
        )
        saved = client.put(original.removeprefix("/"), json={"base_version": 1, "markdown": changed})
        assert saved.status_code == 200
        made = client.get(translation.removeprefix("/")).json()
        edited = made["markdown"].replace("Ëntër thë nämë", "Geben Sie den Namen ein")
        client.put(translation.removeprefix("/"), json={"base_version": 1, "markdown": edited}).raise_for_status()

        page.reload()
        expect(row).to_contain_text("2 steps are behind")
        look(page, "translations")
        row.get_by_role("link", name="Look through German").click()
        expect(page.locator(".compared > li")).to_have_count(2)
        expect(page.locator(".compared > li").first).to_contain_text("Press New")
        page.get_by_role("button", name="Translate what is behind (2)").click()

        waiting = page.locator(".compared > li")
        expect(waiting).to_have_count(1, timeout=WITHIN_MS)
        expect(waiting.locator(".offer")).to_contain_text("Typë thë nämë")
        expect(waiting).to_contain_text("Geben Sie den Namen ein")
        look(page, "translation-behind")
        waiting.get_by_role("button", name="Take the new translation").click()
        expect(page.get_by_role("heading", name="Up to date")).to_be_visible()
        text = client.get(translation.removeprefix("/")).json()["markdown"]
        assert "Prëss **New**." in text and "Typë thë nämë." in text

        page.get_by_role("link", name="Editor").click()
        expect(page.get_by_text("Its pictures are the original")).to_be_visible()
        expect(page.get_by_role("navigation", name="This guide in other languages")).to_contain_text("German")
        look(page, "translation-editor")

        page.goto(f"{translation}/translations")
        page.get_by_role("button", name="Delete the translation: German").click()
        dialog = page.get_by_role("dialog", name="Delete the translation (German)?")
        expect(dialog).to_contain_text("no bin keeps them")
        look(page, "translation-delete")
        dialog.get_by_role("button", name="Delete for good").click()
        page.wait_for_url(f"**{original}/translations")
        expect(page.get_by_role("heading", name="No translations yet")).to_be_visible()
        assert client.get(translation.removeprefix("/")).status_code == 404
    assert not speaking.complaints


def test_given_no_language_model_when_a_guide_is_opened_then_no_translation_is_offered(site: Site, who: str) -> None:
    job = told_job(site.stack.store, site.stack.artifacts, who)
    with site.visitor(who) as context:
        page = context.new_page()
        page.goto(f"/instructions/{job.instruction_id}")
        expect(page.get_by_role("link", name="Versions")).to_be_visible()
        expect(page.get_by_role("link", name="Translations")).to_have_count(0)
        page.goto(f"/instructions/{job.instruction_id}/translations")
        expect(page.get_by_text("No language model is set up here").first).to_be_visible()
        expect(page.get_by_role("button", name="Translate", exact=True)).to_have_count(0)
