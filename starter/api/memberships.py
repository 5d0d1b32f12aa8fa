"""On whose behalf a caller acts: what they are to the thing that an address names, and whether that is enough.

Asked once a request, by one statement, before anything else is looked up. To a stranger nothing is said here: the
route looks the thing up as theirs, and answers what it answers where there is none.
"""

from collections.abc import Mapping

from activities.store import Store
from domain.projects import Membership, Permission, ProjectRole, allows, needed_for
from starter.access.reach import Reach
from starter.api.errors import Forbidden

CALLED: Mapping[ProjectRole, str] = {
    ProjectRole.OWNER: "its owner",
    ProjectRole.EDITOR: "an editor",
    ProjectRole.COMMENTER: "a commenter",
    ProjectRole.VIEWER: "a viewer",
}


def membership_at(store: Store, subject: str, reach: Reach | None, parameters: Mapping[str, str]) -> Membership | None:
    """What ``subject`` is to the thing; ``None``: nothing, there is no such thing, or it is no project's.

    Raises:
        Forbidden: Their role in the project does not let them do that.
    """
    if reach is None:
        return None
    membership = store.membership(subject, reach.thing, parameters[reach.parameter])
    if membership is not None:
        check_allowed(membership, reach.permission)
    return membership


def check_allowed(membership: Membership, permission: Permission) -> None:
    """Raises: Forbidden: the role is not enough; the message says which is."""
    if not allows(membership.role, permission):
        needed = needed_for(permission)
        raise Forbidden(
            f"You are {CALLED[membership.role]} of this project. This takes {CALLED[needed]}: ask the project's owner.",
            details={"role": str(membership.role), "needed_role": str(needed)},
        )
