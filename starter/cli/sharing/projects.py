"""``guidesmith projects``: folders of jobs, and who is in them."""

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Annotated

import typer

from starter.cli.options import AsJson, DataDir
from starter.cli.printing import print_listed, print_said
from starter.cli.reaching import reached

projects_app = typer.Typer(help="Folders of jobs, and who is in them.", no_args_is_help=True, rich_markup_mode=None)

ProjectId = Annotated[str, typer.Argument(metavar="PROJECT", help="The project's id.", show_default=False)]
UserId = Annotated[str, typer.Argument(metavar="USER", help="Who, as their token names them.", show_default=False)]
RoleName = Annotated[str, typer.Argument(metavar="ROLE", help="editor, commenter or viewer.", show_default=False)]

_client = partial(
    reached,
    absent="There is no such project, or you are not in it: `guidesmith projects list` shows those that you are in.",
)


@projects_app.command("list", epilog="Example: guidesmith projects list")
def list_projects(as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """Your projects, and those that you are a member of, newest first."""
    with _client(data_dir) as client:
        found = list(client.listed("projects", limit=100))
    print_listed(
        {"items": found},
        ("ID", "NAME", "ROLE", "OWNER", "CREATED"),
        ((each["id"], each["name"], each["role"], each["owner"], each["created_at"]) for each in found),
        as_json=as_json,
    )


@projects_app.command(epilog='Example: guidesmith projects add "Onboarding"')
def add(
    name: Annotated[str, typer.Argument(metavar="NAME", show_default=False)],
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Make a project."""
    with _client(data_dir) as client:
        made = client.post("projects", {"name": name})
    print_said(made, made["id"], as_json=as_json)


@projects_app.command(epilog='Example: guidesmith projects rename 0199f3c2-… "Handbook"')
def rename(
    project_id: ProjectId,
    name: Annotated[str, typer.Argument(metavar="NAME", show_default=False)],
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Call a project of yours something else."""
    with _client(data_dir) as client:
        renamed = client.change(f"projects/{project_id}", {"name": name})
    print_said(renamed, f"Project {project_id} is called {renamed['name']}.", as_json=as_json)


@projects_app.command(
    epilog="Example: guidesmith projects places 0199f3c2-… --confluence https://team.atlassian.net/wiki/spaces/HANDBOOK"
)
def places(
    project_id: ProjectId,
    confluence: Annotated[
        str | None,
        typer.Option(help="A space of the installation's site, or a page in it. Empty: the installation's own."),
    ] = None,
    notion: Annotated[
        str | None, typer.Option(help="A page, by its address or id. Empty: the installation's own.")
    ] = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Where the guides of a project are put in Confluence and Notion: show it, or choose it for one of yours."""
    given = {"confluence_space": confluence, "notion_parent": notion}
    changes = {name: value or None for name, value in given.items() if value is not None}
    with _client(data_dir) as client:
        path = f"projects/{project_id}"
        project = client.change(path, changes) if changes else client.get(path)
    shown = ((name.replace("_", " "), project[name] or "the installation's own") for name in given)
    print_listed(project, ("PLACES OF", project["name"]), shown, as_json=as_json)


@projects_app.command(epilog="Example: guidesmith projects move 0199f3c2-… 0199f3c4-…")
def move(
    project_id: ProjectId,
    job_ids: Annotated[list[str], typer.Argument(metavar="JOB...", show_default=False)],
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Put jobs of yours into another project of yours."""
    with _client(data_dir) as client:
        moved = [client.change(f"jobs/{each}", {"project_id": project_id}) for each in job_ids]
    print_said({"items": moved}, f"{len(moved)} in project {project_id}.", as_json=as_json)


@projects_app.command(epilog="Example: guidesmith projects members 0199f3c2-…")
def members(project_id: ProjectId, as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """Who is in a project: its owner first."""
    with _client(data_dir) as client:
        found = client.get(f"projects/{project_id}/members")
    print_listed(
        found,
        ("USER", "ROLE", "ADDED BY", "SINCE"),
        ((each["user_id"], each["role"], each["added_by"], each["added_at"]) for each in found["items"]),
        as_json=as_json,
    )


@projects_app.command(epilog="Example: guidesmith projects invite 0199f3c2-… editor --email ada@example.org")
def invite(
    project_id: ProjectId,
    role: RoleName,
    email: Annotated[
        str | None, typer.Option(help="Whose it is: they are let in when they sign in with it.", show_default=False)
    ] = None,
    days: Annotated[int | None, typer.Option(min=1, max=90, help="It ends after so many.  [default: 14]")] = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Invite one person to a project of yours. Prints the link, this once; nothing is sent."""
    ends = (datetime.now(UTC) + timedelta(days=days)).isoformat() if days else None
    with _client(data_dir) as client:
        made = client.post(f"projects/{project_id}/invitations", {"role": role, "email": email, "expires_at": ends})
    print_listed(
        made, ("INVITATION", made["id"]), (("url", made["url"]), ("expires", made["expires_at"])), as_json=as_json
    )


@projects_app.command(epilog="Example: guidesmith projects invitations 0199f3c2-…")
def invitations(project_id: ProjectId, as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """Invitations to a project of yours, newest first."""
    with _client(data_dir) as client:
        found = list(client.listed(f"projects/{project_id}/invitations", limit=100))
    print_listed(
        {"items": found},
        ("ID", "ROLE", "EMAIL", "EXPIRES", "USED BY", "TAKEN BACK"),
        (
            (each["id"], each["role"], each["email"], each["expires_at"], each["used_by"], each["revoked_at"])
            for each in found
        ),
        as_json=as_json,
    )


@projects_app.command(epilog="Example: guidesmith projects uninvite 0199f3c2-… 0199f3c4-…")
def uninvite(
    project_id: ProjectId,
    invitation_id: Annotated[str, typer.Argument(metavar="INVITATION", show_default=False)],
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Take an invitation back. Who came in by it stays."""
    with _client(data_dir) as client:
        client.delete(f"projects/{project_id}/invitations/{invitation_id}")
    print_said({"revoked": invitation_id}, f"Invitation {invitation_id} lets nobody in any more.", as_json=as_json)


@projects_app.command(epilog="Example: guidesmith projects accept https://guidesmith.example.org/invited/…")
def accept(
    link: Annotated[str, typer.Argument(metavar="LINK", help="The link that you were given.", show_default=False)],
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Become a member of the project that you are invited to."""
    with partial(reached, absent="This invitation was used or taken back, or has expired.")(data_dir) as client:
        joined = client.post("invitations/accept", {"token": link.rstrip("/").rpartition("/")[2]})
    print_said(joined, f"You are {joined['role']} of {joined['name']} ({joined['id']}).", as_json=as_json)


@projects_app.command(epilog="Example: guidesmith projects role 0199f3c2-… ada viewer")
def role(
    project_id: ProjectId, user_id: UserId, role: RoleName, as_json: AsJson = False, data_dir: DataDir = None
) -> None:
    """Give a member of a project of yours another role."""
    with _client(data_dir) as client:
        changed = client.change(f"projects/{project_id}/members", {"user_id": user_id, "role": role})
    print_said(changed, f"{user_id} is {changed['role']}.", as_json=as_json)


@projects_app.command(epilog="Example: guidesmith projects remove 0199f3c2-… ada")
def remove(project_id: ProjectId, user_id: UserId, as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """Take somebody out of a project of yours."""
    with _client(data_dir) as client:
        client.delete(f"projects/{project_id}/members", user_id=user_id)
    print_said({"removed": user_id}, f"{user_id} is not in project {project_id} any more.", as_json=as_json)


@projects_app.command(epilog="Example: guidesmith projects leave 0199f3c2-…")
def leave(project_id: ProjectId, as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """Leave a project of somebody else's."""
    with _client(data_dir) as client:
        client.post(f"projects/{project_id}/leave")
    print_said({"left": project_id}, f"You are not in project {project_id} any more.", as_json=as_json)


@projects_app.command(epilog="Example: guidesmith projects transfer 0199f3c2-… ada")
def transfer(project_id: ProjectId, user_id: UserId, as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """Hand a project of yours over to a member, with all that is in it. You are an editor of it then."""
    with _client(data_dir) as client:
        given = client.post(f"projects/{project_id}/transfer", {"user_id": user_id})
    print_said(given, f"Project {project_id} is {given['owner']}'s.", as_json=as_json)


@projects_app.command(epilog="Example: guidesmith projects delete 0199f3c2-…")
def delete(
    project_id: ProjectId,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Erase a project of yours with all its jobs and whatever is theirs. It cannot be undone."""
    if not yes:
        typer.confirm(f"Erase project {project_id} with all that is in it?", abort=True)
    with _client(data_dir) as client:
        erased = client.delete(f"projects/{project_id}")
    print_said(erased, f"Project {project_id} is being removed.", as_json=as_json)
