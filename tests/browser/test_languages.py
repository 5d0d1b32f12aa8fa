"""The pages in another language: by what a browser asks for, by what somebody chooses, and all of each page."""

import re
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
from fluent.syntax import FluentParser, ast
from playwright.sync_api import Page, ViewportSize, expect

from domain.lifecycles.kinds import LIFECYCLES
from starter.access.tokens import Role
from starter.pages.shell.catalogue import PAGES
from tests import pseudo
from tests.browser.conftest import PATIENT_MS, Site
from tests.browser.looking import fits
from tests.stack import wait_until

ADDRESSES = (
    "/",
    "/bin",
    "/search",
    "/jobs",
    "/new",
    "/new/recording",
    "/new/image",
    "/new/generation",
    "/new/batch",
    "/new/analysis",
    "/library",
    "/credits",
)
MORE = ("/webhooks", "/lifecycles", "/jobs/01a22906-f456-77b5-9852-2e0c3e469ea6")


def plain(language: str) -> set[str]:
    """What is said without anything put in."""
    said = set()
    for path in PAGES.glob(f"*/strings.{language}.ftl"):
        for entry in FluentParser().parse(path.read_text("utf-8")).body:
            if isinstance(entry, ast.Message) and entry.value and len(entry.value.elements) == 1:
                element = entry.value.elements[0]
                if isinstance(element, ast.TextElement):
                    said.add(element.value.strip())
    return said


def texts(page: Page) -> set[str]:
    """Each text of its own on the page, and what is read aloud or shown on pointing at something."""
    found: list[str] = page.evaluate(
        """() => {
            const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
            const texts = [document.title.split(" · ")[0]];
            while (walk.nextNode()) if (!walk.currentNode.parentElement.closest("template, script, [lang=en]"))
                texts.push(walk.currentNode.data);
            for (const each of document.querySelectorAll("[aria-label], [title], [placeholder]"))
                for (const name of ["aria-label", "title", "placeholder"]) texts.push(each.getAttribute(name) ?? "");
            return texts;
        }"""
    )
    return {re.sub(r"\s+", " ", each).strip() for each in found}


@pytest.mark.usefixtures("quiet")
def test_given_a_browser_that_asks_for_german_then_every_page_is_german_and_nothing_is_english(
    site: Site, who: str
) -> None:
    english = plain("en") - plain("de")
    with site.visitor(who, locale="de-AT") as context:
        page = context.new_page()
        for address in (*ADDRESSES, *MORE):
            page.goto(address)
            assert page.locator("html").get_attribute("lang") == "de"
            assert texts(page) & english == set(), address
        page.goto("/")
        fits(page, "home-german")


@pytest.mark.usefixtures("quiet")
def test_given_a_language_that_is_chosen_then_it_goes_before_what_the_browser_asks_for(site: Site, who: str) -> None:
    with site.visitor(who) as context:
        page = context.new_page()
        page.goto("/library")
        page.get_by_label("Language of these pages").select_option(label="Deutsch")
        expect(page.get_by_role("heading", level=1)).to_have_text("Bibliothek")
        assert page.url.endswith("/library")
        page.goto("/credits")
        expect(page.get_by_role("heading", level=1)).to_have_text("Guthaben")
        page.get_by_label("Sprache dieser Seiten").select_option(label="English")
        expect(page.get_by_role("heading", level=1)).to_have_text("Credits")
        assert (
            context.request.post(
                "/language",
                form={"language": "de", "to": "https://example.org/"},
                headers={"Origin": site.url},
                max_redirects=0,
            ).headers["location"]
            == "/"
        )


SHOWN = """() => {
    const names = ".brand, .whose, select[name=language], [data-language]";
    const own = `template, script, style, [lang=en], code, kbd, time, ${names}`;
    const seen = each => !each.closest(own) && (each.checkVisibility() || each.closest("dialog, [popover], .unseen"));
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const texts = [document.title.replace(" · guidesmith", "")];
    while (walk.nextNode()) if (seen(walk.currentNode.parentElement)) texts.push(walk.currentNode.data);
    for (const name of ["aria-label", "title", "placeholder", "alt", "value"])
        for (const each of document.querySelectorAll(`[${name}]`))
            if (seen(each) && (name !== "value" || each.matches("[type=submit]"))) texts.push(each.getAttribute(name));
    return texts;
}"""
WORD = re.compile(r"[A-Za-z]{3,}")
SAID = re.compile(f"{pseudo.OPENS}[^{pseudo.OPENS}{pseudo.CLOSES}]*{pseudo.CLOSES}")
NAMES_ONLY = "/reference"
"""What stands there is the names of the HTTP interface, by which programs call it."""
NAMES = frozenset(
    ("Inter", "Markdown", "Word", "PDF", "HTML", "DOCX", "SRT", "VTT", "TXT", "ZIP", "UTC", "PNG", "SVG", "JPEG", "MiB")
)


