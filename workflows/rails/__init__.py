"""The rails that every kind of job runs on: a run's own state of its job, how a stage is executed, how it ends.

The status belongs to the workflow: every move is checked against the kind's table here, before anything is
scheduled, and again by the store, inside its transaction, behind the run's fence.
"""

from workflows.rails.run import JobRun

__all__ = ["JobRun"]
