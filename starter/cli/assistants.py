"""``guidesmith mcp``: guides for assistants that speak the Model Context Protocol."""

import asyncio
from typing import Annotated

import typer

from starter.cli.exits import UsageWrong
from starter.cli.options import DataDir

DEFAULT_PORT = 8410


def mcp(
    http: Annotated[
        bool, typer.Option("--http", help="Serve over HTTP at /mcp, for whoever sends a token of the API.")
    ] = False,
    host: Annotated[str, typer.Option(help="With --http: the address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="With --http: the port.")] = DEFAULT_PORT,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            help="With --http: a name by which it may be called, with its port. Repeat it.", show_default=False
        ),
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Let an assistant make, follow, read, edit and export guides, over stdio or HTTP (Model Context Protocol).

    Uses the API at $GUIDESMITH_API_URL or the stack that runs on the data folder. Over stdio the assistant acts as you,
    with files of this machine; over HTTP as whoever's token it sends, and without files. Needs the extra `mcp`.
    """
    try:
        from guidesmith import mcp_server
    except ModuleNotFoundError as missing:
        if missing.name is None or not missing.name.startswith("mcp"):
            raise
        raise UsageWrong("The Model Context Protocol is not installed: pip install 'guidesmith[mcp]'.") from None
    from starter.cli.connection import connected

    with connected(data_dir, start=False) as connection:
        if http:
            server = mcp_server.shared_server(connection.api_url)
            asyncio.run(mcp_server.serve_http(server, host, port, allow_host or []))
        else:
            mcp_server.local_server(connection.api_url, connection.token).run("stdio")
