"""Reads what a model answered: finds the JSON in it, forgives its small mistakes, and no large ones."""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Annotated, TypeVar

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from activities.drafting.markdown import plain_words, tame, without_links

_LONGEST_ANSWER = 2_000_000
_OBJECTS_TRIED = 60
_NO_OBJECT = "The answer is not one complete JSON object."
_THOUGHT_ENDS = re.compile(
    r"</(?:think|thinking|thought|thoughts|reasoning|reflection|analysis|scratchpad)\s*>"
    r"|\[/THINK\]|\u25c1/think\u25b7|<\|(?:end_of_thought|channel\|>final[^<]*<\|message)\|>",
    re.IGNORECASE,
)
"""Where models that think aloud begin to answer. A chat template may swallow the mark of the thought's beginning."""
_THOUGHT = re.compile(
    r"<(?P<mark>think|thinking|thoughts?|reasoning|reflection|scratchpad)\s*>.*?</(?P=mark)\s*>", re.I | re.S
)
"""A thought with both its marks."""
_STRING_OR_SURPLUS = re.compile(
    r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/|,(?=\s*[}\]])|[\u00a0\u2000-\u200b\u202f\u3000\ufeff]+', re.DOTALL
)
"""Texts, so that nothing within them is taken for what JSON has no place for: remarks, commas, other spaces."""
_NO_ESCAPE = re.compile(r'\\(?:(["\\/bfnrt]|u[0-9a-fA-F]{4})|)')
"""An escape of JSON, or a backslash that is none, as in ``C:\\Users`` and the ``\\_`` of Markdown."""
_DEEPEST = 4
"""Levels that an answer is wrapped in."""
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
    return plain_words(without_links(value))[:_HEADING_LIMIT].strip()


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
LeftOut = Annotated[bool, BeforeValidator(lambda _: False)]
Segments = Annotated[list[int], BeforeValidator(_numbers), Field(max_length=10_000)]


class Written(BaseModel):
    """One block as a model writes it: plain heading, tamed Markdown, the segments it cites.

    ``left_out``: part of it was taken away, because the model was given nothing like it. Never read from an answer.
    """

    model_config = ConfigDict(extra="ignore")

    kind: Kind = "step"
    heading: Heading = ""
    body: Body = ""
    segments: Segments = Field(default_factory=list)
    changes: Segments = Field(default_factory=list)
    left_out: LeftOut = False


class WrittenDraft(BaseModel):
    """A draft, or a part of one, as a model writes it. ``left_out`` is of its title and lead."""

    model_config = ConfigDict(extra="ignore")

    title: Heading = ""
    title_segments: Segments = Field(default_factory=list)
    lead: Body = ""
    lead_segments: Segments = Field(default_factory=list)
    blocks: list[Written]
    left_out: LeftOut = False


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
        return fitting(text, model)
    except ValidationError as invalid:
        raise AnswerUnusable(
            [
                f"{'.'.join(str(step) for step in error['loc'])}: {error['type']}"
                for error in invalid.errors(include_input=False, include_context=False, include_url=False)[:10]
            ]
        ) from None


def fitting(text: str, model: type[T]) -> T:
    """The object of an answer that fits ``model``. Models think aloud, repeat the schema that they were given, and try
    examples before they answer: of several objects that fit, the one is taken that says something under most of the
    model's names, and of equals the last.

    Raises:
        AnswerUnusable: There is no object, as when the answer was cut off.
        ValidationError: None fits; it is that of the object which comes nearest.
    """
    names = _names(model)
    refused: list[tuple[int, ValidationError]] = []
    for said in _spoken(text):
        fit: list[tuple[int, T]] = []
        for found in (each for outer in json_objects(said) for each in _within(outer, names)):
            # what is there and empty is more than nothing
            merit = sum(2 if found[name] else 1 for name in names & found.keys())
            try:
                fit.append((merit, model.model_validate(found)))
            except ValidationError as invalid:
                refused.append((merit, invalid))
        if fit:
            return max(reversed(fit), key=lambda each: each[0])[1]
    if not refused:
        raise AnswerUnusable([_NO_OBJECT])
    raise max(reversed(refused), key=lambda each: each[0])[1]


def _names(model: type[BaseModel]) -> set[str]:
    """What its fields may be called."""
    names = set(model.model_fields)
    for field in model.model_fields.values():
        if isinstance(field.validation_alias, AliasChoices):
            names |= {choice for choice in field.validation_alias.choices if isinstance(choice, str)}
    return names


def _spoken(text: str) -> list[str]:
    """The texts to look for an answer in, one after the other: what stands behind the last thought, what is no thought
    (one may follow the answer), then all of it (a thought's mark may stand within the answer, or the answer within the
    thought)."""
    if len(text) > _LONGEST_ANSWER:
        return []
    with suppress(ValueError, RecursionError):  # JSON in a text in JSON
        unpacked = json.loads(text)
        text = unpacked if isinstance(unpacked, str) else text
    *_, last = [0, *(found.end() for found in _THOUGHT_ENDS.finditer(text))]
    return [text[last:], _THOUGHT.sub("", text), text] if last else [text]


def json_objects(text: str) -> Iterator[dict[str, object]]:
    """The JSON objects in a text that may stand in code fences, between sentences, or have trailing commas; in order,
    without those inside others. Empty ones are none."""
    at = 0
    for _ in range(_OBJECTS_TRIED):
        at = text.find("{", at)
        if at < 0:
            return
        found, end = _decoded(text, at)
        if found is None:
            mended = _STRING_OR_SURPLUS.sub(_without_surplus, text[at:])
            found, end = _decoded(mended, 0)
            if found is not None:
                text = mended
        if found:
            yield found
        at = end if found is not None else at + 1


def _without_surplus(found: re.Match[str]) -> str:
    if found.group().startswith('"'):
        return _NO_ESCAPE.sub(lambda each: each.group() if each[1] else r"\\", found.group())
    return "" if found.group()[0] in ",/" else " "


def _within(found: dict[str, object], names: set[str]) -> Iterator[dict[str, object]]:
    """The object, or what it is wrapped in: ``{"draft": {...}}`` has none of the names itself, and neither has
    ``{"arguments": "{...}"}``."""
    yield found
    level: list[object] = [] if names & found.keys() else [found]
    for _ in range(_DEEPEST):
        inner = [value for each in level for value in _values(each)][:_OBJECTS_TRIED]
        level = []
        for value in inner:
            if isinstance(value, dict) and names & value.keys():
                yield value
            else:
                level.append(value)


def _values(wrapper: object) -> list[object]:
    """What a value holds: of a text, the objects in it."""
    match wrapper:
        case dict():
            return list(wrapper.values())
        case list():
            return list(wrapper)
        case str() if wrapper.lstrip()[:1] in ("{", "[", "`"):
            return list(json_objects(wrapper))
        case _:
            return []


def _decoded(text: str, at: int) -> tuple[dict[str, object] | None, int]:
    """The object that begins there, and where it ends."""
    try:
        found, end = json.JSONDecoder(strict=False).raw_decode(text, at)
    except (ValueError, RecursionError):
        return None, at
    return dict(found), end
