"""Erasing a job: its runs are ended, its rows, files and memos removed, its histories forgotten, in this order.

Each step may be repeated, and finds what the one before it left to do in the erasure's row. What another job of the
same owner names, too (a recording that was uploaded twice is cut once), stays until that job goes.
"""

import asyncio
from collections.abc import Sequence
from typing import Protocol

import structlog
from temporalio import activity
from temporalio.api.common.v1 import WorkflowExecution
from temporalio.api.workflowservice.v1 import DeleteWorkflowExecutionRequest
from temporalio.client import Client
from temporalio.service import RPCError, RPCStatusCode

from activities.artifacts import ArtifactStore, StageMemo
from activities.rails.heartbeat import Heartbeat
from domain.errors import ArtifactKeyInvalid

NAME = "erase"
"""Of the workflow, and the prefix of its ids."""

RECORDING, PROJECT, USER = "erase-recording", "erase-project", "erase-user"
"""The same of those that erase a recording alone, a project, and a user."""

JOBS_AT_ONCE = 50
"""Jobs of a user, or of a project, that are erased one after the other before the next are looked for: their ids are
one payload."""

HEARTBEAT_TIMEOUT_S = 60.0

AT_ONCE = 100
"""Keys that are looked up in one statement."""

log = structlog.get_logger("guidesmith.erasing")


def erase_workflow(job_id: str) -> str:
    """The id of the workflow that erases a job."""
    return f"{NAME}-{job_id}"


class ErasureStore(Protocol):
    """What erasing needs of the store."""

    def erasure_workflows(self, job_id: str) -> tuple[str, ...]: ...
    def erasure_owner(self, job_id: str) -> str: ...
    def erase_rows(self, job_id: str) -> tuple[str, ...]: ...
    def named_keys(self, keys: Sequence[str]) -> frozenset[str]: ...
    def finish_erasure(self, job_id: str) -> None: ...
    def purge_owner(self, purge_id: str) -> str | None: ...
    def purge_keys(self, purge_id: str) -> tuple[str, ...]: ...
    def erase_jobs_of_user(self, purge_id: str, limit: int) -> tuple[str, ...]: ...
    def erase_user_rows(self, purge_id: str) -> bool: ...
    def erase_jobs_of_project(self, purge_id: str, limit: int) -> tuple[str, ...]: ...
    def erase_project_rows(self, purge_id: str) -> bool: ...
    def finish_purge(self, purge_id: str) -> None: ...


class Eraser:
    """The steps of an erasure."""

    def __init__(self, store: ErasureStore, artifacts: ArtifactStore, client: Client) -> None:
        self._store = store
        self._artifacts = artifacts
        self._memo = StageMemo(artifacts)
        self._client = client

    @activity.defn(name="end-runs")
    async def end_runs(self, job_id: str) -> None:
        """End whatever still works for the job. What has ended, or never was, is left as it is."""
        for workflow_id in await asyncio.to_thread(self._store.erasure_workflows, job_id):
            try:
                await self._client.get_workflow_handle(workflow_id).terminate(reason="the job was deleted")
            except RPCError as fault:
                if fault.status is not RPCStatusCode.NOT_FOUND:
                    raise
            activity.heartbeat()

    @activity.defn(name="erase-rows")
    def erase_rows(self, job_id: str) -> None:
        """Remove the job from the database."""
        self._store.erase_rows(job_id)

    @activity.defn(name="erase-files")
    def erase_files(self, job_id: str) -> None:
        """Remove the job's objects, and what was remembered of them."""
        with Heartbeat(HEARTBEAT_TIMEOUT_S) as heartbeat:
            named = self._store.erase_rows(job_id)  # removed before: their keys are answered again
            own = [each.key for place in ("jobs", "exports") for each in self._artifacts.list(f"{place}/{job_id}/")]
            doomed = self._unnamed([*dict.fromkeys((*named, *own))])
            self._memo.forget_blobs(self._store.erasure_owner(job_id), frozenset(doomed))
            for key in doomed:
                heartbeat.check()
                self._artifacts.delete(key)
        log.info("job.files_erased", job_id=job_id, files=len(doomed))

    def _unnamed(self, keys: Sequence[str]) -> list[str]:
        """Those that are keys of objects, and that nothing else names."""
        found: list[str] = []
        for first in range(0, len(keys), AT_ONCE):
            some = [key for key in keys[first : first + AT_ONCE] if self._is_object(key)]
            found += sorted(set(some) - self._store.named_keys(some)) if some else []
        return found

    def _is_object(self, key: str) -> bool:
        """Other texts stand beside keys in the rows' JSON."""
        try:
            return "/" in key and self._artifacts.stat(key) is not None
        except ArtifactKeyInvalid:
            return False

    @activity.defn(name="forget-runs")
    async def forget_runs(self, job_id: str) -> None:
        """Have Temporal drop the histories of the job, and say that all is done."""
        for workflow_id in await asyncio.to_thread(self._store.erasure_workflows, job_id):
            named = WorkflowExecution(workflow_id=workflow_id)
            request = DeleteWorkflowExecutionRequest(namespace=self._client.namespace, workflow_execution=named)
            try:
                await self._client.workflow_service.delete_workflow_execution(request)
            except RPCError as fault:
                if fault.status is not RPCStatusCode.NOT_FOUND:
                    raise
            activity.heartbeat()
        await asyncio.to_thread(self._store.finish_erasure, job_id)
        log.info("job.erased", job_id=job_id)

    @activity.defn(name="erase-recording")
    def erase_recording(self, purge_id: str) -> None:
        """Remove a recording's objects and what was remembered of them, and say that it is done."""
        owner = self._store.purge_owner(purge_id)
        if owner is not None:
            with Heartbeat(HEARTBEAT_TIMEOUT_S) as heartbeat:
                doomed = self._unnamed(self._store.purge_keys(purge_id))
                self._memo.forget_blobs(owner, frozenset(doomed))
                for key in doomed:
                    heartbeat.check()
                    self._artifacts.delete(key)
            log.info("recording.erased", files=len(doomed))
        self._store.finish_purge(purge_id)

    @activity.defn(name="erase-jobs-of-user")
    def erase_jobs_of_user(self, purge_id: str) -> list[str]:
        """Take the next jobs from the user; which ones. None: there are no more."""
        return list(self._store.erase_jobs_of_user(purge_id, JOBS_AT_ONCE))

    @activity.defn(name="erase-rest-of-user")
    def erase_rest_of_user(self, purge_id: str) -> bool:
        """Remove what is the user's beside their jobs, and say that all is done; answers whether it is: not where they
        have made another job meanwhile."""
        owner = self._store.purge_owner(purge_id)
        if owner is not None:
            with Heartbeat(HEARTBEAT_TIMEOUT_S) as heartbeat:
                self._memo.forget_all(owner, heartbeat.check)
            if not self._store.erase_user_rows(purge_id):
                return False
        self._store.finish_purge(purge_id)
        log.info("user.erased", purge_id=purge_id)
        return True

    @activity.defn(name="erase-jobs-of-project")
    def erase_jobs_of_project(self, purge_id: str) -> list[str]:
        """As :meth:`erase_jobs_of_user`."""
        return list(self._store.erase_jobs_of_project(purge_id, JOBS_AT_ONCE))

    @activity.defn(name="erase-rest-of-project")
    def erase_rest_of_project(self, purge_id: str) -> bool:
        """Remove the project, and say that all is done; answers whether it is."""
        if not self._store.erase_project_rows(purge_id):
            return False
        self._store.finish_purge(purge_id)
        log.info("project.erased", purge_id=purge_id)
        return True
