"""Which job a recording became: what lets the same command, run again, go on where it was."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from starter.local.folder import DataFolder

PIECE_BYTES = 1 << 20


def recording_sha256(path: Path, on_bytes: Callable[[int], None]) -> str:
    """The recording's SHA-256; ``on_bytes`` hears how many bytes have been read."""
    digest, done = hashlib.sha256(), 0
    with path.open("rb") as file:
        while piece := file.read(PIECE_BYTES):
            digest.update(piece)
            done += len(piece)
            on_bytes(done)
    return digest.hexdigest()


@dataclass(frozen=True)
class Memory:
    """One small file for each recording, API and language."""

    folder: DataFolder
    api: str
    """``local`` for whatever stack runs on the folder (its port may change), else the API's URL."""

    def job_of(self, recording: str, language: str | None) -> str | None:
        """The id of the last job made of ``recording`` (a SHA-256), or ``None``."""
        try:
            noted = json.loads(self._path(recording, language).read_text())["job_id"]
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return noted if isinstance(noted, str) else None

    def note(self, recording: str, language: str | None, job_id: str) -> None:
        """Remember the job."""
        path = self._path(recording, language)
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        part.write_text(json.dumps({"job_id": job_id, "api": self.api, "language": language}))
        part.replace(path)

    def _path(self, recording: str, language: str | None) -> Path:
        key = hashlib.sha256(json.dumps([recording, self.api, language]).encode()).hexdigest()
        return self.folder.recordings / f"{key}.json"
