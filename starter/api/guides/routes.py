"""Guides in a list, renamed, and many exports fetched as one file."""

from collections import Counter
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import Field

from activities.artifacts import content_disposition
from activities.store.documents.guides import GuideCard, GuideSort
from activities.store.documents.translated import NamedTranslation
from activities.store.jobs.memberships import Thing
from domain.documents.guides import GuideState
from domain.documents.tasks import Export
from domain.errors import RequestInvalid
from starter.api.batches.archive import Archive, Member, there
from starter.api.context import Api, ApiParts, Owner, identifier
from starter.api.errors import not_found
from starter.api.file_responses import AskedFile, file_answers, file_response
from starter.api.paging import Cursor, Limit
from starter.api.pictures.answers import image_uri
from starter.api.responses import errors
from starter.api.shapes import FailureAnswer, Line, Listed, Moment, Sent, Shape, Status

router = APIRouter(prefix="/guides", tags=["guides"])

ZIP = "application/zip"
MOST_EXPORTS = 100
"""That one archive holds."""


class TranslationFacts(Shape):
    instruction_id: str
    language: str = Field(description="A tag of BCP 47.")
    title: str
    instruction_version_id: str = Field(description="Its newest version, which an export is made of.")


class GuideAnswer(Shape):
    """A recording's job and the document that came of it, as its writer sees them."""

    job_id: str
    instruction_id: str | None
    instruction_version_id: str | None = Field(description="Its newest version, which an export is made of.")
    title: str | None = Field(description="Of its document; null while there is none.")
    source_name: str | None = Field(description="The recording's file name.")
    state: GuideState = Field(
        description="`look`: somebody should look at it. Its draft has doubts, its text is not valid, a step of its "
        "work failed, or its recording has not arrived."
    )
    status: Status = Field(description="Of its job.")
    progress: int = Field(ge=0, le=100)
    steps: int | None = Field(description="null while there is no document.")
    picture_url: str | None = Field(description="Signed: the first of its pictures.")
    project_id: str
    project_name: str
    failure: FailureAnswer | None
    created_at: Moment
    changed_at: Moment
    translations: tuple[TranslationFacts, ...] | None = Field(
        default=None, description="By their languages; null where nobody asked for them."
    )

    @classmethod
    def of(
        cls, api: Api, request: Request, card: GuideCard, translations: Sequence[NamedTranslation] | None = None
    ) -> "GuideAnswer":
        job = card.job
        return cls(
            job_id=job.id,
            instruction_id=job.instruction_id,
            instruction_version_id=card.version_id,
            title=card.title,
            source_name=card.file_name,
            state=card.state,
            status=job.status,
            progress=job.progress,
            steps=card.steps,
            picture_url=image_uri(api, request, card.picture) if card.picture else None,
            project_id=job.project_id,
            project_name=card.project_name,
            failure=FailureAnswer.of(job.failure),
            created_at=job.created_at,
            changed_at=card.changed_at,
            translations=None
            if translations is None
            else tuple(
                TranslationFacts(
                    instruction_id=each.instruction_id,
                    language=each.language,
                    title=each.title,
                    instruction_version_id=each.version_id,
                )
                for each in translations
            ),
        )


class RenameGuide(Sent):
    title: Line = Field(description="What the guide is called from now on.")


@router.get("", responses=errors(400))
def list_guides(
    api: ApiParts,
    owner: Owner,
    request: Request,
    sort: Annotated[
        GuideSort, Query(description="`changed` and `made`: the newest first; `title`: from A to Z.")
    ] = GuideSort.CHANGED,
    project_id: Annotated[str | None, Query(max_length=100, pattern=r"^[A-Za-z0-9-]*$")] = None,
    limit: Limit = 20,
    cursor: Cursor = None,
    *,
    translations: Annotated[bool, Query(description="Say which translations each has.")] = False,
) -> Listed[GuideAnswer]:
    """Your guides, and those of projects that you are a member of: jobs of the kind `instruction`, with what came of
    them."""
    page = api.store.guides(owner, sort=sort, project_id=project_id or None, limit=limit, cursor=cursor)
    originals = [each.job.instruction_id for each in page.items if each.job.instruction_id]
    known = api.store.translations_by_original(originals) if translations else {}
    items = tuple(
        GuideAnswer.of(api, request, each, known.get(each.job.instruction_id or "", ()) if translations else None)
        for each in page.items
    )
    return Listed(items=items, next_cursor=page.next_cursor)


