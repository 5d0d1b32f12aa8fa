"""A guide in other languages: asked for, held against the original, and brought up to date."""

from typing import Any, Literal

from fastapi import APIRouter, Response
from pydantic import Field, StrictBool

from activities.store.documents.translated import counted
from domain.documents.document import parse
from domain.documents.draft import BlockRole
from domain.documents.translations import BlockStanding, TranslationTask
from starter.api.context import ApiParts, Owner, identifier
from starter.api.responses import errors
from starter.api.shapes import FailureAnswer, Line, Moment, Sent, Shape, VersionNumber
from starter.services.translations import Translated

router = APIRouter(tags=["translations"])

MOST_BLOCKS = 1_000
"""That one update may name."""


class NewTranslation(Sent):
    language: Line = Field(description="A tag of BCP 47 without extensions.", examples=["de", "pt-BR"])
    client_request_id: Line = Field(description="The same request once more is the same task.")
    version: VersionNumber | None = Field(default=None, description="Of the original; null: its newest.")


class UpdateTranslation(Sent):
    client_request_id: Line
    blocks: tuple[Line, ...] | None = Field(
        default=None, max_length=MOST_BLOCKS, description="These alone; null: all that is behind or missing."
    )
    reorder: StrictBool = Field(default=False, description="Also put the blocks into the order of the original.")


class AnswerBlock(Sent):
    base_version: VersionNumber = Field(description="The translation's version that this was decided by.")
    take: StrictBool = Field(
        description="The translation that was offered takes the block's place; else its text is said to be true of the "
        "original as it is now."
    )


class TranslationTaskAnswer(Shape):
    """A translation that was asked for."""

    id: str
    source_id: str = Field(description="The original, an instruction_id.")
    job_id: str
    language: str
    source_version: int
    status: Literal["PENDING", "RUNNING", "SUCCEEDED", "FAILED"]
    progress_pct: int
    instruction_id: str | None = Field(description="The translation; null: there is none yet.")
    instruction_version: int | None
    translated: int = Field(description="Blocks that were translated and put in place.")
    offered: int = Field(description="Blocks whose new translation waits, since somebody had edited theirs.")
    removed: int = Field(description="Blocks that went, since the original has them no more.")
    untranslated: tuple[str, ...] = Field(
        description="Ids of blocks that stand in the original's language: no answer of the model could be used."
    )
    model_profile_id: str | None
    prompt_template_id: str | None
    failure: FailureAnswer | None
    requested_at: Moment
    updated_at: Moment
    replayed: bool = Field(description="It had been asked for before.")

    @classmethod
    def of(cls, task: TranslationTask, *, replayed: bool = False) -> "TranslationTaskAnswer":
        told = task.model_dump(include=set(cls.model_fields) - {"failure", "status"})
        return cls(**told, status=task.status.value, failure=FailureAnswer.of(task.failure), replayed=replayed)


class TranslationAnswer(Shape):
    """A translation, and how many of its blocks stand how to the original."""

    instruction_id: str
    source_id: str = Field(description="The original, an instruction_id.")
    job_id: str
    language: str
    title: str
    version: int
    instruction_version_id: str = Field(description="Of that version, which an export is made of.")
    source_version: int = Field(description="The original's newest, which it was held against.")
    current: int = Field(description="Blocks that are true of the original as it is.")
    behind: int = Field(description="Blocks whose original has changed since.")
    missing: int = Field(description="Blocks of the original that were never translated.")
    left_out: int = Field(description="Blocks of the original that somebody took out of the translation.")
    gone: int = Field(description="Blocks that the original has no more.")
    own: int = Field(description="Blocks that somebody wrote here.")
    offered: int = Field(description="Blocks whose new translation waits to be taken.")
    untranslated: int = Field(description="Blocks that stand in the original's language.")
    reordered: bool = Field(description="What both have stands in another order.")
    updated_at: Moment
    task: TranslationTaskAnswer | None = Field(description="The one that was asked for last.")

    @classmethod
    def of(cls, known: Translated) -> "TranslationAnswer":
        return cls(**_facts(known))


class TranslatedBlock(Shape):
    block_id: str
    state: BlockStanding
    role: BlockRole
    edited: bool = Field(description="Somebody has changed its translation: no update writes over it.")
    untranslated: bool
    changed: bool = Field(description="Of one that was left out: its original is another since.")
    original: str | None = Field(description="Its Markdown there; null: the original does not have it.")
    markdown: str | None = Field(description="Its Markdown here; null: the translation does not have it.")
    offer: str | None = Field(description="A newer translation, which waits.")


class TranslationDetails(TranslationAnswer):
    """A translation with each block's standing: in its order, then what it does not have."""

    blocks: tuple[TranslatedBlock, ...]

    @classmethod
    def of(cls, known: Translated) -> "TranslationDetails":
        return cls(**_facts(known), blocks=tuple(TranslatedBlock(**each) for each in block_facts(known)))


class TranslationList(Shape):
    items: tuple[TranslationAnswer, ...]
    tasks: tuple[TranslationTaskAnswer, ...] = Field(description="Of languages that there is no translation into yet.")


