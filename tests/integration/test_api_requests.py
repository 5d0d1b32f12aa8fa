"""Requests that are wrong: every mistake is told with the field, the query or the header that holds it."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from domain.lifecycles.kinds import JOB_TYPES, LIFECYCLES
from tests.apis import RunningApi
from tests.integration.pictures import Illustrated, illustrated_job

ABSENT = "01890000-0000-7000-8000-000000000000"
OPEN_ENDED = {"params", "metrics", "webhooks", "stages", "answers", "metadata"}
"""What is sent and may hold names of the sender's own."""


@pytest.fixture(scope="module")
def shot(api: RunningApi) -> Illustrated:
    return illustrated_job(api.store, api.artifacts)


def issues(answer: httpx.Response) -> list[tuple[str, str]]:
    assert (answer.status_code, answer.json()["code"]) == (400, "VALIDATION_ERROR"), answer.text
    return [(each["path"], each["code"]) for each in answer.json()["details"]["issues"]]


# --- where it is wrong ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "headers", "where"),
    [
        ("jobs?cursor=x", {}, "query.cursor"),
        ("jobs?limit=0", {}, "query.limit"),
        ("jobs/{job}/history?cursor=x", {}, "query.cursor"),
        ("jobs/{job}/events", {"Last-Event-ID": "x"}, "header.last-event-id"),
        ("jobs?kind=foo", {}, "query.kind"),
        ("jobs?status=FOO", {}, "query.status"),
        ("jobs?kind=image&status=DONE", {}, "query.status"),
    ],
)
def test_given_a_wrong_query_or_header_when_refused_then_it_is_named(
    ann: httpx.Client, shot: Illustrated, path: str, headers: dict[str, str], where: str
) -> None:
    [(place, _)] = issues(ann.get(path.format(job=shot.job.id), headers=headers))
    assert place == where


BLUR = {"op_type": "blur", "geometry": {"x": 0.1, "y": 0.1, "w": 0.2, "h": 0.2}}


@pytest.mark.parametrize(
    ("path", "body", "where"),
    [
        (
            "instructions/{instruction}/regenerate",
            {"base_version": 1, "client_request_id": "r", "selection": {}},
            "body.selection",
        ),
        (
            "instructions/{instruction}/regenerate",
            {"base_version": 1, "client_request_id": "r", "selection": {"block_id": ABSENT}},
            "body.selection.block_id",
        ),
        (
            "instructions/{instruction}/anchors",
            {
                "instruction_version_id": "{version}",
                "addressing": {"address_type": "char_range", "char_range": {"start_offset": 0, "end_offset": 99999}},
            },
            "body.addressing.char_range",
        ),
        (
            "anchors/{anchor}/annotations",
            {"base_asset_id": "{asset}", "operations": [BLUR, {**BLUR, "geometry": {"x": 0, "y": 0, "w": 1}}]},
            "body.operations.1.geometry.h",
        ),
        (
            "anchors/{anchor}/annotations",
            {"base_asset_id": "{asset}", "operations": [{**BLUR, "geometry": {**BLUR["geometry"], "x": 7}}]},  # type: ignore[dict-item]
            "body.operations.0.geometry.x",
        ),
        (
            "anchors/{anchor}/annotations",
            {"base_asset_id": "{asset}", "operations": [{**BLUR, "style": {"colour": "#ffffff"}}]},
            "body.operations.0.style.colour",
        ),
        ("jobs", {"job_type": "clips", "parameters": {"inputs": []}}, "body.parameters.inputs"),
        ("projects", {"name": "x", "stages": {"video": "external"}}, "body.stages.video.[key]"),
    ],
)
def test_given_a_wrong_field_when_refused_then_its_path_is_as_it_was_sent(
    ann: httpx.Client, shot: Illustrated, path: str, body: dict[str, Any], where: str
) -> None:
    known = {
        "instruction": str(shot.job.instruction_id),
        "version": shot.instruction_version_id,
        "anchor": shot.anchor_id,
        "asset": shot.asset_id,
    }
    filled = {name: value.format(**known) if isinstance(value, str) else value for name, value in body.items()}
    found = issues(ann.post(path.format(**known), json=filled))
    assert where in [place for place, _ in found]


def test_given_a_style_for_every_kind_of_drawing_when_drawn_then_each_takes_what_it_has_a_use_for(
    ann: httpx.Client, shot: Illustrated
) -> None:
    style = {"color": "#ff0000", "width": 0.01, "opacity": 0.5, "strength": 1}
    marker = {**BLUR, "op_type": "marker", "style": style}
    body = {"base_asset_id": shot.asset_id, "operations": [{**BLUR, "style": style}, marker]}
    assert ann.post(f"anchors/{shot.anchor_id}/annotations", json=body).status_code == 200


# --- what nobody asked for --------------------------------------------------------------------------------------


def test_given_a_field_that_a_route_does_not_have_when_sent_then_400_names_it(ann: httpx.Client) -> None:
    assert issues(ann.post("projects", json={"name": "x", "colour": "red"})) == [("body.colour", "extra_forbidden")]
    odd = ann.post("projects", json={"name": "x", "a\nb": 1})
    assert issues(odd) == [("body.…", "extra_forbidden")]


def _sent_objects(api: RunningApi) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every object that a described request may hold, by its name and field."""
    description = httpx.get(f"{api.url}/api/v1/openapi.json").json()
    shapes, seen = description["components"]["schemas"], set()
    waiting = [
        ("webhooks" if "/webhooks/" in path else path, operation["requestBody"])
        for path, operations in description["paths"].items()
        for operation in operations.values()
        if "requestBody" in operation
    ]
    while waiting:
        name, part = waiting.pop()
        if isinstance(part, list):
            waiting += [(name, each) for each in part]
        elif isinstance(part, dict):
            if part.get("type") == "object":
                yield name, part
            reference = str(part.get("$ref", "")).rpartition("/")[2]
            if reference and reference not in seen:
                seen.add(reference)
                waiting.append((reference, shapes[reference]))
            inner = part.get("properties", {})
            waiting += [(f"{name}.{field}", each) for field, each in inner.items()]
            waiting += [(name, each) for key, each in part.items() if key != "properties"]


def test_given_every_body_that_is_described_then_it_takes_no_field_but_its_own(api: RunningApi) -> None:
    lax = {name for name, part in _sent_objects(api) if part.get("additionalProperties") is not False}
    assert {name.rpartition(".")[2] for name in lax} <= OPEN_ENDED


# --- filters ----------------------------------------------------------------------------------------------------


def test_given_every_kind_and_status_when_listed_then_200_and_what_is_none_is_told_what_there_is(
    ann: httpx.Client,
) -> None:
    for kind, lifecycle in LIFECYCLES.items():
        for status in lifecycle.statuses:
            assert ann.get("jobs", params={"kind": kind, "status": status}).status_code == 200
            assert ann.get("jobs", params={"status": status}).status_code == 200
        refused = ann.get("jobs", params={"kind": kind, "status": "FOO"})
        assert refused.json()["details"]["allowed"] == [str(each) for each in lifecycle.statuses]
        types = JOB_TYPES.get(kind, ())
        assert all(ann.get("jobs", params={"kind": kind, "job_type": each}).status_code == 200 for each in types)
        refused = ann.get("jobs", params={"kind": kind, "job_type": "foo"})
        assert (refused.status_code, refused.json()["details"]["allowed"]) == (400, [*types])
    assert ann.get("jobs", params={"kind": "foo"}).json()["details"]["allowed"] == [*LIFECYCLES]
