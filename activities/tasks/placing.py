"""Guides put somewhere else: what a worker does where an export's format names a place instead of a file."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from activities.rails.heartbeat import Heartbeat
from domain.documents.publication import MEDIA_TYPES, Publication
from domain.documents.tasks import Export
from domain.errors import ProviderNotConfigured

if TYPE_CHECKING:
    from activities.publishing.confluence.space import ConfluenceSpace
    from activities.publishing.notion.page import NotionPage
    from activities.publishing.publisher import Published


def placed(
    space: "ConfluenceSpace | NotionPage | None",
    publication: Publication,
    export: Export,
    before: Mapping[str, Any] | None,
    out: Path,
    heartbeat: Heartbeat,
) -> "tuple[Published, dict[str, object]]":
    """Put the guide there. The file says where, and so does what is added to the export's provenance.

    Raises:
        ProviderNotConfigured: Nobody said where.
        As ``publish`` of the place.
    """
    from activities.publishing.manuscript import read
    from activities.publishing.naming import filename_of
    from activities.publishing.places import receipt
    from activities.publishing.publisher import Published

    if space is None:
        raise ProviderNotConfigured(f"This worker knows no place for {export.format}. Set up the same as for the API.")
    manuscript = read(publication, heartbeat.check)
    place = space.publish(manuscript, export.instruction_id, before, heartbeat.check)
    path = receipt(place, out)
    name = f"{filename_of(publication.title)}.json"
    return Published(path, MEDIA_TYPES[export.format], name, manuscript.warnings), {"place": asdict(place)}
