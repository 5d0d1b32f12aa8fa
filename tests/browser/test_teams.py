"""Two people in one project, each in a browser of their own: invited, let in by a role, heard as they comment."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from domain.people import Person
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
        expect(mine).to_have_text("1 comment thread")
        mine.click()
        page.get_by_placeholder("Your reply").fill("The blue one.")
        page.get_by_role("button", name="Reply").click()
        expect(theirs.locator(".comment-text")).to_have_text([text, "The blue one."])
        page.get_by_role("button", name="Resolve", exact=True).click()
        expect(mine).to_have_text("Comment")
        expect(theirs.locator(".thread")).to_have_count(0)

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


def test_given_two_people_in_one_guide_when_they_move_write_and_leave_then_each_sees_it_and_is_told_before_a_conflict(
    page: Page, site: Site, who: str, drafted: Callable[[str], dict[str, str]]
) -> None:
    ids, editor, viewer = drafted(who), f"eve-{who}", f"vic-{who}"
    for other, role, name in ((editor, "editor", "Eve Öztürk"), (viewer, "viewer", "<i>Vic</i>")):
        join(site, who, ids["project"], other, role)
        site.stack.store.saw_person(Person(subject=other, name=name))
    guide = f"/instructions/{ids['instruction']}"
    page.goto(guide)
    here = page.get_by_role("list", name="Also here")
    expect(page.locator("[data-present]")).to_be_hidden()
    first, second = (page.locator(".block[data-role=step]").nth(place) for place in (0, 1))

    with site.visitor(viewer) as reading, site.visitor(editor) as writing:
        reader, writer = reading.new_page(), writing.new_page()
        reader.goto(guide)
        expect(here.get_by_role("listitem")).to_have_text(["II<i>Vic</i> has this guide open"])
        reader.locator(".block[data-role=step]").first.click(position={"x": 5, "y": 5})
        expect(here.get_by_role("button", name="<i>Vic</i> is at Step 1")).to_be_visible()
        expect(first.locator(".in-block")).to_have_text("II<i>Vic</i> is here")

        writer.goto(guide)
        writer.locator(".block[data-role=step]").first.locator(".prose").first.click()
        expect(first.locator(".in-block")).to_contain_text("Eve Öztürk is writing")
        expect(reader.get_by_role("button", name="Eve Öztürk is writing in Step 1")).to_be_visible()
        expect(reader.get_by_text("is writing in this block too")).to_have_count(0)
        look(reader, "present-reading")

        first.locator(".prose").first.click()
        told = page.get_by_text("Eve Öztürk is writing in this block too. Whoever saves second")
        expect(told).to_be_visible()
        expect(writer.get_by_text(f"{who} is writing in this block too. Whoever saves second")).to_be_visible()
        look(page, "present-same-block")
        page.keyboard.press("Escape")
        second.locator(".prose").first.click()
        expect(told).to_have_count(0)
        expect(writer.get_by_text("is writing in this block too")).to_have_count(0)

        page.get_by_role("button", name="<i>Vic</i> is at Step 1").click()
        expect(first).to_be_focused()
        reader.close()
        expect(here.get_by_role("listitem")).to_have_count(1)
        theirs = writer.locator("[data-present]")
        expect(theirs.get_by_role("listitem")).to_have_count(1)  # all that was on its way is there
        writing.set_offline(True)
        for place in (2, 3):  # each is said, and is not heard: who else is there, nobody knows
            with writer.expect_event("requestfailed", lambda request: "/presences/" in request.url):
                writer.locator(".block[data-role=step]").nth(place).focus()
        expect(theirs).to_be_hidden()
        writing.set_offline(False)
        writer.locator(".block[data-role=step]").first.focus()
        expect(theirs.get_by_role("listitem")).to_have_count(1)
    expect(page.locator("[data-present]")).to_be_hidden()


def join(site: Site, owner: str, project: str, other: str, role: str) -> None:
    """Let somebody into a project by the API."""
    with site.client(owner) as mine, site.client(other) as theirs:
        link = mine.post(f"projects/{project}/invitations", json={"role": role}).json()["url"]
        theirs.post("invitations/accept", json={"token": link.rpartition("/")[2]}).raise_for_status()


def test_given_a_guide_that_is_moved_into_a_project_from_its_card_then_members_do_what_their_role_lets_them_and_no_more(
    page: Page, site: Site, who: str, drafted: Callable[[str], dict[str, str]]
) -> None:
    ids, viewer, editor, stranger = drafted(who), f"vic-{who}", f"eve-{who}", f"sam-{who}"
    with site.client(who) as mine:
        shared = mine.post("projects", json={"name": "Shared"}).json()["id"]
    for other, role in ((viewer, "viewer"), (editor, "editor")):
        join(site, who, shared, other, role)
    guide, absent = f"/instructions/{ids['instruction']}", "instructions/01890000-0000-7000-8000-000000000000"
    asked = {"base_version": 1, "markdown": "Taken over."}

    with site.visitor(viewer) as first, site.visitor(editor) as second, site.visitor(stranger) as third:
        theirs, editors, strangers = first.new_page(), second.new_page(), third.new_page()
        theirs.goto(guide)
        expect(theirs.get_by_role("heading", name="There is nothing here")).to_be_visible()

        page.goto("/")
        page.locator("[data-menu]").click()
        page.locator("[data-guide-menu] [data-do=move]").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Folder").select_option("Shared")
        dialog.get_by_role("button", name="Move").click()
        expect(page.locator(".guide-folder")).to_have_text("Shared")

        theirs.goto(guide)
        expect(theirs.get_by_text(f"You read this guide of {who}'s.", exact=True)).to_be_visible()
        expect(theirs.locator("[data-do], [data-redact], [data-everywhere], [data-comment]:visible")).to_have_count(0)
        assert answered(theirs, "PUT", guide[1:], asked)[0] == 403
        assert answered(theirs, "POST", f"{guide[1:]}/comments", {"block_id": ids["job"], "text": "x"})[0] == 403
        assert answered(theirs, "PATCH", f"jobs/{ids['job']}", {"project_id": shared})[0] == 403
        theirs.goto("/")
        expect(theirs.locator("[data-guide]")).to_have_count(1)
        expect(theirs.locator("[data-menu], [data-choice]")).to_have_count(0)
        strangers.goto(guide)
        expect(strangers.get_by_role("heading", name="There is nothing here")).to_be_visible()
        nothing = answered(strangers, "PUT", absent, asked)
        assert nothing[0] == 404 and answered(strangers, "PUT", guide[1:], asked) == nothing

        page.goto(f"/projects/{shared}")
        page.get_by_role("link", name="Show its guides").click()
        expect(page.locator("[data-guide]")).to_have_count(1)
        page.go_back()
        card = page.locator("[data-members] li", has_text=editor)
        card.get_by_role("button", name="Hand over").click()
        page.get_by_role("dialog").get_by_role("button", name="Hand over").click()
        expect(page.get_by_text(f"It is {editor}'s.")).to_be_visible()
        expect(page.get_by_role("button", name="Make the invitation")).to_have_count(0)
        look(page, "project-handed-over")
        editors.goto(f"/projects/{shared}")
        expect(editors.get_by_role("button", name="Make the invitation")).to_be_visible()
        editors.get_by_label(f"Role of {who}").select_option("commenter")
        expect(editors.get_by_text("The role is changed.")).to_be_visible()
        page.goto(guide)
        expect(page.get_by_text(f"You read this guide of {editor}'s and comment on it.")).to_be_visible()
        page.goto(f"/projects/{shared}")
        page.get_by_role("button", name="Leave").click()
        page.get_by_role("dialog").get_by_role("button", name="Leave").click()
        page.wait_for_url("**/projects")
        page.goto(guide)
        expect(page.get_by_role("heading", name="There is nothing here")).to_be_visible()


def answered(page: Page, method: str, path: str, body: object) -> tuple[int, str]:
    """What the API says to somebody's own browser."""
    status, text = page.evaluate(
        """async ([method, path, body]) => {
          const headers = { "Content-Type": "application/json" };
          const answer = await fetch(`/api/v1/${path}`, { method, headers, body: JSON.stringify(body) });
          return [answer.status, await answer.text()];
        }""",
        [method, path, body],
    )
    return status, text
