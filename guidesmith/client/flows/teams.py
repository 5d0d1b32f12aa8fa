"""Projects: who is in them, how their guides look, and what is said about them."""

import base64
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from guidesmith.client.flows.asking import Ask, Flow, asked, moment, post, shaped
from guidesmith.client.shapes import Brand, MadeInvitation, Member, Project, Thread


def add_project(name: str) -> Flow[Project]:
    return shaped(Project, post("projects", {"name": name}))


def change_project(project_id: str, changes: Mapping[str, str | None]) -> Flow[Project]:
    return shaped(Project, Ask("PATCH", f"projects/{project_id}", json=dict(changes)))


# --- members -------------------------------------------------------------------------------------------------------


def user_id(member: Member | str) -> str:
    return member if isinstance(member, str) else member.user_id


def members(project_id: str) -> Flow[tuple[Member, ...]]:
    page = yield from asked(Ask("GET", f"projects/{project_id}/members"))
    return tuple(Member.model_validate(each) for each in page["items"])


def change_role(project_id: str, user_id: str, role: str) -> Flow[Member]:
    body = {"user_id": user_id, "role": role}
    return shaped(Member, Ask("PATCH", f"projects/{project_id}/members", json=body))


def remove_member(project_id: str, user_id: str) -> Flow[None]:
    yield from asked(Ask("DELETE", f"projects/{project_id}/members", params={"user_id": user_id}))


def leave(project_id: str) -> Flow[None]:
    yield from asked(Ask("POST", f"projects/{project_id}/leave", takes_away=True))


def hand_over(project_id: str, user_id: str) -> Flow[Project]:
    return shaped(Project, post(f"projects/{project_id}/transfer", {"user_id": user_id}))


def invite(project_id: str, role: str, email: str | None, expires_at: datetime | None) -> Flow[MadeInvitation]:
    body = {"role": role, "email": email, "expires_at": moment(expires_at)}
    return shaped(MadeInvitation, post(f"projects/{project_id}/invitations", body))


def accept_invitation(link: str) -> Flow[Project]:
    token = link.rstrip("/").rpartition("/")[2]
    return shaped(Project, post("invitations/accept", {"token": token}))


# --- brands --------------------------------------------------------------------------------------------------------


def brand(project_id: str) -> Flow[Brand]:
    return shaped(Brand, Ask("GET", f"projects/{project_id}/brand"))


def save_brand(project_id: str, chosen: Mapping[str, object]) -> Flow[Brand]:
    """What is named; the rest stays."""
    now = yield from brand(project_id)
    named = ("accent", "on_accent", "font", "header", "footer", "lead", "sections", "numbering")
    body = {name: chosen.get(name, getattr(now, name)) for name in (*named, *chosen)}
    return (yield from shaped(Brand, Ask("PUT", f"projects/{project_id}/brand", json=body)))


def save_logo(project_id: str, path: Path) -> Flow[Brand]:
    """Raises: OSError: The file cannot be read."""
    body = {"data": base64.b64encode(path.read_bytes()).decode()}
    return shaped(Brand, Ask("PUT", f"projects/{project_id}/brand/logo", json=body))


# --- comments ------------------------------------------------------------------------------------------------------


def comment(instruction_id: str, block_id: str, text: str) -> Flow[Thread]:
    return shaped(Thread, post(f"instructions/{instruction_id}/comments", {"block_id": block_id, "text": text}))


def reply(thread_id: str, text: str) -> Flow[Thread]:
    return shaped(Thread, post(f"comment-threads/{thread_id}/comments", {"text": text}))


def change_comment(comment_id: str, text: str) -> Flow[Thread]:
    return shaped(Thread, Ask("PUT", f"comments/{comment_id}", json={"text": text}))


def resolve(thread_id: str, resolved: bool) -> Flow[Thread]:
    return shaped(Thread, Ask("PUT", f"comment-threads/{thread_id}", json={"resolved": resolved}))
