"""What a batch makes of recordings: clips and contact sheets. Heavy (PyAV, Pillow): only workers import it."""

from activities.batching.clips import Clip
from activities.batching.isolated import cut
from activities.batching.thumbnails import contact_sheet, small, spread

__all__ = ["Clip", "contact_sheet", "cut", "small", "spread"]
