"""What the generation job asks of whoever makes something in the worker. Adapters translate what goes wrong into the
taxonomy, and retry nothing."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

Stop = Callable[[], None]
"""Asked while something is awaited: raises where nobody wants it any more."""


@dataclass(frozen=True)
class Made:
    """A file as it was made. ``facts`` are small and measured: no text of the user's."""

    data: bytes
    media_type: str
    model: str
    facts: Mapping[str, object] = field(default_factory=dict)


class Maker(Protocol):
    """Makes one file of an order. Safe to use from several threads."""

    @property
    def name(self) -> str:
        """What the asset's provenance calls it."""

    def make(self, order: Any, *, request_id: str, stop: Stop) -> Made:
        """Make it.

        Args:
            order: Of the type that this maker is for (``domain/orders/generation.py``).
            request_id: The same for the same attempt of the same job, for providers that can tell a repeat.

        Raises:
            ContentRejected: A safety filter refused it. ProviderError, or what else the maker says.
        """
