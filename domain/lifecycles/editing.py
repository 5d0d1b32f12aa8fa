"""What a job's status should be while people work on its document, from what is going on.

One regeneration and any number of exports may run beside each other. The status stays with what began first; when
that ends, it follows what is still going on, along the job's table.
"""

from dataclasses import dataclass

from domain.lifecycles.instruction import DONE, DRAFT_READY, EDITING, EXPORTING, REGENERATING, InstructionStatus


@dataclass(frozen=True)
class Activity:
    """What is going on around a document.

    Args:
        touched: A person saved, regenerated or exported; a look changes nothing.
        regenerating: A regeneration is running.
        exporting: An export is running.
        exported: At least one export of this job is retrievable.
    """

    touched: bool = False
    regenerating: bool = False
    exporting: bool = False
    exported: bool = False


def next_status(status: InstructionStatus, now: Activity) -> InstructionStatus | None:
    """The next move from ``status``, or ``None`` where it may stay. Apply it again until it answers ``None``."""
    if status is DRAFT_READY and (now.touched or now.regenerating or now.exporting or now.exported):
        return EDITING
    if status is EDITING:
        if now.regenerating:
            return REGENERATING
        return EXPORTING if now.exporting or now.exported else None
    if status is REGENERATING and not now.regenerating:
        return EDITING
    if status is EXPORTING and not now.exporting:
        return DONE if now.exported else EDITING
    return None
