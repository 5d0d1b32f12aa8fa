"""Which of the described routes a path leads to: known before the framework routes it, for limits and for the log."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Pathway:
    """A route's template (``/api/v1/jobs/{job_id}``), its methods in capitals, and what stands for its parameters.
    ``queries``: by method, what its query may name."""

    template: str
    methods: frozenset[str]
    queries: Mapping[str, frozenset[str]] = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)


class Pathways:
    """The paths of an OpenAPI description, by their length."""

    def __init__(self, paths: Mapping[str, Mapping[str, Any]]) -> None:
        self._by_length: dict[int, list[tuple[list[str], Pathway]]] = defaultdict(list)
        for template, methods in sorted(paths.items(), key=lambda item: item[0].count("{")):  # literal words first
            parts = template.split("/")
            queries = {method.upper(): _queries(described) for method, described in methods.items()}
            known = Pathway(template, frozenset(queries), queries)
            self._by_length[len(parts)].append((parts, known))

    def of(self, path: str) -> Pathway | None:
        """Where ``path`` leads, if anywhere."""
        parts = path.split("/")
        for wanted, known in self._by_length.get(len(parts), ()):
            parameters = _matched(wanted, parts)
            if parameters is not None:
                return Pathway(known.template, known.methods, known.queries, parameters)
        return None


def _queries(described: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(each["name"] for each in described.get("parameters", ()) if each["in"] == "query")


def _matched(wanted: list[str], parts: list[str]) -> dict[str, str] | None:
    parameters = {}
    for name, part in zip(wanted, parts, strict=True):
        if name.startswith("{"):
            if not part:
                return None
            parameters[name.strip("{}")] = part
        elif name != part:
            return None
    return parameters
