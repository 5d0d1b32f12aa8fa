"""Copy, scraped text, ads, videos and speech; and new attempts by an administrator."""

from datetime import datetime, timedelta
from typing import Any

import uuid_utils
from anyio import to_thread
from fastapi import APIRouter, Request, Response
from pydantic import BaseModel

from activities.store import EventType
from domain.jobs import Job
from domain.lifecycles.generation import GENERATION, PROCESSING
from domain.lifecycles.instruction import INSTRUCTION
from domain.lifecycles.lifecycle import Trigger
from domain.orders.generation import GenerationOrder, read_order
from starter.api.context import Api, ApiParts, Owner, identifier
from starter.api.errors import not_found
from starter.api.generations.shapes import GenerationAnswer, NewCopy, NewScrape, NewSpeech, NewStaticAd, NewVideo
from starter.api.idempotency import REPLAYED as REPLAYED_HEADER
from starter.api.idempotency import Once, OnceOnly
from starter.api.images.routes import MOST_EVENTS, Made
from starter.api.library import asset_facts
from starter.api.responses import REPLAYED, errors
from starter.api.shapes import JobAnswer

router = APIRouter(tags=["generations"])

CREATION: dict[str, Any] = {
    "status_code": 202,
    "responses": {
        200: {"model": JobAnswer, "description": "Asked before, with the same key.", "headers": REPLAYED},
        **errors(400, 402, 409, 413, 415),
    },
}


@router.post("/generate/copy", **CREATION)
async def generate_copy(new: NewCopy, api: ApiParts, owner: Owner, once: OnceOnly, response: Response) -> JobAnswer:
    """Have texts written that advertise something."""
    return await _asked(api, owner, once, response, new.order(), new.idempotency_key)


@router.post("/generate/scrape", **CREATION)
async def generate_scrape(new: NewScrape, api: ApiParts, owner: Owner, once: OnceOnly, response: Response) -> JobAnswer:
    """Have the readable text of a web page taken."""
    return await _asked(api, owner, once, response, new.order(), new.idempotency_key)


@router.post("/generate/static-ad", **CREATION)
async def generate_static_ad(
    new: NewStaticAd, api: ApiParts, owner: Owner, once: OnceOnly, response: Response
) -> JobAnswer:
    """Have a picture made that advertises something."""
    return await _asked(api, owner, once, response, new.order(), new.idempotency_key)


@router.post("/generate/video", **CREATION)
async def generate_video(new: NewVideo, api: ApiParts, owner: Owner, once: OnceOnly, response: Response) -> JobAnswer:
    """Have a video made as a user would make it."""
    return await _asked(api, owner, once, response, new.order(), new.idempotency_key)


@router.post("/generate/tts", **CREATION)
async def generate_tts(new: NewSpeech, api: ApiParts, owner: Owner, once: OnceOnly, response: Response) -> JobAnswer:
    """Have a text spoken."""
    return await _asked(api, owner, once, response, new.order(), new.idempotency_key)


async def _asked(
    api: Api, owner: str, once: Once, response: Response, order: GenerationOrder, key: str | None
) -> JobAnswer:
    checked = await to_thread.run_sync(api.generations.checked, order)
    await api.kinds.check_engine()

    def make() -> Made:
        job, created = api.generations.make(owner, checked, key)
        return Made(job_id=job.id, created=created)

    made = await to_thread.run_sync(make if key is not None else lambda: once.answer(Made, make))
    job = await to_thread.run_sync(api.store.get_job, made.job_id)
    await api.kinds.start(job)
    if not made.created:
        response.headers[REPLAYED_HEADER] = "true"
    response.status_code = 200 if REPLAYED_HEADER in response.headers else 202
    return await to_thread.run_sync(api.job_answer, job)


@router.get("/generations/{job_id}", responses=errors(404))
def get_generation(job_id: str, api: ApiParts, owner: Owner, request: Request) -> GenerationAnswer:
    """The job, what it was asked for, and, once it is there, what it made."""
    job = api.store.get_job(identifier(job_id), owner=owner)
    if job.kind != GENERATION.kind:
        raise not_found()
    order = read_order(api.store.job_input(job.id).input)
    assets = tuple(asset_facts(api, request, each) for each in api.store.library_of_job(job.id))
    return GenerationAnswer(
        **dict(api.job_answer(job)),
        type=order.type,
        order=order.model_dump(exclude={"type"}, exclude_none=True),
        cost=job.cost,
        **_tries(api, job),
        assets=assets,
        result_url=assets[0].url if assets else None,
        result_url_expires_at=assets[0].url_expires_at if assets else None,
    )


def _tries(api: Api, job: Job) -> dict[str, Any]:
    """How often the attempt failed, and when it is tried again: as the job's log has it."""
    failures, next_try_at = 0, None
    for event in api.store.events(job.id, 0, MOST_EVENTS):
        pause_s = event.data.get("retry_in_s")
        if event.attempt != job.attempt or event.event_type != EventType.STAGE_RETRIED or pause_s is None:
            continue
        failures += 1
        next_try_at = event.occurred_at + timedelta(seconds=float(str(pause_s)))
    waits = job.status == PROCESSING and next_try_at is not None and next_try_at > datetime.now(next_try_at.tzinfo)
    return {"retry_count": failures, "next_try_at": next_try_at if waits else None}


class Retried(BaseModel):
    """What is remembered of a retry."""

    attempt: int


@router.post(
    "/admin/jobs/{job_id}/retry",
    status_code=202,
    responses={
        200: {"model": JobAnswer, "description": "Retried before, with the same key.", "headers": REPLAYED},
        **errors(400, 402, 403, 404, 409, 413, 415, 502),
    },
)
async def retry_any_job(job_id: str, api: ApiParts, owner: Owner, once: OnceOnly, response: Response) -> JobAnswer:
    """Give a job that has failed another attempt, which its owner is charged for where it costs something. For
    administrators."""
    known = identifier(job_id)
    job = await to_thread.run_sync(api.store.anybodys_job, known)
    if job.kind == INSTRUCTION.kind:
        retried = await api.jobs.retry(
            job.owner,
            known,
            model_profile=None,
            client_request_id=f"admin {owner} {once.key or uuid_utils.uuid7()}",
            trigger=Trigger.ADMIN,
        )
        if retried.replayed:
            response.headers[REPLAYED_HEADER] = "true"
        response.status_code = 200 if retried.replayed else 202
        return await to_thread.run_sync(lambda: api.job_answer(api.store.get_job(known)))

    def begin() -> Retried:
        return once.answer(Retried, lambda: Retried(attempt=api.store.begin_attempt(known, owner).attempt))

    job = await api.retries.retry(known, begin)
    response.status_code = 200 if REPLAYED_HEADER in response.headers else 202
    return await to_thread.run_sync(api.job_answer, job)
