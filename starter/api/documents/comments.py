"""Comments on the blocks of a guide: beside its versions, for who is in its project."""

from collections.abc import Collection
from typing import Annotated

from fastapi import APIRouter, Query, Response
from pydantic import Field

from domain.documents.comments import LONGEST_COMMENT, Thread, mentioned_in
from starter.api.context import Api, ApiParts, Owner, Subject, identifier
from starter.api.idempotency import OnceOnly
from starter.api.paging import Cursor, Limit
from starter.api.responses import errors
from starter.api.shapes import Listed, Moment, Sent, Shape, Text

router = APIRouter(tags=["comments"])

Said = Annotated[
    Text,
    Field(
        min_length=1,
        max_length=LONGEST_COMMENT,
        description="Plain text. `@` and the id of somebody in the project calls them.",
    ),
]


class NewThread(Sent):
    block_id: Annotated[str, Field(max_length=100, description="A block of the newest version.")]
    text: Said


class NewComment(Sent):
    text: Said


class ResolveThread(Sent):
    resolved: bool = Field(strict=True)


class CommentAnswer(Shape):
    id: str
    author: str
    author_name: str
    text: str
    mentions: tuple[str, ...] = Field(description="Who in the project is called in it.")
    created_at: Moment
    edited_at: Moment | None


class ThreadAnswer(Shape):
    id: str
    instruction_id: str
    job_id: str
    block_id: str
    quote: str = Field(description="How the block began to read when the thread was begun.")
    is_there: bool = Field(description="Whether the newest version has the block.")
    created_at: Moment
    resolved_at: Moment | None
    resolved_by: str | None
    comments: tuple[CommentAnswer, ...]

    @classmethod
    def of(cls, api: Api, thread: Thread) -> "ThreadAnswer":
        """Reads the database."""
        return cls.of_all(api, thread.instruction_id, (thread,))[0]

    @classmethod
    def of_all(cls, api: Api, instruction_id: str, threads: Collection[Thread]) -> "tuple[ThreadAnswer, ...]":
        """As :meth:`of`, of threads of one instruction."""
        if not threads:
            return ()
        markdown = api.store.current_instruction(instruction_id).markdown
        people = api.store.people_of_instruction(instruction_id)
        names = api.store.people(said.author for each in threads for said in each.comments)
        return tuple(
            cls(
                **each.model_dump(exclude={"comments"}),
                is_there=f"block:{each.block_id}" in markdown,
                comments=tuple(
                    CommentAnswer(
                        **said.model_dump(exclude={"thread_id"}),
                        author_name=names[said.author],
                        mentions=mentioned_in(said.text, people),
                    )
                    for said in each.comments
                ),
            )
            for each in threads
        )


@router.get("/instructions/{instruction_id}/comments", responses=errors(400, 404))
def list_threads(
    instruction_id: str,
    api: ApiParts,
    owner: Owner,
    resolved: Annotated[bool | None, Query(description="Only those that are, or only those that are not.")] = None,
    limit: Limit = 20,
    cursor: Cursor = None,
) -> Listed[ThreadAnswer]:
    """What is said about the guide's blocks, by threads, newest first."""
    instruction = identifier(instruction_id)
    page = api.store.threads(owner, instruction, resolved=resolved, limit=limit, cursor=cursor)
    return Listed(items=ThreadAnswer.of_all(api, instruction, page.items), next_cursor=page.next_cursor)


@router.post("/instructions/{instruction_id}/comments", status_code=201, responses=errors(400, 404, 409, 413, 415))
def begin_thread(
    instruction_id: str, new: NewThread, api: ApiParts, owner: Owner, subject: Subject, once: OnceOnly
) -> ThreadAnswer:
    """Say something about a block. It makes no version."""
    instruction = identifier(instruction_id)
    api.store.get_instruction(owner, instruction)  # absent before conflicting: 404 comes before 409
    return once.answer(
        ThreadAnswer,
        lambda: ThreadAnswer.of(api, api.store.add_thread(owner, instruction, new.block_id, new.text, author=subject)),
    )


@router.post("/comment-threads/{thread_id}/comments", status_code=201, responses=errors(400, 404, 409, 413, 415))
def reply(
    thread_id: str, new: NewComment, api: ApiParts, owner: Owner, subject: Subject, once: OnceOnly
) -> ThreadAnswer:
    """Say something in a thread. One that was resolved is open again."""
    thread = identifier(thread_id)
    api.store.check_thread(owner, thread)  # absent before conflicting: 404 comes before 409
    return once.answer(
        ThreadAnswer, lambda: ThreadAnswer.of(api, api.store.reply(owner, thread, new.text, author=subject))
    )


@router.put("/comment-threads/{thread_id}", responses=errors(400, 404, 413, 415))
def resolve_thread(
    thread_id: str, wanted: ResolveThread, api: ApiParts, owner: Owner, subject: Subject
) -> ThreadAnswer:
    """Settle a thread, or open it again."""
    settled = api.store.resolve(owner, identifier(thread_id), resolved=wanted.resolved, author=subject)
    return ThreadAnswer.of(api, settled)


@router.put("/comments/{comment_id}", responses=errors(400, 404, 413, 415))
def change_comment(comment_id: str, changed: NewComment, api: ApiParts, owner: Owner, subject: Subject) -> ThreadAnswer:
    """Say otherwise what you said."""
    thread = api.store.change_comment(owner, identifier(comment_id), changed.text, author=subject)
    return ThreadAnswer.of(api, thread)


@router.delete("/comments/{comment_id}", status_code=204, response_class=Response, responses=errors(404, 413, 415))
def drop_comment(comment_id: str, api: ApiParts, owner: Owner, subject: Subject) -> Response:
    """Take away what you said; of your own project, what anybody said."""
    api.store.drop_comment(owner, identifier(comment_id), author=subject)
    return Response(status_code=204)
