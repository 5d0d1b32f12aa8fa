"""Painters and moderators over real HTTP, and the poster that needs neither."""

import io
from typing import Any

import pytest
from PIL import Image

from activities.imaging.openai import OpenAiModerator, OpenAiPainter
from activities.imaging.poster import EmbeddedPoster, poster
from activities.pictures.opening import MOST_BYTES
from activities.providers import ProviderClient
from activities.providers.outputs import OutputFetch
from activities.stages.image import inspected, made_small
from domain.errors import (
    ContentRejected,
    GuidesmithError,
    ProviderAccessDenied,
    ProviderAnswerInvalid,
    ProviderRateLimited,
    ProviderRequestRefused,
    ProviderTimeout,
    ProviderUnavailable,
    RequestInvalid,
)
from domain.orders.picture import SIZES, PictureOrder, check_params
from starter.sandbox import Behaviour, Cut, RunningSandbox

pytest_plugins = ("tests.sandbox",)

PROMPT = "a quiet harbour"


def painter(
    sandbox: RunningSandbox, model: str = "sandbox-images", base_url: str | None = None, timeout_s: float = 60.0
) -> OpenAiPainter:
    client = ProviderClient(sandbox.base_url, api_key="key", timeout_s=timeout_s)
    fetch = OutputFetch(base_url or sandbox.base_url, size_bytes=MOST_BYTES)
    return OpenAiPainter(client, fetch, model=model)


def paint(
    sandbox: RunningSandbox,
    prompt: str = PROMPT,
    model: str = "sandbox-images",
    timeout_s: float = 60.0,
    **params: Any,
) -> bytes:
    wish = PictureOrder(prompt=prompt, params=params)
    asked = painter(sandbox, model, timeout_s=timeout_s)
    return asked.paint(wish, request_id="job-1-1", stop=lambda: None).data


@pytest.mark.parametrize("model", ["sandbox-images", "sandbox-images-b64"])
def test_given_an_address_or_the_picture_itself_when_painted_then_the_bytes_come(
    sandbox: RunningSandbox, model: str
) -> None:
    facts = inspected(paint(sandbox, model=model, size="512x512"))
    assert (facts.media_type, facts.width, facts.height) == ("image/png", 512, 512)


def test_given_params_when_asked_then_only_what_the_endpoint_knows_is_sent_and_a_repeat_can_be_told(
    sandbox: RunningSandbox,
) -> None:
    paint(sandbox, size="512x512", quality="high", n=9, secret="x")
    (sent,) = sandbox.requests("images")
    assert sent["body"] == {
        "model": "sandbox-images",
        "prompt": PROMPT,
        "n": 1,
        "size": "512x512",
        "quality": "high",
    }
    assert sent["headers"]["idempotency-key"] == "job-1-1"
    assert sent["authorized"]


