"""Bringing what a provider made, over real HTTP: what is fetched, from where, how much, and what expired."""

import base64
import io
from collections.abc import Callable
from pathlib import Path

import av
import pytest
from PIL import Image

from activities.providers import ProviderClient
from activities.providers.outbound import Bounds, Outbound
from activities.providers.outputs import OutputFetch
from activities.providers.predictions import Predictions
from domain.errors import (
    Cancelled,
    GuidesmithError,
    ProviderAnswerInvalid,
    ProviderOutputExpired,
    ProviderRateLimited,
    ProviderTimeout,
    ProviderUnavailable,
)
from starter.sandbox import Behaviour, Course, Cut, RunningSandbox

pytest_plugins = ("tests.sandbox",)

ROOM = 1 << 20

Bring = Callable[..., bytes]


@pytest.fixture(params=["read", "save"])
def bring(request: pytest.FixtureRequest, tmp_path: Path) -> Bring:
    """The content of an address, by either way of fetching it."""

    def brought(fetch: OutputFetch, url: str, **how: object) -> bytes:
        if request.param == "read":
            return fetch.read(url, **how)  # type: ignore[arg-type]
        fetch.save(url, tmp_path / "out", **how)  # type: ignore[arg-type]
        return (tmp_path / "out").read_bytes()

    return brought


def fetching(sandbox: RunningSandbox, size_bytes: int = ROOM, timeout_s: float = 30.0) -> OutputFetch:
    return OutputFetch(sandbox.base_url, size_bytes=size_bytes, timeout_s=timeout_s)


def made(sandbox: RunningSandbox, model: str = "sandbox/ads", course: Course | None = None) -> str:
    """The address of what a prediction made."""
    sandbox.plan(course or Course())
    predictions = Predictions(ProviderClient(sandbox.base_url))
    id = predictions.submit(model=model, input={"prompt": "a harbour"}, webhook=None, idempotency_key=model).id
    (url,) = predictions.get(id).outputs
    return url


@pytest.mark.parametrize("inline", [False, True], ids=["address", "data"])
def test_given_a_picture_a_video_and_a_sound_when_brought_then_they_are_real(
    sandbox: RunningSandbox, bring: Bring, inline: bool
) -> None:
    fetch = fetching(sandbox)
    with Image.open(io.BytesIO(bring(fetch, made(sandbox, course=Course(inline=inline))))) as picture:
        assert (picture.format, picture.size) == ("PNG", (512, 512))
    for model, kind in (("sandbox/video", "video"), ("sandbox/tts", "audio")):
        data = bring(fetch, made(sandbox, model, Course(inline=inline)))
        with av.open(io.BytesIO(data), "r") as container:
            (stream,) = container.streams
            assert stream.type == kind
            assert sum(1 for _ in container.decode(stream)) > 10


@pytest.mark.parametrize("status", [403, 404, 410])
def test_given_an_address_whose_time_is_over_when_brought_then_it_has_expired(
    sandbox: RunningSandbox, bring: Bring, status: int
) -> None:
    url = made(sandbox)
    sandbox.script("files", Behaviour(status=status))
    with pytest.raises(ProviderOutputExpired, match=str(status)):
        bring(fetching(sandbox), url)


def test_given_an_output_that_was_gone_at_once_when_brought_then_it_has_expired(
    sandbox: RunningSandbox, bring: Bring
) -> None:
    with pytest.raises(ProviderOutputExpired):
        bring(fetching(sandbox), made(sandbox, course=Course(expired=True)))


