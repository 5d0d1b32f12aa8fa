"""What the API answers, as far as programs need it by name; what a newer server adds is kept, too
(``model_extra``)."""

from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

WAIT_FOR_PEOPLE = frozenset({"DRAFT_READY", "EDITING", "draft_ready"})
"""Statuses out of which only somebody's decision leads, besides those in which a job has ended."""


class Answer(BaseModel):
    model_config = ConfigDict(frozen=True, extra="allow")


class Failure(Answer):
    """Why something ended badly. The code is stable."""

    failure_code: str
    failure_message: str
    failed_stage: str | None = None


class Project(Answer):
    """A project that the caller owns or is a member of. ``role``: owner, editor, commenter or viewer.
    ``confluence_space``, ``notion_parent``: where its guides are put there; ``None``: where the installation puts
    them."""

    id: str
    name: str
    created_at: datetime
    owner: str | None = None
    role: str = "owner"
    confluence_space: str | None = None
    notion_parent: str | None = None


class Member(Answer):
    user_id: str
    name: str = ""
    role: str


class Invitation(Answer):
    """A way into a project, for one person, once: whoever has its link, or who signs in with ``email``."""

    id: str
    project_id: str
    role: str
    email: str | None = None
    expires_at: datetime
    used_at: datetime | None = None
    used_by: str | None = None
    revoked_at: datetime | None = None


class MadeInvitation(Invitation):
    """An invitation as it is answered once, when it is made."""

    url: str


class Brand(Answer):
    """How the guides of a project look and are built. ``sections``: each with ``place`` (``before`` or ``after``),
    ``heading`` and ``text``. ``logo``: its facts, if there is one."""

    project_id: str
    id: str | None
    accent: str | None
    on_accent: str | None
    font: str | None
    header: str
    footer: str
    lead: str
    sections: list[dict[str, Any]]
    numbering: str
    logo: dict[str, Any] | None
    saved_at: datetime | None


class Comment(Answer):
    """What somebody said. ``mentions``: the ids of those whom it calls."""

    id: str
    author: str
    author_name: str
    text: str
    mentions: tuple[str, ...] = ()
    created_at: datetime


class Thread(Answer):
    """What is said about a block of a guide. ``quote``: how the block began to read when it began."""

    id: str
    instruction_id: str
    job_id: str
    block_id: str
    quote: str
    resolved_at: datetime | None = None
    comments: tuple[Comment, ...]


class Job(Answer):
    """A job. ``status`` is a name of its kind's own table; ``progress`` is 0 to 100."""

    id: str
    kind: str
    status: str
    progress: int
    attempt: int
    project_id: str
    role: str | None = None
    source_name: str | None = None
    language: str | None = None
    instruction_id: str | None = None
    failure: Failure | None = None
    created_at: datetime
    updated_at: datetime
    completed_at: datetime | None = None

    @property
    def is_settled(self) -> bool:
        """Whether nothing goes on by itself: it has ended, or waits for somebody."""
        return self.completed_at is not None or self.status in WAIT_FOR_PEOPLE


class Block(Answer):
    """What a block of a document is beside its text."""

    block_id: str
    role: str
    start_ms: int | None = None
    end_ms: int | None = None


class Notice(Answer):
    """What a reader of a draft should know."""

    code: str
    message: str


class Instruction(Answer):
    """One version of a document. Blocks of ``markdown`` stand below markers, ``<!-- block:ID -->``."""

    instruction_id: str
    instruction_version_id: str
    job_id: str
    version: int
    title: str
    language: str | None = None
    markdown: str
    blocks: tuple[Block, ...] = ()
    warnings: tuple[Notice, ...] = ()


class Version(Answer):
    """A version of a document, without its text. ``origin``: what made it (``draft``, ``save``, and so on); ``name``:
    what somebody called it."""

    instruction_version_id: str
    instruction_id: str
    version: int
    title: str
    origin: str
    author: str
    name: str | None = None
    created_at: datetime


class Guide(Answer):
    """A recording's job and the document that came of it, as its writer sees them. ``state``: ``making``, ``ready``,
    ``look`` (somebody should), ``failed``, ``stopped``."""

    job_id: str
    instruction_id: str | None = None
    title: str | None = None
    source_name: str | None = None
    state: str
    steps: int | None = None
    project_id: str
    project_name: str
    created_at: datetime
    changed_at: datetime


