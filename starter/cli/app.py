"""The commands, each with an example. Nothing heavy is imported before a command runs."""

import atexit
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Annotated, Final

import typer

from domain.errors import GuidesmithError
from starter.cli.account import account_app
from starter.cli.credits import credits_app
from starter.cli.documents.glossary import glossary_app
from starter.cli.exits import MEANING, ExitCode, UsageWrong, exit_code, show
from starter.cli.jobs import jobs_app
from starter.cli.kinds.batches import batch_app
from starter.cli.kinds.generations import HERE, generate_app
from starter.cli.kinds.guides import guides_app
from starter.cli.kinds.library import library_app
from starter.cli.options import AsJson, DataDir
from starter.cli.screenshots import screenshots_app
from starter.cli.services import services
from starter.cli.sharing.brands import brand_app
from starter.cli.sharing.comments import comments_app
from starter.cli.sharing.links import shares_app
from starter.cli.sharing.projects import projects_app
from starter.cli.webhooks import webhooks_app

app = typer.Typer(
    name="guidesmith",
    help=f"A recording becomes a written, illustrated instruction.\n\n{MEANING}",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # rich takes 0.3 s to import, for a box around a list
    context_settings={"help_option_names": ["-h", "--help"]},
)
OUT = typer.Option("--out", "-o", help="Folder for the files, or with one format the file itself (guide.pdf).")
FORMAT = typer.Option("--format", "-f", help="Comma-separated: pdf, md, docx, html, srt, vtt.  [default: pdf]")


