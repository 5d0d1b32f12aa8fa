"""The process in which Typst runs: one document, then it ends.

Apart from the worker for three reasons: Typst keeps what it laid out in memory for the life of its process, a document
that takes too long can be killed, and a crash of the compiler ends nothing but this. It is confined: it sees fonts and
its own folder, and nothing else. Run as a script, isolated from the environment; the order comes as JSON on standard
input, the answer goes as JSON to standard output.
"""

from datetime import datetime
from pathlib import Path

from activities.confined import inside

LOADS = ("typst",)
SYSTEM_FONTS = (
    *("/usr/share/fonts", "/usr/local/share/fonts", "/etc/fonts", "/usr/share/fontconfig", "/var/cache/fontconfig"),
    *("~/.fonts", "~/.local/share/fonts", "~/.config/fontconfig", "~/.fontconfig"),
    *("/System/Library/Fonts", "/Library/Fonts", "~/Library/Fonts"),
)
"""Where systems keep fonts, and what says which there are."""


def main() -> None:
    order = inside.order()
    root = Path(order["root"])
    seen = [*order["fonts"], *(SYSTEM_FONTS if order["system_fonts"] else ())]
    inside.lock_down(readable=[Path(each).expanduser() for each in seen], writable=[root])
    import typst  # behind the lock

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
    for place, data in enumerate(files):
        (root / order["made"].format(place)).write_bytes(data)
    inside.report(files=len(files))


if __name__ == "__main__":
    main()
