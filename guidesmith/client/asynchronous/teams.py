"""Projects of the asynchronous client, who is in them, and what they say."""

from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path

from guidesmith.client.asynchronous.calls import Calls
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
    async def projects(self) -> AsyncIterator[Project]:
        async for each in self._listed("projects", Project):
            yield each

    async def add_project(self, name: str) -> Project:
        return await self._run(flows.add_project(name))

    async def rename_project(self, project: Project | str, name: str) -> Project:
        return await self._run(flows.change_project(asking.id_of(project), {"name": name}))

    async def place_project(self, project: Project | str, **places: str | None) -> Project:
        return await self._run(flows.change_project(asking.id_of(project), places))

    async def delete_project(self, project: Project | str) -> None:
        await self._run(asking.delete(f"projects/{asking.id_of(project)}"))

    # --- members -----------------------------------------------------------------------------------------------

    async def members(self, project: Project | str) -> tuple[Member, ...]:
        return await self._run(flows.members(asking.id_of(project)))

    async def change_role(self, project: Project | str, member: Member | str, role: str) -> Member:
        return await self._run(flows.change_role(asking.id_of(project), flows.user_id(member), role))

    async def remove_member(self, project: Project | str, member: Member | str) -> None:
        await self._run(flows.remove_member(asking.id_of(project), flows.user_id(member)))

    async def leave(self, project: Project | str) -> None:
        await self._run(flows.leave(asking.id_of(project)))

    async def hand_over(self, project: Project | str, member: Member | str) -> Project:
        return await self._run(flows.hand_over(asking.id_of(project), flows.user_id(member)))

    async def invite(
        self, project: Project | str, role: str, *, email: str | None = None, expires_at: datetime | None = None
    ) -> MadeInvitation:
        return await self._run(flows.invite(asking.id_of(project), role, email, expires_at))

    async def invitations(self, project: Project | str) -> AsyncIterator[Invitation]:
        async for each in self._listed(f"projects/{asking.id_of(project)}/invitations", Invitation):
            yield each

    async def revoke_invitation(self, invitation: Invitation) -> None:
        await self._run(asking.delete(f"projects/{invitation.project_id}/invitations/{invitation.id}"))

    async def accept_invitation(self, url: str) -> Project:
        return await self._run(flows.accept_invitation(url))

    # --- brands ------------------------------------------------------------------------------------------------

    async def brand(self, project: Project | str) -> Brand:
        return await self._run(flows.brand(asking.id_of(project)))

    async def save_brand(self, project: Project | str, **chosen: object) -> Brand:
        return await self._run(flows.save_brand(asking.id_of(project), chosen))

    async def save_logo(self, project: Project | str, path: Path | str) -> Brand:
        return await self._run(flows.save_logo(asking.id_of(project), Path(path)))

    async def delete_logo(self, project: Project | str) -> None:
        await self._run(asking.delete(f"projects/{asking.id_of(project)}/brand/logo"))

    # --- comments ----------------------------------------------------------------------------------------------

    async def comments(self, instruction: Instruction | str, *, resolved: bool | None = None) -> AsyncIterator[Thread]:
        url = f"instructions/{documents.instruction_id(instruction)}/comments"
        async for each in self._listed(url, Thread, resolved=resolved):
            yield each

    async def comment(self, instruction: Instruction | str, block_id: str, text: str) -> Thread:
        return await self._run(flows.comment(documents.instruction_id(instruction), block_id, text))

    async def reply(self, thread: Thread | str, text: str) -> Thread:
        return await self._run(flows.reply(asking.id_of(thread), text))

    async def resolve(self, thread: Thread | str, *, resolved: bool = True) -> Thread:
        return await self._run(flows.resolve(asking.id_of(thread), resolved))

    async def change_comment(self, comment: Comment | str, text: str) -> Thread:
        return await self._run(flows.change_comment(asking.id_of(comment), text))

    async def delete_comment(self, comment: Comment | str) -> None:
        await self._run(asking.delete(f"comments/{asking.id_of(comment)}"))