ARCHIVE: dict[str, Any] = {
    "path": "/exports.zip",
    "response_class": StreamingResponse,
    "responses": {**file_answers("All of them.", ZIP), **errors(400, 404, 416)},
}


@router.head(**ARCHIVE, name="download_exports_head")
@router.get(**ARCHIVE)
def download_exports(
    api: ApiParts,
    owner: Owner,
    asked: AskedFile,
    export_ids: Annotated[
        str, Query(max_length=37 * MOST_EXPORTS, description=f"Up to {MOST_EXPORTS} ids of exports, with commas.")
    ],
) -> Response:
    """Exports of several guides as one ZIP, made while it is sent. All have to have succeeded. One that broke off can
    be taken up again by Range. Files that were lost are left out, and named in its missing.txt."""
    wanted = list(dict.fromkeys(identifier(each) for each in export_ids.split(",")))
    if len(wanted) > MOST_EXPORTS:
        raise RequestInvalid(f"At most {MOST_EXPORTS} exports are in one archive.", field="query.export_ids")
    made = [export_of(api, owner, each) for each in wanted]
    members = _members(made)
    kept = there(api.artifacts, f"exports/{made[0].job_id}/", members)
    archive = Archive(api.artifacts, kept, max(each.requested_at for each in made))
    headers = {"Content-Disposition": content_disposition("guides.zip"), "Cache-Control": "no-store"}
    return file_response(archive, archive.blob, asked, headers)


def export_of(api: Api, subject: str, export_id: str) -> Export:
    """An export of a guide that ``subject`` may see. Raises: NotFound."""
    membership = api.store.membership(subject, Thing.EXPORT, export_id)
    if membership is None:
        raise not_found()
    return api.store.get_export(export_id, owner=membership.owner)


def _members(made: list[Export]) -> list[Member]:
    """Each export under its own name; of several of one name, from the second on with a number.

    Raises:
        NotFound: One of them is not there (yet).
    """
    seen: Counter[str] = Counter()
    members = []
    for each in made:
        if each.blob is None or each.filename is None:
            raise not_found()
        name = PurePosixPath(each.filename)
        seen[each.filename.casefold()] += 1
        number = seen[each.filename.casefold()]
        members.append(Member(f"{name.stem} ({number}){name.suffix}" if number > 1 else each.filename, each.blob))
    return members


@router.get("/{job_id}", responses=errors(404))
def get_guide(job_id: str, api: ApiParts, owner: Owner, request: Request) -> GuideAnswer:
    """One guide."""
    return _answered(api, owner, identifier(job_id), request)


@router.patch("/{job_id}", responses=errors(400, 404, 409, 413, 415))
async def rename_guide(job_id: str, new: RenameGuide, api: ApiParts, owner: Owner, request: Request) -> GuideAnswer:
    """Rename a guide. Its title is its document's first heading: a new version is saved, and the list, the pages and
    what is exported from then on say the same."""
    await api.guides.rename(owner, identifier(job_id), new.title)
    return await to_thread.run_sync(_answered, api, owner, job_id, request)


def _answered(api: Api, owner: str, job_id: str, request: Request) -> GuideAnswer:
    found = api.store.guide_cards(owner, [job_id])
    if job_id not in found:
        raise not_found()
    return GuideAnswer.of(api, request, found[job_id])
