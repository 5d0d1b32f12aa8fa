"""Words that a user calls private: blurred on the pictures of all their instructions, whenever what is private is."""

from collections.abc import Sequence

from sqlalchemy import select

from activities.store.database import inserting
from activities.store.repository import Repository
from activities.store.tables import private_words as table


class PrivateWords(Repository):
    def private_words(self, owner: str) -> tuple[str, ...]:
        """In the order in which they were listed; empty where none were."""
        with self._database.read() as connection:
            words = connection.scalar(select(table.c.words).where(table.c.owner == owner))
        return tuple(words or ())

    def keep_private_words(self, owner: str, words: Sequence[str]) -> tuple[str, ...]:
        """List these and no others, each once. Answers with what is kept."""
        kept = list(dict.fromkeys(words))
        row = {"owner": owner, "words": kept, "changed_at": self._clock()}
        with self._database.write() as connection:
            listing = inserting(connection, table).values(row)
            connection.execute(listing.on_conflict_do_update(index_elements=[table.c.owner], set_=row))
        return tuple(kept)
