"""Links that show a guide to whoever holds them: what opens, what is refused, what is kept."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import select, update

from activities.store.tables import metadata, shares
from domain.documents.publication import ExportFormat
from domain.documents.sharing import LINKS_LIMIT, fingerprint
from domain.documents.tasks import Export
from tests.apis import RunningApi, api_settings, running_api, wait_ready
from tests.integration.pictures import Illustrated, illustrated_job
from tests.integration.store_builders import MARKDOWN
from tests.temporal import TemporalServer

PAGE = b"<!doctype html><html><body><header><h1>Guide</h1></header><main>Press Save.</main></body></html>"
TRIES = 4


@pytest.fixture(scope="module")
def api(temporal: TemporalServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningApi]:
    """An API without a worker: exports are ready when a test says so."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEMPORAL_ADDRESS", temporal.address)
        with running_api(api_settings(tmp_path_factory.mktemp("shares"))) as running:
            wait_ready(running)
            yield running


@pytest.fixture
def told(api: RunningApi) -> Illustrated:
    return illustrated_job(api.store, api.artifacts)


def address(client: httpx.Client, job_id: str) -> str:
    return f"instructions/{client.get(f'jobs/{job_id}').json()['instruction_id']}/shares"


def shared(client: httpx.Client, told: Illustrated, **wanted: Any) -> dict[str, Any]:
    answer = client.post(address(client, told.job.id), json=wanted)
    assert answer.status_code == 201, answer.text
    body: dict[str, Any] = answer.json()
    return body


def make_ready(api: RunningApi, told: Illustrated, page: bytes = PAGE, version_id: str | None = None) -> Export:
    """What a worker would have made."""
    wanted = version_id or told.instruction_version_id
    export, _ = api.store.request_export("ann", told.job.id, ExportFormat.HTML, wanted)
    blob = api.artifacts.put_bytes(f"exports/{export.id}.html", page, "text/html; charset=utf-8")
    return api.store.finish_export(export.id, blob, "guide.html", {})


def test_given_a_link_when_it_is_opened_by_nobody_in_particular_then_the_guide_shows_and_is_counted(
    api: RunningApi, ann: httpx.Client, told: Illustrated
) -> None:
    share = shared(ann, told, name="For the help desk")
    early = httpx.get(share["url"])
    assert (early.status_code, early.headers["refresh"]) == (202, "2")
    assert (share["version"], share["next_version"]) == (None, 1)
    make_ready(api, told)
    shown = httpx.get(share["url"])
    assert (shown.status_code, shown.content) == (200, PAGE)
    assert "sandbox" in shown.headers["content-security-policy"]
    assert "frame-ancestors 'none'" in shown.headers["content-security-policy"]
    assert shown.headers["x-robots-tag"] == "noindex, nofollow"
    assert shown.headers["referrer-policy"] == "no-referrer"
    assert "attachment" in httpx.get(share["url"], params={"save": True}).headers["content-disposition"]
    (listed,) = ann.get(address(ann, told.job.id)).json()["items"]
    assert listed == {**{name: share[name] for name in listed}, "version": 1, "next_version": None} | {
        "views": 1,
        "last_viewed_at": listed["last_viewed_at"],
    }
    assert "url" not in listed


def test_given_a_link_that_is_asked_for_twice_under_one_key_then_it_is_one_and_its_secret_is_kept_nowhere(
    api: RunningApi, ann: httpx.Client, told: Illustrated
) -> None:
    twice = [
        ann.post(address(ann, told.job.id), json={"name": "once"}, headers={"Idempotency-Key": f"k-{told.job.id}"})
        for _ in range(2)
    ]
    assert twice[0].json() == twice[1].json()
    assert len(ann.get(address(ann, told.job.id)).json()["items"]) == 1
    token = twice[0].json()["url"].rpartition("/")[2]
    with api.store._database.read() as connection:
        for table in metadata.sorted_tables:
            assert not any(token in str(value) for row in connection.execute(select(table)) for value in row)


