"""``guidesmith webhooks``: have addresses of yours told what happens to your jobs, and see what was sent there."""

from functools import partial
from typing import Annotated

import typer

from starter.cli.options import AsJson, DataDir
from starter.cli.printing import print_listed, print_said
from starter.cli.reaching import reached

webhooks_app = typer.Typer(
    help="Have addresses of yours told what happens to your jobs.", no_args_is_help=True, rich_markup_mode=None
)

EndpointId = Annotated[str, typer.Argument(metavar="ENDPOINT", help="The endpoint's id.", show_default=False)]


_client = partial(
    reached,
    absent="There is no such endpoint or delivery, or it is not yours: `guidesmith webhooks list` shows yours.",
)


@webhooks_app.command("list", epilog="Example: guidesmith webhooks list")
def list_endpoints(as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """Your endpoints, newest first."""
    with _client(data_dir) as client:
        endpoints = list(client.listed("webhook-endpoints", limit=100))
    print_listed(
        {"items": endpoints},
        ("ID", "URL", "EVENTS", "CREATED", "DESCRIPTION"),
        (
            (each["id"], each["url"], ",".join(each["events"]) or "all", each["created_at"], each["description"])
            for each in endpoints
        ),
        as_json=as_json,
    )


@webhooks_app.command(epilog="Example: guidesmith webhooks add https://example.org/guidesmith --event job.failed")
def add(
    url: Annotated[str, typer.Argument(metavar="URL", help="http or https, on the public internet.")],
    event: Annotated[
        list[str] | None, typer.Option(help="What to tell; repeat it for several.  [default: everything]")
    ] = None,
    description: Annotated[str | None, typer.Option(help="A word for yourself.")] = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Tell URL what happens to your jobs from now on. Prints the secret that signs it, this once."""
    body = {"url": url, "events": event or [], "description": description}
    with _client(data_dir) as client:
        made = client.post("webhook-endpoints", body)
    print_listed(made, ("ENDPOINT", made["id"]), (("url", made["url"]), ("secret", made["secret"])), as_json=as_json)


@webhooks_app.command(epilog="Example: guidesmith webhooks delete 0199f3c2-…")
def delete(endpoint_id: EndpointId, as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """Send nothing there any more, not even what was on its way."""
    with _client(data_dir) as client:
        client.delete(f"webhook-endpoints/{endpoint_id}")
    print_said({"deleted": endpoint_id}, f"Nothing is sent to endpoint {endpoint_id} any more.", as_json=as_json)


@webhooks_app.command(epilog="Example: guidesmith webhooks deliveries 0199f3c2-… --limit 50")
def deliveries(
    endpoint_id: EndpointId,
    limit: Annotated[int, typer.Option(min=1, max=100, help="At most so many.")] = 20,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """What was sent to an endpoint, newest first, and what its last answer was."""
    with _client(data_dir) as client:
        page = client.get(f"webhook-endpoints/{endpoint_id}/deliveries", limit=limit)
    print_listed(
        page,
        ("ID", "EVENT", "JOB", "STATUS", "REQUESTS", "LAST ANSWER", "CREATED"),
        (
            (
                each["id"],
                each["event"],
                each["job_id"],
                each["status"],
                len(each["attempts"]),
                _answer(each["attempts"]),
                each["created_at"],
            )
            for each in page["items"]
        ),
        as_json=as_json,
    )


@webhooks_app.command(epilog="Example: guidesmith webhooks redeliver 0199f3c2-… 0199f3d7-…")
def redeliver(
    endpoint_id: EndpointId,
    delivery_id: Annotated[str, typer.Argument(metavar="DELIVERY", help="The delivery's id.", show_default=False)],
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Send a delivery once more, now, under the id that it has."""
    with _client(data_dir) as client:
        delivery = client.post(f"webhook-endpoints/{endpoint_id}/deliveries/{delivery_id}/redeliver")
    print_said(delivery, f"Delivery {delivery['id']} is on its way (round {delivery['round']}).", as_json=as_json)


def _answer(attempts: list[dict[str, object]]) -> object:
    if not attempts:
        return None
    return attempts[-1]["status_code"] or attempts[-1]["error_code"]
