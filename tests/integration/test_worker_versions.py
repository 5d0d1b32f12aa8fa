"""Two versions of the workers side by side, as an operator rolls one out: which code each run goes on with."""

import asyncio
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from temporalio.api.enums.v1 import RoutingConfigUpdateState
from temporalio.api.workflowservice.v1 import DescribeWorkerDeploymentRequest
from temporalio.client import Client, WorkflowExecutionStatus
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.worker import Worker

from activities.rails.mirror import Mirror
from domain.jobs import Job
from starter.work.worker import build_workers
from tests.integration.test_fates import held
from tests.stack import OWNER, Stack, running_stack, wait_until
from tests.temporal import TemporalServer, binary

DEPLOYMENT = "desk"


def test_given_a_newer_version_when_it_becomes_current_then_lasting_runs_go_on_with_it_and_short_ones_end_with_theirs(
    temporal: TemporalServer, tmp_path: Path
) -> None:
    with running_stack(tmp_path, temporal, deployment_name=DEPLOYMENT) as stack:
        stack.store.grant(OWNER, 100, reason="test", actor="test", idempotency_key="versions")
        with serving(stack, "2"):
            with serving(stack, "1"):
                make_current(stack, "1")
                lasting, short = held(stack, "instruction", "DRAFT_READY"), held(stack, "image", "running")
                wait_until(lambda: builds(stack, lasting) and builds(stack, short), 60, "version 1 at work")

                make_current(stack, "2")
                for job, signal in ((lasting, "edit"), (short, "cancel")):  # a picture refuses that
                    stack.loop.run(stack.client.get_workflow_handle(job.id).signal(signal))
                stack.wait_for(lasting, "EDITING")
                stack.loop.run(stack.client.get_workflow_handle(short.id).cancel())
                wait_until(lambda: has_ended(stack, short), 60, "the end of the picture's run")

                make_current(stack, "1")
                back = held(stack, "image", "running")
                wait_until(lambda: builds(stack, back), 60, "version 1 at work again")
                assert builds(stack, back) == {"1"}, "set back, new runs go where they went before"
                stack.loop.run(stack.client.get_workflow_handle(back.id).cancel())
                wait_until(lambda: has_ended(stack, back), 60, "the end of that picture's run")
                make_current(stack, "2")
            begun = held(stack, "image", "running")
            wait_until(lambda: builds(stack, begun), 60, "version 2 at work")
            stack.loop.run(stack.client.get_workflow_handle(lasting.id).signal("cancel"))
            stack.wait_for(lasting, "CANCELLED")

            assert builds(stack, begun) == {"2"}
            assert builds(stack, short) == {"1"}, "what is soon over ends with what it began with"
            assert builds(stack, lasting) == {"1", "2"}, "what may last goes on with what is current"


@contextmanager
def serving(stack: Stack, build: str) -> Iterator[None]:
    """Workers of a build for the jobs' own queue. What needs another queue waits there."""
    settings = stack.settings.model_copy(update={"build_id": build})
    mirror = Mirror(stack.store)
    activities = [mirror.claim, mirror.move, mirror.mirrored_state]

    async def begin() -> list[tuple[Worker, "asyncio.Task[None]"]]:
        client = await Client.connect(stack.temporal.address, data_converter=pydantic_data_converter)
        workers = build_workers(client, settings, ["jobs"], activities)
        return [(each, asyncio.create_task(each.run())) for each in workers]

    running = stack.loop.run(begin())

    async def end() -> None:
        await asyncio.gather(*(each.shutdown() for each, _ in running))
        await asyncio.gather(*(task for _, task in running))

    try:
        yield
    finally:
        stack.loop.run(end())


def make_current(stack: Stack, build: str) -> None:
    """As docs/operations/upgrades.md says it."""
    command = [binary(), "worker", "deployment", "set-current-version", "--address", stack.temporal.address, "--yes"]
    command += ["--deployment-name", DEPLOYMENT, "--build-id", build]

    def done() -> bool:  # the server knows a version a moment after its workers have asked for work
        return subprocess.run(command, capture_output=True, check=False).returncode == 0

    def known() -> bool:  # and tells the queues a moment after it has answered
        asked = DescribeWorkerDeploymentRequest(namespace=stack.client.namespace, deployment_name=DEPLOYMENT)
        told = stack.loop.run(stack.client.workflow_service.describe_worker_deployment(asked))
        state = told.worker_deployment_info.routing_config_update_state
        return state != RoutingConfigUpdateState.ROUTING_CONFIG_UPDATE_STATE_IN_PROGRESS

    wait_until(done, 60, f"version {build} to be current")
    wait_until(known, 60, f"every queue to know that version {build} is")


def has_ended(stack: Stack, job: Job) -> bool:
    description = stack.loop.run(stack.client.get_workflow_handle(job.id).describe())
    return description.status is not WorkflowExecutionStatus.RUNNING


def builds(stack: Stack, job: Job) -> set[str]:
    """The builds that have moved a job's run on."""
    steps = (each.workflow_task_completed_event_attributes for each in stack.events(job.id))
    return {each.deployment_version.build_id for each in steps if each.deployment_version.build_id}
