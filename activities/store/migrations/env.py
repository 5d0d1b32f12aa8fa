"""Run by Alembic: migrations on the connection that activities.store.schema hands over, inside its transaction."""

from typing import Any, Literal

from alembic import context

from activities.store.tables import Json, Moment, Name, metadata


def render(kind: str, item: Any, _: Any) -> str | Literal[False]:
    """Write our own types by name into a generated revision."""
    for name, known in (("Json", Json), ("Name", Name)):
        if kind == "type" and item is known:
            return f"tables.{name}"
    return "tables.Moment()" if kind == "type" and isinstance(item, Moment) else False


connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=metadata,
    render_as_batch=connection.dialect.name == "sqlite",
    render_item=render,
)
context.run_migrations()
