"""Projects with members: what each role may on every route, who comes in and who goes, and whose it all is."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi.routing import APIRoute
from sqlalchemy import select, update
from typer.testing import CliRunner

from activities.process.callers import act_as_member, called_by
from activities.store.documents import glossary, presences
from activities.store.jobs.inputs import JobRequest
from activities.store.jobs.memberships import Thing
from activities.store.repository import new_uuid7
from activities.store.tables import metadata, project_invitations
from activities.store.upkeep.erasures import own_rows
from domain.documents.publication import ExportFormat
from domain.documents.screenshots import Extraction
from domain.documents.sharing import fingerprint
from domain.documents.translations import NewText
from domain.erasure import NOBODY
from domain.errors import GuidesmithError, InvitationForAnother, ProjectInUse, QuotaExceeded
from domain.jobs import Actor
from domain.lifecycles.lifecycle import Trigger
from domain.projects import ALLOWED, Permission, ProjectRole, allows, higher, needed_for
from domain.quotas import OwnerLimits
from domain.recordings.glossary import Pair
from guidesmith.client import Client, Project
from starter.access.reach import API, PAGES, Reach
from starter.access.tokens import Tokens
from starter.api.app import description
from starter.api.perimeter.admission import BASE
from starter.cli.app import app
from starter.pages.app import VIEWS
from starter.pages.shell.gate import OPEN, OPEN_BELOW
from tests.apis import SECRET, RunningApi, api_settings, running_api, wait_ready
from tests.integration.pictures import Illustrated, illustrated_job
from tests.integration.store_builders import STEP_BLOCK, created_job, drafted_job, instruction_of
from tests.integration.test_api_perimeter import Ids, counted
from tests.integration.test_people import bearer
from tests.temporal import TemporalServer
from tests.walking import ABSENT, Operation, operations

ROLES = (ProjectRole.VIEWER, ProjectRole.COMMENTER, ProjectRole.EDITOR)


@pytest.fixture(scope="module")
def api(temporal: TemporalServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningApi]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEMPORAL_ADDRESS", temporal.address)
        with running_api(api_settings(tmp_path_factory.mktemp("members"))) as running:
            wait_ready(running)
            yield running


@pytest.fixture
def told(api: RunningApi) -> Illustrated:
    """A guide of ann's, in a project with a member of each role, named as the role is."""
    shot = illustrated_job(api.store, api.artifacts)
    for role in ROLES:
        joined(api, shot.job.project_id, str(role), role)
    return shot


def invited(api: RunningApi, project_id: str, role: ProjectRole, **wanted: Any) -> dict[str, Any]:
    with api.client("ann") as ann:
        answer = ann.post(f"projects/{project_id}/invitations", json={"role": role, **wanted})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


def token_of(invitation: dict[str, Any]) -> dict[str, str]:
    return {"token": invitation["url"].rpartition("/")[2]}


def joined(api: RunningApi, project_id: str, subject: str, role: ProjectRole) -> None:
    with api.client(subject) as client:
        answer = client.post("invitations/accept", json=token_of(invited(api, project_id, role)))
    assert (answer.status_code, answer.json()["role"]) == (200, role), answer.text


