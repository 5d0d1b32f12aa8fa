"""``guidesmith guides publish``: an export of each guide, and one site of them."""

import shutil
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep
from urllib.parse import urlencode

from domain.documents.publication import ExportFormat
from starter.cli.client import Client, Json
from starter.cli.exits import JobFailed, UsageWrong
from starter.cli.making import EXPORT_TIMEOUT_S, POLL_S
from starter.cli.views import View

MOST_GUIDES = 200
"""That the API puts into one site."""


def published(
    client: Client, view: View, out: Path, projects: Sequence[str], title: str, *, translations: bool = False
) -> Json:
    """Have every guide exported, wait for it, and save the site as ``out``: a folder, or a ZIP by its suffix. A folder
    of an earlier site is replaced.

    Args:
        translations: The guides' translations, too.

    Returns:
        ``path``, ``index`` (what to open), ``guides`` and ``failed``, each with its title.

    Raises:
        UsageWrong: There is no guide, there are too many, or the site cannot be written there.
        JobFailed: No guide could be exported.
        Refused, Unreachable: The API said no, or nothing.
    """
    guides = _written(client, projects, translations=translations)
    _check_place(out)
    asked = [(guide, _asked(client, guide)) for guide in guides]
    made: list[tuple[Json, Json]] = []
    failed: list[tuple[Json, Json]] = []
    for number, (guide, begun) in enumerate(asked, start=1):
        export = _ended(client, begun)
        (made if export["status"] == "SUCCEEDED" else failed).append((guide, export))
        view.step("guides", "Making the pages", number / len(asked))
    for guide, export in failed:
        view.say(f"{guide['title']} is left out: {export['failure']['failure_message']}")
    if not made:
        failure = failed[0][1]["failure"]
        raise JobFailed(failure["failure_code"], failure["failure_message"], job_id=failed[0][0]["job_id"])
    query = urlencode({"export_ids": ",".join(export["id"] for _, export in made), "title": title})
    index = _saved(client, f"guides/site.zip?{query}", out)
    view.step("site", "Saving the site", 1.0)
    return {
        "path": str(out),
        "index": str(index),
        "guides": [{"job_id": guide["job_id"], "title": guide["title"]} for guide, _ in made],
        "failed": [{"job_id": guide["job_id"], "title": guide["title"]} for guide, _ in failed],
    }


def _written(client: Client, projects: Sequence[str], *, translations: bool) -> list[Json]:
    """The guides that have a document, each with its translations behind it where these are wanted."""
    for project in projects:
        client.get(f"projects/{project}")  # one that is not there has no guides, and should be said
    asked = {"sort": "made", "limit": 100, **({"translations": "true"} if translations else {})}
    lists: Iterable[Iterable[Json]] = (
        [client.listed("guides", project_id=each, **asked) for each in projects]
        if projects
        else [client.listed("guides", **asked)]
    )
    found = {each["job_id"]: each for listed in lists for each in listed if each["instruction_version_id"]}
    if not found:
        raise UsageWrong("There is no guide to publish yet.")
    guides = [each for guide in found.values() for each in (guide, *_translated(guide))]
    if len(guides) > MOST_GUIDES:
        raise UsageWrong(f"A site holds up to {MOST_GUIDES} guides, and these are {len(guides)}: name a --project.")
    return guides


def _translated(guide: Json) -> list[Json]:
    return [{"job_id": guide["job_id"], **each} for each in guide["translations"] or ()]


def _asked(client: Client, guide: Json) -> Json:
    wanted = {"format": str(ExportFormat.SITE), "instruction_version_id": guide["instruction_version_id"]}
    return client.post(f"jobs/{guide['job_id']}/exports", wanted)


def _ended(client: Client, export: Json) -> Json:
    until = monotonic() + EXPORT_TIMEOUT_S
    while export["status"] not in ("SUCCEEDED", "FAILED"):
        if monotonic() > until:
            raise UsageWrong("A page takes too long. Run the same command again: what is done is not done again.")
        sleep(POLL_S)
        export = client.get(f"exports/{export['id']}")
    return export


def _is_zip(out: Path) -> bool:
    return out.suffix.lower() == ".zip" and not out.is_dir()


def _check_place(out: Path) -> None:
    """Raises: UsageWrong: what is there is no site, and is not ours to replace."""
    if _is_zip(out) or not out.exists():
        return
    if not out.is_dir():
        raise UsageWrong(f"{out} is a file. Name a folder, or a ZIP.")
    if any(out.iterdir()) and not ((out / "index.html").is_file() and (out / "guides").is_dir()):
        raise UsageWrong(f"The folder {out} has other things in it. Name an empty one, or one of an earlier site.")


def _saved(client: Client, address: str, out: Path) -> Path:
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        if _is_zip(out):
            client.download(address, out)
            return out
        with TemporaryDirectory(prefix=".guidesmith-site-", dir=out.parent) as folder:
            packed, unpacked = Path(folder, "site.zip"), Path(folder, "site")
            client.download(address, packed)
            with zipfile.ZipFile(packed) as archive:
                archive.extractall(unpacked)
            if out.exists():
                shutil.move(out, Path(folder, "before"))  # until the new one stands there whole
            shutil.move(unpacked, out)
    except OSError as broken:
        raise UsageWrong(f"The site cannot be written to {out}: {broken.strerror}.") from broken
    return out / "index.html"
