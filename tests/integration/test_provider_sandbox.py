"""The sandbox does what its script says, and tells what it received."""

import json

import httpx
import jsonschema
import pytest

from starter.sandbox import Behaviour, RunningSandbox, running_sandbox
from starter.sandbox.chat import DRAFT_SCHEMA, completion, segments_in

pytest_plugins = ("tests.sandbox",)


def test_given_a_script_then_its_behaviours_come_one_after_another_and_then_good_answers(
    sandbox: RunningSandbox,
) -> None:
    sandbox.script("models", Behaviour(status=500, times=2), Behaviour(status=429, retry_after=3))
    answers = [httpx.get(f"{sandbox.base_url}/models") for _ in range(4)]
    assert [answer.status_code for answer in answers] == [500, 500, 429, 200]
    assert answers[2].headers["retry-after"] == "3"
    assert sandbox.count("models") == 4


@pytest.mark.parametrize("script", [{"chat": [{"stauts": 500}]}, {"chat": {}}, {"chat": [{"status": 99}]}, []])
def test_given_a_malformed_script_then_it_is_refused_with_the_reasons(sandbox: RunningSandbox, script: object) -> None:
    answer = httpx.put(f"{sandbox.url}/_sandbox/script", json=script)
    assert answer.status_code == 400
    assert answer.json()["issues"]


def test_keys_are_not_kept(sandbox: RunningSandbox) -> None:
    httpx.get(f"{sandbox.base_url}/models", headers={"Authorization": "Bearer sk-secret"})
    answer = httpx.get(f"{sandbox.url}/_sandbox/requests")
    assert "sk-secret" not in answer.text
    assert answer.json()["requests"][0]["authorized"] is True


def test_given_a_hanging_request_when_the_sandbox_ends_then_it_ends_at_once() -> None:
    with running_sandbox() as sandbox:
        sandbox.script("models", Behaviour(hang=True))
        with pytest.raises(httpx.ReadTimeout):
            httpx.get(f"{sandbox.base_url}/models", timeout=0.3)
    with pytest.raises(httpx.ConnectError):
        httpx.get(sandbox.url)


def test_given_a_request_without_schema_then_a_draft_is_answered_the_same_each_time() -> None:
    request = {"messages": [{"role": "user", "content": "[0] Open the menu.\n[1] 00:05 Press save."}]}
    draft = json.loads(completion(request)["choices"][0]["message"]["content"])
    jsonschema.validate(draft, DRAFT_SCHEMA)
    assert [block["segments"] for block in draft["blocks"]] == [[0], [1]]
    assert completion(request) == completion(request)


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ('Look: {"segments": [{"id": 2, "text": "Save."}], "x": {}} done', [(2, "Save.")]),
        ([{"type": "text", "text": '[{"id": 0, "text": "Open."}]'}], [(0, "Open.")]),
        ("1. Open.\n2) Save.", [(1, "Open."), (2, "Save.")]),
        ("{ broken [", []),
        (None, []),
    ],
)
def test_segments_are_found_however_they_are_written(content: object, found: list[tuple[int, str]]) -> None:
    assert segments_in([{"role": "user", "content": content}]) == found
