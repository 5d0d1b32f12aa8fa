"""A user who is erased, as far as they were in projects of others: they leave them all. What they wrote there stays, as
a former member's; what they said about it goes."""

from sqlalchemy import Connection, Text, cast, delete, or_, select, update

from activities.store.documents.comments import remove_empty_threads
from activities.store.records import EventType
from activities.store.tables import (
    comment_threads,
    comments,
    instruction_versions,
    instructions,
    job_events,
    jobs,
    presences,
    project_brands,
    project_invitations,
    project_logos,
    project_members,
    projects,
    regenerate_tasks,
    transcript_corrections,
    translation_tasks,
)


def leave_projects(connection: Connection, user: str, nobody: str) -> None:
    """Take ``user`` out of every project, and everybody out of theirs, in the caller's transaction. Texts that they
    wrote for others belong to these, and ``nobody`` stands as who wrote them; what they said about them goes."""
    theirs = select(projects.c.id).where(projects.c.owner == user)
    invited = project_invitations.c
    connection.execute(delete(project_invitations).where(or_(invited.project_id.in_(theirs), invited.used_by == user)))
    connection.execute(
        delete(project_members).where(or_(project_members.c.project_id.in_(theirs), project_members.c.subject == user))
    )
    connection.execute(delete(presences).where(presences.c.subject == user))
    for table in (project_brands, project_logos):
        connection.execute(delete(table).where(table.c.project_id.in_(theirs)))
    for column in (
        project_brands.c.saved_by,
        project_invitations.c.invited_by,
        project_members.c.added_by,
        jobs.c.created_by,
        job_events.c.actor,
        regenerate_tasks.c.requested_by,
        translation_tasks.c.requested_by,
        transcript_corrections.c.author,
        comment_threads.c.resolved_by,
    ):
        connection.execute(update(column.table).where(column == user).values({column.name: nobody}))
    said = comments.c.author == user
    spoken_in = list(connection.scalars(select(comments.c.thread_id).where(said).distinct()))
    connection.execute(delete(comments).where(said))
    remove_empty_threads(connection, spoken_in)
    _forget_calls(connection, user)
    others = select(instructions.c.id).where(instructions.c.owner != user)
    written = instruction_versions.c.author == user, instruction_versions.c.instruction_id.in_(others)
    connection.execute(update(instruction_versions).where(*written).values(author=nobody))


def _forget_calls(connection: Connection, user: str) -> None:
    """Take a name out of what logs say was called."""
    key = job_events.c.job_id, job_events.c.seq
    called = select(*key, job_events.c.data).where(
        job_events.c.event_type == str(EventType.COMMENT_MENTIONED),
        cast(job_events.c.data, Text).contains(user, autoescape=True),
    )
    for row in connection.execute(called).all():
        left = [each for each in row.data.get("mentioned", ()) if each != user]
        which = update(job_events).where(key[0] == row.job_id, key[1] == row.seq)
        connection.execute(which.values(data={**row.data, "mentioned": left}))
