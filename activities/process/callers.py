"""Who asked for the work that goes on, and whether they act on somebody else's behalf.

Members of a project act on what belongs to its owner. The perimeter knows both; the store writes down who it was, far
below, where it would otherwise be passed through every call. Threads take it along, as what is logged.
"""

from contextvars import ContextVar

_CALLER: ContextVar[str | None] = ContextVar("guidesmith_caller", default=None)
_MEMBER: ContextVar[tuple[str, str] | None] = ContextVar("guidesmith_member", default=None)


def called_by(subject: str | None) -> None:
    """From here on this request is ``subject``'s, who acts for nobody else."""
    _CALLER.set(subject)
    _MEMBER.set(None)


def caller() -> str | None:
    """Whose request this is; ``None`` for work that nobody waits for."""
    return _CALLER.get()


def act_as_member(subject: str, role: str) -> None:
    """From here on ``subject`` acts, by that role, on what belongs to a project's owner."""
    _MEMBER.set((subject, role))


def acting_member() -> str | None:
    """The member who acts on the owner's behalf; ``None``: the owner does, or nobody."""
    member = _MEMBER.get()
    return None if member is None else member[0]


def acting_role() -> str | None:
    """By which role they do."""
    member = _MEMBER.get()
    return None if member is None else member[1]
