"""What a user has here as a whole: fetched as one archive, and erased."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import StreamingResponse

from domain.errors import RequestInvalid
from starter.api.context import ApiParts, Owner
from starter.api.responses import binary, errors
from starter.api.shapes import Purged
from starter.services.archives import UserArchive

router = APIRouter(prefix="/account", tags=["account"])

ZIP = "application/zip"


@router.get(
    "/archive",
    response_class=StreamingResponse,
    responses={200: binary("A ZIP; `index.json`, its last member, says what is in it.", ZIP), **errors()},
)
def fetch_archive(api: ApiParts, owner: Owner) -> StreamingResponse:
    """All that is yours, as one ZIP that is made as you fetch it: the rows of your projects, jobs, documents and
    credits, and every stored file."""
    now = datetime.now(UTC)
    pieces = UserArchive(api.store, api.artifacts, owner, now).pieces()
    name = f"guidesmith-{now:%Y-%m-%d}.zip"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return StreamingResponse(pieces, media_type=ZIP, headers=headers)


@router.delete("", status_code=202, responses=errors(400, 413, 415))
async def erase_account(
    api: ApiParts,
    owner: Owner,
    user_id: Annotated[str, Query(max_length=255, description="Yours, once more: it cannot be undone.")],
) -> Purged:
    """Erase everything that is yours: jobs with all that is theirs, projects, endpoints. The books keep what was
    posted, under a name that leads nowhere."""
    if user_id != owner:
        raise RequestInvalid("user_id is not yours.", field="query.user_id")
    return Purged.model_validate(await api.erasing.erase_user(owner))
