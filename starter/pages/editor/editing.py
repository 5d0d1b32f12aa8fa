"""A version of an instruction as the editor works with it: its blocks as HTML too, what they rest on, their
pictures."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Any

from domain.artifacts import ArtifactKind
from domain.documents.anchors import MARKED_OUTCOME, Anchor
from domain.documents.document import MAX_DOCUMENT_BYTES, Block, BlockEvidence, Document, parse
from domain.documents.screenshots import ScreenshotAsset
from domain.documents.versions import InstructionVersion
from domain.jobs import Job, TaskStatus
from domain.recordings.transcript import Transcript
from starter.api.context import Api
from starter.api.pictures.anchoring import Places
from starter.pages.shell.catalogue import explained
from starter.services.transcripts import current_transcript

ANCHORS_AT_ONCE = 100

USUAL_FPS = 30
"""Of a recording that does not say, or that shows a picture for seconds."""

KEPT_CHARACTERS = 8 * MAX_DOCUMENT_BYTES
"""Of blocks whose HTML is kept: a document has a block or two that changed since it was shown last. A thousand blocks
take most of a second, and a document may have nineteen thousand."""


@dataclass(frozen=True)
class Recorded:
    """What is known of the recording; the size of its picture (pixels) is ``None`` where it has none. ``frame_ms``: how
    long one of its frames shows, on average."""

    name: str | None
    media_type: str | None
    duration_ms: int
    size: tuple[int, int] | None
    frame_ms: float


@dataclass(frozen=True)
class Placed:
    """An anchor and its pictures, the newest first."""

    anchor: Anchor
    assets: tuple[ScreenshotAsset, ...]

    @property
    def active(self) -> ScreenshotAsset | None:
        """The picture that shows."""
        return next((each for each in self.assets if each.id == self.anchor.active_asset_id), None)

    def state(self) -> dict[str, Any]:
        """For the editor's modules: what they show of it, and no signed address, which holds for a while only. Three
        hundred anchors as the API answers them are half a megabyte."""
        return {
            "id": self.anchor.id,
            "active_asset_id": self.anchor.active_asset_id,
            "is_outcome": self.anchor.is_outcome,
            "assets": [_asset(each) for each in self.assets],
        }


def _asset(asset: ScreenshotAsset) -> dict[str, Any]:
    names = ("id", "version", "kind", "width", "height", "timestamp_ms", "rendered_from_asset_id")
    drawn = {"operations": [each.model_dump(mode="json") for each in asset.operations or ()] or None}
    return {name: getattr(asset, name) for name in names} | drawn


@dataclass(frozen=True)
class Editing:
    """What the editor shows of one version.

    Args:
        pictures: Of each block, the anchors that have a place there; under ``""`` those that have lost theirs.
    """

    version: InstructionVersion
    document: Document
    evidence: Mapping[str, BlockEvidence]
    transcript: Transcript | None
    pictures: Mapping[str, tuple[Placed, ...]]
    language: str

    @property
    def blocks(self) -> tuple[Block, ...]:
        return self.document.blocks

    def html(self, block: Block) -> str:
        return block_html(block.markdown)

    def cited(self, block_id: str) -> list[dict[str, Any]]:
        """What was said where the block comes from: ``start_ms``, ``end_ms``, ``text``."""
        evidence = self.evidence.get(block_id)
        if evidence is None or self.transcript is None:
            return []
        said = self.transcript.segments
        return [
            said[number].model_dump(include={"start_ms", "end_ms", "text"})
            for number in evidence.segments
            if 0 <= number < len(said)
        ]

    def issues(self, block_id: str) -> list[str]:
        """What validation says of one block, or with ``""`` of the whole."""
        return self._issues.get(block_id, [])

    @cached_property
    def _issues(self) -> dict[str, list[str]]:
        """Messages by block; those of the whole by ``""``."""
        places = {f"/blocks/{place}": block_id for place, block_id in enumerate(self.document.ids)} | {"": ""}
        found: dict[str, list[str]] = {}
        for each in self.version.validation_errors:
            block_id = places.get(each.get("path", ""))
            if block_id is not None:
                said = explained(self.language, "issue", each["code"], each["message"])
                found.setdefault(block_id, []).append(said)
        return found

    def state(self, *, html: bool) -> dict[str, Any]:
        """For the editor's modules. ``html``: with the blocks' HTML, for who does not have the page."""
        return {
            "instruction_id": self.version.instruction_id,
            "job_id": self.version.job_id,
            "version": self.version.version,
            "version_id": self.version.id,
            "author": self.version.author,
            "origin": self.version.origin.value,
            "model": self.version.model_profile_id,
            "title": self.version.title,
            "name": self.version.name,
            "issues": self.issues(""),
            "warnings": [
                {"message": _warning(self.language, each), "at_ms": list(each.get("at_ms") or ())}
                for each in self.version.warnings
            ],
            "blocks": [self._block(block, html=html) for block in self.blocks],
            "unplaced": [each.state() for each in self.pictures.get("", ())],
        }

    def _block(self, block: Block, *, html: bool) -> dict[str, Any]:
        evidence = self.evidence.get(block.id)
        known = {
            "id": block.id,
            "markdown": block.markdown,
            "gap": block.gap,
            "role": str(evidence.role) if evidence else "text",
            "start_ms": evidence.start_ms if evidence else None,
            "end_ms": evidence.end_ms if evidence else None,
            "cited": self.cited(block.id),
            "issues": self.issues(block.id),
            "anchors": [each.state() for each in self.pictures.get(block.id, ())],
        }
        return {**known, "html": self.html(block)} if html else known


def _warning(language: str, warning: Mapping[str, Any]) -> str:
    return explained(language, "warning", warning["code"], warning["message"], warning.get("details"))


def block_html(markdown: str) -> str:
    """One block as HTML that is safe wherever it stands."""
    known = _shown.get(markdown)
    if known is None:
        known = _shown.keep(markdown, _html(markdown))
    return known


class _Shown:
    """What was shown last, by its Markdown, as far as there is room."""

    def __init__(self) -> None:
        self._html: OrderedDict[str, str] = OrderedDict()
        self._characters = 0
        self._lock = Lock()

    def get(self, markdown: str) -> str | None:
        with self._lock:
            html = self._html.get(markdown)
            if html is not None:
                self._html.move_to_end(markdown)
            return html

    def keep(self, markdown: str, html: str) -> str:
        with self._lock:
            if markdown not in self._html:
                self._characters += len(markdown) + len(html)
            self._html[markdown] = html
            while self._characters > KEPT_CHARACTERS:
                oldest, its = self._html.popitem(last=False)
                self._characters -= len(oldest) + len(its)
        return html


_shown = _Shown()


def _html(markdown: str) -> str:
    from activities.publishing.webpage import fragment  # brings the typesetters along: not for those who never ask

    return fragment(markdown)


def rewriting(api: Api, owner: str, shown: Editing) -> dict[str, Any] | None:
    """What the editor goes on with that was asked for before it was opened: a block that is being written again, or
    those whose new text gave way to an edit, and that nobody has touched since. ``None``: nothing."""
    task = api.store.latest_regenerate(shown.version.instruction_id)
    if task is None:
        return None
    texts = _texts(shown.document)
    if task.status in (TaskStatus.PENDING, TaskStatus.RUNNING):
        blocks = [str(task.selection.get("block_id"))]
    elif task.kept:
        then = api.store.get_instruction(owner, task.instruction_id, task.instruction_version)
        before = _texts(parse(then.markdown))
        blocks = [each.block_id for each in task.kept if before.get(each.block_id) == texts.get(each.block_id)]
    else:
        return None
    found = [each for each in blocks if each in texts]
    return {"id": task.id, "status": task.status.value, "blocks": found} if found else None


def _texts(document: Document) -> dict[str, str]:
    return {block.id: block.markdown for block in document.blocks}


def editing(api: Api, owner: str, version: InstructionVersion, language: str) -> Editing:
    """Everything about ``owner``'s version. Reads the database and, once, the transcript. What is wrong
    with it is said in ``language``."""
    evidence = [BlockEvidence.model_validate(each) for each in version.evidence]
    document = parse(version.markdown)
    places = Places.among(api.store, version.id, document, evidence)
    return Editing(
        version=version,
        document=document,
        evidence={each.block_id: each for each in evidence},
        transcript=_transcript(api, version.job_id),
        pictures=_pictures(api, owner, version.instruction_id, places),
        language=language,
    )


def recorded(api: Api, job: Job) -> Recorded:
    """What is known of a job's recording."""
    video = api.store.latest_artifact(job.id, ArtifactKind.VIDEO)
    audio = api.store.latest_artifact(job.id, ArtifactKind.AUDIO)
    facts = audio.facts if audio else {}
    width, height, fps = facts.get("width"), facts.get("height"), facts.get("fps")
    return Recorded(
        name=job.source_name,
        media_type=video.blob.media_type if video else None,
        duration_ms=int(str(facts.get("duration_ms") or 0)),
        size=(width, height) if isinstance(width, int) and isinstance(height, int) else None,
        frame_ms=1000 / (float(fps) if isinstance(fps, int | float) and fps >= 1 else USUAL_FPS),
    )


