"""``guidesmith shares``: links that show a guide to whoever holds them."""

from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from domain.errors import RequestInvalid
from starter.cli.options import AsJson, DataDir
from starter.cli.printing import print_listed, print_said
from starter.cli.reaching import reached

shares_app = typer.Typer(
    help="Links that show a guide to whoever holds them.", no_args_is_help=True, rich_markup_mode=None
)

JobId = Annotated[str, typer.Argument(metavar="JOB", help="The job that the guide came of.", show_default=False)]
ShareId = Annotated[str, typer.Argument(metavar="SHARE", help="The link's id.", show_default=False)]

_client = partial(
    reached,
    absent="There is no such guide or link, or it is not yours: `guidesmith shares list JOB` shows a guide's.",
)


@shares_app.command("list", epilog="Example: guidesmith shares list 0199f3c2-…")
def list_shares(job_id: JobId, as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """A guide's links, newest first."""
    with _client(data_dir) as client:
        instruction = client.get(f"jobs/{job_id}")["instruction_id"]
        links = list(client.listed(f"instructions/{instruction}/shares", limit=100))
    print_listed(
        {"items": links},
        ("ID", "NAME", "OPEN", "VERSION", "VIEWS", "EXPIRES", "MADE BY", "REVOKED BY"),
        (
            (
                each["id"],
                each["name"],
                "yes" if each["is_open"] else "no",
                each["version"],
                each["views"],
                each["expires_at"],
                each["created_by"],
                each["revoked_by"],
            )
            for each in links
        ),
        as_json=as_json,
    )


@shares_app.command(epilog="Example: guidesmith shares add 0199f3c2-… --days 30 --recording")
def add(
    job_id: JobId,
    name: Annotated[str | None, typer.Option(help="What you call it.")] = None,
    days: Annotated[int | None, typer.Option(min=1, max=3650, help="It ends after so many.  [default: never]")] = None,
    passphrase_file: Annotated[
        Path | None,
        typer.Option(exists=True, dir_okay=False, readable=True, help="A file whose first line readers must know."),
    ] = None,
    recording: Annotated[bool, typer.Option("--recording", help="The recording may be watched, too.")] = False,
    embed: Annotated[
        list[str] | None, typer.Option(help="A site that may embed it, https://wiki.example.org. Repeat it.")
    ] = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Make a link to the newest version of a guide. Prints it, this once."""
    body = {
        "name": name,
        "expires_at": (datetime.now(UTC) + timedelta(days=days)).isoformat() if days else None,
        "passphrase": _first_line(passphrase_file) if passphrase_file else None,
        "recording": recording,
        "embed_origins": embed or [],
    }
    with _client(data_dir) as client:
        instruction = client.get(f"jobs/{job_id}")["instruction_id"]
        made = client.post(f"instructions/{instruction}/shares", body)
    print_listed(made, ("SHARE", made["id"]), (("url", made["url"]), ("expires", made["expires_at"])), as_json=as_json)


@shares_app.command(epilog="Example: guidesmith shares update 0199f3c2-…")
def update(share_id: ShareId, as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """Have a link show the newest version, as soon as that is exported."""
    with _client(data_dir) as client:
        share = client.post(f"shares/{share_id}/update")
    print_said(
        share,
        f"Link {share_id} shows version {share['next_version'] or share['version']} as soon as it is ready.",
        as_json=as_json,
    )


@shares_app.command(epilog="Example: guidesmith shares revoke 0199f3c2-…")
def revoke(share_id: ShareId, as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """Have a link open nothing any more, at once."""
    with _client(data_dir) as client:
        client.delete(f"shares/{share_id}")
    print_said({"revoked": share_id}, f"Link {share_id} opens nothing any more.", as_json=as_json)


def _first_line(path: Path) -> str:
    """Raises: RequestInvalid: It is no text."""
    try:
        return path.read_text("utf-8").split("\n", 1)[0].rstrip("\r")
    except UnicodeDecodeError:
        raise RequestInvalid(f"{path.name} is not UTF-8 text.") from None
