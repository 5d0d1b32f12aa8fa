"""People at one document at once, on two API processes, its job's workflow alive: nothing is lost or counted twice, and
the job says what goes on while it does."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx

from activities.drafting.drafters import Rewrite
from activities.store import Store
from domain.documents.document import parse
from domain.documents.draft import Draft, DraftProvenance
from domain.documents.screenshots import NewFrame
from domain.jobs import Actor, Event, Job
from tests.integration.api_pairs import AT_ONCE, Pair, audit, job_at_its_desk, statuses
from tests.integration.pictures import Illustrated, illustrated_job, screen
from tests.integration.store_builders import OTHER_BLOCK, STEP_BLOCK, instruction_of
from tests.stack import wait_until
from tests.workers import document_workers


@dataclass
class Watching:
    """A drafter that notes the job's status while it writes."""

    store: Store
    job: Job
    seen: list[str] = field(default_factory=list)

    def draft(self, *_: Any, **__: Any) -> Draft:
        raise AssertionError("nobody asks for a draft here")

    def rewrite(self, text: str, **_: Any) -> Rewrite:
        self.seen.append(self.store.get_job(self.job.id).status)
        provenance = DraftProvenance(model_profile_id="watching", prompt_template_id="w/1")
        return Rewrite(markdown=f"{text} Again.", warnings=(), provenance=provenance)


@contextmanager
def at_work(pair: Pair, owner: str, job: Job, drafter: Watching) -> Iterator[httpx.Client]:
    """The job's run waits for its editors, and writers and typesetters are at work; a client of the owner's."""
    queues = ("jobs", "providers", "media")
    with (
        document_workers(pair.temporal.address, pair.settings, pair.store, pair.artifacts, queues, drafter),
        pair.apis[0].client(owner) as client,
    ):
        assert client.post(f"jobs/{job.id}/run").status_code == 202
        yield client


def rewritten(client: httpx.Client, job: Job, number: int) -> str:
    """Ask for the step to be written again, at once and as often as it takes to hear of no other; the task's id."""
    newest = client.get(f"instructions/{job.instruction_id}").json()["version"]
    body = {"base_version": newest, "selection": {"block_id": STEP_BLOCK}, "client_request_id": f"r-{number}"}
    answer = client.post(f"instructions/{job.instruction_id}/regenerate", json=body)
    assert answer.status_code == 202, answer.text
    return str(answer.json()["task_id"])


def succeeds(client: httpx.Client, task_id: str) -> None:
    wait_until(lambda: client.get(f"tasks/{task_id}").json()["status"] == "SUCCEEDED", 60, "a rewrite")


def moves(pair: Pair, job: Job, since: str) -> list[Event]:
    """The job's moves from ``since`` on, oldest first."""
    told = [event for event in pair.store.events(job.id, 0, 500) if event.new_status is not None]
    return told[[event.new_status for event in told].index(since) :]


def test_given_regenerations_one_right_after_the_other_when_they_run_then_the_job_says_so_each_time(
    pair: Pair, owner: str
) -> None:
    job = job_at_its_desk(pair, owner)
    watching, times = Watching(pair.store, job), 8
    with at_work(pair, owner, job, watching) as client:
        for number in range(times):
            task = rewritten(client, job, number)
            succeeds(client, task)
        wait_until(lambda: pair.store.get_job(job.id).status == "EDITING", 30, "the last one's end")
        assert watching.seen == ["REGENERATING"] * times

        version = pair.store.get_instruction(owner, instruction_of(job))
        export = {"format": "HTML", "instruction_version_id": version.id}
        assert client.post(f"jobs/{job.id}/exports", json=export).status_code == 202
        wait_until(lambda: pair.store.get_job(job.id).status == "DONE", 60, "the export")
    told = moves(pair, job, "EDITING")
    assert [event.new_status for event in told] == [
        *["EDITING", "REGENERATING"] * times,
        "EDITING",
        "EXPORTING",
        "DONE",
    ]
    by_editors = [event.new_status for event in told if event.actor_type is Actor.EDITOR]
    assert by_editors == ["EDITING", *["REGENERATING"] * times, "EXPORTING"]
    assert {event.actor_type for event in told} == {Actor.EDITOR, Actor.ORCHESTRATOR}


