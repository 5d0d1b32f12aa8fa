"""The process in which Typst runs: one document, then it ends.

Apart from the worker for three reasons: Typst keeps what it laid out in memory for the life of its process, a document
that takes too long can be killed, and a crash of the compiler ends nothing but this. Run as a script, isolated from
the environment; the order comes as JSON on standard input, the answer goes as JSON to standard output.
"""

import ctypes
import json
import signal
import sys
from datetime import datetime
from pathlib import Path

import typst

PR_SET_PDEATHSIG = 1
"""prctl(2): the signal that this process gets when its parent ends."""
CPU_SECONDS = 240
MEMORY_BYTES = 4 * 1024**3
"""Where a document stops being one: a thousand pages take a tenth of either."""


def main() -> None:
    order = json.load(sys.stdin)
    _end_with_parent()
    _limit()
    root = Path(order["root"])
    packages = root / "packages"  # absent: the template imports none, and nothing may be fetched
    fonts = typst.Fonts(
        include_system_fonts=order["system_fonts"], include_embedded_fonts=False, font_paths=order["fonts"]
    )
    compiler = typst.Compiler(
        root / order["template"],
        root=root,
        font_paths=fonts,
        ignore_system_fonts=True,
        package_path=packages,
        package_cache_path=packages,
    )
    try:
        made = compiler.compile(
            format=order["format"], ppi=order["ppi"], timestamp=datetime.fromisoformat(order["date"])
        )
    except typst.TypstError as error:
        json.dump({"error": error.message.replace(str(root), "")[:200]}, sys.stdout)
        return
    files = made if isinstance(made, list) else [made or b""]
    names = [f"made-{place:05}" for place in range(len(files))]
    for name, data in zip(names, files, strict=True):
        (root / name).write_bytes(data)
    json.dump({"files": names}, sys.stdout)


def _end_with_parent() -> None:
    """A worker that is killed leaves nothing running. Elsewhere than on Linux, the limits below have to do."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _limit() -> None:
    try:
        import resource
    except ImportError:  # not on Windows: there the time limit of whoever started this is all there is
        return
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    main()
