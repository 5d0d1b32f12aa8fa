"""Hearing a recording: what is said in it, piece by piece, saved as it is found, and put together as its transcript."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from pydantic import BaseModel, Field, TypeAdapter

from activities.rails.stage import Work
from domain.artifacts import Artifact, ArtifactKind
from domain.canonical import digest
from domain.documents.draft import DraftWarning, glossary_corrected
from domain.jobs import Job, NewArtifact
from domain.recordings.corrections import Correction, applicable
from domain.recordings.glossary import SegmentPut, Term, put_right_in
from domain.recordings.transcript import NO_LANGUAGE, Transcript

if TYPE_CHECKING:
    from activities.artifacts import ArtifactStore, ResumePoints
    from activities.speech import Recogniser, SpokenSegment

NO_AUDIO = "application/vnd.guidesmith.no-audio+json"
"""Media type of the audio checkpoint of a recording without an audio track."""

SAVE_EVERY_S = 3.0
"""Seconds of work that a killed transcription loses at most, besides the stretch being decoded."""

TRANSCRIPTION = "4"
"""Version of what is remembered of a transcription: raised when it would answer differently."""


class Heard(BaseModel):
    """A transcription under way: what was found so far, and from where to go on. Kept in the artifact store."""

    resume_ms: int
    language: str | None = None
    language_probability: float | None = None
    likely_language: str | None = None
    ended: bool = False
    resumed_from_ms: int | None = None
    unclear: list[tuple[int, int]] = Field(default_factory=list)
    segments: list[dict[str, object]]


class Corrections(Protocol):
    """What of the store says how a transcript reads."""

    def corrections(self, job_id: str) -> tuple[Correction, ...]: ...
    def add_corrections(self, job_id: str, put: Sequence[SegmentPut]) -> None: ...
    def glossary(self, owner: str, project_id: str | None) -> tuple[Term, ...]: ...


def put_right(library: Corrections, job: Job, heard: Transcript) -> tuple[DraftWarning, ...]:
    """Correct what the glossary of the recording's owner is sure of, and say so. What somebody has corrected, or has
    undone, stays as it is."""
    terms = library.glossary(job.owner, job.project_id)
    put = put_right_in(heard, terms)
    if not put:
        return ()
    library.add_corrections(job.id, put)
    stands = {number: each.text for number, each in applicable(heard, library.corrections(job.id)).items()}
    return glossary_corrected(each for each in put if stands.get(each.segment) == each.text)


class Transcription:
    """Transcribes audio that is an artifact of a job.

    Args:
        language: The spoken language where the job names none; ``None``: detect it.
        hints: Words of a job's recording that may be misheard. What was begun with others is gone on with all the
            same: they are no part of what a resume point is known by.
    """

    def __init__(
        self,
        artifacts: "ArtifactStore",
        resume_points: "ResumePoints",
        recogniser: "Recogniser",
        language: str | None,
        hints: Callable[[Job], Sequence[str]] = lambda _: (),
    ) -> None:
        self._hints = hints if getattr(recogniser, "takes_hints", False) else lambda _: ()
        self._artifacts = artifacts
        self._resume_points = resume_points
        self._recogniser = recogniser
        self._language = language

    def forget(self, work: Work, audio: Artifact) -> None:
        """Nothing will go on from what was saved of the whole."""
        self._resume_points.clear(work.job.owner, "transcript", self.inputs(work, audio))

    def inputs(self, work: Work, audio: Artifact) -> dict[str, str]:
        """What a transcript depends on."""
        return {
            "audio": audio.blob.checksum_sha256,
            # The transcript says how long the recording is. Films of any length may share their sound, or have none.
            "duration_ms": str(duration_ms(audio)),
            "model": self._recogniser.name,
            "language": work.job.language or self._language or "",
            "version": TRANSCRIPTION,
        }

    def inputs_with_hints(self, work: Work, inputs: dict[str, str]) -> dict[str, str]:
        """``inputs``, and the words that the recogniser is told, if it is told any."""
        hints = self._hints(work.job)
        return {**inputs, "hints": digest(*hints)} if hints else inputs

    def piece_inputs(self, work: Work, audio: Artifact, unit: int) -> dict[str, str]:
        """The same for piece ``unit``, from 1."""
        return {**self.inputs(work, audio), "piece": str(unit)}

    def hear_piece(self, work: Work, audio: Artifact) -> None:
        """Recognise the piece that ``work`` is about (``unit`` from 1)."""
        unit = work.call.unit
        self.hear(work, audio, self.piece_inputs(work, audio, unit), cuts(audio)[unit - 1])

    def pieces(self, work: Work, audio: Artifact) -> Iterator[Heard | None]:
        """How far each piece is; ``None``: not begun."""
        for unit in range(1, len(cuts(audio)) + 1):
            yield self._load(work, self.piece_inputs(work, audio, unit))

    def _load(self, work: Work, inputs: dict[str, str]) -> Heard | None:
        saved = self._resume_points.load(work.job.owner, "transcript", inputs)
        return Heard.model_validate_json(saved) if saved is not None else None

    def hear(self, work: Work, audio: Artifact, inputs: dict[str, str], span: tuple[int, int]) -> Heard:
        """Recognise ``span`` (ms) from where an earlier execution stopped, saving as it goes."""
        start_ms, end_ms = span
        heard = self._load(work, inputs) or Heard(resume_ms=start_ms, segments=[])
        if heard.ended:
            return heard
        if heard.resume_ms > start_ms:
            heard.resumed_from_ms = heard.resume_ms
        work.heartbeat.note(resume_ms=heard.resume_ms)
        saved_at = time.monotonic()

        def save() -> None:
            self._resume_points.save(work.job.owner, "transcript", inputs, heard.model_dump_json().encode())

        if work.job.language == NO_LANGUAGE:
            heard.resume_ms, heard.ended = end_ms, True
            save()
            return heard

        def found(segment: "SpokenSegment") -> None:
            nonlocal saved_at
            heard.segments.append(segment.model_dump(mode="json"))
            heard.resume_ms = max(heard.resume_ms, segment.end_ms)
            if time.monotonic() - saved_at >= SAVE_EVERY_S:
                saved_at = time.monotonic()
                save()

        def at(position_ms: int) -> None:
            done = (position_ms - start_ms) / max(end_ms - start_ms, 1)
            if work.call.unit:
                work.check()
                work.heartbeat.note(resume_ms=heard.resume_ms, piece=work.call.unit)
            else:
                work.advance(0.95 * done, resume_ms=heard.resume_ms)

        try:
            with self._artifacts.local_path(audio.blob) as path:
                hints = self._hints(work.job)
                extra: dict[str, Any] = {"hints": hints} if hints else {}
                recognition = self._recogniser.recognise(
                    path,
                    **extra,
                    language=work.job.language or self._language or heard.language,
                    start_ms=heard.resume_ms,
                    end_ms=end_ms,
                    on_segment=found,
                    on_progress=at,
                )
        except Exception:
            save()
            raise
        heard.unclear = [*heard.unclear, *recognition.unclear]
        heard.language = recognition.language or heard.language
        heard.language_probability = recognition.language_probability or heard.language_probability
        heard.likely_language = recognition.likely_language
        heard.resume_ms, heard.ended = end_ms, True
        if work.call.unit:
            save()
        return heard

    def transcript(self, work: Work, audio: Artifact, heard: Sequence[Heard]) -> NewArtifact:
        """What was heard, put together."""
        from activities import speech

        peak = audio.facts.get("peak_dbfs")
        transcript = speech.assemble(
            [[speech.SpokenSegment.model_validate(segment) for segment in piece.segments] for piece in heard],
            duration_ms=duration_ms(audio),
            model=self._recogniser.name,
            language=next((piece.language for piece in heard if piece.language), None),
            language_probability=next((piece.language_probability for piece in heard if piece.language), None),
            likely_language=next((piece.likely_language for piece in heard if piece.likely_language), None),
            peak_dbfs=float(peak) if isinstance(peak, int | float) else None,
            has_audio=has_sound(audio),
            unclear=[span for piece in heard for span in piece.unclear],
            listened=work.job.language != NO_LANGUAGE,
        )
        blob = self._artifacts.put_bytes(
            work.key("transcript.json"), transcript.model_dump_json().encode(), "application/json"
        )
        return NewArtifact(
            kind=ArtifactKind.TRANSCRIPT,
            blob=blob,
            facts={
                "speech": str(transcript.speech),
                "segments": len(transcript.segments),
                "language": transcript.language,
                "duration_ms": transcript.duration_ms,
                "resumed_from_ms": max((piece.resumed_from_ms or 0 for piece in heard), default=0),
            },
        )


def duration_ms(audio: Artifact) -> int:
    """How long the recording is."""
    return int(str(audio.facts["duration_ms"]))


def has_sound(audio: Artifact) -> bool:
    """Whether there is anything to hear."""
    return audio.blob.media_type != NO_AUDIO


def cuts(audio: Artifact) -> list[tuple[int, int]]:
    """The pieces that a long recording is transcribed in, in ms."""
    raw = audio.facts.get("cuts")
    pairs: Iterable[tuple[int, int]] = TypeAdapter(list[tuple[int, int]]).validate_python(raw or [])
    return list(pairs)
