"""Links that show an instruction to whoever holds them."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Request, Response
from pydantic import Field, StringConstraints

from domain.documents.sharing import EMBEDDERS_LIMIT, PASSPHRASE_LENGTHS, Share
from domain.documents.tasks import ExportStatus
from starter.api.addresses import root_address
from starter.api.context import Api, ApiParts, Owner, identifier
from starter.api.idempotency import OnceOnly
from starter.api.paging import Cursor, Limit
from starter.api.responses import errors
from starter.api.shapes import GivenMoment, Line, Listed, Moment, Sent, Shape

router = APIRouter(tags=["shares"])

SHARED = "/shared/"
"""Below the address of the pages: where a link leads."""

Origin = Annotated[str, StringConstraints(min_length=1, max_length=260)]


class NewShare(Sent):
    name: Line | None = Field(default=None, description="What you call the link, for yourself.")
    expires_at: GivenMoment | None = Field(default=None, description="When it ends; none: when it is revoked.")
    passphrase: (
        Annotated[str, StringConstraints(min_length=PASSPHRASE_LENGTHS.start, max_length=PASSPHRASE_LENGTHS.stop - 1)]
        | None
    ) = Field(default=None, description="Asked of everybody who opens the link. Kept hashed.")
    recording: bool = Field(default=False, description="The recording may be watched, too.")
    embed_origins: tuple[Origin, ...] = Field(
        default=(),
        max_length=EMBEDDERS_LIMIT,
        description="Sites that may show the guide within their pages. Not with a passphrase.",
        examples=[["https://wiki.example.org"]],
    )


class ShareAnswer(Shape):
    id: str
    instruction_id: str
    job_id: str
    name: str | None
    version: int | None = Field(description="The version that its readers see; null while the first is being made.")
    next_version: int | None = Field(description="The version that is being made ready for its readers.")
    is_behind: bool = Field(
        description="There is a newer version, or its pictures (blurred, above all) or the project's brand were "
        "changed since: its readers see what was before until it is updated."
    )
    failed: bool = Field(description="The next version could not be made ready: ask for it again.")
    has_passphrase: bool
    recording: bool
    embed_origins: tuple[str, ...]
    views: int
    last_viewed_at: Moment | None
    is_open: bool
    created_at: Moment
    expires_at: Moment | None
    revoked_at: Moment | None
    created_by: str | None = Field(default=None, description="Who made it; null: it is older than this is noted.")
    updated_by: str | None = Field(default=None, description="Who last had it show another version; null: nobody.")
    revoked_by: str | None = Field(
        default=None, description="Who revoked it; null: nobody, or what it led to was to be erased."
    )

    @classmethod
    def of(cls, api: Api, share: Share) -> "ShareAnswer":
        """Reads the database."""
        return cls.of_all(api, (share,))[0]

    @classmethod
    def of_all(cls, api: Api, shares: Sequence[Share]) -> "tuple[ShareAnswer, ...]":
        """As :meth:`of`, of links of one instruction: what is newest there is looked up once."""
        if not shares:
            return ()
        newest = api.store.current_instruction(shares[0].instruction_id)
        now = (newest.id, api.store.picture_set(newest.id), api.store.brand_mark(newest.job_id))
        return tuple(cls._of(api, share, now) for share in shares)

    @classmethod
    def _of(cls, api: Api, share: Share, now: tuple[object, ...]) -> "ShareAnswer":
        shown, wanted = api.sharing.shown(share), api.store.get_export(share.export_id)
        number = {
            each.id: api.store.get_version_by_id(each.instruction_version_id).version
            for each in (shown, wanted)
            if each is not None
        }
        told = wanted.provenance
        asked = (wanted.instruction_version_id, told.get("screenshot_set_hash"), told.get("brand"))
        return cls(
            **share.model_dump(include=set(cls.model_fields)),
            version=number[shown.id] if shown else None,
            next_version=number[wanted.id] if shown is None or shown.id != wanted.id else None,
            is_behind=asked != now,
            failed=wanted.status is ExportStatus.FAILED,
            has_passphrase=share.passphrase_hash is not None,
            is_open=share.is_open(datetime.now(UTC)),
        )


class MadeShare(ShareAnswer):
    """A link as it is answered once, when it is made."""

    url: str = Field(description="The link. It is not shown again: only its hash is kept.")


@router.post("/instructions/{instruction_id}/shares", status_code=201, responses=errors(400, 404, 409, 413, 415, 502))
async def create_share(
    instruction_id: str, new: NewShare, api: ApiParts, owner: Owner, once: OnceOnly, request: Request
) -> MadeShare:
    """Make a link that shows the newest version of the instruction to whoever holds it."""
    make = await api.sharing.prepare(
        owner,
        identifier(instruction_id),
        name=new.name,
        passphrase=new.passphrase,
        recording=new.recording,
        embed_origins=new.embed_origins,
        expires_at=new.expires_at,
    )
    # kept for a repeated request is all but the address, which is worked out anew
    answer = await to_thread.run_sync(once.answer, ShareAnswer, lambda: ShareAnswer.of(api, make()))
    url = f"{root_address(request.scope, api.settings.public_url)}{SHARED}{api.sharing.token(answer.id)}"
    return MadeShare(**answer.model_dump(), url=url)


@router.get("/instructions/{instruction_id}/shares", responses=errors(404))
def list_shares(
    instruction_id: str, api: ApiParts, owner: Owner, limit: Limit = 20, cursor: Cursor = None
) -> Listed[ShareAnswer]:
    """The instruction's links, newest first, those that open nothing any more too."""
    page = api.store.list_shares(owner, identifier(instruction_id), limit, cursor)
    return Listed(items=ShareAnswer.of_all(api, page.items), next_cursor=page.next_cursor)


@router.post("/shares/{share_id}/update", responses=errors(404, 413, 415, 502))
async def update_share(share_id: str, api: ApiParts, owner: Owner) -> ShareAnswer:
    """Have the link show the newest version. Until that is exported, its readers see what they do now."""
    share = await api.sharing.update(owner, identifier(share_id))
    return await to_thread.run_sync(ShareAnswer.of, api, share)


@router.delete("/shares/{share_id}", status_code=204, response_class=Response, responses=errors(404, 413, 415))
def revoke_share(share_id: str, api: ApiParts, owner: Owner) -> Response:
    """The link opens nothing any more, at once."""
    api.store.revoke_share(owner, identifier(share_id))
    return Response(status_code=204)
