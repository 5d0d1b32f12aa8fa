"""What operators see of a run in the Temporal UI: its details, and the search attributes that it is found by."""

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from activities.rails.search_attributes import FAILURE_CODE, STATUS
    from domain.jobs import Failure


class Display:
    """What a run shows of its job.

    Args:
        status: What the run was started with.
        live: Whether a status that a stage brings is shown, too. That costs an action each.
    """

    def __init__(self, status: str, *, live: bool) -> None:
        self._shown = status
        self._live = live
        self._failed = False
        self.notice: str | None = None
        """What whoever looks at the run is expected besides where it is."""

    def tell(self, status: str, doing: str | None = None) -> None:
        """Say where the job is, and what it is doing."""
        said = f"**{status}**" + (f": {doing}" if doing else "")
        workflow.set_current_details(f"{said}\n\n{self.notice}" if self.notice else said)

    def follow(self, status: str) -> None:
        """The job has another status, which will pass."""
        if self._live and status != self._shown:
            self.show(status)

    def show(self, status: str, failure: Failure | None = None) -> None:
        """The job has a status, and a failure or none: one change of search attributes."""
        changes = [STATUS.value_set(status)]
        if failure is not None:
            changes.append(FAILURE_CODE.value_set(failure.failure_code))
        elif self._failed:
            changes.append(FAILURE_CODE.value_unset())
        self._shown, self._failed = status, failure is not None
        workflow.upsert_search_attributes(changes)