@pytest.mark.parametrize(
    ("behaviour", "error"),
    [
        (Behaviour(status=429, retry_after=7), ProviderRateLimited),
        (Behaviour(status=503, retry_after=7), ProviderUnavailable),
        (Behaviour(status=500), ProviderUnavailable),
        (Behaviour(status=408), ProviderUnavailable),
        (Behaviour(status=204), ProviderAnswerInvalid),
        (Behaviour(status=206), ProviderAnswerInvalid),
        (Behaviour(status=400), ProviderAnswerInvalid),
        (Behaviour(status=302, headers={"Location": "http://169.254.169.254/"}), ProviderAnswerInvalid),
        (Behaviour(headers={"Content-Encoding": "gzip"}), ProviderAnswerInvalid),
        (Behaviour(cut=Cut.CONNECTION), ProviderUnavailable),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else None,
)
def test_given_what_goes_wrong_when_brought_then_the_error_says_whether_it_passes(
    sandbox: RunningSandbox, bring: Bring, behaviour: Behaviour, error: type[GuidesmithError]
) -> None:
    url = made(sandbox)
    sandbox.script("files", behaviour)
    with pytest.raises(error) as raised:
        bring(fetching(sandbox), url)
    assert type(raised.value) is error
    assert raised.value.retry_after_s == (7.0 if behaviour.retry_after else None)


def test_given_an_address_that_is_silent_when_brought_then_it_times_out_or_is_given_up(
    sandbox: RunningSandbox, bring: Bring
) -> None:
    url = made(sandbox)
    sandbox.script("files", Behaviour(hang=True, times=2))
    with pytest.raises(ProviderTimeout):
        bring(fetching(sandbox, timeout_s=0.3), url)
    before = sandbox.count("files")  # where much is to do, its time may be over before it is sent
    with pytest.raises(Cancelled):
        bring(fetching(sandbox, timeout_s=60.0), url, stop=lambda: sandbox.count("files") > before)


def test_given_more_than_is_taken_when_brought_then_it_is_not_read_on(sandbox: RunningSandbox, bring: Bring) -> None:
    for inline in (False, True):
        with pytest.raises(ProviderAnswerInvalid, match="100 bytes"):
            bring(fetching(sandbox, size_bytes=100), made(sandbox, course=Course(inline=inline)))


@pytest.mark.parametrize(
    "url",
    [
        "http://169.254.169.254/latest/meta-data",
        "http://127.0.0.1:1/x.png",
        "http://10.0.0.1/x.png",
        "http://[::1]/x.png",
        "http://[::1",
        "http://user:secret@files.test/x.png",
        "file:///etc/passwd",
        "ftp://files.test/x",
        "gopher://127.0.0.1/x",
        "//files.test/x",
        "",
        "https://files.test:22/x",
    ],
)
def test_given_an_address_that_nobody_should_speak_with_when_brought_then_it_is_refused(
    sandbox: RunningSandbox, bring: Bring, url: str
) -> None:
    with pytest.raises(ProviderAnswerInvalid, match="not fetched from"):
        bring(fetching(sandbox), url)


def test_given_another_providers_address_when_ours_is_public_then_what_is_private_is_refused(
    sandbox: RunningSandbox, bring: Bring
) -> None:
    elsewhere = OutputFetch("https://api.replicate.com/v1", size_bytes=ROOM)
    with pytest.raises(ProviderAnswerInvalid, match="not fetched from"):
        bring(elsewhere, made(sandbox))


def test_given_a_file_on_the_providers_own_file_host_when_brought_then_the_name_is_looked_up_and_its_address_checked(
    sandbox: RunningSandbox, bring: Bring
) -> None:
    url = made(sandbox).replace("127.0.0.1", "replicate.test")
    known = Outbound(Bounds(), resolve=lambda *_: ["127.0.0.1"], permit=lambda _: True)
    stranger = Outbound(Bounds(), resolve=lambda *_: ["127.0.0.1"])
    base = "https://api.replicate.com/v1"
    assert bring(OutputFetch(base, size_bytes=ROOM, outbound=known), url)
    with pytest.raises(ProviderAnswerInvalid, match="not fetched from"):
        bring(OutputFetch(base, size_bytes=ROOM, outbound=stranger), url)


@pytest.mark.parametrize(
    ("uri", "content"),
    [
        ("data:,plain%20text", b"plain text"),
        ("data:image/png;base64," + base64.b64encode(b"\x89PNG").decode(), b"\x89PNG"),
        ("DATA:text/plain;charset=utf-8;BASE64,aGk=", b"hi"),
        ("data:;base64,aG k=\n", b"hi"),
        ("data:;base64,aGk%3D", b"hi"),
        ("data:,", b""),
    ],
)
def test_given_a_data_uri_when_brought_then_its_content_comes(
    sandbox: RunningSandbox, bring: Bring, uri: str, content: bytes
) -> None:
    assert bring(fetching(sandbox), uri) == content


@pytest.mark.parametrize("uri", ["data:", "data:image/png;base64", "data:;base64,a", "data:;base64,é!!"])
def test_given_a_malformed_data_uri_when_brought_then_it_is_an_invalid_answer(
    sandbox: RunningSandbox, bring: Bring, uri: str
) -> None:
    with pytest.raises(ProviderAnswerInvalid):
        bring(fetching(sandbox), uri)
