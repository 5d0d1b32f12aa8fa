"""Whether the process lives, and whether it can work."""

from fastapi import APIRouter, Response

from starter.api.context import ApiParts
from starter.api.responses import Responses, errors
from starter.api.shapes import Alive, Readiness

router = APIRouter(tags=["health"])


PROBED: Responses = {status: errors()[status] for status in (405, 500)}


@router.get("/healthz", responses=PROBED)
async def healthz() -> Alive:
    """The process answers."""
    return Alive()


@router.get(
    "/readyz",
    responses={503: {"model": Readiness, "description": "Something it needs is not there."}, **PROBED},
)
async def readyz(api: ApiParts, response: Response) -> Readiness:
    """Database, engine and artifact store answer, and the database has what this version expects."""
    checks = await api.readiness.checks()
    ready = all(result == "ok" for result in checks.values())
    response.status_code = 200 if ready else 503
    return Readiness(status="ready" if ready else "not ready", checks=checks)
