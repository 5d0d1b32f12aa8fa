"""``guidesmith brand``: how the guides of a project look."""

import base64
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from domain.documents.brand import LOGO_BYTES, SectionPlace, section_of
from domain.errors import RequestInvalid
from starter.cli.options import AsJson, DataDir
from starter.cli.printing import print_json, print_table
from starter.cli.reaching import reached
from starter.cli.sharing.projects import ProjectId

brand_app = typer.Typer(help="How the guides of a project look.", no_args_is_help=True, rich_markup_mode=None)

CHOSEN = ("accent", "on_accent", "font", "header", "footer", "lead", "sections", "numbering")

_client = partial(
    reached,
    absent="There is no such project, or you are not in it: `guidesmith projects list` shows those that you are in.",
)


@brand_app.command(epilog="Example: guidesmith brand show 0199f3c2-…")
def show(project_id: ProjectId, as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """A project's brand."""
    with _client(data_dir) as client:
        brand = client.get(f"projects/{project_id}/brand")
    _tell(brand, as_json=as_json)


@brand_app.command("set", epilog='Example: guidesmith brand set 0199f3c2-… --accent 7a1fa2 --footer "{title} · {page}"')
def set_brand(
    project_id: ProjectId,
    accent: Annotated[str | None, typer.Option(help="As 7a1fa2. Empty: guidesmith's own.", show_default=False)] = None,
    on_accent: Annotated[
        str | None, typer.Option(help="Of what is written on it. Empty: white or black.", show_default=False)
    ] = None,
    font: Annotated[
        str | None, typer.Option(help="Inter, Noto Sans or JetBrains Mono. Empty: Inter.", show_default=False)
    ] = None,
    header: Annotated[str | None, typer.Option(help="Above every page.", show_default=False)] = None,
    footer: Annotated[str | None, typer.Option(help="Below every page.", show_default=False)] = None,
    lead: Annotated[
        str | None,
        typer.Option(help='Under each title, in Markdown: "{steps} steps · {minutes} min".', show_default=False),
    ] = None,
    before_file: Annotated[
        list[Path] | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            readable=True,
            help="A section before the first step: Markdown, the heading first. Again for another one. Those that "
            "stand there go; with an empty file, without another.",
        ),
    ] = None,
    after_file: Annotated[
        list[Path] | None,
        typer.Option(exists=True, dir_okay=False, readable=True, help="The same for after the last section."),
    ] = None,
    numbering: Annotated[str | None, typer.Option(help="steps, parts or none.", show_default=False)] = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Change what is named of a project's brand; the rest stays. It counts for every export from now on."""
    given: dict[str, Any] = {
        "accent": accent,
        "on_accent": on_accent,
        "font": font,
        "header": header,
        "footer": footer,
        "lead": lead,
        "numbering": numbering,
    }
    with _client(data_dir) as client:
        now = client.get(f"projects/{project_id}/brand")
        given["sections"] = [
            *_sections(now["sections"], SectionPlace.BEFORE, before_file),
            *_sections(now["sections"], SectionPlace.AFTER, after_file),
        ]
        wanted = {name: now[name] if given[name] is None else given[name] for name in CHOSEN}
        for name in ("accent", "on_accent", "font"):
            wanted[name] = wanted[name] or None
        brand = client.replace(f"projects/{project_id}/brand", wanted)
    _tell(brand, as_json=as_json)


@brand_app.command(epilog="Example: guidesmith brand logo 0199f3c2-… acme.png")
def logo(
    project_id: ProjectId,
    picture: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FILE]", exists=True, dir_okay=False, readable=True, help="PNG, JPEG or WebP.", show_default=False
        ),
    ] = None,
    remove: Annotated[bool, typer.Option("--remove", help="Have none.")] = False,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Give a project a logo, or take it away."""
    if (picture is None) != remove:
        raise RequestInvalid("Name the logo's file, or --remove.")
    with _client(data_dir) as client:
        if picture is None:
            client.delete(f"projects/{project_id}/brand/logo")
            brand = client.get(f"projects/{project_id}/brand")
        else:
            if picture.stat().st_size > LOGO_BYTES:
                raise RequestInvalid(f"A logo's file has at most {LOGO_BYTES // 1024} KiB.")
            data = base64.b64encode(picture.read_bytes()).decode()
            brand = client.replace(f"projects/{project_id}/brand/logo", {"data": data})
    _tell(brand, as_json=as_json)


def _tell(brand: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(brand)
        return
    logo = brand["logo"]
    facts = [(name.replace("_", " "), brand[name]) for name in CHOSEN if name != "sections"]
    facts += [(f"section {each['place']}", f"{each['heading']}\n{each['text']}".strip()) for each in brand["sections"]]
    facts.append(("logo", f"{logo['width']} x {logo['height']}" if logo else None))
    for theme in ("light", "dark"):
        shade = brand[theme]
        if shade:
            moved = " (the accent could not be read there)" if shade["is_moved"] else ""
            facts.append((f"text, {theme}", f"{shade['ink']} {shade['ink_contrast']}:1{moved}"))
    facts.append(("saved at", brand["saved_at"]))
    print_table(("BRAND OF", brand["project_id"]), facts)


def _sections(now: list[dict[str, Any]], place: SectionPlace, paths: list[Path] | None) -> list[dict[str, Any]]:
    """Those of the place: as the files say, else as they are. Raises: RequestInvalid: A file is no text."""
    if not paths:
        return [each for each in now if each["place"] == place]
    texts = [text for path in paths if (text := _text(path).strip())]
    return [section_of(text, place).model_dump(mode="json") for text in texts]


def _text(path: Path) -> str:
    """Raises: RequestInvalid: It is no text."""
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError:
        raise RequestInvalid(f"{path.name} is not UTF-8 text.") from None
