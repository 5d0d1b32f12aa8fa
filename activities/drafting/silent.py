"""The draft of a recording in which nobody speaks: one step a settled screen, and no invented word."""

from activities.drafting.outline import MAX_STEPS
from domain.documents.draft import BlockRole, DraftBlock, DraftWarning
from domain.recordings.media import Scene
from domain.recordings.transcript import SpeechFound

_WHY = {
    SpeechFound.NO_AUDIO_TRACK: "This recording has no audio track, so there is no speech to write down.",
    SpeechFound.SILENT: "The audio of this recording is silent, so there is no speech to write down.",
    SpeechFound.UNHEARD: "These steps were made from the screens of this recording alone.",
    SpeechFound.NO_SPEECH: "Nobody speaks in this recording: its audio holds only other sounds.",
}
_WITH_SCREENS = "Each step below is a screen that it shows; describe in your own words what happens there."
_WITHOUT_SCREENS = "It shows no settled screen either, so there are no steps. Write them yourself, or record it again."


def silent_blocks(speech: SpeechFound, scenes: tuple[Scene, ...]) -> tuple[list[DraftBlock], list[DraftWarning]]:
    """The lead that says why there is no text, and a step for each screen (the longest, where there are too many)."""
    why = _WHY[speech]
    lead = f"{why} {_WITH_SCREENS if scenes else _WITHOUT_SCREENS}"
    warnings = [DraftWarning(code=speech.value.upper(), message=why)]
    shown = list(range(len(scenes)))
    if len(shown) > MAX_STEPS:
        longest = sorted(shown, key=lambda place: scenes[place].start_ms - scenes[place].end_ms)[:MAX_STEPS]
        shown = sorted(longest)
        warnings.append(
            DraftWarning(
                code="SCREENS_LIMITED",
                message=f"The recording shows {len(scenes)} screens. The {MAX_STEPS} that last longest are steps.",
            )
        )
    steps = [
        DraftBlock(
            role=BlockRole.STEP,
            heading=f"Screen {number} at {clock(scenes[place].start_ms)}",
            scenes=(place,),
        )
        for number, place in enumerate(shown, start=1)
    ]
    return [DraftBlock(role=BlockRole.LEAD, body=lead), *steps], warnings


def clock(moment_ms: int) -> str:
    """``03:07``, or ``1:03:07`` from an hour on."""
    minutes, seconds = divmod(moment_ms // 1000, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes:02}:{seconds:02}"
