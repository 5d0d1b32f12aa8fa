"""Credits: what a caller has, what became of it, and what an administrator gives."""

from fastapi import APIRouter, Response

from starter.api.context import ApiParts, Owner
from starter.api.credits.shapes import CreditsAnswer, EntryAnswer, GrantAnswer, NewGrant
from starter.api.paging import Cursor, Limit
from starter.api.responses import REPLAYED, errors
from starter.api.shapes import Listed

router = APIRouter(tags=["credits"])


@router.get("/credits", responses=errors())
def get_credits(api: ApiParts, owner: Owner) -> CreditsAnswer:
    """What you have."""
    return CreditsAnswer.of(api.store.balance(owner))


@router.get("/credits/entries", responses=errors(400))
def list_credit_entries(api: ApiParts, owner: Owner, limit: Limit = 20, cursor: Cursor = None) -> Listed[EntryAnswer]:
    """Every movement on your accounts, newest first."""
    page = api.store.credit_entries(owner, limit, cursor)
    return Listed(items=tuple(EntryAnswer.of(each) for each in page.items), next_cursor=page.next_cursor)


@router.post(
    "/admin/credits/grants",
    status_code=201,
    responses={
        200: {"model": GrantAnswer, "description": "Given before, by the same key.", "headers": REPLAYED},
        **errors(400, 403, 409, 413, 415),
    },
)
def grant_credits(new: NewGrant, api: ApiParts, owner: Owner, response: Response) -> GrantAnswer:
    """Give a user credits. For administrators."""
    posted, replayed = api.store.grant(
        new.user_id, new.amount, reason=new.reason, actor=owner, idempotency_key=new.idempotency_key
    )
    if replayed:
        response.status_code = 200
        response.headers["Idempotency-Replayed"] = "true"
    return GrantAnswer.of(posted)
