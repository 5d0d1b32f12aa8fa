"""The commands that run parts of the product, and those that look after it."""

import asyncio
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from starter.cli.assistants import mcp
from starter.cli.exits import ExitCode, UsageWrong
from starter.cli.options import AsJson, DataDir
from starter.cli.pages import open_pages
from starter.cli.printing import print_json, print_listed, print_said, print_table
from starter.local.folder import DataFolder, StackRunning, StackState

if TYPE_CHECKING:
    from starter.settings import Settings

DEFAULT_QUEUES = "jobs,media,speech,providers"


class TableFormat(StrEnum):
    TABLE = "table"
    MERMAID = "mermaid"
    JSON = "json"


def services(app: typer.Typer) -> None:
    """Add the commands to ``app``."""
    for name, command, example in (
        ("up", up, "guidesmith up --data-dir ./data"),
        ("open", open_pages, "guidesmith open /credits"),
        ("worker", worker, "guidesmith worker --queues speech"),
        ("api", api, "GUIDESMITH_AUTH_SECRET=… guidesmith api"),
        ("doctor", doctor, "guidesmith doctor --json"),
        ("backup", backup, "guidesmith backup ./backup-of-monday"),
        ("restore", restored, "guidesmith restore ./backup-of-monday --data-dir ./data"),
        ("sandbox", sandbox, "guidesmith sandbox --port 8900"),
        ("mcp", mcp, "guidesmith mcp"),
        ("token", token, "guidesmith token --subject alice --hours 8"),
    ):
        app.command(name, epilog=f"Example: {example}")(command)
    lifecycles = typer.Typer(help="The tables of the job kinds.", no_args_is_help=True, rich_markup_mode=None)
    lifecycles.command("show", epilog="Example: guidesmith lifecycles show instruction --format mermaid")(
        show_lifecycle
    )
    app.add_typer(lifecycles, name="lifecycles")
    database = typer.Typer(help="Look after the database.", no_args_is_help=True, rich_markup_mode=None)
    database.command("upgrade", epilog="Example: guidesmith db upgrade")(upgrade)
    database.command("adopt-namespace", epilog="Example: guidesmith db adopt-namespace")(adopt_namespace)
    app.add_typer(database, name="db")


def _settings(data_dir: Path | None = None) -> "Settings":
    """The settings of this process, its logs set up.

    Raises:
        SettingsInvalid: See :func:`starter.settings.load_settings`.
    """
    from starter.logs import configure_logs
    from starter.settings import load_settings

    settings = load_settings(**({"data_dir": data_dir} if data_dir else {}))
    configure_logs(settings.log_level, settings.log_format)
    return settings


