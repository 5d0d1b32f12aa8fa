"""The bin: guides that were thrown away, given back, or erased for good."""

from fastapi import APIRouter
from pydantic import Field

from activities.store.upkeep.bin import BinnedGuide
from domain.erasure import BIN_DAYS
from starter.api.context import ApiParts, Owner, identifier
from starter.api.paging import Cursor, Limit
from starter.api.responses import errors
from starter.api.shapes import Erased, JobAnswer, Listed, Moment, Shape

router = APIRouter(prefix="/guides", tags=["guides"])


class BinnedAnswer(Shape):
    """A guide in the bin."""

    job_id: str
    instruction_id: str | None
    title: str | None = Field(description="Of its document; null where there was none yet.")
    source_name: str | None = Field(description="The recording's file name.")
    binned_at: Moment
    goes_at: Moment = Field(description="From then on it is erased.")

    @classmethod
    def of(cls, guide: BinnedGuide) -> "BinnedAnswer":
        job = guide.card.job
        return cls(
            job_id=job.id,
            instruction_id=job.instruction_id,
            title=guide.card.title,
            source_name=guide.card.file_name,
            binned_at=guide.binned_at,
            goes_at=guide.goes_at,
        )


@router.get("/bin", responses=errors(400))
def list_bin(api: ApiParts, owner: Owner, limit: Limit = 20, cursor: Cursor = None) -> Listed[BinnedAnswer]:
    """What you threw away, the latest first. It still counts towards what you may store."""
    page = api.store.list_bin(owner, limit, cursor)
    return Listed(items=tuple(BinnedAnswer.of(each) for each in page.items), next_cursor=page.next_cursor)


@router.post(
    "/{job_id}/bin",
    responses=errors(404, 409, 413, 415),
    description=f"Put a guide into the bin, with its recording, document, pictures, exports and links. For {BIN_DAYS} "
    "days it can be given back as it was; then it is erased. Meanwhile no other route knows of it, and its links open "
    "nothing. A guide that is being worked on is not taken (409 `GUIDE_IN_USE`): wait, or cancel its job first.",
)
def throw_away(job_id: str, api: ApiParts, owner: Owner) -> BinnedAnswer:
    return BinnedAnswer.of(api.store.throw_away(owner, identifier(job_id)))


@router.post("/bin/{job_id}/restore", responses=errors(404, 413, 415))
def restore_guide(job_id: str, api: ApiParts, owner: Owner) -> JobAnswer:
    """Take a guide out of the bin: all of it is there again, and its links open as before."""
    return api.job_answer(api.store.take_out_of_bin(owner, identifier(job_id)))


@router.delete("/bin/{job_id}", status_code=202, responses=errors(404, 413, 415))
async def erase_guide(job_id: str, api: ApiParts, owner: Owner) -> Erased:
    """Erase a guide that lies in the bin, for good."""
    return Erased.model_validate(await api.erasing.erase_in_bin(identifier(job_id), owner=owner))
