"""The process that opens a stranger's picture, to say what it is or to make another one of it: one order, then it ends.

It is confined: it sees the picture and the folder for its answer, and nothing else. Run as a script. Who ordered it is
``apart``, beside it.
"""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from activities.confined import inside


def main() -> None:
    order = inside.order()
    inside.lock_down(readable=[Path(order["picture"])], writable=[Path(order["made"]).parent])
    from domain.errors import UploadInvalid  # behind the lock, as all that follows

    try:
        inside.report(done=_WORK[order["work"]](Path(order["picture"]).read_bytes(), order))
    except UploadInvalid as refused:
        inside.report(refused=refused.message, details=refused.details)


def _inspect(data: bytes, order: Mapping[str, Any]) -> dict[str, object]:
    from activities.pictures.opening import inspect_picture

    facts = inspect_picture(data)
    return {"media_type": facts.media_type, "width": facts.width, "height": facts.height}


def _thumbnail(data: bytes, order: Mapping[str, Any]) -> dict[str, object]:
    from activities.pictures.opening import thumbnail

    facts = _inspect(data, order)
    Path(order["made"]).write_bytes(thumbnail(data, order["side"]))
    return facts


def _logo(data: bytes, order: Mapping[str, Any]) -> tuple[int, int, str]:
    from activities.pictures.opening import logo

    made, width, height, ground = logo(data)
    Path(order["made"]).write_bytes(made)
    return width, height, ground


def _draw(data: bytes, order: Mapping[str, Any]) -> tuple[int, int]:
    from activities.pictures.drawing import draw
    from domain.documents.annotations import operation_list

    drawn, width, height = draw(data, operation_list.validate_python(order["operations"]))
    Path(order["made"]).write_bytes(drawn)
    return width, height


_WORK: Mapping[str, Callable[[bytes, Mapping[str, Any]], object]] = {
    "inspect": _inspect,
    "thumbnail": _thumbnail,
    "draw": _draw,
    "logo": _logo,
}


if __name__ == "__main__":
    main()
    os._exit(0)  # what was told was told
