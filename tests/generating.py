"""What tests of the generation job work with: an API, a worker process and a sandbox provider that calls back."""

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import SecretStr
from temporalio.client import WorkflowFailureError

from domain.jobs import Job
from domain.orders.generation import GenerationOrder
from starter.access.tokens import Role
from starter.sandbox import running_sandbox
from starter.sandbox.calling import SECRET as SANDBOX_SECRET
from starter.wiring import generation_requests
from tests.apis import SECRET, running_api, wait_ready
from tests.premises import Premises
from tests.stack import running_stack
from tests.temporal import TemporalServer, free_port

OWNER = "ann"
GRANT = 1000
PRICES = {"copy": 1, "scrape": 2, "static_ad": 8, "ugc_video": 40, "tts": 3}


class Workshop(Premises):
    """What the tests of generations ask."""

    def ask(self, path: str, **body: Any) -> Job:
        answer = self.http.post(f"generate/{path}", json=body)
        assert answer.status_code == 202, answer.text
        return self.store.get_job(answer.json()["id"])

    def answer(self, job: Job) -> dict[str, Any]:
        found: dict[str, Any] = self.http.get(f"generations/{job.id}").json()
        return found

    def retry(self, job: Job) -> httpx.Response:
        with self.api.client("root", Role.ADMIN) as admin:
            return admin.post(f"admin/jobs/{job.id}/retry")

    def lost(self, order: GenerationOrder) -> Job:
        """A job whose run nobody started."""
        return generation_requests(self.stack.settings, self.store).make(OWNER, order, None)[0]

    def until_closed(self, job: Job) -> None:
        """Until the job's run has ended, either way."""

        async def closed() -> None:
            with suppress(WorkflowFailureError):
                await self.stack.client.get_workflow_handle(job.id).result()

        self.stack.loop.run(closed())


def lines(text: str, event: str) -> list[dict[str, Any]]:
    """What a JSON log says under the name ``event``."""
    found = (json.loads(line) for line in text.splitlines() if f'"{event}"' in line and line.startswith("{"))
    return [each for each in found if each["event"] == event]


@contextmanager
def running_workshop(
    folder: Path, temporal: TemporalServer, *, chat: bool = False, predictions: bool = False, **more: Any
) -> Iterator[Workshop]:
    """All of it, by settings that name the sandbox for chat or for predictions."""
    port = free_port()
    with pytest.MonkeyPatch.context() as patch, running_sandbox() as sandbox:
        patch.setenv("TEMPORAL_ADDRESS", temporal.address)
        settings: dict[str, Any] = {
            "api_port": port,
            "auth_secret": SecretStr(SECRET),
            "rate_limit_default": "off",
            "rate_limit_expensive": "off",
            "provider_timeout_s": 6.0,
            "prompt_blocklist": "forbidden fruit",
            "scrape_allow_private": True,
            "prices": ",".join(f"{name}={price}" for name, price in PRICES.items()),
        }
        if chat:
            settings |= {"llm_base_url": sandbox.base_url, "llm_model": "sandbox-chat"}
        if predictions:
            settings |= {
                "predictions_base_url": sandbox.base_url,
                "provider_callback_url": f"http://127.0.0.1:{port}",
                "provider_webhook_secrets": SecretStr(f"replicate={SANDBOX_SECRET}"),
                "static_ad_model": "sandbox/pictures",
                "ugc_video_model": "sandbox/video",
                "tts_prediction_model": "sandbox/speech",
            }
        with (
            running_stack(folder, temporal, deadly=True, **settings, **more) as stack,
            running_api(stack.settings) as api,
        ):
            wait_ready(api)
            stack.store.grant(OWNER, GRANT, reason="test", actor="test", idempotency_key=OWNER)
            stack.start_worker()
            workshop = Workshop(stack, api, sandbox, OWNER)
            try:
                yield workshop
            finally:
                workshop.http.close()
