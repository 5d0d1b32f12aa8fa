"""Comments on a guide's blocks: who says what, who hears of it, and what becomes of it."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from sqlalchemy import select

from activities.store.tables import comment_threads, comments, job_events, webhook_deliveries
from domain.documents.comments import (
    COMMENTS_LIMIT,
    LONGEST_COMMENT,
    QUOTE_LENGTH,
    checked_comment,
    mentioned_in,
    quote_of,
)
from domain.errors import RequestInvalid
from domain.projects import ProjectRole
from domain.webhooks import WebhookEvent
from starter.services.archives import UserArchive
from tests.apis import RunningApi, api_settings, running_api, wait_ready
from tests.integration.pictures import Illustrated, illustrated_job
from tests.integration.store_builders import OTHER_BLOCK, STEP_BLOCK, instruction_of
from tests.integration.test_members import joined, outcome
from tests.temporal import TemporalServer
from tests.walking import ABSENT


@pytest.fixture(scope="module")
def api(temporal: TemporalServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningApi]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEMPORAL_ADDRESS", temporal.address)
        with running_api(api_settings(tmp_path_factory.mktemp("comments"))) as running:
            wait_ready(running)
            yield running


@pytest.fixture
def told(api: RunningApi) -> Illustrated:
    shot = illustrated_job(api.store, api.artifacts)
    for role in (ProjectRole.VIEWER, ProjectRole.COMMENTER, ProjectRole.EDITOR):
        joined(api, shot.job.project_id, str(role), role)
    return shot


def begun(api: RunningApi, told: Illustrated, text: str, by: str = "commenter") -> dict[str, Any]:
    with api.client(by) as client:
        answer = client.post(
            f"instructions/{instruction_of(told.job)}/comments", json={"block_id": STEP_BLOCK, "text": text}
        )
    assert answer.status_code == 201, answer.text
    thread: dict[str, Any] = answer.json()
    return thread


def threads(client: httpx.Client, told: Illustrated, **asked: Any) -> list[dict[str, Any]]:
    answer = client.get(f"instructions/{instruction_of(told.job)}/comments", params=asked)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["items"]
    return found


# --- the rule --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "called"),
    [
        ("@ada look", ["ada"]),
        ("@Ada, look", ["ada"]),
        ("@adam look", ["adam"]),
        ("@adamant", []),
        ("mail@ada.example", []),
        ("@@ada", []),
        ("@ada and @adam", ["ada", "adam"]),
        ("(@auth0|5f.x)", ["auth0|5f.x"]),
        ("ada", []),
    ],
)
def test_given_a_text_then_who_is_called_in_it_is_found(text: str, called: list[str]) -> None:
    assert list(mentioned_in(text, {each: each for each in ("ada", "adam", "auth0|5f.x")})) == called
    assert mentioned_in("@Ada Lovelace, @ada", {"1": "Ada Lovelace", "2": "Ada"}) == ("1", "2")


@pytest.mark.parametrize("text", ["", " \n ", "x" * (LONGEST_COMMENT + 1), "a\x00b", "a\x1bb", "a\u202eb"])
def test_given_what_is_no_comment_then_it_is_refused(text: str) -> None:
    with pytest.raises(RequestInvalid):
        checked_comment(text)


def test_given_a_block_then_its_quote_is_short_plain_and_on_one_line() -> None:
    assert checked_comment("  two\r\nlines\t") == "two\nlines"
    assert quote_of("## Choose **New**\n\n- and `save`") == "Choose New and save"
    assert len(quote_of("word " * 100)) <= QUOTE_LENGTH and quote_of("word " * 100).endswith("…")


# --- threads ---------------------------------------------------------------------------------------------------------


def test_given_a_commenter_when_they_say_something_then_it_is_at_the_block_and_makes_no_version(
    api: RunningApi, told: Illustrated
) -> None:
    instruction = instruction_of(told.job)
    thread = begun(api, told, "Which button? @ann @editor <b>&</b>")
    assert (thread["block_id"], thread["quote"], thread["is_there"]) == (STEP_BLOCK, "Choose New.", True)
    (comment,) = thread["comments"]
    assert (comment["author"], comment["text"]) == ("commenter", "Which button? @ann @editor <b>&</b>")
    assert comment["mentions"] == ["ann", "editor"] and comment["edited_at"] is None
    with api.client("ann") as ann, api.client("viewer") as viewer, api.client("mallory") as mallory:
        assert threads(viewer, told) == threads(ann, told) == [thread]
        assert ann.get(f"instructions/{instruction}").json()["version"] == 1
        refused = viewer.post(f"instructions/{instruction}/comments", json={"block_id": STEP_BLOCK, "text": "x"})
        assert outcome(refused) == (403, "FORBIDDEN") and "commenter" in refused.json()["message"]
        assert mallory.get(f"instructions/{instruction}/comments").status_code == 404
        replied = ann.post(f"comment-threads/{thread['id']}/comments", json={"text": "The blue one."}).json()
        assert [each["author"] for each in replied["comments"]] == ["commenter", "ann"]
        for path in (f"comment-threads/{thread['id']}", f"comments/{comment['id']}"):
            body = {"resolved": True} if "threads" in path else {"text": "x"}
            assert viewer.put(path, json=body).status_code == 403
            assert mallory.put(path, json=body).status_code == 404
        nowhere = ann.post(f"instructions/{instruction}/comments", json={"block_id": ABSENT, "text": "x"})
        assert outcome(nowhere) == (400, "VALIDATION_ERROR")


def test_given_a_comment_then_its_author_changes_it_the_owner_may_take_it_away_and_nobody_else(
    api: RunningApi, told: Illustrated
) -> None:
    thread = begun(api, told, "Wrogn.")
    said = thread["comments"][0]["id"]
    with api.client("commenter") as commenter, api.client("editor") as editor, api.client("ann") as ann:
        changed = commenter.put(f"comments/{said}", json={"text": "Wrong."}).json()
        assert changed["comments"][0]["text"] == "Wrong." and changed["comments"][0]["edited_at"]
        assert editor.put(f"comments/{said}", json={"text": "Right."}).status_code == 404
        assert ann.put(f"comments/{said}", json={"text": "Right."}).status_code == 404
        assert editor.delete(f"comments/{said}").status_code == 404
        answer = editor.post(f"comment-threads/{thread['id']}/comments", json={"text": "Why?"}).json()
        assert ann.delete(f"comments/{said}").status_code == 204
        (left,) = threads(ann, told)
        assert [each["text"] for each in left["comments"]] == ["Why?"]
        assert editor.delete(f"comments/{answer['comments'][1]['id']}").status_code == 204
        assert threads(ann, told) == [], "the last one takes its thread along"


def test_given_a_thread_when_it_is_resolved_then_it_is_listed_apart_and_a_reply_opens_it_again(
    api: RunningApi, told: Illustrated
) -> None:
    thread = begun(api, told, "Is that so?")
    with api.client("editor") as editor, api.client("commenter") as commenter:
        path = f"comment-threads/{thread['id']}"
        for _ in range(2):
            settled = editor.put(path, json={"resolved": True}).json()
            assert settled["resolved_at"] and settled["resolved_by"] == "editor"
        assert threads(editor, told, resolved=False) == []
        assert [each["id"] for each in threads(editor, told, resolved=True)] == [thread["id"]]
        again = commenter.post(f"{path}/comments", json={"text": "No."}).json()
        assert (again["resolved_at"], again["resolved_by"]) == (None, None)
        assert editor.put(path, json={"resolved": "yes"}).status_code == 400
        rows = editor.get(f"jobs/{told.job.id}/history").json()["items"]
        noted = [(each["event_type"], each["actor"]) for each in rows if each["event_type"].startswith("COMMENT_")]
        assert noted[::-1] == [
            ("COMMENT_CREATED", "commenter"),
            ("COMMENT_RESOLVED", "editor"),
            ("COMMENT_CREATED", "commenter"),
        ]


def test_given_a_block_that_is_changed_moved_and_removed_then_its_thread_follows_and_then_says_that_it_is_gone(
    api: RunningApi, told: Illustrated
) -> None:
    begun(api, told, "Here?")
    path = f"instructions/{instruction_of(told.job)}"
    with api.client("ann") as ann:
        text = ann.get(path).json()["markdown"]
        ann.put(path, json={"base_version": 1, "markdown": text.replace("Choose **New**.", "Press **New**.")})
        assert [(each["is_there"], each["quote"]) for each in threads(ann, told)] == [(True, "Choose New.")]
        kept, _, gone = text.partition(f"<!-- block:{STEP_BLOCK} -->")
        rest = gone.partition(f"<!-- block:{OTHER_BLOCK} -->")[2]
        without = f"{kept}<!-- block:{OTHER_BLOCK} -->{rest}"
        assert ann.put(path, json={"base_version": 2, "markdown": without}).status_code == 200
        assert [(each["is_there"], each["quote"]) for each in threads(ann, told)] == [(False, "Choose New.")]


def test_given_a_key_that_comes_twice_then_it_is_said_once_and_a_thread_has_an_end(
    api: RunningApi, told: Illustrated, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, body = f"instructions/{instruction_of(told.job)}/comments", {"block_id": STEP_BLOCK, "text": "Once."}
    with api.client("commenter") as commenter:
        twice = [commenter.post(path, json=body, headers={"Idempotency-Key": "k"}) for _ in range(2)]
        assert twice[0].json() == twice[1].json() and len(threads(commenter, told)) == 1
        thread = twice[0].json()["id"]
        for number in range(COMMENTS_LIMIT - 1):
            api.store.reply("ann", thread, f"{number}", author="ann")
        full = commenter.post(f"comment-threads/{thread}/comments", json={"text": "One more."})
        assert outcome(full) == (400, "VALIDATION_ERROR")


# --- who hears of it -------------------------------------------------------------------------------------------------


def test_given_endpoints_when_something_is_said_then_they_are_told_where_and_by_whom_and_not_what(
    api: RunningApi, told: Illustrated
) -> None:
    chosen = (WebhookEvent.COMMENT_CREATED, WebhookEvent.COMMENT_RESOLVED, WebhookEvent.COMMENT_MENTIONED)
    api.store.create_endpoint("ann", "https://example.org/comments", chosen)
    thread = begun(api, told, "A secret plan, @editor")
    with api.client("ann") as ann:
        ann.put(f"comment-threads/{thread['id']}", json={"resolved": True})
    with api.store._database.read() as connection:
        query = select(webhook_deliveries.c.payload).where(webhook_deliveries.c.job_id == told.job.id)
        told_of = {each["type"]: each["data"] for each in connection.scalars(query)}
    assert set(told_of) == {"comment.created", "comment.mentioned", "comment.resolved"}
    about = {"thread_id": thread["id"], "block_id": STEP_BLOCK, "instruction_id": thread["instruction_id"]}
    for event, who in (
        ("comment.created", "commenter"),
        ("comment.mentioned", "commenter"),
        ("comment.resolved", "ann"),
    ):
        assert {name: told_of[event][name] for name in about} == about
        assert told_of[event]["user_id"] == who
    assert told_of["comment.mentioned"]["mentioned"] == ["editor"]
    assert "secret plan" not in str(told_of)


def test_given_a_guide_with_comments_then_no_export_and_no_archive_of_others_has_them_and_its_owners_has(
    api: RunningApi, told: Illustrated
) -> None:
    begun(api, told, "An aside of the commenter's.")
    with api.store._database.read() as connection:
        rows = connection.execute(select(job_events.c.data).where(job_events.c.job_id == told.job.id)).all()
    assert "aside" not in str(rows), "what is said is in no log"
    owners, speakers, strangers = (
        b"".join(UserArchive(api.store, api.artifacts, each, api.store.now()).pieces())
        for each in ("ann", "commenter", "mallory")
    )
    for archive, has in ((owners, True), (speakers, True), (strangers, False)):
        assert (b"aside of the commenter" in _unpacked(archive)) is has


def _unpacked(archive: bytes) -> bytes:
    import io
    import zipfile

    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return b"".join(opened.read(name) for name in opened.namelist())


def test_given_somebody_who_is_erased_then_what_they_said_is_gone_and_what_was_answered_stays(
    api: RunningApi, told: Illustrated
) -> None:
    joined(api, told.job.project_id, "talker", ProjectRole.COMMENTER)
    alone = begun(api, told, "Only I said this.", by="talker")
    both = begun(api, told, "And this.", by="talker")
    begun(api, told, "Ask @talker", by="ann")
    with api.client("ann") as ann:
        ann.post(f"comment-threads/{both['id']}/comments", json={"text": "I answered."})
        purge = api.store.begin_user_purge("talker")
        assert api.store.erase_user_rows(purge.id)
        left = {each["id"]: [said["text"] for said in each["comments"]] for each in threads(ann, told)}
        assert alone["id"] not in left and left[both["id"]] == ["I answered."]
        mentioned = [
            each["data"]["mentioned"]
            for each in ann.get(f"jobs/{told.job.id}/history", params={"limit": 100}).json()["items"]
            if each["event_type"] == "COMMENT_MENTIONED"
        ]
        assert mentioned == [[]]
    with api.store._database.read() as connection:
        assert not connection.execute(select(comments).where(comments.c.author == "talker")).first()


def test_given_a_job_that_is_erased_then_nothing_that_was_said_about_it_is_left(
    api: RunningApi, told: Illustrated
) -> None:
    begun(api, told, "About what goes.")
    api.store.begin_erasure(told.job.id, owner="ann")
    api.store.erase_rows(told.job.id)
    with api.store._database.read() as connection:
        for table in (comments, comment_threads):
            assert not connection.execute(select(table).where(table.c.job_id == told.job.id)).first()
