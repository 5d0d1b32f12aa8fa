"""A chat model is asked for JSON of a schema, and in lesser ways where the provider cannot do that."""

import json
from typing import Any

import jsonschema
import pytest

from activities.providers import ChatClient, ProviderClient
from activities.providers.learned import BELIEVED_S
from domain.errors import ProviderAnswerInvalid, ProviderRateLimited, ProviderRequestRefused
from starter.sandbox import Behaviour, RunningSandbox

pytest_plugins = ("tests.sandbox",)

SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["title", "blocks"],
    "additionalProperties": False,
    "properties": {
        "title": {"type": "string"},
        "blocks": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["kind", "heading", "body", "segments"],
                "additionalProperties": False,
                "properties": {
                    "kind": {"type": "string", "enum": ["step", "note"]},
                    "heading": {"type": "string"},
                    "body": {"type": "string"},
                    "segments": {"type": "array", "items": {"type": "integer"}},
                },
            },
        },
    },
}

MATERIAL = {"segments": [{"id": 4, "text": "Open the menu."}, {"id": 5, "text": "Press save."}]}
MESSAGES = [
    {"role": "system", "content": 'Answer with JSON like {"id": 1, "text": "no segment"}.'},
    {"role": "user", "content": json.dumps(MATERIAL)},
]


def chat(sandbox: RunningSandbox) -> ChatClient:
    return ChatClient(ProviderClient(sandbox.base_url, timeout_s=30.0))


def ask(client: ChatClient) -> str:
    return client.complete_json(MESSAGES, schema=SCHEMA, schema_name="draft", model="some-model")


def formats(sandbox: RunningSandbox) -> list[str | None]:
    return [(request["body"].get("response_format") or {}).get("type") for request in sandbox.requests("chat")]


def completion(**message: object) -> dict[str, object]:
    return {"choices": [{"message": message, "finish_reason": "stop"}]}


def test_given_a_provider_that_knows_schemas_then_the_answer_fits_and_cites_the_segments(
    sandbox: RunningSandbox,
) -> None:
    answer = json.loads(ask(chat(sandbox)))
    jsonschema.validate(answer, SCHEMA)
    assert [block["segments"] for block in answer["blocks"]] == [[4], [5]]
    (request,) = sandbox.requests("chat")
    assert request["body"]["model"] == "some-model"
    assert request["body"]["response_format"]["json_schema"] == {"name": "draft", "schema": SCHEMA, "strict": True}


def test_given_a_provider_that_refuses_a_schema_then_plain_json_is_asked_for_until_it_is_asked_for_one_again(
    sandbox: RunningSandbox,
) -> None:
    now_s = 0.0
    client = ChatClient(ProviderClient(sandbox.base_url, timeout_s=30.0), clock=lambda: now_s)
    sandbox.script("chat", Behaviour(status=400))
    assert json.loads(ask(client))["blocks"]
    ask(client)
    assert formats(sandbox) == ["json_schema", "json_object", "json_object"]
    now_s = BELIEVED_S
    ask(client)
    assert formats(sandbox)[3:] == ["json_schema"], "it may have meant that one request"


def test_given_a_provider_that_refuses_every_format_then_none_is_asked_for(sandbox: RunningSandbox) -> None:
    sandbox.script("chat", Behaviour(status=422, times=2))
    assert ask(chat(sandbox))
    assert formats(sandbox) == ["json_schema", "json_object", None]


def test_given_a_request_that_is_refused_in_every_format_then_the_next_one_starts_anew(
    sandbox: RunningSandbox,
) -> None:
    client = chat(sandbox)
    sandbox.script("chat", Behaviour(status=400, times=3))
    with pytest.raises(ProviderRequestRefused):
        ask(client)
    ask(client)
    assert formats(sandbox) == ["json_schema", "json_object", None, "json_schema"]


@pytest.mark.parametrize(
    ("behaviour", "error"),
    [
        (Behaviour(status=404), ProviderRequestRefused),
        (Behaviour(status=429, retry_after=1), ProviderRateLimited),
        (Behaviour(body={"choices": []}), ProviderAnswerInvalid),
        (Behaviour(body=["not", "an", "object"]), ProviderAnswerInvalid),
        (Behaviour(body=completion(content="")), ProviderAnswerInvalid),
        (Behaviour(body=completion(content=None)), ProviderAnswerInvalid),
        (Behaviour(body=completion(content=None, refusal="I would rather not")), ProviderRequestRefused),
    ],
)
def test_given_no_usable_answer_then_the_error_says_so_after_one_request(
    sandbox: RunningSandbox, behaviour: Behaviour, error: type[Exception]
) -> None:
    sandbox.script("chat", behaviour)
    with pytest.raises(error):
        ask(chat(sandbox))
    assert sandbox.count("chat") == 1


def test_given_an_answer_in_parts_or_prose_then_its_text_is_given_back_as_it_is(sandbox: RunningSandbox) -> None:
    parts = [{"type": "text", "text": "Sure! "}, {"type": "text", "text": '{"title": "A"'}]
    sandbox.script("chat", Behaviour(body=completion(content=parts)))
    assert ask(chat(sandbox)) == 'Sure! {"title": "A"'
