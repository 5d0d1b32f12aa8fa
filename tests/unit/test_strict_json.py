"""Bodies that are made to be slow to read."""

import json

import pytest

from domain.errors import RequestInvalid
from starter.api.perimeter.strict_json import VALUES_LIMIT, check_json


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"[" + b"[]," * 300_000 + b"[]]", id="brackets"),
        pytest.param(b"[" * 900_000, id="depth"),
        pytest.param(b'{"a": [' + b"1," * 500_000 + b"1]}", id="numbers"),
        pytest.param(b"[" + b"{}," * VALUES_LIMIT + b"{}]", id="objects"),
        pytest.param(b'["\\"",' + b'"",' * VALUES_LIMIT + b"1]", id="strings behind an escaped quote"),
    ],
)
def test_given_a_body_of_very_many_values_then_it_is_refused_before_any_is_made(body: bytes) -> None:
    with pytest.raises(RequestInvalid, match="values"):
        check_json(body)


@pytest.mark.parametrize("text", ["[a, b](c: d), " * 60_000, '"' * 200_000, "\\" * 200_000, ",[{" * 300_000])
def test_given_one_long_text_whatever_stands_in_it_then_it_is_one_value(text: str) -> None:
    check_json(json.dumps({"markdown": text}).encode())


@pytest.mark.parametrize("body", [b'{"a": "' + b'\\"' * 400_000, b'"' * 400_001, b'{"a": "' + b"\\" * 400_001])
def test_given_a_string_that_does_not_end_then_the_body_is_refused(body: bytes) -> None:
    with pytest.raises(RequestInvalid):
        check_json(body)
