"""``guidesmith generate``: a few words in, a text, a picture, a video or speech out."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from starter.cli.options import AsJson, DataDir

if TYPE_CHECKING:
    from starter.cli.client import Json

generate_app = typer.Typer(
    help="Make copy, read pages, and have ads, videos and speech made.", no_args_is_help=True, rich_markup_mode=None
)

Out = Annotated[Path, typer.Option("--out", "-o", help="The file, or a folder for what is made.")]
Key = Annotated[str | None, typer.Option(help="The same key with the same words is the same job, charged once.")]
Param = Annotated[
    list[str] | None, typer.Option("--param", help="NAME=VALUE: what the provider's model takes. Repeat it.")
]
HERE = Path()


@generate_app.command(epilog='Example: guidesmith generate copy "A kettle that boils in a minute" -o copy.md')
def copy(
    prompt: Annotated[str, typer.Argument(metavar="PROMPT", help="What is advertised.")],
    out: Out = HERE,
    audience: Annotated[str | None, typer.Option(help="To whom.")] = None,
    tone: Annotated[str, typer.Option(help="plain, warm or bold.")] = "plain",
    variants: Annotated[int, typer.Option(min=1, max=5, help="How many.")] = 3,
    key: Key = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Have texts written that advertise PROMPT. Without a chat model (GUIDESMITH_LLM_…) they are set from templates."""
    body: Json = {"prompt": prompt, "audience": audience, "tone": tone, "variants": variants}
    _generate("copy", body, out, key, as_json, data_dir)


@generate_app.command(epilog="Example: guidesmith generate scrape https://example.org/ -o page.txt")
def scrape(
    url: Annotated[str, typer.Argument(metavar="URL", help="A public page.")],
    out: Out = HERE,
    key: Key = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Save the readable text of the page at URL, where its site's robots.txt lets us."""
    _generate("scrape", {"url": url}, out, key, as_json, data_dir)


@generate_app.command(epilog='Example: guidesmith generate static-ad "A kettle on a glacier" -o ad.png')
def static_ad(
    prompt: Annotated[str, typer.Argument(metavar="PROMPT", help="What it shows.")],
    out: Out = HERE,
    param: Param = None,
    key: Key = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Have a picture made that advertises PROMPT. Needs a provider (GUIDESMITH_PREDICTIONS_…)."""
    _generate("static-ad", {"prompt": prompt, "params": _params(param)}, out, key, as_json, data_dir)


@generate_app.command(epilog='Example: guidesmith generate video "Somebody unpacks a kettle" -o video.mp4')
def video(
    prompt: Annotated[str, typer.Argument(metavar="PROMPT", help="What it shows.")],
    out: Out = HERE,
    param: Param = None,
    key: Key = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Have a video of PROMPT made. Needs a provider (GUIDESMITH_PREDICTIONS_…)."""
    _generate("video", {"prompt": prompt, "params": _params(param)}, out, key, as_json, data_dir)


@generate_app.command(epilog='Example: guidesmith generate tts "Put the kettle on." -o spoken.wav')
def tts(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What is said.")],
    out: Out = HERE,
    voice: Annotated[str | None, typer.Option(help="As who speaks calls it.")] = None,
    key: Key = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Have TEXT spoken: by the configured endpoint (GUIDESMITH_TTS_…), else by the voice of this machine."""
    _generate("tts", {"text": text, "voice": voice}, out, key, as_json, data_dir)


@generate_app.command(epilog="Example: guidesmith generate retry 0199f3c2-…")
def retry(
    job_id: Annotated[str, typer.Argument(metavar="JOB", help="The job's id.", show_default=False)],
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Give a failed or expired job, whoever's it is, another attempt, which its owner is charged for. With
    $GUIDESMITH_TOKEN it has to be an administrator's."""
    from starter.cli.printing import print_said
    from starter.cli.reaching import reached

    with reached(data_dir, "There is no such job: look at its id.", as_admin=True) as client:
        job = client.post(f"admin/jobs/{job_id}/retry")
    print_said(job, f"Job {job['id']} is in attempt {job['attempt']}.", as_json=as_json)


def _generate(path: str, body: "Json", out: Path, key: str | None, as_json: bool, data_dir: Path | None) -> None:
    from starter.cli.kinds.generating import generated

    asked = {**body, "idempotency_key": key}
    given = {name: value for name, value in asked.items() if value is not None}
    generated({path: given}, out, as_json=as_json, data_dir=data_dir)


def _params(pairs: list[str] | None) -> "Json":
    from starter.cli.kinds.generating import read_params

    return read_params(pairs or [])
