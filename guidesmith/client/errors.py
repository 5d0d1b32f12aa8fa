"""What can go wrong. Every class derives from :class:`GuidesmithClientError`."""

from collections.abc import Mapping
from typing import Any

import httpx


class GuidesmithClientError(Exception):
    """Whatever the client raises of its own."""


class Unreachable(GuidesmithClientError):
    """The API does not answer, or broke off again and again."""


class ApiError(GuidesmithClientError):
    """The API said no.

    Attributes:
        status: The HTTP status.
        code: Stable, for programs: ``RESOURCE_NOT_FOUND``.
        message: A sentence for people.
        details: Facts that belong to the code.
        request_id: Leads to the request in the server's logs.
    """

    def __init__(
        self, status: int, code: str, message: str, details: Mapping[str, Any], request_id: str | None
    ) -> None:
        super().__init__(f"{message} ({code})")
        self.status = status
        self.code = code
        self.message = message
        self.details = dict(details)
        self.request_id = request_id

    @classmethod
    def of(cls, answer: httpx.Response) -> "ApiError":
        """What an answer of 400 and more says. Its body has to be read."""
        try:
            said = answer.json()
        except ValueError:
            said = None
        body = said if isinstance(said, dict) else {}
        message = str(body.get("message", f"The server answered {answer.status_code}."))
        details = body.get("details") or {}
        issues = [f"{each.get('path')}: {each.get('message')}" for each in details.get("issues") or ()]
        code = str(body.get("code", "UNKNOWN"))
        return cls(answer.status_code, code, " ".join([message, *issues]), details, answer.headers.get("x-request-id"))


class JobFailed(GuidesmithClientError):
    """A job, an export or a task ended badly. ``code`` is its failure's; ``of`` its id."""

    def __init__(self, of: str, code: str, message: str) -> None:
        super().__init__(f"{message} ({code})")
        self.of = of
        self.code = code
        self.message = message


class WebhookInvalid(GuidesmithClientError):
    """A webhook that the secret did not sign, that is too old, or that is none."""
