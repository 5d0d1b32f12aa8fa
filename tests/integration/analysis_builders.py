"""Analyses in the store as they are after each step, without a worker: for tests of what happens around them."""

from hashlib import sha256

from activities.artifacts import ArtifactStore
from activities.store import Store
from activities.store.repository import new_uuid7, utc_now
from domain.analyses.analysis import Analysis, AnnouncedFile, KeptTable, NewAnalysis
from domain.analyses.plan import freeze
from tests.unit.analysis_builders import LOAD, SALES, plan

CONTENT = b"region,amount\nNorth,1\n"


def announced(name: str = "sales.csv", content: bytes = CONTENT) -> AnnouncedFile:
    """A file, with the session that it gets."""
    upload_id = new_uuid7()
    return AnnouncedFile(
        filename=name,
        checksum_sha256=sha256(content).hexdigest(),
        size_bytes=len(content),
        upload_id=upload_id,
        key=f"analyses/{upload_id}/input.csv",
        part_size=1 << 20,
        expires_at=utc_now(),
    )


def arrived_analysis(store: Store, artifacts: ArtifactStore, owner: str, requirement: str = "sales") -> Analysis:
    """An analysis whose input is there."""
    made, _ = store.request_analysis(owner, NewAnalysis(requirement=requirement, files=(announced(),)))
    (file,) = made.files
    blob = artifacts.put_bytes(store.get_upload(file.upload_id).key, CONTENT, "text/csv")
    store.lease_upload(file.upload_id, "test", 60)
    return store.settle_input(made.job.id, file.upload_id, blob, "test")


def drafted_analysis(store: Store, artifacts: ArtifactStore, owner: str, requirement: str = "sales") -> Analysis:
    """An analysis with a draft that leaves nothing open."""
    made = arrived_analysis(store, artifacts, owner, requirement)
    task = store.request_planning(owner, made.job.id).planning
    assert task is not None and made.files[0].blob is not None
    store.begin_planning(task.id)
    store.keep_tables(task.id, made.inputs_fingerprint, [KeptTable(profile=SALES, parquet=made.files[0].blob)])
    store.finish_planning(task.id, plan(LOAD))
    return store.get_analysis(made.job.id)


def confirmed_analysis(store: Store, artifacts: ArtifactStore, owner: str, requirement: str = "sales") -> Analysis:
    """An analysis whose plan is frozen."""
    made = drafted_analysis(store, artifacts, owner, requirement)
    frozen = freeze(made.current_plan(), made.inputs_fingerprint)
    document = artifacts.put_bytes(f"jobs/{made.job.id}/plan.json", frozen.document, "application/json")
    return store.confirm_plan(owner, made.job.id, made.job.version, frozen, document)
