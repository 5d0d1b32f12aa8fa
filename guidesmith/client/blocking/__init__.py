"""The blocking client. A module a topic."""

from guidesmith.client.blocking.guides import Guides
from guidesmith.client.blocking.jobs import Jobs
from guidesmith.client.blocking.teams import Teams


class Client(Jobs, Teams, Guides):
    """One API, one caller. May be shared between threads.

    Args:
        base_url: ``https://guidesmith.example.org``.
        token: A bearer token.
        transport: Another way to send requests, for tests.
    """
