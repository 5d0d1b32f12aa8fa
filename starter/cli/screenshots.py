"""``guidesmith screenshots``: the pictures of an instruction: seen, taken anew, brought along and drawn on."""

import hashlib
import json
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from starter.cli.exits import JobFailed, UsageWrong
from starter.cli.kinds.batches import TIME
from starter.cli.options import AsJson, DataDir
from starter.cli.printing import print_listed
from starter.cli.reaching import reached

if TYPE_CHECKING:
    from starter.cli.client import Client, Json

screenshots_app = typer.Typer(
    help="See, take, replace and draw on the pictures of an instruction.", no_args_is_help=True, rich_markup_mode=None
)

JobId = Annotated[str, typer.Argument(metavar="JOB", help="The job's id.", show_default=False)]
AnchorId = Annotated[
    str,
    typer.Argument(metavar="ANCHOR", help="The anchor's id; `guidesmith screenshots list JOB` shows it."),
]
Moment = Annotated[str, typer.Argument(metavar="TIME", help="Of the recording: 12.5, 1:30 or 1:02:03.")]
Nearest = Annotated[bool, typer.Option("--nearest", help="The keyframe nearest to it: faster, and not to the frame.")]
Format = Annotated[str, typer.Option("--format", "-f", help="png, jpg or webp.")]
Out = Annotated[Path | None, typer.Option("--out", "-o", help="Save the picture as this file.  [default: do not]")]

POLL_S = 0.2


_client = partial(
    reached,
    absent="There is no such job, anchor or picture, or it is not yours: `guidesmith jobs list` and "
    "`guidesmith screenshots list JOB` show yours.",
)


