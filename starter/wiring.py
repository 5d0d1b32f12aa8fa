"""The one place where parts are put together, from the settings."""

import contextlib
import shutil
import time
from collections.abc import Callable
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

from activities.artifacts import ArtifactStore, ResumePoints, S3Options, StageMemo
from activities.rails.contracts import RunOptions
from activities.rails.dispatching import Terms
from activities.store import Store
from domain.lifecycles.generation import GENERATION, GenerationType
from domain.lifecycles.image import IMAGE
from domain.orders.prompt_guard import PromptGuard
from domain.quotas import OwnerLimits, read_weights
from starter import plugins
from starter.places import confluence_space, notion_page
from starter.setting_values import LOOPBACK_NAMES, listed
from starter.settings import Settings

if TYPE_CHECKING:
    from pydantic import SecretStr

    from activities.analysis.executor import RunLimits
    from activities.drafting import Drafter
    from activities.filming.narration import Narrator
    from activities.generating.making import Maker
    from activities.imaging import Painter
    from activities.providers import ProviderClient
    from activities.providers.predictions import Predictions
    from activities.speech import Recogniser, Recognition
    from activities.stages.adopting import Adoptions
    from activities.stages.analysis import AnalysisParts
    from activities.stages.batch import BatchStages
    from activities.stages.generation import GenerationParts
    from activities.stages.image import ImageStages
    from activities.stages.screen_reading import ScreenReading
    from activities.tasks.documents import DocumentTasks
    from domain.webhooks import Ticket
    from starter.access.openid import IdentityProvider
    from starter.access.tokens import TokenCheck
    from starter.services.generations import GenerationRequests
    from starter.services.images import ImageRequests

LOCAL, LLM = "local", "llm"
"""Model profiles: the built-in drafter, and the configured chat endpoint."""


def open_store(settings: Settings) -> Store:
    """The database. Raises SettingsInvalid for a URL that cannot be read."""
    limits = OwnerLimits(
        open_jobs=settings.max_open_jobs_per_user,
        running_jobs=settings.max_running_jobs_per_user,
        stored_bytes=settings.max_stored_bytes_per_user,
        undeclared_recording=settings.upload_cap_bytes,
        undeclared_input=settings.analysis_file_cap_bytes,
    )
    return Store.open(settings.database, secrets_keys=settings.secrets_keys(), limits=limits)


def open_artifacts(settings: Settings) -> ArtifactStore:
    """The artifact store: a folder, or S3."""
    secret, token = settings.s3_secret_access_key, settings.s3_session_token
    return ArtifactStore.open(
        settings.artifacts,
        s3=S3Options(
            endpoint=settings.s3_endpoint,
            public_endpoint=settings.s3_public_endpoint,
            region=settings.s3_region,
            access_key_id=settings.s3_access_key_id,
            secret_access_key=secret.get_secret_value() if secret else None,
            session_token=token.get_secret_value() if token else None,
            allow_http=bool(settings.s3_endpoint and settings.s3_endpoint.startswith("http://")),
            virtual_hosted=settings.s3_virtual_hosted,
        )
        if settings.artifacts.startswith("s3://")
        else None,
    )


def token_check(settings: Settings) -> "TokenCheck":
    """Who says whom a token speaks for: the identity provider, where one is set, else the shared secret.

    Raises:
        SettingsInvalid: There is neither.
    """
    from starter.access.jwks import JwksTokens, Keys
    from starter.access.tokens import Claims, Tokens

    claims = Claims(settings.auth_issuer, settings.auth_audience, settings.auth_role_claim)
    if settings.auth_jwks_url is None:
        return Tokens(settings.signing_secret(), claims)
    keys = Keys(settings.auth_jwks_url, ttl_s=settings.auth_jwks_ttl_s)
    return JwksTokens(keys, listed(settings.auth_algorithms), claims)


