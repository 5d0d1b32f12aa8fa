"""What ``make`` and ``demo`` do around a job: a stack to run on, progress, a Ctrl-C, the last word."""

import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import typer

from starter.cli.client import Client, Json
from starter.cli.connection import Connection, connected
from starter.cli.exits import ExitCode
from starter.cli.making import Making, Target, interrupted
from starter.cli.memory import Memory
from starter.cli.pages import sign_in_address
from starter.cli.printing import print_json
from starter.cli.views import View, shown
from starter.local.sample import sample_recording

TITLES = {"api_url": "API", "temporal_ui_url": "Temporal UI", "page_url": "The instruction"}


def made(
    recording: Path,
    out: Path,
    formats: str | None,
    *,
    language: str | None,
    fresh: bool,
    private: Sequence[str] | None,
    as_json: bool,
    data_dir: Path | None,
) -> None:
    """``guidesmith make``."""
    target = Target.of(out, formats, recording.stem)
    with shown(as_json=as_json) as view, _stack(data_dir, view) as connection:
        result = _run(connection, view, recording, target, language=language, fresh=fresh, private=private)
    _report(result, as_json=as_json)


def demonstrated(out: Path, *, keep: bool, as_json: bool, data_dir: Path | None) -> None:
    """``guidesmith demo``."""
    recording = sample_recording()
    target = Target.of(out, "pdf,md", recording.stem)
    with shown(as_json=as_json) as view, _stack(data_dir, view) as connection:
        say_addresses(connection, view)
        result = _run(connection, view, recording, target, language=None, fresh=True) | _addresses(connection)
        page = f"/instructions/{result['instruction_id']}"
        if connection.state is not None:
            result["page_url"] = sign_in_address(connection, page)
        if keep:
            _report(result, as_json=as_json)
            stay_up(view)
            return
    _report(result, as_json=as_json)
    if connection.state is not None and connection.state.until_unused and not as_json:
        sys.stderr.write(
            f"The stack has stopped. `guidesmith up` brings it back, `guidesmith open {page}` opens the instruction, "
            "and `guidesmith demo --keep` leaves everything up.\n"
        )


def _stack(data_dir: Path | None, view: View) -> "_Announced":
    return _Announced(data_dir, view)


class _Announced:
    """A connection, with a word about the stack that was started for it, if one was."""

    def __init__(self, data_dir: Path | None, view: View) -> None:
        self._context = connected(data_dir, start=True)
        self._view = view

    def __enter__(self) -> Connection:
        self._view.step("stack", "Reaching the stack", 0.0)
        connection = self._context.__enter__()
        self._view.step("stack", "Reaching the stack", 1.0)
        return connection

    def __exit__(self, *error: object) -> None:
        self._context.__exit__(*error)  # type: ignore[arg-type]


def _run(
    connection: Connection,
    view: View,
    recording: Path,
    target: Target,
    *,
    language: str | None,
    fresh: bool,
    private: Sequence[str] | None = None,
) -> Json:
    memory = Memory(connection.folder, "local" if connection.state else connection.api_url)
    with Client(connection) as client:
        making = Making(client, memory, view)
        try:
            return making.make(recording, target, language=language, fresh=fresh, private=private)
        except KeyboardInterrupt:
            view.say(interrupted(making))
            raise typer.Exit(ExitCode.CANCELLED) from None


def _addresses(connection: Connection) -> Json:
    addresses: Json = {"api_url": connection.api_url}
    if connection.state is not None and connection.state.temporal_ui_url:
        addresses["temporal_ui_url"] = connection.state.temporal_ui_url
    return addresses


def _report(result: Json, *, as_json: bool) -> None:
    if as_json:
        print_json(result)
        return
    lines = [f"Note: {warning}" for warning in result["warnings"]]
    lines += [f"{file['path']}  ({max(file['size_bytes'] / 1024, 1):.0f} KiB)" for file in result["files"]]
    lines += [f"{title}: {result[name]}" for name, title in TITLES.items() if name in result]
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()


def say_addresses(connection: Connection, view: View) -> None:
    """Where to look around."""
    for name, address in _addresses(connection).items():
        view.say(f"{TITLES[name]}: {address}")


def stay_up(view: View) -> None:
    """Leave everything up until Ctrl-C."""
    view.say("Everything stays up until Ctrl-C.")
    try:
        while True:
            signal.pause()
    except KeyboardInterrupt:
        view.say("Stopping …")
