"""``guidesmith library``: what your jobs made for you to keep."""

from pathlib import Path
from typing import Annotated

import typer

from starter.cli.kinds.generations import HERE
from starter.cli.options import AsJson, DataDir
from starter.cli.printing import print_listed, print_said
from starter.cli.reaching import reached

library_app = typer.Typer(
    help="See and save what your jobs made for you to keep.", no_args_is_help=True, rich_markup_mode=None
)

ABSENT = "There is no such file, or it is not yours: `guidesmith library list` shows yours."


@library_app.command("list", epilog="Example: guidesmith library list --medium picture")
def list_assets(
    medium: Annotated[str | None, typer.Option(help="Only of these: picture, audio, video or document.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=100, help="At most so many.")] = 20,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Pictures, texts, sounds and videos, newest first."""
    with reached(data_dir, ABSENT) as client:
        page = client.get("library", medium=medium, limit=limit)
    columns = ("id", "mime_type", "size_bytes", "provider", "job_id", "created_at")
    print_listed(
        page,
        ("ID", "TYPE", "BYTES", "MADE BY", "JOB", "CREATED"),
        ([each[name] for name in columns] for each in page["items"]),
        as_json=as_json,
    )


@library_app.command(epilog="Example: guidesmith library save 0199f3c2-… -o lighthouse.png")
def save(
    asset_id: Annotated[str, typer.Argument(metavar="ID", help="As the list has it.", show_default=False)],
    out: Annotated[Path, typer.Option("--out", "-o", help="The file, or a folder for it.")] = HERE,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Save one of them as OUT."""
    from domain.errors import NotFound
    from starter.cli.kinds.generating import file_of

    with reached(data_dir, ABSENT) as client:
        asset = next((each for each in client.listed("library", limit=100) if each["id"] == asset_id), None)
        if asset is None:
            raise NotFound(ABSENT)
        file = file_of(asset, out, asset_id)
        saved = client.download(asset["url"], file)
    print_said(
        {"asset_id": asset_id, "path": str(file), "size_bytes": saved}, f"{file}  ({saved} bytes)", as_json=as_json
    )