def untranslated(page: Page, allowed: set[str]) -> set[str]:
    """Words on the page that no catalogue said, and that are nobody's own."""
    found: set[str] = set()
    for text in page.evaluate(SHOWN):
        text = re.sub(r"https?://\S+", " ", text)
        while (rest := SAID.sub(" ", text)) != text:  # choices stand within
            text = rest
        found.update(
            word
            for word in WORD.findall(text)
            if word.lower() not in allowed and word not in NAMES and not word.isupper()  # a code
        )
    return found


PROMPT = "Lighthouse under stars"
PLAIN = "Add a customer mp4 html Handbooks Default embedded poster {project} {title} {page} {pages}"
"""Names that people gave, or programs have: of a file, a project, a maker, and of what a brand's header may name."""


def _made(client: httpx.Client, ids: dict[str, str]) -> dict[str, Any]:
    """A picture and captions, by their pages, a link with a passphrase, and a guide in the bin."""
    captions = {"job_type": "captions", "parameters": {"inputs": [{"job_id": ids["job"]}]}}
    asked: tuple[tuple[str, dict[str, Any]], ...] = (("images", {"prompt": PROMPT}), ("jobs", captions))
    jobs = [str(client.post(path, json=body).raise_for_status().json()["id"]) for path, body in asked]
    link = client.post(f"instructions/{ids['instruction']}/shares", json={"passphrase": "correct horse"})
    empty = client.post(f"projects/{ids['project']}/jobs", json={}).raise_for_status().json()["id"]
    client.post(f"guides/{empty}/bin").raise_for_status()
    wait_until(lambda: all(client.get(f"jobs/{each}").json()["completed_at"] for each in jobs), 60, "the results")
    return {"jobs": [f"/jobs/{each}" for each in jobs], "guarded": link.raise_for_status().json()["url"]}


def test_given_a_language_that_is_longer_then_every_page_says_it_alone_and_nothing_hangs_out_on_a_phone(
    site: Site,
    who: str,
    drafted: Callable[[str], dict[str, str]],
    quiet: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ids = drafted(who)
    with site.client(who) as client:
        document = client.get(f"instructions/{ids['instruction']}").json()
        said = client.get(f"jobs/{ids['job']}/transcript", params={"format": "txt"}).text
        kept = client.post("glossary", json={"heard": "billing", "right": "bookkeeping"}).json()
        site.stack.store.grant(who, 50, reason=PROMPT, actor="test", idempotency_key=who)
        made = _made(client, ids)
    words = " ".join((document["markdown"], document["title"], said, who, kept["right"], PROMPT, PLAIN))
    allowed = {each.lower() for each in WORD.findall(words)}
    allowed |= {
        word for table in LIFECYCLES.values() for each in table.statuses for word in str(each).lower().split("_")
    }
    instruction, job = f"/instructions/{ids['instruction']}", f"/jobs/{ids['job']}"
    project = f"/projects/{ids['project']}"
    own = (
        *(f"{instruction}{part}" for part in ("/versions", "/export", "/share", "/translations")),
        *(job, f"{job}/transcript", *made["jobs"]),
        *("/projects", project, f"{project}/brand", NAMES_ONLY),
        *("/behind", f"/administration?user={who}", f"/administration{job.removeprefix('/jobs')}"),
        f"/credits?user={who}",
    )
    wrong: dict[str, set[str]] = {}

    def check(page: Page, address: str) -> None:
        assert page.locator("html").get_attribute("lang") == language
        overhang = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        if overhang > 0:
            wrong[address] = {f"{overhang} px too wide"}
        if address != NAMES_ONLY and (words_of_its_own := untranslated(page, allowed)):
            wrong.setdefault(address, set()).update(words_of_its_own)

    narrow: ViewportSize = {"width": 375, "height": 812}
    with (
        pseudo.spoken(tmp_path, monkeypatch) as language,
        site.visitor(who, role=Role.ADMIN, locale=language, viewport=narrow) as context,
    ):
        page = context.new_page()
        for address in (*ADDRESSES, *MORE, "/glossary", *own, instruction):
            page.goto(address, wait_until="load")
            page.wait_for_timeout(150)
            page.evaluate("document.fonts.ready.then(() => {})")  # another's letters are wider
            check(page, address)
        step = page.locator("[data-role=step]").first
        for name, key in (("picture", "p"), ("regenerate", "r"), ("shortcuts", "?")):  # what modules build
            step.focus()
            page.keyboard.press(key)
            shown = step.locator("form") if name == "regenerate" else page.locator("dialog[open]")
            expect(shown).to_be_visible()
            check(page, f"{instruction} {name}")
            page.keyboard.press("Escape")
            expect(shown).to_have_count(0)
        page.goto("/")
        for do in ("export", "move", "rename"):
            page.locator("[data-menu]").first.click()
            page.locator(f"[data-guide-menu] [data-do={do}]").click()
            expect(page.locator("dialog[open]")).to_be_visible()
            check(page, f"/ {do}")
            page.keyboard.press("Escape")
        stranger = site.browser.new_context(base_url=site.url, locale=language, viewport=narrow)
        with closing(stranger):
            stranger.set_default_timeout(PATIENT_MS)
            page = stranger.new_page()
            for address in ("/sign-in", made["guarded"]):
                page.goto(address, wait_until="load")
                check(page, address)
    assert wrong == {}
    assert quiet == []
