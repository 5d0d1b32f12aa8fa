"""What jobs have made, by addresses that stay: a page that is drawn again shows the same picture, and a video that
plays goes on. Each leads to the file by one that is signed afresh."""

from pathlib import PurePosixPath

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from activities.analysis.plotting import Order
from activities.artifacts import content_disposition
from domain.analyses.analysis import OUTPUTS
from domain.artifacts import ArtifactKind
from domain.errors import NotFound
from starter.api.context import identifier
from starter.api.file_responses import AskedFile, file_response
from starter.api.library import THUMBNAIL, asset_facts
from starter.pages.analysis.answer import chart_of
from starter.pages.shell.context import Context

router = APIRouter()

MOST_OUTPUTS = 100
NOTHING_RUNS = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
KEPT = {"Cache-Control": "private, max-age=300"}
"""For less than a signed address holds."""


@router.get("/assets/{asset_id}/{part}")
def asset(asset_id: str, part: str, request: Request, context: Context) -> Response:
    """An asset's ``original``, or its ``thumbnail``.

    Raises:
        NotFound: It is absent, somebody else's, or has no such part.
    """
    found = context.api.store.library_asset(identifier(asset_id))
    if found.owner != context.owner:
        raise NotFound
    facts = asset_facts(context.api, request, found)
    address = {"original": facts.url, THUMBNAIL: facts.thumbnail_url}.get(part)
    if address is None:
        raise NotFound
    return RedirectResponse(address, status_code=303, headers=KEPT)


@router.get("/analysis-outputs/{artifact_id}/chart.svg")
def analysis_chart(artifact_id: str, context: Context, order: Order = Order.AS_COMPUTED) -> Response:
    """A chart of an analysis as SVG, its places in an order.

    Raises:
        NotFound: It is absent, of somebody else's analysis, no chart, or its rows are not kept.
    """
    picture = context.api.store.get_artifact(identifier(artifact_id))
    context.api.store.get_job(picture.job_id, owner=context.owner)
    if picture.kind is not ArtifactKind.CHART:
        raise NotFound
    outputs = context.api.store.outputs(picture.job_id, limit=MOST_OUTPUTS).items
    svg = chart_of(context, context.api.store.get_analysis(picture.job_id), outputs, picture, order)
    if svg is None:
        raise NotFound
    return Response(svg, media_type="image/svg+xml", headers={"Content-Security-Policy": NOTHING_RUNS, **KEPT})


@router.get("/analysis-outputs/{artifact_id}")
def analysis_output(artifact_id: str, context: Context, asked: AskedFile) -> Response:
    """A file of an analysis; a chart is shown, anything else saved.

    Raises:
        NotFound: It is absent, or of somebody else's analysis.
    """
    found = context.api.store.get_artifact(identifier(artifact_id))
    context.api.store.get_job(found.job_id, owner=context.owner)
    if found.kind not in OUTPUTS:
        raise NotFound
    shown = found.kind is ArtifactKind.CHART
    name = PurePosixPath(str(found.facts.get("name", "file"))).name
    ttl_s = context.api.settings.download_url_ttl_s
    address = context.api.artifacts.signed_get_url(found.blob, ttl_s, name, inline=shown)
    if address is not None:
        return RedirectResponse(address, status_code=303, headers=KEPT)
    headers = {"Content-Disposition": content_disposition(name, inline=shown), **KEPT}
    return file_response(context.api.artifacts, found.blob, asked, headers)
