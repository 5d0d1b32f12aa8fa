"""How the sandbox calls back: webhooks signed as Standard Webhooks has it, and those that are not to be believed."""

import asyncio
import base64
import json
import uuid
from collections import deque
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
from pydantic import BaseModel, ConfigDict, Field

from activities.webhooks.signatures import sign

SECRET = "whsec_" + base64.b64encode(b"guidesmith sandbox, not for production").decode()
FORGERS = "whsec_" + base64.b64encode(b"somebody else's secret, as forgers have").decode()

TRIES = 6
FIRST_PAUSE_S = 0.2
"""Before the second try; each further pause is twice as long. A provider tries again where nobody answers, or 5xx."""

TIMEOUT_S = 10.0
KEPT = 1_000


class Call(BaseModel):
    """One webhook about a prediction.

    Args:
        after_ms: After the prediction is over, and after the call before this one.
        early: It comes before the submit call is answered.
        status: What it says the prediction's status is, in place of the truth: an old one comes out of order.
        forged: Signed with a secret that is not the provider's.
        age_s: How old its timestamp is.
        event_id: What it is called; ``None``: a new name.
        times: How often the same event is sent.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    after_ms: int = Field(default=0, ge=0)
    early: bool = False
    status: str | None = None
    forged: bool = False
    age_s: int = 0
    event_id: str | None = None
    times: int = Field(default=1, ge=1)


class Sent(BaseModel):
    """A webhook that was sent. ``answered``: with which status; ``None``: nobody did."""

    event_id: str
    prediction_id: str
    status: str
    forged: bool
    answered: int | None


class Caller:
    """Sends webhooks, and remembers the answers. Belongs to one event loop.

    Args:
        secret: What they are signed with.
    """

    def __init__(self, secret: str = SECRET) -> None:
        self._secret = secret
        self.sent: deque[Sent] = deque(maxlen=KEPT)

    async def call(self, url: str, prediction: dict[str, Any], call: Call) -> Sent:
        """Send one webhook as ``call`` has it, again where nobody answers; what became of the last try."""
        event_id = call.event_id or f"msg_{uuid.uuid4().hex}"
        body = json.dumps({**prediction, "status": call.status or prediction["status"]}).encode()
        for _ in range(call.times):
            sent = Sent(
                event_id=event_id,
                prediction_id=prediction["id"],
                status=call.status or prediction["status"],
                forged=call.forged,
                answered=await self._delivered(url, event_id, body, call),
            )
            self.sent.append(sent)
        return sent

    async def _delivered(self, url: str, event_id: str, body: bytes, call: Call) -> int | None:
        answered = None
        async with httpx.AsyncClient(timeout=TIMEOUT_S, trust_env=False) as client:
            for number in range(TRIES):
                if number:
                    await asyncio.sleep(FIRST_PAUSE_S * 2 ** (number - 1))
                at = datetime.now(UTC) - timedelta(seconds=call.age_s)
                headers = sign(FORGERS if call.forged else self._secret, event_id, body, at)
                try:
                    answer = await client.post(
                        url, content=body, headers={**headers, "Content-Type": "application/json"}
                    )
                except httpx.HTTPError:
                    continue
                answered = answer.status_code
                if answered < 500:
                    break
        return answered
