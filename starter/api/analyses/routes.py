"""Analyses: a requirement over tables becomes a plan, the plan a run, the run tables, charts and a report."""

from datetime import UTC, datetime, timedelta
from pathlib import PurePosixPath
from typing import Any

import anyio
import uuid_utils
from anyio import to_thread
from fastapi import APIRouter, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel
from starlette.requests import ClientDisconnect

from activities.analysis.understanding import understood
from activities.artifacts import content_disposition
from domain.analyses.analysis import OUTPUTS, Analysis, AnnouncedFile, InputFile, NewAnalysis, fingerprint_of
from domain.analyses.plan import open_questions
from domain.artifacts import Artifact
from domain.errors import RequestInvalid, TableTooLarge
from domain.lifecycles.analysis import check_unlocked
from starter.api.analyses.shapes import (
    AnalysisAnswer,
    AnalysisArtifact,
    Confirmation,
    DraftAnswer,
    DraftPatch,
    InputFileAnswer,
    InputsAnswer,
    NewAnalysisBody,
    NewInputFile,
    NewInputs,
    PlanningAnswer,
    RunRequest,
    TableAnswer,
    UnderstoodAnswer,
)
from starter.api.context import Api, ApiParts, Owner, identifier
from starter.api.errors import not_found
from starter.api.file_responses import AskedFile, file_answers, file_response
from starter.api.idempotency import REPLAYED as REPLAYED_HEADER
from starter.api.idempotency import Once, OnceOnly
from starter.api.paging import Cursor, Limit
from starter.api.pictures.screenshots import NOTHING_RUNS
from starter.api.responses import REPLAYED, errors
from starter.api.shapes import Listed
from starter.api.uploads.analysis_inputs import Arrival, InputUpload
from starter.api.uploads.receiving import clean_filename, suffix_of, suited_part_size
from starter.services.analyses import DraftEdit

router = APIRouter(tags=["analyses"])

MEDIA_TYPES = (
    "application/json",
    "text/markdown",
    "text/csv",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "application/vnd.apache.parquet",
    "image/png",
)
"""Of what an analysis makes."""

BUSY_PAUSE_S = 0.1
"""How often one who waits for another's look at an input looks whether it is over."""

REPLAYED_ANSWER: dict[int | str, dict[str, Any]] = {
    200: {"model": AnalysisAnswer, "description": "Asked before.", "headers": REPLAYED}
}


class Made(BaseModel):
    """What is remembered of a creation."""

    job_id: str
    created: bool


# --- asked for -------------------------------------------------------------------------------------------------------


@router.post("/analyses", status_code=202, responses={**REPLAYED_ANSWER, **errors(400, 409, 413, 415)})
async def create_analysis(
    new: NewAnalysisBody, api: ApiParts, owner: Owner, once: OnceOnly, request: Request, response: Response
) -> AnalysisAnswer:
    """Ask for an analysis. The same requirement over the same files is the same analysis, whoever sends it again.

    Send each file to its upload_url, then PUT the inputs: when all have arrived, a plan is drafted.
    """
    made = await to_thread.run_sync(_made, api, owner, once, new)
    if not made.created:
        response.headers[REPLAYED_HEADER] = "true"
    response.status_code = 200 if REPLAYED_HEADER in response.headers else 202
    return await to_thread.run_sync(lambda: _answer(api, request, api.store.get_analysis(made.job_id)))


def _made(api: Api, owner: str, once: Once, new: NewAnalysisBody) -> Made:
    asked = NewAnalysis(requirement=new.requirement, files=_announced(api, new.inputs), plan_revision=new.plan_revision)

    def make() -> Made:
        analysis, created = api.analyses.request(owner, asked)
        return Made(job_id=analysis.job.id, created=created)

    return once.answer(Made, make)


@router.get("/analyses/{job_id}", responses=errors(404))
def get_analysis(job_id: str, api: ApiParts, owner: Owner, request: Request) -> AnalysisAnswer:
    """The job, what it is over, and how far its plan is."""
    return _answer(api, request, api.store.get_analysis(identifier(job_id), owner=owner))


# --- inputs ----------------------------------------------------------------------------------------------------------


@router.put("/analyses/{job_id}/inputs", responses=errors(400, 404, 409, 413, 415))
async def put_inputs(job_id: str, new: NewInputs, api: ApiParts, owner: Owner, request: Request) -> AnalysisAnswer:
    """Say which files the analysis is over, and have those that were sent taken.

    When all have arrived and are what was declared, a plan is drafted. Others than before need a new one. After the
    plan was confirmed the inputs are locked.
    """
    files = _announced(api, new)
    analysis = await to_thread.run_sync(api.analyses.declare, owner, identifier(job_id), files)
    for file in analysis.files:
        if file.blob is None:
            await _taken(api, analysis, file, request)
    analysis = await to_thread.run_sync(api.store.get_analysis, analysis.job.id)
    if analysis.is_complete and analysis.is_drafting:
        analysis = await api.analyses.plan(owner, analysis.job.id)
    return await to_thread.run_sync(_answer, api, request, analysis)


