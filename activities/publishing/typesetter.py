"""The process in which Typst runs: one document, then it ends.

Apart from the worker for three reasons: Typst keeps what it laid out in memory for the life of its process, a document
that takes too long can be killed, and a crash of the compiler ends nothing but this. Run as a script, isolated from
the environment; the order comes as JSON on standard input, the answer goes as JSON to standard output.
"""

from datetime import datetime
from pathlib import Path

import typst

from activities.confined import inside


def main() -> None:
    order = inside.order()
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
        inside.report(error=error.message.replace(str(root), "")[:200])
        return
    files = made if isinstance(made, list) else [made or b""]
    names = [f"made-{place:05}" for place in range(len(files))]
    for name, data in zip(names, files, strict=True):
        (root / name).write_bytes(data)
    inside.report(files=names)


if __name__ == "__main__":
    main()
