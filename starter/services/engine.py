"""The connection to Temporal: a local dev server, a cluster, or Temporal Cloud, by Temporal's own settings.

``TEMPORAL_ADDRESS``, ``TEMPORAL_NAMESPACE``, ``TEMPORAL_API_KEY``, ``TEMPORAL_TLS_*`` and profiles of a TOML file
(``TEMPORAL_CONFIG_FILE``, ``TEMPORAL_PROFILE``) mean what they mean to Temporal's tools. ``TEMPORAL_API_KEY_FILE`` is
ours.
"""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import structlog
from temporalio.client import Client
from temporalio.envconfig import ClientConfig
from temporalio.runtime import Runtime
from temporalio.service import RPCError, RPCStatusCode

from activities.rails.namespaces import Register, asked_namespace, match_of
from domain.engine import NamespaceMatch
from domain.errors import (
    MESSAGE_LIMIT,
    DatabaseUnavailable,
    DispatchFailed,
    EngineForeign,
    EngineUnavailable,
    SettingsInvalid,
)
from starter import traces
from starter.secret_files import SUFFIX, secret_of
from starter.services.connecting import NamespaceMissing, NotConnected, not_connected
from starter.services.payloads import data_converter
from starter.settings import load_settings

RECONNECT_LIMIT_S = 15.0
"""Longest pause between two attempts to reach Temporal at start-up."""

NAMESPACE_PATIENCE_S = 60.0
"""How long a worker waits for its namespace: whoever brings Temporal up may make it a little later."""

PATIENCE_S = 3.0
"""Seconds that whoever asks the API waits for Temporal at most, in any one call to it."""

API_KEY = "TEMPORAL_API_KEY"

DEFAULT_ADDRESS = "127.0.0.1:7233"

log = structlog.get_logger("guidesmith.engine")

_UNREACHED = frozenset(
    {RPCStatusCode.UNAVAILABLE, RPCStatusCode.DEADLINE_EXCEEDED, RPCStatusCode.CANCELLED, RPCStatusCode.UNKNOWN}
)


async def connect(*, lazy: bool = True, runtime: Runtime | None = None) -> Client:
    """A client, by the environment. ``lazy``: connect at the first call, so that the API starts without Temporal.

    Raises:
        SettingsInvalid: Temporal's configuration, or the key of payloads, cannot be read.
        NotConnected: Not lazy, and it was not reached; the message says why.
    """
    try:
        config = ClientConfig.load_client_connect_config(override_env_vars=_environment())
    except (RuntimeError, ValueError, OSError) as unreadable:
        raise SettingsInvalid(
            "Temporal's configuration cannot be read; look at the TEMPORAL_* settings."
        ) from unreadable
    config.setdefault("target_host", DEFAULT_ADDRESS)
    converter = data_converter(load_settings().payload_keys())
    try:
        return await Client.connect(
            **config, data_converter=converter, lazy=lazy, runtime=runtime, interceptors=traces.interceptors()
        )
    except ValueError as wrong:
        raise SettingsInvalid("Temporal's address or TLS is set wrong; look at the TEMPORAL_* settings.") from wrong
    except RuntimeError as refused:
        raise not_connected(str(refused), config["target_host"], tls=bool(config.get("tls"))) from None


def _environment() -> dict[str, str]:
    """This process's variables, with the key that ``TEMPORAL_API_KEY_FILE`` names."""
    variables = dict(os.environ)
    key = secret_of(API_KEY, variables.get(API_KEY), variables.get(API_KEY + SUFFIX))
    return variables if key is None else {**variables, API_KEY: key}


async def connect_patiently(runtime: Runtime | None = None) -> Client:
    """A connected client, however long Temporal takes to come up, and a minute for its namespace.

    Raises:
        NotConnected: Waiting is in vain: TLS does not fit, there is no such namespace, or it does not let us in.
    """
    pause = 0.5
    until = time.monotonic() + NAMESPACE_PATIENCE_S
    while True:
        try:
            client = await connect(lazy=False, runtime=runtime)
            await check_namespace(client)
            return client
        except NotConnected as absent:
            if absent.lasting and (not isinstance(absent, NamespaceMissing) or time.monotonic() > until):
                raise
            log.warning("engine.unreachable", code=absent.code, reason=absent.found, retry_in_s=pause)
            await asyncio.sleep(pause)
            pause = min(pause * 2, RECONNECT_LIMIT_S)


async def check_namespace(client: Client) -> None:
    """Whether Temporal knows the namespace of the settings, as far as it lets us ask.

    Raises:
        NamespaceMissing: It does not.
    """
    try:
        await asked_namespace(client)
    except RPCError as fault:
        if fault.status is RPCStatusCode.NOT_FOUND:
            raise NamespaceMissing(client.namespace, client.service_client.config.target_host) from None


async def signalled(client: Client, job_id: str, signal: str | Callable[..., Any]) -> bool:
    """Whether the job has a live workflow, which took the signal.

    Raises:
        EngineUnavailable, DispatchFailed: As :func:`engine_faults`.
    """
    async with engine_faults():
        try:
            await client.get_workflow_handle(job_id).signal(signal)
        except RPCError as fault:
            if fault.status is RPCStatusCode.NOT_FOUND:
                return False
            raise
    return True


async def check_own(store: Register, client: Client) -> None:
    """Whether the jobs run in the namespace of the settings, as far as that can be known right now.

    Raises:
        EngineForeign: They run in another one, or there is none of that name.
        temporalio.service.RPCError: Temporal could not be asked.
    """
    try:
        match = await match_of(store, client)
    except DatabaseUnavailable:
        return
    except RPCError as fault:
        if fault.status is RPCStatusCode.NOT_FOUND:
            raise EngineForeign("Temporal has no namespace of the name that the settings say.") from None
        if fault.status is not RPCStatusCode.PERMISSION_DENIED:
            raise
        return
    if match is NamespaceMatch.FOREIGN:
        raise EngineForeign("The jobs run in another Temporal namespace than the one that the settings name.")


@asynccontextmanager
async def engine_faults() -> AsyncIterator[None]:
    """Translate what the client raises, and give it ``PATIENCE_S``.

    Raises:
        EngineUnavailable: Temporal was not reached: nothing changed.
        DispatchFailed: It was reached, and refused.
    """
    try:
        async with asyncio.timeout(PATIENCE_S):
            yield
    except TimeoutError:
        raise EngineUnavailable(
            f"The job engine did not answer within {PATIENCE_S:g} seconds. Try again in a moment."
        ) from None
    except RPCError as fault:
        if fault.status in _UNREACHED:
            raise EngineUnavailable("The job engine cannot be reached right now. Nothing changed; try again.") from None
        log.warning("engine.refused", status=fault.status.name, reason=fault.message[:MESSAGE_LIMIT])
        raise DispatchFailed(
            "The job engine refused the request. Nothing changed. `guidesmith doctor` beside the API may know why.",
            details={"status": fault.status.name},
        ) from None
    except RuntimeError as fault:
        if "connect" not in str(fault).lower():
            raise
        raise EngineUnavailable("The job engine cannot be reached right now. Nothing changed; try again.") from None
