"""Comments on the blocks of a guide. Who says what is in the rows; the job's log says that it was said, and where."""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, delete, func, insert, select, update

from activities.store.cursors import newest_first
from activities.store.documents.documents import current_version, lock_instruction
from activities.store.jobs.locking import LockedJob, not_found
from activities.store.people import names_of
from activities.store.records import EventType
from activities.store.repository import Repository
from activities.store.rows import Columns
from activities.store.tables import comment_threads, comments, instructions, jobs, project_members
from domain.documents.comments import (
    COMMENTS_LIMIT,
    THREADS_LIMIT,
    Comment,
    Thread,
    checked_comment,
    mentioned_in,
    quote_of,
)
from domain.documents.document import parse
from domain.errors import RequestInvalid
from domain.jobs import Actor, Page

STREAM = "comment"


class Comments(Repository):
    def add_thread(self, owner: str, instruction_id: str, block_id: str, text: str, *, author: str) -> Thread:
        """Say something about a block of the newest version.

        Raises:
            NotFound: The instruction is absent, or not ``owner``'s.
            RequestInvalid: There is no such block, no comment is like that, or there are too many.
        """
        said = checked_comment(text)
        with self._database.write() as connection:
            job = _locked(connection, instruction_id, owner, self._clock())
            blocks = {block.id: block for block in parse(current_version(connection, instruction_id).markdown).blocks}
            if block_id not in blocks:
                raise RequestInvalid("The newest version has no such block. Load it again.", field="block_id")
            of = comment_threads.c.instruction_id == instruction_id, comment_threads.c.resolved_at.is_(None)
            open_ones = select(func.count()).select_from(comment_threads).where(*of)
            if connection.execute(open_ones).scalar_one() >= THREADS_LIMIT:
                raise RequestInvalid(f"{THREADS_LIMIT} threads of this guide are open. Resolve one first.")
            columns = {
                "id": self._new_id(),
                "instruction_id": instruction_id,
                "job_id": job.id,
                "block_id": block_id,
                "quote": quote_of(blocks[block_id].markdown),
                "created_at": job.now,
            }
            connection.execute(insert(comment_threads), columns)
            self._say(connection, job, columns, said, author)
            return _read(connection, str(columns["id"]))

    def reply(self, owner: str, thread_id: str, text: str, *, author: str) -> Thread:
        """Say something in a thread; one that was resolved is open again.

        Raises:
            NotFound: The thread is absent, or not in a project of ``owner``'s.
            RequestInvalid: No comment is like that, or there are too many.
        """
        said = checked_comment(text)
        with self._database.write() as connection:
            job, thread = _locked_thread(connection, thread_id, owner, self._clock())
            count = select(func.count()).select_from(comments).where(comments.c.thread_id == thread_id)
            if connection.execute(count).scalar_one() >= COMMENTS_LIMIT:
                raise RequestInvalid(f"A thread has at most {COMMENTS_LIMIT} comments. Begin another one.")
            if thread["resolved_at"] is not None:
                _resolve(connection, thread_id, None, None)
            self._say(connection, job, thread, said, author)
            return _read(connection, thread_id)

    def resolve(self, owner: str, thread_id: str, *, resolved: bool, author: str) -> Thread:
        """Settle a thread, or open it again; to say so twice changes nothing. Raises: NotFound: absent, or not in a
        project of ``owner``'s."""
        with self._database.write() as connection:
            job, thread = _locked_thread(connection, thread_id, owner, self._clock())
            if resolved != (thread["resolved_at"] is not None):
                _resolve(connection, thread_id, job.now if resolved else None, author if resolved else None)
                _log(job, EventType.COMMENT_RESOLVED if resolved else EventType.COMMENT_REOPENED, thread)
            return _read(connection, thread_id)

    def change_comment(self, owner: str, comment_id: str, text: str, *, author: str) -> Thread:
        """Say it otherwise.

        Raises:
            NotFound: The comment is absent, or somebody else's. RequestInvalid: No comment is like that.
        """
        said = checked_comment(text)
        with self._database.write() as connection:
            job, thread, comment = _locked_comment(connection, comment_id, owner, self._clock())
            if comment["author"] != author:
                raise not_found()
            if comment["text"] != said:
                changed = update(comments).where(comments.c.id == comment_id)
                connection.execute(changed.values(text=said, edited_at=job.now))
                _log(job, EventType.COMMENT_CHANGED, thread, comment_id)
            return _read(connection, str(thread["id"]))

    def drop_comment(self, owner: str, comment_id: str, *, author: str) -> None:
        """Take a comment away; the last one takes its thread along. The owner may take everybody's.

        Raises:
            NotFound: The comment is absent, or somebody else's.
        """
        with self._database.write() as connection:
            job, thread, comment = _locked_comment(connection, comment_id, owner, self._clock())
            if author not in (comment["author"], owner):
                raise not_found()
            connection.execute(delete(comments).where(comments.c.id == comment_id))
            remove_empty_threads(connection, [str(thread["id"])])
            _log(job, EventType.COMMENT_DELETED, thread, comment_id)

    def threads(
        self,
        owner: str,
        instruction_id: str,
        *,
        resolved: bool | None = None,
        limit: int = 20,
        cursor: str | None = None,
    ) -> Page[Thread]:
        """The threads of an instruction, newest first. ``resolved``: only those, or only the others.

        Raises:
            NotFound: The instruction is absent, or not ``owner``'s. RequestInvalid: bad limit or cursor.
        """
        owned = select(instructions.c.id).where(instructions.c.id == instruction_id, instructions.c.owner == owner)
        query = select(comment_threads).where(comment_threads.c.instruction_id == instruction_id)
        if resolved is not None:
            settled = comment_threads.c.resolved_at
            query = query.where(settled.is_not(None) if resolved else settled.is_(None))
        moment, unique = comment_threads.c.created_at, comment_threads.c.id
        with self._database.read() as connection:
            if connection.execute(owned).one_or_none() is None:
                raise not_found()
            page = newest_first(connection, query, moment, unique, limit=limit, cursor=cursor, read=_thread)
            said = _said(connection, [each.id for each in page.items])
        items = tuple(each.model_copy(update={"comments": said.get(each.id, ())}) for each in page.items)
        return Page(items=items, next_cursor=page.next_cursor)

    def check_thread(self, owner: str, thread_id: str) -> None:
        """Raises: NotFound: absent, or not in a project of ``owner``'s."""
        with self._database.read() as connection:
            _one(connection, _of(comment_threads, thread_id, owner))

    def people_of_instruction(self, instruction_id: str) -> dict[str, str]:
        """Who can be called in a comment: the project's owner, then its members, and what to show for each."""
        with self._database.read() as connection:
            job = select(jobs.c.project_id, jobs.c.owner).join(instructions, instructions.c.job_id == jobs.c.id)
            row = connection.execute(job.where(instructions.c.id == instruction_id)).one_or_none()
            return {} if row is None else _people(connection, row.project_id, row.owner)

    def _say(self, connection: Connection, job: LockedJob, thread: Mapping[str, Any], text: str, author: str) -> None:
        columns = {
            "id": self._new_id(),
            "thread_id": thread["id"],
            "job_id": job.id,
            "author": author,
            "text": text,
            "created_at": job.now,
        }
        connection.execute(insert(comments), columns)
        people = _people(connection, job["project_id"], job["owner"])
        called = mentioned_in(text, {each: name for each, name in people.items() if each != author})
        job.log(EventType.COMMENT_CREATED, stream=STREAM, actor=Actor.EDITOR, data=_facts(thread, columns["id"]))
        if called:
            facts = {**_facts(thread, columns["id"]), "mentioned": list(called)}
            job.log(EventType.COMMENT_MENTIONED, stream=STREAM, actor=Actor.EDITOR, data=facts)
        job.save()


