"""The pages in another language: by what a browser asks for, by what somebody chooses, and all of each page."""

import re

import pytest
from fluent.syntax import FluentParser, ast
from playwright.sync_api import Page, expect

from starter.pages.shell.catalogue import PAGES
from tests.browser.conftest import Site
from tests.browser.looking import look

ADDRESSES = (
    "/",
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
