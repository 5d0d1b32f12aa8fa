"""A walk over every route that the API describes, with a request for each that is right in all but what a test bends.

Bodies and queries are made from the description; what it cannot say (one of two fields, never both) stands in
``BODIES``. A route whose request cannot be made fails the test that walks: give it a line here.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from starter.api.perimeter.admission import ADMIN, BASE, INTERNAL, OPEN, SIGNED, is_webhook
from starter.api.perimeter.limits import unnamed

ABSENT = "01890000-0000-7000-8000-000000000000"
CHECKSUM = "0123456789abcdef" * 4

BODIES: Mapping[tuple[str, str], dict[str, Any]] = {
    ("POST", "/instructions/{}/regenerate"): {
        "base_version": 1,
        "selection": {"block_id": ABSENT},
        "client_request_id": "walk",
    },
    ("POST", "/instructions/{}/anchors"): {
        "instruction_version_id": ABSENT,
        "addressing": {"address_type": "block_id", "block_id": ABSENT},
    },
    ("POST", "/jobs/{}/screenshots/extract"): {
        "instruction_id": ABSENT,
        "instruction_version_id": ABSENT,
        "timestamp_ms": 0,
        "block_id": ABSENT,
    },
    ("POST", "/jobs/{}/screenshots/uploads"): {
        "filename": "a.png",
        "mime_type": "image/png",
        "size_bytes": 1,
        "checksum_sha256": CHECKSUM,
    },
    ("POST", "/internal/jobs/{}/status"): {
        "event_id": "walk",
        "status": "AUDIO_READY",
        "occurred_at": "2026-01-31T12:00:00.000Z",
        "correlation_id": "walk",
    },
    **{("POST", f"/generate/{made}"): {"prompt": "x"} for made in ("copy", "static-ad", "video")},
    ("POST", "/generate/scrape"): {"url": "https://example.org/"},
    ("POST", "/generate/tts"): {"text": "x"},
    ("POST", "/jobs/{}/corrections/find"): {"pairs": [{"heard": "skim", "right": "SCIM"}]},
    ("POST", "/jobs/{}/corrections"): {"pairs": [{"heard": "skim", "right": "SCIM"}], "places": [ABSENT]},
    ("POST", "/jobs"): {"job_type": "captions", "parameters": {"inputs": [{"job_id": ABSENT}]}},
    ("PATCH", "/projects/{}/members"): {"user_id": "x", "role": "viewer"},
    ("POST", "/projects/{}/invitations"): {"role": "viewer"},
    ("PUT", "/projects/{}/brand/logo"): {"data": "eA=="},
    ("POST", "/jobs/{}/exports"): {"format": "PDF", "instruction_version_id": ABSENT},
}

PATTERNS = {"^[0-9a-f]{64}$": CHECKSUM}
"""A string for each pattern that the description uses in a required field."""

FORMATS = {"date-time": "2026-01-31T12:00:00.000Z", "uuid": ABSENT, "uri": "https://example.org/"}


@dataclass(frozen=True)
class Operation:
    """One method of one route."""

    method: str
    template: str
    described: Mapping[str, Any]
    schemas: Mapping[str, Any]

    @property
    def name(self) -> str:
        return f"{self.method} {self.template}"

    @property
    def is_signed(self) -> bool:
        return self.template.startswith(tuple(SIGNED))

    @property
    def is_internal(self) -> bool:
        return self.template.startswith(INTERNAL)

    @property
    def is_webhook(self) -> bool:
        """Its body has to be read before anybody knows who sends it: see ``test_webhooks_in.py``."""
        return is_webhook(self.template)

    @property
    def is_admin(self) -> bool:
        return self.template.startswith(ADMIN)

    @property
    def needs_token(self) -> bool:
        return self.template not in OPEN and not self.is_signed and not self.is_internal and not self.is_webhook

    @property
    def is_stream(self) -> bool:
        return "text/event-stream" in self.described["responses"].get("200", {}).get("content", {})

    @property
    def takes_json(self) -> bool:
        """Its body is read and checked before the route sees it, if it sees one at all."""
        return self.method != "GET" and not (self.is_signed and self.method == "PUT")

    @property
    def parameters(self) -> list[str]:
        return [part.strip("{}") for part in self.template.split("/") if part.startswith("{")]

    def path(self, ids: Mapping[str, str]) -> str:
        """The route's path with ``ids`` for its parameters."""
        return self.template.format(**{name: ids[name] for name in self.parameters})

    def query(self) -> dict[str, Any]:
        """What the route's query must have."""
        needed = (each for each in self.described.get("parameters", ()) if each["in"] == "query" and each["required"])
        return {each["name"]: self._sample(each["schema"], each["name"]) for each in needed}

    def body(self, *, whole: bool = False) -> Any:
        """A body of the right shape; ``None`` where the route takes none. ``whole``: also with what may be left out, as
        well as the description tells it."""
        given = BODIES.get((self.method, unnamed(self.template.removeprefix(BASE))))
        if given is not None and not whole:
            return given
        content = self.described.get("requestBody", {}).get("content", {}).get("application/json")
        return self._sample(content["schema"], "body", whole=whole) if content else None

    def _sample(self, schema: Mapping[str, Any], name: str, *, whole: bool = False) -> Any:
        """The plainest value of ``schema``."""
        if "$ref" in schema:
            return self._sample(self.schemas[schema["$ref"].rpartition("/")[2]], name, whole=whole)
        for fixed in ("const", "default"):
            if schema.get(fixed) is not None:
                return schema[fixed]
        if "enum" in schema:
            return schema["enum"][0]
        for choice in ("anyOf", "oneOf", "allOf"):
            if choice in schema:
                return self._sample(schema[choice][0], name, whole=whole)
        kind = schema.get("type")
        if kind == "object":
            named = schema.get("properties", {}) if whole else schema.get("required", ())
            return {each: self._sample(schema["properties"][each], each, whole=whole) for each in named}
        if kind == "array":
            items = schema.get("prefixItems") or [schema.get("items", {})] * schema.get("minItems", 0)
            return [self._sample(each, name, whole=whole) for each in items]
        if kind == "integer":
            return int(schema.get("minimum", 0))
        if kind == "number":
            return schema.get("minimum", 0)
        if kind == "boolean":
            return False
        return "x" if whole and "pattern" in schema else self._text(schema, name)

    def _text(self, schema: Mapping[str, Any], name: str) -> str:
        if "pattern" in schema:
            assert schema["pattern"] in PATTERNS, f"{self.name}: a sample for the pattern of {name}?"
            return PATTERNS[schema["pattern"]]
        if "format" in schema:
            assert schema["format"] in FORMATS, f"{self.name}: a sample for the format of {name}?"
            return FORMATS[schema["format"]]
        return ABSENT if name.endswith("_id") else "x" * int(schema.get("minLength", 1))


def operations(description: Mapping[str, Any]) -> Iterator[Operation]:
    """Every operation of an OpenAPI document."""
    for template, methods in description["paths"].items():
        for method, described in methods.items():
            yield Operation(method.upper(), template, described, description["components"]["schemas"])
