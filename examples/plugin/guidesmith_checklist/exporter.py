"""The steps of a guide as a list to tick off, in plain text."""

import re

from domain.documents.publication import Publication, clock

HEADING = re.compile(r"^#{1,6}\s+(?P<text>.+)$", re.MULTILINE)


class Checklist:
    """Made as ``X_CHECKLIST``."""

    title = "Checklist"
    media_type = "text/plain; charset=utf-8"
    extension = ".txt"

    def export(self, publication: Publication) -> bytes:
        """A line for each step, with its moment in the recording."""
        lines = [publication.title, ""]
        for block in publication.blocks:
            heading = HEADING.search(block.markdown)
            if block.role == "step" and heading is not None:
                moment = "" if block.start_ms is None else f" ({clock(block.start_ms)})"
                lines.append(f"[ ] {heading['text'].strip()}{moment}")
        return ("\n".join(lines) + "\n").encode()
