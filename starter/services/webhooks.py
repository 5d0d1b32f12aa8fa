"""Webhooks at the API: where endpoints may be, and what providers tell, stored first and told to the workflow second.

What was stored holds whether or not Temporal is there: see ``activities/store/hooks/provider_webhooks.py``.
"""

import asyncio

import structlog
from temporalio.client import Client
from temporalio.service import RPCError

from activities.rails.signals import wake
from activities.store import Store
from activities.webhooks import Keys, check_target, permit
from domain.webhooks import ProviderEvent, WebhookReceipt
from starter.services import engine
from starter.setting_values import listed
from starter.settings import Settings

log = structlog.get_logger("guidesmith.webhooks")


def provider_keys(settings: Settings) -> Keys:
    """The secrets that providers sign with.

    Raises:
        SettingsInvalid: One of them is malformed.
    """
    secrets = settings.provider_webhook_secrets
    return Keys(listed(secrets.get_secret_value()) if secrets else ())


class WebhookService:
    """Takes webhooks, and says where they may be sent.

    Args:
        store: Called from threads.
        client: A (lazily connected) Temporal client.
        private: Whether endpoints may be on private networks.
    """

    def __init__(self, store: Store, client: Client, *, private: bool) -> None:
        self._store = store
        self._client = client
        self._permit = permit(private=private)

    def check_target(self, url: str) -> None:
        """Raises: AddressRefused: Nothing would ever be sent there."""
        check_target(url, self._permit)

    async def receive(self, event: ProviderEvent) -> WebhookReceipt:
        """Store a webhook whose signature holds, and wake the run that it is for. One that came before changes
        nothing; where its run was perhaps not told, it is told again."""
        receipt = await asyncio.to_thread(self._store.receive_webhook, event)
        facts = {"provider": event.provider, "webhook_id": receipt.id, "job_id": receipt.job_id}
        log.info("webhook.received", verdict=str(receipt.verdict), **facts)
        if receipt.job_id is not None and not receipt.delivered:
            await self._tell(receipt.id, receipt.job_id)
        return receipt

    async def _tell(self, webhook_id: str, job_id: str) -> None:
        try:
            await asyncio.wait_for(wake(self._client, job_id), engine.PATIENCE_S)  # a worker wakes it then
        except (RPCError, RuntimeError, TimeoutError) as absent:
            log.warning("webhook.not_delivered_yet", job_id=job_id, fault=type(absent).__name__)
            return
        await asyncio.to_thread(self._store.mark_webhooks_delivered, [webhook_id])
