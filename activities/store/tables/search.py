"""Tables of the search in guides. What the database's own index adds is in ``activities/store/fulltext.py``."""

from sqlalchemy import BigInteger, CheckConstraint, Column, ForeignKey, Integer, Table, Text, UniqueConstraint, event

from activities.store.checks import one_of
from activities.store.fulltext import create, drop
from activities.store.tables.columns import Json, Moment, Name, metadata
from domain.search import Part

search_texts = Table(
    "search_texts",
    metadata,
    # a number, which SQLite's index knows the row by
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("job_id", Name, ForeignKey("jobs.id"), nullable=False),
    Column("part", Name, nullable=False),
    Column("piece", Integer, nullable=False),
    Column("passages", Json, nullable=False),
    # their tokens (domain/search.py), "0" behind each passage
    Column("words", Text, nullable=False),
    UniqueConstraint("job_id", "part", "piece"),
    CheckConstraint(one_of("part", Part), name="part"),
)

event.listen(search_texts, "after_create", lambda _, connection, **__: create(connection))
event.listen(search_texts, "before_drop", lambda _, connection, **__: drop(connection))


search_sources = Table(
    "search_sources",
    metadata,
    # what was indexed last: a guide's document, transcript, screen
    Column("job_id", Name, ForeignKey("jobs.id"), primary_key=True),
    Column("source", Name, primary_key=True),
    # which of it: a version, or an artifact
    Column("made_of", Name, nullable=False),
    Column("indexed_at", Moment, nullable=False),
)
