"""Asks whether this Temporal is the jobs' own, so that what it does not know may be believed."""

import asyncio
from typing import Protocol

import structlog
from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest
from temporalio.client import Client
from temporalio.service import RPCError, RPCStatusCode

from domain.engine import Namespace, NamespaceMatch, judge_namespace

log = structlog.get_logger("guidesmith.engine")


class Register(Protocol):
    """What recognising needs of the store."""

    def own_namespace(self) -> Namespace | None: ...
    def record_namespace(self, namespace: Namespace) -> None: ...
    def newest_dispatches(self, limit: int = 20) -> tuple[str, ...]: ...


async def asked_namespace(client: Client) -> Namespace:
    """The namespace that ``client`` speaks with.

    Raises:
        RPCError: Temporal could not be asked, or does not let us.
    """
    request = DescribeNamespaceRequest(namespace=client.namespace)
    answer = await client.workflow_service.describe_namespace(request)
    return Namespace(
        id=answer.namespace_info.id, name=client.namespace, address=client.service_client.config.target_host
    )


async def match_of(register: Register, client: Client) -> NamespaceMatch:
    """What the namespace that ``client`` speaks with is to the database.

    Raises:
        RPCError: As :func:`asked_namespace`.
    """
    asked = await asked_namespace(client)
    return judge_namespace(await asyncio.to_thread(register.own_namespace), asked)


async def recognise_namespace(register: Register, client: Client) -> bool:
    """Whether the word of ``client``'s namespace on the jobs' runs counts, which is recorded where it is new.

    The first one is taken for the jobs' own where it knows one of their runs, or there were none yet. One that was made
    anew counts, too: the histories of the one before it are gone. A foreign one never does.

    Raises:
        RPCError: As :func:`asked_namespace`.
    """
    asked = await asked_namespace(client)
    known = await asyncio.to_thread(register.own_namespace)
    match = judge_namespace(known, asked)
    facts = {"namespace": asked.name, "namespace_id": asked.id, "address": asked.address}
    if match is NamespaceMatch.FIRST and not await _knows_the_jobs(register, client):
        log.warning("engine.unrecognised", **facts)
        return False
    if match is NamespaceMatch.FOREIGN and known is not None:
        log.warning("engine.foreign", **facts, own=known.name, own_id=known.id, own_address=known.address)
        return False
    if match is NamespaceMatch.MADE_ANEW and known is not None:
        log.warning("engine.made_anew", **facts, lost_id=known.id)
    moved = known is not None and (known.name, known.address) != (asked.name, asked.address)
    if match is not NamespaceMatch.OWN or moved:
        await asyncio.to_thread(register.record_namespace, asked)
    return True


async def _knows_the_jobs(register: Register, client: Client) -> bool:
    jobs = await asyncio.to_thread(register.newest_dispatches)
    for job_id in jobs:
        try:
            await client.get_workflow_handle(job_id).describe()
        except RPCError as fault:
            if fault.status is not RPCStatusCode.NOT_FOUND:
                raise
        else:
            return True
    return not jobs
