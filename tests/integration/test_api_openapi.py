"""The description is exactly what is served: whatever schemathesis makes of it is answered as it says, or refused.

Requests are made from the description itself, right ones and wrong ones, always the same ones. That every other test's
answers are as described is seen to by ``tests/witness.py``.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any

import httpx
import pytest
import schemathesis
from pydantic import SecretStr
from schemathesis import engine
from schemathesis.config import SchemathesisConfig
from schemathesis.core.result import Ok
from schemathesis.engine import events
from schemathesis.engine.recorder import ScenarioRecorder
from schemathesis.generation.case import Case
from schemathesis.generation.meta import CoveragePhaseData, CoverageScenario
from schemathesis.hooks import HookContext
from schemathesis.schemas import BaseSchema

from activities.rails.namespaces import recognise_namespace
from domain.documents.publication import ExportFormat
from starter.access.tokens import Role, Tokens
from starter.services.engine import connect
from tests.apis import SECRET, TIMEOUT_S, RunningApi, api_settings, running_api, wait_ready
from tests.integration.api_builders import told_job
from tests.integration.store_builders import OWNER, STEP_BLOCK, instruction_of
from tests.temporal import TemporalServer

RUNNER = "runner-" + "5" * 40
EXAMPLES = 3
"""Requests for each operation beside those that schemathesis makes to cover each constraint."""
STEPS = 6
"""Requests, at most, that follow from one another's answers."""
IN_TURN = {
    CoverageScenario.INCORRECT_TYPE: 3,
    CoverageScenario.UNSPECIFIED_HTTP_METHOD: 4,
    CoverageScenario.VALID_OBJECT: 3,
    CoverageScenario.OBJECT_REQUIRED_AND_OPTIONAL: 3,
    CoverageScenario.OBJECT_UNEXPECTED_PROPERTIES: 3,
}
"""What schemathesis makes of each field in every way there is, by the thousand. One in so many is sent, another with
each field: every way is met in every kind of operation, though not at every field. Two hundred routes are made of the
same few checks of fields."""


@pytest.fixture(scope="module")
def explored(temporal: TemporalServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningApi]:
    """An API of its own: what is sent to it leaves nothing as it was."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEMPORAL_ADDRESS", temporal.address)
        with running_api(api_settings(tmp_path_factory.mktemp("api"), callback_secret=SecretStr(RUNNER))) as api:
            wait_ready(api)
            assert asyncio.run(recognised(api)), "or a retry of a job that no run is known of is a 502, which is true"
            yield api


async def recognised(api: RunningApi) -> bool:
    """Whether the namespace is the jobs' own; there is none yet, so that it is."""
    return await recognise_namespace(api.store, await connect(lazy=False))


def ids(api: RunningApi) -> Mapping[str, str]:
    """What is there, for the parameters of paths: without it nearly every answer would be 404."""
    job = told_job(api.store, api.artifacts)
    instruction_id = instruction_of(job)
    version = api.store.get_instruction(OWNER, instruction_id)
    task, _ = api.store.create_regenerate(
        OWNER,
        instruction_id,
        base_version=1,
        selection={"block_id": STEP_BLOCK},
        client_request_id="r-0",
        requested_by=OWNER,
    )
    shown = api.store.screenshots_for(version.id)[0]
    return {
        "project_id": job.project_id,
        "job_id": job.id,
        "instruction_id": instruction_id,
        "task_id": task.id,
        "export_id": api.store.request_export(OWNER, job.id, ExportFormat.PDF, version.id)[0].id,
        "anchor_id": shown.anchor_id,
        "asset_id": shown.asset_id,
    }