def identity_provider(settings: Settings) -> "IdentityProvider | None":
    """On whose page people sign in; ``None``: they bring a token, or the command line signs them in."""
    from starter.access.openid import Client, IdentityProvider

    if settings.oidc_issuer is None or settings.oidc_client_id is None:
        return None
    secret = settings.oidc_client_secret
    client = Client(
        settings.oidc_issuer,
        settings.oidc_client_id,
        secret.get_secret_value() if secret else None,
        scopes=settings.oidc_scopes,
        parameters=settings.oidc_parameters,
        algorithms=listed(settings.auth_algorithms),
        role_claim=settings.auth_role_claim,
    )
    return IdentityProvider(client, keys_ttl_s=settings.auth_jwks_ttl_s)


def run_options(settings: Settings) -> RunOptions:
    """How runs started by this process execute their stages."""
    return RunOptions(
        heartbeat_timeout_s=settings.heartbeat_timeout_s,
        task_queue_prefix=settings.task_queue_prefix,
        retry_budget=settings.retry_budget,
        external_timeout_s=settings.external_stage_timeout_s,
        reads_screen=settings.screen_reading,
        pieces_at_once=settings.pieces_at_once,
        weights=dict(read_weights(settings.project_weights)),
        live_status=settings.live_status,
    )


def model_profiles(settings: Settings) -> tuple[str, ...]:
    """The profiles that jobs may name; the first is used where they name none."""
    built_in = (LLM, LOCAL) if settings.llm_base_url else (LOCAL,)
    return (settings.draft_provider, *built_in) if settings.draft_provider else built_in


def prompt_guard(settings: Settings) -> PromptGuard:
    """What a picture's prompt must be."""
    return PromptGuard(max_characters=settings.prompt_max_characters, blocklist=listed(settings.prompt_blocklist))


def image_requests(settings: Settings, store: Store) -> "ImageRequests":
    """What makes image jobs."""
    from starter.services.images import ImageRequests

    return ImageRequests(
        store, prompt_guard(settings), price=settings.price_list[IMAGE.kind], quota=settings.image_quota_per_day
    )


def kind_terms(settings: Settings) -> Terms:
    """What the runs of the kinds go by that are started as soon as their jobs are made."""
    return {
        IMAGE.kind: {"max_retries": settings.image_max_retries, "moderated": bool(settings.moderation_base_url)},
        GENERATION.kind: {"deadline_s": settings.predictions_deadline_s},
    }


def image_stages(settings: Settings, store: Store, artifacts: ArtifactStore) -> "ImageStages":
    """The activities of the image job: the configured endpoint paints, or the built-in poster."""
    from activities.imaging.openai import OpenAiModerator, OpenAiPainter
    from activities.imaging.poster import EmbeddedPoster
    from activities.pictures.opening import MOST_BYTES
    from activities.providers.outputs import OutputFetch
    from activities.stages.image import ImageParts, ImageStages

    painter: Painter = EmbeddedPoster()
    if settings.image_base_url and settings.image_model:
        client = provider_client(settings, settings.image_base_url, settings.image_api_key)
        fetch = OutputFetch(settings.image_base_url, size_bytes=MOST_BYTES)
        painter = OpenAiPainter(client, fetch, model=settings.image_model)
    moderator = None
    if settings.moderation_base_url:
        judge = provider_client(settings, settings.moderation_base_url, settings.moderation_api_key)
        moderator = OpenAiModerator(judge, model=settings.moderation_model)
    return ImageStages(ImageParts(store, artifacts, StageMemo(artifacts), painter, moderator))


def run_limits(settings: Settings) -> "RunLimits":
    """What computing a plan may take."""
    from activities.analysis.executor import RunLimits

    return RunLimits(
        memory_bytes=settings.analysis_memory_bytes,
        step_seconds=settings.analysis_step_timeout_s,
        seconds=settings.analysis_timeout_s,
        rows=settings.analysis_result_rows,
        file_bytes=settings.analysis_result_cap_bytes,
        spill_bytes=settings.analysis_spill_bytes,
    )


