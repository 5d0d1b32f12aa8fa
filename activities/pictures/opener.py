"""The process that opens a stranger's picture to say what it is: one picture, then it ends.

It is confined: it sees the picture and nothing else. Run as a script. Who ordered it is ``apart``, beside it.
"""

import os
from pathlib import Path

from activities.confined import inside


def main() -> None:
    order = inside.order()
    inside.lock_down(readable=[Path(order["picture"])], writable=[])
    from activities.pictures.opening import inspect_picture  # behind the lock, as all that follows
    from domain.errors import UploadInvalid

    try:
        facts = inspect_picture(Path(order["picture"]).read_bytes())
    except UploadInvalid as refused:
        inside.report(refused=refused.message, details=refused.details)
    else:
        inside.report(media_type=facts.media_type, width=facts.width, height=facts.height)


if __name__ == "__main__":
    main()
    os._exit(0)  # what was told was told
