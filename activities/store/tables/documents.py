"""Tables of documents: versions, pictures and their places, tasks, exports, corrections."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from activities.store.checks import constraints
from activities.store.tables.columns import Json, Moment, Name, blob_columns, failure_columns, id_column, metadata
from domain.documents.tasks import ExportStatus

instructions = Table(
    "instructions",
    metadata,
    id_column(),
    Column("job_id", Name, ForeignKey("jobs.id"), nullable=False),
    Column("owner", Text, nullable=False),
    Column("current_version", Integer, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
    # of a translation: its original, which is the job's own, its language, and texts that wait to be taken
    Column("translation_of", Name, ForeignKey("instructions.id")),
    Column("language", Name),
    Column("offers", Json),
    CheckConstraint("current_version >= 1", name="counters"),
    Index(None, "job_id"),
    Index(
        "uq_instructions_translation",
        "translation_of",
        "language",
        unique=True,
        postgresql_where=text("translation_of IS NOT NULL"),
        sqlite_where=text("translation_of IS NOT NULL"),
    ),
    # a job has one document, and translations of it
    Index(
        "uq_instructions_original",
        "job_id",
        unique=True,
        postgresql_where=text("translation_of IS NULL"),
        sqlite_where=text("translation_of IS NULL"),
    ),
)


instruction_versions = Table(
    "instruction_versions",
    metadata,
    id_column(),
    Column("instruction_id", Name, ForeignKey("instructions.id"), nullable=False),
    Column("version", Integer, nullable=False),
    Column("title", Text, nullable=False),
    Column("markdown", Text, nullable=False),
    Column("evidence", Json, nullable=False),
    Column("language", Name),
    Column("warnings", Json, nullable=False),
    Column("origin", Name, nullable=False),
    Column("author", Text, nullable=False),
    Column("model_profile_id", Text),
    Column("prompt_template_id", Text),
    Column("prompt_params_ref", Text),
    Column("validation_status", Name, nullable=False),
    Column("validation_errors", Json, nullable=False),
    Column("validator_version", Name, nullable=False),
    Column("validated_at", Moment, nullable=False),
    Column("attempt", Integer),
    Column("step", Integer),
    Column("created_at", Moment, nullable=False),
    # by whoever wants to find it again
    Column("name", Text),
    # asset by anchor, as they showed when the next version was made
    Column("pictures", Json),
    UniqueConstraint("instruction_id", "version"),
    *constraints("instruction_versions"),
)


sittings = Table(
    "sittings",
    metadata,
    Column("instruction_id", Name, ForeignKey("instructions.id"), primary_key=True),
    # the client's: one a desk
    Column("sitting_id", Name, primary_key=True),
    Column("job_id", Name, ForeignKey("jobs.id"), nullable=False),
    Column("owner", Text, nullable=False),
    Column("base_version", Integer, nullable=False),
    Column("markdown", Text, nullable=False),
    Column("blocks", Json, nullable=False),
    Column("kept_at", Moment, nullable=False),
    CheckConstraint("base_version >= 1", name="counters"),
)


presences = Table(
    "presences",
    metadata,
    # goes with it; that a row comes waits for the instruction's lock, and holds none while it does
    Column("instruction_id", Name, ForeignKey("instructions.id", ondelete="CASCADE"), primary_key=True),
    # whose desk it is
    Column("subject", Text, primary_key=True),
    # the client's: one a page
    Column("desk_id", Name, primary_key=True),
    Column("job_id", Name, nullable=False),
    Column("block_id", Name),
    Column("writes", Boolean, nullable=False),
    Column("came_at", Moment, nullable=False),
    Column("seen_at", Moment, nullable=False),
)


regenerate_tasks = Table(
    "regenerate_tasks",
    metadata,
    id_column(),
    Column("instruction_id", Name, ForeignKey("instructions.id"), nullable=False),
    Column("job_id", Name, ForeignKey("jobs.id"), nullable=False),
    Column("owner", Text, nullable=False),
    Column("status", Name, nullable=False),
    Column("progress_pct", Integer, nullable=False),
    Column("base_version", Integer, nullable=False),
    Column("selection", Json, nullable=False),
    Column("client_request_id", Text, nullable=False),
    Column("request", Json, nullable=False),
    Column("requested_by", Text, nullable=False),
    Column("requested_at", Moment, nullable=False),
    Column("instruction_version", Integer),
    Column("proposal", Text),
    *failure_columns(),
    Column("completed_at", Moment),
    Column("kept", Json, nullable=False, server_default=text("'[]'")),
    Column("warnings", Json, nullable=False, server_default=text("'[]'")),
    Column("model_profile_id", Text),
    Column("prompt_template_id", Text),
    Column("prompt_params_ref", Text),
    Column("updated_at", Moment),
    UniqueConstraint("instruction_id", "client_request_id"),
    Index(None, "instruction_id", "id"),
    *constraints("regenerate_tasks"),
    Index(
        "uq_regenerate_tasks_active",
        "instruction_id",
        unique=True,
        postgresql_where=text("completed_at IS NULL"),
        sqlite_where=text("completed_at IS NULL"),
    ),
)


translation_tasks = Table(
    "translation_tasks",
    metadata,
    id_column(),
    # the original
    Column("source_id", Name, ForeignKey("instructions.id"), nullable=False),
    Column("job_id", Name, ForeignKey("jobs.id"), nullable=False),
    Column("owner", Text, nullable=False),
    Column("language", Name, nullable=False),
    Column("source_version", Integer, nullable=False),
    Column("blocks", Json),
    Column("reorder", Boolean, nullable=False),
    Column("status", Name, nullable=False),
    Column("progress_pct", Integer, nullable=False),
    Column("client_request_id", Text, nullable=False),
    Column("requested_by", Text, nullable=False),
    Column("requested_at", Moment, nullable=False),
    # what was translated so far, while it is going on: nothing that was answered is asked for again
    Column("made", Json),
    # the translation; not a foreign key: it may be deleted
    Column("instruction_id", Name),
    Column("instruction_version", Integer),
    Column("translated", Integer, nullable=False),
    Column("offered", Integer, nullable=False),
    Column("removed", Integer, nullable=False),
    Column("untranslated", Json, nullable=False),
    Column("model_profile_id", Text),
    Column("prompt_template_id", Text),
    Column("prompt_params_ref", Text),
    *failure_columns(),
    Column("completed_at", Moment),
    Column("updated_at", Moment),
    UniqueConstraint("source_id", "client_request_id"),
    Index(None, "source_id", "id"),
    Index(None, "job_id"),
    *constraints("translation_tasks"),
    Index(
        "uq_translation_tasks_active",
        "source_id",
        "language",
        unique=True,
        postgresql_where=text("completed_at IS NULL"),
        sqlite_where=text("completed_at IS NULL"),
    ),
)


_STANDING = text(f"status <> '{ExportStatus.FAILED}'")


exports = Table(
    "exports",
    metadata,
    id_column(),
    Column("job_id", Name, ForeignKey("jobs.id"), nullable=False),
    Column("instruction_id", Name, ForeignKey("instructions.id"), nullable=False),
    Column("instruction_version_id", Name, ForeignKey("instruction_versions.id"), nullable=False),
    Column("owner", Text, nullable=False),
    Column("format", Name, nullable=False),
    Column("identity_key", Name, nullable=False),
    Column("status", Name, nullable=False),
    *blob_columns(nullable=True),
    Column("filename", Text),
    Column("provenance", Json, nullable=False),
    Column("provenance_frozen_at", Moment),
    Column("warnings", Json, nullable=False),
    *failure_columns(),
    Column("requested_at", Moment, nullable=False),
    Column("completed_at", Moment),
    Column("updated_at", Moment),
    *constraints("exports"),
    # a failed export stays as it is; the same request again is a new row
    Index(
        "uq_exports_identity",
        "instruction_id",
        "identity_key",
        unique=True,
        postgresql_where=_STANDING,
        sqlite_where=_STANDING,
    ),
    Index(None, "job_id", "requested_at", "id"),
    Index(
        "ix_exports_open",
        "requested_at",
        postgresql_where=text("completed_at IS NULL"),
        sqlite_where=text("completed_at IS NULL"),
    ),
)


anchors = Table(
    "anchors",
    metadata,
    id_column(),
    Column("instruction_id", Name, ForeignKey("instructions.id"), nullable=False),
    Column("instruction_version_id", Name, ForeignKey("instruction_versions.id"), nullable=False),
    Column("address_type", Name, nullable=False),
    Column("block_id", Name),
    Column("char_range", Json),
    Column("strategy", Name),
    # screenshot_assets.anchor_id is the foreign key; this names the one that shows, or none
    Column("active_asset_id", Name),
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
    CheckConstraint(
        "(address_type = 'block_id' AND block_id IS NOT NULL)"
        " OR (address_type = 'char_range' AND char_range IS NOT NULL)",
        name="address",
    ),
    Index(None, "instruction_id", "block_id"),
    Index(None, "instruction_id", "created_at", "id"),
)


screenshot_assets = Table(
    "screenshot_assets",
    metadata,
    id_column(),
    Column("anchor_id", Name, ForeignKey("anchors.id"), nullable=False),
    Column("version", Integer, nullable=False),
    Column("kind", Name, nullable=False),
    Column("previous_asset_id", Name, ForeignKey("screenshot_assets.id")),
    *blob_columns(),
    Column("width", Integer, nullable=False),
    Column("height", Integer, nullable=False),
    Column("timestamp_ms", BigInteger),
    Column("extraction_key", Text),
    Column("upload_id", Name),
    Column("ops_hash", Name),
    Column("rendered_from_asset_id", Name, ForeignKey("screenshot_assets.id")),
    Column("is_deleted", Boolean, nullable=False),
    Column("created_at", Moment, nullable=False),
    # what was drawn, to be changed later; drawings of earlier versions have none
    Column("operations", Json),
    UniqueConstraint("anchor_id", "version"),
    CheckConstraint("kind IN ('EXTRACTED', 'UPLOADED', 'ANNOTATED')", name="kind"),
    CheckConstraint("version >= 1 AND width >= 1 AND height >= 1", name="counters"),
)


screenshot_tasks = Table(
    "screenshot_tasks",
    metadata,
    id_column(),
    Column("job_id", Name, ForeignKey("jobs.id"), nullable=False),
    Column("instruction_id", Name, ForeignKey("instructions.id"), nullable=False),
    Column("instruction_version_id", Name, ForeignKey("instruction_versions.id"), nullable=False),
    Column("anchor_id", Name, ForeignKey("anchors.id"), nullable=False),
    Column("owner", Text, nullable=False),
    Column("operation", Name, nullable=False),
    Column("status", Name, nullable=False),
    Column("extraction", Json, nullable=False),
    Column("canonical_key", Name, nullable=False),
    # the canonical key for as long as the same request is answered with this task; then nothing
    Column("standing_key", Name, unique=True),
    Column("asset_id", Name, ForeignKey("screenshot_assets.id")),
    *failure_columns(),
    Column("requested_at", Moment, nullable=False),
    Column("completed_at", Moment),
    Column("updated_at", Moment),
    *constraints("screenshot_tasks"),
    Index(
        "ix_screenshot_tasks_open",
        "requested_at",
        postgresql_where=text("completed_at IS NULL"),
        sqlite_where=text("completed_at IS NULL"),
    ),
)


picture_uploads = Table(
    "picture_uploads",
    metadata,
    id_column(),
    Column("job_id", Name, ForeignKey("jobs.id"), nullable=False),
    Column("owner", Text, nullable=False),
    # the id of the asset that it becomes where it is first attached
    Column("asset_id", Name, nullable=False, unique=True),
    Column("filename", Text, nullable=False),
    Column("media_type", Text, nullable=False),
    Column("size_bytes", BigInteger, nullable=False),
    Column("checksum_sha256", Name, nullable=False),
    # where the bytes lie that came last; each sending has a key of its own
    Column("key", Text),
    Column("width", Integer),
    Column("height", Integer),
    Column("created_at", Moment, nullable=False),
    Column("expires_at", Moment, nullable=False),
    Column("confirmed_at", Moment),
    CheckConstraint("length(checksum_sha256) = 64 AND size_bytes >= 1", name="declared"),
    CheckConstraint(
        "confirmed_at IS NULL OR (key IS NOT NULL AND width IS NOT NULL AND width >= 1"
        " AND height IS NOT NULL AND height >= 1)",
        name="whole_when_confirmed",
    ),
    Index(
        "ix_picture_uploads_unconfirmed",
        "expires_at",
        postgresql_where=text("confirmed_at IS NULL AND key IS NOT NULL"),
        sqlite_where=text("confirmed_at IS NULL AND key IS NOT NULL"),
    ),
)


transcript_corrections = Table(
    "transcript_corrections",
    metadata,
    Column("job_id", Name, ForeignKey("jobs.id"), primary_key=True),
    Column("segment", Integer, primary_key=True, autoincrement=False),
    # of the words that are corrected: a transcript that is made anew may have others there
    Column("original_sha256", Name, primary_key=True),
    # none: it was undone
    Column("text", Text),
    Column("author", Text, nullable=False),
    Column("corrected_at", Moment, nullable=False),
    CheckConstraint("segment >= 0 AND (text IS NULL OR text <> '')", name="says_something"),
)


shares = Table(
    "shares",
    metadata,
    id_column(),
    Column("instruction_id", Name, ForeignKey("instructions.id"), nullable=False),
    Column("job_id", Name, ForeignKey("jobs.id"), nullable=False),
    Column("owner", Text, nullable=False),
    Column("name", Text),
    Column("token_sha256", Name, nullable=False, unique=True),
    Column("export_id", Name, ForeignKey("exports.id"), nullable=False),
    Column("previous_export_id", Name, ForeignKey("exports.id")),
    Column("passphrase_hash", Text),
    Column("recording", Boolean, nullable=False),
    Column("embed_origins", Json, nullable=False),
    Column("views", Integer, nullable=False),
    Column("last_viewed_at", Moment),
    Column("created_at", Moment, nullable=False),
    Column("expires_at", Moment),
    Column("revoked_at", Moment),
    # who did that; none: a link of an earlier version, or nobody did
    Column("created_by", Text),
    Column("updated_by", Text),
    Column("revoked_by", Text),
    CheckConstraint("length(token_sha256) = 64", name="checksum"),
    Index(None, "instruction_id", "created_at", "id"),
    Index(None, "job_id"),
)


private_words = Table(
    "private_words",
    metadata,
    Column("owner", Text, primary_key=True),
    Column("words", Json, nullable=False),
    Column("changed_at", Moment, nullable=False),
)


comment_threads = Table(
    "comment_threads",
    metadata,
    id_column(),
    Column("instruction_id", Name, ForeignKey("instructions.id"), nullable=False),
    Column("job_id", Name, ForeignKey("jobs.id"), nullable=False),
    # not a foreign key: blocks are in the text, and go with it
    Column("block_id", Text, nullable=False),
    Column("quote", Text, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("resolved_at", Moment),
    Column("resolved_by", Text),
    CheckConstraint("(resolved_at IS NULL) = (resolved_by IS NULL)", name="resolved"),
    Index(None, "instruction_id", "created_at", "id"),
    Index(None, "job_id"),
)


comments = Table(
    "comments",
    metadata,
    id_column(),
    Column("thread_id", Name, ForeignKey("comment_threads.id"), nullable=False),
    Column("job_id", Name, ForeignKey("jobs.id"), nullable=False),
    Column("author", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("edited_at", Moment),
    Index(None, "thread_id", "created_at", "id"),
    Index(None, "author"),
    Index(None, "job_id"),
)


correction_sets = Table(
    "correction_sets",
    metadata,
    id_column(),
    Column("job_id", Name, ForeignKey("jobs.id"), nullable=False),
    Column("owner", Text, nullable=False),
    Column("pairs", Json, nullable=False),
    Column("segments", Json, nullable=False),
    Column("blocks", Json, nullable=False),
    # of the instruction: the one that it made, and the one that undid it
    Column("version", Integer),
    Column("undone_version", Integer),
    Column("made_at", Moment, nullable=False),
    Column("undone_at", Moment),
    Index(None, "job_id"),
)


glossary_terms = Table(
    "glossary_terms",
    metadata,
    id_column(),
    Column("owner", Text, nullable=False),
    # empty: for the recordings of all projects
    Column("project_id", Name, nullable=False),
    Column("heard", Text, nullable=False),
    Column("right", Text, nullable=False),
    # what is heard, whatever its case
    Column("folded", Text, nullable=False),
    Column("changed_at", Moment, nullable=False),
    UniqueConstraint("owner", "project_id", "folded"),
    Index(None, "owner", "changed_at", "id"),
)