def remove_empty_threads(connection: Connection, thread_ids: Collection[str]) -> None:
    """Remove those of the threads in which nobody says anything any more."""
    spoken = select(comments.c.thread_id).where(comments.c.thread_id == comment_threads.c.id).exists()
    connection.execute(delete(comment_threads).where(comment_threads.c.id.in_(thread_ids), ~spoken))


def _log(job: LockedJob, event_type: EventType, thread: Mapping[str, Any], comment_id: str | None = None) -> None:
    job.log(event_type, stream=STREAM, actor=Actor.EDITOR, data=_facts(thread, comment_id))
    job.save()


def _facts(thread: Mapping[str, Any], comment_id: str | None) -> dict[str, object]:
    facts = {name: thread[name] for name in ("instruction_id", "block_id")}
    return {**facts, "thread_id": thread["id"], **({"comment_id": comment_id} if comment_id else {})}


def _people(connection: Connection, project_id: str, owner: str) -> dict[str, str]:
    query = select(project_members.c.subject).where(project_members.c.project_id == project_id)
    others = connection.scalars(query.order_by(project_members.c.added_at, project_members.c.subject))
    return names_of(connection, [owner, *others])


def _locked(connection: Connection, instruction_id: str, owner: str, now: datetime) -> LockedJob:
    of = select(instructions.c.job_id).where(instructions.c.id == instruction_id, instructions.c.owner == owner)
    job_id = connection.scalar(of)
    if job_id is None:
        raise not_found()
    job = LockedJob(connection, job_id, now, owner=owner)
    lock_instruction(connection, instruction_id)  # so that no save takes the block away meanwhile
    return job


