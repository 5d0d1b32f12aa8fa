"""Remembered results and resume points, on a folder and on a real S3 server."""

import pytest

from activities.artifacts import ArtifactStore, ResumePoints, StageMemo

pytest_plugins = ("tests.objectstores",)

INPUTS = {"video": "a" * 64, "model": "tiny.en", "code": "1"}


def test_given_a_remembered_result_when_the_same_is_asked_then_it_is_answered_with_its_facts(
    artifact_store: ArtifactStore,
) -> None:
    memo = StageMemo(artifact_store)
    blob = artifact_store.put_bytes("jobs/1/audio", b"sound", "audio/flac")
    memo.put("owner", "audio", INPUTS, blob, {"duration_ms": 1200, "track": None, "channels": [1, 2]})

    answer = memo.get("owner", "audio", dict(reversed(INPUTS.items())))

    assert answer == (blob, {"duration_ms": 1200, "track": None, "channels": [1, 2]})


@pytest.mark.parametrize(
    ("owner", "stage", "inputs"),
    [
        ("another", "audio", INPUTS),
        ("owner", "transcript", INPUTS),
        ("owner", "audio", {**INPUTS, "model": "base"}),
        ("owner", "audio", {**INPUTS, "more": ""}),
        ("owner", "audio", {}),
    ],
)
def test_given_a_remembered_result_when_anything_else_is_asked_then_there_is_no_answer(
    artifact_store: ArtifactStore, owner: str, stage: str, inputs: dict[str, str]
) -> None:
    memo = StageMemo(artifact_store)
    memo.put("owner", "audio", INPUTS, artifact_store.put_bytes("jobs/1/audio", b"sound", "audio/flac"))

    assert memo.get(owner, stage, inputs) is None


@pytest.mark.parametrize("loss", ["deleted", "shortened", "damaged", "forgotten", "record damaged"])
def test_given_a_remembered_result_when_it_or_its_record_is_lost_then_there_is_no_answer(
    artifact_store: ArtifactStore, loss: str
) -> None:
    memo = StageMemo(artifact_store)
    blob = artifact_store.put_bytes("jobs/1/audio", b"sound", "audio/flac")
    memo.put("owner", "audio", INPUTS, blob)
    (record,) = artifact_store.list("memo")

    if loss == "deleted":
        artifact_store.delete(blob.key)
    elif loss == "shortened":
        artifact_store.put_bytes(blob.key, b"soun", "audio/flac")
    elif loss == "damaged":
        artifact_store.put_bytes(blob.key, b"soumd", "audio/flac")
    elif loss == "forgotten":
        memo.forget("owner", "audio", INPUTS)
    else:
        artifact_store.put_bytes(record.key, b'{"blob": {"key": "../x"}}', "application/json")

    assert memo.get("owner", "audio", INPUTS) is None


def test_given_an_owner_with_any_name_when_remembered_then_the_name_is_in_no_key(
    artifact_store: ArtifactStore,
) -> None:
    memo, resume_points = StageMemo(artifact_store), ResumePoints(artifact_store)
    owner = "../ada@example.org/\x00"
    blob = artifact_store.put_bytes("jobs/1/audio", b"sound", "audio/flac")

    memo.put(owner, "audio", INPUTS, blob)
    resume_points.save(owner, "audio", INPUTS, b"half")

    assert memo.get(owner, "audio", INPUTS) == (blob, {})
    assert resume_points.load(owner, "audio", INPUTS) == b"half"
    assert not any("ada" in each.key for each in artifact_store.list())


def test_given_a_resume_point_when_saved_again_and_cleared_then_each_load_sees_the_last(
    artifact_store: ArtifactStore,
) -> None:
    resume_points = ResumePoints(artifact_store)
    assert resume_points.load("owner", "transcript", INPUTS) is None

    for data in (b"", b"first", b"second" * 2_000_000):
        resume_points.save("owner", "transcript", INPUTS, data)
        assert resume_points.load("owner", "transcript", INPUTS) == data
    assert resume_points.load("another", "transcript", INPUTS) is None

    resume_points.clear("owner", "transcript", INPUTS)
    resume_points.clear("owner", "transcript", INPUTS)
    assert resume_points.load("owner", "transcript", INPUTS) is None


def test_given_a_damaged_resume_point_when_loaded_then_there_is_none(artifact_store: ArtifactStore) -> None:
    resume_points = ResumePoints(artifact_store)
    resume_points.save("owner", "transcript", INPUTS, b"half of it")
    (record,) = artifact_store.list("partial")

    for damaged in (b"", b"short", b"x" * 80):
        artifact_store.put_bytes(record.key, damaged, "application/octet-stream")
        assert resume_points.load("owner", "transcript", INPUTS) is None
