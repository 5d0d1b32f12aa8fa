"""The log of a job, as it is streamed."""

import json
from collections.abc import Iterator

from guidesmith.client.shapes import Event


class EventLines:
    """Server-sent events out of a stream's lines (WHATWG HTML, 9.2). ``last`` is the newest event's id."""

    def __init__(self, after: str | None) -> None:
        self.last = after
        self._fields: dict[str, str] = {}

    def headers(self) -> dict[str, str]:
        return {"Last-Event-ID": self.last} if self.last else {}

    def feed(self, line: str) -> Iterator[Event]:
        """The event that the line completes, if it does. Comments and unknown fields are skipped."""
        if line:
            name, _, value = line.partition(":")
            if name in ("id", "event", "data"):
                value = value.removeprefix(" ")
                known = self._fields.get("data")
                self._fields[name] = f"{known}\n{value}" if name == "data" and known is not None else value
            return
        fields, self._fields = self._fields, {}
        if "data" in fields:
            self.last = fields.get("id") or self.last
            stream = fields.get("event", "message")
            yield Event.model_validate({**json.loads(fields["data"]), "id": self.last or "", "stream": stream})