def _of(table: Any, thing_id: str, owner: str) -> Select[Any]:
    """A row of ``table`` in a project of ``owner``'s: asked in one statement, whether there is none or another's."""
    return select(table).join(jobs, jobs.c.id == table.c.job_id).where(table.c.id == thing_id, jobs.c.owner == owner)


def _one(connection: Connection, query: Select[Any]) -> Mapping[str, Any]:
    row = connection.execute(query).mappings().one_or_none()
    if row is None:
        raise not_found()
    return dict(row)


def _locked_thread(
    connection: Connection, thread_id: str, owner: str, now: datetime
) -> tuple[LockedJob, Mapping[str, Any]]:
    query = _of(comment_threads, thread_id, owner)
    job = LockedJob(connection, _one(connection, query)["job_id"], now, owner=owner)
    return job, _one(connection, query)  # as it is under the lock


def _locked_comment(
    connection: Connection, comment_id: str, owner: str, now: datetime
) -> tuple[LockedJob, Mapping[str, Any], Mapping[str, Any]]:
    query = _of(comments, comment_id, owner)
    job, thread = _locked_thread(connection, _one(connection, query)["thread_id"], owner, now)
    return job, thread, _one(connection, query)


def _resolve(connection: Connection, thread_id: str, at: datetime | None, by: str | None) -> None:
    which = update(comment_threads).where(comment_threads.c.id == thread_id)
    connection.execute(which.values(resolved_at=at, resolved_by=by))


def _read(connection: Connection, thread_id: str) -> Thread:
    row = connection.execute(select(comment_threads).where(comment_threads.c.id == thread_id)).mappings().one()
    return _thread(row).model_copy(update={"comments": _said(connection, [thread_id])[thread_id]})


def _said(connection: Connection, thread_ids: Collection[str]) -> dict[str, tuple[Comment, ...]]:
    query: Select[Any] = select(comments).where(comments.c.thread_id.in_(thread_ids))
    found = connection.execute(query.order_by(comments.c.created_at, comments.c.id)).mappings()
    by_thread: dict[str, tuple[Comment, ...]] = {}
    for each in _comments(found):
        by_thread[each.thread_id] = (*by_thread.get(each.thread_id, ()), each)
    return by_thread


def _comments(found: Iterable[Columns]) -> Iterable[Comment]:
    return (Comment.model_validate(dict(row)) for row in found)


def _thread(row: Columns) -> Thread:
    return Thread.model_validate(dict(row))
