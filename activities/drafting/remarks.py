"""Which of the sentences around steps stand in the document: what explains a step, what warns; not side talk."""

import re
from collections.abc import Sequence

from activities.drafting.language import english, utterances
from activities.drafting.language.phonetics import squashed
from activities.drafting.language.speech_acts import Kind, Reading, is_own

BODY_SENTENCES = 3
"""Of a step's explanation. What matters most is kept; all of it is in the transcript."""
_OUTRO_SENTENCES = 5
_RULES = re.compile(
    r"\b(?:can|cannot|can't|must|mustn't|need|needs|only|never|always|will|won't|should|may|means|allows|requires|"
    r"otherwise|unless|default|kann|können|darf|dürfen|muss|müssen|nur|puede\w*|debe\w*|solo|peut|peuvent|doit|"
    r"doivent|seulement)\b",
    re.IGNORECASE,
)
_TAGS = re.compile(r"^(?:got it|i see|oh nice|nice|okay|great|cool|perfect|right|sure|yes|no)\b", re.IGNORECASE)


def without_outro(read: Sequence[Reading], last_step: int) -> list[Reading]:
    """The sentences up to where the speaker takes his leave; nothing up to the last step is taken away."""
    end = len(read)
    floor = max(last_step + 1, end - _OUTRO_SENTENCES)
    closing = [
        number
        for number in range(floor, end)
        if read[number].kind is Kind.COURTESY or english.OUTRO.match(utterances.bare(read[number].text))
    ]
    return list(read[: closing[0]] if closing else read)


def explains(reading: Reading, language: str) -> bool:
    """Whether the sentence says something of the thing itself rather than of the speaker, and is no bare answer."""
    if reading.kind is not Kind.REMARK or is_own(reading, language):
        return False
    return len(reading.text.split()) >= 4 and not (language == "en" and _TAGS.match(utterances.bare(reading.text)))


def that_matter(sentences: Sequence[Reading], heading: str, names: Sequence[str]) -> list[Reading]:
    """At most :data:`BODY_SENTENCES`, in order: those that share words with step and screen, or state a rule."""
    if len(sentences) <= BODY_SENTENCES:
        return list(sentences)
    wanted = {squashed(word) for text in (heading, *names) for word in text.split() if len(word) > 3}

    def weight(place: int) -> tuple[float, int]:
        words = {squashed(word) for word in sentences[place].text.split()}
        return len(words & wanted) + bool(_RULES.search(sentences[place].text)), -place

    best = sorted(range(len(sentences)), key=weight, reverse=True)[:BODY_SENTENCES]
    return [sentences[place] for place in sorted(best)]
