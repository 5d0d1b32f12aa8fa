"""Whether a text has anything to do with the words that it cites."""

from collections.abc import Sequence

from activities.drafting.markdown import letters_only, plain_words
from activities.drafting.sentences import UNSPACED
from domain.transcript import Segment

_STEM = 4
"""Letters that two forms of one word share ('click', 'clicking'): crude, and enough to find no relation at all."""

_WORDS_NEEDED = 3
"""With fewer words on either side a paraphrase need not share one."""


_EVERYWHERE = frozenset(
    (
        *("the", "and", "for", "you", "your", "with", "this", "that", "then", "from", "are", "will", "can", "into"),
        *("der", "die", "das", "und", "les", "des", "une", "los", "las", "del", "que", "het", "een"),
    )
)
"""Words that relate any two texts."""


def ungrounded(text: str, cited: Sequence[Segment]) -> bool:
    """Whether the text shares not one word of three letters or more with the segments.

    Scripts without spaces are not judged: their words cannot be told apart here.
    """
    said = _stems(" ".join(segment.text for segment in cited))
    written = _stems(plain_words(text))
    if len(said) < _WORDS_NEEDED or len(written) < _WORDS_NEEDED:
        return False
    return not said & written


def _stems(text: str) -> set[str]:
    words = (letters_only(word) for word in text.split())
    return {word[:_STEM] for word in words if len(word) >= 3 and word not in _EVERYWHERE and not UNSPACED.search(word)}
