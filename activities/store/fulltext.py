"""The full-text index of each database, over ``search_texts.words``: a GIN index on Postgres, FTS5 on SQLite.

Both are given tokens that they keep as they are (``domain/search.py``), so that they differ in how they are asked and
in nothing that they find. SQLite's index is a table of its own, kept by triggers: a migration that makes
``search_texts`` anew calls :func:`create` again.
"""

from collections.abc import Sequence

from sqlalchemy import Column, ColumnElement, Connection, bindparam, column, func, literal_column, select, table, text
from sqlalchemy.dialects.postgresql import REGCONFIG

from domain.errors import SettingsInvalid
from domain.search import Term

INDEX = "search_words"

_POSTGRES = ("CREATE INDEX search_words ON search_texts USING gin (to_tsvector('simple', words))",)
_SQLITE = (
    "CREATE VIRTUAL TABLE search_words USING fts5(words, content='search_texts', content_rowid='id', tokenize='ascii')",
    """CREATE TRIGGER search_texts_added AFTER INSERT ON search_texts BEGIN
    INSERT INTO search_words(rowid, words) VALUES (new.id, new.words); END""",
    """CREATE TRIGGER search_texts_removed AFTER DELETE ON search_texts BEGIN
    INSERT INTO search_words(search_words, rowid, words) VALUES ('delete', old.id, old.words); END""",
    """CREATE TRIGGER search_texts_changed AFTER UPDATE ON search_texts BEGIN
    INSERT INTO search_words(search_words, rowid, words) VALUES ('delete', old.id, old.words);
    INSERT INTO search_words(rowid, words) VALUES (new.id, new.words); END""",
)


def create(connection: Connection) -> None:
    """Make the index of ``search_texts``, which is empty.

    Raises:
        SettingsInvalid: This Python's SQLite was built without FTS5.
    """
    if connection.dialect.name == "postgresql":
        for statement in _POSTGRES:
            connection.execute(text(statement))
        return
    built = connection.execute(text("SELECT sqlite_compileoption_used('ENABLE_FTS5')")).scalar_one()
    if not built:
        raise SettingsInvalid("This Python's SQLite has no full-text index (FTS5). Use another Python, or Postgres.")
    for statement in _SQLITE:
        connection.exec_driver_sql(statement)


def drop(connection: Connection) -> None:
    """Remove what :func:`create` made. On Postgres an index goes with its table."""
    if connection.dialect.name == "sqlite":
        for name in ("added", "removed", "changed"):
            connection.exec_driver_sql(f"DROP TRIGGER IF EXISTS search_texts_{name}")
        connection.exec_driver_sql(f"DROP TABLE IF EXISTS {INDEX}")


def holds(dialect: str, id_: Column[int], words: Column[str], terms: Sequence[Term]) -> ColumnElement[bool]:
    """Which rows of ``search_texts`` hold any of ``terms``."""
    if dialect == "postgresql":
        asked = " | ".join(_for_postgres(term) for term in terms)
        simple = literal_column("'simple'", REGCONFIG)
        return func.to_tsvector(simple, words).bool_op("@@")(func.to_tsquery(simple, asked))
    asked = " OR ".join(_for_sqlite(term) for term in terms)
    index = table(INDEX, column("rowid"))
    found = select(index.c.rowid).where(literal_column(INDEX).op("MATCH")(bindparam(None, asked, unique=True)))
    return id_.in_(found)


def _for_postgres(term: Term) -> str:
    spelled = (" <-> ".join(each) + (":*" if term.prefix else "") for each in term.spellings)
    return f"({' | '.join(f'({each})' for each in spelled)})"


def _for_sqlite(term: Term) -> str:
    spelled = (f'"{" ".join(each)}"' + ("*" if term.prefix else "") for each in term.spellings)
    return f"({' OR '.join(spelled)})"
