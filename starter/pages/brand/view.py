"""How a project's guides look: chosen by its owner, with the page itself beside the form, as its readers get it."""

import base64
import html
from typing import Any

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response
from pydantic import ValidationError

from activities.tasks.screenshots import Footage
from domain.artifacts import ArtifactKind
from domain.documents.brand import (
    DARK,
    LEAD_LIMIT,
    LIGHT,
    LINE_LIMIT,
    LOGO_BYTES,
    ON_PAPER,
    SECTION_LIMIT,
    TEXT_LIMIT,
    Brand,
    BrandFont,
    Branding,
    Numbering,
    Placeholder,
    SavedBrand,
    check_brand,
)
from domain.documents.document import parse
from domain.documents.draft import BlockRole
from domain.documents.publication import Publication, PublicationBlock
from domain.errors import ColoursUnreadable, RequestInvalid
from domain.jobs import Project
from starter.api.context import identifier
from starter.api.documents.exports import SANDBOXED
from starter.api.projects.brand_shapes import BrandChoice, ShadeAnswer
from starter.extras import is_installed
from starter.pages.shell.catalogue import explained
from starter.pages.shell.context import Context, PageContext

router = APIRouter()

SHOWN_BLOCKS = 12
"""Of a guide: enough to see how it looks."""
PAPER_PPI = 96
LOOKED_AT = 5
"""Of a project's guides, those that may have a document to show."""

FRAMED = {
    "Content-Security-Policy": f"{SANDBOXED}; frame-ancestors 'self'",
    "X-Frame-Options": "SAMEORIGIN",
}

_setting = CapacityLimiter(2)
"""Pages that a process makes at once, of whoever plays with colours."""


@router.get("/projects/{project_id}/brand")
def brand(project_id: str, context: Context) -> Response:
    """The form, what it comes to, and a guide of the project's."""
    found = context.api.store.get_project(context.owner, identifier(project_id))
    saved = context.api.store.brand(context.owner, found.id)
    page = context.page(
        "brand/brand.html",
        modules=["brand/brand.js"],
        project=found,
        saved=saved,
        brand=Brand() if saved is None else saved.brand,
        logo=_address(saved),
        fonts=tuple(BrandFont),
        numberings=tuple(Numbering),
        on_pages=tuple(f"{{{each}}}" for each in Placeholder),
        in_texts=tuple(f"{{{each}}}" for each in Placeholder if each not in ON_PAPER),
        line_limit=LINE_LIMIT,
        lead_limit=LEAD_LIMIT,
        text_limit=TEXT_LIMIT,
        section_limit=SECTION_LIMIT,
        logo_kib=LOGO_BYTES // 1024,
        has_paper=is_installed("pdf"),
        people=context.api.store.people((saved.saved_by,)) if saved else {},
        **_figures(Brand() if saved is None else saved.brand),
    )
    page.headers["Content-Security-Policy"] += "; frame-src 'self'"
    return page


@router.post("/projects/{project_id}/brand/figures")
async def figures(project_id: str, context: Context, request: Request) -> Response:
    """Whether what is chosen may be, and how well its colours can be read."""
    await to_thread.run_sync(context.api.store.get_project, context.owner, identifier(project_id))
    try:
        chosen = await _chosen(request)
    except (ColoursUnreadable, RequestInvalid) as wrong:
        return context.page("brand/figures.html", 400, wrong=_sentence(context, wrong))
    return context.page("brand/figures.html", **_figures(chosen))


@router.post("/projects/{project_id}/brand/preview")
async def preview(project_id: str, context: Context, request: Request) -> Response:
    """A guide with what is chosen, as its readers get it: as a page, or as sheets of paper. It can do nothing."""
    project = await to_thread.run_sync(context.api.store.get_project, context.owner, identifier(project_id))
    saved = await to_thread.run_sync(context.api.store.brand, context.owner, project.id)
    form = await request.form()
    try:
        chosen = (saved.brand if saved else Brand()) if form.get("saved") else await _chosen(request)
    except (ColoursUnreadable, RequestInvalid) as wrong:
        return HTMLResponse(f"<p>{html.escape(_sentence(context, wrong))}</p>", status_code=400, headers=FRAMED)
    branding = Branding(brand=chosen, logo=saved.logo if saved else None, project=project.name)
    publication = await to_thread.run_sync(_publication, context, project, branding)
    made = _sheets if form.get("as") == "paper" and is_installed("pdf") else _page
    return HTMLResponse(await to_thread.run_sync(made, publication, limiter=_setting), headers=FRAMED)


