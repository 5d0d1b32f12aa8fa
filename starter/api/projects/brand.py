"""How the guides of a project look: read by all who are in it, chosen by its owner."""

import base64
import binascii

from anyio import to_thread
from fastapi import APIRouter, Response

from activities.pictures.isolated import made_logo
from domain.errors import RequestInvalid
from starter.api.context import ApiParts, Owner, Subject, identifier
from starter.api.errors import not_found
from starter.api.projects.brand_shapes import BrandAnswer, BrandChoice, LogoAnswer, NewLogo
from starter.api.responses import errors

router = APIRouter(prefix="/projects/{project_id}/brand", tags=["projects"])


@router.get("", responses=errors(404))
def get_brand(project_id: str, api: ApiParts, owner: Owner) -> BrandAnswer:
    """How the project's guides look. Without a brand: what a project begins with, and nobody saved it."""
    project = identifier(project_id)
    return BrandAnswer.of(project, api.store.brand(owner, project))


@router.put("", responses=errors(400, 404, 413, 415))
def save_brand(project_id: str, chosen: BrandChoice, api: ApiParts, owner: Owner, subject: Subject) -> BrandAnswer:
    """Have the project's guides look so, in every export that is asked for from now on. What is left out is as at the
    beginning; the logo stays. What was exported before stays what it is; links show it until they are updated."""
    project = identifier(project_id)
    return BrandAnswer.of(project, api.store.save_brand(owner, project, chosen.brand(), subject))


@router.get("/logo", responses=errors(404))
def get_logo(project_id: str, api: ApiParts, owner: Owner) -> LogoAnswer:
    """The logo as documents show it: the PNG that was made of what was uploaded."""
    saved = api.store.brand(owner, identifier(project_id))
    if saved is None or saved.logo is None:
        raise not_found()
    return LogoAnswer.of(saved.logo)


@router.put("/logo", responses=errors(400, 404, 413, 415))
async def save_logo(project_id: str, new: NewLogo, api: ApiParts, owner: Owner, subject: Subject) -> BrandAnswer:
    """Give the project a logo: PNG, JPEG or WebP, opened apart from everything else and made anew as PNG."""
    project = identifier(project_id)
    await to_thread.run_sync(api.store.get_project, owner, project)  # absent before invalid
    try:
        data = base64.b64decode(new.data, validate=True)
    except (binascii.Error, ValueError):
        raise RequestInvalid("This is not base64.", field="data") from None
    logo = await to_thread.run_sync(made_logo, data, limiter=api.drawing)
    return BrandAnswer.of(project, await to_thread.run_sync(api.store.save_logo, owner, project, logo, subject))


@router.delete("/logo", status_code=204, response_class=Response, responses=errors(404, 413, 415))
def remove_logo(project_id: str, api: ApiParts, owner: Owner, subject: Subject) -> Response:
    """Take the logo away. Without one nothing changes."""
    project = identifier(project_id)
    saved = api.store.brand(owner, project)
    if saved is not None and saved.logo is not None:
        api.store.save_logo(owner, project, None, subject)
    return Response(status_code=204)
