"""An OpenAPI description as what people read: routes by their group, and shapes that name each other."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

REFERENCE = "#/components/schemas/"
BOUNDS = {
    "minimum": "≥ {}",
    "exclusiveMinimum": "> {}",
    "maximum": "≤ {}",
    "exclusiveMaximum": "< {}",
    "minLength": "length ≥ {}",
    "maxLength": "length ≤ {}",
    "minItems": "items ≥ {}",
    "maxItems": "items ≤ {}",
    "pattern": "{}",
    "default": "= {}",
}
"""What bounds a value, as it is written beside its type."""
VALUES_SHOWN = 12
"""Of an enum in a cell; a shape of its own shows all."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text: plain, ``code``, or the name of a ``shape`` that is described further down."""

    text: str
    code: bool = False
    shape: str | None = None


Pieces = tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a shape, or a parameter. ``place``: ``path``, ``query`` or ``header`` of parameters."""

    name: str
    type: Pieces
    required: bool
    meaning: Pieces
    bounds: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True)
class Content:
    """What is sent or answered: its status (of answers), what it means, its types of media with their shapes."""

    status: str
    meaning: Pieces
    bodies: tuple[tuple[str, Pieces], ...]


@dataclass(frozen=True, slots=True)
class Operation:
    """One route and method."""

    id: str
    method: str
    path: str
    meaning: Pieces
    open: bool
    parameters: tuple[Field, ...]
    body: Content | None
    answers: tuple[Content, ...]


@dataclass(frozen=True, slots=True)
class Shape:
    """A shape by its name: ``fields`` of objects, ``values`` of what is one of a few, else a ``type``."""

    name: str
    meaning: Pieces
    fields: tuple[Field, ...]
    values: tuple[str, ...]
    type: Pieces


@dataclass(frozen=True, slots=True)
class Description:
    """All of it."""

    version: str
    groups: Mapping[str, tuple[Operation, ...]]
    shapes: tuple[Shape, ...]


def read(schema: Mapping[str, Any]) -> Description:
    """``schema`` is an OpenAPI 3.1 document."""
    groups: dict[str, list[Operation]] = {}
    for path, methods in schema["paths"].items():
        for method, described in methods.items():
            if isinstance(described, dict) and "responses" in described:
                groups.setdefault(_group(described, path), []).append(_operation(method, path, described))
    shapes = schema["components"]["schemas"]
    return Description(
        schema["info"]["version"],
        {name: tuple(operations) for name, operations in groups.items()},
        tuple(_shape(name, shapes[name]) for name in sorted(shapes, key=str.casefold)),
    )


def words(text: str) -> Pieces:
    """``text`` with what stands between backticks as code."""
    parts = re.split(r"(`+[^`]+`+)", " ".join(text.split()))
    return tuple(Piece(each.strip("`"), code=each.startswith("`")) for each in parts if each)


def _group(described: Mapping[str, Any], path: str) -> str:
    """A route's tag, else the noun that its path begins with."""
    tags = described.get("tags") or ()
    return str(tags[0]) if tags else path.removeprefix("/api/v1/").strip("/").partition("/")[0]


def _operation(method: str, path: str, described: Mapping[str, Any]) -> Operation:
    body = described.get("requestBody")
    return Operation(
        id=str(described.get("operationId") or f"{method}-{path}"),
        method=method.upper(),
        path=path,
        meaning=words((described.get("description") or described.get("summary") or "").split("\n\n")[0]),
        open=not described.get("security"),
        parameters=tuple(_parameter(each) for each in described.get("parameters", ())),
        body=_content("", body) if body else None,
        answers=tuple(_content(status, answer) for status, answer in sorted(described["responses"].items())),
    )


def _parameter(described: Mapping[str, Any]) -> Field:
    schema = described.get("schema", {})
    meaning = words(described.get("description") or schema.get("description") or "")
    required = bool(described.get("required"))
    return Field(described["name"], tuple(_type(schema)), required, meaning, _bounds(schema), str(described["in"]))


def _content(status: str, described: Mapping[str, Any]) -> Content:
    content = described.get("content", {})
    bodies = tuple((kind, tuple(_type(held.get("schema", {})))) for kind, held in content.items())
    return Content(status, words(described.get("description", "")), bodies)


def _shape(name: str, schema: Mapping[str, Any]) -> Shape:
    wanted = frozenset(schema.get("required", ()))
    fields = tuple(
        Field(
            each, tuple(_type(described)), each in wanted, words(described.get("description", "")), _bounds(described)
        )
        for each, described in schema.get("properties", {}).items()
    )
    values = tuple(map(str, schema.get("enum", ())))
    return Shape(name, words(schema.get("description", "")), fields, values, () if fields else tuple(_type(schema)))


def _type(schema: Mapping[str, Any]) -> Iterator[Piece]:
    """What a value is, in as few words as tell it."""
    if "$ref" in schema:
        name = str(schema["$ref"]).removeprefix(REFERENCE)
        yield Piece(name, shape=name)
        return
    several = schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf")
    if several:
        for place, each in enumerate(several):
            if place:
                yield Piece(" & " if "allOf" in schema else " | ")
            yield from _type(each)
        return
    if "const" in schema:
        yield Piece(json.dumps(schema["const"], ensure_ascii=False), code=True)
        return
    if "enum" in schema:
        shown = [json.dumps(each, ensure_ascii=False) for each in schema["enum"]]
        yield Piece(" | ".join(shown[:VALUES_SHOWN]) + (" | …" if len(shown) > VALUES_SHOWN else ""), code=True)
        return
    kind = schema.get("type", "any")
    if kind == "array":
        yield Piece("array of ")
        yield from _type(schema.get("items", {}))
    elif kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        yield Piece("object of ")
        yield from _type(schema["additionalProperties"])
    else:
        yield Piece(f"{kind} ({schema['format']})" if "format" in schema else str(kind))


def _bounds(schema: Mapping[str, Any]) -> str:
    inner = [schema, *(schema.get("anyOf") or ())]
    described = {name: each[name] for each in inner for name in BOUNDS if name in each and each[name] is not None}
    return ", ".join(form.format(_plain(described[name])) for name, form in BOUNDS.items() if name in described)


def _plain(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
