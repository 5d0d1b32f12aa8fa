"""A speech service with settings of its own. One with another interface implements ``activities.speech.Recogniser``."""

import os

from activities.providers import ProviderClient
from activities.speech import Recogniser
from activities.speech.hosted import OpenAiRecogniser


def remote_whisper() -> Recogniser:
    """Chosen by ``GUIDESMITH_SPEECH_PROVIDER=remote-whisper``; asks ``REMOTE_WHISPER_URL``."""
    client = ProviderClient(os.environ["REMOTE_WHISPER_URL"], api_key=os.environ.get("REMOTE_WHISPER_KEY"))
    return OpenAiRecogniser(client, model="whisper-large-v3")