class Hit(Answer):
    """Where something was found: in the ``title``, a ``step``, the ``transcript``, or on the ``screen`` at a moment."""

    part: str
    text: str
    block_id: str | None = None
    step: int | None = None
    at_ms: int | None = None


class FoundGuide(Answer):
    guide: Guide
    hits: tuple[Hit, ...] = ()


class BinnedGuide(Answer):
    """A guide in the bin. From ``goes_at`` on it is erased."""

    job_id: str
    title: str | None = None
    source_name: str | None = None
    binned_at: datetime
    goes_at: datetime


class Task(Answer):
    """A regeneration. ``instruction_version`` is the version that it led to."""

    id: str
    instruction_id: str
    job_id: str
    status: str
    instruction_version: int | None = None
    failure: Failure | None = None


class TranslationTask(Answer):
    """A translation, or an update of one. ``instruction_id`` is the translation, once there is one; ``offered``: how
    many new texts wait, since somebody had edited theirs; ``untranslated``: ids of blocks that no answer could be used
    for."""

    id: str
    source_id: str
    job_id: str
    language: str
    status: str
    instruction_id: str | None = None
    instruction_version: int | None = None
    translated: int = 0
    offered: int = 0
    removed: int = 0
    untranslated: tuple[str, ...] = ()
    failure: Failure | None = None


class Translation(Answer):
    """A translation, and how many of its blocks stand how to the original."""

    instruction_id: str
    source_id: str
    job_id: str
    language: str
    title: str
    version: int
    instruction_version_id: str = ""
    """Of that version; empty from a server before 0.2.0."""
    source_version: int
    current: int
    behind: int
    missing: int
    left_out: int
    gone: int
    own: int
    offered: int
    untranslated: int


class TranslatedBlock(Answer):
    """A block of a translation. ``state``: how it stands to the original (``current``, ``behind``, ``missing``, and so
    on); ``offer``: a newer translation, which waits since somebody has edited this one."""

    block_id: str
    state: str
    role: str
    edited: bool = False
    untranslated: bool = False
    original: str | None = None
    markdown: str | None = None
    offer: str | None = None


class TranslationDetails(Translation):
    """A translation with each block's standing: in its order, then what it does not have."""

    blocks: tuple[TranslatedBlock, ...]


class Share(Answer):
    """A link that shows a guide to whoever has it. ``version``: the one that its readers see, once there is one;
    ``is_behind``: there is something newer, which :meth:`Client.update_share` lets them see; ``failed``: that could not
    be made ready; ``is_open``: whether the link opens anything; ``created_by``, ``updated_by``, ``revoked_by``: who did
    that, by their user id, where somebody did."""

    id: str
    instruction_id: str
    job_id: str
    name: str | None = None
    version: int | None = None
    next_version: int | None = None
    is_behind: bool
    failed: bool
    has_passphrase: bool
    recording: bool
    embed_origins: tuple[str, ...] = ()
    views: int = 0
    last_viewed_at: datetime | None = None
    is_open: bool
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    created_by: str | None = None
    updated_by: str | None = None
    revoked_by: str | None = None


class MadeShare(Share):
    """A link as it is answered once, when it is made: only then with its ``url``."""

    url: str


class Export(Answer):
    """An export of one version. ``download_url`` is there once it has succeeded, and expires."""

    id: str
    job_id: str
    instruction_id: str
    instruction_version_id: str
    format: str
    status: str
    filename: str | None = None
    size_bytes: int | None = None
    warnings: tuple[str, ...] = ()
    failure: Failure | None = None
    download_url: str | None = None


class Event(Answer):
    """One row of a job's log. ``stream``: ``status``, ``progress``, ``task`` or ``export``; ``id`` counts within the
    job, and is what a later ``follow`` goes on after."""

    id: str
    stream: str
    event_type: str = ""
    prev_status: str | None = None
    new_status: str | None = None
    data: dict[str, Any] = Field(default_factory=dict)


class WebhookMessage(Answer):
    """What a webhook tells. ``id`` is the same however often it is sent."""

    id: str
    type: str
    timestamp: datetime
    data: dict[str, Any]
