"""Logs: one JSON object a line, facts bound once, nothing that a caller could forge."""

import json
import logging
from collections.abc import Iterator

import pytest
import structlog

from starter.logs import bound, configure_logs, log


@pytest.fixture
def configured() -> Iterator[None]:
    root = logging.getLogger()
    before, level = list(root.handlers), root.level
    configure_logs("INFO", "json")
    yield
    root.handlers = before
    root.setLevel(level)
    structlog.reset_defaults()


@pytest.mark.usefixtures("configured")
def test_given_bound_facts_when_logged_then_every_line_has_them_also_a_librarys(
    capsys: pytest.CaptureFixture[str],
) -> None:
    configure_logs("INFO", "json")  # again, now that stderr is the test's
    with bound(job_id="j1"):
        log("api").info("job.moved", status="DONE")
        logging.getLogger("some.library").warning("watch %s", "out")
    log("api").info("after")
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [line.get("job_id") for line in lines] == ["j1", "j1", None]
    assert [line["event"] for line in lines] == ["job.moved", "watch out", "after"]
    assert lines[0]["status"] == "DONE"


@pytest.mark.usefixtures("configured")
def test_given_a_value_with_control_characters_when_logged_then_it_stays_on_its_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    configure_logs("INFO", "json")
    with bound(request_id="a\n\x1b[31mforged"):
        log("api").info("request", path='x"\r\n{"event": "forged"}')
    (line,) = capsys.readouterr().err.splitlines()
    assert "\x1b" not in line
    assert json.loads(line)["event"] == "request"


@pytest.mark.usefixtures("configured")
def test_given_an_exception_when_logged_then_its_local_variables_are_not(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logs("INFO", "console")
    secret = "hunter2" * 3
    try:
        raise ValueError("broken")
    except ValueError:
        log("api").exception("failed")
    assert "broken" in (text := capsys.readouterr().err)
    assert secret not in text
