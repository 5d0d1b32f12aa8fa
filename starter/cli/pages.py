"""The way from the command line to the pages: an address that signs its user in."""

import html
import webbrowser
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

import typer

from domain.errors import SettingsInvalid
from starter.cli.connection import Connection, connected, given_secret, local_user
from starter.cli.options import AsJson, DataDir
from starter.cli.printing import print_json
from starter.local.folder import DataFolder


def open_pages(
    path: Annotated[str, typer.Argument(metavar="[PATH]", help="The page, such as /jobs/ID.")] = "/",
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Also open it in the browser.")] = True,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Print an address that opens the pages of the running stack, signed in, and open them in the browser.

    The address opens once, within five minutes, and signs its visitor in as you: pass it on to nobody.
    """
    with connected(data_dir, start=False) as connection:
        address = sign_in_address(connection, path)
        if as_json:
            print_json({"address": address})
            return
        typer.echo(address)
        if browser:
            webbrowser.open(redirecting_file(connection, path).as_uri())


def redirecting_file(connection: Connection, path: str) -> Path:
    """A file that leads a browser to where the stack's user is signed in. The browser's command line, which every
    account of the machine can read, names the file, and only its owner can read that."""
    address = sign_in_address(connection, path, unseen=True)
    return connection.folder.hand_over(f'''<!doctype html><meta charset="utf-8"><title>guidesmith</title>
<meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0; url={html.escape(address)}">
<p><a href="{html.escape(address)}">guidesmith</a>
''')


def sign_in_address(connection: Connection, path: str = "/", *, unseen: bool = False) -> str:
    """Where the stack's own user goes straight to ``path``.

    Args:
        unseen: It will be shown to nobody, but goes to the browser by a file of the user's alone.

    Raises:
        SettingsInvalid: The API is not on this machine: there people sign in with a token.
    """
    if connection.state is None:
        raise SettingsInvalid(
            f"This API is not a stack of this machine. Open {connection.api_url} and sign in with a token."
        )
    return f"{connection.api_url}/sign-in?ticket={ticket(connection.folder, unseen=unseen)}&to={quote(path, safe='/')}"


def ticket(folder: DataFolder, *, unseen: bool = False) -> str:
    """What lets the local stack's own user in. It is their machine: they are its administrator, too."""
    from starter.access.tokens import Principal, Role
    from starter.api.perimeter.sessions import Tickets
    from starter.api.signed_urls import SignedUrls

    secret = given_secret() or folder.auth_secret()
    return Tickets(SignedUrls(secret)).issue(Principal(local_user(), Role.ADMIN), unseen=unseen)
