"""The work itself: stopped, handed on, or set up wrong."""

from domain.errors.base import GuidesmithError


class CheckpointLost(GuidesmithError):
    """A checkpoint's artifact no longer verifies, and the job has to fall back to an earlier one."""

    code = "CHECKPOINT_LOST"


class Cancelled(GuidesmithError):
    """The work was stopped on request. Not a failure: it has no message of its own to show."""

    code = "CANCELLED"


class WorkerShuttingDown(GuidesmithError):
    """The worker was asked to stop; the work goes on elsewhere."""

    code = "WORKER_SHUTDOWN"
    retryable = True


class SettingsInvalid(GuidesmithError):
    """The settings contradict themselves or name something that is not there."""

    code = "SETTINGS_INVALID"


class ExtraMissing(SettingsInvalid):
    """A process is asked for what needs an extra of the package that is not installed. ``details`` names the
    ``extras``."""

    code = "EXTRA_MISSING"
