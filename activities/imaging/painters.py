"""What the image job asks of a painter and of a moderator. Adapters translate what goes wrong into the taxonomy."""

from dataclasses import dataclass
from typing import Protocol

from activities.providers.cancellation import Stop
from domain.orders.picture import PictureOrder


@dataclass(frozen=True)
class Painted:
    """A picture file as its maker gave it, unchecked; ``model`` is what made it."""

    data: bytes
    model: str


class Painter(Protocol):
    """Makes one picture. Safe to use from several threads; retries nothing."""

    @property
    def name(self) -> str:
        """What the asset's provenance calls it."""

    def paint(self, order: PictureOrder, *, request_id: str, stop: Stop) -> Painted:
        """Make the picture.

        Args:
            request_id: The same for the same execution of the same job, for providers that can tell a repeat.
            stop: Asked while waiting.

        Raises:
            ContentRejected: A safety filter refused it.
            ProviderError: Anything else that went wrong.
        """


class Moderator(Protocol):
    """Judges prompts before anything is made of them."""

    def check(self, prompt: str, *, stop: Stop) -> None:
        """Raises: ContentRejected: the prompt is not to be made. ProviderError: it could not be judged."""