async def _chosen(request: Request) -> Brand:
    """Raises: RequestInvalid, ColoursUnreadable: No brand may be like that."""
    form = await request.form()
    given: dict[str, Any] = {name: str(form[name]) for name in BrandChoice.model_fields if name in form}
    for name in ("accent", "on_accent", "font"):
        given = {key: value for key, value in given.items() if key != name or value.strip()}
    columns = (form.getlist(f"section_{name}") for name in ("place", "heading", "text"))
    rows = [{"place": place, "heading": heading, "text": text} for place, heading, text in zip(*columns, strict=False)]
    given["sections"] = [row for row in rows if f"{row['heading']}{row['text']}".strip()]  # one that was just added
    try:
        chosen = BrandChoice.model_validate(given).brand()
    except ValidationError as wrong:
        issue = wrong.errors()[0]
        raise RequestInvalid(issue["msg"], field=".".join(map(str, issue["loc"]))) from None
    check_brand(chosen)
    return chosen


def _sentence(context: PageContext, wrong: ColoursUnreadable | RequestInvalid) -> str:
    if isinstance(wrong, ColoursUnreadable):
        return explained(context.language, "error", wrong.code, wrong.message, wrong.details)
    known = {"accent": "brand-wrong-colour", "on_accent": "brand-wrong-colour"}
    names = ", ".join(f"{{{each}}}" for each in Placeholder)
    whole, *within = wrong.field.split(".")
    label = context.say(f"brand-{whole.replace('_', '-')}")
    if within:
        label = context.say("brand-section-number", number=int(within[0]) + 1)
    return context.say(known.get(wrong.field, "brand-wrong-text"), field=label, names=names)


def _figures(chosen: Brand) -> dict[str, Any]:
    themes = (("light", LIGHT), ("dark", DARK))
    return {"shades": {name: (ShadeAnswer.of(chosen, paper), paper) for name, paper in themes}, "wrong": None}


def _address(saved: SavedBrand | None) -> str:
    if saved is None or saved.logo is None:
        return ""
    return f"data:image/png;base64,{base64.b64encode(saved.logo.png).decode()}"


# --- what is shown -------------------------------------------------------------------------------------------------


def _publication(context: PageContext, project: Project, branding: Branding) -> Publication:
    """The project's newest guide without its pictures; where there is none, one of a few lines."""
    store = context.api.store
    cards = store.guides(context.owner, project_id=project.id, limit=LOOKED_AT).items
    written = next((each.job.instruction_id for each in cards if each.job.instruction_id and each.title), None)
    if written is None:
        return _sample(context, branding)
    version = store.get_instruction(context.owner, written)
    evidence = {each["block_id"]: each for each in version.evidence}
    blocks = tuple(
        PublicationBlock(
            block_id=block.id,
            markdown=block.markdown,
            role=evidence[block.id]["role"] if block.id in evidence else "text",
            start_ms=evidence[block.id].get("start_ms") if block.id in evidence else None,
        )
        for block in parse(version.markdown).blocks
    )
    sound = store.latest_artifact(version.job_id, ArtifactKind.AUDIO)
    return Publication(
        title=version.title,
        language=version.language,
        version=version.version,
        blocks=blocks[:SHOWN_BLOCKS],
        created_at=version.created_at,
        steps=sum(block.role == BlockRole.STEP for block in blocks),
        duration_ms=Footage.of(sound).duration_ms,
        branding=branding,
    )


def _sample(context: PageContext, branding: Branding) -> Publication:
    say = context.say
    texts = (
        ("title", f"# {say('brand-sample-title')}", None),
        ("lead", say("brand-sample-lead"), None),
        ("section", f"## {say('brand-sample-part')}", None),
        ("step", f"## {say('brand-sample-step-1')}\n\n{say('brand-sample-step-1-is')}", 4_000),
        ("note", say("brand-sample-note"), 9_000),
        ("step", f"## {say('brand-sample-step-2')}\n\n{say('brand-sample-step-2-is')}", 14_000),
    )
    return Publication(
        title=say("brand-sample-title"),
        language=context.language,
        version=1,
        blocks=tuple(
            PublicationBlock(block_id=str(place), markdown=markdown, role=role, start_ms=start_ms)
            for place, (role, markdown, start_ms) in enumerate(texts)
        ),
        created_at=context.api.store.now(),
        duration_ms=95_000,
        branding=branding,
    )


def _page(publication: Publication) -> str:
    from activities.publishing.manuscript import read  # brings the typesetters along: not for those who never ask
    from activities.publishing.webpage import webpage

    return webpage(read(publication))


def _sheets(publication: Publication) -> str:
    from activities.publishing.publisher import preview_pages

    sheets = (base64.b64encode(sheet).decode() for sheet in preview_pages(publication, PAPER_PPI))
    shown = "".join(f'<img src="data:image/png;base64,{sheet}" alt="">' for sheet in sheets)
    return (
        f"<!doctype html><title>{html.escape(publication.title)}</title><style>body{{margin:1rem;background:#8a9099}}"
        f"img{{display:block;width:100%;max-width:50rem;margin:0 auto 1rem;background:#fff}}</style>{shown}"
    )
