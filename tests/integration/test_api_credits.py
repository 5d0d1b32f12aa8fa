"""Credits over HTTP and on the command line: what one has, what became of it, and what administrators give."""

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import httpx
import pytest
from typer.testing import CliRunner

from domain.errors import PromptRefused
from domain.jobs import Actor
from domain.lifecycles.lifecycle import Trigger
from starter.access.tokens import Role, Tokens
from starter.cli.app import app
from starter.cli.client import Refused
from starter.cli.exits import UsageWrong
from starter.doctor import _credits
from starter.setting_values import DEFAULT_PRICES
from starter.settings import load_settings
from starter.wiring import prompt_guard
from tests.apis import SECRET, RunningApi


@pytest.fixture
def root(api: RunningApi) -> Iterator[httpx.Client]:
    """An administrator."""
    with api.client("root", Role.ADMIN) as client:
        yield client


@pytest.fixture
def user(api: RunningApi) -> Iterator[httpx.Client]:
    """A caller whom nobody has given anything."""
    subject = f"user-{uuid4().hex}"
    with api.client(subject) as client:
        client.headers["X-Subject"] = subject
        yield client


def subject_of(user: httpx.Client) -> str:
    return str(user.headers["X-Subject"])


def grant(user: httpx.Client, amount: int = 10, key: str = "k", **fields: object) -> dict[str, object]:
    # keys are the administrator's own: each test has its own users, and so its own keys
    return {
        "user_id": subject_of(user),
        "amount": amount,
        "reason": "March",
        "idempotency_key": f"{key}-{subject_of(user)}",
        **fields,
    }


def test_given_a_new_user_when_asked_then_there_is_nothing(user: httpx.Client) -> None:
    assert user.get("credits").json() == {"balance": 0, "reserved": 0, "available": 0}
    assert user.get("credits/entries").json() == {"items": [], "next_cursor": None}


def test_given_a_grant_when_sent_twice_then_given_once_and_with_the_key_of_another_409(
    root: httpx.Client, user: httpx.Client
) -> None:
    first = root.post("admin/credits/grants", json=grant(user))
    again = root.post("admin/credits/grants", json=grant(user))

    assert (first.status_code, again.status_code) == (201, 200)
    assert "Idempotency-Replayed" not in first.headers
    assert again.headers["Idempotency-Replayed"] == "true"
    assert first.json() == again.json()
    assert {"user_id": subject_of(user), "amount": 10, "reason": "March", "granted_by": "root"}.items() <= (
        first.json().items()
    )
    other = root.post("admin/credits/grants", json=grant(user, 11))
    assert (other.status_code, other.json()["code"]) == (409, "IDEMPOTENCY_KEY_CONFLICT")
    assert user.get("credits").json() == {"balance": 10, "reserved": 0, "available": 10}


@pytest.mark.parametrize(
    "fields",
    [
        {"amount": 0},
        {"amount": -5},
        {"amount": 1.5},
        {"amount": "10"},
        {"amount": True},
        {"amount": 10**9 + 1},
        {"user_id": ""},
        {"user_id": "x" * 201},
        {"user_id": "a\tb"},
        {"reason": ""},
        {"idempotency_key": ""},
        {"idempotency_key": None},
    ],
)
def test_given_a_grant_of_the_wrong_shape_when_sent_then_400_says_where(
    root: httpx.Client, user: httpx.Client, fields: dict[str, object]
) -> None:
    answer = root.post("admin/credits/grants", json=grant(user) | fields)
    assert (answer.status_code, answer.json()["code"]) == (400, "VALIDATION_ERROR")
    assert answer.json()["details"]["issues"][0]["path"] == f"body.{next(iter(fields))}"
    assert user.get("credits").json()["balance"] == 0


def test_given_an_editor_when_giving_credits_then_403_before_anything_else(user: httpx.Client) -> None:
    for body in (grant(user), {}):
        answer = user.post("admin/credits/grants", json=body)
        assert (answer.status_code, answer.json()["code"]) == (403, "FORBIDDEN")
    assert user.get("credits").json()["balance"] == 0


def test_given_jobs_that_cost_credits_when_entries_are_paged_then_ones_own_newest_first_and_they_add_up(
    api: RunningApi, root: httpx.Client, user: httpx.Client, bob: httpx.Client
) -> None:
    root.post("admin/credits/grants", json=grant(user, 20))
    owner = subject_of(user)
    project = api.store.create_project(owner, "Pictures").id
    done, _ = (api.store.create_job(owner, project, kind="image", cost=4) for _ in range(2))
    for status in ("running", "completed"):
        api.store.move(done.id, None, status, trigger=Trigger.WORKER, actor=Actor.SYSTEM)

    pages, cursor = [], None
    while True:
        page = user.get("credits/entries", params={"limit": 2, **({"cursor": cursor} if cursor else {})}).json()
        pages.append(page["items"])
        if (cursor := page["next_cursor"]) is None:
            break

    items = [item for page in pages for item in page]
    assert [len(page) for page in pages] == [2, 2, 2]
    assert user.get("credits").json() == {"balance": 16, "reserved": 4, "available": 12}
    assert sum(item["amount"] for item in items) == 16
    assert [item["created_at"] for item in items] == sorted((item["created_at"] for item in items), reverse=True)
    assert {"kind": "capture", "account": "reserved", "amount": -4, "job_id": done.id, "attempt": 1}.items() <= (
        items[0].items()
    )
    assert (items[-1]["kind"], items[-1]["job_id"], items[-1]["reason"]) == ("grant", None, "March")
    assert bob.get("credits/entries").json()["items"] == []


