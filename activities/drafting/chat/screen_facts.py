"""What a chat model is told of the screen: facts that it can cite beside the segments."""

from collections.abc import Sequence

from activities.drafting.acts import Act, Shown
from activities.drafting.language.sentences import sentences
from activities.drafting.language.speech_acts import readings
from activities.drafting.sectioning import announced
from activities.drafting.steps import is_english
from domain.recordings.screen import ScreenRecord
from domain.recordings.transcript import Segment, Transcript

_APPEARED = 6
_LETTERS = 60
_WORDS_OF = 20_000
"""Texts of the screen that a model's addresses and code may come from."""


class ScreenFacts:
    """One recording's changes and topics, by the part of the transcript that they happen in."""

    def __init__(self, transcript: Transcript, record: ScreenRecord | None) -> None:
        self.record = record
        self._transcript = transcript
        self._shown = Shown(record) if record is not None else None
        self._topics = self._announced()

    @property
    def words(self) -> list[str]:
        """Everything that was read: what a text may quote."""
        if self.record is None:
            return []
        typed = [text for change in self.record.changes for text in change.appeared]
        return [*(text.text for text in self.record.texts[:_WORDS_OF]), *typed]

    def changes(self, part: Sequence[Segment]) -> list[dict[str, object]]:
        """The changes of a part of the transcript, as a model gets them: no times, which it has no use for."""
        return [self._fact(act, part) for act in self._acts(part)]

    def listed(self, part: Sequence[Segment]) -> set[int]:
        """The ids of those changes."""
        return {number for act in self._acts(part) for number in act.changes}

    def to_show(self, part: Sequence[Segment], most: int) -> list[int]:
        """Of which changes pictures say most, in their order: first of those whose label could not be read."""
        acts = self._acts(part)
        chosen = sorted(acts, key=lambda act: (act.is_read, act.at_ms))[:most]
        return sorted(act.changes[0] for act in chosen)

    def topics(self, part: Sequence[Segment]) -> list[str]:
        first, last = self._span(part)
        return [heading for at_ms, heading in self._topics if first <= at_ms < last]

    def _acts(self, part: Sequence[Segment]) -> list[Act]:
        first, last = self._span(part)
        return [act for act in self._shown.acts if first <= act.at_ms < last] if self._shown else []

    def _span(self, part: Sequence[Segment]) -> tuple[int, int]:
        """From where a part begins to where the next one does; the first and the last reach to the recording's ends."""
        behind = part[-1].id + 1
        ends = len(self._transcript.segments) <= behind
        first = 0 if part[0].id == 0 else part[0].start_ms
        return first, 1 << 62 if ends else self._transcript.segments[behind].start_ms

    def _fact(self, act: Act, part: Sequence[Segment]) -> dict[str, object]:
        during = [segment.id for segment in part if segment.start_ms <= act.at_ms]
        fact: dict[str, object] = {"id": act.changes[0], "kind": str(act.kind)}
        if act.is_read:
            fact["label"] = act.label
        command = self._shown.command(act) if self._shown else None
        if command is not None:
            fact["command"] = command
        elif act.appeared:
            fact["appeared"] = [text[:_LETTERS] for text in act.appeared[:_APPEARED]]
        fact["segment"] = during[-1] if during else part[0].id
        return fact

    def _announced(self) -> list[tuple[int, str]]:
        said = sentences(self._transcript.segments)
        if self._shown is None or not is_english(self._transcript.language, (w for s in said for w in s.text.split())):
            return []
        read = readings(said, "en")
        return [(each.start_ms, each.heading) for each in announced(read, "en", self._shown, [False] * len(read))]