def analysis_parts(settings: Settings, store: Store, artifacts: ArtifactStore) -> "AnalysisParts":
    """What analyses are planned and computed with: the configured endpoint plans, or the built-in planner."""
    from activities.analysis.planning.chat import ChatPlanner
    from activities.analysis.planning.planner import EmbeddedPlanner, Planner
    from activities.analysis.reading.inputs import InputLimits
    from activities.stages.analysis import AnalysisParts

    embedded = EmbeddedPlanner()
    planner: Planner = embedded
    if settings.llm_base_url and settings.llm_model:
        from activities.providers import ChatClient

        client = ChatClient(provider_client(settings, settings.llm_base_url, settings.llm_api_key))
        planner = ChatPlanner(client, settings.llm_model, with_values=settings.analysis_show_values, embedded=embedded)
    return AnalysisParts(
        store=store,
        artifacts=artifacts,
        planner=planner,
        embedded=embedded,
        input_limits=InputLimits(
            files=settings.analysis_max_files,
            file_bytes=settings.analysis_file_cap_bytes,
            rows=settings.analysis_max_rows,
            columns=settings.analysis_max_columns,
            tables=settings.analysis_max_tables,
            sheets=settings.analysis_max_tables,
            unpacked_bytes=settings.analysis_unpacked_cap_bytes,
            memory_bytes=settings.analysis_memory_bytes,
            seconds=settings.analysis_read_timeout_s,
        ),
        run_limits=run_limits(settings),
        scratch=_scratch(settings),
    )


def generation_requests(settings: Settings, store: Store) -> "GenerationRequests":
    """What makes generation jobs."""
    from starter.services.generations import GenerationRequests

    return GenerationRequests(
        store,
        prompt_guard(settings),
        prices=settings.price_list,
        made=made_types(settings),
        private=settings.scrape_allow_private,
    )


def made_types(settings: Settings) -> frozenset[GenerationType]:
    """What the settings have somebody for who makes it."""
    return frozenset((*_makers(settings), *_prediction_models(settings)))


def generation_parts(settings: Settings, store: Store, artifacts: ArtifactStore) -> "GenerationParts":
    """What the activities of the generation job work with."""
    from activities.generating.results import MOST_BYTES
    from activities.providers.outputs import OutputFetch
    from activities.stages.generation import GenerationParts, OutsideParts

    predictions, outside = build_predictions(settings), None
    if predictions is not None and settings.predictions_base_url is not None:
        outside = OutsideParts(
            provider=settings.predictions_provider,
            predictions=predictions,
            models=_prediction_models(settings),
            outputs=OutputFetch(
                settings.predictions_base_url, size_bytes=MOST_BYTES, timeout_s=settings.provider_timeout_s
            ),
            address=lambda ticket: webhook_address(settings, ticket),
        )
    scratch = _scratch(settings)
    return GenerationParts(store, artifacts, StageMemo(artifacts), _makers(settings, scratch), outside, scratch)


def _prediction_models(settings: Settings) -> dict[GenerationType, str]:
    """The provider's models, by what they make. A voice that is asked directly goes before one that is waited for."""
    models = {
        GenerationType.STATIC_AD: settings.static_ad_model,
        GenerationType.UGC_VIDEO: settings.ugc_video_model,
        GenerationType.TTS: None if settings.tts_base_url else settings.tts_prediction_model,
    }
    return {of: model for of, model in models.items() if model is not None}


def _makers(settings: Settings, scratch: Path | None = None) -> "dict[GenerationType, Maker]":
    """Who makes something in the worker."""
    from activities.generating.copywriting import ChatCopywriter, TemplateCopywriter
    from activities.generating.scraping import PAGE_BYTES, REDIRECTS, PageScraper
    from activities.providers import ChatClient
    from activities.providers.outbound import Bounds, Outbound
    from activities.webhooks import permit

    permitted = permit(private=settings.scrape_allow_private)
    outbound = Outbound(Bounds(size_bytes=PAGE_BYTES, redirects=REDIRECTS), permit=permitted)
    makers: dict[GenerationType, Maker] = {
        GenerationType.COPY: TemplateCopywriter(),
        GenerationType.SCRAPE: PageScraper(outbound, version=metadata.version("guidesmith"), scratch=scratch),
    }
    if settings.llm_base_url and settings.llm_model:  # settings.has_model, as types see it
        chat = ChatClient(provider_client(settings, settings.llm_base_url, settings.llm_api_key))
        makers[GenerationType.COPY] = ChatCopywriter(chat, settings.llm_model)
    speaker = _speaker(settings, scratch)
    if speaker is not None:
        makers[GenerationType.TTS] = speaker
    return makers


