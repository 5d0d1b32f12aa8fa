"""Which variables of the environment are settings, and which were meant to be."""

import re
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches

from pydantic.fields import FieldInfo

from starter.secret_files import SUFFIX, secret_fields

OF_CLIENTS = frozenset({"GUIDESMITH_API_URL", "GUIDESMITH_TOKEN", "GUIDESMITH_USER", "GUIDESMITH_REQUIRE_BROWSER"})
"""Read elsewhere: by the command line, Compose and the tests."""

OF_KUBERNETES = re.compile(r"_SERVICE_(HOST|PORT)(_\w+)?$|_PORT(_\d+_(TCP|UDP|SCTP)(_\w+)?)?$")
"""What Kubernetes sets in every pod beside a service that is called as we are."""

NEARLY = 0.85
"""How like a setting's name another one is (``difflib``) that is taken for a slip: two letters changed places, one was
left out. ``GUIDESMITH_LMM_MODEL`` is like ``GUIDESMITH_LLM_MODEL`` by 0.95."""


def unknown_variables(variables: Iterable[str], fields: Mapping[str, FieldInfo], prefix: str) -> list[str]:
    """Of the environment's variables those that begin as ours do, and that nothing reads.

    Args:
        fields: Of the settings, whose variables have ``prefix`` before their names.
    """
    known = {f"{prefix}{name.upper()}" for name in fields}
    known |= {f"{prefix}{name.upper()}{SUFFIX}" for name in secret_fields(fields)} | OF_CLIENTS
    ours = (name for name in variables if name.upper().startswith(prefix))
    return sorted(name for name in ours if name.upper() not in known and not OF_KUBERNETES.search(name))


def misspelt_variables(
    variables: Iterable[str], fields: Mapping[str, FieldInfo], prefix: str
) -> Iterator[tuple[str, str]]:
    """Of these the ones that are nearly a setting's name, and that name."""
    known = [f"{prefix}{name.upper()}" for name in fields]
    for name in unknown_variables(variables, fields, prefix):
        for meant in get_close_matches(name.upper().removesuffix(SUFFIX), known, n=1, cutoff=NEARLY):
            yield name, meant + (SUFFIX if name.upper().endswith(SUFFIX) else "")
