"""The page of the HTTP interface, and the same as a file for the documentation's site."""

import re
from functools import cache

from fastapi import APIRouter
from fastapi.responses import Response
from markupsafe import Markup

from starter.api.app import description
from starter.pages.reference.description import Description, read
from starter.pages.shell.catalogue import FALLBACK, sayings
from starter.pages.shell.context import Context
from starter.pages.shell.rendering import PAGES, draw

ADDRESS = "/reference"
DOCUMENT = "/api/v1/openapi.json"
SHEETS = ("shell/base.css", "reference/reference.css")

router = APIRouter()


@router.get(ADDRESS)
def reference(context: Context) -> Response:
    """Every route, and every shape that is sent or answered."""
    return context.page("reference/reference.html", described=_described(), raw=DOCUMENT)


def alone() -> str:
    """The page as one file that asks for nothing else."""
    sheets = "".join((PAGES / name).read_text("utf-8") for name in SHEETS)
    style = re.sub(r"@font-face \{.*?\}\n", "", sheets)  # whose files are not beside it
    return draw(
        "reference/alone.html",
        say=sayings(FALLBACK),
        described=_described(),
        raw=None,
        style=Markup(style),  # noqa: S704 (our own sheets)
    )


@cache
def _described() -> Description:
    return read(description())
