"""What ``guidesmith generate`` and its demo do: something is asked for and watched, and what was made is saved."""

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from domain.lifecycles.generation import COMPLETED, EXPIRED, FAILED, GENERATION, GenerationStatus
from starter.cli.client import Client, Json, Refused
from starter.cli.connection import connected
from starter.cli.exits import JobFailed, UsageWrong
from starter.cli.flows import say_addresses, stay_up
from starter.cli.printing import print_listed
from starter.cli.views import View, shown

POLL_S = 0.2

TITLES = {
    "copy": "Writing copy",
    "scrape": "Reading the page",
    "static-ad": "Making the ad",
    "video": "Making the video",
    "tts": "Speaking",
}

SUFFIXES = {
    "text/markdown": "md",
    "text/plain": "txt",
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/webp": "webp",
    "audio/wav": "wav",
    "audio/mpeg": "mp3",
    "audio/mp4": "m4a",
    "audio/ogg": "ogg",
    "audio/flac": "flac",
    "video/mp4": "mp4",
    "video/webm": "webm",
}

DEMO: Mapping[str, Json] = {
    "copy": {
        "prompt": "A kettle that boils a litre in one minute, and whispers while it does.",
        "audience": "people in a hurry",
        "tone": "warm",
    },
    "tts": {"text": "Put the kettle on. In one minute there is tea."},
}
"""What the demo asks for. The second needs a voice, and is left out where there is none."""

NOT_CONFIGURED = "PROVIDER_NOT_CONFIGURED"


def generated(
    orders: Mapping[str, Json],
    out: Path,
    *,
    as_json: bool,
    data_dir: Path | None,
    keep: bool = False,
    optional: Sequence[str] = (),
) -> None:
    """Ask for each of ``orders`` (by its route's name), wait, and save what is made as ``out`` or below it.

    Args:
        optional: Those that may be left out where nobody makes them.

    Raises:
        JobFailed: One of them made nothing; the code says why.
        Refused, Unreachable: The API said no, or nothing.
        UsageWrong: The files cannot be written there.
    """
    try:
        (out if out.is_dir() or not out.suffix else out.parent).mkdir(parents=True, exist_ok=True)
    except OSError as broken:
        raise UsageWrong(f"The output folder cannot be made: {broken.strerror}.") from broken
    with shown(as_json=as_json) as view, connected(data_dir, start=True) as connection, Client(connection) as client:
        made = []
        for path, body in orders.items():
            try:
                asked = client.post(f"generate/{path}", body)
            except Refused as refused:
                if path not in optional or refused.code != NOT_CONFIGURED:
                    raise
                view.say(f"{path}: left out. {refused.message}")
                continue
            made.append(_saved(client, _awaited(client, view, path, asked["id"]), path, out))
        _report(made, as_json=as_json)
        if keep:
            say_addresses(connection, view)
            stay_up(view)


def demonstrated(out: Path, *, keep: bool, as_json: bool, data_dir: Path | None) -> None:
    """Have copy written and, where there is a voice, a sentence spoken. Arguments and errors of :func:`generated`."""
    out.mkdir(parents=True, exist_ok=True)
    generated(DEMO, out, as_json=as_json, data_dir=data_dir, keep=keep, optional=("tts",))


def read_params(pairs: Sequence[str]) -> Json:
    """``NAME=VALUE`` pairs; a value that is JSON (a number, true) is taken as that.

    Raises:
        UsageWrong: One has no name.
    """
    params: Json = {}
    for pair in pairs:
        name, given, value = pair.partition("=")
        if not name or not given:
            raise UsageWrong("A parameter is written NAME=VALUE.")
        try:
            params[name] = json.loads(value)
        except ValueError:
            params[name] = value
    return params


def _awaited(client: Client, view: View, path: str, job_id: str) -> Json:
    """The job, once it has ended well."""
    title = TITLES[path]
    view.step(job_id, title, 0.0)
    tries = 0
    while True:
        job = client.get(f"generations/{job_id}")
        status = GenerationStatus(job["status"])
        if GENERATION.is_terminal(status):
            break
        if job["retry_count"] > tries:
            tries = job["retry_count"]
            view.say(f"Try {tries} failed. It is tried again.")
        view.step(job_id, title, min(job["progress"] / 100, 0.99))
        time.sleep(POLL_S)
    if status in (FAILED, EXPIRED):
        failure = job["failure"]
        raise JobFailed(failure["failure_code"], failure["failure_message"], job_id=job_id)
    if status is not COMPLETED:
        raise JobFailed("CANCELLED", "The job was stopped, and its credits are back.", job_id=job_id)
    view.step(job_id, title, 1.0)
    return job


def _saved(client: Client, job: Json, path: str, out: Path) -> Json:
    """What was made, and where it is now."""
    files = []
    for number, asset in enumerate(job["assets"], 1):
        file = file_of(asset, out, path, number)
        files.append({"path": str(file), "size_bytes": client.download(asset["url"], file)})
    first = job["assets"][0] if job["assets"] else {}
    return {
        "job_id": job["id"],
        "type": job["type"],
        "status": job["status"],
        "files": files,
        "provider": first.get("provider"),
        "model": first.get("model"),
    }


def file_of(asset: Json, out: Path, name: str, number: int = 1) -> Path:
    """``out``, or a file ``name`` below it. Of several the first has the name that was asked for."""
    file = out / f"{name}.{SUFFIXES.get(asset['mime_type'], 'bin')}" if out.is_dir() else out
    return file if number == 1 else file.with_stem(f"{file.stem}-{number}")


def _report(made: Sequence[Json], *, as_json: bool) -> None:
    rows = [(file["path"], file["size_bytes"], each["provider"]) for each in made for file in each["files"]]
    print_listed({"made": list(made)}, ("FILE", "BYTES", "MADE BY"), rows, as_json=as_json)