def _speaker(settings: Settings, scratch: Path | None) -> "Maker | None":
    """Who speaks in the worker: the configured endpoint, else the voice of this machine; None: it has none."""
    from activities.generating.hosted_speech import MOST_BYTES, HostedSpeech
    from activities.generating.speech import EmbeddedSpeech
    from activities.generating.speech_makers import EmbeddedSpeaker, HostedSpeaker

    if settings.tts_base_url:
        client = provider_client(settings, settings.tts_base_url, settings.tts_api_key, answer_cap_bytes=MOST_BYTES)
        return HostedSpeaker(HostedSpeech(client, model=settings.tts_model, voice=settings.tts_voice), scratch)
    embedded = EmbeddedSpeech(scratch)
    return EmbeddedSpeaker(embedded, scratch) if embedded.available() else None


def _narrator(settings: Settings, scratch: Path | None) -> "Narrator | None":
    """Who reads videos out: who speaks at all."""
    from activities.generating.narrating import Narration

    speaker = _speaker(settings, scratch)
    return Narration(speaker, is_hosted=bool(settings.tts_base_url)) if speaker is not None else None


def batch_stages(settings: Settings, store: Store, artifacts: ArtifactStore) -> "BatchStages":
    """The activities of the batch job."""
    from activities.stages.batch import BatchParts, BatchStages

    return BatchStages(BatchParts(store, artifacts, _scratch(settings)))


def build_drafters(settings: Settings) -> "dict[str, Drafter]":
    """The drafters by model profile."""
    from activities.drafting import LocalDrafter

    drafters: dict[str, Drafter] = {LOCAL: LocalDrafter()}
    if settings.llm_base_url and settings.llm_model:
        from activities.drafting.chat.drafter import ChatDrafter
        from activities.providers import ChatClient

        client = ChatClient(provider_client(settings, settings.llm_base_url, settings.llm_api_key))
        drafters[LLM] = ChatDrafter(client, model=settings.llm_model, sees=settings.llm_pictures)
    if settings.draft_provider:
        drafters[settings.draft_provider] = plugins.drafter(settings.draft_provider)
    return drafters


class LateRecogniser:
    """A recogniser of which only the name is known until it is to hear something: who joins transcripts has neither
    its libraries nor its weights."""

    def __init__(self, name: str, build: "Callable[[], Recogniser]") -> None:
        self.name = name
        self._built = cache(build)

    def recognise(self, audio: Path, **how: Any) -> "Recognition":
        """See :class:`activities.speech.recognition.Recogniser`."""
        return self._built().recognise(audio, **how)


def build_recogniser(settings: Settings) -> "Recogniser":
    """What an installed package brings, the configured endpoint, or Whisper on this machine."""
    if settings.speech_provider:
        return plugins.recogniser(settings.speech_provider)
    if settings.stt_base_url:
        client = provider_client(settings, settings.stt_base_url, settings.stt_api_key)

        def hosted() -> "Recogniser":
            from activities.speech.hosted import OpenAiRecogniser

            return OpenAiRecogniser(client, model=settings.stt_model)

        return LateRecogniser(settings.stt_model, hosted)
    from activities.speech.options import WhisperOptions, weights_name

    options = WhisperOptions(
        model=settings.speech_model,
        device=settings.speech_device,
        compute_type=settings.speech_compute_type,
        threads=settings.speech_threads,
        workers=settings.speech_slots,
    )

    def whisper() -> "Recogniser":
        from activities.speech.whisper import WhisperRecogniser

        return WhisperRecogniser(options)

    return LateRecogniser(weights_name(options.model), whisper)


