"""What other packages bring: exporters, speech services and drafters, found by their entry points.

A package names a class or a function without arguments in one of the groups; it is called once in each process that
needs it, and reads its own settings. What it raises then ends the process with a sentence that names the package.
"""

from collections.abc import Mapping
from functools import cache
from importlib import metadata
from typing import TYPE_CHECKING, Any

from domain.documents.publication import ADDED, ADDED_NAME, Exporter, ExportFormat
from domain.errors import SettingsInvalid

if TYPE_CHECKING:
    from activities.drafting import Drafter
    from activities.speech import Recogniser

EXPORTERS, RECOGNISERS, DRAFTERS = "guidesmith.exporters", "guidesmith.recognisers", "guidesmith.drafters"


@cache
def exporters() -> Mapping[ExportFormat, Exporter]:
    """The installed exporters, by the format that each makes: ``X_NAME`` for an entry point called ``name``.

    Raises:
        SettingsInvalid: A package cannot be loaded, or its entry point's name is none for a format.
    """
    found: dict[ExportFormat, Exporter] = {}
    for point in sorted(metadata.entry_points(group=EXPORTERS), key=lambda each: each.name):
        name = f"{ADDED}{point.name.upper()}"
        if not ADDED_NAME.fullmatch(name):
            raise SettingsInvalid(
                f"The exporter {point.name!r} of {_package(point)} has a name that is none: a-z, 0-9, _."
            )
        found[ExportFormat(name)] = _made(point)
    return found


def recogniser(name: str) -> "Recogniser":
    """The installed speech service of that name. Raises: SettingsInvalid: there is none, or it cannot be loaded."""
    made: Recogniser = _made(_named(RECOGNISERS, "speech service", name))
    return made


def drafter(name: str) -> "Drafter":
    """The installed drafter of that name. Raises: as :func:`recogniser`."""
    made: Drafter = _made(_named(DRAFTERS, "drafter", name))
    return made


def _named(group: str, what: str, name: str) -> metadata.EntryPoint:
    points = {each.name: each for each in metadata.entry_points(group=group)}
    if name not in points:
        there = ", ".join(sorted(points)) or "none"
        raise SettingsInvalid(f"No installed package brings a {what} called {name!r}. Installed: {there}.")
    return points[name]


def _made(point: metadata.EntryPoint) -> Any:
    try:
        return point.load()()
    except Exception as fault:  # whatever foreign code raises
        raise SettingsInvalid(
            f"{point.name!r} of {_package(point)} cannot be loaded: {type(fault).__name__}."
        ) from fault


def _package(point: metadata.EntryPoint) -> str:
    return f"the package {point.dist.name}" if point.dist else point.value
