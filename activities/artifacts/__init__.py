"""The artifact store and what is built on it: memos of pure stages and resume points of long ones."""

from activities.artifacts.memo import ResumePoints, StageMemo
from activities.artifacts.multipart import Multipart, PartAddress, PartsChanged, PartSink, Progress, UploadGone
from activities.artifacts.options import S3Options
from activities.artifacts.store import ArtifactStore, ObjectFacts, content_disposition
from activities.artifacts.writing import ArtifactWriter

__all__ = [
    "ArtifactStore",
    "ArtifactWriter",
    "Multipart",
    "ObjectFacts",
    "PartAddress",
    "PartSink",
    "PartsChanged",
    "Progress",
    "ResumePoints",
    "S3Options",
    "StageMemo",
    "UploadGone",
    "content_disposition",
]
