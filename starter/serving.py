"""The process that serves the API and the pages: put together by the settings, and run until it is told to stop."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn
from fastapi import FastAPI
from starlette.types import ASGIApp

from activities.stages.reported_drafts import ReportedDrafts
from starter.access.hardening import weaknesses
from starter.api.app import create_app
from starter.api.perimeter.framing import Framing
from starter.logs import log
from starter.pages.app import pages
from starter.services.analyses import AnalysisService
from starter.services.callbacks import CallbackService
from starter.services.documents import DocumentService
from starter.services.engine import check_own, connect, engine_faults
from starter.services.erasing import ErasureService
from starter.services.jobs import JobService
from starter.services.kinds import KindService
from starter.services.retrying import Retries
from starter.services.screenshots import ScreenshotService
from starter.services.webhooks import WebhookService
from starter.settings import Settings
from starter.traces import start_tracing, watch
from starter.wiring import kind_terms, model_profiles, open_artifacts, open_store, run_options
from starter.work.health import HealthServer

GRACEFUL_SHUTDOWN_S = 3
"""How long open requests may take to end when the process is told to stop. Event streams are cut."""


def server(app: ASGIApp, settings: Settings) -> uvicorn.Server:
    """The HTTP server, on the address of the settings."""
    return uvicorn.Server(
        uvicorn.Config(
            Framing(app),
            host=settings.api_host,
            port=settings.api_port,
            log_config=None,
            access_log=False,  # the gate says more
            server_header=False,
            date_header=True,
            timeout_graceful_shutdown=GRACEFUL_SHUTDOWN_S,
            timeout_keep_alive=30,
            h11_max_incomplete_event_size=64 * 1024,
            proxy_headers=False,
        )
    )


@asynccontextmanager
async def wired(settings: Settings, health: HealthServer | None = None) -> AsyncIterator[FastAPI]:
    """The application with everything it needs, by the settings. Temporal need not be there yet.

    Args:
        health: What tells the metrics of the process.

    Raises:
        SettingsInvalid: There is no secret to sign tokens with, or a URL cannot be read.
    """
    store, artifacts = open_store(settings), open_artifacts(settings)
    watch(store.engine)
    client = await connect(lazy=True, runtime=health.runtime if health else None)
    if health is not None:
        health.watch(store)

    async def engine() -> None:
        async with engine_faults():
            await client.service_client.check_health()
            await check_own(store, client)

    options = run_options(settings)
    profiles = model_profiles(settings)
    job_service = JobService(store, artifacts, client, options, profiles)
    document_service = DocumentService(store, artifacts, client, options, profiles)
    callback_service = CallbackService(store, ReportedDrafts(store, artifacts), client)
    screenshot_service = ScreenshotService(store, artifacts, client, options)
    kind_service = KindService(store, client, options, kind_terms(settings))
    analysis_service = AnalysisService(store, artifacts, client, options, most_files=settings.analysis_max_files)
    webhook_service = WebhookService(store, client, private=settings.webhook_allow_private)
    try:
        yield create_app(
            settings,
            store,
            artifacts,
            job_service,
            document_service,
            callback_service,
            screenshot_service,
            kind_service,
            webhook_service,
            analysis_service,
            Retries(store, client, kind_service),
            ErasureService(store, client, options),
            engine=engine,
            pages=pages,
        )
    finally:
        store.dispose()


async def run_api(settings: Settings) -> None:
    """Serve until SIGTERM or SIGINT.

    Raises:
        SettingsInvalid: See :func:`wired`.
    """
    for weakness in weaknesses(settings):
        log("api").warning("api.exposed", found=weakness.found, mend=weakness.mend)
    start_tracing("guidesmith-api")
    with HealthServer(settings) as health:
        async with wired(settings, health) as app:
            health.ready = True
            await server(app, settings).serve()
