"""Structured logs: one JSON object a line on stderr, readable lines on a terminal.

What belongs to a request or a job (its id, the correlation id) is bound once, with :func:`bound` or as
``activities/process/log_context.py`` has it, and appears on every line that is written inside, also on those of
libraries: the standard library's logging runs through the same chain.

Of an exception only its kind and the way it took through the code are written. Its message may quote anything: a
driver's the parameters of a statement, a validator's the value it refused, a provider's the prompt.
"""

import logging
import sys
import traceback
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any

import structlog

from activities.process.log_context import with_noted
from domain.errors import GuidesmithError

VALUE_LIMIT = 2000
"""Characters of one value that are kept."""

CAUSES_LIMIT = 5
FRAMES_LIMIT = 25

QUIET = (
    *("httpx", "httpx2", "httpcore", "urllib3", "sse_starlette", "faster_whisper", "alembic", "botocore", "sqlalchemy"),
    "redis",
)
"""Libraries whose INFO is noise, and whose DEBUG would tell keys and rows: they speak from WARNING on."""


def configure_logs(level: str = "INFO", log_format: str = "auto") -> None:
    """Route all logging of this process to stderr. Call it once, first thing in a process; again is harmless.

    Args:
        level: ``DEBUG`` to ``CRITICAL``.
        log_format: ``json``, ``console``, or ``auto``: console when stderr is a terminal.
    """
    console = log_format == "console" or (log_format == "auto" and sys.stderr.isatty())
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        with_noted,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="ts"),
        structlog.stdlib.ExtraAdder(),
        without_messages,
        plain_values,
    ]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    readable = structlog.dev.ConsoleRenderer(colors=True, timestamp_key="ts")
    ending: list[structlog.typing.Processor] = [readable if console else structlog.processors.JSONRenderer()]
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *ending],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level)
    for name in QUIET:
        logging.getLogger(name).setLevel(max(logging.WARNING, root.level))
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        logger = logging.getLogger(name)
        logger.handlers = []
        logger.propagate = True


def log(name: str) -> structlog.stdlib.BoundLogger:
    """The logger called ``name``: ``log("api").info("request.done", status=200)``."""
    logger: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger(name)
    return logger


@contextmanager
def bound(**facts: object) -> Iterator[None]:
    """Within the block every log line of this task carries ``facts`` (``request_id``, ``job_id``, ...)."""
    tokens = structlog.contextvars.bind_contextvars(**{name: _plain(value) for name, value in facts.items()})
    try:
        yield
    finally:
        structlog.contextvars.reset_contextvars(**tokens)


def without_messages(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """``exc_info`` as text in ``exception``: each error's kind and the code it passed through, not what it says.

    An error of our own taxonomy keeps its message, which is safe to show by its contract.
    """
    given = event.pop("exc_info", None)
    error = sys.exc_info()[1] if given is True else given[1] if isinstance(given, tuple) else given
    if isinstance(error, BaseException):
        event["exception"] = "\n".join(_told(error))
    return event


def _told(error: BaseException) -> Iterator[str]:
    """The chain of causes, the first one first, each with its frames."""
    seen: list[BaseException] = []
    while error not in seen and len(seen) < CAUSES_LIMIT:
        seen.append(error)
        cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        if cause is None:
            break
        error = cause
    for each in reversed(seen):
        for frame, line in list(traceback.walk_tb(each.__traceback__))[-FRAMES_LIMIT:]:
            yield f"  {frame.f_globals.get('__name__', '?')}:{line} in {frame.f_code.co_name}"
        kind = type(each)
        message = f": {each.message}" if isinstance(each, GuidesmithError) else ""
        yield f"{kind.__module__}.{kind.__qualname__}{message}"


def plain_values(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Cap long values and take control characters out, so that a header's value cannot forge a second line or
    steer a terminal."""
    event.pop("color_message", None)  # uvicorn's second copy of its message, for its own terminal format
    for name, value in event.items():
        if name in ("exception", "stack") and isinstance(value, str):
            event[name] = "\n".join(_line(each) for each in value.splitlines())
        elif isinstance(value, str) and not name.startswith("_"):
            event[name] = _plain(value)
    return event


def _plain(value: object) -> object:
    if not isinstance(value, str):
        return value
    return _line(value if len(value) <= VALUE_LIMIT else value[:VALUE_LIMIT] + "…")


def _line(text: str) -> str:
    return text if text.isprintable() else "".join(each if each.isprintable() else " " for each in text)
