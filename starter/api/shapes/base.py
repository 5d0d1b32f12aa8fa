"""What the shapes of requests and answers are made of."""

import unicodedata
from datetime import UTC, datetime
from typing import Annotated, Generic, TypeVar

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    StrictInt,
    StringConstraints,
    WithJsonSchema,
)

from domain.lifecycles.kinds import LIFECYCLES
from domain.recordings.corrections import LONGEST_TEXT
from domain.uploads import MOST_PARTS

Item = TypeVar("Item")


ADDRESSES_AT_ONCE = 1000
"""Part addresses that one request may ask for."""


def _rfc3339(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def on_one_line(text: str) -> str:
    """Text without line breaks and control characters. Joiners, marks of direction, tags of flags, spaces that do not
    break and letters newer than this Python belong to what is written: whoever puts a name into a path or a header
    escapes it there. What turns the direction of what follows around (U+202A to U+202E) does not: it shows one name as
    another."""
    if any(unicodedata.category(each) in ("Cc", "Cs", "Zl", "Zp") or "\u202a" <= each <= "\u202e" for each in text):
        raise ValueError("has line breaks or control characters")
    return text


def _without_nul(text: str) -> str:
    if "\x00" in text or any("\ud800" <= each <= "\udfff" for each in text):
        raise ValueError("has characters that cannot be stored")
    return text


Moment = Annotated[
    datetime,
    PlainSerializer(_rfc3339, return_type=str),
    Field(
        description="RFC 3339, UTC.",
        examples=["2026-01-31T12:00:00.000Z"],
        json_schema_extra={"format": "date-time"},
    ),
]
"""A time as it is sent."""


def _written(value: object) -> object:
    if not isinstance(value, str):
        raise ValueError("is a text like 2026-01-31T12:00:00Z")
    return value


GivenMoment = Annotated[AwareDatetime, BeforeValidator(_written)]
"""A time as a client writes it: RFC 3339 with a zone. A number is none: of seconds, or of milliseconds?"""


Line = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=200),
    AfterValidator(on_one_line),
]
"""A short text on one line."""


Text = Annotated[str, AfterValidator(_without_nul)]


Status = Annotated[
    str,
    WithJsonSchema(
        {
            "anyOf": [
                {
                    "title": f"{kind.capitalize()}Status",
                    "type": "string",
                    "enum": [str(each.value) for each in lifecycle.statuses],
                }
                for kind, lifecycle in LIFECYCLES.items()
            ]
        }
    ),
]
"""A status of a job of any kind."""


Said = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_TEXT),
    AfterValidator(on_one_line),
]
"""What somebody said in one stretch, on one line."""


Checksum = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


PartNumber = Annotated[StrictInt, Field(ge=1, le=MOST_PARTS)]


Count = Annotated[StrictInt, Field(ge=0, le=2**53)]


VersionNumber = Annotated[StrictInt, Field(ge=1, le=2**31 - 1)]


class Shape(BaseModel):
    """A body. In an answer every field is there, whatever it may be made without."""

    model_config = ConfigDict(frozen=True, json_schema_serialization_defaults_required=True)


class Sent(Shape):
    """A body, or a part of one, that a client sends. A field that it does not have is a mistake, and refused."""

    model_config = ConfigDict(extra="forbid")


class Listed(Shape, Generic[Item]):
    """One page of a list, newest first."""

    items: tuple[Item, ...]
    next_cursor: str | None = Field(default=None, description="For the next page; null at the end.")