@screenshots_app.command("list", epilog="Example: guidesmith screenshots list 0199f3c2-…")
def list_screenshots(job_id: JobId, as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """The anchors of a job's instruction, newest first, and the picture that each shows."""
    with _client(data_dir) as client:
        document = _document(client, job_id)
        path = f"instructions/{document['instruction_id']}/anchors"
        anchors = list(client.listed(path, instruction_version_id=document["instruction_version_id"], limit=100))
    print_listed(
        {"items": anchors},
        ("ANCHOR", "BLOCK", "PICTURE", "KIND", "VERSION", "TIME", "SIZE"),
        map(_row, anchors),
        as_json=as_json,
    )


@screenshots_app.command(epilog="Example: guidesmith screenshots extract 0199f3c2-… 1:12.4 -o step.png")
def extract(
    job_id: JobId,
    moment: Moment,
    block: Annotated[
        str | None, typer.Option(help="The block that shows it.  [default: the one of that moment]")
    ] = None,
    nearest: Nearest = False,
    format: Format = "png",
    out: Out = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Take a frame of the recording into the newest version of the instruction."""
    frame = _frame(moment, nearest, format)
    with _client(data_dir) as client:
        document = _document(client, job_id)
        place = {"block_id": block} if block else {}
        task = client.post(f"jobs/{job_id}/screenshots/extract", {**_version(document), **frame, **place})
        _show(client, _ended(client, task)["asset"], out, as_json)


@screenshots_app.command(epilog="Example: guidesmith screenshots replace 0199f3e1-… 1:14 --nearest")
def replace(
    anchor_id: AnchorId,
    moment: Moment,
    nearest: Nearest = False,
    format: Format = "png",
    out: Out = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Let an anchor show another frame of the recording. What it showed stays among its versions."""
    frame = _frame(moment, nearest, format)
    with _client(data_dir) as client:
        anchor = client.get(f"anchors/{anchor_id}")
        document = client.get(f"instructions/{anchor['instruction_id']}")
        task = client.post(f"anchors/{anchor_id}/replace", {**_version(document), **frame})
        _show(client, _ended(client, task)["asset"], out, as_json)


@screenshots_app.command(epilog="Example: guidesmith screenshots upload 0199f3e1-… retouched.png")
def upload(
    anchor_id: AnchorId,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A PNG, JPEG or WebP picture.")],
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Let an anchor show a picture of your own."""
    facts, data = _picture(file)
    with _client(data_dir) as client:
        anchor = client.get(f"anchors/{anchor_id}")
        document = client.get(f"instructions/{anchor['instruction_id']}")
        uploads = f"jobs/{document['job_id']}/screenshots/uploads"
        announced = {name: value for name, value in facts.items() if name not in ("width", "height")}
        ticket = client.post(uploads, {"filename": file.name, **announced})
        client.put(ticket["upload_url"], lambda: iter([data]), len(data))
        client.post(f"{uploads}/{ticket['upload_id']}/confirm", facts)
        attached = {
            "upload_id": ticket["upload_id"],
            "instruction_version_id": document["instruction_version_id"],
            "idempotency_key": ticket["upload_id"],
        }
        _show(client, _active(client.post(f"anchors/{anchor_id}/attach-upload", attached)), None, as_json)


@screenshots_app.command(
    epilog='Example: guidesmith screenshots annotate 0199f3e1-… blur.json, where blur.json holds [{"op_type": "blur", '
    '"geometry": {"x": 0.1, "y": 0.2, "w": 0.3, "h": 0.1}}]'
)
def annotate(
    anchor_id: AnchorId,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="JSON: a list of blur, marker, arrow and pencil.")],
    asset: Annotated[str | None, typer.Option(help="The picture to draw on.  [default: the one that shows]")] = None,
    out: Out = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Draw on a picture. The result shows from now on; the same drawing again is the same picture."""
    operations = _operations(file)
    with _client(data_dir) as client:
        base = asset or client.get(f"anchors/{anchor_id}")["active_asset_id"]
        if base is None:
            raise UsageWrong("The anchor shows no picture to draw on. Take or upload one first.")
        client.post(f"anchors/{anchor_id}/annotations", {"base_asset_id": base, "operations": operations})
        _show(client, _active(client.get(f"anchors/{anchor_id}")), out, as_json)


@screenshots_app.command(epilog="Example: guidesmith screenshots mark 0199f3e1-… --result")
def mark(
    anchor_id: AnchorId,
    is_result: Annotated[bool, typer.Option("--result/--before", help="What came of the step, or what was before.")],
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Say whether an anchor shows what came of its step: readers see "Result" above it then."""
    with _client(data_dir) as client:
        anchor = client.replace(f"anchors/{anchor_id}/outcome", {"is_outcome": is_result})
        _show(client, _active(anchor), None, as_json)


# --- what they have in common ------------------------------------------------------------------------------------


def _document(client: "Client", job_id: str) -> "Json":
    """The newest version of the job's instruction. Raises: UsageWrong: it has none."""
    instruction_id = client.get(f"jobs/{job_id}")["instruction_id"]
    if instruction_id is None:
        raise UsageWrong("The job has no instruction yet. `guidesmith jobs watch JOB` waits for it.")
    return client.get(f"instructions/{instruction_id}")


def _version(document: "Json") -> "Json":
    return {name: document[name] for name in ("instruction_id", "instruction_version_id")}


def _frame(moment: str, nearest: bool, format: str) -> "Json":
    """Raises: UsageWrong: ``moment`` is no time."""
    found = TIME.fullmatch(moment.strip())
    if found is None:
        raise UsageWrong(f"The time {moment[:40]!r} is not one as in 12.5, 1:30 or 1:02:03.")
    hours, minutes, seconds = found.groups()
    return {
        "timestamp_ms": round((int(hours or 0) * 3600 + int(minutes or 0) * 60 + float(seconds)) * 1000),
        "strategy": "nearest_keyframe" if nearest else "precise",
        "format": format,
    }


def _ended(client: "Client", task: "Json") -> "Json":
    """The task, once it has succeeded. Raises: JobFailed: it has not."""
    while task["status"] in ("PENDING", "RUNNING"):
        time.sleep(POLL_S)
        task = client.get(f"screenshot-tasks/{task['id']}")
    if task["status"] != "SUCCEEDED":
        raise JobFailed(str(task["failure_code"]), str(task["failure_message"]), task_id=task["id"])
    return task


def _picture(file: Path) -> tuple["Json", bytes]:
    """What the API is told of a picture, and its bytes. Raises: UsageWrong: it cannot be read."""
    from domain.errors import UploadInvalid

    try:
        data = file.read_bytes()
    except OSError as broken:
        raise UsageWrong(f"{file} cannot be read: {broken.strerror}.") from broken
    from activities.pictures.opening import inspect_picture

    try:
        picture = inspect_picture(data)
    except UploadInvalid as invalid:
        raise UsageWrong(invalid.message) from invalid
    return {
        "mime_type": picture.media_type,
        "size_bytes": len(data),
        "checksum_sha256": hashlib.sha256(data).hexdigest(),
        "width": picture.width,
        "height": picture.height,
    }, data


def _operations(file: Path) -> list[Any]:
    """Raises: UsageWrong: the file holds no list of operations."""
    try:
        said = json.loads(file.read_text("utf-8"))
    except OSError as broken:
        raise UsageWrong(f"{file} cannot be read: {broken.strerror}.") from broken
    except ValueError as broken:
        raise UsageWrong(f"{file} is no JSON.") from broken
    operations = said.get("operations") if isinstance(said, dict) else said
    if not isinstance(operations, list):
        raise UsageWrong(f"{file} holds no list of operations. `guidesmith screenshots annotate --help` shows one.")
    return operations


def _active(anchor: "Json") -> "Json | None":
    return next((each for each in anchor["assets"] if each["id"] == anchor["active_asset_id"]), None)


def _row(anchor: "Json") -> tuple[object, ...]:
    shown = _active(anchor) or {}
    size = f"{shown['width']} x {shown['height']}" if shown else None
    moment = shown.get("timestamp_ms")
    seconds = None if moment is None else f"{moment / 1000:.3f} s"
    block = (anchor["resolved_addressing"] or {}).get("block_id")
    return anchor["id"], block, shown.get("id"), shown.get("kind"), shown.get("version"), seconds, size


def _show(client: "Client", asset: "Json | None", out: Path | None, as_json: bool) -> None:
    """Tell of the picture that an anchor shows now, and save it where ``out`` says."""
    if asset is None:
        raise UsageWrong("The anchor shows no picture any more: somebody took it out of view meanwhile.")
    if out is not None:
        client.download(asset["image_uri"], out)
    facts = (("anchor", asset["anchor_id"]), ("kind", asset["kind"]), ("size", f"{asset['width']} x {asset['height']}"))
    rows = (*facts, ("saved as", out) if out else ("address", asset["image_uri"]))
    print_listed({**asset, "path": str(out) if out else None}, ("PICTURE", asset["id"]), rows, as_json=as_json)
