"""The asynchronous client: :class:`guidesmith.client.Client` with coroutines. A module a topic."""

from guidesmith.client.asynchronous.guides import Guides
from guidesmith.client.asynchronous.jobs import Jobs
from guidesmith.client.asynchronous.teams import Teams


class AsyncClient(Jobs, Teams, Guides):
    """As :class:`guidesmith.client.Client`, in one event loop."""
