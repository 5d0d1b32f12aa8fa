"""The ``instruction`` lifecycle: a recording becomes a written, illustrated instruction."""

from enum import StrEnum

from domain.lifecycles.lifecycle import Lifecycle, Trigger, rows

API, WORKFLOW, USER, ADMIN = Trigger.API, Trigger.WORKFLOW, Trigger.USER, Trigger.ADMIN

RETRY = "retry"
"""The explicit action that leads out of FAILED."""


class InstructionStatus(StrEnum):
    """Statuses in the order in which a job meets them. AUDIO_READY, TRANSCRIPT_READY, DRAFT_READY are checkpoints."""

    CREATED = "CREATED"
    UPLOADING = "UPLOADING"
    UPLOADED = "UPLOADED"
    AUDIO_EXTRACTING = "AUDIO_EXTRACTING"
    AUDIO_READY = "AUDIO_READY"
    TRANSCRIBING = "TRANSCRIBING"
    TRANSCRIPT_READY = "TRANSCRIPT_READY"
    GENERATING = "GENERATING"
    DRAFT_READY = "DRAFT_READY"
    EDITING = "EDITING"
    REGENERATING = "REGENERATING"
    EXPORTING = "EXPORTING"
    DONE = "DONE"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"


CREATED = InstructionStatus.CREATED
UPLOADING = InstructionStatus.UPLOADING
UPLOADED = InstructionStatus.UPLOADED
AUDIO_EXTRACTING = InstructionStatus.AUDIO_EXTRACTING
AUDIO_READY = InstructionStatus.AUDIO_READY
TRANSCRIBING = InstructionStatus.TRANSCRIBING
TRANSCRIPT_READY = InstructionStatus.TRANSCRIPT_READY
GENERATING = InstructionStatus.GENERATING
DRAFT_READY = InstructionStatus.DRAFT_READY
EDITING = InstructionStatus.EDITING
REGENERATING = InstructionStatus.REGENERATING
EXPORTING = InstructionStatus.EXPORTING
DONE = InstructionStatus.DONE
FAILED = InstructionStatus.FAILED
CANCELLED = InstructionStatus.CANCELLED

ACTIVE = tuple(status for status in InstructionStatus if status not in (DONE, FAILED, CANCELLED))

INSTRUCTION = Lifecycle(
    kind="instruction",
    statuses=InstructionStatus,
    terminals=frozenset({DONE, FAILED, CANCELLED}),
    checkpoints=(AUDIO_READY, TRANSCRIPT_READY, DRAFT_READY),
    failures=frozenset({FAILED}),
    cancelled=CANCELLED,
    transitions=Lifecycle.of(
        rows(None, CREATED, API, "the job is made"),
        rows(CREATED, UPLOADING, API, "an upload session began"),
        rows((CREATED, UPLOADING), UPLOADED, API, "upload confirmed: the object exists, size and checksum agree"),
        rows(UPLOADED, AUDIO_EXTRACTING, (API, WORKFLOW), "run"),
        rows(AUDIO_EXTRACTING, AUDIO_READY, WORKFLOW, "audio stored"),
        rows(AUDIO_READY, TRANSCRIBING, WORKFLOW, "transcription began"),
        rows(TRANSCRIBING, TRANSCRIPT_READY, WORKFLOW, "transcript stored"),
        rows(TRANSCRIPT_READY, GENERATING, WORKFLOW, "drafting began"),
        rows(GENERATING, DRAFT_READY, WORKFLOW, "draft stored"),
        rows(AUDIO_EXTRACTING, AUDIO_EXTRACTING, WORKFLOW, "the stage was retried"),
        rows(TRANSCRIBING, TRANSCRIBING, WORKFLOW, "the stage was retried"),
        rows(GENERATING, GENERATING, WORKFLOW, "the stage was retried"),
        rows(
            DRAFT_READY,
            EDITING,
            (API, USER),
            "first save, regenerate or export; a look changes nothing",
        ),
        rows(EDITING, REGENERATING, (API, USER), "a part is written again; one at a time"),
        rows(REGENERATING, EDITING, (API, WORKFLOW), "the regeneration ended, either way"),
        rows(EDITING, EXPORTING, (API, USER), "an export began"),
        rows(EXPORTING, DONE, (WORKFLOW, API), "at least one export is retrievable"),
        rows(EXPORTING, EDITING, (WORKFLOW, API), "the export failed; the job stays editable"),
        rows(ACTIVE, CANCELLED, API, "the running work was stopped first"),
        rows(ACTIVE, FAILED, (API, WORKFLOW), "not recoverable, or the retry budget is spent"),
        rows(FAILED, UPLOADED, (ADMIN, USER), "no checkpoint verifies: from the start", action=RETRY),
        rows(FAILED, AUDIO_READY, (ADMIN, USER), "resume at the audio", action=RETRY),
        rows(FAILED, TRANSCRIPT_READY, (ADMIN, USER), "resume at the transcript", action=RETRY),
        rows(FAILED, DRAFT_READY, (ADMIN, USER), "resume at the draft", action=RETRY),
    ),
)
"""A state name means what this table says, here and nowhere else."""

RUNNABLE = frozenset({UPLOADED, AUDIO_READY, TRANSCRIPT_READY, DRAFT_READY})
"""Where ``run`` may begin: the upload, and every checkpoint."""