def test_given_links_that_open_nothing_then_all_of_them_are_answered_alike(
    api: RunningApi, ann: httpx.Client, told: Illustrated
) -> None:
    revoked, expired = shared(ann, told), shared(ann, told, expires_at=_in(seconds=3600))
    make_ready(api, told)
    assert ann.delete(f"shares/{revoked['id']}").status_code == 204
    assert ann.delete(f"shares/{revoked['id']}").status_code == 204
    with api.store._database.write() as connection:
        past = datetime.now(UTC) - timedelta(seconds=1)
        connection.execute(update(shares).where(shares.c.id == expired["id"]).values(expires_at=past))
    answers = [httpx.get(url) for url in (revoked["url"], expired["url"], revoked["url"][:-1] + "!", _other(revoked))]
    assert {each.status_code for each in answers} == {404}
    assert len({_plain(each) for each in answers}) == 1
    assert httpx.get(revoked["url"] + "/recording").status_code == 404
    listed = {each["id"]: each for each in ann.get(address(ann, told.job.id)).json()["items"]}
    assert not listed[revoked["id"]]["is_open"] and listed[revoked["id"]]["revoked_at"]
    assert not listed[expired["id"]]["is_open"]


def test_given_a_passphrase_then_nothing_shows_before_it_is_typed_and_it_opens_that_link_alone(
    api: RunningApi, ann: httpx.Client, told: Illustrated
) -> None:
    share = shared(ann, told, passphrase="correct horse", recording=True)
    other = shared(ann, told, passphrase="battery staple")
    make_ready(api, told)
    with httpx.Client(headers={"Origin": api.url}, follow_redirects=True) as reader:
        assert b"Press Save" not in reader.get(share["url"]).content
        assert reader.get(share["url"] + "/recording").status_code == 404
        wrong = reader.post(share["url"], data={"passphrase": "battery staple"})
        assert wrong.status_code == 403 and b"Press Save" not in wrong.content
        assert b"Press Save" in reader.post(share["url"], data={"passphrase": "correct horse"}).content
        assert b"Press Save" in reader.get(share["url"]).content
        cookie = reader.cookies.get("guidesmith_shared")
        assert b"Press Save" not in httpx.get(other["url"], cookies={"guidesmith_shared": cookie or ""}).content
    with api.store._database.read() as connection:
        kept = [str(value) for row in connection.execute(select(shares)) for value in row]
    assert not any("correct horse" in each or share["url"].rpartition("/")[2] in each for each in kept)
    assert fingerprint(share["url"].rpartition("/")[2]) in kept


def test_given_wrong_links_and_passphrases_then_their_address_is_counted(
    temporal: TemporalServer, tmp_path_factory: pytest.TempPathFactory
) -> None:
    settings = api_settings(tmp_path_factory.mktemp("guessed"), rate_limit_unauthenticated=f"{TRIES}/minute")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEMPORAL_ADDRESS", temporal.address)
        with running_api(settings) as strict:
            wait_ready(strict)
            answers = [httpx.get(f"{strict.url}/shared/guess-{number}").status_code for number in range(TRIES + 1)]
    assert answers == [404] * TRIES + [429]


def test_given_the_recording_may_be_watched_then_the_guide_leads_to_it(
    api: RunningApi, ann: httpx.Client, told: Illustrated
) -> None:
    share, silent = shared(ann, told, recording=True), shared(ann, told)
    make_ready(api, told)
    page = httpx.get(share["url"]).text
    assert page.count(f'href="/shared/{share["url"].rpartition("/")[2]}/recording"') == 1
    assert page.index("Watch the recording") < page.index("</header>")
    assert "recording" not in httpx.get(silent["url"]).text
    assert httpx.get(silent["url"] + "/recording").status_code == 404


