"""Very many jobs at once, written by the database itself: a million in well under a minute.

A tenth of them are one caller's, the others those of a thousand strangers; each has its first log row, a recording,
and the row of its document.
"""

from sqlalchemy import create_engine, make_url, text

CALLER = "ann"
PROJECT = "01880000-0000-7000-8000-000000000000"
STATUSES = ("CREATED", "UPLOADED", "DRAFT_READY", "EDITING", "DONE")

_SQLITE = {
    "series": "WITH RECURSIVE series(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < {count})",
    "from": "series",
    "hex": "printf('%012x', n)",
    "moment": "strftime('%Y-%m-%dT%H:%M:%S', 1700000000 + n / 10, 'unixepoch') || printf('.%06dZ', (n % 10) * 100000)",
    "epoch": "'2023-01-01T00:00:00.000000Z'",
    "json": "'{{}}'",
}
_POSTGRES = {
    "series": "",
    "from": "generate_series(1, {count}) AS n",
    "hex": "lpad(to_hex(n), 12, '0')",
    "moment": "to_timestamp(1700000000 + n * 0.1)",
    "epoch": "'2023-01-01T00:00:00Z'",
    "json": "'{{}}'::jsonb",
}
_ID = "'01890000-0000-7000-8000-' || {hex}"
_STATUS = " ".join(f"WHEN {place} THEN '{status}'" for place, status in enumerate(STATUSES))
_PROJECT = (
    "INSERT INTO projects (id, owner, name, stages, created_at) "
    "VALUES ('" + PROJECT + "', '" + CALLER + "', 'crowd', {json}, {epoch})"
)
_JOBS = (
    "INSERT INTO jobs (id, kind, owner, project_id, status, progress, attempt, version, fence_seq, fence_execution,"
    " event_seq, correlation_id, created_at, updated_at, completed_at) {series} SELECT " + _ID + ", 'instruction',"
    " CASE WHEN n % 10 = 0 THEN '" + CALLER + "' ELSE 'stranger-' || n % 1000 END, '" + PROJECT + "',"
    " CASE n / 10 % 5 " + _STATUS + " END, 0, 1, 1, 0, 1, 1, 'c-' || n, {moment}, {moment},"
    " CASE n / 10 % 5 WHEN 4 THEN {moment} END FROM {from}"
)
_LOG = (
    "INSERT INTO job_events (job_id, seq, stream, event_type, actor_type, new_status, occurred_at, recorded_at,"
    " correlation_id, attempt, execution, unit, data) {series} SELECT " + _ID + ", 1, 'status', 'JOB_CREATED',"
    " 'editor', 'CREATED', {moment}, {moment}, 'c-' || n, 1, 1, 0, {json} FROM {from}"
)
_DOCUMENTS = (
    "INSERT INTO instructions (id, job_id, owner, current_version, created_at, updated_at) {series}"
    " SELECT '01891000-0000-7000-8000-' || {hex}, " + _ID + ", CASE WHEN n % 10 = 0 THEN '" + CALLER + "'"
    " ELSE 'stranger-' || n % 1000 END, 1, {moment}, {moment} FROM {from}"
)
_RECORDINGS = (
    "INSERT INTO artifacts (id, job_id, kind, version, attempt, key, size_bytes, checksum_sha256, media_type, facts,"
    " created_at) {series} SELECT 'a-' || {hex}, " + _ID + ", 'video', 1, 1, 'uploads/' || n, 1,"
    " '" + "0" * 64 + "', 'video/mp4', {json}, {moment} FROM {from}"
)


def fill(database_url: str, count: int) -> None:
    """Write ``count`` jobs into a database with a schema, and let its planner know as it would in production."""
    url = make_url(database_url)
    is_sqlite = url.get_backend_name() == "sqlite"
    engine = create_engine(url if is_sqlite else url.set(drivername="postgresql+psycopg"))
    words = _SQLITE if is_sqlite else _POSTGRES
    given = {name: part.format(count=count) for name, part in words.items()}
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        if is_sqlite:
            connection.execute(text("PRAGMA synchronous=OFF"))
        for statement in (_PROJECT, _JOBS, _LOG, _DOCUMENTS, _RECORDINGS):
            written = statement.format(**given)
            connection.exec_driver_sql(written if is_sqlite else written.replace("%", "%%"))
    engine.dispose()
    analyze(database_url)


def analyze(database_url: str) -> None:
    """What Postgres does by itself in production, and nobody does for SQLite."""
    url = make_url(database_url)
    if url.get_backend_name() == "sqlite":
        return
    engine = create_engine(url.set(drivername="postgresql+psycopg"))
    with engine.begin() as connection:
        connection.execute(text("ANALYZE"))
    engine.dispose()


def job_of(number: int) -> str:
    """The id of a job of the crowd; every tenth is the caller's."""
    return f"01890000-0000-7000-8000-{number:012x}"
