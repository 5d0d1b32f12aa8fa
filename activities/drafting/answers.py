"""Reads what a model answered: finds the JSON in it, forgives its small mistakes, and no large ones."""

import json
import re
from typing import Annotated, TypeVar

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from activities.drafting.markdown import plain_words, tame

_LONGEST_ANSWER = 2_000_000
_OBJECTS_TRIED = 20
_STRING_OR_TRAILING_COMMA = re.compile(r'"(?:\\.|[^"\\])*"|,(?=\s*[}\]])', re.DOTALL)
_HEADING_LIMIT = 200
_BODY_LIMIT = 10_000


T = TypeVar("T", bound=BaseModel)


class AnswerUnusable(Exception):
    """An answer that cannot be read or breaks the rules. ``problems`` are sentences without any of its text, fit to
    be sent back to the model."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


def _heading(value: object) -> object:
    if not isinstance(value, str):
        return "" if value is None else value
    # Plain text was asked for; models like to set a button's name in bold or code all the same.
    return plain_words(value)[:_HEADING_LIMIT].strip()


def _body(value: object) -> object:
    if not isinstance(value, str):
        return "" if value is None else value
    return tame(value) if len(value) <= _BODY_LIMIT else value  # too long is refused as it is


def _numbers(value: object) -> object:
    """``[1, "2", "segment 3", 3.0]`` as ``[1, 2, 3, 3]``; what holds no number is left for the validation to refuse."""
    if value is None:
        return []
    items = value if isinstance(value, list) else [value]
    return [
        int(found.group()) if isinstance(item, str) and (found := re.search(r"-?\d{1,9}", item)) else item
        for item in items
    ]


Kind = Annotated[
    str,
    BeforeValidator(lambda value: str(value).strip().lower()),
    Field(validation_alias=AliasChoices("kind", "role", "type")),
]
Heading = Annotated[str, BeforeValidator(_heading)]
Body = Annotated[str, BeforeValidator(_body), Field(max_length=_BODY_LIMIT)]
Segments = Annotated[list[int], BeforeValidator(_numbers), Field(max_length=10_000)]


class Written(BaseModel):
    """One block as a model writes it: plain heading, tamed Markdown, the segments it cites."""

    model_config = ConfigDict(extra="ignore")

    kind: Kind = "step"
    heading: Heading = ""
    body: Body = ""
    segments: Segments = Field(default_factory=list)


class WrittenDraft(BaseModel):
    """A draft, or a part of one, as a model writes it."""

    model_config = ConfigDict(extra="ignore")

    title: Heading = ""
    title_segments: Segments = Field(default_factory=list)
    lead: Body = ""
    lead_segments: Segments = Field(default_factory=list)
    blocks: list[Written]


def read_draft(text: str) -> WrittenDraft:
    """A draft from a model's answer.

    Raises:
        AnswerUnusable: It is none.
    """
    return _read(text, WrittenDraft)


def read_block(text: str) -> Written:
    """One block from a model's answer.

    Raises:
        AnswerUnusable: It is none.
    """
    return _read(text, Written)


def _read(text: str, model: type[T]) -> T:
    try:
        return model.model_validate(json_object(text))
    except ValidationError as invalid:
        raise AnswerUnusable(
            [
                f"{'.'.join(str(step) for step in error['loc'])}: {error['type']}"
                for error in invalid.errors(include_input=False, include_context=False, include_url=False)[:10]
            ]
        ) from None


def json_object(text: str) -> dict[str, object]:
    """The first JSON object in a text that may stand in a code fence, between sentences, or have trailing commas.

    Raises:
        AnswerUnusable: There is none, as when the answer was cut off.
    """
    start = text.find("{") if len(text) <= _LONGEST_ANSWER else -1
    for _ in range(_OBJECTS_TRIED):
        if start < 0:
            break
        for variant in (text[start:], _STRING_OR_TRAILING_COMMA.sub(_without_comma, text[start:])):
            if found := _decoded(variant):
                return found
        start = text.find("{", start + 1)
    raise AnswerUnusable(["The answer is not one complete JSON object."])


def _without_comma(found: re.Match[str]) -> str:
    return "" if found.group() == "," else found.group()


def _decoded(text: str) -> dict[str, object] | None:
    try:
        found, _ = json.JSONDecoder(strict=False).raw_decode(text)
    except (ValueError, RecursionError):
        return None
    return dict(found)
