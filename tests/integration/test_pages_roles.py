"""What pages offer to whom: to each role what the API accepts from it, and nothing that it refuses."""

import re
import socket
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from html.parser import HTMLParser
from typing import NamedTuple

import httpx
import pytest
from fastapi.routing import APIRoute
from sqlalchemy import insert, select, update
from sqlalchemy.exc import IntegrityError

from activities.store import JobRequest
from activities.store.jobs.memberships import Thing
from activities.store.repository import new_uuid7
from activities.store.tables import artifacts as artifact_rows
from activities.store.tables import jobs, library_assets
from domain.documents.publication import ExportFormat
from domain.library import AssetMedium
from domain.lifecycles.batch import BATCH, BatchType
from domain.lifecycles.kinds import LIFECYCLES
from domain.orders.batch import BatchOrder
from domain.people import NAME_LIMIT, person_of
from domain.projects import ProjectRole
from starter.access.reach import API, PAGES
from starter.access.tokens import Principal, Role
from starter.api.perimeter.gate import CLIENT_GONE
from starter.api.perimeter.sessions import Tickets
from starter.api.signed_urls import SignedUrls
from starter.pages.app import VIEWS
from starter.pages.shell.context import offered
from tests.apis import SECRET, RunningApi
from tests.integration.analysis_builders import arrived_analysis, confirmed_analysis, drafted_analysis
from tests.integration.api_builders import told_job, translated_by_hand
from tests.integration.pictures import illustrated_job
from tests.integration.store_builders import created_job, instruction_of
from tests.stack import wait_until
from tests.walking import ABSENT

OWNER = ProjectRole.OWNER
SUBJECTS = {OWNER: "ann"} | {each: str(each) for each in ProjectRole if each is not OWNER}

HARMLESS = frozenset(
    {
        *("data-shortcuts", "data-language", "data-language-set", "action=/sign-out", "action=/language", "signs out"),
        *("data-open-comments", "data-close-comments", "data-comments", "data-resolved", "data-find", "data-step"),
        *(
            "data-follow",
            "data-seek",
            "data-enlarge",
            "data-at",
            "data-copy",
            "data-look",
            "compares",
            "data-copy-text",
        ),
        *("hx-get", "closes", "data-time"),
        "data-brand",  # of those who look at it alone: it is shown to them by it
    }
)
"""Buttons and forms that change nothing, or the visitor's own session. Whatever else is pressed says by ``calls`` which
route of the API it is for."""

FILES = frozenset(
    {
        *("/exports/{export_id}/file", "/exports/{export_id}/preview", "/exports/{export_id}/pages/{number}"),
        *("/jobs/{job_id}/recording", "/jobs/{job_id}/log"),
        *("/pictures/{asset_id}/thumbnail", "/assets/{asset_id}/{part}"),
        *("/analysis-outputs/{artifact_id}", "/analysis-outputs/{artifact_id}/chart.svg"),
    }
)
"""What is looked at or fetched: nothing is pressed there."""

ROUTES = [route for view in VIEWS for route in view.router.routes if isinstance(route, APIRoute)]
POSTED = set(PAGES) - {route.path for route in ROUTES if "GET" in (route.methods or ())}
"""Pages that answer with what was posted to them."""

ITEMS = "/jobs/{job_id}/items"
QUERIES = {ITEMS: "?first=1", "/jobs/{job_id}/log": "?cursor=x"}
"""What pages have to be asked for by."""

VOID = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"})


class Controls(HTMLParser):
    """The routes that a page's controls call, and those that do not say."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.calls: set[str] = set()
        self.silent: set[str] = set()
        self._open: list[tuple[str, bool]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        covered = bool(self._open and self._open[-1][1])
        if "data-calls" in given:
            self.calls |= set(given["data-calls"].split(", "))
            covered = True
        is_post = tag == "form" and given.get("method") == "post"
        if (tag == "button" or is_post) and not covered and "hidden" not in given:
            self.silent.add(_named(tag, given))
            covered = is_post  # what is in it is sent with it
        covered = covered or tag == "dialog" or (tag == "form" and "hidden" in given)
        if tag not in VOID:
            self._open.append((tag, covered))

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass


def _named(tag: str, given: Mapping[str, str]) -> str:
    if "action" in given:
        return f"action={given['action']}"
    found = next((name for name in given if name.startswith(("data-", "hx-"))), "")
    return found or {"button": "compares" if given.get("class") == "button small" else "closes"}.get(tag, "form")


class Shown(NamedTuple):
    """A page of somebody's."""

    path: str
    controls: Controls


