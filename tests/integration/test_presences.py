"""Presence: who has a guide open is told to who is in its project, whichever process they ask, and forgotten after."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from hashlib import sha256

import httpx
import pytest
from sqlalchemy import func, select

from activities.store import Store
from activities.store.repository import utc_now
from activities.store.tables import presences
from domain.documents.presence import GONE_AFTER_S, MOST_DESKS, Place
from domain.people import Person
from domain.projects import ProjectRole
from tests.apis import RunningApi, running_api
from tests.integration.store_builders import STEP_BLOCK, drafted_job, instruction_of
from tests.integration.test_api_perimeter import counted
from tests.temporal import free_port

pytest_plugins = ("tests.databases",)

DESKS = [f"00000000-0000-4000-8000-0000000000{number:02x}" for number in range(16)]
WRITING = {"block_id": STEP_BLOCK, "writes": True}


@pytest.fixture
def guide(api: RunningApi, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """A job of ann's and its instruction, in a project with a viewer and an editor who are called something, and whom
    nobody forgets while a slow machine answers."""
    monkeypatch.setattr("activities.store.documents.presences.GONE_AFTER_S", 600)
    job, _ = drafted_job(api.store, "ann")
    for role in (ProjectRole.VIEWER, ProjectRole.EDITOR):
        api.store.accept_invitation(str(role), _invited(api.store, job.project_id, role))
        api.store.saw_person(Person(subject=str(role), name=f"Vera the {role}"))
    return job.id, instruction_of(job)


def _invited(store: Store, project_id: str, role: ProjectRole) -> str:
    hashed = sha256(f"{project_id} {role}".encode()).hexdigest()
    store.invite("ann", project_id, role, hashed)
    return hashed


def at(instruction: str, desk: int) -> str:
    return f"instructions/{instruction}/presences/{DESKS[desk]}"


def told(answer: httpx.Response) -> list[tuple[str, bool, list[tuple[str | None, bool]]]]:
    assert answer.status_code == 200, answer.text
    return [people(each) for each in answer.json()["people"]]


def people(each: dict[str, object]) -> tuple[str, bool, list[tuple[str | None, bool]]]:
    places = each["places"]
    assert isinstance(places, list)
    return str(each["name"]), bool(each["is_you"]), [(place["block_id"], place["writes"]) for place in places]


@contextmanager
def heard(client: httpx.Client, job: str, desk: int) -> Iterator[Iterator[object]]:
    """What the job's stream tells at a desk of who is there."""
    with client.stream("GET", f"jobs/{job}/events", params={"presence": DESKS[desk]}) as stream:
        assert stream.status_code == 200

        def told() -> Iterator[object]:
            name = ""
            for line in stream.iter_lines():
                if line.startswith("event: "):
                    name = line.removeprefix("event: ")
                if line.startswith("data: ") and name == "presence":
                    yield [people(each) for each in json.loads(line.removeprefix("data: "))["people"]]

        yield told()


def test_given_members_with_a_guide_open_then_each_is_told_by_name_of_the_others_and_a_viewer_writes_nothing(
    api: RunningApi, guide: tuple[str, str]
) -> None:
    _, instruction = guide
    with api.client("ann") as ann, api.client("viewer") as viewer, api.client("editor") as editor:
        assert told(viewer.put(at(instruction, 0), json=WRITING)) == []
        read = ("Vera the viewer", False, [(STEP_BLOCK, False)])
        assert told(editor.put(at(instruction, 1), json=WRITING)) == [read], "seen, and writing nothing"
        wrote = ("Vera the editor", False, [(STEP_BLOCK, True)])
        assert told(ann.put(at(instruction, 2), json={})) == [read, wrote]
        mine = ("ann", True, [(None, False)])
        assert told(ann.put(at(instruction, 3), json={})) == [read, wrote, mine], "another tab of one's own"
        assert "editor@" not in ann.put(at(instruction, 3), json={}).text
        assert "subject" not in ann.put(at(instruction, 3), json={}).text
        assert editor.delete(at(instruction, 2)).status_code == 204, "nobody ends another's"
        assert editor.delete(at(instruction, 1)).status_code == 204
        assert told(ann.put(at(instruction, 2), json={})) == [read, mine]
        refused = ann.put(at(instruction, 2), json={"block_id": "<b>", "writes": False})
        assert refused.status_code == 404