async def _taken(api: Api, analysis: Analysis, file: InputFile, request: Request) -> None:
    looking = InputUpload(api.store, api.artifacts, api.settings.analysis_file_cap_bytes, analysis, file)
    while True:
        # a process that is told to stop does not wait for it: another takes over when the seal has run out
        found = await to_thread.run_sync(looking.look, limiter=api.confirming, abandon_on_cancel=True)
        if found is not Arrival.BUSY:
            return
        if await request.is_disconnected():
            raise ClientDisconnect
        await anyio.sleep(BUSY_PAUSE_S)


def _announced(api: Api, new: NewInputs) -> tuple[AnnouncedFile, ...]:
    """The files, each with the session that it gets where it has none.

    Raises:
        TableTooLarge: One is larger than the settings allow. RequestInvalid: They have another fingerprint than given.
    """
    files = tuple(_announcement(api, file) for file in new.files)
    if new.fingerprint is not None and new.fingerprint != fingerprint_of(files):
        raise RequestInvalid("The fingerprint is not that of these files.", field="fingerprint")
    return files


def _announcement(api: Api, file: NewInputFile) -> AnnouncedFile:
    cap = api.settings.analysis_file_cap_bytes
    if file.size_bytes is not None and file.size_bytes > cap:
        raise TableTooLarge(f"A file may have at most {cap} bytes.", details={"limit_bytes": cap})
    upload_id = str(uuid_utils.uuid7())
    return AnnouncedFile(
        filename=clean_filename(file.filename, "table"),
        checksum_sha256=file.checksum_sha256,
        size_bytes=file.size_bytes,
        upload_id=upload_id,
        key=f"analyses/{upload_id}/input{suffix_of(file.filename)}",
        part_size=suited_part_size(api.artifacts, api.settings.part_size_bytes, file.size_bytes, cap),
        expires_at=api.store.now() + timedelta(seconds=api.settings.upload_url_ttl_s),
    )


# --- the draft -------------------------------------------------------------------------------------------------------


@router.get("/analyses/{job_id}/draft", responses=errors(404, 409))
def get_draft(job_id: str, api: ApiParts, owner: Owner) -> DraftAnswer:
    """The plan as it was drafted, with what it leaves open; once confirmed, as it was frozen."""
    return _draft(api.store.get_analysis(identifier(job_id), owner=owner))


@router.post("/analyses/{job_id}/draft", status_code=202, responses=errors(400, 404, 409, 413, 415))
async def plan_again(job_id: str, api: ApiParts, owner: Owner, request: Request) -> AnalysisAnswer:
    """Have the plan drafted again, also where that failed."""
    analysis = await to_thread.run_sync(lambda: api.store.get_analysis(identifier(job_id), owner=owner))
    check_unlocked(analysis.status)
    await api.kinds.check_engine()
    analysis = await api.analyses.plan(owner, analysis.job.id, again=True)
    return await to_thread.run_sync(_answer, api, request, analysis)


@router.patch("/analyses/{job_id}/draft", responses=errors(400, 404, 409, 413, 415))
async def patch_draft(job_id: str, patch: DraftPatch, api: ApiParts, owner: Owner) -> DraftAnswer:
    """Answer the plan's questions, or change it. The plan that follows from answers is waited for a few seconds:
    current says whether it is this."""
    edit = DraftEdit(patch.requirement, patch.answers, patch.steps, patch.dismissed_unknowns)
    return _draft(await api.analyses.edit(owner, identifier(job_id), patch.version, edit))


# --- confirmed and run -----------------------------------------------------------------------------------------------


@router.post("/analyses/{job_id}/confirm", responses=errors(400, 404, 409, 413, 415))
def confirm_plan(
    job_id: str, api: ApiParts, owner: Owner, request: Request, confirmation: Confirmation | None = None
) -> AnalysisAnswer:
    """Freeze the plan. From now on neither it nor the inputs change; nothing runs yet."""
    given = confirmation or Confirmation()
    analysis, _ = api.analyses.confirm(
        owner, identifier(job_id), version=given.version, inputs_fingerprint=given.inputs_fingerprint
    )
    return _answer(api, request, analysis)


@router.post(
    "/analyses/{job_id}/run", status_code=202, responses={**REPLAYED_ANSWER, **errors(400, 404, 409, 413, 415)}
)
async def run_analysis(
    job_id: str, api: ApiParts, owner: Owner, request: Request, response: Response, run: RunRequest | None = None
) -> AnalysisAnswer:
    """Have the frozen plan computed, once, however often this is asked."""
    given = (run or RunRequest()).inputs_fingerprint
    await to_thread.run_sync(lambda: api.store.get_analysis(identifier(job_id), owner=owner))
    await api.kinds.check_engine()
    analysis, replayed = await to_thread.run_sync(
        lambda: api.analyses.enqueue(owner, identifier(job_id), inputs_fingerprint=given)
    )
    await api.kinds.start(analysis.job)
    response.status_code = 200 if replayed else 202
    return await to_thread.run_sync(lambda: _answer(api, request, api.store.get_analysis(analysis.job.id)))


