"""Language codes, and the check that English-only weights are given English."""

from dataclasses import dataclass

from domain.errors import SpeechLanguageUnsupported

OPENING_MS = 40_000
"""Speech after which the language is settled: more than one 30 s block, so that a jingle or a burst of noise that is
taken for speech does not decide."""

LEAST_MS = 4_000
"""With less speech than this in all nothing is said about its language."""

UNDERSTOOD_SHARE = 0.5
"""Share of the speech that must be understood."""

MODEL_SETTING = "GUIDESMITH_SPEECH_MODEL"
LANGUAGE_SETTING = "GUIDESMITH_SPEECH_LANGUAGE"

HOW_TO_MEND = (
    f"Set {MODEL_SETTING} to multilingual weights (multilingual, or a folder or name of a larger Whisper model) and "
    "retry the job."
)


def language_code(language: str | None) -> str | None:
    """``en`` for ``en``, ``EN``, ``en-GB`` and ``en_US``; ``None`` for ``None`` and blanks."""
    if language is None or not language.strip():
        return None
    return language.strip().lower().replace("_", "-").split("-")[0]


_CODES_OF_NAMES = {
    "arabic": "ar", "bulgarian": "bg", "catalan": "ca", "chinese": "zh", "croatian": "hr", "czech": "cs",
    "danish": "da", "dutch": "nl", "english": "en", "estonian": "et", "finnish": "fi", "french": "fr",
    "german": "de", "greek": "el", "hebrew": "he", "hindi": "hi", "hungarian": "hu", "indonesian": "id",
    "italian": "it", "japanese": "ja", "korean": "ko", "latvian": "lv", "lithuanian": "lt", "malay": "ms",
    "mandarin": "zh", "norwegian": "no", "persian": "fa", "polish": "pl", "portuguese": "pt", "romanian": "ro",
    "russian": "ru", "serbian": "sr", "slovak": "sk", "slovenian": "sl", "spanish": "es", "swedish": "sv",
    "tamil": "ta", "thai": "th", "turkish": "tr", "ukrainian": "uk", "urdu": "ur", "vietnamese": "vi",
}  # fmt: skip


def code_of_name(language: str) -> str | None:
    """``de`` for ``german`` and ``German``, which hosted Whisper answers, and for ``de``; ``None`` for the unknown."""
    plain = language.strip().lower()
    code = language_code(plain)
    return _CODES_OF_NAMES.get(plain) or (code if code is not None and len(code) == 2 else None)


def refuse_language(language: str, known: str) -> SpeechLanguageUnsupported:
    """The error for a language that was asked for by code and is not known."""
    return SpeechLanguageUnsupported(
        f"The recording's language is set to {language!r}, and the speech model knows {known}. {HOW_TO_MEND}",
        details={"language": language},
    )


@dataclass
class EnglishCheck:
    """Counts how much of the speech was understood as English.

    The opening decides at once, so that nobody waits an hour for the answer; the whole is looked at again at the end.
    """

    heard_ms: int = 0
    understood_ms: int = 0
    settled: bool = False

    def heard(self, span_ms: int, *, understood: bool) -> None:
        """Count a block of speech.

        Raises:
            SpeechLanguageUnsupported: The opening is over and most of it was not understood.
        """
        self.heard_ms += span_ms
        if understood:
            self.understood_ms += span_ms
        if not self.settled and self.heard_ms >= OPENING_MS:
            self._decide()
            self.settled = True

    def end(self) -> None:
        """The stretch is over.

        Raises:
            SpeechLanguageUnsupported: Most of it was not understood.
        """
        if self.heard_ms >= LEAST_MS:
            self._decide()
        self.settled = True

    def _decide(self) -> None:
        if self.understood_ms < UNDERSTOOD_SHARE * self.heard_ms:
            raise SpeechLanguageUnsupported(
                "The recording does not seem to be in English, the only language that the speech model knows. "
                f"{HOW_TO_MEND} If it is English, but hard to understand, set the job's language (or "
                f"{LANGUAGE_SETTING}) to en.",
                details={"understood_percent": round(100 * self.understood_ms / self.heard_ms)},
            )