def up(
    until_unused: Annotated[bool, typer.Option("--until-unused", hidden=True)] = False,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Run the whole local stack (Temporal with its web UI, a worker, the API) until Ctrl-C.

    Everything is kept in one data folder and survives a restart. All of it listens on this machine alone.
    """
    from starter.cli.running import run_stack

    folder = DataFolder.find(data_dir)
    settings = _settings(folder.root)

    def announce(state: StackState) -> None:
        facts = {
            "api_url": state.api_url,
            "temporal_ui_url": state.temporal_ui_url,
            "temporal_address": state.temporal_address,
            "data_dir": str(folder.root),
        }
        print_listed(
            facts,
            ("guidesmith is up", "(Ctrl-C stops it)"),
            ((name, value) for name, value in facts.items()),
            as_json=as_json,
        )

    def say_stopping() -> None:
        typer.echo("Stopping …", err=True)

    try:
        run_stack(folder, settings, on_up=announce, on_stop=say_stopping, until_unused=until_unused)
    except StackRunning:
        running = folder.running()
        where = f" Its API is at {running.api_url}." if running else ""
        raise StackRunning(
            f"A stack is running on this data folder already.{where} Use it, or stop it first."
        ) from None


def worker(
    queues: Annotated[
        str, typer.Option(help="Comma-separated: jobs (workflows, light work), media, speech, providers.")
    ] = DEFAULT_QUEUES,
) -> None:
    """Work on the task queues until SIGTERM. Settings come from the environment (GUIDESMITH_…, TEMPORAL_…)."""
    from starter.work.worker import run_worker

    asyncio.run(run_worker(_settings(), _names(queues)))


def _names(queues: str) -> list[str]:
    return [name.strip() for name in queues.split(",") if name.strip()]


def api() -> None:
    """Serve the HTTP API until SIGTERM. Settings come from the environment (GUIDESMITH_…, TEMPORAL_…)."""
    from starter.serving import run_api

    asyncio.run(run_api(with_secret(_settings())))


def with_secret(settings: "Settings") -> "Settings":
    """``settings`` with the data folder's own secret, where none is set and only this machine can reach the API."""
    from pydantic import SecretStr

    if settings.auth_secret is not None or settings.api_host not in ("127.0.0.1", "::1", "localhost"):
        return settings
    secret = DataFolder(settings.data_dir).auth_secret()
    return settings.model_copy(update={"auth_secret": SecretStr(secret)})


def upgrade(as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """Bring the database to what this version expects. Safe to run again, and from several machines at once."""
    from starter.wiring import open_store

    settings = _settings(data_dir)
    if not settings.database_url:
        DataFolder(settings.data_dir).prepare()
    store = open_store(settings)
    try:
        store.upgrade()
        revision, newer = store.revision(), store.is_newer()
    finally:
        store.dispose()
    later = ", of a newer version: nothing was to be done, since that has only added to it" if newer else ""
    said = f"The database is at revision {revision}{later}."
    print_said({"revision": revision, "newer": newer}, said, as_json=as_json)


def adopt_namespace(as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """Say that the jobs run in the Temporal namespace of the settings, from now on.

    Needed only where `guidesmith doctor` asks for it: Temporal was moved elsewhere, and its histories did not come
    along. What that namespace does not know is then taken for lost.
    """
    from activities.rails.namespaces import asked_namespace
    from starter.services.engine import connect, engine_faults
    from starter.wiring import open_store

    settings = _settings(data_dir)
    store = open_store(settings)

    async def adopt() -> dict[str, object]:
        async with engine_faults():
            namespace = await asked_namespace(await connect(lazy=False))
        store.record_namespace(namespace)
        return {"namespace": namespace.name, "id": namespace.id, "address": namespace.address}

    try:
        adopted = asyncio.run(adopt())
    finally:
        store.dispose()
    print_said(
        adopted,
        f"The jobs run in the namespace {adopted['namespace']} at {adopted['address']} from now on.",
        as_json=as_json,
    )


def doctor(
    queues: Annotated[
        str | None,
        typer.Option(help="Comma-separated: what a worker of these needs must be here, too.", show_default=False),
    ] = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Check versions, data folder, database, Temporal, artifact store, speech model, and say how to mend each."""
    from starter.doctor import diagnose

    settings = _settings(data_dir)
    asked = None if queues is None else _names(queues)
    if asked is not None:
        settings.check_queues(asked)
    findings = asyncio.run(diagnose(settings, asked))
    if as_json:
        print_json({"ok": all(each.ok for each in findings), "checks": [each.facts() for each in findings]})
    else:
        for each in findings:
            typer.echo(f"{'ok  ' if each.ok else 'FAIL'}  {each.name}: {each.found}")
            if not each.ok:
                typer.echo(f"      mend: {each.mend}")
    if not all(each.ok for each in findings):
        raise typer.Exit(ExitCode.FAILED)


def backup(
    target: Annotated[Path, typer.Argument(metavar="FOLDER", help="A new or empty folder.", show_default=False)],
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Copy what the local stack keeps (databases, files, keys) into FOLDER, while it runs or not.

    A database or files that the settings place elsewhere are not in it.
    """
    from starter.local.backup import back_up

    note = back_up(DataFolder.find(data_dir), target)
    print_said(
        note | {"folder": str(target)},
        f"{note['files']} files, {note['bytes']} bytes are in {target}. It holds keys: keep it to yourself.",
        as_json=as_json,
    )


def restored(
    source: Annotated[Path, typer.Argument(metavar="FOLDER", help="What `backup` made.", show_default=False)],
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Put a backup into the data folder, which must be empty or not there yet."""
    from starter.local.backup import restore

    folder = DataFolder.find(data_dir)
    note = restore(source, folder)
    print_said(
        note | {"data_dir": str(folder.root)},
        f"The backup of {note['made_at']} is in {folder.root}. Go on with `guidesmith up`.",
        as_json=as_json,
    )


def sandbox(
    port: Annotated[int, typer.Option(min=0, max=65535, help="Where it listens, on this machine alone.")] = 8900,
) -> None:
    """Serve a pretend provider (OpenAI-compatible, and Replicate-style predictions with webhooks) whose faults can be
    scripted, for trying things."""
    from starter.sandbox import SECRET, run

    _settings()
    typer.echo(f"For its webhooks: export GUIDESMITH_PROVIDER_WEBHOOK_SECRETS=replicate={SECRET}", err=True)
    run(port=port)


def token(
    subject: Annotated[str, typer.Option(help="Whose token: the owner of what is made with it.")] = "local",
    role: Annotated[str, typer.Option(help="editor or admin.")] = "editor",
    hours: Annotated[float, typer.Option(min=0.01, max=24 * 365, help="How long it holds.")] = 24.0,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Print a bearer token, signed with $GUIDESMITH_AUTH_SECRET or the data folder's secret."""
    from starter.access.tokens import Role
    from starter.cli.connection import given_secret, tokens_of

    try:
        wanted = Role(role)
    except ValueError:
        raise UsageWrong("A role is editor or admin.") from None
    secret = given_secret() or DataFolder.find(data_dir).auth_secret()
    issued = tokens_of(secret).issue(subject, wanted, ttl_s=int(hours * 3600))
    print_said(
        {"token": issued, "subject": subject, "role": str(wanted), "expires_in_s": int(hours * 3600)},
        issued,
        as_json=as_json,
    )


def show_lifecycle(
    kind: Annotated[str, typer.Argument(metavar="KIND", help="For example: instruction.", show_default=False)],
    format: Annotated[TableFormat, typer.Option("--format", "-f")] = TableFormat.TABLE,
    as_json: AsJson = False,
) -> None:
    """The moves that a kind's jobs may make, as the code has them."""
    from domain.lifecycles.kinds import LIFECYCLES

    if kind not in LIFECYCLES:
        raise UsageWrong(f"There is no such kind. Kinds: {', '.join(LIFECYCLES)}.")
    lifecycle = LIFECYCLES[kind]
    if format is TableFormat.MERMAID:
        sys.stdout.write(lifecycle.mermaid())
    elif as_json or format is TableFormat.JSON:
        print_json({"kind": kind, "transitions": lifecycle.table()})
    else:
        rows = lifecycle.table()
        print_table(
            ("FROM", "TO", "TRIGGERS", "NOTE"),
            (
                (
                    row["from"] or "(none)",
                    row["to"],
                    ", ".join(_words(row["triggers"])),
                    _note(row["note"], row["action"]),
                )
                for row in rows
            ),
        )


def _words(value: object) -> list[str]:
    return [str(each) for each in value] if isinstance(value, list) else []


def _note(note: object, action: object) -> str:
    return f"{note} (only by {action})" if action else str(note)