def outcome(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


# --- the rule --------------------------------------------------------------------------------------------------------


def test_given_the_roles_then_each_may_what_the_next_may_and_more() -> None:
    order = list(ProjectRole)
    for more, less in pairwise(order):
        assert ALLOWED[more] > ALLOWED[less]
        assert higher(more, less) is higher(less, more) is more
    assert {each: needed_for(each) for each in Permission} == {
        Permission.READ: ProjectRole.VIEWER,
        Permission.COMMENT: ProjectRole.COMMENTER,
        Permission.EDIT: ProjectRole.EDITOR,
        Permission.RUN: ProjectRole.EDITOR,
        Permission.SHARE: ProjectRole.EDITOR,
        Permission.DELETE: ProjectRole.OWNER,
        Permission.MANAGE: ProjectRole.OWNER,
    }


def walked() -> list[Operation]:
    found = [each for each in operations(description()) if each.needs_token and not each.is_admin]
    return [each for each in found if each.method != "HEAD"]


def named(operation: Operation) -> str:
    return f"{operation.method} {operation.template.removeprefix(BASE)}"


def test_every_route_says_what_it_reaches_and_no_line_of_the_table_is_of_none() -> None:
    assert {named(each) for each in walked()} == set(API)
    for operation in walked():
        reach = API[named(operation)]
        assert reach is None or reach.parameter in operation.parameters, operation.name
    routes = {route.path for view in VIEWS for route in view.router.routes if isinstance(route, APIRoute)}
    needing = {path for path in routes if path not in OPEN and not path.startswith(OPEN_BELOW) and path != "/sign-out"}
    assert needing == set(PAGES)


# --- every route -----------------------------------------------------------------------------------------------------


def things(api: RunningApi, told: Illustrated) -> dict[str, str]:
    """One of each thing in the project, by the name that routes have for its id."""
    instruction = instruction_of(told.job)
    export, _ = api.store.request_export("ann", told.job.id, ExportFormat.PDF, told.instruction_version_id)
    task, _ = api.store.create_regenerate(
        "ann",
        instruction,
        base_version=1,
        selection={"block_id": STEP_BLOCK},
        client_request_id="r",
        requested_by="ann",
        request={},
    )
    translation, _ = api.store.request_translation(
        "ann", instruction, "de", is_update=False, client_request_id="t", requested_by="ann"
    )
    thread = api.store.add_thread("ann", instruction, STEP_BLOCK, "What ann says.", author="ann")
    corrected = api.store.correcting_everywhere("ann", told.job.id, [], segments=[], base=None, blocks=[])()
    share = api.store.create_share("ann", instruction, export.id, told.job.id.replace("-", "") * 2)
    shot, _ = api.store.request_extraction(
        "ann", told.job.id, instruction, told.instruction_version_id, Extraction(timestamp_ms=100)
    )
    return Ids(ABSENT) | {
        "screenshot_task_id": shot.id,
        "project_id": told.job.project_id,
        "job_id": told.job.id,
        "instruction_id": instruction,
        "export_id": export.id,
        "task_id": task.id,
        "translation_task_id": translation.id,
        "share_id": share.id,
        "set_id": corrected.id,
        "thread_id": thread.id,
        "comment_id": thread.comments[0].id,
        "anchor_id": told.anchor_id,
        "asset_id": told.asset_id,
        "version": "1",
        "index": "0",
    }


def asked(member: httpx.Client, operation: Operation, reach: Reach, ids: Ids) -> httpx.Response:
    template = operation.template
    if reach.thing is Thing.SCREENSHOT_TASK:  # two kinds of task go by one name
        template = template.replace("{task_id}", ids["screenshot_task_id"])
    path = template.format(**{name: ids[name] for name in operation.parameters}).removeprefix(f"{BASE}/")
    return member.request(operation.method, path, json=operation.body(), params=operation.query())


@pytest.mark.parametrize("role", ROLES)
def test_given_a_member_then_every_route_lets_them_do_what_their_role_does_and_says_which_it_takes(
    api: RunningApi, told: Illustrated, role: ProjectRole
) -> None:
    ids = Ids(ABSENT)
    ids.update(things(api, told))
    refused = let = took = 0
    written = list[tuple[Operation, Reach]]()
    with api.client(str(role)) as member:
        for operation in walked():
            reach = API[named(operation)]
            if reach is None or operation.is_stream or operation.template.endswith("/leave"):
                continue
            if reach.permission is not Permission.READ and allows(role, reach.permission):
                written.append((operation, reach))
                continue
            answer = asked(member, operation, reach, ids)
            if allows(role, reach.permission):
                assert answer.status_code not in (401, 403), (operation.name, answer.text)
                if operation.template.startswith((f"{BASE}/jobs", f"{BASE}/instructions", f"{BASE}/projects")):
                    assert answer.status_code in (200, 204, 404, 409), (operation.name, answer.text)
                let += 1
                continue
            assert outcome(answer) == (403, "FORBIDDEN"), (operation.name, answer.text)
            needed = str(needed_for(reach.permission))
            assert answer.json()["details"] == {"role": str(role), "needed_role": needed}, operation.name
            assert needed in answer.json()["message"], operation.name
            refused += 1
        version = member.get(f"instructions/{ids['instruction_id']}").json()
        assert version["version"] == 1, "nothing was written"
        # last what begins a run, which no worker carries out here and exports wait for
        last = [each for each in written if each[0].name.endswith(("/run", "/retry"))]
        first = sorted((each for each in written if each not in last), key=lambda each: each[0].method == "DELETE")
        for operation, reach in (*first, *last):
            if operation.template.endswith("/cancel") and reach.thing is Thing.JOB:
                continue  # waits for the run, which no worker carries out here
            answer = asked(member, operation, reach, ids)
            assert answer.status_code < 500 and answer.status_code not in (401, 403), (operation.name, answer.text)
            took += answer.status_code != 404  # which says that a block, a version, an upload of the body is not there
    assert let > 15 and refused >= {ProjectRole.EDITOR: 10}.get(role, 40)
    assert took >= {ProjectRole.EDITOR: 25, ProjectRole.COMMENTER: 3}.get(role, 0)


def test_given_a_stranger_and_a_former_member_then_nothing_in_the_project_is_there(
    api: RunningApi, told: Illustrated
) -> None:
    paths = (f"jobs/{told.job.id}", f"projects/{told.job.project_id}", f"projects/{told.job.project_id}/members")
    with api.client("ann") as ann, api.client("viewer") as viewer, api.client("mallory") as mallory:
        assert [viewer.get(each).status_code for each in paths] == [200] * 3
        gone = ann.delete(f"projects/{told.job.project_id}/members", params={"user_id": "viewer"})
        assert gone.status_code == 204
        for path in paths:
            answers = [client.get(path) for client in (viewer, mallory)] + [viewer.get(path.replace("-7", "-8"))]
            assert {(each.status_code, each.content) for each in answers} == {(404, answers[0].content)}, path
        for client in (viewer, mallory):
            listed = client.get("jobs", params={"project_id": told.job.project_id}).json()
            assert listed == {"items": [], "next_cursor": None}
        again = ann.delete(f"projects/{told.job.project_id}/members", params={"user_id": "viewer"})
        assert outcome(again) == (404, "RESOURCE_NOT_FOUND")


def test_given_a_member_when_a_job_is_asked_for_then_it_takes_the_statements_that_its_owner_takes(
    api: RunningApi, told: Illustrated
) -> None:
    statements = {}
    for subject in ("ann", "viewer", "mallory"):
        with api.client(subject) as client, counted() as said:
            client.get(f"jobs/{told.job.id}/history")
        statements[subject] = list(said)
    asked = [each for each in statements["ann"] if "project_members" in each]
    assert len(asked) == 1, "who the caller is to it, by one statement"
    assert statements["ann"] == statements["viewer"]
    assert len(statements["mallory"]) < len(statements["ann"]), "the job is looked up, and not found"
    with api.client("viewer") as client, counted() as said:
        assert client.get(f"jobs/{told.job.id}").json()["role"] == "viewer"
    with api.client("ann") as client, counted() as own:
        client.get(f"jobs/{told.job.id}")
    assert said == own


# --- what members do -------------------------------------------------------------------------------------------------


def test_given_an_editor_when_they_work_in_the_project_then_it_is_the_owners_and_they_stand_beside_it(
    api: RunningApi, told: Illustrated
) -> None:
    project, instruction = told.job.project_id, instruction_of(told.job)
    with api.client("editor") as editor, api.client("ann") as ann, api.client("viewer") as viewer:
        made = editor.post(f"projects/{project}/jobs").json()
        assert (made["role"], made["created_by"]) == ("editor", "editor")
        assert api.store.get_job(made["id"]).owner == "ann"
        assert ann.get(f"jobs/{made['id']}").json()["role"] == "owner"
        assert editor.post(f"jobs/{made['id']}/upload", json={"filename": "a.mp4"}).status_code == 200

        text = editor.get(f"instructions/{instruction}").json()["markdown"]
        saved = editor.put(f"instructions/{instruction}", json={"base_version": 1, "markdown": f"{text}\n\nBye.\n"})
        assert (saved.status_code, saved.json()["version"]) == (200, 2), saved.text
        restored = editor.post(f"instructions/{instruction}/restore", json={"version": 1, "base_version": 2})
        assert restored.status_code == 200, restored.text
        versions = ann.get(f"instructions/{instruction}/versions").json()["items"]
        assert [each["author"] for each in versions] == ["editor", "editor", "system"]

        for client in (ann, viewer):
            rows = client.get(f"jobs/{told.job.id}/history").json()["items"]
            assert [each["actor"] for each in rows if each["event_type"].startswith("INSTRUCTION_")] == ["editor"] * 2
            assert {each["actor"] for each in rows if each["event_type"] == "STATUS_CHANGED"} == {None}
        shared = editor.post(f"instructions/{instruction}/anchors", json=anchor(told))
        assert shared.status_code == 201, shared.text


def anchor(told: Illustrated) -> dict[str, Any]:
    return {
        "instruction_version_id": told.instruction_version_id,
        "addressing": {"address_type": "block_id", "block_id": STEP_BLOCK},
    }


def test_given_an_editor_when_they_name_what_else_is_the_owners_then_it_is_not_there(
    api: RunningApi, told: Illustrated
) -> None:
    private = illustrated_job(api.store, api.artifacts)
    with api.client("editor") as editor:
        wanted = {"format": "PDF", "instruction_version_id": private.instruction_version_id}
        assert outcome(editor.post(f"jobs/{told.job.id}/exports", json=wanted)) == (400, "EXPORT_REQUEST_INVALID")
        other = anchor(told) | {"instruction_version_id": private.instruction_version_id}
        instruction = instruction_of(told.job)
        assert editor.post(f"instructions/{instruction}/anchors", json=other).status_code == 404
        at = {"target_instruction_version_id": private.instruction_version_id}
        assert editor.get(f"anchors/{told.anchor_id}", params=at).status_code == 404
        assert editor.delete(f"anchors/{told.anchor_id}/assets/{private.asset_id}").status_code == 404
        annotation = {"base_asset_id": private.asset_id, "operations": [BLUR]}
        assert editor.post(f"anchors/{told.anchor_id}/annotations", json=annotation).status_code == 404
        assert editor.patch(f"jobs/{told.job.id}", json={"project_id": private.job.project_id}).status_code == 403
        assert editor.get(f"jobs/{private.job.id}").status_code == 404


BLUR = {"op_type": "blur", "geometry": {"x": 0, "y": 0, "w": 0.5, "h": 0.5}, "style": {}}


def test_given_two_who_write_then_each_has_a_sitting_of_their_own_and_neither_sees_the_others(
    api: RunningApi, told: Illustrated
) -> None:
    instruction, sitting = instruction_of(told.job), told.job.id
    with api.client("editor") as editor, api.client("ann") as ann, api.client("viewer") as viewer:
        path = f"instructions/{instruction}/sittings"
        kept = editor.put(f"{path}/{sitting}", json={"base_version": 1, "markdown": "What the editor writes."})
        assert kept.status_code == 200, kept.text
        assert [each["sitting_id"] for each in editor.get(path).json()["items"]] == [sitting]
        assert ann.get(path).json()["items"] == []
        assert ann.get(f"{path}/{sitting}").status_code == 404
        assert ann.delete(f"{path}/{sitting}").status_code == 204, "as where there is none"
        assert viewer.get(path).status_code == 403
        saved = editor.post(f"{path}/{sitting}/save")
        assert saved.status_code == 200, saved.text
        versions = ann.get(f"instructions/{instruction}/versions").json()["items"]
        assert versions[0]["author"] == "editor"


def test_given_two_members_with_one_idempotency_key_then_each_has_made_something(
    api: RunningApi, told: Illustrated
) -> None:
    made = []
    for subject in ("ann", "editor", "editor"):
        with api.client(subject) as client:
            answer = client.post(f"projects/{told.job.project_id}/jobs", headers={"Idempotency-Key": "one"})
        made.append((answer.json()["id"], "Idempotency-Replayed" in answer.headers))
    assert made[0][0] != made[1][0]
    assert (made[1], made[2]) == ((made[1][0], False), (made[1][0], True))


def test_given_lists_then_they_have_ones_own_and_what_is_shared_with_the_role(
    api: RunningApi, told: Illustrated
) -> None:
    own = created_job(api.store, "commenter")
    with api.client("commenter") as commenter:
        jobs = commenter.get("jobs").json()["items"]
        roles = {each["id"]: each["role"] for each in jobs}
        assert roles[own.id] == "owner" and roles[told.job.id] == "commenter"
        assert [each["created_at"] for each in jobs] == sorted((each["created_at"] for each in jobs), reverse=True)
        first = commenter.get("jobs", params={"limit": 1}).json()
        then = commenter.get("jobs", params={"limit": 100, "cursor": first["next_cursor"]}).json()
        assert [each["id"] for each in (*first["items"], *then["items"])] == [each["id"] for each in jobs]
        of_project = commenter.get("jobs", params={"project_id": told.job.project_id}).json()["items"]
        assert [each["id"] for each in of_project] == [told.job.id]
        projects = {each["id"]: each for each in commenter.get("projects").json()["items"]}
        assert (projects[own.project_id]["role"], projects[own.project_id]["owner"]) == ("owner", "commenter")
        shared = projects[told.job.project_id]
        assert (shared["role"], shared["owner"]) == ("commenter", "ann")
        members = commenter.get(f"projects/{told.job.project_id}/members").json()["items"]
        assert [(each["user_id"], each["role"]) for each in members] == [
            ("ann", "owner"),
            ("viewer", "viewer"),
            ("commenter", "commenter"),
            ("editor", "editor"),
        ]


def test_given_a_member_when_events_come_then_they_hear_them_until_they_are_taken_out(
    api: RunningApi, told: Illustrated
) -> None:
    with api.client("viewer") as viewer, viewer.stream("GET", f"jobs/{told.job.id}/events") as stream:
        lines = stream.iter_lines()
        heard = [json.loads(line.removeprefix("data: ")) for line in _data(lines, 3)]
        assert heard[0]["event_type"] == "JOB_CREATED"
        reach = api.store.last_event_seq(told.job.id)
        while heard[-1]["seq"] < reach:
            heard += [json.loads(line.removeprefix("data: ")) for line in _data(lines, 1)]
        api.store.remove_member("ann", told.job.project_id, "viewer")
        with api.client("ann") as ann:
            segment = {"base_version": 1, "markdown": "Something else."}
            assert ann.put(f"instructions/{instruction_of(told.job)}", json=segment).status_code == 200
        assert list(_data(lines, 1)) == [], "the stream ended, and said nothing of it"


@contextmanager
def listening(api: RunningApi, subject: str, job_id: str) -> Iterator[Iterator[str]]:
    """The lines of somebody's event stream, from what happens now on."""
    reach = api.store.last_event_seq(job_id)
    path = f"jobs/{job_id}/events"
    with api.client(subject) as client, client.stream("GET", path, params={"last_event_id": reach}) as stream:
        assert stream.status_code == 200
        yield stream.iter_lines()


def _data(lines: Iterator[str], count: int) -> Iterator[str]:
    for line in lines:
        if line.startswith("data: {"):
            yield line
            count -= 1
            if count == 0:
                return


def test_given_jobs_when_they_are_moved_then_the_members_of_the_project_they_are_in_see_them(
    api: RunningApi, told: Illustrated, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(presences, "GONE_AFTER_S", 600)  # who is there stays so, however slow this machine is
    with api.client("ann") as ann, api.client("editor") as editor:
        other = ann.post("projects", json={"name": "Private"}).json()["id"]
        joined(api, told.job.project_id, "both", ProjectRole.EDITOR)
        joined(api, other, "both", ProjectRole.EDITOR)
        document = f"instructions/{instruction_of(told.job)}"
        for who in ("ann", "editor", "both"):
            unsaved = {"base_version": 1, "markdown": f"What {who} writes."}
            with api.client(who) as client:
                assert client.put(f"{document}/sittings/{new_uuid7()}", json=unsaved).status_code == 200
                assert client.put(f"{document}/presences/{new_uuid7()}", json={}).status_code == 200
        with listening(api, "editor", told.job.id) as heard, listening(api, "both", told.job.id) as kept:
            moved = ann.patch(f"jobs/{told.job.id}", json={"project_id": other})
            assert (moved.status_code, moved.json()["project_id"]) == (200, other)
            assert list(_data(heard, 1)) == [], "the stream ended, and said nothing of it"
            (said,) = (json.loads(line.removeprefix("data: ")) for line in _data(kept, 1))
            assert (said["event_type"], said["project_id"]) == ("JOB_MOVED", other)
        assert editor.get(f"jobs/{told.job.id}").status_code == 404
        assert editor.get(document).status_code == 404
        assert {each.subject for each in api.store.present([told.job.id])[told.job.id]} == {"ann", "both"}
        again = ann.patch(f"jobs/{told.job.id}", json={"project_id": other})
        assert again.json()["updated_at"] == moved.json()["updated_at"], "it is there already"
        assert ann.patch(f"jobs/{told.job.id}", json={"project_id": told.job.project_id}).status_code == 200
        assert editor.get(f"jobs/{told.job.id}").status_code == 200
        history = [each["event_type"] for each in ann.get(f"jobs/{told.job.id}/history").json()["items"]]
        assert history[:2] == ["JOB_MOVED"] * 2 and history.count("JOB_MOVED") == 2
        assert editor.get(f"{document}/sittings").json()["items"] == [], "they lost it with the guide"
        for who in ("ann", "both"):
            with api.client(who) as client:
                assert len(client.get(f"{document}/sittings").json()["items"]) == 1, who
        elsewhere = editor.post("projects", json={"name": "Mine"}).json()["id"]
        for nowhere in (elsewhere, ABSENT, "nonsense"):
            assert ann.patch(f"jobs/{told.job.id}", json={"project_id": nowhere}).status_code == 404
        renamed = ann.patch(f"projects/{other}", json={"name": "Public"})
        assert renamed.json()["name"] == ann.get(f"projects/{other}").json()["name"] == "Public"


# --- coming and going ------------------------------------------------------------------------------------------------


def test_given_an_invitation_when_it_is_used_then_by_one_person_and_not_once_it_was_taken_back_or_has_expired(
    api: RunningApi, told: Illustrated
) -> None:
    project = told.job.project_id
    used, back, late = (invited(api, project, ProjectRole.VIEWER) for _ in range(3))
    assert used["url"].startswith(f"{api.url}/invited/")
    with api.client("ann") as ann, api.client("one") as one, api.client("two") as two:
        assert outcome(ann.post("invitations/accept", json=token_of(used))) == (400, "VALIDATION_ERROR")
        assert one.post("invitations/accept", json=token_of(used)).json()["id"] == project
        assert one.post("invitations/accept", json=token_of(used)).status_code == 200, "once more, the same"
        assert ann.delete(f"projects/{project}/invitations/{back['id']}").status_code == 204
        with api.store._database.write() as connection:
            past = datetime.now(UTC) - timedelta(seconds=1)
            which = project_invitations.c.id == late["id"]
            connection.execute(update(project_invitations).where(which).values(expires_at=past))
        wrong = [two.post("invitations/accept", json=token_of(each)) for each in (used, back, late)]
        wrong.append(two.post("invitations/accept", json={"token": "x" * 43}))
        assert {(each.status_code, each.content) for each in wrong} == {(404, wrong[0].content)}
        listed = {each["id"]: each for each in ann.get(f"projects/{project}/invitations").json()["items"]}
        assert listed[used["id"]]["used_by"] == "one" and listed[back["id"]]["revoked_at"]
        assert not any("url" in each for each in listed.values())
        assert one.post(f"projects/{project}/leave").status_code == 204
        assert one.post("invitations/accept", json=token_of(used)).status_code == 404, "it was used"
    with api.store._database.read() as connection:
        kept = connection.execute(select(project_invitations)).mappings().all()
    assert not any(token_of(used)["token"] in str(dict(row)) for row in kept), "the secret is not kept"


def test_given_an_invitation_by_address_then_only_who_signs_in_with_it_is_let_in(
    api: RunningApi, told: Illustrated
) -> None:
    project = told.job.project_id
    made = invited(api, project, ProjectRole.COMMENTER, email="Ada@Example.org")
    assert made["email"] == "ada@example.org"
    with api.client("ada") as ada, api.client("ann") as ann:
        assert outcome(ada.post("invitations/accept", json=token_of(made))) == (403, "INVITATION_FOR_ANOTHER")
        assert api.store.accept_invitations_for("mallory", "mallory@example.org") == ()
        assert api.store.accept_invitations_for("ada", "ADA@example.org") == (project,)
        assert api.store.accept_invitations_for("ada", "ada@example.org") == (), "once"
        assert ada.get(f"projects/{project}").json()["role"] == "commenter"
        for wrong in ("ada", "a b@example.org", "ada@example", "@example.org"):
            refused = ann.post(f"projects/{project}/invitations", json={"role": "viewer", "email": wrong})
            assert outcome(refused) == (400, "VALIDATION_ERROR"), wrong
        refused = ann.post(f"projects/{project}/invitations", json={"role": "owner"})
        assert outcome(refused) == (400, "VALIDATION_ERROR")
    another = invited(api, project, ProjectRole.EDITOR, email="eve@example.org")
    token = token_of(another)["token"]
    with pytest.raises(InvitationForAnother):
        api.store.accept_invitation("eve", fingerprint(token), email="adam@example.org")
    assert api.store.accept_invitation("eve", fingerprint(token), email="Eve@example.org") == project


def test_given_tokens_that_say_whose_address_it_is_then_who_was_invited_by_it_is_let_in_and_shown_by_name(
    api: RunningApi, told: Illustrated
) -> None:
    project = told.job.project_id
    claims = {"name": "Grace Hopper", "email": "Grace@example.org"}
    invited(api, project, ProjectRole.EDITOR, email="grace@example.org")
    for verified, found in ((False, []), (True, [project])):
        headers = bearer("grace", **claims, email_verified=verified)
        listed = httpx.get(f"{api.url}/api/v1/projects", headers=headers).json()["items"]
        assert [each["id"] for each in listed] == found
    with api.client("ann") as ann:
        members = ann.get(f"projects/{project}/members").json()["items"]
        assert (members[-1]["name"], members[-1]["user_id"], members[0]["name"]) == ("Grace Hopper", "grace", "ann")
        assert ann.delete(f"projects/{project}/members", params={"user_id": "grace"}).status_code == 204
        invited(api, project, ProjectRole.VIEWER, email="grace@example.org")
        members = ann.get(f"projects/{project}/members").json()["items"]
        assert members[-1]["user_id"] == "grace", "whose address it is was known: let in at once"


def test_given_the_command_line_when_a_project_is_shared_with_it_then_each_command_does_what_it_says(
    api: RunningApi, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GUIDESMITH_API_URL", api.url)
    monkeypatch.setenv("GUIDESMITH_DATA_DIR", str(tmp_path))

    def run(who: str, *words: str) -> str:
        monkeypatch.setenv("GUIDESMITH_TOKEN", Tokens(SECRET).issue(who))
        done = CliRunner().invoke(app, ["projects", *words], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.stdout

    def answered(who: str, *words: str) -> Any:
        found = re.search(r"^\{$.*?^\}$", run(who, *words, "--json"), re.MULTILINE | re.DOTALL)
        assert found is not None, "the API logs to the same output here"
        return json.loads(found[0])

    project = answered("cora", "add", "Onboarding")["id"]
    made = answered("cora", "invite", project, "viewer", "--days", "2")
    assert "/invited/" in run("cora", "invite", project, "viewer", "--email", "who@example.org")
    assert "viewer of Onboarding" in run("dave", "accept", made["url"])
    assert "dave" in run("cora", "members", project) and project in run("dave", "list")
    assert made["id"] in run("cora", "invitations", project)
    run("cora", "uninvite", project, made["id"])
    assert "editor" in run("cora", "role", project, "dave", "editor")
    assert "Handbook" in run("cora", "rename", project, "Handbook")
    assert "the installation's own" in run("cora", "places", project, "--confluence", "")
    job = created_job(api.store, "cora")
    assert "1 in project" in run("cora", "move", project, job.id)
    with pytest.raises(GuidesmithError, match="editor of this project"):
        run("dave", "rename", project, "Mine")
    run("cora", "remove", project, "dave")
    with pytest.raises(GuidesmithError, match="guidesmith projects list"):
        run("dave", "leave", project)
    again = answered("cora", "invite", project, "editor")
    run("dave", "accept", again["url"])
    api.store.move(job.id, None, "CANCELLED", trigger=Trigger.API, actor=Actor.EDITOR)
    assert "dave's" in run("cora", "transfer", project, "dave")
    run("cora", "leave", project)
    assert project not in run("cora", "list")


def test_given_the_client_for_programs_when_a_project_is_shared_then_jobs_are_made_in_it(api: RunningApi) -> None:
    with Client(api.url, Tokens(SECRET).issue("erna")) as erna, Client(api.url, Tokens(SECRET).issue("fred")) as fred:
        home = Project.model_validate(erna.request("POST", "projects", {"name": "Recordings"}))
        shared = fred.accept_invitation(erna.invite(home, "editor").url)
        assert (shared.id, shared.role, shared.owner) == (home.id, "editor", "erna")
        assert fred.create_job(project=shared).project_id == home.id
        assert fred.create_job().project_id != home.id, "of that name fred has one of his own"
        assert [each.role for each in fred.projects()] == ["owner", "editor"]
        assert [(each.user_id, each.role) for each in fred.members(shared)] == [("erna", "owner"), ("fred", "editor")]


def test_given_a_member_who_is_invited_again_then_they_have_the_higher_role(api: RunningApi, told: Illustrated) -> None:
    for role, has in ((ProjectRole.EDITOR, "editor"), (ProjectRole.VIEWER, "editor")):
        with api.client("viewer") as viewer:
            accepted = viewer.post("invitations/accept", json=token_of(invited(api, told.job.project_id, role)))
        assert accepted.json()["role"] == has


def test_given_a_role_that_is_changed_then_it_counts_at_once_and_who_leaves_is_out(
    api: RunningApi, told: Illustrated
) -> None:
    project, instruction = told.job.project_id, instruction_of(told.job)
    edit = {"base_version": 1, "markdown": "Something else."}
    with api.client("ann") as ann, api.client("viewer") as viewer:
        assert viewer.put(f"instructions/{instruction}", json=edit).status_code == 403
        changed = ann.patch(f"projects/{project}/members", json={"user_id": "viewer", "role": "editor"})
        assert changed.json()["role"] == "editor"
        assert viewer.put(f"instructions/{instruction}", json=edit).status_code == 200
        for user, role in (("ann", "viewer"), ("viewer", "owner")):
            refused = ann.patch(f"projects/{project}/members", json={"user_id": user, "role": role})
            assert outcome(refused) == (400, "VALIDATION_ERROR")
        nobody = ann.patch(f"projects/{project}/members", json={"user_id": "nobody", "role": "viewer"})
        assert outcome(nobody) == (404, "RESOURCE_NOT_FOUND")
        assert outcome(ann.post(f"projects/{project}/leave")) == (409, "OWNER_CANNOT_LEAVE")
        out = ann.delete(f"projects/{project}/members", params={"user_id": "ann"})
        assert outcome(out) == (409, "OWNER_CANNOT_LEAVE")
        assert viewer.post(f"projects/{project}/leave").status_code == 204
        assert viewer.get(f"projects/{project}").status_code == 404
        assert viewer.post(f"projects/{project}/leave").status_code == 404


def test_given_a_project_when_it_is_handed_over_then_all_that_is_in_it_is_the_new_owners(
    api: RunningApi, told: Illustrated
) -> None:
    project, instruction = told.job.project_id, instruction_of(told.job)
    ids = things(api, told)
    french = in_french(api, instruction)
    with (
        api.client("ann") as ann,
        api.client("editor") as editor,
        listening(api, "ann", told.job.id) as of_ann,
        listening(api, "editor", told.job.id) as of_editor,
    ):
        everywhere = ann.post("glossary", json={"heard": f"elsewhere {project}", "right": "Elsewhere"}).json()
        words = {"heard": f"cube netties {project}", "right": "Kubernetes"}
        term = ann.post("glossary", json={**words, "project_id": project}).json()
        edit = {"base_version": 1, "markdown": "By ann, while it was hers."}
        assert ann.put(f"instructions/{instruction}", json=edit).status_code == 200
        for client in (ann, editor):
            unsaved = {"base_version": 2, "markdown": "Mine alone."}
            assert client.put(f"instructions/{instruction}/sittings/{new_uuid7()}", json=unsaved).status_code == 200
        assert ann.put(f"projects/{project}/brand", json={"footer": "Handbook"}).status_code == 200
        for user in ("mallory", "ann"):
            refused = ann.post(f"projects/{project}/transfer", json={"user_id": user})
            assert outcome(refused) == (400, "VALIDATION_ERROR")
        waiting = ann.post(f"projects/{project}/jobs").json()["id"]
        busy = ann.post(f"projects/{project}/transfer", json={"user_id": "editor"})
        assert outcome(busy) == (409, ProjectInUse.code)
        ann.post(f"jobs/{waiting}/cancel")
        given = ann.post(f"projects/{project}/transfer", json={"user_id": "editor"})
        assert (given.status_code, given.json()["owner"], given.json()["role"]) == (200, "editor", "editor")
        assert editor.get(f"projects/{project}").json()["role"] == "owner"
        assert ann.get(f"jobs/{told.job.id}").json()["role"] == "editor"
        assert editor.get(f"instructions/{instruction}").status_code == 200
        (link,) = editor.get(f"instructions/{instruction}/shares").json()["items"]
        assert link["created_by"] == "ann", "whoever has it now"
        hers, theirs = (
            [each["id"] for each in client.get("glossary", params={"limit": 100}).json()["items"]]
            for client in (ann, editor)
        )
        assert term["id"] in theirs and term["id"] not in hers, "the words of a project go with it"
        assert everywhere["id"] in hers and everywhere["id"] not in theirs
        assert [each.right for each in api.store.glossary("editor", project)] == ["Kubernetes"]
        assert editor.get(f"jobs/{told.job.id}").json()["created_by"] == "ann"
        rows = editor.get(f"jobs/{told.job.id}/history").json()["items"]
        assert (rows[0]["event_type"], rows[0]["actor"]) == ("JOB_HANDED_OVER", "ann")
        done_by = {(each["actor_type"], each["actor"]) for each in rows}
        assert ("editor", "ann") in done_by and all(each == "editor" or who is None for each, who in done_by)
        assert ("editor", None) not in done_by, "nobody takes it for the new owner's"
        paths = [
            f"instructions/{french}",
            f"exports/{ids['export_id']}",
            f"translation-tasks/{ids['translation_task_id']}",
        ]
        assert [client.get(path).status_code for client in (ann, editor) for path in paths] == [200] * 6
        for client in (ann, editor):
            assert len(client.get(f"instructions/{instruction}/sittings").json()["items"]) == 1, "each has their own"
        assert editor.get(f"projects/{project}/brand").json()["footer"] == "Handbook"
        assert editor.post(f"jobs/{told.job.id}/corrections/{ids['set_id']}/undo").status_code == 200
        for lines in (of_ann, of_editor):
            said = [json.loads(line.removeprefix("data: "))["event_type"] for line in _data(lines, 2)]
            assert said == ["INSTRUCTION_SAVED", "JOB_HANDED_OVER"]
        members = editor.get(f"projects/{project}/members").json()["items"]
        assert {each["user_id"]: each["role"] for each in members} == {
            "editor": "owner",
            "ann": "editor",
            "viewer": "viewer",
            "commenter": "commenter",
        }
        assert ann.delete(f"jobs/{told.job.id}").status_code == 403
        with api.store._database.read() as connection:
            for table in metadata.sorted_tables:
                own = own_rows(table, told.job.id)
                if "owner" in table.c and own is not None:
                    owners = set(connection.scalars(select(table.c.owner).where(own)))
                    assert owners <= ({"editor", "ann"} if table.name == "sittings" else {"editor"}), table.name
                elif {"owner", "project_id"} <= set(table.c.keys()):
                    of_project = table.c.project_id == project
                    owners = set(connection.scalars(select(table.c.owner).where(of_project)))
                    assert owners <= {"editor"}, table.name
        assert editor.delete(f"projects/{project}/members", params={"user_id": "ann"}).status_code == 204
        new = {"base_version": 2, "markdown": "Something else."}
        assert editor.put(f"instructions/{instruction}", json=new).status_code == 200
        heard = [json.loads(line.removeprefix("data: "))["event_type"] for line in _data(of_ann, 9)]
        assert "INSTRUCTION_SAVED" not in heard, "whose it was is told of it as a member, for as long as they are one"


def in_french(api: RunningApi, instruction: str) -> str:
    """The id of a translation of ann's guide."""
    task, _ = api.store.request_translation(
        "ann", instruction, "fr", is_update=False, client_request_id="f", requested_by="ann"
    )
    work = api.store.begin_translation(task.id)
    assert work is not None
    made = {each: NewText(markdown="En français.", source_sha256=fingerprint(each)) for each in work.wanted}
    done = api.store.finish_translation(work, made, {})
    assert done.instruction_id is not None
    return done.instruction_id


def test_given_somebody_who_may_not_have_so_much_when_a_project_is_handed_to_them_then_nothing_changes(
    api: RunningApi, told: Illustrated
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(api.store, "_limits", OwnerLimits(stored_bytes=1))
        with pytest.raises(QuotaExceeded):
            api.store.transfer_project("ann", told.job.project_id, "editor")
    pair = {"heard": told.job.id, "right": "Theirs"}
    api.store.keep_term("ann", Pair(**pair), told.job.project_id)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(glossary, "MOST_TERMS", 0)
        with pytest.raises(QuotaExceeded, match="glossary"):
            api.store.transfer_project("ann", told.job.project_id, "editor")
    assert api.store.get_job(told.job.id).owner == "ann"


def test_given_the_project_that_one_keeps_everything_in_when_it_is_handed_over_then_the_next_job_is_in_a_new_one(
    api: RunningApi,
) -> None:
    api.store.grant("olga", 100, reason="a gift", actor="root", idempotency_key="olga")
    words = {"prompt": "A lighthouse"}
    asked = JobRequest(owner="olga", kind="image", input=words, cost=5, idempotency_key="one")
    first, _ = api.store.request_job(asked)
    api.store.invite("olga", first.project_id, ProjectRole.EDITOR, fingerprint("t" * 43))
    with api.client("olga") as olga, api.client("otto") as otto:
        assert otto.post("invitations/accept", json={"token": "t" * 43}).status_code == 200
        busy = olga.post(f"projects/{first.project_id}/transfer", json={"user_id": "otto"})
        assert outcome(busy) == (409, ProjectInUse.code)
        api.store.move(first.id, None, "rejected", trigger=Trigger.WORKER, actor=Actor.SYSTEM)
        given = olga.post(f"projects/{first.project_id}/transfer", json={"user_id": "otto"})
        assert given.status_code == 200, given.text
        assert otto.get(f"jobs/{first.id}").json()["role"] == "owner"
    second, made = api.store.request_job(asked)
    assert made and second.project_id != first.project_id


def test_given_a_member_who_is_erased_then_they_are_in_no_project_and_a_former_member_wrote_what_they_did(
    api: RunningApi, told: Illustrated
) -> None:
    leaver, project, instruction = "liv-who-leaves", told.job.project_id, instruction_of(told.job)
    joined(api, project, leaver, ProjectRole.EDITOR)
    api.store.create_endpoint("ann", "https://example.org/ann")
    once = {"Idempotency-Key": told.job.id}
    with api.client(leaver) as liv, api.client("ann") as ann:
        comments = f"instructions/{instruction}/comments"
        spoken = liv.post(comments, json={"block_id": STEP_BLOCK, "text": "What about it, @ann?"}).json()["id"]
        called = ann.post(comments, json={"block_id": STEP_BLOCK, "text": f"@{leaver} settles it."}, headers=once)
        assert called.json()["comments"][0]["mentions"] == [leaver]
        assert ann.post(f"comment-threads/{spoken}/comments", json={"text": "This."}, headers=once).status_code == 201
        assert liv.put(f"comment-threads/{spoken}", json={"resolved": True}).json()["resolved_by"] == leaver
        links = f"instructions/{instruction}/shares"
        shared = [liv.post(links, json={}).json() for _ in range(2)]
        assert shared[0]["created_by"] == leaver and shared[0]["revoked_by"] is None
        saved = liv.put(f"instructions/{instruction}", json={"base_version": 1, "markdown": "By who leaves."})
        assert saved.status_code == 200
        assert liv.post(f"shares/{shared[0]['id']}/update").json()["updated_by"] == leaver
        assert liv.delete(f"shares/{shared[0]['id']}").status_code == 204
        for each in shared:
            assert ann.delete(f"shares/{each['id']}").status_code == 204
        listed = {each["id"]: each for each in ann.get(links).json()["items"]}
        assert [listed[each["id"]]["revoked_by"] for each in shared] == [leaver, "ann"], "the first who did"
        made = liv.post(f"projects/{project}/jobs").json()["id"]
        thrown, _ = drafted_job(api.store, "ann")
        api.store.move_job("ann", thrown.id, project)
        for client in (liv, ann):
            unsaved = {"base_version": 1, "markdown": "Not saved yet."}
            answer = client.put(f"instructions/{instruction_of(thrown)}/sittings/{new_uuid7()}", json=unsaved)
            assert answer.status_code == 200
        api.store.throw_away("ann", thrown.id)
    for new, kind in ((api.store.create_regenerate, "r"), (api.store.request_translation, "de")):
        more = {"is_update": False} if kind == "de" else {"base_version": 2, "selection": {}, "request": {}}
        which = (instruction, kind) if kind == "de" else (instruction,)
        new("ann", *which, client_request_id=leaver[:3], requested_by=leaver, **more)
    act_as_member(leaver, "editor")
    assert api.store.correct("ann", told.job.id, 0, "as it was heard", "as it was said")
    called_by(None)
    given = handed_over(api, leaver)
    with api.client("ann") as ann:
        assert ann.get(f"projects/{given}/brand").json()["saved_by"] == leaver
    purge = api.store.begin_user_purge(leaver)
    assert api.store.erase_jobs_of_user(purge.id, 10) == ()
    assert api.store.erase_user_rows(purge.id)
    api.store.finish_purge(purge.id)
    with api.client("ann") as ann:
        members = ann.get(f"projects/{project}/members").json()["items"]
        assert [each["user_id"] for each in members] == ["ann", "viewer", "commenter", "editor"]
        version = ann.get(f"instructions/{instruction}/versions").json()["items"][0]
        left = {each["id"]: each for each in ann.get(f"instructions/{instruction}/shares").json()["items"]}
        settled = ann.get(f"instructions/{instruction}/comments", params={"resolved": True}).json()["items"]
        by_liv, by_ann = (left[each["id"]] for each in shared)
        for former in (
            version["author"],
            ann.get(f"jobs/{made}").json()["created_by"],
            *(by_liv[name] for name in ("created_by", "updated_by", "revoked_by")),
            by_ann["created_by"],
            next(each["resolved_by"] for each in settled if each["id"] == spoken),
            ann.get(f"projects/{given}/brand").json()["saved_by"],
        ):
            assert former == f"{NOBODY} {purge.id}"
        assert by_ann["revoked_by"] == "ann"
    assert named_in(api, leaver) == {"comments.text"}, "what ann wrote is ann's"
    api.store.take_out_of_bin("ann", thrown.id)
    assert len(api.store.list_sittings("ann", instruction_of(thrown))) == 1
    assert named_in(api, leaver) == {"comments.text"}, "nor did it come out of the bin"


def handed_over(api: RunningApi, owner: str) -> str:
    """A project that ``owner`` has handed to ann, with what is kept of it beside its jobs; its id."""
    job = created_job(api.store, owner)
    with api.client(owner) as client, api.client("ann") as ann:
        path = f"projects/{job.project_id}"
        assert client.put(f"{path}/brand", json={"accent": "#7a1fa2"}).status_code == 200
        assert client.post("webhook-endpoints", json={"url": "https://example.org/hook"}).status_code == 201
        invitation = client.post(f"{path}/invitations", json={"role": "editor"}).json()
        assert ann.post("invitations/accept", json=token_of(invitation)).status_code == 200
        assert client.post(f"jobs/{job.id}/cancel").status_code == 200
        assert client.post(f"{path}/transfer", json={"user_id": "ann"}).status_code == 200
        assert ann.get(f"jobs/{job.id}").json()["created_by"] == owner
    return job.project_id


def named_in(api: RunningApi, name: str) -> set[str]:
    """Columns, of all tables, in which it stands, also within JSON or a longer text."""
    with api.store._database.read() as connection:
        return {
            str(column)
            for table in metadata.sorted_tables
            for row in connection.execute(select(table))
            for column, value in zip(table.c, row, strict=True)
            if name in str(value)
        }
