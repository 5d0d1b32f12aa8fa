"""Drafting with a model over real HTTP, against the sandbox provider."""

from collections.abc import Iterator

import pytest

from activities.drafting import ChatDrafter, compose
from activities.providers import ChatClient, ProviderClient
from domain.documents.document import BlockEvidence, parse, stable_ids
from domain.documents.draft import BlockRole, check_draft
from domain.documents.validation import validate
from domain.errors import ProviderRateLimited
from starter.sandbox import Behaviour, RunningSandbox, running_sandbox
from tests.unit.drafting_builders import spoken

SAID = spoken("Click the Save button.", "A dialog opens.", "Close the window afterwards.")

PROSE = Behaviour(status=200, body={"choices": [{"message": {"content": "I would rather talk about whales."}}]})


@pytest.fixture(scope="module")
def provider() -> Iterator[RunningSandbox]:
    with running_sandbox() as running:
        yield running


@pytest.fixture
def sandbox(provider: RunningSandbox) -> RunningSandbox:
    provider.reset()
    return provider


def drafter(sandbox: RunningSandbox) -> ChatDrafter:
    return ChatDrafter(ChatClient(ProviderClient(sandbox.base_url, api_key="key")), model="sandbox")


def test_given_a_provider_when_drafted_then_its_answer_becomes_a_document(sandbox: RunningSandbox) -> None:
    draft = drafter(sandbox).draft(SAID, (), source_name="demo.mp4")
    check_draft(draft, SAID)
    assert (draft.provenance.model_profile_id, draft.warnings) == ("llm", ())
    assert next(block.heading for block in draft.blocks if block.role is BlockRole.STEP) == "Click the Save button"
    assert validate(parse(compose(draft, SAID, (), stable_ids("x")).markdown)) == []
    assert sandbox.count("chat") == 1


def test_given_a_provider_when_a_block_is_written_again_then_it_is_that_block(sandbox: RunningSandbox) -> None:
    cited = BlockEvidence(block_id="00000000-0000-4000-8000-000000000001", role=BlockRole.STEP, segments=(2,))
    made = drafter(sandbox).rewrite("## Mine", evidence=cited, transcript=SAID)
    assert made.markdown.startswith("## Close the window afterwards")
    assert made.warnings == ()


def test_given_an_answer_of_prose_when_drafted_then_it_is_asked_again_and_taken(sandbox: RunningSandbox) -> None:
    sandbox.script("chat", PROSE)
    draft = drafter(sandbox).draft(SAID, (), source_name="demo.mp4")
    assert (draft.provenance.model_profile_id, sandbox.count("chat")) == ("llm", 2)


def test_given_prose_twice_when_drafted_then_the_built_in_drafter_takes_over(sandbox: RunningSandbox) -> None:
    sandbox.script("chat", PROSE, PROSE)
    draft = drafter(sandbox).draft(SAID, (), source_name="demo.mp4")
    assert draft.provenance.model_profile_id == "local"
    assert [warning.code for warning in draft.warnings] == ["MODEL_ANSWER_UNUSABLE"]


def test_given_a_busy_provider_when_drafted_then_its_wait_goes_through(sandbox: RunningSandbox) -> None:
    sandbox.script("chat", Behaviour(status=429, retry_after="7"))
    with pytest.raises(ProviderRateLimited) as busy:
        drafter(sandbox).draft(SAID, (), source_name="demo.mp4")
    assert busy.value.retry_after_s == 7
