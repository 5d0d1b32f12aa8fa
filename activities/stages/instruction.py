"""The stages of the instruction job: each says what it reads, what it makes, and nothing of how it is kept safe.

Heavy libraries stay behind the injected parts, so that importing this module (as a workflow does) costs little.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Protocol

from pydantic import TypeAdapter

from activities.rails.stage import Product, StageLedger, Stages, Work, stage
from activities.stages.screen_reading import PARTLY_READ_MESSAGE, UNREADABLE, UNREADABLE_MESSAGE, known_screen
from activities.stages.transcription import (
    NO_AUDIO,
    Corrections,
    Heard,
    Transcription,
    duration_ms,
    has_sound,
    put_right,
)
from domain.artifacts import Artifact, ArtifactKind, Blob
from domain.documents.document import stable_ids
from domain.documents.draft import (
    JOINED_MS,
    BlockRole,
    Draft,
    DraftWarning,
    check_draft,
    joined_recording,
    unclear_speech,
)
from domain.documents.screenshots import NewScreenshot
from domain.documents.versions import NewVersion, VersionOrigin
from domain.errors import ArtifactMissing, MediaHasNoContent, MediaTooLong, ModelNotAllowed, RecordingLost
from domain.jobs import NewArtifact, StageName
from domain.lifecycles.instruction import (
    AUDIO_EXTRACTING,
    AUDIO_READY,
    DRAFT_READY,
    GENERATING,
    TRANSCRIBING,
    TRANSCRIPT_READY,
)
from domain.recordings.corrections import corrected
from domain.recordings.glossary import hints
from domain.recordings.media import Scene
from domain.recordings.screen import PARTLY_READ, ScreenRecord
from domain.recordings.transcript import SpeechFound, Transcript

if TYPE_CHECKING:
    from activities.artifacts import ArtifactStore, ResumePoints, StageMemo
    from activities.drafting import Composed, Drafter
    from activities.speech import Recogniser

EXTRACTION = "3"
SCENES = "1"
"""Versions of what the memos remember: raise one when its stage would answer differently."""

scene_list = TypeAdapter(tuple[Scene, ...])


class Library(StageLedger, Corrections, Protocol):
    """What the stages need of the store."""

    def latest_artifact(self, job_id: str, kind: ArtifactKind) -> Artifact | None: ...
    def private_words(self, owner: str) -> tuple[str, ...]: ...


@dataclass(frozen=True)
class Parts:
    """What the stages work with; wired in one place, at the worker's start.

    Args:
        scratch: Folder for temporary files; must hold the audio of every recording in work (2 MB a minute).
        language: The spoken language where the job names none; ``None``: detect it.
        drafters: By model profile; ``default_profile`` is used where a job names none.
        longest_ms: Recordings longer than this are refused.
        private: Words that are blurred on pictures which leave the machine, besides what is private by its looks.
        hinting: Whether a recogniser that can be told words is told those of the glossary.
    """

    library: Library
    artifacts: "ArtifactStore"
    memo: "StageMemo"
    resume_points: "ResumePoints"
    recogniser: "Recogniser"
    drafters: "Mapping[str, Drafter]"
    default_profile: str
    scratch: Path | None = None
    language: str | None = None
    longest_ms: int = 12 * 3600 * 1000
    private: Sequence[str] = ()
    hinting: bool = False


@dataclass(frozen=True)
class Recorded:
    """A recording, as the stages behind the audio see it."""

    has_picture: bool
    duration_ms: int


class InstructionStages(Stages):
    """The activities of the instruction job."""

    def __init__(self, parts: Parts) -> None:
        super().__init__(parts.library)
        self._parts = parts
        self._transcription = Transcription(
            parts.artifacts,
            parts.resume_points,
            parts.recogniser,
            parts.language,
            lambda job: hints(parts.library.glossary(job.owner, job.project_id)) if parts.hinting else (),
        )

    # --- audio ---------------------------------------------------------------------------------------------

    @stage(
        StageName.AUDIO,
        AUDIO_EXTRACTING,
        checkpoint=AUDIO_READY,
        queue="media",
        summary="check the recording and extract its speech track",
    )
    def extract_audio(self, work: Work) -> Product:
        """The upload, checked and probed; its best audio track as 16 kHz mono FLAC, or the fact that it has none."""
        video = self._recording(work)
        inputs = {"video": video.checksum_sha256, "version": EXTRACTION}
        known = self._parts.memo.get(work.job.owner, "audio", inputs)
        if known is not None:
            blob, facts = known
            return Product([NewArtifact(kind=ArtifactKind.AUDIO, blob=blob, facts={**facts, "reused": True})])
        with self._parts.artifacts.local_path(video) as recording:
            made = self._audio_of(work, recording)
        self._parts.memo.put(work.job.owner, "audio", inputs, made.blob, made.facts)
        return Product([made])

    def _audio_of(self, work: Work, recording: Path) -> NewArtifact:
        from activities import media
        from activities.speech.pieces import plan_pieces

        info = media.probe(recording)
        if info.duration_ms > self._parts.longest_ms:
            hours = self._parts.longest_ms / 3_600_000
            raise MediaTooLong(f"The recording is longer than {hours:g} hours. Cut it into parts and upload each.")
        facts: dict[str, object] = {
            "container": info.container,
            "duration_ms": info.duration_ms,
            "has_video": info.video is not None,
            "has_audio": bool(info.audio),
            "pieces": 0,
            **({"joined": "unread"} if info.joined else {}),
        }
        if info.video is not None:
            facts |= info.video.facts
        if not info.audio:
            if info.video is None:
                raise MediaHasNoContent("The file has neither a picture nor sound. Upload the recording itself.")
            blob = self._parts.artifacts.put_bytes(work.key("no-audio.json"), b'{"audio": null}', NO_AUDIO)
            return NewArtifact(kind=ArtifactKind.AUDIO, blob=blob, facts=facts)
        span = max(info.duration_ms, 1)
        choice = media.pick_speech_track(recording, info, lambda at_ms: work.advance(0.2 * at_ms / span))
        with self._folder() as folder:
            out = folder / "audio.flac"
            heard = media.extract_audio(
                recording,
                choice.index,
                out,
                also=choice.also,
                on_progress=lambda at_ms: work.advance(0.2 + 0.6 * at_ms / span),
            )
            cuts = plan_pieces(out, on_progress=lambda at_ms: work.advance(0.8 + 0.2 * at_ms / span))
            blob = self._parts.artifacts.put_file(
                work.key("audio.flac"), out, "audio/flac", on_progress=lambda _: work.check()
            )
        if info.video is not None and heard.duration_ms > info.duration_ms + JOINED_MS:
            facts["joined"] = "unseen"
        facts |= {
            "duration_ms": max(info.duration_ms, heard.duration_ms),
            "track_index": choice.index,
            "track_reason": str(choice.reason),
            **({"also_heard": list(choice.also)} if choice.also else {}),
            "peak_dbfs": heard.peak_dbfs,
            "rms_dbfs": heard.rms_dbfs,
            "pieces": len(cuts),
            "cuts": [list(cut) for cut in cuts],
        }
        return NewArtifact(kind=ArtifactKind.AUDIO, blob=blob, facts=facts)

    # --- transcript ----------------------------------------------------------------------------------------

    @stage(
        StageName.TRANSCRIPTION,
        TRANSCRIBING,
        checkpoint=TRANSCRIPT_READY,
        queue="speech",
        summary="write down what is said",
    )
    def transcribe(self, work: Work) -> Product:
        """The transcript of the audio; goes on from the resume point of an execution that died."""
        audio = self._require(work, ArtifactKind.AUDIO)
        inputs = self._transcription.inputs(work, audio)
        remembered = self._transcription.inputs_with_hints(work, inputs)
        known = self._parts.memo.get(work.job.owner, "transcript", remembered)
        if known is not None:
            blob, facts = known
            return Product([NewArtifact(kind=ArtifactKind.TRANSCRIPT, blob=blob, facts={**facts, "reused": True})])
        heard = Heard(resume_ms=0, segments=[])
        if has_sound(audio):
            heard = self._transcription.hear(work, audio, inputs, (0, duration_ms(audio)))
        made = self._transcription.transcript(work, audio, [heard])
        self._parts.memo.put(work.job.owner, "transcript", remembered, made.blob, made.facts)
        self._transcription.forget(work, audio)
        return Product([made])

    @stage(
        StageName.TRANSCRIPTION,
        TRANSCRIBING,
        queue="speech",
        summary="write down what is said in one piece",
        activity_name="transcription-piece",
    )
    def transcribe_piece(self, work: Work) -> Product:
        """One piece of a long recording (``unit`` from 1); its words wait in the artifact store for the join."""
        audio = self._require(work, ArtifactKind.AUDIO)
        self._transcription.hear_piece(work, audio)
        pieces = list(self._transcription.pieces(work, audio))
        done = sum(1 for heard in pieces if heard is not None and heard.ended)
        work.advance(0.95 * done / len(pieces))
        return Product()

    @stage(
        StageName.TRANSCRIPTION,
        TRANSCRIBING,
        checkpoint=TRANSCRIPT_READY,
        queue="jobs",
        summary="join the pieces of the transcript",
        activity_name="transcription-join",
    )
    def join_transcript(self, work: Work) -> Product:
        """The pieces of a long recording as one transcript."""
        audio = self._require(work, ArtifactKind.AUDIO)
        heard = []
        for piece in self._transcription.pieces(work, audio):
            if piece is None or not piece.ended:
                raise ArtifactMissing("A piece of the transcript is missing. Retry the job.")
            heard.append(piece)
        return Product([self._transcription.transcript(work, audio, heard)])

    # --- draft ---------------------------------------------------------------------------------------------

    @stage(
        StageName.DRAFT,
        GENERATING,
        queue="providers",
        summary="draft the steps from the transcript",
    )
    def draft(self, work: Work) -> Product:
        """The outline: steps and notes, each citing what it rests on."""
        by_glossary = put_right(self._parts.library, work.job, self._heard(work))
        transcript = self._transcript(work)
        spoken = transcript.speech is SpeechFound.SPEECH
        scenes = () if spoken else self._scenes(work, lambda done: work.advance(0.5 * done), thorough=True)
        read = self._read_screen(work)
        screen = ScreenRecord.model_validate_json(self._parts.artifacts.read_bytes(read.blob)) if read else None
        drafter, more = self._drafter(work), dict[str, Any]()
        if screen is not None and screen.changes and getattr(drafter, "sees", False):
            more["pictures"] = partial(self._pictures, work, screen)
        outline = drafter.draft(
            transcript,
            scenes,
            source_name=work.job.source_name or "",
            screen=screen,
            **more,
            on_progress=lambda done: work.advance(0.5 + 0.5 * done),
        )
        if work.call.screen and screen is None and self._recorded(work).has_picture:
            unread = DraftWarning(code=UNREADABLE, message=UNREADABLE_MESSAGE)
            outline = outline.model_copy(update={"warnings": (*outline.warnings, unread)})
        if screen is not None and PARTLY_READ in screen.warnings:
            partly = DraftWarning(code=PARTLY_READ, message=PARTLY_READ_MESSAGE)
            outline = outline.model_copy(update={"warnings": (*outline.warnings, partly)})
        doubts = (*by_glossary, *self._doubts(work, transcript))
        outline = outline.model_copy(update={"warnings": (*outline.warnings, *doubts)})
        check_draft(outline, transcript, scenes, screen)
        blob = self._parts.artifacts.put_bytes(
            work.key("outline.json"), outline.model_dump_json().encode(), "application/json"
        )
        steps = sum(1 for block in outline.blocks if block.role is BlockRole.STEP)
        facts = {"steps": steps, "warnings": len(outline.warnings), "drafter": outline.provenance.model_profile_id}
        made = [NewArtifact(kind=ArtifactKind.OUTLINE, blob=blob, facts=facts)]
        return Product([*made, read] if read is not None else made)

    def _doubts(self, work: Work, transcript: Transcript) -> tuple[DraftWarning, ...]:
        """What is not in the draft, as nobody understood it or nobody came to it."""
        return (*joined_recording(self._require(work, ArtifactKind.AUDIO).facts), *unclear_speech(transcript))

    def _pictures(self, work: Work, screen: ScreenRecord, changes: Sequence[int]) -> "Iterator[tuple[int, bytes]]":
        """See ``activities.drafting.drafters.Pictures``."""
        from activities.pictures.sending import sent

        wanted = set(changes)
        with self._parts.artifacts.local_path(self._recording(work)) as recording:
            yield from sent(
                recording,
                [each for each in screen.changes if each.id in wanted],
                screen,
                (*self._parts.private, *self._parts.library.private_words(work.job.owner)),
                work.check,
            )

    def _read_screen(self, work: Work) -> NewArtifact | None:
        """What was read off the recording's screen, if it was."""
        if not work.call.screen:
            return None
        return known_screen(self._parts.memo, work.job.owner, self._recording(work))

    def _screen(self, work: Work) -> ScreenRecord | None:
        """As the draft saw it."""
        kept = self._parts.library.latest_artifact(work.job.id, ArtifactKind.SCREEN)
        return ScreenRecord.model_validate_json(self._read(kept)) if kept is not None else None

    def _drafter(self, work: Work) -> "Drafter":
        profile = work.job.model_profile or self._parts.default_profile
        if profile not in self._parts.drafters:
            raise ModelNotAllowed(
                f"There is no model profile {profile[:40]!r}. Profiles: {', '.join(self._parts.drafters)}."
            )
        return self._parts.drafters[profile]

    @stage(
        StageName.ILLUSTRATION,
        GENERATING,
        checkpoint=DRAFT_READY,
        queue="media",
        summary="take the screenshots and store the draft",
    )
    def illustrate(self, work: Work) -> Product:
        """A sharp, settled frame for every step; the document's first version."""
        outline = Draft.model_validate_json(self._read(self._require(work, ArtifactKind.OUTLINE)))
        return self._illustrated(work, outline, self._transcript(work), attempt=work.job.attempt)

    def _illustrated(self, work: Work, outline: Draft, transcript: Transcript, *, attempt: int) -> Product:
        silent = transcript.speech is not SpeechFound.SPEECH
        scenes = self._scenes(work, lambda done: work.advance(0.5 * done), thorough=silent)
        screen = self._screen(work)
        ids = stable_ids(f"{work.job.id}:{attempt}")
        version, composed = first_version(outline, transcript, scenes, ids, screen)
        headings = {each.block_id: block.heading for each, block in zip(composed.evidence, outline.blocks, strict=True)}
        screenshots = self._screenshots(work, composed, scenes, transcript.duration_ms, screen, headings)
        blob = self._parts.artifacts.put_bytes(
            work.key("draft.json"), version.model_dump_json().encode(), "application/json"
        )
        facts = {"blocks": len(composed.evidence), "screenshots": len(screenshots)}
        return Product(
            [NewArtifact(kind=ArtifactKind.DRAFT, blob=blob, facts=facts)], version=version, screenshots=screenshots
        )

    def _screenshots(
        self,
        work: Work,
        composed: "Composed",
        scenes: tuple[Scene, ...],
        duration_ms: int,
        screen: ScreenRecord | None,
        headings: dict[str, str],
    ) -> list[NewScreenshot]:
        from activities.pictures.illustrating import Illustrating

        if not any(each.role is BlockRole.STEP for each in composed.evidence):
            return []
        if not self._recorded(work).has_picture:
            return []
        video = self._recording(work)
        illustrating = Illustrating(
            keep=lambda name, png: self._parts.artifacts.put_bytes(work.key(name), png, "image/png"),
            check=work.check,
            advance=lambda done: work.advance(0.5 + 0.5 * done),
        )
        with self._parts.artifacts.local_path(video) as recording:
            return list(
                illustrating.screenshots(
                    recording, video.checksum_sha256, composed.evidence, scenes, screen, duration_ms, headings
                )
            )

    def _scenes(self, work: Work, advance: "Advance", *, thorough: bool = False) -> tuple[Scene, ...]:
        """The recording's settled screens; found once for each recording. ``thorough``: they are all there is."""
        from activities import media

        recorded = self._recorded(work)
        if not recorded.has_picture:
            return ()
        video = self._recording(work)
        inputs = {"video": video.checksum_sha256, "version": SCENES, "thorough": str(thorough)}
        known = self._parts.memo.get(work.job.owner, "scenes", inputs)
        if known is not None:
            return scene_list.validate_json(self._parts.artifacts.read_bytes(known[0]))
        span = max(recorded.duration_ms, 1)
        with self._parts.artifacts.local_path(video) as recording:
            scenes = media.find_scenes(
                recording,
                effort="thorough" if thorough else "auto",
                on_progress=lambda at_ms: advance(at_ms / span),
            )
        blob = self._parts.artifacts.put_bytes(
            work.key("scenes.json"), scene_list.dump_json(scenes), "application/json"
        )
        self._parts.memo.put(work.job.owner, "scenes", inputs, blob, {"scenes": len(scenes)})
        return scenes

    # --- what the stages read ------------------------------------------------------------------------------

    def _require(self, work: Work, kind: ArtifactKind) -> Artifact:
        artifact = self._parts.library.latest_artifact(work.job.id, kind)
        if artifact is None:
            raise ArtifactMissing(f"The job has no {kind}. Retry it.")
        return artifact

    def _recording(self, work: Work) -> Blob:
        """The recording, which is there: also where what was found in it once is remembered, so that a job whose
        recording was lost ends at once, and not at the first stage that opens it.

        Raises:
            RecordingLost: It is gone.
        """
        video = self._require(work, ArtifactKind.VIDEO).blob
        if not self._parts.artifacts.exists(video.key):
            raise RecordingLost("The recording of this job is gone from the store. Upload it again as a new job.")
        return video

    def _recorded(self, work: Work) -> Recorded:
        """What the stages need to know of the recording: measured with its audio, or now, where a runner outside took
        the audio out of it."""
        from activities import media

        audio = self._parts.library.latest_artifact(work.job.id, ArtifactKind.AUDIO)
        if audio is not None:
            return Recorded(has_picture=bool(audio.facts.get("has_video")), duration_ms=duration_ms(audio))
        with self._parts.artifacts.local_path(self._recording(work)) as recording:
            info = media.probe(recording)
        return Recorded(has_picture=info.video is not None, duration_ms=info.duration_ms)

    def _read(self, artifact: Artifact) -> bytes:
        return self._parts.artifacts.read_bytes(artifact.blob)

    def _transcript(self, work: Work) -> Transcript:
        """What was said, as its reader has corrected it."""
        return corrected(self._heard(work), self._parts.library.corrections(work.job.id))

    def _heard(self, work: Work) -> Transcript:
        return Transcript.model_validate_json(self._read(self._require(work, ArtifactKind.TRANSCRIPT)))

    @contextmanager
    def _folder(self) -> Iterator[Path]:
        with TemporaryDirectory(prefix="guidesmith-", dir=self._parts.scratch) as folder:
            yield Path(folder)


class Advance(Protocol):
    def __call__(self, fraction: float, /) -> None: ...


def first_version(
    outline: Draft,
    transcript: Transcript,
    scenes: tuple[Scene, ...],
    new_id: Callable[[], str],
    screen: ScreenRecord | None = None,
) -> "tuple[NewVersion, Composed]":
    """The document of a draft, and where its blocks stand in the recording. Raises: DraftInvalid."""
    from activities.drafting import compose

    composed = compose(outline, transcript, scenes, new_id, screen)
    version = NewVersion(
        title=composed.title,
        markdown=composed.markdown,
        evidence=tuple(each.model_dump(mode="json") for each in composed.evidence),
        language=outline.language,
        warnings=tuple(each.model_dump(mode="json") for each in outline.warnings),
        origin=VersionOrigin.DRAFT,
        author="guidesmith",
        model_profile_id=outline.provenance.model_profile_id,
        prompt_template_id=outline.provenance.prompt_template_id,
        prompt_params_ref=outline.provenance.prompt_params_ref,
    )
    return version, composed
