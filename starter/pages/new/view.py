"""Where a job begins: a recording is chosen, and sent by the browser through the API."""

from typing import Any

from fastapi import APIRouter
from fastapi.responses import Response

from starter.pages.projects.view import projects_to_make_in
from starter.pages.shell.context import Context, PageContext
from starter.wiring import model_profiles

router = APIRouter()

LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl", "pl", "sv", "da", "fi", "cs", "uk", "ru", "tr", "ja", "ko", "zh")
"""Offered by name; any other is detected."""


@router.get("/new")
def new(context: Context) -> Response:
    """The form."""
    return context.page("new/new.html", modules=["new/new.js"], new=form_facts(context))


def form_facts(context: PageContext) -> dict[str, Any]:
    """What the form of a new instruction shows, wherever it stands."""
    named = sorted((context.say(f"language-{each}"), each) for each in LANGUAGES)
    return {
        "most_bytes": context.api.settings.upload_cap_bytes,
        "profiles": model_profiles(context.api.settings),
        "projects": projects_to_make_in(context),
        "languages": [(code, name) for name, code in named],
    }
