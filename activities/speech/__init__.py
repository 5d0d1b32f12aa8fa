"""Speech: from 16 kHz mono audio to words with times.

``recognition`` is what every recogniser offers; ``whisper`` is the local one, ``hosted`` the one behind an
OpenAI-compatible endpoint. ``pieces`` says where long audio can be cut, ``assembly`` makes one transcript of the parts.
The recognisers are imported from their modules, so that a worker that only cuts or assembles loads no weights.
"""

from activities.speech.assembly import assemble
from activities.speech.recognition import Recogniser, Recognition, SpokenSegment, SpokenWord

__all__ = ["Recogniser", "Recognition", "SpokenSegment", "SpokenWord", "assemble"]
