"""A guide's translations; and of one of them, which steps are behind the original."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from fastapi import APIRouter
from fastapi.responses import Response

from activities.drafting.language.names import name_of
from activities.publishing.direction import of_language
from activities.store.documents.translated import counted
from domain.documents.translations import BlockStanding, TranslationTask
from domain.documents.versions import InstructionVersion
from starter.api.context import identifier
from starter.api.documents.translations import block_facts
from starter.pages.shell.context import Context, PageContext
from starter.services.translations import Translated

router = APIRouter()

OFFERED = (
    *("ar", "bg", "bn", "ca", "cs", "da", "de", "el", "en", "en-GB", "es", "es-419", "et", "fa", "fi", "fr", "fr-CA"),
    *("he", "hi", "hr", "hu", "id", "it", "ja", "ko", "lt", "lv", "ms", "nb", "nl", "pl", "pt", "pt-BR", "ro", "ru"),
    *("sk", "sl", "sr", "sv", "sw", "ta", "th", "tr", "uk", "ur", "vi", "zh-Hans", "zh-Hant"),
)
"""Languages to choose from; the API takes any that has a name."""

TO_LOOK_AT = frozenset(BlockStanding) - {BlockStanding.CURRENT, BlockStanding.OWN}

VERSIONS = 100


@router.get("/instructions/{instruction_id}/translations")
def translations(instruction_id: str, context: Context) -> Response:
    """Of an original its translations, of a translation what is behind. A module of ours that asks again gets what may
    have changed."""
    version = context.api.store.get_instruction(context.owner, identifier(instruction_id))
    shown = _of_original(context, version) if version.translation_of is None else _of_translation(context, version)
    if context.is_partial:
        return context.page(shown["part"], **shown)
    return context.page("translations/translations.html", modules=["translations/translations.js"], **shown)


def _of_original(context: PageContext, version: InstructionVersion) -> dict[str, Any]:
    made = context.api.translations.of(context.owner, version.instruction_id)
    there = {each.compared.translation.language for each in made} | {version.language}
    languages = [(tag, language_name(tag, context.language)) for tag in OFFERED if tag not in there]
    return {
        **_common(context, version),
        "part": "translations/list.html",
        "rows": [_row(context, each) for each in made],
        "first": [
            {"task": task, "name": language_name(task.language, context.language)}
            for task in context.api.translations.first_tasks(version.instruction_id, made)
            if _is_worth_telling(task)
        ],
        "choices": sorted(languages, key=lambda each: each[1].casefold()),
        "versions": context.api.store.versions(context.owner, version.instruction_id, VERSIONS).items,
    }


def _of_translation(context: PageContext, version: InstructionVersion) -> dict[str, Any]:
    known = context.api.translations.one(context.owner, version.instruction_id)
    return {
        **_common(context, version),
        "part": "translations/behind.html",
        "row": _row(context, known),
        "source": known.compared.source,
        "source_language": _facts_of(known.compared.source.language),
        "blocks": [each for each in block_facts(known) if _is_to_look_at(each)],
        "html": _html,
    }


def _common(context: PageContext, version: InstructionVersion) -> dict[str, Any]:
    return {
        "version": version,
        "has_model": context.api.settings.has_model,
        "heard": context.api.store.last_event_seq(version.job_id),
    }


def _row(context: PageContext, known: Translated) -> dict[str, Any]:
    compared = known.compared
    language = compared.translation.language
    return {
        "id": compared.translation.instruction_id,
        "name": language_name(language, context.language),
        "title": compared.version.title,
        "version": compared.version.version,
        "counts": counted(compared),
        "to_translate": len(compared.stands.to_translate),
        "reordered": compared.stands.reordered,
        "task": known.task,
        **_facts_of(language),
    }


def _html(markdown: str) -> str:
    from activities.publishing.webpage import fragment  # brings the typesetters along: not for those who never ask

    return fragment(markdown)


def _facts_of(language: str | None) -> dict[str, str]:
    return {"language": language or "", "direction": of_language(language) if language else "auto"}


def _is_to_look_at(block: dict[str, Any]) -> bool:
    return block["state"] in TO_LOOK_AT or block["untranslated"] or block["offer"] is not None


def _is_worth_telling(task: TranslationTask) -> bool:
    """What is going on, or failed; of one whose translation was deleted there is nothing to tell."""
    return not task.is_over or task.failure is not None


@cache
def language_name(tag: str, into: str) -> str:
    """What a language is called; its tag, where it has no name."""
    return name_of(tag, into) or tag


def standing_of(context: PageContext, version: InstructionVersion) -> dict[str, Any] | None:
    """How a translation stands, for its editor; ``None``: it is an original."""
    if version.translation_of is None:
        return None
    known = context.api.translations.one(context.owner, version.instruction_id)
    return {**_row(context, known), "to_look_at": any(map(_is_to_look_at, block_facts(known)))}


def linked_documents(context: PageContext, version: InstructionVersion) -> Sequence[dict[str, str]]:
    """The guide in all of its languages, the original first; nothing where it has no translation."""
    store = context.api.store
    found = store.documents_of(context.owner, version.job_id)
    if len(found) < 2:
        return ()
    return [
        {
            "id": each.instruction_id,
            "language": each.language or "",
            "name": language_name(each.language, context.language) if each.language else "",
        }
        for each in found
    ]
