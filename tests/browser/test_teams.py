"""Two people in one project, each in a browser of their own: invited, let in by a role, heard as they comment."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.conftest import Site
from tests.browser.looking import look


def test_given_two_people_in_two_browsers_when_one_invites_the_other_then_each_does_what_their_role_lets_them(
    page: Page, site: Site, who: str, drafted: Callable[[str], dict[str, str]]
) -> None:
    ids, other = drafted(who), f"bob-{who}"
    page.goto("/projects")
    look(page, "projects")
    page.get_by_role("link", name="Handbooks").click()
    page.locator("[data-invite] select[name=role]").select_option("commenter")
    page.get_by_role("button", name="Make the invitation").click()
    expect(page.locator("[data-url]")).to_contain_text("/invited/")
    link = page.locator("[data-url]").inner_text()
    expect(page.get_by_role("heading", name="Open invitations")).to_be_visible()
    look(page, "project")

    guide = f"/instructions/{ids['instruction']}"
    with site.visitor(other) as context:
        theirs = context.new_page()
        theirs.goto(guide)
        expect(theirs.get_by_role("heading", name="There is nothing here")).to_be_visible()
        theirs.goto(link)
        look(theirs, "invited")
        theirs.get_by_role("button", name="Come in").click()
        expect(theirs.get_by_text(f"It is {who}'s. You read everything in it and comment on guides.")).to_be_visible()
        expect(theirs.get_by_role("button", name="Make the invitation")).to_have_count(0)
        page.reload()
        expect(page.locator("[data-members]")).to_contain_text(other)

        theirs.goto("/")
        theirs.goto(guide)
        expect(theirs.get_by_text(f"You read this guide of {who}'s and comment on it.")).to_be_visible()
        for gone in ("Edit", "Save", "Undo", "More", "Blur what is private"):
            expect(theirs.get_by_role("button", name=gone, exact=True)).to_have_count(0)
        expect(theirs.get_by_role("link", name="Share", exact=True)).to_have_count(0)

        page.goto(guide)
        block = theirs.locator(".block[data-role=step]").first
        block.focus()
        theirs.keyboard.press("c")
        text = f"Which one, @{who}? <script>alert(1)</script>"
        theirs.get_by_label("Your comment").fill(text)
        theirs.get_by_role("button", name="Comment", exact=True).last.click()
        expect(theirs.locator(".comment-text")).to_have_text(text)
        expect(theirs.locator(".comment mark")).to_have_text(f"@{who}")
        look(theirs, "comments")

        mine = page.locator(".block[data-role=step]").first.locator("[data-comment]")
        expect(mine).to_have_text("1 comment thread", timeout=20_000)
        mine.click()
        page.get_by_placeholder("Your reply").fill("The blue one.")
        page.get_by_role("button", name="Reply").click()
        expect(theirs.locator(".comment-text")).to_have_text([text, "The blue one."], timeout=20_000)
        page.get_by_role("button", name="Resolve", exact=True).click()
        expect(mine).to_have_text("Comment")
        expect(theirs.locator(".thread")).to_have_count(0, timeout=20_000)

        page.goto(f"/projects/{ids['project']}")
        page.get_by_label(f"Role of {other}").select_option("editor")
        expect(page.get_by_text("The role is changed.")).to_be_visible()
        theirs.reload()
        expect(theirs.get_by_role("button", name="Save", exact=True)).to_be_visible()
        page.get_by_role("button", name="Remove").click()
        page.get_by_role("dialog").get_by_role("button", name="Remove").click()
        expect(page.locator("[data-members]")).not_to_contain_text(other)
        theirs.reload()
        expect(theirs.get_by_role("heading", name="There is nothing here")).to_be_visible()