def test_given_two_api_processes_when_somebody_comes_moves_and_goes_then_the_others_stream_tells_also_once_it_is_back(
    api: RunningApi, guide: tuple[str, str]
) -> None:
    job, instruction = guide
    other = api.settings.model_copy(update={"api_port": free_port()})
    with running_api(other) as second, second.client("viewer") as viewer, api.client("editor") as editor:
        viewer.put(at(instruction, 0), json={})
        with heard(viewer, job, 0) as stream:
            assert next(stream) == []
            editor.put(at(instruction, 1), json={})
            assert next(stream) == [("Vera the editor", False, [(None, False)])]
            editor.put(at(instruction, 1), json=WRITING)
            assert next(stream) == [("Vera the editor", False, [(STEP_BLOCK, True)])]
        with heard(viewer, job, 0) as stream:  # after a lost connection
            assert next(stream) == [("Vera the editor", False, [(STEP_BLOCK, True)])]
            editor.delete(at(instruction, 1))
            assert next(stream) == []
            api.store.remove_member("ann", api.store.get_job(job).project_id, "viewer")
            editor.put(at(instruction, 1), json={})
            assert list(stream) == [], "the stream ended, and said nothing"
        assert viewer.put(at(instruction, 0), json={}).status_code == 404
        wrong = editor.get(f"jobs/{job}/events", params={"presence": "me"})
        assert (wrong.status_code, wrong.json()["code"]) == (400, "VALIDATION_ERROR")


def test_given_who_says_no_more_when_a_beat_was_missed_then_they_are_gone_and_nothing_of_them_is_kept(
    store: Store, database_url: str
) -> None:
    job, _ = drafted_job(store)
    owner, instruction = job.owner, instruction_of(job)
    store.be_present(owner, instruction, DESKS[0], Place(), subject="bob")
    store.be_present(owner, instruction, DESKS[1], Place(block_id=STEP_BLOCK, writes=True), subject=owner)
    assert [each.subject for each in store.present([job.id])[job.id]] == ["bob", owner]
    later = Store.open(database_url, clock=lambda: utc_now() + timedelta(seconds=GONE_AFTER_S + 1))
    assert later.present([job.id]) == {}
    assert [each.subject for each in later.be_present(owner, instruction, DESKS[1], Place(), subject=owner)] == [owner]
    assert _rows(store) == 1, "bob's is gone with the next beat of whoever comes"
    last = Store.open(database_url, clock=lambda: utc_now() + timedelta(seconds=3 * GONE_AFTER_S))
    assert (last.forget_presences(), _rows(store)) == (1, 0)
    last.dispose()
    later.dispose()


def test_given_many_beats_then_each_takes_as_many_statements_and_a_person_has_as_many_rows_as_desks_are_told(
    store: Store,
) -> None:
    job, _ = drafted_job(store)
    instruction = instruction_of(job)
    for desk in DESKS:
        store.be_present(job.owner, instruction, desk, Place(), subject="bob")
    assert _rows(store) == MOST_DESKS
    assert [each.desk_id for each in store.present([job.id])[job.id]] == DESKS[-MOST_DESKS:]
    with counted(store.engine) as said:
        store.be_present(job.owner, instruction, DESKS[-1], Place(), subject="bob")
    assert _asked(said) == ["SELECT", "INSERT", "DELETE", "SELECT", "SELECT"]
    with counted(store.engine) as said:
        store.present([job.id])
    assert _asked(said) == ["SELECT"] * 2
    with counted(store.engine) as said:
        store.present(["nobody is there"])
    assert _asked(said) == ["SELECT"]


def test_given_a_guide_that_is_erased_and_a_user_who_is_then_no_row_of_who_was_there_stays(store: Store) -> None:
    job, _ = drafted_job(store)
    store.be_present(job.owner, instruction_of(job), DESKS[0], Place(), subject=job.owner)
    store.begin_erasure(job.id, owner=job.owner)
    store.erase_rows(job.id)
    assert _rows(store) == 0
    store.finish_erasure(job.id)
    job, _ = drafted_job(store)
    for desk, who in zip(DESKS, ("bob", job.owner), strict=False):
        store.be_present(job.owner, instruction_of(job), desk, Place(), subject=who)
    _erased(store, "bob")
    assert [each.subject for each in store.present([job.id])[job.id]] == [job.owner]
    _erased(store, job.owner)
    assert _rows(store) == 0


def _erased(store: Store, user: str) -> None:
    purge = store.begin_user_purge(user)
    for job_id in store.erase_jobs_of_user(purge.id, 10):
        store.erase_rows(job_id)
        store.finish_erasure(job_id)
    assert store.erase_user_rows(purge.id)


def _asked(said: list[str]) -> list[str]:
    return [each.split()[0] for each in said if not each.startswith("BEGIN")]


def _rows(store: Store) -> int:
    with store._database.read() as connection:
        return int(connection.execute(select(func.count()).select_from(presences)).scalar_one())
