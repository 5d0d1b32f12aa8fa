"""``guidesmith credits``: what you have, what became of it, and giving some."""

from typing import Annotated
from uuid import uuid4

import typer

from starter.cli.options import AsJson, DataDir
from starter.cli.printing import print_listed, print_said

credits_app = typer.Typer(help="Look at credits, and give some.", no_args_is_help=True, rich_markup_mode=None)


@credits_app.command(epilog="Example: guidesmith credits show")
def show(as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """What you have: to spend, and held for jobs that run."""
    from starter.cli.client import Client
    from starter.cli.connection import connected

    with connected(data_dir, start=False) as connection, Client(connection) as client:
        balance = client.get("credits")
    print_listed(
        balance,
        ("BALANCE", "RESERVED", "AVAILABLE"),
        [[balance[each] for each in ("balance", "reserved", "available")]],
        as_json=as_json,
    )


@credits_app.command(epilog="Example: guidesmith credits entries --limit 50")
def entries(
    limit: Annotated[int, typer.Option(min=1, max=100, help="At most so many.")] = 20,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Every movement on your accounts, newest first."""
    from starter.cli.client import Client
    from starter.cli.connection import connected

    with connected(data_dir, start=False) as connection, Client(connection) as client:
        page = client.get("credits/entries", limit=limit)
    columns = ("created_at", "kind", "account", "amount", "job_id", "attempt", "reason")
    print_listed(
        page,
        ("TIME", "KIND", "ACCOUNT", "AMOUNT", "JOB", "ATTEMPT", "REASON"),
        ([entry[name] for name in columns] for entry in page["items"]),
        as_json=as_json,
    )


@credits_app.command(epilog='Example: guidesmith credits grant alice 500 --reason "March"')
def grant(
    user: Annotated[str, typer.Argument(metavar="USER", help="Whom to give them: a token's subject.")],
    amount: Annotated[int, typer.Argument(metavar="AMOUNT", min=1, help="How many.")],
    reason: Annotated[str, typer.Option(help="Why; the user sees it.")] = "granted by an administrator",
    key: Annotated[
        str | None, typer.Option(help="The same key gives once, however often.  [default: a new one]")
    ] = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Give a user credits. With $GUIDESMITH_TOKEN it has to be an administrator's."""
    from starter.cli.client import Client
    from starter.cli.connection import ADMIN, connected

    body = {"user_id": user, "amount": amount, "reason": reason, "idempotency_key": key or uuid4().hex}
    with connected(data_dir, start=False, role=ADMIN) as connection, Client(connection) as client:
        granted = client.post("admin/credits/grants", body)
    print_said(granted, f"{granted['user_id']} was given {granted['amount']} credits.", as_json=as_json)
