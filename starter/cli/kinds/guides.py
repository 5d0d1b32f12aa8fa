"""``guidesmith guides``: guides found, renamed, thrown away and brought back."""

import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from uuid import uuid4

import typer

from starter.cli.exits import JobFailed, UsageWrong
from starter.cli.options import AsJson, DataDir
from starter.cli.printing import print_listed, print_said
from starter.cli.reaching import reached

if TYPE_CHECKING:
    from starter.cli.client import Client, Json

guides_app = typer.Typer(
    help="Find guides, rename them, throw them away and bring them back.", no_args_is_help=True, rich_markup_mode=None
)

JobId = Annotated[str, typer.Argument(metavar="JOB", help="The guide's job.", show_default=False)]
Limit = Annotated[int, typer.Option(min=1, max=100, help="At most so many.")]

POLL_S = 0.5

_client = partial(
    reached,
    absent="There is no such guide, or it is not yours: `guidesmith guides list` shows yours, `guidesmith guides bin` "
    "what you threw away.",
)


@guides_app.command("list", epilog="Example: guidesmith guides list --sort title")
def list_guides(
    sort: Annotated[str, typer.Option(help="changed, made (the newest first), or title.")] = "changed",
    project: Annotated[str | None, typer.Option(help="Only those of this project, by its id.")] = None,
    limit: Limit = 20,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Your guides."""
    with _client(data_dir) as client:
        page = client.get("guides", sort=sort, project_id=project, limit=limit)
    print_listed(
        page,
        ("JOB", "TITLE", "STATE", "STEPS", "PROJECT", "CHANGED"),
        (
            (each["job_id"], _named(each), each["state"], each["steps"], each["project_name"], each["changed_at"])
            for each in page["items"]
        ),
        as_json=as_json,
    )


@guides_app.command(epilog='Example: guidesmith guides search "Endpoint URL" webhook')
def search(
    words: Annotated[
        list[str],
        typer.Argument(help="Each has to be in the guide; what is quoted stands as it is.", show_default=False),
    ],
    project: Annotated[str | None, typer.Option(help="Only in this project, by its id.")] = None,
    limit: Limit = 20,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Find words in titles, steps, transcripts, and what was on the screen."""
    asked = " ".join(f'"{each}"' if " " in each and '"' not in each else each for each in words)
    with _client(data_dir) as client:
        page = client.get("guides/search", q=asked, project_id=project, limit=limit)
    print_listed(
        page,
        ("JOB", "TITLE", "WHERE", "TEXT"),
        (
            (found["guide"]["job_id"], _named(found["guide"]), _where(hit), hit["text"])
            for found in page["items"]
            for hit in found["hits"]
        ),
        as_json=as_json,
    )


@guides_app.command(epilog="Example: guidesmith guides publish --project 0199f3c2-… -o handbook")
def publish(
    out: Annotated[Path, typer.Option("--out", "-o", help="A folder for the site, or a ZIP that ends in .zip.")] = Path(
        "guidesmith-site"
    ),
    project: Annotated[
        list[str] | None, typer.Option(help="Only the guides of this project, by its id. Can be repeated.")
    ] = None,
    title: Annotated[str, typer.Option(help="What the site is called.  [default: as the project is]")] = "",
    translations: Annotated[bool, typer.Option("--translations", help="The guides' translations, too.")] = False,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Publish your guides as a static site, which opens from a disk and on any web server."""
    from starter.cli.sharing.publishing import published
    from starter.cli.views import shown

    with shown(as_json=as_json) as view, _client(data_dir) as client:
        site = published(client, view, out, project or (), title, translations=translations)
    rows = (("guides", len(site["guides"])), ("open", site["index"]))
    print_listed(site, ("SITE", site["path"]), rows, as_json=as_json)


@guides_app.command(epilog='Example: guidesmith guides rename 0199f3c2-… "Add a customer"')
def rename(
    job_id: JobId,
    title: Annotated[str, typer.Argument(help="What it is called from now on.", show_default=False)],
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Give a guide another title: its document's, in a new version."""
    with _client(data_dir) as client:
        guide = client.change(f"guides/{job_id}", {"title": title})
    print_said(guide, f"It is called {guide['title']} now.", as_json=as_json)


@guides_app.command(epilog="Example: guidesmith guides translate 0199f3c2-… --into de")
def translate(
    job_id: JobId,
    into: Annotated[str, typer.Option(help="The language: de, pt-BR, zh-Hant.", show_default=False)],
    version: Annotated[
        int | None, typer.Option(min=1, help="Of the original, for a first translation.  [default: its newest]")
    ] = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Translate a guide by the configured language model, or what is behind in a translation that is there. Waits."""
    with _client(data_dir) as client:
        original = _document(client, job_id)
        if version is not None and version > (newest := client.get(f"instructions/{original}")["version"]):
            raise UsageWrong(f"The guide has no version {version}: its newest is {newest}.")
        known = client.get(f"instructions/{original}/translations")["items"]
        there = next((each for each in known if each["language"].lower() == into.lower()), None)
        asked: dict[str, object] = {"client_request_id": uuid4().hex}
        if there is not None and version is None:
            task = client.post(f"instructions/{there['instruction_id']}/translation/update", asked)
        else:
            asked |= {"language": into, "version": version}
            task = client.post(f"instructions/{original}/translations", asked)
        while task["status"] not in ("SUCCEEDED", "FAILED"):
            time.sleep(POLL_S)
            task = client.get(f"translation-tasks/{task['id']}")
    if task["failure"] is not None:
        failure = task["failure"]
        raise JobFailed(failure["failure_code"], failure["failure_message"], task_id=task["id"])
    done = f"{task['translated']} blocks translated" if task["translated"] else "nothing was behind"
    if task["offered"] and not task["translated"]:
        done = "nothing was put in place"
    told = [f"{task['language']}: {done}, instruction {task['instruction_id']}."]
    if task["offered"]:
        told.append(f"{task['offered']} new texts wait, since somebody had edited theirs: see its page.")
    if task["untranslated"]:
        told.append(f"{len(task['untranslated'])} blocks could not be translated, and stand as they were.")
    print_said(task, "\n".join(told), as_json=as_json)


@guides_app.command(epilog="Example: guidesmith guides translations 0199f3c2-…")
def translations(job_id: JobId, as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """A guide's translations, and how many steps of each are behind."""
    with _client(data_dir) as client:
        page = client.get(f"instructions/{_document(client, job_id)}/translations")
    names = ("language", "instruction_id", "title", "current", "behind", "missing", "offered", "untranslated")
    print_listed(
        page,
        ("LANGUAGE", "INSTRUCTION", "TITLE", "CURRENT", "BEHIND", "MISSING", "WAITING", "UNTRANSLATED"),
        (tuple(each[name] for name in names) for each in page["items"]),
        as_json=as_json,
    )


@guides_app.command(epilog="Example: guidesmith guides delete-translation 0199f3c2-… de --yes")
def delete_translation(
    job_id: JobId,
    language: Annotated[str, typer.Argument(help="Of the translation: de, pt-BR, zh-Hant.", show_default=False)],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Delete one translation of a guide for good, with its exports, links and comments; no bin keeps it. The original
    and other languages stay."""
    with _client(data_dir) as client:
        known = client.get(f"instructions/{_document(client, job_id)}/translations")["items"]
        found = next((each for each in known if each["language"].lower() == language.lower()), None)
        if found is None:
            raise UsageWrong(f"The guide has no translation into {language}: see `guidesmith guides translations`.")
        if not yes:
            typer.confirm(f"Delete {found['title']} ({found['language']}) for good?", abort=True)
        client.delete(f"instructions/{found['instruction_id']}/translation")
    print_said(found, f"{found['title']} ({found['language']}) is gone.", as_json=as_json)


@guides_app.command(epilog="Example: guidesmith guides delete 0199f3c2-…")
def delete(job_id: JobId, as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """Put a guide into the bin, with all that is its own. For 30 days it can be restored."""
    with _client(data_dir) as client:
        binned = client.post(f"guides/{job_id}/bin")
    print_said(
        binned,
        f"{_named(binned)} is in the bin until {binned['goes_at']}: `guidesmith guides restore {job_id}`.",
        as_json=as_json,
    )


@guides_app.command("bin", epilog="Example: guidesmith guides bin")
def list_bin(limit: Limit = 20, as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """What you threw away, the latest first."""
    with _client(data_dir) as client:
        page = client.get("guides/bin", limit=limit)
    print_listed(
        page,
        ("JOB", "TITLE", "DELETED", "GOES"),
        ((each["job_id"], _named(each), each["binned_at"], each["goes_at"]) for each in page["items"]),
        as_json=as_json,
    )


@guides_app.command(epilog="Example: guidesmith guides restore 0199f3c2-…")
def restore(job_id: JobId, as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """Take a guide out of the bin: all of it is there again."""
    with _client(data_dir) as client:
        job = client.post(f"guides/bin/{job_id}/restore")
    print_said(job, f"Guide {job_id} is back.", as_json=as_json)


@guides_app.command(epilog="Example: guidesmith guides erase 0199f3c2-… --yes")
def erase(
    job_id: JobId,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Erase a guide that is in the bin, for good."""
    if not yes:
        typer.confirm(f"Erase guide {job_id} with all that is its own?", abort=True)
    with _client(data_dir) as client:
        erased = client.delete(f"guides/bin/{job_id}")
    print_said(erased, f"Guide {job_id} is gone; its files are being removed.", as_json=as_json)


def _document(client: "Client", job_id: str) -> str:
    """Raises: UsageWrong: The guide has no document yet."""
    instruction = client.get(f"jobs/{job_id}")["instruction_id"]
    if instruction is None:
        raise UsageWrong("The guide has no document yet: translate it once its draft is there.")
    return str(instruction)


def _named(guide: "Json") -> str:
    return str(guide["title"] or guide["source_name"] or "")


def _where(hit: "Json") -> str:
    if hit["at_ms"] is None:
        return f"step {hit['step']}" if hit["step"] else str(hit["part"])
    minutes, seconds = divmod(hit["at_ms"] // 1000, 60)
    return f"{hit['part']} {minutes:02}:{seconds:02}"