@app.command(epilog="Example: guidesmith make recording.mp4 -o out --format pdf,md")
def make(
    recording: Annotated[Path, typer.Argument(metavar="RECORDING", exists=True, dir_okay=False, readable=True)],
    out: Annotated[Path, OUT],
    format: Annotated[str | None, FORMAT] = None,
    language: Annotated[str | None, typer.Option(help="The spoken language (en, de).  [default: detected]")] = None,
    new: Annotated[bool, typer.Option("--new", help="Make a new job even when the recording has one.")] = False,
    redact: Annotated[
        bool, typer.Option("--redact", help="Blur addresses, keys, card and phone numbers on the pictures.")
    ] = False,
    private: Annotated[
        list[str] | None, typer.Option("--private", help="A word or name to blur, too. Repeat it.", show_default=False)
    ] = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Turn RECORDING into an instruction and save it in OUT.

    Uses the API at $GUIDESMITH_API_URL or the stack that runs on the data folder; without one, starts a stack for this
    job alone. Ctrl-C cancels the job. Run again, the command goes on where it was: a failed job is retried, a running
    one watched, a finished one only exported.
    """
    from starter.cli.flows import made

    blurred = tuple(private or ()) if redact or private else None
    made(recording, out, format, language=language, fresh=new, private=blurred, as_json=as_json, data_dir=data_dir)


@app.command(epilog="Example: guidesmith demo --keep")
def demo(
    kind: Annotated[str, typer.Argument(help="The kind of job to show.", metavar="[KIND]")] = "instruction",
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the files.")] = Path("guidesmith-demo"),
    kept: Annotated[
        bool | None,
        typer.Option(
            "--keep/--no-keep",
            help="Leave the stack running until Ctrl-C, to look around.  [default: on a terminal]",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """One real job of KIND on a stack of this machine's own: the sample recording becomes a PDF and a Markdown bundle
    (instruction), a prompt becomes a picture (image) or copy and speech (generation), the recording becomes clips and
    stills (batch), a table of sales is analysed (analysis)."""
    keep = sys.stdin.isatty() and sys.stdout.isatty() and not as_json if kept is None else kept
    if kind == "image":
        from starter.cli.kinds.images import DEMO_FILE, DEMO_PROMPT, pictured

        pictured(DEMO_PROMPT, out / DEMO_FILE, size=None, keep=keep, as_json=as_json, data_dir=data_dir)
        return
    if kind == "batch":
        from starter.cli.kinds import batch_runs

        batch_runs.demonstrated(out, keep=keep, as_json=as_json, data_dir=data_dir)
        return
    if kind == "generation":
        from starter.cli.kinds import generating

        generating.demonstrated(out, keep=keep, as_json=as_json, data_dir=data_dir)
        return
    if kind == "analysis":
        from starter.cli.kinds import analyses

        analyses.demonstrated(out, keep=keep, as_json=as_json, data_dir=data_dir)
        return
    if kind != "instruction":
        raise UsageWrong(f"There is no demo of {kind[:40]!r}. Kinds: instruction, image, generation, analysis, batch.")
    from starter.cli.flows import demonstrated

    demonstrated(out, keep=keep, as_json=as_json, data_dir=data_dir)


@app.command(epilog='Example: guidesmith image "A lighthouse in a storm" -o lighthouse.png')
def image(
    prompt: Annotated[str, typer.Argument(metavar="PROMPT", help="What the picture shows.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The file, or a folder for it.")] = HERE,
    size: Annotated[str | None, typer.Option(help="Width x height in pixels.  [default: 1024x1024]")] = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Turn PROMPT into a picture and save it as OUT.

    Uses the API at $GUIDESMITH_API_URL or the stack that runs on the data folder; without one, starts a stack for this
    job alone. The same PROMPT within the same minute is the same job. Without an image model (GUIDESMITH_IMAGE_…) the
    picture is a poster of the prompt's words.
    """
    from starter.cli.kinds.images import pictured

    pictured(prompt, out, size=size, as_json=as_json, data_dir=data_dir)


@app.command(epilog='Example: guidesmith analyse sales.csv --ask "Total revenue by region, as a chart" -o out')
def analyse(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", exists=True, dir_okay=False, readable=True, show_default=False)
    ],
    ask: Annotated[str, typer.Option("--ask", "-a", help="What you want to know, in words.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the files.")] = Path("guidesmith-analysis"),
    answer: Annotated[
        list[str] | None, typer.Option("--answer", help="ID=TEXT: answers a question of the plan. Repeat it.")
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Ask nothing: take the first answer offered, and run the plan.")
    ] = False,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Plan and compute what --ask wants to know of each FILE (CSV, Parquet, Excel), and save it in OUT.

    Uses the API at $GUIDESMITH_API_URL or the stack that runs on the data folder; without one, starts a stack for this
    job alone. The plan is shown, and what it leaves open is asked, before anything is computed. The same FILEs with the
    same --ask are the same analysis: run again, the command goes on where it was.
    """
    from starter.cli.kinds.analyses import analysed, read_answers

    analysed(files, ask, out, answers=read_answers(answer or []), yes=yes, as_json=as_json, data_dir=data_dir)


app.add_typer(guides_app, name="guides")
app.add_typer(jobs_app, name="jobs")
app.add_typer(projects_app, name="projects")
app.add_typer(brand_app, name="brand")
app.add_typer(glossary_app, name="glossary")
app.add_typer(account_app, name="account")
app.add_typer(credits_app, name="credits")
app.add_typer(screenshots_app, name="screenshots")
app.add_typer(generate_app, name="generate")
app.add_typer(batch_app, name="batch")
app.add_typer(library_app, name="library")
app.add_typer(webhooks_app, name="webhooks")
app.add_typer(shares_app, name="shares")
app.add_typer(comments_app, name="comments")
services(app)


TEMPORALS_THREADS = "temporalio.bridge.temporal_sdk_bridge"
"""The module that has them."""


class _End:
    """The process's end, once all that others have registered for it is done, and before the interpreter takes itself
    apart: a thread of Temporal's client that comes for it then is unwound by Python, and Rust aborts the process."""

    def __init__(self) -> None:
        self._pid: Final = os.getpid()  # forks are others' to end
        self.status = 0

    def __call__(self) -> None:
        if os.getpid() == self._pid and TEMPORALS_THREADS in sys.modules:
            for stream in (sys.stdout, sys.stderr):
                with suppress(OSError, ValueError):
                    stream.flush()
            os._exit(self.status)


def run() -> None:
    """Run the command line; the process ends with a code of :class:`ExitCode`."""
    signal.signal(signal.SIGTERM, _as_interrupt)  # a polite kill is a Ctrl-C: the job is cancelled, children stop
    end = _End()
    atexit.register(end)  # the first that is registered is the last that is called
    try:
        _commanded()
    except SystemExit as ended:
        end.status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
        raise
    except BaseException:
        end.status = ExitCode.FAILED
        raise


def _commanded() -> None:
    try:
        app()
    except GuidesmithError as error:
        show(error, as_json="--json" in sys.argv)
        sys.exit(exit_code(error))
    except KeyboardInterrupt:
        sys.exit(ExitCode.CANCELLED)


def _as_interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
