"""The artifact store and what is built on it: memos of pure stages and resume points of long ones."""

from activities.artifacts.memo import Partial, StageMemo
from activities.artifacts.places import S3Options
from activities.artifacts.store import ArtifactStore, ObjectFacts, Progress, content_disposition
from activities.artifacts.writing import ArtifactWriter

__all__ = [
    "ArtifactStore",
    "ArtifactWriter",
    "ObjectFacts",
    "Partial",
    "Progress",
    "S3Options",
    "StageMemo",
    "content_disposition",
]
