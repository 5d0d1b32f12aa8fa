"""``guidesmith image``: a prompt in, a picture out."""

import time
from pathlib import Path

from domain.lifecycles.image import COMPLETED, FAILED, IMAGE, ImageStatus
from starter.cli.client import Client, Json
from starter.cli.connection import connected
from starter.cli.exits import JobFailed, UsageWrong
from starter.cli.flows import say_addresses, stay_up
from starter.cli.printing import print_listed
from starter.cli.views import View, shown

POLL_S = 0.2
TITLE = "Making the picture"

DEMO_PROMPT = "A lighthouse in a storm, seen from the sea"
DEMO_FILE = "picture.png"


def pictured(
    prompt: str, out: Path, *, size: str | None, as_json: bool, data_dir: Path | None, keep: bool = False
) -> None:
    """Make the picture and save it as ``out``; with ``keep`` leave the stack up afterwards, until Ctrl-C.

    Raises:
        JobFailed: There is no picture; the code says why.
        Refused, Unreachable: The API said no, or nothing.
        UsageWrong: The file cannot be written there.
    """
    out = out / DEMO_FILE if out.is_dir() else out
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
    except OSError as broken:
        raise UsageWrong(f"The output folder cannot be made: {broken.strerror}.") from broken
    body: Json = {"prompt": prompt, "params": {"size": size} if size else {}}
    with shown(as_json=as_json) as view, connected(data_dir, start=True) as connection, Client(connection) as client:
        image = _awaited(client, view, client.post("images", body)["id"])
        saved = client.download(image["result_url"], out)
        _report(image, out, saved, as_json=as_json)
        if keep:
            say_addresses(connection, view)
            stay_up(view)


def _report(image: Json, out: Path, saved: int, *, as_json: bool) -> None:
    asset = image["asset"]
    facts = {
        "job_id": image["id"],
        "status": image["status"],
        "path": str(out),
        "size_bytes": saved,
        "width": asset["width"],
        "height": asset["height"],
        "provider": asset["provider"],
        "model": asset["model"],
    }
    print_listed(
        facts,
        ("PICTURE", str(out)),
        ((name, value) for name, value in facts.items() if name != "path"),
        as_json=as_json,
    )


def _awaited(client: Client, view: View, job_id: str) -> Json:
    """The picture's job, once it has ended well."""
    view.step("image", TITLE, 0.0)
    tries = 0
    while True:
        image = client.get(f"images/{job_id}")
        status = ImageStatus(image["status"])
        if status is FAILED and image["retry_count"] > tries:
            tries = image["retry_count"]
            view.say(f"Try {tries} failed ({image['failure']['failure_code']}). It is tried again.")
        if IMAGE.is_terminal(status):
            break
        view.step("image", TITLE, min(image["progress"] / 100, 0.99))
        time.sleep(POLL_S)
    if status is not COMPLETED:
        failure = image["failure"]
        raise JobFailed(failure["failure_code"], failure["failure_message"], job_id=job_id)
    view.step("image", TITLE, 1.0)
    return image
