"""Places on a picture: coordinates are parts of its width and height as shown, 0 to 1, from the top left corner."""

from typing import Annotated, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

GRAIN = 1_000_000
"""Numbers are kept to a millionth, a fiftieth of a pixel of the widest picture: what differs by less is the same."""

_OVERHANG = 1 / GRAIN
"""How far a box may reach over the edge: clients add fractions, and 0.7 + 0.1 + 0.2 is not always 1."""


def grained(value: float) -> float:
    """As a number of a place is kept."""
    return round(value * GRAIN) / GRAIN


Part = Annotated[float, Field(strict=True, ge=0, le=1, allow_inf_nan=False), AfterValidator(grained)]
Extent = Annotated[float, Field(strict=True, ge=1 / GRAIN, le=1, allow_inf_nan=False), AfterValidator(grained)]


class Box(BaseModel):
    """A rectangle; all of it lies on the picture."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    x: Part
    y: Part
    w: Extent
    h: Extent

    @model_validator(mode="after")
    def _lies_on_the_picture(self) -> Self:
        if self.x + self.w > 1 + _OVERHANG or self.y + self.h > 1 + _OVERHANG:
            raise ValueError("reaches over the edge of the picture: x + w and y + h are at most 1")
        return self
