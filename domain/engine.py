"""Which of Temporal's namespaces holds the runs of a database's jobs: whose word that there is no such run counts."""

from datetime import datetime
from enum import StrEnum

from pydantic import BaseModel, ConfigDict


class Namespace(BaseModel):
    """A namespace as Temporal names it.

    Args:
        id: Given when it was made, and never again: a namespace that was made anew has another.
        name: As the settings say it.
        address: Where it was asked for (``host:port``).
        recorded_at: When the database was last told that it is the jobs' own; ``None``: it never was.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    name: str
    address: str
    recorded_at: datetime | None = None


class NamespaceMatch(StrEnum):
    """What a namespace that is asked is to a database."""

    OWN = "own"
    """The jobs' runs are, or were, in this one."""
    FIRST = "first"
    """The database has recorded none yet."""
    MADE_ANEW = "made_anew"
    """It answers under the own one's name at its address, and is another: the histories of that one are gone."""
    FOREIGN = "foreign"
    """It is elsewhere or called otherwise: what it does not know says nothing about the jobs."""


def judge_namespace(known: Namespace | None, asked: Namespace) -> NamespaceMatch:
    """What ``asked`` is to a database that has recorded ``known``."""
    if known is None:
        return NamespaceMatch.FIRST
    if known.id == asked.id:
        return NamespaceMatch.OWN
    same = (known.name, known.address) == (asked.name, asked.address)
    return NamespaceMatch.MADE_ANEW if same else NamespaceMatch.FOREIGN
