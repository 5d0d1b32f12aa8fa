"""``guidesmith batch``: many clips, stills or captions at once, out of recordings here or jobs there."""

import re
from pathlib import Path
from typing import Annotated

import typer

from starter.cli.exits import ExitCode, UsageWrong
from starter.cli.options import AsJson, DataDir

batch_app = typer.Typer(
    help="Make clips, stills or captions of many recordings at once.", no_args_is_help=True, rich_markup_mode=None
)

Sources = Annotated[
    list[str], typer.Argument(metavar="SOURCE...", help="Recordings (files), or ids of jobs that have one.")
]
Out = Annotated[Path, typer.Option("--out", "-o", help="Folder for the files.")]
NoWait = Annotated[
    bool, typer.Option("--no-wait", help="Only ask for it; `guidesmith batch watch` saves the files later.")
]

TIME = re.compile(r"(?:(?:(\d+):(?=[0-5]?\d:))?(\d+):(?=[0-5]?\d(?!\d)))?(\d+(?:\.\d{1,3})?)")
"""Seconds, minutes and seconds, or hours too: 12.5, 90:30, 1:02:03."""


@batch_app.command(epilog="Example: guidesmith batch clips talk.mp4 --range 0:10-0:25 --range 1:30-2:00 -o clips")
def clips(
    sources: Sources,
    ranges: Annotated[list[str], typer.Option("--range", "-r", help="FROM-TO, as 12.5-20 or 0:10-1:02:00. Repeat it.")],
    out: Out = Path("guidesmith-batch"),
    no_wait: NoWait = False,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Cut each --range out of each SOURCE, without encoding anything again."""
    spans = [_span(each) for each in ranges]
    _make("clips", sources, out, no_wait, as_json, data_dir, ranges=spans)


@batch_app.command(epilog="Example: guidesmith batch thumbnails *.mp4 --stills 6 -o stills")
def thumbnails(
    sources: Sources,
    stills: Annotated[int, typer.Option(min=1, help="Pictures of each recording, besides its contact sheet.")] = 12,
    width: Annotated[int, typer.Option(min=1, help="Pixels of a still's width.")] = 320,
    out: Out = Path("guidesmith-batch"),
    no_wait: NoWait = False,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Take stills of each SOURCE, spread evenly, and lay them out on a contact sheet."""
    _make("thumbnails", sources, out, no_wait, as_json, data_dir, stills=stills, width=width)


@batch_app.command(epilog="Example: guidesmith batch captions 0199f3c2-… 0199f3d7-… --format srt -o captions")
def captions(
    sources: Annotated[list[str], typer.Argument(metavar="JOB...", help="Ids of jobs that have a transcript.")],
    format: Annotated[str, typer.Option("--format", "-f", help="Comma-separated: srt, vtt.")] = "srt,vtt",
    out: Out = Path("guidesmith-batch"),
    no_wait: NoWait = False,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Write the captions of each JOB that was transcribed."""
    files = [each for each in sources if Path(each).is_file()]
    if files:
        raise UsageWrong(
            f"{files[0]} is a file: captions are written of jobs, once they have a transcript. `guidesmith make` makes "
            "captions of one recording (--format srt)."
        )
    formats = [each.strip() for each in format.split(",") if each.strip()]
    _make("captions", sources, out, no_wait, as_json, data_dir, formats=formats)


@batch_app.command(epilog="Example: guidesmith batch watch 0199f3c2-… -o clips")
def watch(
    job_id: Annotated[str, typer.Argument(metavar="JOB", help="The batch's id.", show_default=False)],
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Folder for the files.  [default: none]")] = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Follow a batch to its end, and save what it made. Ctrl-C stops watching, not the batch."""
    from starter.cli.kinds import batch_runs

    _end(batch_runs.is_whole(batch_runs.watched(job_id, out, as_json=as_json, data_dir=data_dir)))


def _make(
    job_type: str,
    sources: list[str],
    out: Path,
    no_wait: bool,
    as_json: bool,
    data_dir: Path | None,
    **parameters: object,
) -> None:
    from starter.cli.kinds import batch_runs

    where = None if no_wait else out
    result = batch_runs.made(job_type, sources, where, as_json=as_json, data_dir=data_dir, **parameters)
    _end(batch_runs.is_whole(result))


def _end(whole: bool) -> None:
    """A batch of which items failed ends as a failed job does; its files and errors have been told."""
    if not whole:
        raise typer.Exit(ExitCode.JOB_FAILED)


def _span(text: str) -> dict[str, int]:
    """``FROM-TO`` in ms. Raises: UsageWrong: it is not that."""
    start, _, end = text.partition("-")
    span = {"start_ms": _ms(start, text), "end_ms": _ms(end, text)}
    if span["start_ms"] >= span["end_ms"]:
        raise UsageWrong(f"The range {text[:40]} ends before it starts.")
    return span


def _ms(text: str, whole: str) -> int:
    found = TIME.fullmatch(text.strip())
    if found is None:
        raise UsageWrong(f"The range {whole[:40]!r} is not FROM-TO, as in 12.5-20 or 0:10-1:02:00.")
    hours, minutes, seconds = found.groups()
    return round((int(hours or 0) * 3600 + int(minutes or 0) * 60 + float(seconds)) * 1000)