def build_predictions(settings: Settings) -> "Predictions | None":
    """Who does work and calls back; None: the settings name nobody."""
    from activities.providers.predictions import Predictions

    if settings.predictions_base_url is None:
        return None
    return Predictions(provider_client(settings, settings.predictions_base_url, settings.predictions_api_key))


def callback_base(settings: Settings) -> str | None:
    """How a provider reaches the API; None: it cannot."""
    base = settings.provider_callback_url or settings.public_url
    if base is None and urlsplit(settings.predictions_base_url or "").hostname in LOOPBACK_NAMES and settings.api_port:
        return f"http://127.0.0.1:{settings.api_port}"  # a sandbox on this machine
    return base


def webhook_address(settings: Settings, ticket: "Ticket") -> str | None:
    """Where a provider tells us of the work that the ticket is for; None: it cannot reach us."""
    base = callback_base(settings)
    return base and f"{base}/api/v1/webhooks/{ticket.provider}?{urlencode({'ticket': ticket.token})}"


def provider_client(
    settings: Settings, base_url: str, key: "SecretStr | None", *, answer_cap_bytes: int = 32 << 20
) -> "ProviderClient":
    from activities.providers import ProviderClient

    secret = key.get_secret_value() if key else None
    return ProviderClient(
        base_url, api_key=secret, timeout_s=settings.provider_timeout_s, answer_cap_bytes=answer_cap_bytes
    )


def screen_reading(settings: Settings, store: Store, artifacts: ArtifactStore) -> "ScreenReading":
    """What reads the pictures of recordings, beside their transcription."""
    from activities.stages.screen_reading import ScreenReading

    return ScreenReading(store, artifacts, StageMemo(artifacts), ResumePoints(artifacts))


def build_activities(settings: Settings, store: Store, artifacts: ArtifactStore) -> tuple["Adoptions", "DocumentTasks"]:
    """Everything a worker does, around one store and one artifact store."""
    from activities.decoding import ordering
    from activities.stages.adopting import Adoptions
    from activities.stages.instruction import Parts
    from activities.tasks.documents import DocumentTasks, TaskParts

    drafters = build_drafters(settings)
    recogniser = build_recogniser(settings)
    scratch = _scratch(settings)
    ordering.LIMITS = ordering.Limits(settings.decoder_memory_bytes, scratch)
    default = model_profiles(settings)[0]
    stages = Adoptions(
        Parts(
            library=store,
            artifacts=artifacts,
            memo=StageMemo(artifacts),
            resume_points=ResumePoints(artifacts),
            recogniser=recogniser,
            drafters=drafters,
            default_profile=default,
            private=listed(settings.redact_also),
            scratch=scratch,
            language=settings.speech_language,
            hinting=settings.speech_hints,
            longest_ms=int(settings.max_recording_hours * 3_600_000),
        ),
        store,
    )
    return stages, DocumentTasks(
        TaskParts(
            store=store,
            artifacts=artifacts,
            rewriters=drafters,
            default_profile=default,
            scratch=scratch,
            exporters=plugins.exporters(),
            narrator=_narrator(settings, scratch),
            confluence=confluence_space(settings),
            notion=notion_page(settings),
        )
    )


ABANDONED_AFTER_S = 24 * 3600
"""A temporary folder this old belongs to a worker that was killed: no stage may run that long without touching it."""


def _scratch(settings: Settings) -> Path:
    """The folder for temporary files, without what killed workers left: it may hold somebody's voice."""
    folder = settings.data_dir / "scratch"
    folder.mkdir(parents=True, exist_ok=True)
    for left in folder.glob("guidesmith-*"):
        with contextlib.suppress(OSError):
            if time.time() - left.stat().st_mtime > ABANDONED_AFTER_S:
                shutil.rmtree(left, ignore_errors=True)
    return folder
