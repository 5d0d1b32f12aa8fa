"""Who makes pictures out of prompts, and who judges the prompts. Heavy libraries are imported by who needs them."""

from activities.imaging.painters import Moderator, Painted, Painter

__all__ = ["Moderator", "Painted", "Painter"]
