"""What the mirror costs: a stage's begin and end on SQLite and on Postgres, alone and from twenty threads.

Run it with ``python -m tests.bench.store_stages``. The machine's mood shows in it: compare figures of one run only.
"""

import statistics
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

from activities.store import Store
from tests.databases import temporary_postgres
from tests.integration.store_builders import Run, uploaded_job

JOBS = 200
THREADS = 20
TRANSACTIONS_A_STAGE = 2


def measure(name: str, url: str) -> str:
    """One line of figures for the database at ``url``, with durable commits."""
    store = Store.open(url)
    store.upgrade()
    runs = [Run(store, uploaded_job(store).id).dispatched() for _ in range(JOBS)]
    alone = []
    cpu = time.process_time()
    for place, run in enumerate(runs):
        begun = time.perf_counter()
        runs[place] = run.extract_audio()
        alone.append((time.perf_counter() - begun) * 1000)
    cpu = (time.process_time() - cpu) / JOBS * 1000
    begun = time.perf_counter()
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(Run.transcribe, runs))
    rate = JOBS * TRANSACTIONS_A_STAGE / (time.perf_counter() - begun)
    store.dispose()
    return (
        f"{name:9} begin+end p50 {statistics.median(alone):6.2f} ms, client CPU {cpu:5.2f} ms;"
        f" {THREADS} threads {rate:5.0f} transactions/s"
    )


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        sys.stdout.write(measure("SQLite", f"sqlite:///{folder}/bench.db") + "\n")
    for server in temporary_postgres(durable=True):
        sys.stdout.write(measure("Postgres", server.url(server.create())) + "\n")


if __name__ == "__main__":
    main()