def test_given_a_new_version_when_the_link_is_not_brought_up_to_date_then_its_readers_see_what_they_did(
    api: RunningApi, ann: httpx.Client, told: Illustrated
) -> None:
    share = shared(ann, told)
    make_ready(api, told)
    instruction = f"instructions/{share['instruction_id']}"
    saved = ann.put(instruction, json={"base_version": 1, "markdown": MARKDOWN + "\n\nAnd mind the gap.\n"})
    assert saved.status_code == 200, saved.text
    assert httpx.get(share["url"]).content == PAGE
    updated = ann.post(f"shares/{share['id']}/update").json()
    assert (updated["version"], updated["next_version"]) == (1, 2)
    assert httpx.get(share["url"]).content == PAGE  # until the new one is there
    newer = PAGE.replace(b"Press Save", b"Mind the gap")
    make_ready(api, told, newer, saved.json()["instruction_version_id"])
    assert httpx.get(share["url"]).content == newer
    (listed,) = ann.get(address(ann, told.job.id)).json()["items"]
    assert (listed["version"], listed["next_version"]) == (2, None)


def test_given_sites_that_may_embed_it_then_exactly_they_may(
    api: RunningApi, ann: httpx.Client, told: Illustrated
) -> None:
    share = shared(ann, told, embed_origins=["https://wiki.example.org", "http://localhost:8080"])
    make_ready(api, told)
    policy = httpx.get(share["url"]).headers["content-security-policy"]
    assert policy.endswith("frame-ancestors https://wiki.example.org http://localhost:8080")


