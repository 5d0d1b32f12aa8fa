"""The proof that an input of an analysis has arrived and is what was declared.

As for a recording (``starter/api/uploads/confirming.py``): under the lease of its session, outside any transaction,
once however many ask for it.
"""

import contextlib
from dataclasses import dataclass
from enum import Enum

from activities.artifacts import ArtifactStore
from activities.store import Store
from domain.analyses.analysis import Analysis, InputFile
from domain.errors import GuidesmithError, UploadInvalid, UploadSealed
from starter.api.shapes import ConfirmUpload
from starter.api.uploads.confirming import Confirming, Lease
from starter.api.uploads.receiving import Receiving

STILL_ON_ITS_WAY = frozenset({"absent", "missing_parts"})
"""What is wrong with a file that only needs more time."""


class Arrival(Enum):
    ARRIVED = "arrived"
    AWAITED = "awaited"
    """Not all of it is there."""
    BUSY = "busy"
    """Somebody else is looking at it."""


@dataclass(frozen=True)
class InputUpload:
    """One look at one input."""

    store: Store
    artifacts: ArtifactStore
    cap_bytes: int
    analysis: Analysis
    file: InputFile

    def look(self) -> Arrival:
        """Whether it is there.

        Raises:
            UploadInvalid: It is, and is not what was declared.
            BodyTooLarge: It has more bytes than the settings allow; they are dropped.
            TransitionRefused: The plan was confirmed meanwhile.
        """
        if self.store.get_upload(self.file.upload_id).confirmed_at is not None:
            return Arrival.ARRIVED
        lease = Lease.take(self.store, self.file.upload_id)
        if lease is None:
            return Arrival.BUSY
        try:
            if lease.session.confirmed_at is None:
                self._settle(lease)
            return Arrival.ARRIVED
        except UploadSealed:
            return Arrival.BUSY
        except UploadInvalid as invalid:
            if STILL_ON_ITS_WAY.isdisjoint(_mismatch(invalid)):
                raise
            return Arrival.AWAITED
        finally:
            lease.release()

    def _settle(self, lease: Lease) -> None:
        receiving = Receiving(self.store, self.artifacts, self.cap_bytes, lease.session)
        job, declared = self.analysis.job, ConfirmUpload(video_uri=self.artifacts.uri(lease.session.key))
        looking = Confirming(self.store, self.artifacts, self.cap_bytes, job.owner, job.id, declared)
        blob = looking.arrived(receiving, lease)
        lease.extend()
        self.store.settle_input(job.id, self.file.upload_id, blob, lease.name)
        with contextlib.suppress(GuidesmithError):  # what an interrupted try may have left
            receiving.abort(lease.session.multipart_id)


def _mismatch(invalid: UploadInvalid) -> list[str]:
    found = invalid.details.get("mismatch")
    return [str(each) for each in found] if isinstance(found, list | tuple) else []
