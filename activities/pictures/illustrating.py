"""The pictures of a draft: which frame shows a step, what is marked on it, and both of them stored.

The frame is stored as the recording has it; what is marked is a drawing on it, of operations that can be changed and
taken away later.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from domain.artifacts import Blob
from domain.documents.annotations import Operation, ops_hash
from domain.documents.document import BlockEvidence
from domain.documents.draft import BlockRole
from domain.documents.illustration import Sight, pointed, sights
from domain.documents.screenshots import NewDrawing, NewScreenshot
from domain.recordings.media import Scene
from domain.recordings.screen import ScreenRecord

if TYPE_CHECKING:
    from activities.media import Frame, FrameRequest

FRAMES_HELD = 3
"""Pictures (3 MB each at 720p) that wait to be written while the next one is decoded."""


class Keep(Protocol):
    """Stores a PNG under a name of its own within the stage's execution."""

    def __call__(self, name: str, png: bytes, /) -> Blob: ...


@dataclass(frozen=True, slots=True)
class _Shot:
    """A picture that a block is to have."""

    block_id: str
    request: "FrameRequest"
    operations: tuple[Operation, ...] = ()
    is_outcome: bool = False


@dataclass(frozen=True, slots=True)
class _Taken:
    """A stored frame, its size and time, and what was drawn on it, by its operations."""

    blob: Blob
    size: tuple[int, int]
    pts_ms: int
    drawings: Mapping[tuple[Operation, ...], NewDrawing]


@dataclass(frozen=True)
class Illustrating:
    """Takes the pictures of one draft out of one recording.

    Args:
        keep: Where pictures are stored.
        check: Called between frames; raises to stop.
        advance: Told the share, 0 to 1, that is done.
    """

    keep: Keep
    check: Callable[[], None]
    advance: Callable[[float], None]

    def screenshots(
        self,
        recording: Path,
        recording_sha256: str,
        evidence: Sequence[BlockEvidence],
        scenes: tuple[Scene, ...],
        screen: ScreenRecord | None,
        duration_ms: int,
        headings: Mapping[str, str] | None = None,
    ) -> Iterator[NewScreenshot]:
        """The pictures of the steps, in their order; where a step has two, what came of it is the second. ``headings``
        are the steps', by block."""
        shots = list(wanted(evidence, scenes, screen, duration_ms, headings or {}))
        taken = self._taken(recording, shots, duration_ms)
        for shot in shots:
            frame = taken[shot.request].result()
            yield NewScreenshot(
                block_id=shot.block_id,
                blob=frame.blob,
                width=frame.size[0],
                height=frame.size[1],
                timestamp_ms=frame.pts_ms,
                extraction_key=f"{recording_sha256}:{frame.pts_ms}:settled:png:{shot.block_id}",
                drawing=frame.drawings.get(shot.operations),
                is_outcome=shot.is_outcome,
            )

    def _taken(self, recording: Path, shots: Sequence[_Shot], duration_ms: int) -> "dict[FrameRequest, Future[_Taken]]":
        from activities import media

        drawn: dict[FrameRequest, set[tuple[Operation, ...]]] = {}
        for shot in shots:
            drawn.setdefault(shot.request, set()).update([shot.operations] if shot.operations else [])
        in_order = sorted(drawn, key=lambda request: (request.timestamp_ms, request.earliest_ms or 0))
        taken: dict[FrameRequest, Future[_Taken]] = {}
        with ThreadPoolExecutor(1) as storing:
            frames = media.grab_frames(recording, in_order, duration_ms=duration_ms, on_progress=lambda _: self.check())
            for place, (request, frame) in enumerate(zip(in_order, frames, strict=True)):
                self.advance(place / len(in_order))
                if place >= FRAMES_HELD:
                    taken[in_order[place - FRAMES_HELD]].result()
                taken[request] = storing.submit(self._stored, frame, drawn[request])
        return taken

    def _stored(self, frame: "Frame", drawings: set[tuple[Operation, ...]]) -> _Taken:
        from activities import media

        name = f"frame-{frame.pts_ms:09d}"
        blob = self.keep(f"{name}.png", media.encode_png(frame.image))
        made = {operations: self._drawn(name, blob, frame, operations) for operations in drawings}
        return _Taken(blob, frame.image.size, frame.pts_ms, made)

    def _drawn(self, name: str, base: Blob, frame: "Frame", operations: tuple[Operation, ...]) -> NewDrawing:
        from activities.pictures.drawing import RENDERER, draw_on

        png, width, height = draw_on(frame.image.convert("RGB").copy(), operations)
        drawing = ops_hash(base.checksum_sha256, operations, RENDERER)
        blob = self.keep(f"{name}-{drawing[:16]}.png", png)
        return NewDrawing(ops_hash=drawing, blob=blob, width=width, height=height, operations=operations)


def wanted(
    evidence: Sequence[BlockEvidence],
    scenes: tuple[Scene, ...],
    screen: ScreenRecord | None,
    duration_ms: int,
    headings: Mapping[str, str],
) -> "Iterator[_Shot]":
    """The pictures that a draft's steps are to have. A step that the screen does not answer shows what the pointer
    rested on, if that is what it names, and else the screen that stood as its talk ended."""
    from activities import media

    known = {each.id: each for each in screen.changes} if screen is not None else {}
    for step in evidence:
        if step.role is not BlockRole.STEP:
            continue
        heading = headings.get(step.block_id, "")
        changes = [known[number] for number in step.changes if number in known]
        if screen is not None and changes and changes[0].id == step.changes[0]:
            for sight in sights(changes, (screen.width, screen.height), heading, screen):
                yield _Shot(step.block_id, _frame_request(sight, duration_ms), sight.operations, sight.is_outcome)
        elif (rested := _rested(step, heading, screen)) is not None:
            yield _Shot(step.block_id, _frame_request(rested, duration_ms), rested.operations)
        elif step.start_ms is not None:
            cited = [scenes[place] for place in step.scenes] or scenes
            yield _Shot(step.block_id, media.settled_frame_request(cited, step.start_ms, step.end_ms or 0, duration_ms))


def _rested(step: BlockEvidence, heading: str, screen: ScreenRecord | None) -> Sight | None:
    if screen is None or step.start_ms is None:
        return None
    return pointed(heading, step.start_ms, step.end_ms or step.start_ms, screen)


def _frame_request(sight: Sight, duration_ms: int) -> "FrameRequest":
    from activities import media

    at_ms = max(0, min(sight.timestamp_ms, duration_ms - 1))
    return media.FrameRequest(timestamp_ms=at_ms, earliest_ms=min(sight.earliest_ms, at_ms))
