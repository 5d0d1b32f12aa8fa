"""What every area of the store stands on."""

from collections.abc import Callable
from datetime import UTC, datetime

import uuid_utils

from activities.store.database import Database
from activities.store.sealing import Sealing
from domain.quotas import OwnerLimits


def utc_now() -> datetime:
    return datetime.now(UTC)


def new_uuid7() -> str:
    """A UUIDv7: ids made later sort later."""
    return str(uuid_utils.uuid7())


class Repository:
    """One area of the store.

    Args:
        database: The connection.
        clock: The moment that rows are stamped with, aware.
        new_id: Makes the ids of new rows.
        sealing: Encrypts the secrets of users; ``None``: they lie in clear.
        limits: How much each user may have; ``None``: as much as they like.
    """

    def __init__(
        self,
        database: Database,
        clock: Callable[[], datetime],
        new_id: Callable[[], str],
        sealing: Sealing | None = None,
        limits: OwnerLimits | None = None,
    ) -> None:
        self._database = database
        self._sealing = sealing or Sealing()
        self._limits = limits or OwnerLimits()
        self._clock = clock
        self._new_id = new_id
