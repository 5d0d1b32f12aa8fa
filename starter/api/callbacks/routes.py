"""Callbacks of external stage runners. The gate has checked their secret before a route sees them."""

from typing import Annotated

from fastapi import APIRouter, Header, Response, Security
from fastapi.security import APIKeyHeader

from starter.api.callbacks.shapes import CallbackReplayed, NewCallback
from starter.api.context import ApiParts, identifier
from starter.api.responses import errors
from starter.api.shapes import Line

router = APIRouter(prefix="/internal/jobs", tags=["callbacks"])

Secret = Annotated[
    str | None, Security(APIKeyHeader(name="X-Callback-Secret", scheme_name="callback", auto_error=False))
]
"""Only described here."""


@router.post(
    "/{job_id}/status",
    status_code=204,
    response_class=Response,
    responses={200: {"model": CallbackReplayed, "description": "Came before."}, **errors(400, 404, 409, 413, 415)},
)
async def report_status(
    job_id: str,
    sent: NewCallback,
    api: ApiParts,
    x_event_id: Annotated[
        Line | None, Header(description="In place of event_id, or the same.", examples=["0198f-event"])
    ] = None,
    _: Secret = None,
) -> Response:
    """Report what became of a stage that a runner of yours does. 204: it counts, whatever fails from now on."""
    new = sent.named(job_id, x_event_id)
    callback = new.callback()
    receipt = await api.callbacks.receive(identifier(job_id), callback, new.payload_sha256())
    if not receipt.replayed:
        return Response(status_code=204)
    answer = CallbackReplayed(
        job_id=receipt.job.id,
        event_id=callback.event_id,
        current_status=receipt.job.status,
        latest_applied_occurred_at=receipt.latest_occurred_at,
    )
    return Response(answer.model_dump_json(), media_type="application/json")
