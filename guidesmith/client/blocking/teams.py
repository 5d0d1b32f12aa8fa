"""Projects of the blocking client, who is in them, and what they say."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from guidesmith.client.blocking.calls import Calls
from guidesmith.client.flows import asking, documents
from guidesmith.client.flows import teams as flows
from guidesmith.client.shapes import (
    Brand,
    Comment,
    Instruction,
    Invitation,
    MadeInvitation,
    Member,
    Project,
    Thread,
)


class Teams(Calls):
    def projects(self) -> Iterator[Project]:
        """Your projects, and those that you are a member of, newest first."""
        return self._listed("projects", Project)

    def add_project(self, name: str) -> Project:
        """A new project of yours."""
        return self._run(flows.add_project(name))

    def rename_project(self, project: Project | str, name: str) -> Project:
        """Call a project something else."""
        return self._run(flows.change_project(asking.id_of(project), {"name": name}))

    def place_project(self, project: Project | str, **places: str | None) -> Project:
        """Where its guides are put in Confluence and Notion: ``confluence_space`` (an address of a space or of a page
        in it, or a key) and ``notion_parent`` (an address, or an id). ``None``: where the installation puts them. What
        is not named stays."""
        return self._run(flows.change_project(asking.id_of(project), places))

    def delete_project(self, project: Project | str) -> None:
        """Erase a project with all its jobs and whatever is theirs, also what lies in the bin."""
        self._run(asking.delete(f"projects/{asking.id_of(project)}"))

    # --- members -----------------------------------------------------------------------------------------------

    def members(self, project: Project | str) -> tuple[Member, ...]:
        """Who is in a project: its owner first."""
        return self._run(flows.members(asking.id_of(project)))

    def change_role(self, project: Project | str, member: Member | str, role: str) -> Member:
        """Give a member another role (``editor``, ``commenter``, ``viewer``), from their next request on."""
        return self._run(flows.change_role(asking.id_of(project), flows.user_id(member), role))

    def remove_member(self, project: Project | str, member: Member | str) -> None:
        """Take somebody out of a project, from their next request on. What they wrote in it stays."""
        self._run(flows.remove_member(asking.id_of(project), flows.user_id(member)))

    def leave(self, project: Project | str) -> None:
        """Be in a project no more. Its owner hands it over first."""
        self._run(flows.leave(asking.id_of(project)))

    def hand_over(self, project: Project | str, member: Member | str) -> Project:
        """Make a member the owner, with all that is in the project. You are an editor of it then."""
        return self._run(flows.hand_over(asking.id_of(project), flows.user_id(member)))

    def invite(
        self, project: Project | str, role: str, *, email: str | None = None, expires_at: datetime | None = None
    ) -> MadeInvitation:
        """Invite one person: who has its ``url``, or who signs in with that address. ``expires_at``: within 90 days;
        none: in 14."""
        return self._run(flows.invite(asking.id_of(project), role, email, expires_at))

    def invitations(self, project: Project | str) -> Iterator[Invitation]:
        """A project's invitations, newest first, those that let nobody in any more too."""
        return self._listed(f"projects/{asking.id_of(project)}/invitations", Invitation)

    def revoke_invitation(self, invitation: Invitation) -> None:
        """Take an invitation back. Who came in by it stays a member."""
        self._run(asking.delete(f"projects/{invitation.project_id}/invitations/{invitation.id}"))

    def accept_invitation(self, url: str) -> Project:
        """Become a member of the project that the link leads to."""
        return self._run(flows.accept_invitation(url))

    # --- brands ------------------------------------------------------------------------------------------------

    def brand(self, project: Project | str) -> Brand:
        """How the guides of a project look."""
        return self._run(flows.brand(asking.id_of(project)))

    def save_brand(self, project: Project | str, **chosen: object) -> Brand:
        """Have its guides look so from now on: ``accent``, ``on_accent``, ``font``, ``header``, ``footer``, ``lead``,
        ``sections`` (all of them, in their order: dictionaries with ``place``, which is ``before`` or ``after``,
        ``heading`` and ``text``), ``numbering``. What is not named stays."""
        return self._run(flows.save_brand(asking.id_of(project), chosen))

    def save_logo(self, project: Project | str, path: Path | str) -> Brand:
        """Give it a logo: PNG, JPEG or WebP."""
        return self._run(flows.save_logo(asking.id_of(project), Path(path)))

    def delete_logo(self, project: Project | str) -> None:
        """Take its logo away."""
        self._run(asking.delete(f"projects/{asking.id_of(project)}/brand/logo"))

    # --- comments ----------------------------------------------------------------------------------------------

    def comments(self, instruction: Instruction | str, *, resolved: bool | None = None) -> Iterator[Thread]:
        """What is said about a guide's blocks, by threads, the newest first. ``resolved``: only those that are, or only
        those that are not."""
        url = f"instructions/{documents.instruction_id(instruction)}/comments"
        return self._listed(url, Thread, resolved=resolved)

    def comment(self, instruction: Instruction | str, block_id: str, text: str) -> Thread:
        """Say something about a block, in a thread of its own."""
        return self._run(flows.comment(documents.instruction_id(instruction), block_id, text))

    def reply(self, thread: Thread | str, text: str) -> Thread:
        """Say something in a thread. One that was resolved is open again."""
        return self._run(flows.reply(asking.id_of(thread), text))

    def resolve(self, thread: Thread | str, *, resolved: bool = True) -> Thread:
        """Settle a thread, or open it again."""
        return self._run(flows.resolve(asking.id_of(thread), resolved))

    def change_comment(self, comment: Comment | str, text: str) -> Thread:
        """Say otherwise what you said."""
        return self._run(flows.change_comment(asking.id_of(comment), text))

    def delete_comment(self, comment: Comment | str) -> None:
        """Take away what you said; of a project of your own, what anybody said."""
        self._run(asking.delete(f"comments/{asking.id_of(comment)}"))