# --- what was made ---------------------------------------------------------------------------------------------------


@router.get("/analyses/{job_id}/artifacts", responses=errors(400, 404))
def list_artifacts(
    job_id: str, api: ApiParts, owner: Owner, request: Request, limit: Limit = 20, cursor: Cursor = None
) -> Listed[AnalysisArtifact]:
    """The frozen plan, and what its run made: a report, tables as CSV, Excel and Parquet, charts; newest first."""
    analysis = api.store.get_analysis(identifier(job_id), owner=owner)
    page = api.store.outputs(analysis.job.id, limit=limit, cursor=cursor)
    return Listed(items=tuple(_artifact(api, request, each) for each in page.items), next_cursor=page.next_cursor)


ANALYSIS_FILE: dict[str, Any] = {
    "path": "/analysis-files/{signed}",
    "response_class": StreamingResponse,
    "responses": file_answers("The file.", *MEDIA_TYPES),
}


@router.head(**ANALYSIS_FILE, name="fetch_analysis_file_head")
@router.get(**ANALYSIS_FILE)
def fetch_analysis_file(signed: str, api: ApiParts, asked: AskedFile) -> Response:
    """A file of an analysis, by the signed address that an answer gave out."""
    artifact = api.store.get_artifact(api.signed_urls.read("analysis-file", signed))
    if artifact.kind not in OUTPUTS:
        raise not_found()
    headers = {
        "Content-Disposition": content_disposition(_saved_as(artifact)),
        "Content-Security-Policy": NOTHING_RUNS,
        "Cross-Origin-Resource-Policy": "cross-origin",
        "Cache-Control": f"private, max-age={api.settings.download_url_ttl_s}, immutable",
    }
    return file_response(api.artifacts, artifact.blob, asked, headers)


def _artifact(api: Api, request: Request, artifact: Artifact) -> AnalysisArtifact:
    ttl_s = api.settings.download_url_ttl_s
    until = datetime.now(UTC) + timedelta(seconds=ttl_s)
    url = api.artifacts.signed_get_url(artifact.blob, ttl_s, _saved_as(artifact))
    if url is None:
        signed = api.signed_urls.sign("analysis-file", artifact.id, until.timestamp())
        url = api.address(request, f"analysis-files/{signed}")
    facts: dict[str, Any] = {name: artifact.facts.get(name) for name in ("name", "step", "rows")}
    return AnalysisArtifact(
        **facts,
        artifact_id=artifact.id,
        kind=artifact.kind,
        mime_type=artifact.blob.media_type,
        size_bytes=artifact.blob.size_bytes,
        checksum_sha256=artifact.blob.checksum_sha256,
        url=url,
        url_expires_at=until,
        created_at=artifact.created_at,
    )


def _saved_as(artifact: Artifact) -> str:
    return PurePosixPath(str(artifact.facts["name"])).name


# --- answers ---------------------------------------------------------------------------------------------------------


def _answer(api: Api, request: Request, analysis: Analysis) -> AnalysisAnswer:
    return AnalysisAnswer(
        **dict(api.job_answer(analysis.job)),
        requirement=analysis.requirement,
        inputs=InputsAnswer(
            fingerprint=analysis.inputs_fingerprint,
            complete=analysis.is_complete,
            files=tuple(_input(api, request, analysis, file) for file in analysis.files),
        ),
        planning=PlanningAnswer.of(analysis.planning),
        plan_id=analysis.plan_id,
    )


def _input(api: Api, request: Request, analysis: Analysis, file: InputFile) -> InputFileAnswer:
    session = None if file.blob is not None or not analysis.is_drafting else api.store.get_upload(file.upload_id)
    address = None
    if session is not None:
        signed = api.signed_urls.sign("upload", session.id, session.expires_at.timestamp())
        address = api.address(request, f"uploads/{signed}")
    return InputFileAnswer(
        **file.model_dump(include={"upload_id", "filename", "checksum_sha256", "size_bytes"}),
        arrived=file.blob is not None,
        upload_url=address,
        parts_url=f"{address}/parts" if address else None,
        part_size=session.part_size if session else None,
        expires_at=session.expires_at if session else None,
    )


def _draft(analysis: Analysis) -> DraftAnswer:
    plan = analysis.any_plan()
    return DraftAnswer(
        job_id=analysis.job.id,
        status=analysis.job.status,
        version=analysis.job.version,
        current=analysis.is_planned,
        plan=plan.canonical(),
        understood=tuple(
            UnderstoodAnswer(aspect=each.aspect, words=each.words) for each in understood(plan, analysis.profiles)
        ),
        open_questions=open_questions(plan),
        blocking_unknowns=tuple(unknown.id for unknown in plan.unknowns),
        inputs_fingerprint=analysis.inputs_fingerprint,
        tables=tuple(TableAnswer.of(profile) for profile in analysis.profiles),
        planning=PlanningAnswer.of(analysis.planning),
        plan_id=analysis.plan_id,
    )
