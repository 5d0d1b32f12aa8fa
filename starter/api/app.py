"""The API put together: its parts, its routes, and the pages that are behind the same gate."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cache
from typing import Any

from anyio import to_thread
from fastapi import FastAPI
from fastapi.telemetry import TelemetryConfig
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Lifespan

from activities.artifacts import ArtifactStore
from activities.store import Store
from starter.access.tokens import TokenCheck
from starter.api import account, health, payload_codec
from starter.api.analyses import routes as analyses
from starter.api.batches import routes as batches
from starter.api.callbacks import routes as callbacks
from starter.api.context import Api
from starter.api.credits import routes as credits
from starter.api.documents import comments, exports, instructions, presences, shares, sittings, translations
from starter.api.errors import handle_errors
from starter.api.feed import Feed, StreamSlots
from starter.api.generations import routes as generations
from starter.api.guides import bin as guide_bin
from starter.api.guides import routes as guides
from starter.api.guides import searching as guide_search
from starter.api.guides import site as guide_site
from starter.api.images import routes as images
from starter.api.jobs import administering, corrections, events, lifecycles, projects, screens, transcripts
from starter.api.jobs import routes as jobs
from starter.api.perimeter.admission import Admission
from starter.api.perimeter.cors import Origins
from starter.api.perimeter.gate import BASE, Gate, GateRules
from starter.api.perimeter.limits import Limits
from starter.api.perimeter.provider_sessions import ProviderSessions
from starter.api.perimeter.seen import Seen
from starter.api.perimeter.sessions import Sessions, Tickets
from starter.api.pictures import anchors, annotations, redactions, screenshots
from starter.api.projects import brand, invitations, members
from starter.api.readiness import Check, Readiness
from starter.api.responses import described
from starter.api.signed_urls import SignedUrls
from starter.api.uploads import routes as uploads
from starter.api.webhooks import routes as webhooks
from starter.services.analyses import AnalysisService
from starter.services.batches import BatchRequests
from starter.services.callbacks import CallbackService
from starter.services.documents import DocumentService
from starter.services.erasing import ErasureService
from starter.services.guides import GuideService
from starter.services.inviting import InvitationService
from starter.services.jobs import JobService
from starter.services.kinds import KindService
from starter.services.retrying import Retries
from starter.services.screenshots import ScreenshotService
from starter.services.sharing import SharingService
from starter.services.translations import TranslationService
from starter.services.webhooks import WebhookService, provider_keys
from starter.settings import Settings
from starter.wiring import (
    generation_requests,
    identity_provider,
    image_requests,
    token_check,
)

VERSION = "1"

ROUTES = (
    *(
        projects,
        members,
        brand,
        invitations,
        jobs,
        uploads,
        transcripts,
        corrections,
        screens,
        events,
        instructions,
        translations,
        sittings,
        presences,
        comments,
        screenshots,
        anchors,
        annotations,
        redactions,
    ),
    guide_bin,
    guide_search,
    guide_site,
    guides,
    *(exports, shares, callbacks, credits, lifecycles, images, generations, batches, analyses, webhooks, administering),
    account,
    payload_codec,
)

THREADS = 40
"""Blocking calls (database, artifacts) at once in one process."""

TRACED: TelemetryConfig = {"auto_configure": False, "metrics": False, "logs": False}
"""FastAPI's own spans of requests, if ``starter/traces.py`` has set traces up. Left to itself it would send whole
queries, signatures included, and what errors say."""

Pages = Callable[[Api, TokenCheck, Sessions, Tickets, Limits], ASGIApp]
"""Makes the application of everything that is neither the API's nor a probe's."""


def create_app(
    settings: Settings,
    store: Store,
    artifacts: ArtifactStore,
    job_service: JobService,
    document_service: DocumentService,
    callback_service: CallbackService,
    screenshot_service: ScreenshotService,
    kind_service: KindService,
    webhook_service: WebhookService,
    analysis_service: AnalysisService,
    retries: Retries,
    erasing: ErasureService,
    *,
    engine: Check,
    pages: Pages,
) -> FastAPI:
    """The ASGI application.

    Args:
        engine: Returns when Temporal answers, for ``/readyz``.

    Raises:
        SettingsInvalid: There is no secret to sign tokens with.
    """
    signed_urls = SignedUrls(settings.signing_secret())
    limits = Limits(settings)
    https = (settings.public_url or "").startswith("https://")
    tokens = token_check(settings)
    seen = Seen(store)
    provider = identity_provider(settings)
    sessions = Sessions(
        signed_urls,
        store,
        ttl_s=settings.session_ttl_s,
        longest_s=settings.session_longest_s,
        secure=https,
        of_provider=ProviderSessions(store, provider, seen) if provider else None,
    )
    callback_secret = settings.callback_secret
    rules = GateRules(
        Admission(
            tokens=tokens,
            signed_urls=signed_urls,
            limits=limits,
            sessions=sessions,
            seen=seen,
            public_url=settings.public_url,
            callback_secret=callback_secret.get_secret_value() if callback_secret else None,
            provider_keys=provider_keys(settings),
        ),
        json_cap_bytes=settings.json_cap_bytes,
        body_timeout_s=settings.body_timeout_s,
        origins=Origins(settings.cors_origins),
        https=https,
    )
    feed = Feed(store, StreamSlots(settings.max_event_streams, settings.max_event_streams_per_user))

    async def database() -> None:
        await to_thread.run_sync(store.check_writing)
        await to_thread.run_sync(store.check_schema)

    async def artifact_store() -> None:
        await to_thread.run_sync(artifacts.check_writing)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        to_thread.current_default_thread_limiter().total_tokens = THREADS
        async with feed.polling():
            yield
        await limits.counter.close()

    app = _routed(lifespan=lifespan)
    app.openapi = description  # type: ignore[method-assign]
    api = app.state.api = Api(
        settings=settings,
        store=store,
        artifacts=artifacts,
        jobs=job_service,
        documents=document_service,
        kinds=kind_service,
        images=image_requests(settings, store),
        generations=generation_requests(settings, store),
        retries=retries,
        erasing=erasing,
        guides=GuideService(store, document_service),
        sharing=SharingService(store, document_service, settings.signing_secret()),
        translations=TranslationService(store, document_service, artifacts, has_model=settings.has_model),
        inviting=InvitationService(store, settings.signing_secret()),
        batches=BatchRequests(store),
        callbacks=callback_service,
        screenshots=screenshot_service,
        webhooks=webhook_service,
        analyses=analysis_service,
        signed_urls=signed_urls,
        sessions=sessions,
        seen=seen,
        provider=provider,
        feed=feed,
        readiness=Readiness({"database": database, "engine": engine, "artifacts": artifact_store}),
    )
    app.add_middleware(Gate, rules=rules, pages=pages(api, tokens, sessions, Tickets(signed_urls, store), limits))
    handle_errors(app)
    return app


def _routed(lifespan: Lifespan[FastAPI] | None = None) -> FastAPI:
    app = _bare(lifespan)
    app.router.routes.extend(_routes())
    return app


@cache
def _routes() -> tuple[BaseRoute, ...]:
    """The same for all apps of a process: what FastAPI works out for a route at its first use, it keeps with it."""
    app = _bare()
    its_own = len(app.router.routes)
    for module in ROUTES:
        app.include_router(module.router, prefix=BASE)
    app.include_router(health.router)
    return tuple(app.router.routes[its_own:])


def _bare(lifespan: Lifespan[FastAPI] | None = None) -> FastAPI:
    return FastAPI(
        title="guidesmith",
        version=VERSION,
        description="Recordings become written, illustrated instructions. `/api/…` is the same as `/api/v1/…`. A field "
        "or a query parameter that is not described is refused with 400.",
        openapi_url=f"{BASE}/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        generate_unique_id_function=lambda route: route.name,
        lifespan=lifespan,
        telemetry=TRACED,
    )


@cache
def description() -> dict[str, Any]:
    """What the API says of itself (OpenAPI), whatever its settings: made once a process, in half a second."""
    return described(_routed())