def configured(api: RunningApi, *, stateful: bool) -> SchemathesisConfig:
    """How the API is explored: the same every time, and without a trace on the disk. ``stateful``: by requests that
    follow from answers, or each by itself."""
    token = Tokens(SECRET).issue(OWNER, Role.ADMIN)
    return SchemathesisConfig.from_dict(
        {
            "base-url": api.url,
            "seed": 1,
            "request-timeout": TIMEOUT_S,
            "headers": {"Authorization": f"Bearer {token}", "X-Callback-Secret": RUNNER},
            "parameters": {f"path.{name}": value for name, value in ids(api).items()},
            "generation": {
                "mode": "all",
                "max-examples": EXAMPLES,
                "deterministic": True,
                "database": "none",
                "no-shrink": True,
            },
            # no schema can say which cursors were given out, which model there is, how large is too large
            "checks": {
                "positive_data_acceptance": {"enabled": False},
                # what a scenario makes is looked for under the fixed ids above, of which one may be of another kind
                "ensure_resource_availability": {"enabled": False},
            },
            "phases": {
                **{each: {"enabled": not stateful} for each in ("examples", "coverage", "fuzzing")},
                "stateful": {"enabled": stateful, "max-steps": STEPS, "generation": {"max-examples": EXAMPLES}},
            },
        }
    )


METHODS = {"reads": ("GET", "HEAD"), "creations": ("POST",), "changes": ("PUT", "PATCH", "DELETE")}


@pytest.mark.timeout(600)
@pytest.mark.parametrize("which", METHODS)
def test_given_any_request_when_sent_then_it_is_answered_as_described(explored: RunningApi, which: str) -> None:
    schema = described(explored, stateful=False)
    methods = {each.ok().method.upper() for each in schema.get_all_operations() if isinstance(each, Ok)}
    assert methods == {*chain(*METHODS.values())}
    assert asked_of(schema.include(method=list(METHODS[which]))) > 300


@pytest.mark.timeout(600)
def test_given_requests_that_follow_from_answers_when_sent_then_they_are_answered_as_described(
    explored: RunningApi,
) -> None:
    assert asked_of(described(explored, stateful=True)) > EXAMPLES * STEPS


def described(api: RunningApi, *, stateful: bool) -> BaseSchema:
    """The description that the API serves, but for streams, which do not end."""
    schema = httpx.get(f"{api.url}/api/v1/openapi.json").json()
    return schemathesis.openapi.from_dict(schema, config=configured(api, stateful=stateful)).exclude(
        path_regex="/events$"
    )


def asked_of(schema: BaseSchema) -> int:
    """How many requests were made of a description, all of which were answered as it says."""
    schema.hook(in_turn())
    told: list[str] = []
    asked = 0
    for event in engine.from_schema(schema).execute():
        if isinstance(event, events.ScenarioFinished):
            asked += len(event.recorder.interactions)
            told += objections(event.recorder)
        elif isinstance(event, events.NonFatalError | events.FatalError):
            told.append(str(event))
    assert not told, "\n\n".join(dict.fromkeys(told))
    return asked


def in_turn() -> Callable[[HookContext, Case[Any]], bool]:
    """A hook of schemathesis, whether a request is sent: of what is :data:`IN_TURN` one in so many of each field."""
    places: dict[tuple[str, CoverageScenario, str, str], int] = {}

    def filter_case(_: HookContext, case: Case[Any]) -> bool:
        made = case.meta.phase.data if case.meta else None
        if not isinstance(made, CoveragePhaseData) or made.scenario not in IN_TURN:
            return True
        field = "" if made.scenario is CoverageScenario.UNSPECIFIED_HTTP_METHOD else made.description
        kind = case.operation.label, made.scenario, made.parameter or "", field
        place = places.setdefault(kind, len(places))
        places[kind] += 1
        return place % IN_TURN[made.scenario] == 0

    return filter_case


def objections(recorder: ScenarioRecorder) -> Iterator[str]:
    """What schemathesis has against the answers of one scenario."""
    for case_id, checks in recorder.checks.items():
        for check in checks:
            if check.failure_info is not None:
                interaction = recorder.interactions[case_id]
                request, response = interaction.request, interaction.response
                yield (
                    f"{recorder.label}: {check.name}: {check.failure_info.failure.title}\n"
                    f"{check.failure_info.failure.message}\n{request.method} {request.uri} {request.body!r}\n"
                    f"{response.status_code if response else None} {response.text[:300] if response else ''}"
                )
