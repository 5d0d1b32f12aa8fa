"""What holds for every route: who is let in, the order of refusals, the shape of errors, lists, idempotency."""

import json
import time
from typing import Any
from uuid import UUID

import httpx
import pytest
from joserfc import jwt
from joserfc.jwk import OctKey

from starter.access.tokens import Tokens
from starter.api.perimeter.admission import SIGNED, is_webhook
from tests.apis import SECRET, RunningApi

ABSENT = "01890000-0000-7000-8000-000000000000"


def forged(claims: dict[str, object], algorithm: str = "HS256", secret: str = SECRET) -> str:
    return jwt.encode({"alg": algorithm}, claims, OctKey.import_key(secret), algorithms=[algorithm])


def unsigned(claims: dict[str, object]) -> str:
    signed = forged(claims).split(".")
    return f"eyJhbGciOiJub25lIn0.{signed[1]}."


SOON = int(time.time()) + 3600


@pytest.mark.parametrize(
    "header",
    [
        None,
        "Basic abc",
        "Bearer",
        "Bearer not-a-token",
        f"Bearer {forged({'sub': 'ann', 'exp': SOON}, secret='f' * 64)}",
        f"Bearer {forged({'sub': 'ann', 'exp': SOON}, algorithm='HS512')}",
        f"Bearer {forged({'sub': 'ann', 'exp': 1})}",
        f"Bearer {forged({'sub': 'ann'})}",
        f"Bearer {forged({'exp': SOON})}",
        f"Bearer {forged({'sub': 'ann', 'exp': SOON, 'role': 'root'})}",
        f"Bearer {unsigned({'sub': 'ann', 'exp': SOON})}",
    ],
    ids=[
        "none",
        "basic",
        "empty",
        "garbage",
        "foreign key",
        "other algorithm",
        "expired",
        "without exp",
        "without sub",
        "unknown role",
        "unsigned",
    ],
)
def test_given_no_token_that_holds_when_anything_is_asked_then_401(api: RunningApi, header: str | None) -> None:
    answer = httpx.get(f"{api.url}/api/v1/jobs", headers={"Authorization": header} if header else {})
    assert answer.status_code == 401
    assert answer.json()["code"] == "UNAUTHORIZED"
    assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert answer.headers["X-Request-Id"]


@pytest.mark.parametrize(
    "body", [b"{", b"[]", b'{"name": 5}', b'{"name": ""}', b'{"name": "a\\u0000b"}', b"{}", b"null"]
)
def test_given_a_body_of_the_wrong_shape_when_posted_then_400_says_where(ann: httpx.Client, body: bytes) -> None:
    answer = ann.post("projects", content=body, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["code"]) == (400, "VALIDATION_ERROR")
    assert all({"path", "code", "message"} == set(issue) for issue in answer.json()["details"]["issues"])


@pytest.mark.parametrize("limit", ["0", "101", "-1", "x"])
def test_given_a_limit_out_of_range_when_listed_then_400(ann: httpx.Client, limit: str) -> None:
    answer = ann.get("jobs", params={"limit": limit})
    assert (answer.status_code, answer.json()["code"]) == (400, "VALIDATION_ERROR")


def test_given_an_unknown_route_and_a_wrong_method_when_asked_then_404_and_405(ann: httpx.Client) -> None:
    assert ann.get("nothing-here").json()["code"] == "RESOURCE_NOT_FOUND"
    answer = ann.delete("projects")
    assert (answer.status_code, answer.json()["code"]) == (405, "METHOD_NOT_ALLOWED")
    assert "GET" in answer.headers["Allow"]


def test_given_a_request_id_when_it_is_plain_then_it_is_kept(ann: httpx.Client) -> None:
    assert ann.get("jobs", headers={"X-Request-Id": "trace-1234"}).headers["X-Request-Id"] == "trace-1234"


def test_given_more_items_than_a_page_when_followed_by_cursor_then_each_comes_once_newest_first(
    api: RunningApi,
) -> None:
    with api.client("lister") as client:
        made = [client.post("projects", json={"name": f"p{number}"}).json()["id"] for number in range(5)]
        seen: list[str] = []
        cursor = None
        while True:
            page = client.get("projects", params={"limit": 2} | ({"cursor": cursor} if cursor else {})).json()
            seen += [item["id"] for item in page["items"]]
            cursor = page["next_cursor"]
            if cursor is None:
                break
    assert seen == made[::-1]


def test_given_an_idempotency_key_when_sent_again_then_the_same_answer_and_one_project(api: RunningApi) -> None:
    with api.client("once") as client:
        headers = {"Idempotency-Key": "k1"}
        first = client.post("projects", json={"name": "a"}, headers=headers)
        again = client.post("projects", json={"name": "a"}, headers=headers)
        other = client.post("projects", json={"name": "b"}, headers=headers)
        assert first.status_code == again.status_code == 201
        assert first.json() == again.json()
        assert UUID(first.json()["id"]).version == 7 and first.json()["created_at"].endswith("Z")
        assert "Idempotency-Replayed" not in first.headers
        assert again.headers["Idempotency-Replayed"] == "true"
        assert (other.status_code, other.json()["code"]) == (409, "IDEMPOTENCY_KEY_CONFLICT")
        assert len(client.get("projects").json()["items"]) == 1
        elsewhere = client.post(f"projects/{first.json()['id']}/jobs", headers=headers)  # a key is one path's
    with api.client("somebody-else") as client:  # and one user's
        theirs = client.post("projects", json={"name": "a"}, headers=headers)
    assert (elsewhere.status_code, theirs.status_code) == (201, 201)
    assert all("Idempotency-Replayed" not in each.headers for each in (elsewhere, theirs))
    assert theirs.json()["id"] != first.json()["id"]


