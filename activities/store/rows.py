"""Rows into the domain's models."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy.engine import RowMapping

from domain.artifacts import Artifact, Blob
from domain.documents.anchors import MARKED_BEFORE, MARKED_OUTCOME, OUTCOMES, Addressing, Anchor
from domain.documents.annotations import Operation, operation_list
from domain.documents.screenshots import PictureUpload, Screenshot, ScreenshotAsset, ScreenshotTask
from domain.documents.tasks import Export, RegenerateTask
from domain.documents.translations import TranslationTask
from domain.documents.versions import InstructionVersion
from domain.jobs import Event, Failure, Job, Project

Columns = Mapping[str, Any] | RowMapping


def blob(row: Columns) -> Blob:
    return Blob(
        key=row["key"],
        size_bytes=row["size_bytes"],
        checksum_sha256=row["checksum_sha256"],
        media_type=row["media_type"],
    )


def blob_columns(value: Blob) -> dict[str, Any]:
    return {
        "key": value.key,
        "size_bytes": value.size_bytes,
        "checksum_sha256": value.checksum_sha256,
        "media_type": value.media_type,
    }


def operations(row: Columns) -> tuple[Operation, ...]:
    """What was drawn on a picture; nothing where it is no drawing, or one of an earlier version."""
    return operation_list.validate_python(row["operations"] or ())


def operations_column(drawn: Sequence[Operation]) -> list[dict[str, Any]] | None:
    """The same as it is kept."""
    return [each.model_dump(mode="json") for each in drawn] or None


def failure(row: Columns) -> Failure | None:
    if row["failure_code"] is None:
        return None
    return Failure(
        failure_code=row["failure_code"],
        failure_message=row["failure_message"],
        failed_stage=row["failed_stage"],
        correlation_id=row["failure_correlation_id"],
    )


def failure_columns(value: Failure | None, correlation_id: str | None = None) -> dict[str, Any]:
    """``correlation_id`` stands where the failure names none."""
    return {
        "failure_code": value.failure_code if value else None,
        "failure_message": value.failure_message if value else None,
        "failed_stage": value.failed_stage if value else None,
        "failure_correlation_id": (value.correlation_id or correlation_id) if value else None,
    }


def _rest(row: Columns, *without: str) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in without}


def updated_at(row: Columns) -> datetime:
    """When a task or export changed last. A worker of an earlier version leaves the column as it was."""
    moments: list[datetime | None] = [row["requested_at"], row["completed_at"], row["updated_at"]]
    return max(each for each in moments if each is not None)


def project(row: Columns) -> Project:
    return Project.model_validate(dict(row))


def job(row: Columns) -> Job:
    return Job(**row, failure=failure(row))  # the model ignores the columns that are the store's own


def event(row: Columns) -> Event:
    return Event.model_validate(dict(row))


def artifact(row: Columns) -> Artifact:
    return Artifact(**_rest(row, "key", "size_bytes", "checksum_sha256", "media_type"), blob=blob(row))


def version(row: Columns) -> InstructionVersion:
    return InstructionVersion.model_validate(dict(row))


def regenerate_task(row: Columns) -> RegenerateTask:
    return RegenerateTask(**_rest(row, "updated_at"), updated_at=updated_at(row), failure=failure(row))


def translation_task(row: Columns) -> TranslationTask:
    return TranslationTask.model_validate(
        {**_rest(row, "updated_at", "made", "completed_at"), "updated_at": updated_at(row), "failure": failure(row)}
    )


def export(row: Columns) -> Export:
    made = blob(row) if row["key"] is not None else None
    return Export(**_rest(row, "updated_at"), updated_at=updated_at(row), blob=made, failure=failure(row))


def screenshot(row: Columns) -> Screenshot:
    rest = _rest(row, "key", "size_bytes", "checksum_sha256", "media_type", "operations")
    strategy = row["strategy"]
    said = {"is_outcome": strategy in OUTCOMES, "is_marked": strategy in (MARKED_OUTCOME, MARKED_BEFORE)}
    return Screenshot(**rest, blob=blob(row), operations=operations(row), **said)


def anchor(row: Columns) -> Anchor:
    return Anchor(**row, addressing=addressing(row))


def addressing(row: Columns) -> Addressing:
    return Addressing(**{name: row[name] for name in Addressing.model_fields})


def screenshot_asset(row: Columns) -> ScreenshotAsset:
    rest = _rest(row, "key", "size_bytes", "checksum_sha256", "media_type", "operations")
    return ScreenshotAsset(**rest, blob=blob(row), operations=operations({"operations": None, **row}) or None)


def screenshot_task(row: Columns) -> ScreenshotTask:
    return ScreenshotTask(**_rest(row, "updated_at"), updated_at=updated_at(row), failure=failure(row))


def picture_upload(row: Columns) -> PictureUpload:
    return PictureUpload.model_validate(dict(row))