def _facts(known: Translated) -> dict[str, object]:
    compared = known.compared
    return {
        "instruction_id": compared.translation.instruction_id,
        "source_id": compared.translation.source_id,
        "job_id": compared.translation.job_id,
        "language": compared.translation.language,
        "title": compared.version.title,
        "version": compared.version.version,
        "instruction_version_id": compared.version.id,
        "source_version": compared.source.version,
        **counted(compared),
        "reordered": compared.stands.reordered,
        "updated_at": compared.translation.updated_at,
        "task": None if known.task is None else TranslationTaskAnswer.of(known.task),
    }


def block_facts(known: Translated) -> list[dict[str, object]]:
    """Each block with its texts, as :class:`TranslatedBlock` has them."""
    compared = known.compared
    here = {block.id: block.markdown for block in parse(compared.version.markdown).blocks}
    there = {block.id: block.markdown for block in parse(compared.source.markdown).blocks}
    evidence = (*compared.source.evidence, *compared.version.evidence)
    roles = {str(each["block_id"]): each["role"] for each in evidence}
    offers = compared.translation.offers
    return [
        {
            **each.model_dump(exclude={"offered"}),
            "role": roles.get(each.block_id, BlockRole.TEXT),
            "original": there.get(each.block_id),
            "markdown": here.get(each.block_id),
            "offer": offers[each.block_id].markdown if each.block_id in offers else None,
        }
        for each in compared.stands.blocks
    ]


TASK: dict[int | str, dict[str, Any]] = {200: {"model": TranslationTaskAnswer, "description": "Asked before."}}


@router.post(
    "/instructions/{instruction_id}/translations",
    status_code=202,
    responses={**TASK, **errors(400, 404, 409, 413, 415, 502)},
)
async def translate(
    instruction_id: str, new: NewTranslation, api: ApiParts, owner: Owner, response: Response
) -> TranslationTaskAnswer:
    """Translate a guide into another language, by the configured language model. What is made is a document of its
    own, of the same job: with the same block ids, which shows the same pictures."""
    task, replayed = await api.translations.translate(
        owner, identifier(instruction_id), new.language, new.client_request_id, source_version=new.version
    )
    response.status_code = 200 if replayed else 202
    return TranslationTaskAnswer.of(task, replayed=replayed)


@router.get("/instructions/{instruction_id}/translations", responses=errors(404))
def list_translations(instruction_id: str, api: ApiParts, owner: Owner) -> TranslationList:
    """The guide's translations, and which steps of each are behind: in numbers."""
    made = api.translations.of(owner, identifier(instruction_id))
    return TranslationList(
        items=tuple(map(TranslationAnswer.of, made)),
        tasks=tuple(map(TranslationTaskAnswer.of, api.translations.first_tasks(instruction_id, made))),
    )


@router.get("/instructions/{instruction_id}/translation", responses=errors(404, 409))
def get_translation(instruction_id: str, api: ApiParts, owner: Owner) -> TranslationDetails:
    """A translation, held against its original block by block."""
    return TranslationDetails.of(api.translations.one(owner, identifier(instruction_id)))


@router.delete(
    "/instructions/{instruction_id}/translation",
    status_code=204,
    response_class=Response,
    responses=errors(404, 409, 413, 415),
)
def delete_translation(instruction_id: str, api: ApiParts, owner: Owner) -> Response:
    """Delete a translation for good, with its versions, exports, links and comments; no bin keeps it. The original and
    other languages stay."""
    api.translations.delete(owner, identifier(instruction_id))
    return Response(status_code=204)


@router.post(
    "/instructions/{instruction_id}/translation/update",
    status_code=202,
    responses={**TASK, **errors(400, 404, 409, 413, 415, 502)},
)
async def update_translation(
    instruction_id: str, wanted: UpdateTranslation, api: ApiParts, owner: Owner, response: Response
) -> TranslationTaskAnswer:
    """Translate what is behind or missing. A block that somebody edited keeps its text: its new translation waits."""
    task, replayed = await api.translations.update(
        owner,
        identifier(instruction_id),
        wanted.client_request_id,
        blocks=wanted.blocks,
        reorder=wanted.reorder,
    )
    response.status_code = 200 if replayed else 202
    return TranslationTaskAnswer.of(task, replayed=replayed)


@router.put("/instructions/{instruction_id}/translation/blocks/{block_id}", responses=errors(400, 404, 409, 413, 415))
def answer_translated_block(
    instruction_id: str, block_id: str, answer: AnswerBlock, api: ApiParts, owner: Owner
) -> TranslationDetails:
    """Take a block's new translation, or say that its text is right as it is."""
    known = api.translations.answer(
        owner,
        identifier(instruction_id),
        identifier(block_id),
        base_version=answer.base_version,
        take=answer.take,
    )
    return TranslationDetails.of(known)


@router.get("/translation-tasks/{translation_task_id}", responses=errors(404))
def get_translation_task(translation_task_id: str, api: ApiParts, owner: Owner) -> TranslationTaskAnswer:
    """How far a translation is."""
    return TranslationTaskAnswer.of(api.store.get_translation_task(identifier(translation_task_id), owner=owner))


@router.post("/translation-tasks/{translation_task_id}/cancel", responses=errors(404, 413, 415, 502))
async def cancel_translation_task(translation_task_id: str, api: ApiParts, owner: Owner) -> TranslationTaskAnswer:
    """Stop a translation that is being made; nothing of it is put in place. One that is over stays as it is."""
    return TranslationTaskAnswer.of(await api.translations.cancel(owner, identifier(translation_task_id)))
