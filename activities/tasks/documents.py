"""What is done to a document on request: publishing a version, writing a part of one again."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Protocol

from temporalio import activity

from activities.rails.contracts import TaskCall, TaskFailure
from activities.rails.heartbeat import Heartbeat
from activities.tasks.filming import Films
from activities.tasks.screenshots import Footage
from domain.artifacts import Artifact, ArtifactKind, Blob
from domain.documents.annotations import crop_of, without_crop
from domain.documents.brand import Branding
from domain.documents.document import BlockEvidence, BlockPart, Document, carry_evidence, parse
from domain.documents.draft import BlockRole, DraftWarning
from domain.documents.merging import merge
from domain.documents.publication import (
    CAPTION_FORMATS,
    FILM_FORMATS,
    PLACED_FORMATS,
    WHOLE_FORMATS,
    Exporter,
    ExportFormat,
    Picture,
    Publication,
    PublicationBlock,
)
from domain.documents.screenshots import Screenshot
from domain.documents.tasks import Export, ExportStatus, Regenerated, RegenerateTask
from domain.documents.versions import InstructionVersion, NewVersion, VersionOrigin
from domain.errors import ArtifactCorrupt, ArtifactMissing, ModelNotAllowed, UploadInvalid
from domain.jobs import Failure, Job, Project, TaskStatus
from domain.recordings.corrections import Correction, corrected
from domain.recordings.transcript import Transcript

if TYPE_CHECKING:
    from activities.artifacts import ArtifactStore
    from activities.drafting import Drafter
    from activities.filming.narration import Narrator
    from activities.publishing.confluence.space import ConfluenceSpace
    from activities.publishing.notion.page import NotionPage


class DocumentStore(Protocol):
    """What the tasks need of the store."""

    def get_job(self, job_id: str) -> Job: ...
    def project(self, project_id: str) -> Project: ...
    def latest_artifact(self, job_id: str, kind: ArtifactKind) -> Artifact | None: ...
    def corrections(self, job_id: str) -> tuple[Correction, ...]: ...
    def get_version_by_id(self, instruction_version_id: str) -> InstructionVersion: ...
    def get_instruction(self, owner: str, instruction_id: str, version: int | None = None) -> InstructionVersion: ...
    def hides_something(self, instruction_id: str) -> bool: ...
    def place_of(self, instruction_id: str, export_format: ExportFormat) -> Mapping[str, Any] | None: ...
    def pictures_of_export(self, export_id: str) -> tuple[Screenshot, ...]: ...
    def branding_of_export(self, export_id: str) -> Branding | None: ...
    def begin_export(self, export_id: str) -> Export: ...
    def finish_export(
        self,
        export_id: str,
        blob: Blob,
        filename: str,
        provenance: Mapping[str, object],
        warnings: Sequence[str] = (),
        *,
        incomplete: bool = False,
    ) -> Export: ...
    def fail_export(self, export_id: str, failure: Failure) -> Export: ...
    def begin_regenerate(self, task_id: str) -> RegenerateTask: ...
    def finish_regenerate(self, task_id: str, merge: Callable[[InstructionVersion], Regenerated]) -> RegenerateTask: ...
    def fail_regenerate(self, task_id: str, failure: Failure) -> RegenerateTask: ...


@dataclass(frozen=True)
class TaskParts:
    """What the tasks work with."""

    store: DocumentStore
    artifacts: "ArtifactStore"
    rewriters: "Mapping[str, Drafter]"
    default_profile: str
    scratch: Path | None = None
    exporters: Mapping[ExportFormat, Exporter] = field(default_factory=dict)
    narrator: "Narrator | None" = None
    confluence: "ConfluenceSpace | None" = None
    notion: "NotionPage | None" = None


class DocumentTasks:
    """The activities of the task workflows. Each may run twice; its row is settled once."""

    def __init__(self, parts: TaskParts) -> None:
        self._parts = parts
        self._films = Films(parts.store, parts.artifacts, parts.narrator)

    # --- export --------------------------------------------------------------------------------------------

    @activity.defn(name="publish", no_thread_cancel_exception=True)
    def publish(self, call: TaskCall) -> None:
        """Typeset exactly the version that was asked for, whatever was saved since, and store the file."""
        from activities.publishing.publisher import publish
        from activities.tasks.placing import placed

        with Heartbeat(call.heartbeat_timeout_s) as heartbeat:
            export = self._parts.store.begin_export(call.task_id)
            if export.status is not ExportStatus.RUNNING:
                return
            version = self._parts.store.get_version_by_id(export.instruction_version_id)
            screenshots, lost = self._at_hand(self._parts.store.pictures_of_export(export.id), heartbeat)
            with TemporaryDirectory(prefix="guidesmith-", dir=self._parts.scratch) as folder:
                branding = self._parts.store.branding_of_export(export.id)
                plain = self._publication(version, screenshots, opens=export.format in WHOLE_FORMATS)
                publication = plain.model_copy(update={"branding": branding})
                place: dict[str, object] = {}
                if export.format in PLACED_FORMATS:
                    before = self._parts.store.place_of(export.instruction_id, export.format)
                    published, place = placed(self._place(export), publication, export, before, Path(folder), heartbeat)
                elif export.format in FILM_FORMATS:
                    published = self._films.published(
                        export,
                        publication,
                        screenshots,
                        lambda: self._transcript(version.job_id),
                        Path(folder),
                        heartbeat,
                    )
                else:
                    published = publish(
                        publication,
                        export.format,
                        transcript=self._transcript(version.job_id) if export.format in CAPTION_FORMATS else None,
                        out=Path(folder),
                        exporters=self._parts.exporters,
                        on_progress=heartbeat.check,
                    )
                blob = self._parts.artifacts.put_file(
                    f"exports/{export.job_id}/{export.id}/{activity.info().attempt}/{published.path.name}",
                    published.path,
                    published.media_type,
                    on_progress=lambda _: heartbeat.check(),
                )
            self._parts.store.finish_export(
                export.id,
                blob,
                published.filename,
                _provenance(version, [shot for shot, _ in screenshots]) | place,
                (*published.warnings, *lost),
                incomplete=bool(lost) or export.format in PLACED_FORMATS,
            )
            if export.format in FILM_FORMATS:
                self._films.forget(export)

    @activity.defn(name="fail-export", no_thread_cancel_exception=True)
    def fail_export(self, call: TaskFailure) -> None:
        export = self._parts.store.fail_export(call.task_id, call.failure)
        if export.format in FILM_FORMATS:
            self._films.forget(export)

    def _place(self, export: Export) -> "ConfluenceSpace | NotionPage | None":
        """Where guides of its project are put; ``None``: nobody said so."""
        store = self._parts.store
        there = self._parts.notion if export.format is ExportFormat.NOTION else self._parts.confluence
        return there and there.of_project(store.project(store.get_job(export.job_id).project_id))

    def _at_hand(
        self, shots: Sequence[Screenshot], heartbeat: Heartbeat
    ) -> tuple[list[tuple[Screenshot, bytes]], tuple[str, ...]]:
        """The screenshots that are still there and whole, and a sentence about those that are not: an instruction
        without one picture is worth more than none."""
        found, lost = [], 0
        for shot in shots:
            heartbeat.check()
            try:
                found.append((shot, self._parts.artifacts.read_bytes(shot.blob)))
            except (ArtifactMissing, ArtifactCorrupt):
                lost += 1
        return found, (f"{lost} screenshot(s) are lost or damaged in the store and were left out.",) if lost else ()

    def _publication(
        self, version: InstructionVersion, screenshots: Sequence[tuple[Screenshot, bytes]], *, opens: bool
    ) -> Publication:
        evidence = {each.block_id: each for each in _evidence(version)}
        pictures: dict[str, list[Picture]] = {}
        for shot, data in screenshots:
            whole = self._whole(shot) if opens else None
            pictures.setdefault(shot.block_id, []).append(_picture(shot, data, whole))
        blocks = []
        for block in parse(version.markdown).blocks:
            cited = evidence.get(block.id)
            blocks.append(
                PublicationBlock(
                    block_id=block.id,
                    markdown=block.markdown,
                    role=str(cited.role) if cited else "text",
                    start_ms=cited.start_ms if cited else None,
                    end_ms=cited.end_ms if cited else None,
                    pictures=tuple(pictures.get(block.id, ())),
                )
            )
        return Publication(
            title=version.title,
            language=version.language,
            version=version.version,
            blocks=tuple(blocks),
            source_name=self._parts.store.get_job(version.job_id).source_name or "",
            warnings=tuple(warning["message"] for warning in version.warnings),
            created_at=version.created_at,
            duration_ms=Footage.of(self._parts.store.latest_artifact(version.job_id, ArtifactKind.AUDIO)).duration_ms,
        )

    def _whole(self, shot: Screenshot) -> bytes | None:
        """The picture of which ``shot`` shows a part, with all that is drawn on it; ``None`` where it is all there is
        to see, or where readers may not see the rest."""
        from activities.pictures.isolated import draw

        crop = crop_of(shot.operations)
        if crop is None or not crop.style.whole or shot.base is None:
            return None
        try:
            base = self._parts.artifacts.read_bytes(shot.base)
            drawn = without_crop(shot.operations)
            return draw(base, drawn)[0] if drawn else base
        except (ArtifactMissing, ArtifactCorrupt, UploadInvalid):
            return None

    # --- regenerate ----------------------------------------------------------------------------------------

    @activity.defn(name="rewrite", no_thread_cancel_exception=True)
    def rewrite(self, call: TaskCall) -> None:
        """Write the selection again from what it cites; an edit saved meanwhile wins over it."""
        with Heartbeat(call.heartbeat_timeout_s) as heartbeat:
            task = self._parts.store.begin_regenerate(call.task_id)
            if task.status is not TaskStatus.RUNNING:
                return
            base = self._parts.store.get_instruction(task.owner, task.instruction_id, task.base_version)
            transcript = self._transcript(task.job_id)
            if transcript is None:
                raise ArtifactMissing("The transcript of this recording is gone. Run the job again from its recording.")
            written = self._write(task, base, transcript, heartbeat)
            self._parts.store.finish_regenerate(task.id, written.merged)

    @activity.defn(name="fail-regenerate", no_thread_cancel_exception=True)
    def fail_regenerate(self, call: TaskFailure) -> None:
        self._parts.store.fail_regenerate(call.task_id, call.failure)

    def _write(
        self, task: RegenerateTask, base: InstructionVersion, transcript: Transcript, heartbeat: Heartbeat
    ) -> "_Written":
        document = parse(base.markdown)
        evidence = {each.block_id: each for each in _evidence(base)}
        instruction = task.request.get("context")
        ours, warnings, provenance = document, list[DraftWarning](), None
        parts = selected_parts(document, task.selection)
        rewriter = self._rewriter(str(task.request.get("model_profile") or self._parts.default_profile))
        for part in reversed(parts):
            heartbeat.check()
            rewrite = rewriter.rewrite(
                document.text_of(part),
                evidence=evidence.get(part.block_id) or BlockEvidence(block_id=part.block_id, role=BlockRole.NOTE),
                transcript=transcript,
                context=_neighbourhood(document, part.block_id),
                instruction=str(instruction) if instruction else None,
                passage=part.end - part.start < len(document.block(part.block_id).markdown),
                stop=heartbeat.check,
            )
            ours = ours.replace_part(part, rewrite.markdown)
            warnings += rewrite.warnings
            provenance = rewrite.provenance
        return _Written(
            base=document,
            ours=ours,
            selection=tuple(dict.fromkeys(part.block_id for part in parts)),
            author=task.requested_by,
            warnings=tuple(warning.model_dump(mode="json") for warning in warnings),
            provenance={} if provenance is None else provenance.model_dump(),
        )

    def _rewriter(self, profile: str) -> "Drafter":
        if profile not in self._parts.rewriters:
            raise ModelNotAllowed(
                f"There is no model profile {profile[:40]!r}. Profiles: {', '.join(self._parts.rewriters)}."
            )
        return self._parts.rewriters[profile]

    def _transcript(self, job_id: str) -> Transcript | None:
        artifact = self._parts.store.latest_artifact(job_id, ArtifactKind.TRANSCRIPT)
        if artifact is None:
            return None
        heard = Transcript.model_validate_json(self._parts.artifacts.read_bytes(artifact.blob))
        return corrected(heard, self._parts.store.corrections(job_id))


@dataclass(frozen=True)
class _Written:
    """A finished regeneration, to be merged into whatever version is current when it is stored."""

    base: Document
    ours: Document
    selection: tuple[str, ...]
    author: str
    warnings: tuple[dict[str, Any], ...]
    provenance: dict[str, str | None]

    def merged(self, current: InstructionVersion) -> Regenerated:
        result = merge(self.base, parse(current.markdown), self.ours, self.selection)
        if not result.applied:
            return Regenerated(version=None, kept=result.kept, warnings=self.warnings, **self.provenance)
        evidence = carry_evidence(_evidence(current), result.document)
        version = NewVersion(
            title=result.document.title or current.title,
            markdown=result.document.render(),
            evidence=tuple(each.model_dump(mode="json") for each in evidence),
            language=current.language,
            warnings=self.warnings,
            origin=VersionOrigin.REGENERATE,
            author=self.author,
            **self.provenance,
        )
        return Regenerated(version=version, kept=result.kept, warnings=self.warnings, **self.provenance)


def selected_parts(document: Document, selection: Mapping[str, object]) -> tuple[BlockPart, ...]:
    """What a selection (``block_id`` or ``char_range``) covers of a document, in order.

    Raises:
        RequestInvalid: It covers nothing of this version.
    """
    block_id = selection.get("block_id")
    if isinstance(block_id, str):
        block = document.block(block_id)
        return (BlockPart(block_id=block.id, start=0, end=len(block.markdown)),)
    chars = selection["char_range"]
    start, end = (int(chars["start_offset"]), int(chars["end_offset"])) if isinstance(chars, Mapping) else (0, 0)
    return document.parts_in_range(start, end)


def _neighbourhood(document: Document, block_id: str) -> str:
    """The blocks around one, for the drafter to fit in."""
    place = document.ids.index(block_id)
    return "\n\n".join(block.markdown for block in document.blocks[max(place - 2, 0) : place + 3])


def _evidence(version: InstructionVersion) -> tuple[BlockEvidence, ...]:
    return tuple(BlockEvidence.model_validate(each) for each in version.evidence)


def _picture(shot: Screenshot, data: bytes, whole: bytes | None) -> Picture:
    crop = crop_of(shot.operations)
    return Picture(
        anchor_id=shot.anchor_id,
        data=data,
        media_type=shot.blob.media_type,
        width=shot.width,
        height=shot.height,
        timestamp_ms=shot.timestamp_ms,
        whole=whole,
        crop=crop.geometry if crop is not None else None,
        is_outcome=shot.is_outcome,
    )


def _provenance(version: InstructionVersion, screenshots: Sequence[Screenshot]) -> dict[str, object]:
    """What an export was made of; the store adds the hashes and the time, and freezes it."""
    return {
        "instruction_version_id": version.id,
        "instruction_snapshot_id": version.id,  # a version never changes: it is its own snapshot
        "anchors": [shot.provenance for shot in screenshots],
        "model_profile_id": version.model_profile_id,
        "prompt_template_id": version.prompt_template_id,
        "prompt_params_ref": version.prompt_params_ref,
    }
