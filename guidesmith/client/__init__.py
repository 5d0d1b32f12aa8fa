"""The HTTP API for Python programs, blocking and asynchronous::

    from guidesmith.client import Client

    with Client("https://guidesmith.example.org", token) as client:
        job = client.make("recording.mp4")
        client.download(client.export(job, "PDF"), "guide.pdf")

:class:`AsyncClient` has the same methods as coroutines. Requests that break off are sent again; what they make is made
once. What the API refuses is an :class:`ApiError` with its stable code.
"""

from guidesmith.client.asynchronous import AsyncClient
from guidesmith.client.blocking import Client
from guidesmith.client.errors import ApiError, GuidesmithClientError, JobFailed, Unreachable, WebhookInvalid
from guidesmith.client.shapes import (
    BinnedGuide,
    Brand,
    Comment,
    Event,
    Export,
    Failure,
    FoundGuide,
    Guide,
    Hit,
    Instruction,
    Invitation,
    Job,
    MadeInvitation,
    MadeShare,
    Member,
    Project,
    Share,
    Task,
    Thread,
    TranslatedBlock,
    Translation,
    TranslationDetails,
    TranslationTask,
    Version,
    WebhookMessage,
)
from guidesmith.client.webhooks import verify_webhook

__all__ = [
    "ApiError",
    "AsyncClient",
    "BinnedGuide",
    "Brand",
    "Client",
    "Comment",
    "Event",
    "Export",
    "Failure",
    "FoundGuide",
    "Guide",
    "GuidesmithClientError",
    "Hit",
    "Instruction",
    "Invitation",
    "Job",
    "JobFailed",
    "MadeInvitation",
    "MadeShare",
    "Member",
    "Project",
    "Share",
    "Task",
    "Thread",
    "TranslatedBlock",
    "Translation",
    "TranslationDetails",
    "TranslationTask",
    "Unreachable",
    "Version",
    "WebhookInvalid",
    "WebhookMessage",
    "verify_webhook",
]