@contextmanager
def visitor(api: RunningApi, subject: str, role: Role = Role.EDITOR) -> Iterator[httpx.Client]:
    """A browser of somebody who has signed in."""
    ticket = Tickets(SignedUrls(SECRET)).issue(Principal(subject, role))
    with httpx.Client(base_url=api.url, timeout=60) as client:
        assert client.get("/sign-in", params={"ticket": ticket}).status_code == 303
        yield client


@pytest.fixture(scope="module")
def visitors(api: RunningApi) -> Iterator[dict[ProjectRole, httpx.Client]]:
    with ExitStack() as stack:
        yield {role: stack.enter_context(visitor(api, subject)) for role, subject in SUBJECTS.items()}


@pytest.fixture(scope="module")
def project(api: RunningApi) -> str:
    """A project of ann's with a member of each role."""
    made = api.store.create_project("ann", "Handbooks").id
    with api.client("ann") as ann:
        for role, subject in SUBJECTS.items():
            if role is OWNER:
                continue
            link = ann.post(f"projects/{made}/invitations", json={"role": role}).json()["url"]
            with api.client(subject) as member:
                token = {"token": link.rpartition("/")[2]}
                assert member.post("invitations/accept", json=token).status_code == 200
        assert ann.post(f"projects/{made}/invitations", json={"role": "viewer"}).status_code == 201
    return made


@pytest.fixture(scope="module")
def addresses(api: RunningApi, project: str) -> list[str]:
    """Every page of something in the project: a guide's, and those of a job of each kind."""
    store, artifacts = api.store, api.artifacts
    store.grant("ann", 100, reason="test", actor="test", idempotency_key="roles")
    told = told_job(store, artifacts, "ann")
    with api.client("ann") as ann:
        asked = [
            ann.post("images", json={"prompt": "a palace"}),
            ann.post("generate/copy", json={"prompt": "a palace"}),
        ]
        assert all(each.status_code == 202 for each in asked), [each.text for each in asked]
        instruction = instruction_of(told)
        text = ann.get(f"instructions/{instruction}").json()["markdown"]
        saved = ann.put(f"instructions/{instruction}", json={"base_version": 1, "markdown": f"{text}\n\nBye.\n"})
        assert saved.status_code == 200, saved.text
    made = [told.id, created_job(store, "ann").id, *(each.json()["id"] for each in asked)]
    for number, build in enumerate((arrived_analysis, drafted_analysis, confirmed_analysis)):
        made.append(build(store, artifacts, "ann", f"sales {number}").job.id)
    order = BatchOrder(job_type=BatchType.CAPTIONS, sources=(told.id,))
    batch = store.request_job(
        JobRequest(owner="ann", kind=BATCH.kind, input=order.model_dump(mode="json"), job_type="captions")
    )[0]
    made.append(batch.id)
    for job_id in made:
        store.move_job("ann", job_id, project)
    ids = {"project_id": project, "instruction_id": instruction, "job_id": told.id}
    walked = [each for each in sorted(PAGES) if each not in FILES and PAGES[each] is not None and each not in POSTED]
    strange = {each for each in walked if parameters(each) - set(ids)}
    assert not strange, "make one of what these show, or say in FILES that nothing is pressed there"
    translation = translated_by_hand(store, "ann", instruction)
    german = [f"/instructions/{translation}{each}" for each in ("", "/translations", "/export", "/share")]
    at = {ITEMS: ids | {"job_id": batch.id}}
    return (
        [each.format(**at.get(each, ids)) + QUERIES.get(each, "") for each in walked]
        + german
        + [f"/jobs/{each}" for each in made if each != told.id]
    )


