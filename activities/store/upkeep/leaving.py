"""Who leaves a project, or sees a guide no more: what they wrote and had not saved there goes.

A user who is erased leaves all projects of others. What they wrote there stays, as a former member's; what they said
about it goes.
"""

import json
from typing import Any

from sqlalchemy import Column, ColumnElement, Connection, Text, cast, delete, or_, select, update

from activities.store.documents.comments import remove_empty_threads
from activities.store.records import EventType
from activities.store.tables import (
    comment_threads,
    comments,
    idempotency_keys,
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
    shares,
    sittings,
    transcript_corrections,
    translation_tasks,
    webhook_deliveries,
)
from domain.erasure import names_of_owner, without_person
from domain.webhooks import WebhookEvent

_AT_DESKS = ((sittings, sittings.c.owner), (presences, presences.c.subject))
"""What is somebody's own in a guide of others: what they have not saved, and that they have it open."""


def leave_desks(connection: Connection, subject: str, project_id: str) -> None:
    """``subject`` has no guide of the project open any more, and nothing of theirs is kept there beside the versions,
    also where it lies in the bin."""
    guides = select(instructions.c.id).join(jobs, jobs.c.id == instructions.c.job_id)
    inside = guides.where(jobs.c.project_id == project_id)
    for table, whose in _AT_DESKS:
        theirs = whose.in_(names_of_owner(subject)), table.c.instruction_id.in_(inside)
        connection.execute(delete(table).where(*theirs))


def forget_strangers(connection: Connection, job_id: str, project_id: str, owner: str) -> None:
    """As :meth:`leave_desks`, for all who do not see a job of ``owner``'s in this project."""
    members = select(project_members.c.subject).where(project_members.c.project_id == project_id)
    guides = select(instructions.c.id).where(instructions.c.job_id == job_id)
    for table, whose in _AT_DESKS:
        strange = whose != owner, whose.not_in(members)
        connection.execute(delete(table).where(table.c.instruction_id.in_(guides), *strange))


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
        shares.c.created_by,
        shares.c.updated_by,
        shares.c.revoked_by,
    ):
        connection.execute(update(column.table).where(column == user).values({column.name: nobody}))
    said = comments.c.author == user
    spoken_in = list(connection.scalars(select(comments.c.thread_id).where(said).distinct()))
    connection.execute(delete(comments).where(said))
    remove_empty_threads(connection, spoken_in)
    _forget_names(connection, user, nobody)
    others = select(instructions.c.id).where(instructions.c.owner != user)
    written = instruction_versions.c.author == user, instruction_versions.c.instruction_id.in_(others)
    connection.execute(update(instruction_versions).where(*written).values(author=nobody))


def _forget_names(connection: Connection, user: str, nobody: str) -> None:
    """Take a name out of what logs say of others' jobs, of what endpoints are sent, and out of what requests were
    answered: a repeat of such a request is answered anew."""
    told = webhook_deliveries.c.event.in_([str(each) for each in WebhookEvent if each.startswith("comment.")])
    for column, naming in (
        (job_events.c.data, job_events.c.event_type.in_((EventType.COMMENT_MENTIONED, EventType.RETRY_DISPATCHED))),
        (webhook_deliveries.c.payload, told),
    ):
        key = list(column.table.primary_key)
        query = select(*key, column).where(naming, _names(column, user))
        for *which, facts in connection.execute(query).all():
            one = update(column.table).where(*(part == value for part, value in zip(key, which, strict=True)))
            connection.execute(one.values({column.name: without_person(facts, user, nobody)}))
    connection.execute(delete(idempotency_keys).where(_names(idempotency_keys.c.response, user)))


def _names(column: Column[Any], user: str) -> ColumnElement[bool]:
    """Whether JSON has the name as a string of its own, as both databases write one."""
    return cast(column, Text).contains(json.dumps(user, ensure_ascii=False), autoescape=True)
