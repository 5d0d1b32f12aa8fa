"""Copy: what is set from templates, and what is taken of a chat model's answer."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from activities.generating.copywriting import ChatCopywriter, TemplateCopywriter
from activities.generating.making import Stop
from domain.errors import Cancelled, ProviderAnswerInvalid
from domain.orders.generation import CopyOrder


def stop() -> None:
    """Nobody stops it."""


def written(order: CopyOrder) -> str:
    return TemplateCopywriter().make(order, request_id="", stop=stop).data.decode()


@given(
    st.builds(
        CopyOrder,
        prompt=st.text(min_size=1, max_size=300).filter(str.strip),
        audience=st.none() | st.text(min_size=1, max_size=80),
        tone=st.sampled_from(["plain", "warm", "bold"]),
        variants=st.integers(1, 5),
    )
)
def test_given_any_order_when_set_from_templates_then_as_many_variants_with_the_prompts_words_each_time(
    order: CopyOrder,
) -> None:
    text = written(order)
    assert text == written(order)
    assert sum(line.startswith("## ") for line in text.split("\n")) >= order.variants
    assert text.count(" ".join(order.prompt.split())) >= order.variants


def test_given_several_variants_then_no_two_are_the_same() -> None:
    parts = written(CopyOrder(prompt="A kettle that whispers", variants=3)).split("## ")[1:]
    assert len(set(parts)) == 3


def test_given_a_stop_when_set_from_templates_then_nothing_is() -> None:
    def stopped() -> None:
        raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        TemplateCopywriter().make(CopyOrder(prompt="x"), request_id="", stop=stopped)


class Chat:
    """A model that says one thing."""

    def __init__(self, said: str) -> None:
        self.said = said
        self.heard: list[dict[str, str]] = []

    def complete_json(
        self,
        messages: Sequence[dict[str, str]],
        *,
        schema: dict[str, Any],
        schema_name: str,
        model: str,
        stop: Stop | None = None,
    ) -> str:
        self.heard = list(messages)
        return self.said


def variant(headline: str = "One", **more: str) -> dict[str, str]:
    return {"headline": headline, "body": "A body.", "call_to_action": "Look", **more}


def test_given_a_models_answer_then_no_more_variants_than_asked_for_and_headlines_stay_one_line() -> None:
    answer = json.dumps({"variants": [variant("One\n# Two"), variant("Three"), variant("Four")]})
    chat = Chat(f"Here you are:\n```json\n{answer}\n```")
    made = ChatCopywriter(chat, "a-model").make(CopyOrder(prompt="a kettle", variants=2), request_id="", stop=stop)
    lines = made.data.decode().splitlines()
    assert [line for line in lines if line.startswith("#")] == ["## One # Two", "## Three"]
    assert (made.model, made.facts, made.media_type) == ("a-model", {"variants": 2}, "text/markdown")
    assert json.loads(chat.heard[-1]["content"]) == {"brief": "a kettle", "tone": "plain", "variants": 2}


@pytest.mark.parametrize(
    "said",
    [
        "",
        "no",
        "{",
        "{}",
        '{"variants": []}',
        '{"variants": [{"headline": "", "body": "b", "call_to_action": "c"}]}',
        '{"variants": [{"headline": 1}]}',
    ],
)
def test_given_an_answer_that_is_no_copy_then_it_is_said_without_quoting_it(said: str) -> None:
    with pytest.raises(ProviderAnswerInvalid) as invalid:
        ChatCopywriter(Chat(said), "m").make(CopyOrder(prompt="canary"), request_id="", stop=stop)
    assert "canary" not in invalid.value.message and (len(said) < 5 or said not in invalid.value.message)
