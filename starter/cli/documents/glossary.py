"""``guidesmith glossary``: words that are misheard, put right everywhere in a guide and in later recordings."""

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from starter.cli.exits import UsageWrong
from starter.cli.options import AsJson, DataDir
from starter.cli.printing import print_listed, print_said
from starter.cli.reaching import reached

if TYPE_CHECKING:
    from starter.cli.client import Json

glossary_app = typer.Typer(
    help="Words that are misheard, and what they are.", no_args_is_help=True, rich_markup_mode=None
)

Heard = Annotated[str, typer.Argument(metavar="HEARD", help="What was heard.", show_default=False)]
Right = Annotated[str, typer.Argument(metavar="RIGHT", help="What it is, spelt as it is to be.", show_default=False)]
Project = Annotated[
    str | None, typer.Option("--project", help="For the recordings of this project's id alone.  [default: all]")
]

_client = partial(
    reached,
    absent="There is no such job, project, entry or set of corrections, or it is not yours.",
)


@glossary_app.command("list", epilog="Example: guidesmith glossary list")
def list_terms(project: Project = None, as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """What is kept, the last changed first."""
    with _client(data_dir) as client:
        terms = list(client.listed("glossary", project_id=project, limit=100))
    rows = ((each["id"], each["heard"], each["right"], each["project_id"] or "all") for each in terms)
    print_listed({"items": terms}, ("ID", "HEARD", "RIGHT", "PROJECT"), rows, as_json=as_json)


@glossary_app.command(epilog='Example: guidesmith glossary add "cube netties" Kubernetes')
def add(heard: Heard, right: Right, project: Project = None, as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """Keep that HEARD is RIGHT: later recordings are corrected so, and their drafts say where."""
    with _client(data_dir) as client:
        term = client.post("glossary", {"heard": heard, "right": right, "project_id": project})
    print_said(term, f"Entry {term['id']}: {term['heard']} is {term['right']}.", as_json=as_json)


@glossary_app.command(epilog="Example: guidesmith glossary remove 0199f3c2-…")
def remove(
    term_id: Annotated[str, typer.Argument(metavar="ENTRY", help="The entry's id.", show_default=False)],
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Keep it no longer. What was corrected by it stays so."""
    with _client(data_dir) as client:
        client.delete(f"glossary/{term_id}")
    print_said({"removed": term_id}, f"Entry {term_id} is removed.", as_json=as_json)


@glossary_app.command(epilog='Example: guidesmith glossary correct 0199f3c2-… "cube netties" Kubernetes --keep')
def correct(
    job_id: Annotated[str, typer.Argument(metavar="JOB", help="The job that the guide came of.", show_default=False)],
    heard: Annotated[str | None, typer.Argument(metavar="[HEARD]", help="What was heard.", show_default=False)] = None,
    right: Annotated[str | None, typer.Argument(metavar="[RIGHT]", help="What it is.", show_default=False)] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Also what is not certain: endings, parts of words, code, what sounds alike.")
    ] = False,
    look: Annotated[bool, typer.Option("--look", help="Only show the places.")] = False,
    keep: Annotated[bool, typer.Option("--keep", help="Keep HEARD and RIGHT in the glossary, too.")] = False,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Put HEARD right everywhere in a guide and its transcript, or without words all that the glossary knows.

    Takes the places that are certain, as one version of the guide, which `guidesmith glossary undo` takes back.
    """
    if (heard is None) != (right is None):
        raise UsageWrong("Say both: what was heard, and what it is.")
    if keep and heard is None:
        raise UsageWrong("--keep goes with HEARD and RIGHT.")
    wanted: dict[str, object] = {"pairs": [{"heard": heard, "right": right}]} if heard else {"glossary": True}
    with _client(data_dir) as client:
        if keep:
            client.post("glossary", {"heard": heard, "right": right})
        found = client.post(f"jobs/{job_id}/corrections/find", wanted)
        chosen = [each for each in found["places"] if everything or each["certain"]]
        if look or not chosen:
            _show(found, as_json)
            return
        told = {"pairs": found["pairs"], "base_version": found["base_version"]}
        made = client.post(f"jobs/{job_id}/corrections", {**told, "places": [each["id"] for each in chosen]})
    print_listed(
        made,
        ("CORRECTED", made["id"]),
        (("segments", made["segments"]), ("blocks", made["blocks"]), ("version", made["version"])),
        as_json=as_json,
    )
    left = len(found["places"]) - len(chosen)
    if left and not as_json:
        typer.echo(f"{left} more are not certain: `guidesmith glossary correct … --look` shows them.", err=True)


@glossary_app.command(epilog="Example: guidesmith glossary undo 0199f3c2-… 0199f3d7-…")
def undo(
    job_id: Annotated[str, typer.Argument(metavar="JOB", help="The job that the guide came of.", show_default=False)],
    set_id: Annotated[str, typer.Argument(metavar="CORRECTIONS", help="As `correct` printed it.", show_default=False)],
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Let everything read as it did before, but what was changed since."""
    with _client(data_dir) as client:
        undone = client.post(f"jobs/{job_id}/corrections/{set_id}/undo")
    print_said(undone, f"Corrections {set_id} are undone.", as_json=as_json)


def _show(found: "Json", as_json: bool) -> None:
    print_listed(
        found,
        ("WHERE", "CERTAIN", "FOUND", "BECOMES", "AROUND"),
        (
            (
                f"segment {each['segment']}" if each["block_id"] is None else f"block {each['block_id'][:8]}",
                "yes" if each["certain"] else each["how"],
                each["found"],
                each["becomes"],
                " ".join(f"{each['before'][-20:]}[{each['found']}]{each['after'][:20]}".split()),
            )
            for each in found["places"]
        ),
        as_json=as_json,
    )
