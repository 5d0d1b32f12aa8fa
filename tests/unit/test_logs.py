"""Logs: one JSON object a line, facts bound once, nothing that a caller could forge."""

import contextvars
import json
import logging
import threading
from collections.abc import Iterator

import pytest
import structlog

from activities.process.log_context import gathering, note
from domain.errors import NotFound
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


def failing() -> None:
    secret = "hunter2" * 3
    try:
        raise ValueError(f"the row holds {secret}")
    except ValueError as cause:
        raise RuntimeError(f"cannot use {secret}") from cause


@pytest.mark.usefixtures("configured")
@pytest.mark.parametrize("log_format", ["json", "console"])
def test_given_an_exception_when_logged_then_its_kind_and_way_are_told_and_nothing_it_says(
    capsys: pytest.CaptureFixture[str], log_format: str
) -> None:
    configure_logs("INFO", log_format)
    for write in (log("api").exception, logging.getLogger("some.library").exception):
        try:
            failing()
        except RuntimeError:
            write("failed")
    text = capsys.readouterr().err
    assert text.count("ValueError") == text.count("RuntimeError") == 2
    assert text.count("in failing") == 4
    assert "hunter2" not in text
    assert "/" not in text.replace("[/", "")  # no path of a file


@pytest.mark.usefixtures("configured")
def test_given_an_error_of_the_taxonomy_when_logged_then_its_sentence_stays(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logs("INFO", "json")
    log("api").error("failed", exc_info=NotFound())
    (line,) = capsys.readouterr().err.splitlines()
    assert "There is no such resource" in json.loads(line)["exception"]


@pytest.mark.usefixtures("configured")
def test_given_gathered_facts_when_noted_in_a_thread_then_later_lines_have_them_and_the_next_work_has_not(
    capsys: pytest.CaptureFixture[str],
) -> None:
    configure_logs("INFO", "json")
    with gathering(request_id="r1"):
        context = contextvars.copy_context()
        thread = threading.Thread(target=context.run, args=(lambda: note(job_id="j1", correlation_id="c1"),))
        thread.start()
        thread.join()
        logging.getLogger("some.library").warning("moved")
        log("api").info("request", job_id="explicit")
    note(job_id="nowhere")
    log("api").info("after")
    first, second, last = (json.loads(line) for line in capsys.readouterr().err.splitlines())
    assert (first["request_id"], first["job_id"], first["correlation_id"]) == ("r1", "j1", "c1")
    assert second["job_id"] == "explicit"
    assert not {"request_id", "job_id"} & set(last)
