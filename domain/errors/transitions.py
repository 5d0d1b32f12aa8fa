"""A status that may not follow another, and writes that came too late."""

from domain.errors.base import GuidesmithError


class TransitionRefused(GuidesmithError):
    """A move that the job's table does not have.

    ``details`` holds ``current_status``, ``attempted_status`` and ``allowed_next_statuses``.
    """

    code = "FSM_TRANSITION_INVALID"


class TerminalImmutable(TransitionRefused):
    """A move out of a terminal status."""

    code = "FSM_TERMINAL_IMMUTABLE"


class Fenced(GuidesmithError):
    """A write by an attempt, a dispatch or a stage execution that a newer one has overtaken. It had no effect."""

    code = "FENCED"


class DispatchUnrecorded(GuidesmithError):
    """A run writes before the dispatch of its attempt is recorded: whoever started it is about to."""

    code = "DISPATCH_UNRECORDED"
    retryable = True


class VersionConflict(GuidesmithError):
    """An optimistic write against a version that is no longer current."""

    code = "VERSION_CONFLICT"


class JobVersionConflict(VersionConflict):
    """A decision about a job that has moved on since. ``details``: ``base_version``, ``current_version``."""

    code = "JOB_VERSION_CONFLICT"