def _transcript(api: Api, job_id: str) -> Transcript | None:
    said = current_transcript(api.store, api.artifacts, job_id)
    return said.transcript if said else None


def _pictures(api: Api, owner: str, instruction_id: str, places: Places) -> dict[str, tuple[Placed, ...]]:
    found: dict[str, list[Placed]] = {}
    known = _anchors(api, owner, instruction_id)
    places.read(known)
    pictures = _assets(api, known)
    for anchor in sorted(known, key=lambda each: each.addressing.strategy == MARKED_OUTCOME):  # as in every export
        block_id = places.find(anchor).block_id or ""
        if block_id or anchor.active_asset_id:
            found.setdefault(block_id, []).append(Placed(anchor, pictures[anchor.id]))
    return {block_id: tuple(each) for block_id, each in found.items()}


def _anchors(api: Api, owner: str, instruction_id: str) -> Sequence[Anchor]:
    """All of them, the oldest first: pictures keep their order when one is added."""
    found: list[Anchor] = []
    cursor: str | None = None
    while True:
        page = api.store.list_anchors(owner, instruction_id, ANCHORS_AT_ONCE, cursor)
        found += page.items
        cursor = page.next_cursor
        if cursor is None:
            return found[::-1]


def _assets(api: Api, known: Sequence[Anchor]) -> dict[str, tuple[ScreenshotAsset, ...]]:
    """The pictures of each."""
    found: dict[str, tuple[ScreenshotAsset, ...]] = {}
    for first in range(0, len(known), ANCHORS_AT_ONCE):
        found |= api.store.assets_of([each.id for each in known[first : first + ANCHORS_AT_ONCE]])
    return found
