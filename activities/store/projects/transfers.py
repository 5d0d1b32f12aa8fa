"""Projects that are handed over, and jobs that go from one project to another."""

from collections.abc import Mapping

from sqlalchemy import delete, insert, or_, select, update

from activities.store.documents.glossary import hand_terms_over
from activities.store.jobs.locking import LockedJob, next_event, not_found
from activities.store.jobs.projects import hold_owner, read_project
from activities.store.jobs.quotas import stored_bytes
from activities.store.projects.members import hold_project
from activities.store.records import EventType
from activities.store.repository import Repository
from activities.store.tables import (
    default_projects,
    job_events,
    job_inputs,
    jobs,
    metadata,
    project_members,
    projects,
    purges,
    sittings,
)
from activities.store.upkeep.erasures import own_rows
from activities.store.upkeep.leaving import forget_strangers
from domain.erasure import binned
from domain.errors import ProjectInUse, RequestInvalid
from domain.jobs import Actor, Job, Project
from domain.lifecycles.instruction import DRAFT_READY, EDITING, INSTRUCTION
from domain.projects import ProjectRole

_OTHERWISE = (jobs, sittings, purges)
"""Tables whose owner is changed otherwise, or is not the project's: who writes, and whose request it was."""


class Transfers(Repository):
    def transfer_project(self, owner: str, project_id: str, subject: str) -> Project:
        """Hand a project over to one of its members, with all that is in it and its own glossary; its owner until now
        is an editor then, and what they did is theirs by name.

        Raises:
            NotFound: The project is absent, or not ``owner``'s.
            RequestInvalid: They are no member.
            ProjectInUse: Work goes on in it, or guides of it lie in the bin.
            QuotaExceeded: They may not have so much, or so many entries of a glossary.
        """
        now = self._clock()
        inside = select(jobs.c.id).where(jobs.c.project_id == project_id, jobs.c.owner == owner)
        who = (project_members.c.project_id == project_id, project_members.c.subject == subject)
        with self._database.write() as connection:
            for each in sorted((owner, subject)):  # before the project, as whoever makes something in it does
                hold_owner(connection, each, now)
            hold_project(connection, project_id, owner)
            if connection.execute(delete(project_members).where(*who)).rowcount == 0:
                raise RequestInvalid("Only a member of the project can have it: invite them first.", field="user_id")
            # no stage may write, and no upload begin, between what is looked at and what is moved
            told = inside.add_columns(jobs.c.event_seq, jobs.c.correlation_id, jobs.c.attempt)
            held = connection.execute(told.order_by(jobs.c.id).with_for_update()).mappings().all()
            edited = (str(DRAFT_READY), str(EDITING))
            at_work = or_(jobs.c.kind != INSTRUCTION.kind, jobs.c.status.not_in(edited), jobs.c.cost > 0)
            busy = inside.where(jobs.c.completed_at.is_(None), at_work).limit(1)
            if connection.execute(busy).first() is not None:
                raise ProjectInUse("Work goes on in this project. Wait for its jobs to end, or cancel them.")
            binned_here = select(jobs.c.id).where(jobs.c.project_id == project_id, jobs.c.owner == binned(owner))
            if connection.execute(binned_here.limit(1)).first() is not None:
                raise ProjectInUse("Guides of this project lie in the bin. Bring them back, or delete them for good.")
            keys = update(job_inputs).where(job_inputs.c.job_id.in_(inside))
            connection.execute(keys.values(idempotency_key=None))  # the same request of theirs is another one
            if held:
                what = EventType.JOB_HANDED_OVER
                happened = [next_event(dict(job), now, what, stream="task", actor=Actor.EDITOR) for job in held]
                connection.execute(insert(job_events), happened)
            by_owner = job_events.c.actor.is_(None), job_events.c.actor_type == str(Actor.EDITOR)
            done = update(job_events).where(job_events.c.job_id.in_(inside), *by_owner)
            connection.execute(done.values(actor=owner))
            made = update(jobs).where(jobs.c.id.in_(inside), jobs.c.created_by.is_(None))
            connection.execute(made.values(created_by=owner))
            hand_terms_over(connection, project_id, owner, subject)
            for table in metadata.sorted_tables:
                if "owner" in table.c and table not in _OTHERWISE and own_rows(table, "") is not None:
                    connection.execute(update(table).where(table.c.job_id.in_(inside)).values(owner=subject))
            new = {"owner": subject, "event_seq": jobs.c.event_seq + 1}
            connection.execute(update(jobs).where(jobs.c.id.in_(inside)).values(new))  # last: found by its owner
            standard = update(default_projects).where(default_projects.c.project_id == project_id)
            connection.execute(standard.values(project_id=None))
            connection.execute(update(projects).where(projects.c.id == project_id).values(owner=subject))
            columns = {"role": str(ProjectRole.EDITOR), "added_by": subject, "added_at": now}
            connection.execute(insert(project_members), {"project_id": project_id, "subject": owner, **columns})
            if self._limits.stored_bytes:
                self._limits.check_stored(stored_bytes(connection, subject))
            return read_project(connection, subject, project_id)

    def move_job(self, owner: str, job_id: str, project_id: str) -> Job:
        """Put a job into another project of its owner's: from now on that one's members see it. What those who do not
        had not saved in its guide goes.

        Raises:
            NotFound: The job or the project is absent, or not ``owner``'s.
        """
        with self._database.write() as connection:
            job = LockedJob(connection, job_id, self._clock(), owner=owner)
            read_project(connection, owner, project_id)
            if job["project_id"] != project_id:
                connection.execute(update(jobs).where(jobs.c.id == job_id).values(project_id=project_id))
                forget_strangers(connection, job_id, project_id, owner)
                job.set(project_id=project_id)
                job.log(EventType.JOB_MOVED, stream="task", actor=Actor.EDITOR)
            return job.save()

    def change_project(self, owner: str, project_id: str, changes: Mapping[str, str | None]) -> Project:
        """Change ``name``, ``confluence_space`` or ``notion_parent``. Raises: NotFound: absent, or not ``owner``'s."""
        mine = update(projects).where(projects.c.id == project_id, projects.c.owner == owner)
        with self._database.write() as connection:
            if changes and connection.execute(mine.values(dict(changes))).rowcount == 0:
                raise not_found()
            return read_project(connection, owner, project_id)
