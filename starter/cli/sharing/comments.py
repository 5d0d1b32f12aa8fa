"""``guidesmith comments``: what is said about the blocks of a guide."""

from functools import partial
from typing import Annotated

import typer

from starter.cli.options import AsJson, DataDir
from starter.cli.printing import print_json, print_said, print_table
from starter.cli.reaching import reached

comments_app = typer.Typer(help="What is said about a guide's blocks.", no_args_is_help=True, rich_markup_mode=None)

JobId = Annotated[str, typer.Argument(metavar="JOB", help="The job that the guide came of.", show_default=False)]
ThreadId = Annotated[str, typer.Argument(metavar="THREAD", help="The thread's id.", show_default=False)]
Words = Annotated[str, typer.Argument(metavar="TEXT", help="Plain text; @name calls somebody.", show_default=False)]

_client = partial(
    reached,
    absent="There is no such guide or thread, or it is not yours: `guidesmith comments list JOB` shows a guide's.",
)


@comments_app.command("list", epilog="Example: guidesmith comments list 0199f3c2-… --all")
def list_comments(
    job_id: JobId,
    all_threads: Annotated[bool, typer.Option("--all", help="Also those that are resolved.")] = False,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """What is said about a guide, by threads, the newest first; a line for each comment."""
    with _client(data_dir) as client:
        instruction = client.get(f"jobs/{job_id}")["instruction_id"]
        wanted = {} if all_threads else {"resolved": "false"}
        threads = list(client.listed(f"instructions/{instruction}/comments", limit=100, **wanted))
    if as_json:
        print_json({"items": threads})
        return
    print_table(
        ("THREAD", "ABOUT", "WHO", "SAID", "RESOLVED"),
        (
            (each["id"], each["quote"], said["author_name"], said["text"], each["resolved_at"])
            for each in threads
            for said in each["comments"]
        ),
    )


@comments_app.command(epilog='Example: guidesmith comments add 0199f3c2-… 0199f3d1-… "Which one, @ada?"')
def add(
    job_id: JobId,
    block_id: Annotated[str, typer.Argument(metavar="BLOCK", help="A block of its text, by its id.")],
    text: Words,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Say something about a block of a guide, in a thread of its own."""
    with _client(data_dir) as client:
        instruction = client.get(f"jobs/{job_id}")["instruction_id"]
        thread = client.post(f"instructions/{instruction}/comments", {"block_id": block_id, "text": text})
    print_said(thread, f"Said, in thread {thread['id']}.", as_json=as_json)


@comments_app.command(epilog='Example: guidesmith comments reply 0199f3d7-… "The blue one."')
def reply(thread_id: ThreadId, text: Words, as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """Say something in a thread. One that was resolved is open again."""
    with _client(data_dir) as client:
        thread = client.post(f"comment-threads/{thread_id}/comments", {"text": text})
    print_said(thread, f"Said, in thread {thread_id}.", as_json=as_json)


@comments_app.command(epilog="Example: guidesmith comments resolve 0199f3d7-…")
def resolve(
    thread_id: ThreadId,
    reopen: Annotated[bool, typer.Option("--reopen", help="Open it again instead.")] = False,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Settle a thread."""
    with _client(data_dir) as client:
        thread = client.replace(f"comment-threads/{thread_id}", {"resolved": not reopen})
    print_said(thread, f"Thread {thread_id} is {'open again' if reopen else 'resolved'}.", as_json=as_json)