@pytest.mark.parametrize(
    ("wanted", "field"),
    [
        ({"embed_origins": ["https://wiki.example.org/page"]}, "embed_origins"),
        ({"embed_origins": ["http://wiki.example.org"]}, "embed_origins"),
        ({"embed_origins": ["https://a.example; script-src *"]}, "embed_origins"),
        ({"embed_origins": ["*"]}, "embed_origins"),
        ({"embed_origins": ["https://a.example:1\u0662"]}, "embed_origins"),
        ({"embed_origins": ["https://a.example"], "passphrase": "correct horse"}, "passphrase"),
        ({"passphrase": "short"}, "passphrase"),
        ({"expires_at": "2020-01-01T00:00:00Z"}, "expires_at"),
        ({"expires_at": "2999-01-01T00:00:00Z"}, "expires_at"),
        ({"expires_at": "2027-01-01T00:00:00"}, "expires_at"),
        ({"expires_at": 1893456000}, "expires_at"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_given_a_link_that_none_may_be_then_400_says_why(
    ann: httpx.Client, told: Illustrated, wanted: dict[str, Any], field: str
) -> None:
    answer = ann.post(address(ann, told.job.id), json=wanted)
    assert (answer.status_code, answer.json()["code"]) == (400, "VALIDATION_ERROR")
    assert answer.json()["details"]["issues"][0]["path"] == f"body.{field}"


def test_given_a_stranger_then_no_link_of_anothers_is_there(
    ann: httpx.Client, bob: httpx.Client, told: Illustrated
) -> None:
    share = shared(ann, told)
    for method, path in (
        ("POST", address(ann, told.job.id)),
        ("GET", address(ann, told.job.id)),
        ("POST", f"shares/{share['id']}/update"),
        ("DELETE", f"shares/{share['id']}"),
    ):
        theirs = bob.request(method, path, json={} if method == "POST" else None)
        absent = bob.request(
            method,
            path.replace(share["id"][-6:], "000000").replace(share["instruction_id"][-6:], "000000"),
            json={} if method == "POST" else None,
        )
        assert (theirs.status_code, theirs.content) == (404, absent.content)
    assert ann.get(address(ann, told.job.id)).json()["items"][0]["is_open"]


def test_given_as_many_links_as_one_guide_may_have_then_the_next_is_refused_until_one_is_revoked(
    api: RunningApi, ann: httpx.Client, told: Illustrated
) -> None:
    share = shared(ann, told)
    export, _ = api.store.request_export("ann", told.job.id, ExportFormat.HTML, told.instruction_version_id)
    for number in range(LINKS_LIMIT - 1):
        api.store.create_share("ann", share["instruction_id"], export.id, fingerprint(f"{share['id']} {number}"))
    refused = ann.post(address(ann, told.job.id), json={})
    assert (refused.status_code, refused.json()["code"]) == (400, "VALIDATION_ERROR")
    ann.delete(f"shares/{share['id']}")
    assert ann.post(address(ann, told.job.id), json={}).status_code == 201


def test_given_a_job_that_is_being_erased_then_its_links_open_nothing_from_the_first_moment(
    api: RunningApi, told: Illustrated, ann: httpx.Client
) -> None:
    share = shared(ann, told, recording=True)
    make_ready(api, told)
    api.store.begin_erasure(told.job.id, owner="ann", by_admin=False)  # and no worker comes to remove anything
    assert httpx.get(share["url"]).status_code == 404
    assert httpx.get(share["url"] + "/recording").status_code == 404


def test_given_a_user_who_is_to_be_erased_then_all_their_links_open_nothing_from_the_first_moment(
    api: RunningApi,
) -> None:
    theirs = illustrated_job(api.store, api.artifacts, "leaving")
    with api.client("leaving") as client:
        share = shared(client, theirs)
        api.store.begin_user_purge("leaving")
        assert httpx.get(share["url"]).status_code == 404


def test_given_a_picture_that_is_blurred_after_the_link_was_made_then_the_link_is_said_to_be_behind(
    api: RunningApi, ann: httpx.Client, told: Illustrated
) -> None:
    share = shared(ann, told)
    assert not share["is_behind"]
    make_ready(api, told)
    blur = {"op_type": "blur", "geometry": {"x": 0.3, "y": 0.2, "w": 0.6, "h": 0.4}}
    drawn = ann.post(
        f"anchors/{told.anchor_id}/annotations", json={"base_asset_id": told.asset_id, "operations": [blur]}
    )
    assert drawn.status_code == 200, drawn.text
    (listed,) = ann.get(address(ann, told.job.id)).json()["items"]
    assert (listed["version"], listed["next_version"], listed["is_behind"]) == (1, None, True)
    updated = ann.post(f"shares/{share['id']}/update").json()
    assert (updated["next_version"], updated["is_behind"]) == (1, False)
    assert httpx.get(share["url"]).content == PAGE  # until the new one is there


def test_given_a_passphrase_that_is_tried_too_often_then_the_right_one_is_not_looked_at_either(
    temporal: TemporalServer, tmp_path_factory: pytest.TempPathFactory
) -> None:
    settings = api_settings(tmp_path_factory.mktemp("tried"), rate_limit_unauthenticated=f"{TRIES}/minute")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEMPORAL_ADDRESS", temporal.address)
        with running_api(settings) as strict, strict.client("ann") as ann:
            wait_ready(strict)
            share = shared(ann, illustrated_job(strict.store, strict.artifacts), passphrase="correct horse")
            origin = {"Origin": strict.url}
            words = ["wrong horse"] * TRIES + ["correct horse"]
            tries = [httpx.post(share["url"], data={"passphrase": word}, headers=origin).status_code for word in words]
    assert tries == [403] * TRIES + [429]


def test_given_a_lost_file_then_the_reader_is_told_so_and_not_shown_half_of_it(
    api: RunningApi, ann: httpx.Client, told: Illustrated
) -> None:
    share = shared(ann, told)
    export = make_ready(api, told)
    api.store.lose_export(export.id)
    lost = httpx.get(share["url"])
    assert (lost.status_code, lost.headers.get("refresh")) == (503, None)
    (listed,) = ann.get(address(ann, told.job.id)).json()["items"]
    assert listed["failed"]


def _in(**span: float) -> str:
    return (datetime.now(UTC) + timedelta(**span)).isoformat()


def _other(share: dict[str, Any]) -> str:
    """An address like it that nobody was given."""
    head, _, token = share["url"].rpartition("/")
    return f"{head}/{token[::-1]}"


def _plain(answer: httpx.Response) -> str:
    """Without what is another at every answer."""
    text = answer.text
    start = text.index('name="csp-nonce" content="') + len('name="csp-nonce" content="')
    return (text[:start] + text[text.index('"', start) :]).replace(answer.request.url.path, "")
