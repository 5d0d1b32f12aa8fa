"""The pages in another language: by what a browser asks for, by what somebody chooses, and all of each page."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from fluent.syntax import FluentParser, ast
from playwright.sync_api import Page, expect

from domain.lifecycles.kinds import LIFECYCLES
from starter.pages.shell.catalogue import PAGES
from tests import pseudo
from tests.browser.conftest import Site
from tests.browser.looking import look

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
        look(page, "home-german")


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
    const own = "template, script, style, [lang=en], code, kbd, time, .brand, select[name=language], [data-language]";
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
    words = " ".join(
        (document["markdown"], document["title"], said, who, kept["right"], "Add a customer mp4 Handbooks")
    )
    allowed = {each.lower() for each in WORD.findall(words)}
    allowed |= {
        word for table in LIFECYCLES.values() for each in table.statuses for word in str(each).lower().split("_")
    }
    instruction, job = f"/instructions/{ids['instruction']}", f"/jobs/{ids['job']}"
    own = (
        instruction,
        f"{instruction}/versions",
        f"{instruction}/export",
        f"{instruction}/share",
        job,
        f"{job}/transcript",
    )
    wrong = {}
    with (
        pseudo.spoken(tmp_path, monkeypatch) as language,
        site.visitor(who, locale=language, viewport={"width": 375, "height": 812}) as context,
    ):
        page = context.new_page()
        for address in (*ADDRESSES, *MORE, "/glossary", *own):
            page.goto(address, wait_until="load")
            page.wait_for_timeout(150)
            assert page.locator("html").get_attribute("lang") == language
            overhang = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            if overhang > 0:
                wrong[address] = {f"{overhang} px too wide"}
            if words_of_its_own := untranslated(page, allowed):
                wrong.setdefault(address, set()).update(words_of_its_own)
    assert wrong == {}
    assert quiet == []
