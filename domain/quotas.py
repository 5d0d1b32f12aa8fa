"""How much one user may have at once, so that none takes everybody's."""

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, Field

from domain.errors import QuotaExceeded

COME_BACK_S = 60.0
"""Seconds after which it is worth looking whether a job of one's own has ended."""


LEAST_WEIGHT, MOST_WEIGHT = 0.001, 1000.0
"""Temporal's own bounds of a fairness weight."""


def read_weights(written: str) -> Mapping[str, float]:
    """How many turns a project's stages get where others get one, out of ``project=weight`` with commas.

    Raises:
        ValueError: Says what is wrong.
    """
    weights: dict[str, float] = {}
    for each in filter(None, (part.strip() for part in written.split(","))):
        project, equals, weight = (part.strip() for part in each.partition("="))
        try:
            weights[project] = float(weight)
        except ValueError:
            equals = ""
        if not (project and equals):
            raise ValueError("is project=weight with commas, with the ids of projects")
        if not LEAST_WEIGHT <= weights[project] <= MOST_WEIGHT:
            raise ValueError(f"needs {LEAST_WEIGHT:g} to {MOST_WEIGHT:g} for each project")
    return weights


class OwnerLimits(BaseModel):
    """What each user may have; 0: as much as they like.

    Args:
        open_jobs: Jobs that have not ended and of which no document is being edited: those that wait, are uploaded to
            or worked on.
        running_jobs: Of these, jobs whose run was asked for and has not ended: what stages are at work for, or wait.
        stored_bytes: Of all files that rows of theirs name, and of uploads that are announced.
        undeclared_recording, undeclared_input: What an upload takes of that, of which nobody said how large it will be,
            until it has arrived.
    """

    model_config = ConfigDict(frozen=True)

    open_jobs: int = Field(default=0, ge=0)
    running_jobs: int = Field(default=0, ge=0)
    stored_bytes: int = Field(default=0, ge=0)
    undeclared_recording: int = Field(default=0, ge=0)
    undeclared_input: int = Field(default=0, ge=0)

    def check_open(self, open_jobs: int) -> None:
        """Whether there is room for one more job. Raises: QuotaExceeded: no; nothing changed."""
        if 0 < self.open_jobs <= open_jobs:
            raise QuotaExceeded(
                f"You have {open_jobs} jobs that have not ended, of {self.open_jobs} that you may have at once. Wait "
                "for one to end, or cancel or delete one.",
                details={"limit": "open_jobs", "used": open_jobs, "allowed": self.open_jobs},
                retry_after_s=COME_BACK_S,
            )

    def check_running(self, running_jobs: int) -> None:
        """Whether one more job may be run. Raises: QuotaExceeded: no; nothing changed."""
        if 0 < self.running_jobs <= running_jobs:
            raise QuotaExceeded(
                f"{running_jobs} of your jobs are run, of {self.running_jobs} that may be at once. Wait for one to "
                "end, or cancel one.",
                details={"limit": "running_jobs", "used": running_jobs, "allowed": self.running_jobs},
                retry_after_s=COME_BACK_S,
            )

    def check_stored(self, stored_bytes: int, more_bytes: int = 0) -> None:
        """Whether ``more_bytes`` may be stored besides, of all uploads. Raises: QuotaExceeded: no; nothing changed."""
        if self.stored_bytes and (stored_bytes >= self.stored_bytes or stored_bytes + more_bytes > self.stored_bytes):
            raise QuotaExceeded(
                f"Your files take {stored_bytes >> 20} MiB of the {self.stored_bytes >> 20} MiB that you may store. "
                + (self._of_uploads(more_bytes) if more_bytes else "Delete what you need no more."),
                details={
                    "limit": "stored_bytes",
                    "used": stored_bytes,
                    "announced": more_bytes,
                    "allowed": self.stored_bytes,
                },
            )

    def _of_uploads(self, announced_bytes: int) -> str:
        """Nothing else bounds what arrives of an upload without a size: it may be the largest, so it counts as that."""
        return (
            f"Uploads that you announced take {announced_bytes >> 20} MiB: one without size_bytes counts as the "
            f"largest that may be sent (a recording {self.undeclared_recording >> 20} MiB, a table "
            f"{self.undeclared_input >> 20} MiB) until it has arrived or its address expires. Say how large your "
            "uploads are, finish or cancel those that are open, or delete what you need no more."
        )