@pytest.mark.parametrize("kind", ["instruction", "image", "generation", "analysis", "batch"])
def test_given_a_kind_when_its_table_is_asked_then_it_is_served_as_json_and_as_a_drawing(
    user: httpx.Client, kind: str
) -> None:
    table = user.get(f"lifecycles/{kind}").json()
    assert table["kind"] == kind
    assert table["repeats_are_noops"] is (kind == "analysis")
    assert user.get(f"lifecycles/{kind}", params={"format": "mermaid"}).text.startswith("stateDiagram-v2")
    assert kind in [each["kind"] for each in user.get("lifecycles").json()["items"]]


# --- the command line ----------------------------------------------------------------------------------------------


@pytest.fixture
def remote(api: RunningApi, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> RunningApi:
    monkeypatch.setenv("GUIDESMITH_API_URL", api.url)
    monkeypatch.setenv("GUIDESMITH_AUTH_SECRET", SECRET)
    monkeypatch.setenv("GUIDESMITH_USER", f"cli-{uuid4().hex}")
    monkeypatch.setenv("GUIDESMITH_DATA_DIR", str(tmp_path / "data"))
    return api


def said(*words: str) -> str:
    answer = CliRunner().invoke(app, ["credits", *words], catch_exceptions=False)
    assert answer.exit_code == 0, answer.output
    return answer.stdout


def test_given_the_secret_when_credits_are_given_and_shown_then_it_is_an_administrator_who_gives(
    remote: RunningApi, user: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    subject = subject_of(user)
    for _ in range(2):
        assert f"{subject} was given 25 credits" in said("grant", subject, "25", "--key", f"cli-{subject}")
    monkeypatch.setenv("GUIDESMITH_USER", subject)
    assert ["25", "0", "25"] in [each.split() for each in said("show").splitlines()]  # beside the API's log
    assert '"balance": 25' in said("show", "--json")
    assert "granted by an administrator" in said("entries")
    assert '"amount": 25' in said("entries", "--json", "--limit", "1")


def test_given_an_editors_token_when_credits_are_given_then_the_api_refuses(
    remote: RunningApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GUIDESMITH_TOKEN", Tokens(SECRET).issue("remote"))
    with pytest.raises(Refused) as refused:
        said("grant", "somebody", "5")
    assert refused.value.code == "FORBIDDEN"


@pytest.mark.parametrize("kind", ["image", "generation", "analysis", "batch"])
def test_given_a_kind_when_its_lifecycle_is_shown_then_the_command_knows_it(kind: str) -> None:
    answer = CliRunner().invoke(app, ["lifecycles", "show", kind])
    assert answer.exit_code == 0
    assert "(none)" in answer.stdout


def test_given_a_status_of_another_kind_when_jobs_are_listed_then_it_is_that_kinds(remote: RunningApi) -> None:
    owner = f"cli-{uuid4().hex}"
    project = remote.store.create_project(owner, "Tables").id
    job = remote.store.create_job(owner, project, kind="batch")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GUIDESMITH_USER", owner)
        for words in (["--status", "queued"], ["--kind", "batch", "--status", "QUEUED"], ["--kind", "batch"]):
            listed = CliRunner().invoke(app, ["jobs", "list", *words], catch_exceptions=False)
            assert job.id in listed.stdout
        for words in (["--kind", "image"], ["--kind", "batch", "--status", "failed"], ["--status", "FAILED"]):
            assert job.id not in CliRunner().invoke(app, ["jobs", "list", *words], catch_exceptions=False).stdout
        with pytest.raises(UsageWrong, match="generation"):
            CliRunner().invoke(app, ["jobs", "list", "--kind", "juggling"], catch_exceptions=False)


# --- the doctor and the settings -------------------------------------------------------------------------------------


def test_given_books_when_the_doctor_looks_then_he_says_that_they_balance(api: RunningApi) -> None:
    assert _credits(api.settings).startswith("the books balance")


def test_given_a_price_list_when_loaded_then_what_it_does_not_name_keeps_its_price(tmp_path: Path) -> None:
    usual = load_settings(data_dir=tmp_path).price_list
    assert load_settings(data_dir=tmp_path, prices="image=0").price_list == {**usual, "image": 0}
    assert ",".join(f"{name}={price}" for name, price in {**usual, "copy": 1}.items()) == DEFAULT_PRICES


def test_given_words_that_no_prompt_may_hold_when_set_then_the_guard_refuses_them(tmp_path: Path) -> None:
    guard = prompt_guard(load_settings(data_dir=tmp_path, prompt_blocklist="gore, bad taste", prompt_max_characters=20))
    assert guard.check("a fox") == "a fox"
    for prompt in ("some Gore", "in bad  taste", "x" * 21):
        with pytest.raises(PromptRefused):
            guard.check(prompt)


def test_given_no_model_that_writes_when_priced_then_copy_is_free_unless_a_price_is_named_for_it(
    tmp_path: Path,
) -> None:
    model = {"llm_base_url": "http://127.0.0.1:9/v1", "llm_model": "writer"}
    assert load_settings(data_dir=tmp_path).price_list["copy"] == 0
    assert load_settings(data_dir=tmp_path, prices="copy=2").price_list["copy"] == 2
    assert load_settings(data_dir=tmp_path, **model).price_list["copy"] == 1
