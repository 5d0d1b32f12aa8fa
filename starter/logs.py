"""Structured logs: one JSON object a line on stderr, readable lines on a terminal.

What belongs to a request or a job (its id, the correlation id) is bound once with :func:`bound` and appears on every
line that is written inside, also on those of libraries: the standard library's logging runs through the same chain.
"""

import logging
import sys
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any

import structlog

VALUE_LIMIT = 2000
"""Characters of one value that are kept."""

QUIET = ("httpx", "httpx2", "httpcore", "urllib3", "sse_starlette", "faster_whisper", "alembic")
"""Libraries whose INFO is noise: they speak from WARNING on."""


def configure_logs(level: str = "INFO", log_format: str = "auto") -> None:
    """Route all logging of this process to stderr. Call it once, first thing in a process; again is harmless.

    Args:
        level: ``DEBUG`` to ``CRITICAL``.
        log_format: ``json``, ``console``, or ``auto``: console when stderr is a terminal.
    """
    console = log_format == "console" or (log_format == "auto" and sys.stderr.isatty())
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.stdlib.ExtraAdder(),
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
    ending: list[structlog.typing.Processor] = (
        # plain tracebacks: the fancy ones print local variables, and secrets with them
        [structlog.dev.ConsoleRenderer(colors=True, exception_formatter=structlog.dev.plain_traceback)]
        if console
        else [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
    )
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


def plain_values(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Cap long values and take control characters out, so that a header's value cannot forge a second line or
    steer a terminal."""
    event.pop("color_message", None)  # uvicorn's second copy of its message, for its own terminal format
    for name, value in event.items():
        if isinstance(value, str) and not name.startswith("_") and name not in ("exception", "stack"):
            event[name] = _plain(value)
    return event


def _plain(value: object) -> object:
    if not isinstance(value, str):
        return value
    kept = value if len(value) <= VALUE_LIMIT else value[:VALUE_LIMIT] + "…"
    return kept if kept.isprintable() else "".join(each if each.isprintable() else " " for each in kept)
