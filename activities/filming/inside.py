"""What a decoder does for this room. Each work loads what it needs, behind the lock."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from activities.decoding import inside
from activities.decoding.inside import Work


def _piece(recording: Path, folder: Path, order: Mapping[str, Any]) -> dict[str, int]:
    from activities.filming.encoding import encode

    return encode(recording, folder, order, inside.at)


def _join(sound: Path, folder: Path, order: Mapping[str, Any]) -> dict[str, int]:
    from activities.filming.joining import join

    return join(sound, folder, order, inside.at)


WORK: Mapping[str, Work] = {"piece": _piece, "join": _join}
