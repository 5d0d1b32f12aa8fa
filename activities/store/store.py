"""The store: one object for all that is kept in the database, put together from its areas."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Self

from sqlalchemy import Engine, text

from activities.store import schema
from activities.store.credits import Credits
from activities.store.database import SCHEMA_OLD, Database, DatabaseOptions
from activities.store.documents.anchors import Anchors
from activities.store.documents.annotations import Annotations
from activities.store.documents.brands import Brands
from activities.store.documents.comments import Comments
from activities.store.documents.correction_sets import CorrectionSets
from activities.store.documents.corrections import Corrections
from activities.store.documents.exports import Exports
from activities.store.documents.glossary import Glossary
from activities.store.documents.guides import Guides
from activities.store.documents.picture_uploads import PictureUploads
from activities.store.documents.presences import Presences
from activities.store.documents.private_words import PrivateWords
from activities.store.documents.regenerations import Regenerations
from activities.store.documents.screenshot_tasks import ScreenshotTasks
from activities.store.documents.screenshots import Screenshots
from activities.store.documents.searching import Searching
from activities.store.documents.shares import Shares
from activities.store.documents.sittings import Sittings
from activities.store.documents.translations import Translations
from activities.store.ended_sessions import EndedSessions
from activities.store.hooks.provider_webhooks import ProviderWebhooks
from activities.store.hooks.webhooks import Webhooks
from activities.store.idempotency import Idempotency
from activities.store.jobs.administering import Administering
from activities.store.jobs.artifacts import Artifacts
from activities.store.jobs.dispatches import Dispatches
from activities.store.jobs.events import Events
from activities.store.jobs.inputs import Inputs
from activities.store.jobs.jobs import Jobs
from activities.store.jobs.library import Library
from activities.store.jobs.listing import Listing
from activities.store.jobs.manifests import Manifests
from activities.store.jobs.memberships import Memberships
from activities.store.jobs.projects import Projects
from activities.store.kinds.analyses import Analyses
from activities.store.kinds.batches import Batches
from activities.store.kinds.generations import Generations
from activities.store.people import People
from activities.store.projects.invitations import Invitations
from activities.store.projects.members import Members
from activities.store.projects.transfers import Transfers
from activities.store.repository import new_uuid7
from activities.store.runs.callbacks import Callbacks
from activities.store.runs.external import External
from activities.store.runs.stages import Stages
from activities.store.sealing import Sealing
from activities.store.sign_ins import SignIns
from activities.store.upkeep.belongings import Belongings
from activities.store.upkeep.bin import Bin
from activities.store.upkeep.erasures import Erasures
from activities.store.upkeep.namespaces import Namespaces
from activities.store.upkeep.pending import Pending
from activities.store.upkeep.purges import Purges
from activities.store.upkeep.references import References
from activities.store.upkeep.retention import Retention
from activities.store.upkeep.rounds import Rounds
from activities.store.uploads.leases import Leases
from activities.store.uploads.uploads import Uploads
from domain.errors import SettingsInvalid
from domain.quotas import OwnerLimits


class Store(
    Projects,
    Brands,
    Members,
    Invitations,
    Memberships,
    Transfers,
    Jobs,
    Uploads,
    Leases,
    Dispatches,
    Stages,
    Artifacts,
    Comments,
    Corrections,
    CorrectionSets,
    Glossary,
    Manifests,
    Events,
    Sittings,
    Presences,
    Screenshots,
    Anchors,
    ScreenshotTasks,
    PictureUploads,
    PrivateWords,
    Annotations,
    Regenerations,
    Translations,
    Exports,
    Shares,
    Listing,
    Guides,
    Searching,
    Pending,
    Callbacks,
    Credits,
    Analyses,
    Inputs,
    Library,
    Batches,
    Generations,
    External,
    Webhooks,
    ProviderWebhooks,
    Retention,
    EndedSessions,
    People,
    SignIns,
    References,
    Namespaces,
    Rounds,
    Administering,
    Bin,
    Erasures,
    Purges,
    Belongings,
    Idempotency,
):
    """Synchronous and safe to share between threads; each call is one transaction.

    Any call may raise ``DatabaseUnavailable`` (retryable), or ``SettingsInvalid`` where the schema is missing or old.
    """

    _has_schema = False

    @classmethod
    def open(
        cls,
        url: str,
        *,
        clock: Callable[[], datetime] | None = None,
        secrets_keys: Sequence[str] = (),
        limits: OwnerLimits | None = None,
        **options: Any,
    ) -> Self:
        """A store on ``url``. Nothing is connected yet.

        Args:
            url: ``sqlite:///file.db`` or ``postgresql://user:password@host/name``.
            clock: Gives the moment that rows are stamped with; the database's own time where none is given.
            secrets_keys: What secrets of users are sealed with: see :class:`activities.store.sealing.Sealing`.
            limits: How much each user may have at once.
            options: Fields of :class:`DatabaseOptions`.

        Raises:
            SettingsInvalid: The URL cannot be read or names another database.
        """
        database = Database(url, DatabaseOptions(**options))
        return cls(database, clock or database.now, new_uuid7, Sealing(secrets_keys), limits)

    def dispose(self) -> None:
        """Close the connections."""
        self._database.dispose()

    @property
    def engine(self) -> Engine:
        """For those who watch its statements."""
        return self._database.engine

    def ping(self) -> None:
        """Ask the database for a sign of life. Raises: DatabaseUnavailable."""
        with self._database.read() as connection:
            connection.execute(text("SELECT 1"))

    def now(self) -> datetime:
        """The time that rows are stamped with, and that what expires is measured by."""
        return self._clock()

    def check_writing(self) -> None:
        """Return when the database takes writes, without one that others would wait for.

        Raises:
            DatabaseUnavailable: It does not answer, reads only, or has no room.
        """
        self.ping()
        self._database.check_writable()

    def check_schema(self) -> None:
        """Return when the schema has what this code expects; once it has, it is not looked at again.

        Raises:
            SettingsInvalid: It is missing or old.
        """
        self._has_schema = self._has_schema or self.is_current()
        if not self._has_schema:
            raise SettingsInvalid(SCHEMA_OLD)

    def try_writing(self) -> None:
        """Write a row as it is, for somebody who waits: what a probe cannot do. A schema that is not there takes none.

        Raises:
            DatabaseUnavailable: As for :meth:`check_writing`, or other writers hold it.
        """
        self.check_writing()
        if self.revision() is not None:
            with self._database.write() as connection:
                connection.execute(text("UPDATE alembic_version SET version_num = version_num"))

    def upgrade(self) -> None:
        """Bring the schema to what this code expects, and seal what lies in clear, where there is a key. Safe to call
        from several processes at once."""
        schema.upgrade(self._database)
        self.seal_endpoints()

    def revision(self) -> str | None:
        """The schema's revision, ``None`` before the first upgrade."""
        return schema.current(self._database)

    def is_current(self) -> bool:
        """Whether the schema has what this code expects. One of a newer version has: it has only added to it."""
        return self.revision() == schema.head() or self.is_newer()

    def is_newer(self) -> bool:
        """Whether a newer version has upgraded the schema: this one was started again, or not replaced yet."""
        return schema.is_newer(self.revision())