@pytest.mark.parametrize(
    ("behaviour", "error"),
    [
        (Behaviour(status=429, retry_after=7), ProviderRateLimited),
        (Behaviour(status=500), ProviderUnavailable),
        (Behaviour(hang=True), ProviderTimeout),
        (Behaviour(cut=Cut.JSON), ProviderAnswerInvalid),
        (Behaviour(cut=Cut.CONNECTION), ProviderUnavailable),
        (Behaviour(status=401), ProviderAccessDenied),
        (Behaviour(status=404), ProviderRequestRefused),
        (Behaviour(status=400, code="content_policy_violation"), ContentRejected),
        (Behaviour(status=400, code="moderation_blocked"), ContentRejected),
        (Behaviour(body={"data": [{"nsfw": True, "url": "http://x/"}]}), ContentRejected),
        (
            Behaviour(body={"data": [{"content_filter_results": {"violence": {"filtered": True}}}]}),
            ContentRejected,
        ),
        (Behaviour(body={"data": []}), ProviderAnswerInvalid),
        (Behaviour(body={"data": [{}]}), ProviderAnswerInvalid),
        (Behaviour(body=[]), ProviderAnswerInvalid),
        (Behaviour(body={"data": [{"b64_json": "???"}]}), ProviderAnswerInvalid),
        (Behaviour(body={"data": [{"url": "http://127.0.0.1:1/x.png"}]}), ProviderAnswerInvalid),
        (Behaviour(body={"data": [{"url": "http://169.254.169.254/latest"}]}), ProviderAnswerInvalid),
        (Behaviour(body={"data": [{"url": "file:///etc/passwd"}]}), ProviderAnswerInvalid),
        (Behaviour(body={"data": [{"url": "http://[::1"}]}), ProviderAnswerInvalid),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else None,
)
def test_given_what_goes_wrong_when_painted_then_the_error_says_what_and_nothing_of_the_prompt(
    sandbox: RunningSandbox, behaviour: Behaviour, error: type[GuidesmithError]
) -> None:
    sandbox.script("images", behaviour)
    with pytest.raises(error) as raised:
        paint(sandbox, timeout_s=1.0 if behaviour.hang else 60.0)
    assert type(raised.value) is error
    assert PROMPT not in raised.value.message


def test_given_an_output_that_has_expired_when_fetched_then_it_is_asked_for_again(sandbox: RunningSandbox) -> None:
    with pytest.raises(ProviderAnswerInvalid, match="410"):
        paint(sandbox, "an expired ticket")


def test_given_a_picture_larger_than_is_kept_when_fetched_then_it_is_not_read_on(sandbox: RunningSandbox) -> None:
    fetch = OutputFetch(sandbox.base_url, size_bytes=100)
    client = ProviderClient(sandbox.base_url, timeout_s=60.0)
    with pytest.raises(ProviderAnswerInvalid, match="100 bytes"):
        OpenAiPainter(client, fetch, model="m").paint(PictureOrder(prompt=PROMPT), request_id="r", stop=lambda: None)


def test_given_another_host_than_the_providers_own_when_it_is_private_then_it_is_not_asked(
    sandbox: RunningSandbox,
) -> None:
    elsewhere = painter(sandbox, base_url="https://images.example.org/v1")
    with pytest.raises(ProviderAnswerInvalid, match="not fetched from"):
        elsewhere.paint(PictureOrder(prompt=PROMPT), request_id="r", stop=lambda: None)


def test_given_moderation_then_what_is_flagged_is_rejected_and_what_is_no_verdict_is_none(
    sandbox: RunningSandbox,
) -> None:
    moderator = OpenAiModerator(ProviderClient(sandbox.base_url, timeout_s=60.0), model="m")
    moderator.check(PROMPT, stop=lambda: None)
    with pytest.raises(ContentRejected):
        moderator.check("flagged", stop=lambda: None)
    sandbox.script("moderations", Behaviour(body={"results": [{}]}))
    with pytest.raises(ProviderAnswerInvalid):
        moderator.check(PROMPT, stop=lambda: None)


@pytest.mark.parametrize("data", [b"", b"<svg/>", b"\x89PNG\r\n\x1a\n" + b"0" * 50])
def test_given_what_is_no_picture_when_kept_then_the_provider_is_asked_again(data: bytes) -> None:
    with pytest.raises(ProviderAnswerInvalid):
        inspected(data)


def test_given_a_wish_when_set_as_a_poster_then_the_same_bytes_and_the_size_that_was_asked_for() -> None:
    for prompt in ("A lighthouse", "日本の古い家", "x" * 300, "word " * 300, "é\u0301 שלום"):
        wish = PictureOrder(prompt=prompt, params={"size": "512x512"})
        made = EmbeddedPoster().paint(wish, request_id="r", stop=lambda: None)
        assert made.data == poster(wish)
        assert inspected(made.data).width == 512
        assert made.model.startswith("embedded-poster")
    assert poster(PictureOrder(prompt="a")) != poster(PictureOrder(prompt="b"))


def test_given_a_wide_picture_when_its_thumbnail_is_made_then_it_keeps_its_shape() -> None:
    facts, data = made_small(poster(PictureOrder(prompt="a", params={"size": "1536x1024"})))
    assert (facts.media_type, facts.width, facts.height) == ("image/png", 1536, 1024)
    with Image.open(io.BytesIO(data)) as small:
        assert (small.format, small.size) == ("JPEG", (320, 213))


@pytest.mark.parametrize("params", [{"size": "9x9"}, {"a": {}}, {"a": "x" * 201}, {str(n): n for n in range(21)}])
def test_given_params_that_are_none_when_checked_then_refused(params: dict[str, Any]) -> None:
    with pytest.raises(RequestInvalid):
        check_params(params)
    assert all(check_params({"size": size}) for size in SIZES)