def parameters(path: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", path))


def shown(client: httpx.Client, path: str) -> Controls | None:
    answer = client.get(path)
    if answer.status_code == 403:
        return None
    assert answer.status_code == 200, (path, answer.text[:500])
    return Controls(answer.text)


def held(role: ProjectRole, path: str, mine: Controls, owners: Controls) -> None:
    """``mine``, what somebody of that role is offered, is what the API accepts of what the owner is."""
    assert mine.silent <= HARMLESS, f"{path}: what do these call?"
    refused = {each for each in mine.calls if not offered(role, each)}
    assert not refused, f"{path} offers to a {role} what the API refuses"
    missing = {each for each in owners.calls if offered(role, each)} - mine.calls
    assert not missing, f"{path} hides from a {role} what the API accepts"


def test_given_every_page_of_a_project_then_each_role_is_offered_what_the_api_accepts_and_nothing_else(
    visitors: dict[ProjectRole, httpx.Client], addresses: list[str]
) -> None:
    offers = 0
    for path in addresses:
        owners = shown(visitors[OWNER], path)
        assert owners is not None
        for role, client in visitors.items():
            mine = shown(client, path)
            if mine is None:
                assert path.endswith("/share") and role in (ProjectRole.VIEWER, ProjectRole.COMMENTER), (path, role)
                continue
            held(role, path, mine, owners)
            offers += len(mine.calls)
            if role is ProjectRole.VIEWER:
                assert mine.calls <= {"POST /projects/{project_id}/leave"}, path
    assert offers > 40


@pytest.fixture(scope="module")
def anns(api: RunningApi) -> dict[str, str]:
    """One of each thing that a page shows, all of them ann's, by the name that addresses have for its id."""
    shot = illustrated_job(api.store, api.artifacts)
    export, _ = api.store.request_export("ann", shot.job.id, ExportFormat.PDF, shot.instruction_version_id)
    kept = {
        "id": new_uuid7(),
        "job_id": shot.job.id,
        "ordinal": 1,
        "owner": "ann",
        "medium": str(AssetMedium.PICTURE),
        "facts": {},
        "created_at": shot.job.created_at,
        "key": f"library/{shot.job.id}/a.png",
        "size_bytes": 1,
        "checksum_sha256": "0" * 64,
        "media_type": "image/png",
    }
    with api.store.engine.begin() as connection:
        connection.execute(insert(library_assets), kept)
        artifact = connection.scalars(select(artifact_rows.c.id).limit(1)).one()
    return {
        "project_id": shot.job.project_id,
        "job_id": shot.job.id,
        "instruction_id": instruction_of(shot.job),
        "export_id": export.id,
        "artifact_id": artifact,
        "picture": shot.asset_id,
        "library_asset": str(kept["id"]),
        "number": "1",
        "part": "whole",
    }


def test_given_what_is_somebody_elses_or_absent_then_every_page_answers_with_the_same_bytes(
    api: RunningApi, anns: dict[str, str]
) -> None:
    assets = {Thing.PICTURE: anns["picture"], Thing.LIBRARY_ASSET: anns["library_asset"]}

    def answered(path: str, ids: Mapping[str, str]) -> tuple[int, bytes, dict[str, str]]:
        address = path.format(**ids) + QUERIES.get(path, "")
        method = "POST" if path in POSTED else "GET"
        answer = eve.request(method, address, headers={"Accept-Encoding": "identity", "Origin": api.url})
        seen = answer.content
        for each in ids.values():
            seen = seen.replace(each.encode(), b"-") if len(each) == len(ABSENT) else seen
        seen = seen.replace(answer.headers["x-request-id"].encode(), b"-")
        nonce = re.search(rb'name="csp-nonce" content="([^"]+)"', seen)
        headers = {name: each for name, each in answer.headers.items() if name not in ("date", "x-request-id")}
        if nonce is not None:
            seen = seen.replace(nonce[1], b"-")
            policy = headers["content-security-policy"]
            headers["content-security-policy"] = policy.replace(nonce[1].decode(), "-")
        return answer.status_code, seen, headers

    walked = 0
    with visitor(api, "eve") as eve:
        for path, reach in PAGES.items():
            if reach is None:
                continue
            own = {**anns, "asset_id": assets.get(reach.thing, "")}
            strange = parameters(path) - set(own)
            assert not strange, f"{path}: make one of these in the fixture"
            foreign = answered(path, {each: own[each] for each in parameters(path)})
            gone = {each: own[each] if each in ("number", "part") else ABSENT for each in parameters(path)}
            absent = answered(path, gone)
            assert foreign[0] == 404, path
            assert foreign == absent, path
            walked += 1
    assert walked > 20


@pytest.mark.parametrize("kind", sorted(LIFECYCLES))
def test_given_a_job_in_every_status_of_its_kind_then_its_page_offers_to_each_role_what_the_api_accepts(
    api: RunningApi, visitors: dict[ProjectRole, httpx.Client], addresses: list[str], kind: str
) -> None:
    mine = [each for each in addresses if each.startswith("/jobs/") and each.count("/") == 2]
    of_kind = [each for each in mine if api.store.get_job(each.rpartition("/")[2]).kind == kind]
    walked, called = 0, set[str]()
    for path in of_kind:
        job = api.store.get_job(path.rpartition("/")[2])
        if kind == "analysis" and api.store.get_analysis(job.id).plan is None:
            continue  # which no other status has
        for status in LIFECYCLES[kind].statuses:
            try:
                with api.store.engine.begin() as connection:
                    connection.execute(update(jobs).where(jobs.c.id == job.id).values(status=str(status)))
            except IntegrityError:
                continue  # such a job has more than its status
            owners = shown(visitors[OWNER], path)
            assert owners is not None
            for role in (ProjectRole.VIEWER, ProjectRole.COMMENTER, ProjectRole.EDITOR):
                theirs = shown(visitors[role], path)
                assert theirs is not None
                held(role, f"{path} in {status}", theirs, owners)
            walked += 1
            called |= owners.calls
        with api.store.engine.begin() as connection:
            connection.execute(update(jobs).where(jobs.c.id == job.id).values(status=job.status))
    if kind != "batch":  # a batch has what every job has, and downloads
        assert walked > 1 and called and called <= set(API)


def test_given_who_is_signed_in_then_pages_call_them_by_name_and_it_turns_nothing_around(api: RunningApi) -> None:
    hostile = "\u202eEve\u2066 <b>Öz\x07</b>"
    claims = {"name": hostile, "email": "eve@example.org"}
    api.store.saw_person(person_of("auth0|eve", claims))
    api.store.saw_person(person_of("auth0|mail", {"name": "x" * (NAME_LIMIT + 1), "email": "Mail@Example.org"}))
    for subject, name in (
        ("auth0|eve", "Eve &lt;b&gt;Öz&lt;/b&gt;"),
        ("auth0|mail", "mail@example.org"),
        ("auth0|none", "auth0|none"),
    ):
        with visitor(api, subject) as client:
            page = client.get("/projects", headers={"Accept-Language": "en"}).text
        assert f'title="Signed in as {name}"' in page
        assert f">{name}</bdi>" in page
        assert page.count(subject) == page.count(f'data-owner="{subject}"') or name == subject


def test_given_a_guide_of_somebody_with_a_name_then_its_pages_say_it_and_not_their_subject(
    api: RunningApi, visitors: dict[ProjectRole, httpx.Client], addresses: list[str]
) -> None:
    api.store.saw_person(person_of("ann", {"name": "Anna Amsel"}))
    viewer = visitors[ProjectRole.VIEWER]
    for path, words in (("", "Anna Amsel's"), ("/export", "Anna Amsel's"), ("/versions", "edited by Anna Amsel")):
        guide = next(each for each in addresses if each.startswith("/instructions/") and each.count("/") == 2)
        text = viewer.get(f"{guide}{path}", headers={"Accept-Language": "en"}).text.replace("&#39;", "'")
        assert words in text, (path, text[text.find("notice") - 200 :][:600])


def test_given_who_leaves_while_they_send_then_it_is_no_fault_of_ours(
    api: RunningApi, project: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """As a page does that sends something newer before the answer is there."""
    with visitor(api, "ann") as ann:
        form = {"Content-Type": "application/x-www-form-urlencoded", "Origin": api.url, "Content-Length": "4000"}
        asked = ann.build_request("POST", f"/projects/{project}/brand/preview", headers=form)
    head = "".join(f"{name}: {value}\r\n" for name, value in asked.headers.items())
    with socket.create_connection(("127.0.0.1", api.settings.api_port), 60) as connection:
        connection.sendall(f"POST {asked.url.path} HTTP/1.1\r\n{head}\r\naccent=".encode())
    written = ""

    def is_written() -> bool:
        nonlocal written
        written += capfd.readouterr().out
        return re.search(r"/brand/preview.*\n", written) is not None  # the whole of it

    wait_until(is_written, 30, "the line of the request")
    assert f"status={CLIENT_GONE}" in written and "INTERNAL" not in written
