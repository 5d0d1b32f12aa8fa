"""What translates documents in a worker."""

from activities.artifacts import ArtifactStore
from activities.store import Store
from activities.tasks.translating import TranslationTasks
from starter.settings import Settings
from starter.wiring import provider_client


def translating(settings: Settings, store: Store, artifacts: ArtifactStore) -> TranslationTasks:
    """What translates documents, where a language model is set up."""
    from activities.drafting.chat.translator import ChatTranslator
    from activities.providers import ChatClient

    translator = None
    if settings.llm_base_url and settings.llm_model:
        client = ChatClient(provider_client(settings, settings.llm_base_url, settings.llm_api_key))
        translator = ChatTranslator(client, settings.llm_model)
    return TranslationTasks(store, artifacts, translator)