def test_given_a_call_that_failed_when_its_key_is_used_again_then_it_is_not_spent(ann: httpx.Client) -> None:
    headers = {"Idempotency-Key": "after-a-failure"}
    assert ann.post("projects", json={"name": ""}, headers=headers).status_code == 400
    assert ann.post("projects", json={"name": "now"}, headers=headers).status_code == 201


def test_given_the_description_when_read_then_every_error_is_declared_and_nothing_says_422(api: RunningApi) -> None:
    schema = httpx.get(f"{api.url}/api/v1/openapi.json").json()
    operations = [
        (path, method, operation) for path, item in schema["paths"].items() for method, operation in item.items()
    ]
    assert len(operations) > 20
    assert "422" not in json.dumps(schema)
    for path, _, operation in operations:
        declared = set(operation["responses"])
        if path.startswith("/api/v1") and not path.startswith(tuple(SIGNED)):
            assert {"401", "405", "500", "503"} <= declared, path
        if "{" in path and "/lifecycles" not in path and not is_webhook(path):
            assert "404" in declared, path


OWN_KEYS = {
    ("instructions/{instruction_id}/regenerate", "client_request_id"),
    ("instructions/{instruction_id}/translations", "client_request_id"),
    ("instructions/{instruction_id}/translation/update", "client_request_id"),
    ("jobs/{job_id}/retry", "client_request_id"),
    ("jobs/{job_id}/screenshots/extract", "idempotency_key"),
    ("anchors/{anchor_id}/replace", "idempotency_key"),
    ("admin/credits/grants", "idempotency_key"),
    ("glossary", ""),
    ("jobs/{job_id}/run", ""),
    ("jobs/{job_id}/exports", ""),
    ("analyses/{job_id}/run", ""),
    ("analyses/{job_id}/draft", ""),
    ("webhook-endpoints/{endpoint_id}/deliveries/{delivery_id}/redeliver", ""),
}
"""What makes something and takes no Idempotency-Key, with the field that says the same; without one: what it is about
says it."""


def test_given_the_description_when_read_then_lists_and_creations_take_what_all_of_them_take(api: RunningApi) -> None:
    paths = httpx.get(f"{api.url}/api/v1/openapi.json").json()["paths"]
    taken = {
        (method, path.removeprefix("/api/v1/")): {each["name"]: each for each in operation.get("parameters", ())}
        for path, item in paths.items()
        for method, operation in item.items()
    }

    def limits(known: dict[str, Any]) -> tuple[int, int, int]:
        return tuple(known["limit"]["schema"][name] for name in ("default", "minimum", "maximum"))

    lists = {path: limits(known) for (_, path), known in taken.items() if "limit" in known}
    assert lists.pop("jobs/{job_id}/transcript") == (200, 1, 500)
    assert len(lists) > 10 and set(lists.values()) == {(20, 1, 100)}
    assert all("cursor" in known for known in taken.values() if "limit" in known)
    creations = {
        path
        for (method, path), known in taken.items()
        if method == "post" and {"201", "202"} & set(paths[f"/api/v1/{path}"]["post"]["responses"])
        if "Idempotency-Key" not in known
    }
    assert creations == {path for path, _ in OWN_KEYS}


def test_given_health_probes_when_asked_without_a_token_then_they_answer(api: RunningApi) -> None:
    assert httpx.get(f"{api.url}/healthz").json() == {"status": "ok"}
    ready = httpx.get(f"{api.url}/readyz")
    assert ready.status_code == 200, ready.text
    assert ready.json() == {"status": "ready", "checks": {"database": "ok", "engine": "ok", "artifacts": "ok"}}


def test_given_the_lifecycles_when_asked_then_the_table_is_the_codes_own(ann: httpx.Client) -> None:
    table = ann.get("lifecycles/instruction").json()
    assert {"from": "FAILED", "to": "UPLOADED", "action": "retry"}.items() <= next(
        row for row in table["transitions"] if row["from"] == "FAILED"
    ).items()
    assert ann.get("lifecycles/instruction", params={"format": "mermaid"}).text.startswith("stateDiagram-v2")
    tables = ann.get("lifecycles").json()
    assert (tables["items"][0]["kind"], tables["next_cursor"]) == ("instruction", None)
    assert ann.get("lifecycles/nothing").status_code == 404


def test_given_a_token_of_ours_when_checked_then_it_names_its_subject() -> None:
    assert Tokens(SECRET).check(Tokens(SECRET).issue("ann")).subject == "ann"
