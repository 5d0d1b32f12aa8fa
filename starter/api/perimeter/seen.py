"""Who was seen: what tokens call their bearers is kept, so that people can be shown to others by name."""

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Protocol

from anyio import to_thread

from domain.errors import GuidesmithError
from domain.people import Person
from starter.logs import log

AGAIN_AFTER_S = 24 * 3600.0
"""How old ``seen_at`` may be for who comes all the time: a write a day, not one a request."""

REMEMBERED = 10_000
"""People of whom a process knows that nothing has changed."""


class PeopleStore(Protocol):
    """Where it is kept."""

    def saw_person(self, person: Person) -> None: ...
    def accept_invitations_for(self, subject: str, email: str) -> tuple[str, ...]: ...


class Seen:
    """Keeps what has changed. Belongs to one event loop."""

    def __init__(self, store: PeopleStore, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._clock = clock
        self._known: OrderedDict[str, tuple[Person, float]] = OrderedDict()

    async def note(self, person: Person | None) -> None:
        """Keep what ``person`` is called. Of whom nothing is told but their subject nothing is kept, and nobody is
        turned away since it could not be."""
        if person is None or not (person.name or person.email):
            return
        known, at = self._known.get(person.subject, (None, 0.0))
        if known == person and self._clock() - at < AGAIN_AFTER_S:
            return
        self._known[person.subject] = person, self._clock()
        self._known.move_to_end(person.subject)
        if len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
        try:
            await to_thread.run_sync(self._keep, person)
        except GuidesmithError as fault:
            self._known.pop(person.subject, None)
            log("auth").warning("auth.person_not_kept", code=fault.code)

    def _keep(self, person: Person) -> None:
        """What they are called; and who was invited by an address that is theirs is let in."""
        self._store.saw_person(person)
        if person.email is not None and person.email_verified:
            self._store.accept_invitations_for(person.subject, person.email)