def test_given_edits_restores_and_a_regeneration_at_once_when_all_are_answered_then_every_accepted_one_is_a_version(
    pair: Pair, owner: str
) -> None:
    job = job_at_its_desk(pair, owner)
    url = f"instructions/{job.instruction_id}"

    def work(client: httpx.Client, number: int) -> httpx.Response:
        version = client.get(url).json()
        base, markdown = version["version"], version["markdown"]
        if number % 4 == 3:
            return client.post(f"{url}/restore", json={"version": 1, "base_version": base})
        if number % 4 == 2:
            selection = {"block_id": STEP_BLOCK}
            body = {"base_version": base, "selection": selection, "client_request_id": f"r-{number}"}
            return client.post(f"{url}/regenerate", json=body)
        return client.put(url, json={"base_version": base, "markdown": f"{markdown}\nEdit {number}.\n"})

    with at_work(pair, owner, job, Watching(pair.store, job)) as client:
        answers = pair.at_once(owner, work)
        tasks = [answer.json()["task_id"] for answer in answers if answer.status_code == 202]
        for task in tasks:
            succeeds(client, task)

        assert set(statuses(answers)) <= {200, 202, 409}, [answer.text for answer in answers]
        codes = {answer.json()["code"] for answer in answers if answer.status_code == 409}
        assert codes <= {"VERSION_CONFLICT", "REGENERATE_IN_PROGRESS"}
        versions = pair.store.versions(owner, instruction_of(job), limit=100).items
        assert [each.version for each in versions] == list(range(len(versions), 0, -1))
        told = {number: answers[number].json() for number in range(AT_ONCE) if answers[number].status_code == 200}
        edits = {number: answer for number, answer in told.items() if number % 4 < 2}
        assert len({answer["version"] for answer in edits.values()}) == len(edits)
        for number, answer in edits.items():
            stored = pair.store.get_instruction(owner, instruction_of(job), answer["version"])
            assert f"Edit {number}." in stored.markdown
        origins = [str(each.origin) for each in versions]
        assert origins.count("edit") == len(edits)
        assert audit(pair, job.id, "REGENERATE_REQUESTED") == len(tasks) == audit(pair, job.id, "REGENERATE_SUCCEEDED")
        for each in versions:
            ids = parse(pair.store.get_instruction(owner, instruction_of(job), each.version).markdown).ids
            assert len(set(ids)) == len(ids) and OTHER_BLOCK in ids
        assert client.post(f"jobs/{job.id}/cancel").status_code == 200
        wait_until(lambda: pair.store.get_job(job.id).status == "CANCELLED", 60, "the cancel")


def test_given_one_anchor_when_it_is_drawn_on_replaced_and_deleted_at_once_then_its_pictures_stay_one_chain(
    pair: Pair, owner: str
) -> None:
    shot = illustrated_job(pair.store, pair.artifacts, owner)
    anchor = f"anchors/{shot.anchor_id}"

    answers = pair.at_once(owner, lambda client, number: WORK[number % 3](pair, client, shot, number))

    assert set(statuses(answers)) <= {200, 202, 404, 409}, [answer.text for answer in answers]
    with pair.apis[1].client(owner) as client:
        shown = client.get(anchor).json()
        listed = client.get(f"instructions/{shot.job.instruction_id}/anchors", params={"include_deleted_assets": True})
    (told,) = listed.json()["items"]
    assets = {asset["version"]: asset for asset in told["assets"]}
    assert sorted(assets) == list(range(1, len(told["assets"]) + 1))
    drawn = [n for n, answer in enumerate(answers) if n % 3 == 0 and answer.status_code == 200]
    replaced = [n for n, answer in enumerate(answers) if n % 3 == 1 and answer.status_code == 202]
    assert len(assets) == 1 + len(drawn) + len(replaced)
    assert (audit(pair, shot.job.id, "ANCHOR_ANNOTATED"), audit(pair, shot.job.id, "SCREENSHOT_REQUESTED")) == (
        len(drawn),
        len(replaced),
    )
    deleted = [asset for asset in assets.values() if asset["is_deleted"]]
    assert audit(pair, shot.job.id, "SCREENSHOT_DELETED") == len(deleted)
    active = shown["active_asset_id"]
    live = {asset["id"] for asset in assets.values() if not asset["is_deleted"]}
    assert active in live if live else active is None
    for version, asset in assets.items():
        assert version == 1 or asset["previous_asset_id"] in {each["id"] for each in assets.values()} | {None}


def draw(pair: Pair, client: httpx.Client, shot: Illustrated, number: int) -> httpx.Response:
    marker = {"op_type": "marker", "geometry": {"x": number / 100, "y": 0.1, "w": 0.2, "h": 0.2}}
    body = {"base_asset_id": shot.asset_id, "operations": [marker]}
    return client.post(f"anchors/{shot.anchor_id}/annotations", json=body)


def replace(pair: Pair, client: httpx.Client, shot: Illustrated, number: int) -> httpx.Response:
    """Ask for another frame, and do what a worker does with that."""
    body = {
        "instruction_id": shot.job.instruction_id,
        "instruction_version_id": shot.instruction_version_id,
        "timestamp_ms": number * 10,
    }
    answer = client.post(f"anchors/{shot.anchor_id}/replace", json=body)
    if answer.status_code == 202:
        task_id = answer.json()["task_id"]
        pair.store.begin_screenshot(task_id)
        blob = pair.artifacts.put_bytes(f"taken/{task_id}.png", screen(task_id), "image/png")
        pair.store.finish_screenshot(task_id, NewFrame(blob=blob, width=320, height=200, pts_ms=number * 10))
    return answer


def delete(pair: Pair, client: httpx.Client, shot: Illustrated, number: int) -> httpx.Response:
    """Delete whatever shows now."""
    shown = client.get(f"anchors/{shot.anchor_id}").json()["active_asset_id"] or shot.asset_id
    return client.delete(f"anchors/{shot.anchor_id}/assets/{shown}")


WORK: tuple[Callable[[Pair, httpx.Client, Illustrated, int], httpx.Response], ...] = (draw, replace, delete)
