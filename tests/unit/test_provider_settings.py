"""Providers that call back, and voices, as the settings name them."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from domain.errors import SettingsInvalid
from domain.webhooks import Ticket
from starter.settings import Settings, load_settings
from starter.wiring import build_predictions, webhook_address

SANDBOX = "http://127.0.0.1:8900/v1"
REPLICATE = "https://api.replicate.com/v1"


@pytest.fixture(autouse=True)
def _unset(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in Settings.model_fields:
        monkeypatch.delenv(f"GUIDESMITH_{name.upper()}", raising=False)


def settings(tmp_path: Path, **given: Any) -> Settings:
    return load_settings(data_dir=tmp_path, **given)


def address(settings: Settings) -> str | None:
    ticket = Ticket(token="a+b/c", provider="replicate", job_id="j", attempt=1, created_at=datetime.now(UTC))
    return webhook_address(settings, ticket)


@pytest.mark.parametrize(
    ("given", "base"),
    [
        ({"public_url": "https://guides.example.org/"}, "https://guides.example.org"),
        (
            {"public_url": "https://guides.example.org", "provider_callback_url": "https://hooks.example.org"},
            "https://hooks.example.org",
        ),
        ({"predictions_base_url": SANDBOX, "api_port": 8400}, "http://127.0.0.1:8400"),
    ],
    ids=["public", "its own", "sandbox"],
)
def test_given_where_the_api_is_reached_then_a_provider_is_given_an_address_with_the_ticket(
    tmp_path: Path, given: dict[str, Any], base: str
) -> None:
    assert address(settings(tmp_path, **given)) == f"{base}/api/v1/webhooks/replicate?ticket=a%2Bb%2Fc"


@pytest.mark.parametrize(
    "given", [{}, {"predictions_base_url": REPLICATE}, {"predictions_base_url": SANDBOX, "api_port": 0}]
)
def test_given_an_api_that_cannot_be_reached_then_a_provider_is_given_no_address(
    tmp_path: Path, given: dict[str, Any]
) -> None:
    assert address(settings(tmp_path, **given)) is None


@pytest.mark.parametrize("name", ["static_ad_model", "ugc_video_model", "tts_prediction_model"])
@pytest.mark.parametrize("model", ["owner/name", "owner/name:v1", "0123456789abcdef" * 4])
def test_given_a_models_name_as_replicate_has_it_then_it_is_taken(tmp_path: Path, name: str, model: str) -> None:
    assert getattr(settings(tmp_path, predictions_base_url=REPLICATE, **{name: model}), name) == model


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"static_ad_model": "owner/name"}, "need predictions_base_url"),
        ({"predictions_base_url": REPLICATE, "static_ad_model": "name"}, "STATIC_AD_MODEL: is owner/name"),
        ({"predictions_base_url": REPLICATE, "ugc_video_model": "../x/y"}, "UGC_VIDEO_MODEL"),
        ({"predictions_base_url": "replicate.com"}, "PREDICTIONS_BASE_URL: begins with http"),
        ({"predictions_provider": "Replicate!"}, "PREDICTIONS_PROVIDER"),
        ({"predictions_deadline_s": 0}, "PREDICTIONS_DEADLINE_S"),
        ({"tts_base_url": "voice"}, "TTS_BASE_URL"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_given_a_wrong_value_then_it_is_said_which(tmp_path: Path, given: dict[str, Any], said: str) -> None:
    with pytest.raises(SettingsInvalid) as raised:
        settings(tmp_path, **given)
    assert said in raised.value.message


def test_given_no_provider_then_there_are_no_predictions(tmp_path: Path) -> None:
    assert build_predictions(settings(tmp_path)) is None
    assert build_predictions(settings(tmp_path, predictions_base_url=REPLICATE)) is not None
