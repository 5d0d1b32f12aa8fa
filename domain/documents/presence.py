"""Who has a guide open now: told to the others in its project, for as long as they say so, and forgotten then."""

from domain.jobs import Frozen

BEAT_S = 10
"""How often an open page says that it is there."""

GONE_AFTER_S = 15
"""Since it was heard last: one beat was missed."""

MOST_DESKS = 5
"""Of one person in one guide: tabs and devices. What was heard of longest ago goes."""

MOST_TOLD = 50
"""Desks of one guide that are told of, those that came first."""


class Place(Frozen):
    """Where somebody is in a guide. ``block_id``: the block that they were in last; ``writes``: its text is open."""

    block_id: str | None = None
    writes: bool = False


class Presence(Place):
    """One desk at which a guide is open. ``desk_id``: the page's own."""

    desk_id: str
    subject: str
    name: str


class Present(Frozen):
    """Somebody who has a guide open, at one desk or several."""

    subject: str
    name: str
    places: tuple[Place, ...]


def gathered(desks: tuple[Presence, ...], *, but: str | None = None) -> tuple[Present, ...]:
    """The people at ``desks``, in their order. ``but``: a desk that is left out: of who asks."""
    people: dict[str, Present] = {}
    for each in desks:
        if each.desk_id == but:
            continue
        known = people.get(each.subject)
        place = Place(block_id=each.block_id, writes=each.writes)
        places = (place,) if known is None else (*known.places, place)
        people[each.subject] = Present(subject=each.subject, name=each.name, places=places)
    return tuple(people.values())
