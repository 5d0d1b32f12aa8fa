"""Every setting of the product, read from the environment (prefix ``GUIDESMITH_``) in one place.

How Temporal is reached is the one exception: it follows Temporal's own convention (``TEMPORAL_ADDRESS``,
``TEMPORAL_NAMESPACE``, ``TEMPORAL_API_KEY``, ``TEMPORAL_TLS…``, ``TEMPORAL_PROFILE`` and its TOML file), so that
whatever works for Temporal's tools works here.
"""

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any, Self

from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from domain.credits import AMOUNT_LIMIT, read_prices
from domain.erasure import MOST_DAYS
from domain.errors import SettingsInvalid
from domain.lifecycles.generation import GenerationType
from domain.lifecycles.image import MAX_RETRIES
from domain.orders.prompt_guard import MAX_CHARACTERS
from starter.local.folder import SECRETS_KEY, default_data_dir
from starter.secret_files import SecretFiles
from starter.setting_names import misspelt_variables
from starter.setting_values import (
    DEFAULT_PRICES,
    SECRET_MIN_CHARACTERS,
    Algorithms,
    ArtifactsUrl,
    CounterUrl,
    DatabaseUrl,
    Folder,
    Keeping,
    KeysUrl,
    LogFormat,
    LogLevel,
    Networks,
    NotionParent,
    Origins,
    PluginName,
    PredictionModel,
    PriceList,
    ProjectKeeping,
    ProviderName,
    Rate,
    Scopes,
    StrongSecret,
    StrongSecrets,
    StrongSecretsOrOff,
    WebAddress,
    Weights,
    listed,
    sentence,
)

PREFIX = "GUIDESMITH_"

QUEUES = ("jobs", "media", "speech", "providers")
"""Task queues, by the resource they need."""

MiB = 1 << 20
GiB = 1 << 30


