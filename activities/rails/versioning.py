"""Which code a run goes on with once there is newer, where workers say their version
(``GUIDESMITH_DEPLOYMENT_NAME``).

What may go on for days or months (an instruction, a batch, a webhook, an erasure) is taken over by the newer code,
which replays what earlier versions recorded: the default of such a worker. What is over within minutes or hours ends
with the code that it began with; its workers stay until then.
"""

from temporalio.common import VersioningBehavior

LASTING = VersioningBehavior.AUTO_UPGRADE


class _Announced:
    """Of this process: whether its workers say their version. Of one that does not, the server takes no answer that
    says how a run behaves; and a workflow's class says it where it is defined, anew for every run."""

    version = False


def say_version(with_version: bool) -> None:
    """Settle it, before the first run."""
    _Announced.version = with_version


def soon_over() -> VersioningBehavior:
    """How a run behaves that ends with the code that it began with."""
    return VersioningBehavior.PINNED if _Announced.version else VersioningBehavior.UNSPECIFIED
