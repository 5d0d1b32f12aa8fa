"""Which of the described routes a path leads to: known before the framework routes it, for limits and for the log."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Pathway:
    """A route's template (``/api/v1/jobs/{job_id}``), its methods in capitals, and what stands for its parameters."""

    template: str
    methods: frozenset[str]
    parameters: Mapping[str, str] = field(default_factory=dict)


class Pathways:
    """The paths of an OpenAPI description, by their length."""

    def __init__(self, paths: Mapping[str, Iterable[str]]) -> None:
        self._by_length: dict[int, list[tuple[list[str], Pathway]]] = defaultdict(list)
        for template, methods in sorted(paths.items(), key=lambda item: item[0].count("{")):  # literal words first
            parts = template.split("/")
            known = Pathway(template, frozenset(method.upper() for method in methods))
            self._by_length[len(parts)].append((parts, known))

    def of(self, path: str) -> Pathway | None:
        """Where ``path`` leads, if anywhere."""
        parts = path.split("/")
        for wanted, known in self._by_length.get(len(parts), ()):
            parameters = _matched(wanted, parts)
            if parameters is not None:
                return Pathway(known.template, known.methods, parameters)
        return None


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