class Settings(BaseSettings):
    """What an operator can set. Durations end in ``_s`` (seconds), sizes in ``_bytes``.

    Make it with :func:`load_settings`, which turns a wrong value into one ``SettingsInvalid`` that names the variable.
    """

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True, extra="ignore", hide_input_in_errors=True)

    data_dir: Folder = Field(default_factory=default_data_dir)
    """Where a local stack keeps everything: databases, artifacts, logs, its lock and its secret."""

    # --- where things are kept -------------------------------------------------------------------------------
    database_url: DatabaseUrl = Field(default="", repr=False)
    """An SQLAlchemy URL: ``sqlite:////absolute/file.db`` or ``postgresql://user:password@host/name``. Empty: SQLite in
    the data folder."""
    artifacts_url: ArtifactsUrl = ""
    """``file:///absolute/folder`` or ``s3://bucket/prefix``. Empty: a folder in the data folder."""
    s3_endpoint: WebAddress | None = None
    s3_public_endpoint: WebAddress | None = None
    """The same store as browsers reach it, for signed URLs, where that differs."""
    s3_region: str = "us-east-1"
    s3_access_key_id: str | None = None
    s3_secret_access_key: SecretStr | None = None
    s3_session_token: SecretStr | None = None
    s3_virtual_hosted: bool = False

    # --- the API ---------------------------------------------------------------------------------------------
    api_host: str = "127.0.0.1"
    api_port: int = Field(default=8400, ge=0, le=65535)
    public_url: WebAddress | None = None
    """How clients reach the API (``https://guidesmith.example.org``), for the URLs in answers. None: by the address
    that the server itself listens on, never by what a stranger's Host header says."""
    auth_secret: StrongSecret | None = None
    """Signs URLs and, without ``auth_jwks_url``, signs and checks tokens (HS256). At least 32 characters."""
    secrets_key: StrongSecrets | None = None
    """Encrypts the secrets of users in the database (those that sign their webhooks, and refresh tokens); at least 32
    characters, the same for every process. Several with commas: the first seals, the others open what they sealed
    before. None: the file ``secrets_key`` of the data folder, which the local stack makes; where there is none, the
    former lie in clear, and refresh tokens are not kept."""
    auth_jwks_url: KeysUrl | None = None
    """Where an identity provider publishes its keys (RFC 7517). Set: its tokens are the only ones that are taken."""
    auth_issuer: str | None = None
    """What a token's ``iss`` must be; None: not checked."""
    auth_audience: str | None = None
    """What a token's ``aud`` must name; None: not checked."""
    auth_algorithms: Algorithms = "RS256,RS384,RS512,ES256,ES384,ES512"
    """The signature algorithms taken from the identity provider, with commas. Tokens of the secret are HS256 only."""
    auth_role_claim: str = Field(default="role", min_length=1, max_length=200)
    """The claim with the caller's role or roles; dots lead into objects (``realm_access.roles``)."""
    auth_jwks_ttl_s: float = Field(default=600.0, ge=1.0, le=24 * 3600.0)
    """How long fetched keys are used before they are fetched again."""
    oidc_issuer: KeysUrl | None = None
    """An OpenID Connect provider, as its ID tokens name it: people sign in on its own page."""
    oidc_client_id: str | None = Field(default=None, max_length=500)
    """What the provider calls this server."""
    oidc_client_secret: SecretStr | None = None
    """Proves this server to the provider; None: a public client, which PKCE alone proves."""
    oidc_scopes: Scopes = "openid profile email"
    """What the provider is asked for, with spaces. Many give a refresh token for ``offline_access`` only."""
    oidc_parameters: str = Field(default="", max_length=1000)
    """What else the provider's page is asked with, as a query (``access_type=offline``)."""
    oidc_name: str = Field(default="", max_length=60)
    """What the button calls the provider; empty: the issuer's host."""
    oidc_signed_out_url: KeysUrl | None = None
    """Where the provider leads who has signed out there; None: to the page that says so."""
    session_ttl_s: int = Field(default=12 * 3600, ge=300, le=90 * 24 * 3600)
    """How long a person stays signed in on the pages without using them. The local stack uses 30 days."""
    session_longest_s: int = Field(default=7 * 24 * 3600, ge=300, le=90 * 24 * 3600)
    """How long a session lasts at most, however often it is used; never longer than the token that it began with. The
    local stack uses 30 days."""
    temporal_ui_url: str | None = None
    """The namespace's page in Temporal's web UI (``https://temporal.example.org/namespaces/default``): the pages link a
    job's run there. The local stack sets its own."""
    rate_limit_default: Rate = "1200/minute"
    """Requests of one user to one route; several limits with semicolons (``20/second;600/minute``), or ``off``."""
    rate_limit_expensive: Rate = "60/minute"
    """The same for routes that start work: uploads, run, retry, regenerate, screenshots, exports."""
    rate_limit_unauthenticated: Rate = "60/minute"
    """Attempts of one client address that are refused as unauthenticated."""
    rate_limit_storage_url: CounterUrl = Field(default="", repr=False)
    """``redis://[:password@]host:port/db`` (``rediss://`` with TLS): counted for all API processes together. Empty:
    each counts for itself."""
    trusted_proxies: Networks = ""
    """Addresses or networks, with commas, whose X-Forwarded-For is believed. Empty: nobody's."""
    cors_origins: Origins = ""
    """Origins (``https://app.example.org``), with commas, whose pages may call the API from a browser. Empty: none."""
    body_timeout_s: float = Field(default=30.0, gt=0.0, le=600.0)
    """How long a JSON body may take to arrive."""
    callback_secret: SecretStr | None = None
    """What external stage runners send as X-Callback-Secret."""
    provider_webhook_secrets: SecretStr | None = None
    """What providers sign their webhooks with: ``name=whsec_…`` with commas; a name twice while its secret changes."""
    webhook_allow_private: bool = False
    """Whether users' webhook endpoints may be on private networks and this machine."""
    recording_retention_days: int | None = Field(default=None, ge=1, le=MOST_DAYS)
    """Days after its upload that a recording is kept, where no run needs it; what was made of it stays. None: for
    ever."""
    job_retention: Keeping = ""
    """Days after their end that jobs are kept with all that is theirs, as ``kind=days`` with commas
    (``image=30,generation=90``). Of a kind that is not named: for ever."""
    project_retention: ProjectKeeping = ""
    """The same for single projects, by their ids, before what is said for all: ``project=days`` of all kinds of jobs,
    ``project/kind=days`` of one, ``project/recording=days`` of recordings, with commas."""
    webhook_retention_days: int = Field(default=30, ge=2, le=3650)
    """How long what was sent to endpoints, and what providers sent, is kept once it is over. A day of it is the time
    for which a delivery may be on its way."""
    upload_cap_bytes: int = Field(default=10 * GiB, ge=1)
    part_size_bytes: int = Field(default=16 * MiB, ge=64 * 1024, le=5 * GiB)
    json_cap_bytes: int = Field(default=MiB, ge=1024)
    download_url_ttl_s: int = Field(default=900, ge=1, le=7 * 24 * 3600)
    upload_url_ttl_s: int = Field(default=24 * 3600, ge=60, le=7 * 24 * 3600)
    max_event_streams: int = Field(default=1000, ge=1)
    """Server-sent event streams one API process serves at once."""
    max_event_streams_per_user: int = Field(default=50, ge=1)
    """Of these, how many one user may have."""
    event_ping_s: float = Field(default=15.0, ge=0.1, le=300.0)
    """How often an event stream says that it is alive: proxies drop a connection that is silent for 30 s or more. A
    client that takes nothing for twice as long is cut off."""

    redact_also: str = Field(default="", repr=False)
    """Words and names, with commas, that are blurred on pictures whenever somebody asks for what is private to be."""

    # --- the engine ------------------------------------------------------------------------------------------
    task_queue_prefix: str = Field(default="guidesmith", min_length=1, max_length=60, pattern=r"^[A-Za-z0-9_.-]+$")
    payload_key: StrongSecretsOrOff | None = None
    """Encrypts what Temporal keeps of jobs; at least 32 characters, the same for every process. Several with commas:
    the first encrypts (``off``: none does), the others open what they encrypted before. None: it lies in clear."""
    heartbeat_timeout_s: float = Field(default=30.0, ge=1.0, le=600.0)
    """After this long without a sign of life a stage is given to another worker. Heartbeats are billed on Temporal
    Cloud; the local stack uses 3."""
    pieces_at_once: int = Field(default=8, ge=0, le=1000)
    """Pieces of one recording that are transcribed at once, at most; 0: as many as there are slots. With
    ``GUIDESMITH_MAX_RUNNING_JOBS_PER_USER`` it limits what one user occupies. Where Temporal is not told to be fair,
    who comes after a long recording waits for these few, not for all that are left of it (144 of twelve hours); eight
    workers of speech, as they are set up, are still busy with one recording."""
    project_weights: Weights = ""
    """How many turns the stages of a project get where others get one, as ``project=weight`` with commas, by the
    projects' ids (``0.001`` to ``1000``). Temporal has to be told to be fair."""
    live_status: bool = False
    """Whether ``GuidesmithStatus`` in Temporal follows the stages and tasks of a job while they work: three billed
    actions more for a recording. Without it it says where a job rests or has ended. The local stack has it, where
    nobody bills."""
    deployment_name: str | None = Field(default=None, max_length=200, pattern=r"^[A-Za-z0-9_-]+$")
    """What the workers of an installation are called together, where Temporal decides by their build id which of them
    a run goes on with; None: any worker takes any run."""
    build_id: str | None = Field(default=None, max_length=200, pattern=r"^[A-Za-z0-9_.+-]+$")
    """Which build this worker is of; None: the version."""
    retry_budget: int = Field(default=10, ge=1, le=100)
    """Executions of one stage before its job fails. Ten, with their pauses, outlast two minutes of a database's
    absence."""
    external_stage_timeout_s: float = Field(default=24 * 3600.0, ge=1.0, le=30 * 24 * 3600.0)
    """How long a job waits for the callback of a stage that a runner outside does, before it fails."""
    graceful_shutdown_s: float = Field(default=10.0, ge=0.0, le=3600.0)
    jobs_slots: int = Field(default=16, ge=1, le=1000)
    media_slots: int = Field(default=2, ge=1, le=1000)
    speech_slots: int = Field(default=1, ge=1, le=1000)
    providers_slots: int = Field(default=16, ge=1, le=1000)
    metrics_host: str = "127.0.0.1"
    metrics_port: int | None = Field(default=None, ge=1, le=65535)
    """Where a worker or an API serves ``/metrics`` and ``/healthz``, beside what others reach. None: nowhere."""

    # --- speech and drafting ---------------------------------------------------------------------------------
    speech_model: str = "multilingual"
    """``multilingual`` (99 languages), ``bundled`` (English only, quicker), a faster-whisper model name, or a
    folder with CTranslate2 weights."""
    speech_language: str | None = None
    """The language of recordings whose uploader named none (``en``, ``de``); None: detected."""
    screen_reading: bool = True
    """Whether the pictures of a recording are read, too: what is shown, and what is done."""
    speech_threads: int | None = Field(default=None, ge=1, le=256)
    """CPU threads of one transcription; None: as many as the machine has."""
    speech_device: str = Field(default="cpu", pattern="^(cpu|cuda|auto)$")
    """Where Whisper runs: ``cpu``, ``cuda`` or ``auto``."""
    speech_compute_type: str = Field(default="int8", pattern="^[a-z0-9_]{3,20}$")
    """CTranslate2's: ``int8`` is the fastest on a CPU, ``float16`` on a GPU."""
    speech_hints: bool = True
    """Whether Whisper is told the right words of the glossary before it listens."""
    speech_provider: PluginName | None = None
    """The speech service of that name which an installed package brings; None: the endpoint below, or Whisper."""
    draft_provider: PluginName | None = None
    """The drafter of that name which an installed package brings: the model profile of jobs that name none."""
    stt_base_url: WebAddress | None = None
    """An OpenAI-compatible endpoint (``https://host/v1``) to transcribe with instead of the local model."""
    stt_api_key: SecretStr | None = None
    stt_model: str = "whisper-1"
    llm_base_url: WebAddress | None = None
    """An OpenAI-compatible endpoint (``https://host/v1``) to draft with; None: the built-in drafter."""
    llm_api_key: SecretStr | None = None
    llm_model: str | None = None
    llm_pictures: bool = False
    """Whether the model is sent pictures of what was done, with what is private blurred. It must take pictures."""
    image_base_url: WebAddress | None = None
    """An OpenAI-compatible endpoint (``https://host/v1``) to make pictures with; None: the built-in poster."""
    image_api_key: SecretStr | None = None
    image_model: str | None = None
    moderation_base_url: WebAddress | None = None
    """An OpenAI-compatible endpoint (``https://host/v1``) that judges pictures' prompts first; None: nobody does."""
    moderation_api_key: SecretStr | None = None
    moderation_model: str = "omni-moderation-latest"
    predictions_base_url: WebAddress | None = None
    """A Replicate-style endpoint (``https://api.replicate.com/v1``) for ads, videos and speech; None: there is none."""
    predictions_api_key: SecretStr | None = None
    predictions_provider: ProviderName = "replicate"
    """What that provider is called in ``provider_webhook_secrets`` and in the address of its webhooks."""
    predictions_deadline_s: float = Field(default=1800.0, ge=1.0, le=7 * 24 * 3600.0)
    """How long its webhook is awaited. Then the provider is asked once."""
    provider_callback_url: WebAddress | None = None
    """How providers reach the API, where that differs from ``public_url``. Neither set: they are given no address, and
    asked at the deadline."""
    static_ad_model: PredictionModel | None = None
    """``owner/name``, ``owner/name:version`` or a version there; None: no ads are made."""
    ugc_video_model: PredictionModel | None = None
    tts_prediction_model: PredictionModel | None = None
    """Speaks, where ``tts_base_url`` is not set. Neither: the built-in voice."""
    tts_base_url: WebAddress | None = None
    """An OpenAI-compatible endpoint (``https://host/v1``) to speak with; None: predictions, or the built-in voice."""
    tts_api_key: SecretStr | None = None
    tts_model: str = "gpt-4o-mini-tts"
    tts_voice: str = "alloy"
    """The voice of texts whose author named none."""
    confluence_space_url: WebAddress | None = None
    """The Confluence space that guides are put into (``https://team.atlassian.net/wiki/spaces/KEY``), or the page in it
    under which they are; None: none is."""
    confluence_user: str | None = None
    confluence_token: SecretStr | None = None
    notion_parent: NotionParent | None = None
    """The page of Notion that guides are put under: its address, or its id; None: none is."""
    notion_token: SecretStr | None = None
    notion_url: WebAddress = "https://api.notion.com"
    project_places: bool = False
    """Whether owners of projects name another space and page for their guides: any that the tokens may write to."""
    scrape_allow_private: bool = False
    """Whether pages on private networks and this machine are scraped."""
    provider_timeout_s: float = Field(default=120.0, ge=1.0, le=3600.0)
    max_recording_hours: float = Field(default=12.0, gt=0.0, le=240.0)

    # --- credits and quotas ----------------------------------------------------------------------------------
    prices: PriceList = DEFAULT_PRICES
    """Credits for one job of each sort, as ``name=credits`` with commas. What is not named keeps its default; 0 is
    free."""
    initial_grant: int = Field(default=1000, ge=0, le=AMOUNT_LIMIT)
    """Credits that the local stack's own user is given, once."""
    max_open_jobs_per_user: int = Field(default=1000, ge=0, le=1_000_000)
    """Jobs of one user that wait, are uploaded to or worked on at once; 0: as many as they like."""
    max_running_jobs_per_user: int = Field(default=200, ge=0, le=1_000_000)
    """Of these, jobs whose run was asked for and has not ended; 0: as many as they like."""
    max_stored_bytes_per_user: int = Field(default=100 * GiB, ge=0)
    """Bytes of one user's files; 0: as many as there is room for."""
    image_quota_per_day: int = Field(default=200, ge=1, le=1_000_000)
    """Pictures that one user may ask for in 24 hours."""
    image_max_retries: int = Field(default=MAX_RETRIES, ge=1, le=20)
    """Executions of one picture that may fail before its job is given up."""
    prompt_max_characters: int = Field(default=MAX_CHARACTERS, ge=1, le=100_000)
    prompt_blocklist: str = ""
    """Words and phrases, with commas, that no picture's prompt may hold."""

    # --- recordings ------------------------------------------------------------------------------------------
    decoder_memory_bytes: int = Field(default=2 * GiB, ge=512 * MiB)
    """Address space of the confined process that decodes a recording or a picture; a worker has one for each of its
    media slots at most."""

    # --- analyses --------------------------------------------------------------------------------------------
    analysis_max_files: int = Field(default=10, ge=1, le=100)
    """Input files of one analysis."""
    analysis_file_cap_bytes: int = Field(default=256 * MiB, ge=1024, le=64 * GiB)
    """Bytes of one input file."""
    analysis_unpacked_cap_bytes: int = Field(default=GiB, ge=MiB, le=64 * GiB)
    """Bytes that one workbook may unpack to."""
    analysis_max_rows: int = Field(default=5_000_000, ge=1)
    """Rows of one input table."""
    analysis_max_columns: int = Field(default=300, ge=1, le=10_000)
    """Columns of one input table."""
    analysis_max_tables: int = Field(default=20, ge=1, le=200)
    """Tables in all: one a file, or one a visible sheet of a workbook."""
    analysis_memory_bytes: int = Field(default=2 * GiB, ge=512 * MiB)
    """Address space of the confined process that reads inputs or computes a plan; a worker has one for each of its
    media slots at most."""
    analysis_read_timeout_s: float = Field(default=300.0, ge=1.0, le=24 * 3600.0)
    """How long reading the inputs may take."""
    analysis_step_timeout_s: float = Field(default=120.0, ge=1.0, le=24 * 3600.0)
    """How long one step of a plan may take."""
    analysis_timeout_s: float = Field(default=600.0, ge=1.0, le=24 * 3600.0)
    """How long computing a whole plan may take."""
    analysis_result_rows: int = Field(default=1_000_000, ge=1)
    """Rows of one step's result."""
    analysis_result_cap_bytes: int = Field(default=GiB, ge=MiB)
    """Bytes of one file that a plan's run writes."""
    analysis_spill_bytes: int = Field(default=4 * GiB, ge=64 * MiB)
    """Temporary space of one run."""
    analysis_show_values: bool = False
    """Whether the chat endpoint that drafts plans is shown values of the data, besides names, types and counts."""

    # --- logs ------------------------------------------------------------------------------------------------
    log_level: LogLevel = "INFO"
    log_format: LogFormat = "auto"
    """``json``, ``console``, or ``auto``: console on a terminal, JSON elsewhere."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """What the caller says, then files of secrets, then the environment: ``VARIABLE_FILE`` before an empty one."""
        return init_settings, SecretFiles(settings_cls, env_settings), env_settings

    @field_validator("*", mode="before")
    @classmethod
    def _empty_means_unset(cls, value: Any, info: Any) -> Any:
        """``GUIDESMITH_X=`` in a compose file means "not set"."""
        if value == "" and info.field_name not in ("database_url", "artifacts_url"):
            return cls.model_fields[info.field_name].get_default(call_default_factory=True, validated_data={})
        return value

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if (self.s3_access_key_id is None) != (self.s3_secret_access_key is None):
            raise ValueError("s3_access_key_id and s3_secret_access_key go together: set both or neither")
        if (self.oidc_issuer is None) != (self.oidc_client_id is None):
            raise ValueError("oidc_issuer and oidc_client_id go together: set both or neither")
        if self.llm_base_url and not self.llm_model:
            raise ValueError("llm_base_url needs llm_model, the model's name at that endpoint")
        if self.image_base_url and not self.image_model:
            raise ValueError("image_base_url needs image_model, the model's name at that endpoint")
        models = (self.static_ad_model, self.ugc_video_model, self.tts_prediction_model)
        if any(models) and not self.predictions_base_url:
            raise ValueError("static_ad_model, ugc_video_model and tts_prediction_model need predictions_base_url")
        return self

    # --- derived ---------------------------------------------------------------------------------------------

    @cached_property
    def database(self) -> str:
        """The database's URL, the default filled in."""
        return self.database_url or f"sqlite:///{self.data_dir / 'guidesmith.db'}"

    @cached_property
    def artifacts(self) -> str:
        """The artifact store's URL, the default filled in."""
        return self.artifacts_url or (self.data_dir / "artifacts").as_uri()

    @cached_property
    def price_list(self) -> Mapping[str, int]:
        """Credits by name of ``domain.credits.PRICED``, the defaults filled in. Copy that no model writes costs nothing
        unless a price is given for it: it comes from templates."""
        defaults = read_prices(DEFAULT_PRICES)
        if not self.has_model:
            defaults[GenerationType.COPY] = 0
        return read_prices("" if self.prices == DEFAULT_PRICES else self.prices, defaults)

    @property
    def has_model(self) -> bool:
        """Whether a language model writes here."""
        return bool(self.llm_base_url and self.llm_model)

    def queue(self, name: str) -> str:
        """The task queue of that name, as Temporal knows it."""
        return f"{self.task_queue_prefix}-{name}"

    @staticmethod
    def check_queues(queues: Sequence[str]) -> None:
        """Raises SettingsInvalid for a queue that there is not."""
        unknown = sorted(set(queues) - set(QUEUES))
        if unknown or not queues:
            raise SettingsInvalid(f"Unknown queue: {', '.join(unknown) or 'none'}. Queues: {', '.join(QUEUES)}.")

    def slots(self, queue: str) -> int:
        """How many activities of ``queue`` a worker runs at once."""
        slots: int = getattr(self, f"{queue}_slots")
        return slots

    def secrets_keys(self) -> tuple[str, ...]:
        """What seals the secrets of users: the setting's, else the data folder's; none: they lie in clear."""
        if self.secrets_key is not None and (keys := listed(self.secrets_key.get_secret_value())):
            return keys
        with suppress(OSError):
            return tuple((self.data_dir / SECRETS_KEY).read_text().split())
        return ()

    def payload_keys(self) -> tuple[str, ...]:
        """What encrypts Temporal's payloads, and what opens them; none: nothing does."""
        return listed(self.payload_key.get_secret_value()) if self.payload_key is not None else ()

    def signing_secret(self) -> str:
        """The secret that signs tokens and URLs.

        Raises:
            SettingsInvalid: None is set.
        """
        if self.auth_secret is None:
            raise SettingsInvalid(
                f"{PREFIX}AUTH_SECRET is not set. Give it at least {SECRET_MIN_CHARACTERS} random characters, the same "
                "for every process (`openssl rand -hex 32`)."
            )
        return self.auth_secret.get_secret_value()


def load_settings(**overrides: object) -> Settings:
    """The settings of this process: ``overrides`` first, then the environment, then the defaults.

    Raises:
        SettingsInvalid: A value is wrong, or a variable's name is nearly that of a setting. The message names each
            variable and the reason, never the value.
    """
    for name, meant in misspelt_variables(os.environ, Settings.model_fields, PREFIX):
        raise SettingsInvalid(f"The settings are wrong. {name}: there is no such setting. Is {meant} meant?")
    try:
        return Settings(**overrides)  # type: ignore[arg-type]
    except ValidationError as invalid:
        raise SettingsInvalid(sentence(invalid, PREFIX)) from None
