"""The process that computes a plan: each step, in order, then it ends.

It is confined: it sees the tables of its order and its own folder, and nothing else. Run as a script.
"""

from pathlib import Path
from typing import Any

from activities.confined import inside


def main() -> None:
    order = inside.order()
    folder = Path(order["folder"])
    tables = {name: Path(path) for name, path in order["tables"].items()}
    inside.report(held=inside.lock_down(readable=tables.values(), writable=[folder]))
    _compute(order, folder, tables)


def _compute(order: dict[str, Any], folder: Path, tables: dict[str, Path]) -> None:
    # Behind the lock, as in reader.py.
    from activities.analysis.computing import Computing, StepFailed

    room = {"memory_mib": order["memory_mib"], "spill_mib": order["spill_mib"]}
    computing = Computing(folder, tables, most_rows=order["most_rows"], **room)
    for step in order["steps"]:
        try:
            inside.report(step=step["id"], made=computing.step(step))
        except StepFailed as failed:
            inside.report(step=step["id"], failed=failed.why)
            return


if __name__ == "__main__":
    main()
