"""The pretend chat model: answers with JSON of the schema asked for, made of the segments found in the request."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_LINE = re.compile(r"^\s*[\[(#]?(\d{1,6})[\])]?[.:)]?\s+(\S.*)$", re.MULTILINE)
_HEADING_CHARACTERS = 80
_VARIANT = (0, "Something to look at, says the pretend model.")

_MARKED_VOWELS = str.maketrans("aeiouAEIOU", "\u00e4\u00eb\u00ef\u00f6\u00fc\u00c4\u00cb\u00cf\u00d6\u00dc")
"""A pretend translation shows where words went through it, and can still be read."""

Utterance = tuple[int, str]
"""A segment's id and text."""

DRAFT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["title", "lead", "blocks", "language"],
    "properties": {
        "title": {"type": "string"},
        "lead": {"type": "string"},
        "language": {"type": "string"},
        "blocks": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["role", "heading", "body", "segments"],
                "properties": {
                    "role": {"type": "string", "enum": ["step", "note"]},
                    "heading": {"type": "string"},
                    "body": {"type": "string"},
                    "segments": {"type": "array", "items": {"type": "integer"}},
                },
            },
        },
    },
}
"""What is answered to a request that brings no schema."""


def completion(request: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to a chat completion request, in OpenAI's shape. The same request gets the same answer."""
    utterances = segments_in(request.get("messages"))
    filled = _translated(request) or _fill(_schema(request), utterances, name="")
    content = json.dumps(filled, ensure_ascii=False)
    read = sum(len(str(message)) for message in request.get("messages") or ()) // 4
    written = len(content) // 4
    return {
        "id": "chatcmpl-sandbox",
        "object": "chat.completion",
        "created": 0,
        "model": request.get("model") or "sandbox",
        "choices": [
            {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content, "refusal": None}}
        ],
        "usage": {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written},
    }


def _translated(request: Mapping[str, Any]) -> dict[str, Any] | None:
    """The blocks of a request for a translation, with every vowel marked; ``None``: it is another request."""
    texts = [text for message in request.get("messages") or () for text in _texts(message)]
    asked = next((value for text in texts for value in _json_in(text) if isinstance(value, dict)), None)
    if asked is None or "into" not in asked or not isinstance(asked.get("blocks"), list):
        return None
    return {
        "blocks": [{"id": each["id"], "text": _marked(each["text"], each.get("keep", ()))} for each in asked["blocks"]]
    }


def _marked(text: str, keep: Sequence[str]) -> str:
    kept = "|".join(map(re.escape, sorted(keep, key=len, reverse=True)))
    pieces = re.split(rf"(\u27e6\d+\u27e7{'|' + kept if kept else ''})", text)
    return "".join(piece if place % 2 else piece.translate(_MARKED_VOWELS) for place, piece in enumerate(pieces))


def segments_in(messages: object) -> list[Utterance]:
    """The transcript's segments in the user's messages: JSON objects with ``id`` and ``text``, or numbered lines."""
    texts = [text for message in messages for text in _texts(message)] if isinstance(messages, list) else []
    found = [utterance for text in texts for value in _json_in(text) for utterance in _segments_of(value)]
    if not found:
        found = [(int(number), line.strip()) for text in texts for number, line in _LINE.findall(text)]
    return sorted(dict(found).items())


def _texts(message: object) -> Iterator[str]:
    if not isinstance(message, dict) or message.get("role") != "user":
        return
    content = message.get("content")
    if isinstance(content, str):
        yield content
    for part in content if isinstance(content, list) else ():
        if isinstance(part, dict) and isinstance(part.get("text"), str):
            yield part["text"]


def _json_in(text: str) -> Iterator[Any]:
    """Every JSON object or array that stands in ``text``."""
    decoder = json.JSONDecoder()
    at = 0
    while (opening := re.compile(r"[{\[]").search(text, at)) is not None:
        try:
            value, at = decoder.raw_decode(text, opening.start())
            yield value
        except ValueError:
            at = opening.start() + 1


def _segments_of(value: Any) -> Iterator[Utterance]:
    if isinstance(value, list):
        for item in value:
            yield from _segments_of(item)
    elif isinstance(value, dict):
        if isinstance(value.get("id"), int) and isinstance(value.get("text"), str):
            yield value["id"], value["text"]
        else:
            for item in value.values():
                yield from _segments_of(item)


def _schema(request: Mapping[str, Any]) -> Mapping[str, Any]:
    wanted = request.get("response_format")
    named = wanted.get("json_schema") if isinstance(wanted, dict) else None
    schema = named.get("schema") if isinstance(named, dict) else None
    return schema if isinstance(schema, dict) else DRAFT_SCHEMA


def _fill(schema: Mapping[str, Any], utterances: Sequence[Utterance], *, name: str) -> Any:
    """A value of ``schema``. What it says depends on the property's ``name`` and on ``utterances``."""
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return _fill(schema["anyOf"][0], utterances, name=name)
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = kind[0]
    if kind == "object":
        return {key: _fill(part, utterances, name=key) for key, part in (schema.get("properties") or {}).items()}
    if kind == "array":
        return _items(schema.get("items") or {}, utterances, name)
    if kind == "integer":
        return utterances[0][0] if utterances else 0
    if kind == "number":
        return 0.0
    if kind == "boolean":
        return False
    return _words(utterances, name)


def _items(schema: Mapping[str, Any], utterances: Sequence[Utterance], name: str) -> list[Any]:
    """One object for each thing said (of copy there are variants, though nothing was said); the numbers of what was
    said."""
    if name == "changes":
        return []
    if schema.get("type") == "object":
        utterances = [_VARIANT] * 5 if name == "variants" else utterances
        return [_fill(schema, [one], name="") for one in utterances]
    if schema.get("type") == "integer":
        return (
            [number for number, _ in utterances[:1]]
            if "title" in name or "lead" in name
            else [number for number, _ in utterances]
        )
    return []


def _words(utterances: Sequence[Utterance], name: str) -> str:
    if "language" in name:
        return "en"
    if not utterances:
        return "Nothing was said."
    first = utterances[0][1].strip()
    if "title" in name or "head" in name:
        return first.rstrip(".!?")[:_HEADING_CHARACTERS].strip() or "Untitled"
    if "lead" in name:
        return first
    return " ".join(text.strip() for _, text in utterances)
