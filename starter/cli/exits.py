"""What the exit codes mean, and how an error is shown."""

import json
import sys
from enum import IntEnum

from domain.errors import GuidesmithError, SettingsInvalid
from starter.local.folder import StackFailed, StackRunning


class ExitCode(IntEnum):
    """Documented in ``guidesmith --help``; scripts rely on them."""

    OK = 0
    FAILED = 1
    """Something else went wrong: a refused request, a check of ``doctor``."""
    USAGE = 2
    JOB_FAILED = 3
    STACK_UNAVAILABLE = 4
    CANCELLED = 130
    """128 + SIGINT, as shells have it."""


MEANING = """\
Exit codes: 0 done · 1 refused or a check failed · 2 wrong usage or settings · 3 the job failed · \
4 no stack can be reached or started · 130 cancelled (Ctrl-C)."""


class Unreachable(GuidesmithError):
    """No API answers."""

    code = "STACK_UNAVAILABLE"


class UsageWrong(GuidesmithError):
    """The command was called in a way that cannot work."""

    code = "USAGE"


class JobFailed(GuidesmithError):
    """The job ended in FAILED. ``code_of_failure`` is the job's own code."""

    code = "JOB_FAILED"

    def __init__(self, failure_code: str, message: str, **details: object) -> None:
        super().__init__(message, details=details)
        self.failure_code = failure_code


def exit_code(error: GuidesmithError) -> ExitCode:
    """What the process ends with after ``error``."""
    match error:
        case JobFailed():
            return ExitCode.JOB_FAILED
        case Unreachable() | StackFailed() | StackRunning():
            return ExitCode.STACK_UNAVAILABLE
        case UsageWrong() | SettingsInvalid():
            return ExitCode.USAGE
        case _:
            return ExitCode.FAILED


def show(error: GuidesmithError, *, as_json: bool) -> None:
    """Say what went wrong: a line on stderr, with ``as_json`` also one object on stdout."""
    code = error.failure_code if isinstance(error, JobFailed) else error.code
    sys.stderr.write(f"guidesmith: {code}: {error.message}\n")
    if as_json:
        body = {
            "error": {"code": code, "message": error.message, **({"details": error.details} if error.details else {})}
        }
        sys.stdout.write(json.dumps(body) + "\n")
