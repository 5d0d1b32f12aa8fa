"""One event on its way to one endpoint: sent until it is taken, for a day."""

from datetime import timedelta

from temporalio import workflow
from temporalio.common import RetryPolicy
from temporalio.exceptions import ActivityError

from workflows.rails.retries import MIRROR_RETRIES, ROW_TIMEOUT

with workflow.unsafe.imports_passed_through():
    from activities.webhooks.delivering import DeliveryCall, WebhookSender
    from activities.webhooks.relay import DeliveryStart

LONGEST_PAUSE = timedelta(hours=4)
REQUEST_TIMEOUT = timedelta(seconds=60)
"""Of one request with its bookkeeping; the request itself is given up sooner."""


@workflow.defn(name="webhook")
class WebhookWorkflow:
    """5 s, 15 s, 45 s, … 4 h between requests: about a dozen in a day. What came of each is in the delivery's log."""

    @workflow.run
    async def run(self, start: DeliveryStart) -> None:
        call = DeliveryCall(delivery_id=start.delivery_id, round=start.round)
        try:
            await workflow.execute_activity_method(
                WebhookSender.deliver,
                call,
                task_queue=start.queue,
                start_to_close_timeout=REQUEST_TIMEOUT,
                schedule_to_close_timeout=timedelta(seconds=start.give_up_after_s),
                retry_policy=RetryPolicy(
                    initial_interval=timedelta(seconds=start.first_pause_s),
                    backoff_coefficient=3.0,
                    maximum_interval=LONGEST_PAUSE,
                ),
                summary="send the message",
            )
        except ActivityError:
            await workflow.execute_local_activity_method(
                WebhookSender.give_up,
                call,
                start_to_close_timeout=ROW_TIMEOUT,
                retry_policy=MIRROR_RETRIES,
                summary="given up",
            )
