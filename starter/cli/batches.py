"""``guidesmith demo batch``: the sample recording in, clips, stills and a contact sheet out."""

import hashlib
import time
from pathlib import Path

from domain.batch import BATCH, FAILED, BatchStatus
from starter.cli.client import Client, Json
from starter.cli.connection import connected
from starter.cli.exits import JobFailed, UsageWrong
from starter.cli.printing import print_json, print_table
from starter.cli.views import View, shown

POLL_S = 0.2

ORDERS: dict[str, Json] = {
    "clips": {"ranges": [{"start_ms": 0, "end_ms": 10_000}, {"start_ms": 10_000, "end_ms": 20_000}]},
    "thumbnails": {"stills": 12},
}
"""What the demo asks for, by type of job."""

SUFFIXES = {"video/mp4": "mp4", "video/webm": "webm", "video/x-matroska": "mkv", "image/jpeg": "jpg"}


def demonstrated(recording: Path, out: Path, *, as_json: bool, data_dir: Path | None) -> None:
    """Upload the recording, have each of ``ORDERS`` made of it, and save the files in ``out``.

    Raises:
        JobFailed: A batch made nothing.
        Refused, Unreachable: The API said no, or nothing.
        UsageWrong: There is no recording, or the files cannot be written there.
    """
    if not recording.exists():
        raise UsageWrong("The sample recording is not here: run the demo from a checkout of the repository.")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as broken:
        raise UsageWrong(f"The output folder cannot be made: {broken.strerror}.") from broken
    with shown(as_json=as_json) as view, connected(data_dir, start=True) as connection, Client(connection) as client:
        source = _uploaded(client, view, recording)
        asked = {
            name: client.post("jobs", {"job_type": name, "parameters": {"inputs": [{"job_id": source}], **rest}})
            for name, rest in ORDERS.items()
        }
        batches = [_saved(client, _awaited(client, view, name, job["id"]), out) for name, job in asked.items()]
    if as_json:
        print_json({"source_job_id": source, "batches": batches})
        return
    files = [(each["path"], each["size_bytes"]) for batch in batches for each in batch["files"]]
    print_table(("FILE", "BYTES"), files)


def _uploaded(client: Client, view: View, recording: Path) -> str:
    """The id of a new job that has the recording."""
    project = client.post("projects", {"name": "Batch demo"})
    job_id = str(client.post(f"projects/{project['id']}/jobs")["id"])
    size = recording.stat().st_size
    facts: Json = {"size_bytes": size, "checksum_sha256": hashlib.sha256(recording.read_bytes()).hexdigest()}
    session = client.post(f"jobs/{job_id}/upload", {"filename": recording.name, **facts})
    title = "Uploading the recording"
    client.upload(recording, session, lambda done: view.step("upload", title, done / size))
    client.confirm_upload(job_id, {"video_uri": session["video_uri"], **facts})
    view.step("upload", title, 1.0)
    return job_id


def _awaited(client: Client, view: View, name: str, job_id: str) -> Json:
    """The batch, once it has ended with anything at all."""
    title = f"Making {name}"
    while True:
        job = client.get(f"jobs/{job_id}")
        status = BatchStatus(job["status"])
        if BATCH.is_terminal(status):
            break
        view.step(name, title, job["progress"] / 100)
        time.sleep(POLL_S)
    if status is FAILED:
        failure = job["failure"]
        raise JobFailed(failure["failure_code"], failure["failure_message"], job_id=job_id)
    view.step(name, title, 1.0)
    return job


def _saved(client: Client, job: Json, out: Path) -> Json:
    """What became of a batch, and where its files are now."""
    found = client.get(f"jobs/{job['id']}/assets", limit=100)
    files: list[Json] = []
    for asset in reversed(found["items"]):
        path = out / f"{asset['name']}-{len(files) + 1:02}.{SUFFIXES[asset['mime_type']]}"
        files.append({"path": str(path), "size_bytes": client.download(asset["url"], path), "item": asset["item"]})
    return {"job_id": job["id"], "status": job["status"], "files": files, "errors": found["errors"]}
