"""What a picture is ordered with: the prompt, and the parameters that every painter understands."""

from typing import Any

from pydantic import Field

from domain.errors import RequestInvalid
from domain.jobs import Frozen

SIZES = ("1024x1024", "512x512", "1024x1536", "1536x1024", "1024x1792", "1792x1024")
"""Width x height in pixels; the first is the default. What OpenAI's image models make, and a small one."""

MOST_PARAMS = 20
LONGEST_VALUE = 200
NAME_LIMIT = 60


class PictureOrder(Frozen):
    """A prompt with its parameters. ``size`` is one of :data:`SIZES`; what nobody knows is kept, and not passed on."""

    prompt: str
    params: dict[str, Any] = Field(default_factory=dict)

    @property
    def size(self) -> tuple[int, int]:
        """Pixels, width and height."""
        width, _, height = str(self.params.get("size", SIZES[0])).partition("x")
        return int(width), int(height)


def check_params(params: dict[str, Any]) -> dict[str, Any]:
    """Raises: RequestInvalid: not a few plain values, or a size that is not made here."""
    check_plain(params)
    if params.get("size", SIZES[0]) not in SIZES:
        raise RequestInvalid(f"params.size is one of {', '.join(SIZES)}.", field="params.size")
    return params


def check_plain(params: dict[str, Any]) -> None:
    """Raises: RequestInvalid: not a few plain values."""
    plain = all(
        len(name) <= NAME_LIMIT
        and (value is None or isinstance(value, bool | int | float | str))
        and len(str(value)) <= LONGEST_VALUE
        for name, value in params.items()
    )
    if len(params) > MOST_PARAMS or not plain:
        raise RequestInvalid(f"params holds at most {MOST_PARAMS} numbers, short texts or booleans.", field="params")
