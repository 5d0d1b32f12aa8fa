"""The draft of a recording in which nobody speaks: steps read from what was done and its labels, or one step a settled
screen; no invented word."""

from activities.drafting.acts import Act, Shown
from activities.drafting.language.phonetics import squashed
from activities.drafting.markdown import fenced
from activities.drafting.outline import MAX_STEPS
from activities.drafting.wording import shown_heading
from domain.documents.draft import BlockRole, DraftBlock, DraftWarning
from domain.recordings.media import Scene
from domain.recordings.screen import ChangeKind
from domain.recordings.transcript import SpeechFound

_WHY = {
    SpeechFound.NO_AUDIO_TRACK: "This recording has no audio track, so there is no speech to write down.",
    SpeechFound.SILENT: "The audio of this recording is silent, so there is no speech to write down.",
    SpeechFound.UNHEARD: "These steps were made from the screens of this recording alone.",
    SpeechFound.NO_SPEECH: "Nobody speaks in this recording: its audio holds only other sounds.",
}
_NOT_UNDERSTOOD = "Somebody speaks in this recording, but nothing of it was understood."
_WITH_LABELS = "The steps were read from the screen: what was clicked or filled, and what it is called there."
_WITH_SCREENS = "Each step below is a screen that it shows; describe in your own words what happens there."
_WITHOUT_SCREENS = "It shows no settled screen either, so there are no steps. Write them yourself, or record it again."
_UNREAD = 0.34


def silent_blocks(
    speech: SpeechFound,
    scenes: tuple[Scene, ...],
    shown: Shown | None = None,
    *,
    language: str = "en",
    unclear: bool = False,
) -> tuple[list[DraftBlock], list[DraftWarning]]:
    """The lead that says why there is no text, and the steps: of what was done where that could be read, else one for
    each screen (the longest, where there are too many). ``unclear``: somebody speaks who was not understood."""
    why = _NOT_UNDERSTOOD if unclear and speech is SpeechFound.NO_SPEECH else _WHY[speech]
    warnings = [DraftWarning(code=speech.value.upper(), message=why)]
    if shown is not None and (steps := _read_steps(shown, warnings, language)):
        lead = _WITH_LABELS if speech is SpeechFound.UNHEARD else f"{why} {_WITH_LABELS}"
        return [DraftBlock(role=BlockRole.LEAD, body=lead), *steps], warnings
    lead = f"{why} {_WITH_SCREENS if scenes else _WITHOUT_SCREENS}"
    shown_scenes = list(range(len(scenes)))
    if len(shown_scenes) > MAX_STEPS:
        longest = sorted(shown_scenes, key=lambda place: scenes[place].start_ms - scenes[place].end_ms)[:MAX_STEPS]
        shown_scenes = sorted(longest)
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
        for number, place in enumerate(shown_scenes, start=1)
    ]
    return [DraftBlock(role=BlockRole.LEAD, body=lead), *steps], warnings


def _read_steps(shown: Shown, warnings: list[DraftWarning], language: str) -> list[DraftBlock]:
    """Steps of what was done and can be named; a warning says where something was done that cannot."""
    steps: list[DraftBlock] = []
    unread: list[int] = []
    last: Act | None = None
    for act in shown.acts:
        command = shown.command(act)
        if command is not None:
            heading = f"Run {command}" if len(command) <= 60 else "Run this command"
            steps.append(DraftBlock(role=BlockRole.STEP, heading=heading, body=fenced(command), changes=act.changes))
        elif act.is_read and not (act.kind is ChangeKind.PAGE and not act.has_control):
            if last is not None and _again(last, act):
                continue
            steps.append(DraftBlock(role=BlockRole.STEP, heading=shown_heading(act, language), changes=act.changes))
            last = act
        elif act.has_control:
            unread.append(act.at_ms)
    if not steps:
        return []
    if len(steps) > MAX_STEPS:
        warnings.append(
            DraftWarning(
                code="SCREENS_LIMITED",
                message=f"The recording shows {len(steps)} actions. The first {MAX_STEPS} of them are steps.",
            )
        )
        steps = steps[:MAX_STEPS]
    if unread and len(unread) >= _UNREAD * len(steps):
        warnings.append(
            DraftWarning(
                code="CHANGES_WITHOUT_STEP",
                message=f"The screen changes {len(unread)} times where it could not be read what was clicked. Look at "
                "these moments and add what is missing.",
                at_ms=tuple(unread[:20]),
            )
        )
    return steps


def _again(last: Act, act: Act) -> bool:
    """The same control within a moment: a menu that was opened and chosen from reads as one."""
    return (
        last.kind is act.kind
        and squashed(last.label or "") == squashed(act.label or "")
        and act.at_ms - last.at_ms < 4_000
    )


def clock(moment_ms: int) -> str:
    """``03:07``, or ``1:03:07`` from an hour on."""
    minutes, seconds = divmod(moment_ms // 1000, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes:02}:{seconds:02}"
