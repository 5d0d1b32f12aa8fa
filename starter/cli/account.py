"""``guidesmith account``: all that is yours, saved as one archive, and erased."""

from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from starter.cli.exits import UsageWrong
from starter.cli.options import AsJson, DataDir
from starter.cli.printing import print_said
from starter.cli.reaching import reached

account_app = typer.Typer(
    help="Save all that is yours as one archive, or erase it.", no_args_is_help=True, rich_markup_mode=None
)

_client = partial(reached, absent="There is nothing of that name.")


@account_app.command(epilog="Example: guidesmith account export -o everything.zip")
def export(
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The file.  [default: guidesmith-DATE.zip]", show_default=False)
    ] = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Save all that is yours as one ZIP: the rows of projects, jobs, documents and credits, and every stored file."""
    path = out or Path(f"guidesmith-{datetime.now(UTC):%Y-%m-%d}.zip")
    if path.is_dir():
        raise UsageWrong(f"{path} is a folder. Name a file.")
    with _client(data_dir) as client:
        size = client.download("account/archive", path)
    print_said(
        {"path": str(path), "size_bytes": size}, f"{path} holds all that is yours ({size} bytes).", as_json=as_json
    )


@account_app.command(epilog="Example: guidesmith account delete --user alice")
def delete(
    user: Annotated[str, typer.Option(help="Whose: yours, or with --any anybody's.", show_default=False)],
    anybodys: Annotated[
        bool, typer.Option("--any", help="Anybody's. With $GUIDESMITH_TOKEN it has to be an administrator's.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Erase everything of a user's: jobs with all that is theirs, projects, endpoints. It cannot be undone."""
    if not yes:
        typer.confirm(f"Erase everything of {user}'s?", abort=True)
    with _client(data_dir, as_admin=anybodys) as client:
        erased = client.delete("admin/users" if anybodys else "account", user_id=user)
    print_said(erased, f"Everything of {user}'s is being removed.", as_json=as_json)
