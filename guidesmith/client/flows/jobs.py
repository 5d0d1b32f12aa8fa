"""Jobs: made, sent their recordings, and run."""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from uuid import uuid4

from guidesmith.client.errors import JobFailed
from guidesmith.client.flows.asking import PATIENT, Ask, Flow, asked, post, shaped
from guidesmith.client.shapes import Job, Project

READ_AT_ONCE = 1 << 20


def get_job(job_id: str) -> Flow[Job]:
    return shaped(Job, Ask("GET", f"jobs/{job_id}"))


def act_on_job(job_id: str, action: str) -> Flow[Job]:
    yield from asked(post(f"jobs/{job_id}/{action}"))
    return (yield from get_job(job_id))


def retry_job(job_id: str) -> Flow[Job]:
    yield from asked(post(f"jobs/{job_id}/retry", {"client_request_id": uuid4().hex}))
    return (yield from get_job(job_id))


def move_job(job_id: str, project_id: str) -> Flow[Job]:
    return shaped(Job, Ask("PATCH", f"jobs/{job_id}", json={"project_id": project_id}))


def project_named(name: str) -> Flow[Project]:
    """The caller's own project of that name; made, where there is none."""
    cursor: str | None = None
    while True:
        page = yield from asked(Ask("GET", "projects", params={"limit": 100} | ({"cursor": cursor} if cursor else {})))
        for each in page["items"]:
            if each["name"] == name and each.get("role", "owner") == "owner":
                return Project.model_validate(each)
        cursor = page["next_cursor"]
        if cursor is None:
            return Project.model_validate((yield from asked(post("projects", {"name": name}))))


def create_job(project: str | Project, language: str | None) -> Flow[Job]:
    """A job that waits for its recording, in that project, or the caller's own of that name."""
    home = project if isinstance(project, Project) else (yield from project_named(project))
    body = {"language": language} if language else {}
    return Job.model_validate((yield from asked(post(f"projects/{home.id}/jobs", body))))


def upload(job_id: str, path: Path, on_bytes: Callable[[int], None]) -> Flow[Job]:
    """Send a recording in parts, and have it checked; what has arrived before is not sent again.

    Args:
        on_bytes: Called with the bytes that have arrived so far.

    Raises:
        OSError: The file cannot be read.
    """
    size, digest = path.stat().st_size, _sha256(path)
    declared = {"size_bytes": size, "checksum_sha256": digest}
    session = yield from asked(post(f"jobs/{job_id}/upload", {"filename": path.name, **declared}))
    url, part_size = session["upload_url"], session["part_size"]
    arrived = yield from asked(Ask("GET", url, signed=True))
    received = set(arrived["received_parts"])
    with path.open("rb") as file:
        for number, at in enumerate(range(0, size, part_size), start=1):
            if number not in received:
                file.seek(at)
                part = file.read(part_size)
                yield from asked(Ask("PUT", url, params={"part": number}, content=part, timeout=PATIENT, signed=True))
            on_bytes(min(at + part_size, size))
    confirm = {"video_uri": session["video_uri"], **declared}
    yield from asked(post(f"jobs/{job_id}/confirm-upload", confirm, timeout=PATIENT))
    return (yield from get_job(job_id))


def _sha256(path: Path) -> str:
    digest = sha256()
    with path.open("rb") as file:
        while piece := file.read(READ_AT_ONCE):
            digest.update(piece)
    return digest.hexdigest()


def raise_if_failed(job: Job) -> Job:
    """Raises: JobFailed: the job ended with a failure."""
    if job.is_settled and job.failure is not None:
        raise JobFailed(job.id, job.failure.failure_code, job.failure.failure_message)
    return job
