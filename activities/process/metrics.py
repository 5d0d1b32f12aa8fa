"""What is counted and timed of the product, for Prometheus: every metric of ours, by name, in one place.

Counted where it happens, in the process in which it happens; one that is lost with a process is a counter that begins
again, as Prometheus expects. Labels are the code's own words (kinds, statuses, codes, hosts of the settings): never an
id, and nothing that somebody wrote.
"""

from prometheus_client import Counter, Histogram, disable_created_metrics

disable_created_metrics()  # type: ignore[no-untyped-call]  # a series more for each, of when it began: nobody asks

_TO_DAYS = (1, 5, 15, 60, 300, 900, 3600, 4 * 3600, 24 * 3600, 7 * 24 * 3600)
"""Seconds: what machines do takes some, what waits for people may take days."""

MOVES = Counter("guidesmith_job_moves", "Moves of jobs, as committed.", ("kind", "from_status", "to_status"))
ENDED = Counter(
    "guidesmith_jobs_ended",
    "Jobs that came to an end, by the status that they ended in and the code of what made them fail.",
    ("kind", "status", "code"),
)
JOB_SECONDS = Histogram(
    "guidesmith_job_seconds",
    "From a job's creation to its end, whatever it waited for.",
    ("kind", "status"),
    buckets=_TO_DAYS,
)
STATUS_SECONDS = Histogram(
    "guidesmith_job_status_seconds",
    "How long jobs were in a status, once they left it.",
    ("kind", "status"),
    buckets=_TO_DAYS,
)
CREDITS = Counter("guidesmith_credits_posted", "Credits, by what they were posted as.", ("posting",))

EXECUTIONS = Histogram(
    "guidesmith_activity_seconds",
    "Executions of activities (a job's stages are some of them), by how they ended: ok, or a code.",
    ("activity", "outcome"),
    buckets=(0.01, 0.05, 0.25, 1, 5, 15, 60, 300, 900, 3600),
)
RETRIES = Counter("guidesmith_activity_retries", "Executions that were not an activity's first.", ("activity",))
QUEUE_WAIT = Histogram(
    "guidesmith_queue_wait_seconds",
    "How long an activity's first execution waited for a free slot.",
    ("queue",),
    buckets=(0.05, 0.25, 1, 5, 15, 60, 300, 900, 3600),
)

PROVIDER = Histogram(
    "guidesmith_provider_seconds",
    "Requests to providers, by host, and by how they ended: ok, or a code.",
    ("host", "outcome"),
    buckets=(0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 600),
)
REQUESTS = Histogram(
    "guidesmith_http_seconds",
    "Requests to the API, by route.",
    ("method", "route", "status"),
    buckets=(0.005, 0.02, 0.1, 0.5, 1, 3, 10, 60),
)
RECONCILED = Counter("guidesmith_reconciler_findings", "What the reconciler found amiss, and repaired.")
