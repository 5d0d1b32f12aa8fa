"""The process that reads what was uploaded: each file becomes typed Parquet tables and their profiles, then it ends.

It is confined: it sees the files of its order and its own folder, and nothing else. Run as a script.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from activities.confined import inside

if TYPE_CHECKING:
    from activities.analysis.reading.tabling import Tabling


def main() -> None:
    order = inside.order()
    folder = Path(order["folder"])
    files = [Path(each["path"]) for each in order["files"]]
    inside.report(held=inside.lock_down(readable=files, writable=[folder]))
    _read(order, folder, files)


def _read(order: dict[str, Any], folder: Path, files: list[Path]) -> None:
    # Behind the lock: a library that reads hostile bytes is loaded when there is nothing left to take.
    from activities.analysis.reading.refusals import Refused
    from activities.analysis.reading.tabling import Tabling

    room = {"memory_mib": order["memory_mib"], "spill_mib": order["spill_mib"]}
    tabling = Tabling(folder, files, order["limits"], **room)
    tables: list[tuple[str, dict[str, Any]]] = []
    for number, path in enumerate(files):
        try:
            for table in tabling.tables(path):
                inside.report(file=number, table=table)
                tables.append((str(order["files"][number]["label"]), table))
        except Refused as refused:
            inside.report(file=number, refused=refused.code, message=refused.message)
            return
        except MemoryError:
            inside.report(file=number, refused="TABLE_TOO_LARGE", message="needs more memory than it may have.")
            return
    _unite(tabling, tables)


def _unite(tabling: "Tabling", tables: list[tuple[str, dict[str, Any]]]) -> None:
    from activities.analysis.reading.refusals import Refused

    try:
        for parts, table in tabling.unions(tables):
            inside.report(union=parts, table=table)
    except (Refused, MemoryError):  # each is there by itself
        return


if __name__ == "__main__":
    main()
