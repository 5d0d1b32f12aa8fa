"""Guides: what lies in the bin, documents and their translations, exports and links."""

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

from guidesmith.client.errors import JobFailed
from guidesmith.client.flows.asking import Ask, Flow, asked, ended, post, shaped
from guidesmith.client.flows.jobs import get_job
from guidesmith.client.shapes import (
    BinnedGuide,
    Export,
    Guide,
    Instruction,
    Job,
    MadeShare,
    Share,
    Task,
    Translation,
    TranslationDetails,
    TranslationTask,
    Version,
)


def throw_away(job_id: str) -> Flow[BinnedGuide]:
    return shaped(BinnedGuide, post(f"guides/{job_id}/bin"))


def rename_guide(job_id: str, title: str) -> Flow[Guide]:
    return shaped(Guide, Ask("PATCH", f"guides/{job_id}", json={"title": title}))


def restore_guide(job_id: str) -> Flow[Job]:
    return shaped(Job, post(f"guides/bin/{job_id}/restore"))


# --- documents -----------------------------------------------------------------------------------------------------


def instruction_id(of: Instruction | Translation | str) -> str:
    return of if isinstance(of, str) else of.instruction_id


def get_instruction(instruction_id: str, version: int | None) -> Flow[Instruction]:
    params = {} if version is None else {"version": version}
    return shaped(Instruction, Ask("GET", f"instructions/{instruction_id}", params=params))


def save_instruction(instruction_id: str, base_version: int, markdown: str) -> Flow[Instruction]:
    body = {"base_version": base_version, "markdown": markdown}
    return shaped(Instruction, Ask("PUT", f"instructions/{instruction_id}", json=body))


def restore(instruction_id: str, base_version: int, version: int) -> Flow[Instruction]:
    body = {"base_version": base_version, "version": version}
    return shaped(Instruction, post(f"instructions/{instruction_id}/restore", body))


def name_version(instruction_id: str, version: int, name: str | None) -> Flow[Version]:
    return shaped(Version, Ask("PUT", f"instructions/{instruction_id}/versions/{version}", json={"name": name}))


def regenerate(instruction_id: str, base_version: int, block_id: str, context: str | None) -> Flow[Task]:
    """Have a block written again, and wait until it is. Raises: JobFailed."""
    body = {"base_version": base_version, "selection": {"block_id": block_id}, "client_request_id": uuid4().hex}
    task = yield from asked(post(f"instructions/{instruction_id}/regenerate", body | {"context": context}))
    return Task.model_validate((yield from ended(task, f"tasks/{task['id']}")))


# --- translations --------------------------------------------------------------------------------------------------


def begin_translation(instruction_id: str, language: str, version: int | None) -> Flow[TranslationTask]:
    """Have an original translated, or its translation brought up to date."""
    asked_id = {"client_request_id": uuid4().hex}
    known = {each.language.lower(): each for each in (yield from translations(instruction_id))}
    if (there := known.get(language.lower())) is not None and version is None:
        ask = post(f"instructions/{there.instruction_id}/translation/update", asked_id)
    else:
        order = {**asked_id, "language": language, "version": version}
        ask = post(f"instructions/{instruction_id}/translations", order)
    return (yield from shaped(TranslationTask, ask))


def translate(instruction_id: str, language: str, version: int | None) -> Flow[TranslationTask]:
    """As :func:`begin_translation`, and wait until it is. Raises: JobFailed."""
    begun = yield from begin_translation(instruction_id, language, version)
    task = yield from ended(begun.model_dump(mode="json"), f"translation-tasks/{begun.id}")
    return TranslationTask.model_validate(task)


def translation_task(task_id: str) -> Flow[TranslationTask]:
    return shaped(TranslationTask, Ask("GET", f"translation-tasks/{task_id}"))


def cancel_translation(task_id: str) -> Flow[TranslationTask]:
    return shaped(TranslationTask, post(f"translation-tasks/{task_id}/cancel"))


def translations(instruction_id: str) -> Flow[tuple[Translation, ...]]:
    listed = yield from asked(Ask("GET", f"instructions/{instruction_id}/translations"))
    return tuple(Translation.model_validate(each) for each in listed["items"])


def translation(instruction_id: str) -> Flow[TranslationDetails]:
    return shaped(TranslationDetails, Ask("GET", f"instructions/{instruction_id}/translation"))


def answer_translation(instruction_id: str, base_version: int, block_id: str, take: bool) -> Flow[TranslationDetails]:
    answer = {"base_version": base_version, "take": take}
    url = f"instructions/{instruction_id}/translation/blocks/{block_id}"
    return shaped(TranslationDetails, Ask("PUT", url, json=answer))


# --- exports and links ---------------------------------------------------------------------------------------------


def export(job_id: str, format: str, version_id: str | None) -> Flow[Export]:
    """Have a version exported, the newest where none is named, and wait until it is. Raises: JobFailed."""
    if version_id is None:
        job = yield from get_job(job_id)
        if job.instruction_id is None:
            raise JobFailed(job_id, "NO_INSTRUCTION", "The job has no instruction to export yet.")
        version_id = (yield from get_instruction(job.instruction_id, None)).instruction_version_id
    order = {"format": format, "instruction_version_id": version_id}
    asked_for = yield from asked(post(f"jobs/{job_id}/exports", order))
    return Export.model_validate((yield from ended(asked_for, f"exports/{asked_for['id']}")))


def site_url(exports: Iterable[Export], title: str) -> str:
    """Where the static site of these exports is fetched: its pages are their guides."""
    return "guides/site.zip?" + urlencode({"export_ids": ",".join(each.id for each in exports), "title": title})


def exports_url(exports: Iterable[Export]) -> str:
    """Where the files of these exports are fetched as one ZIP."""
    return "guides/exports.zip?" + urlencode({"export_ids": ",".join(each.id for each in exports)})


def share(instruction_id: str, chosen: Mapping[str, Any]) -> Flow[MadeShare]:
    return shaped(MadeShare, post(f"instructions/{instruction_id}/shares", chosen))


def update_share(share_id: str) -> Flow[Share]:
    return shaped(Share, post(f"shares/{share_id}/update"))
