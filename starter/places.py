"""Where guides are put that are published elsewhere, from the settings."""

from typing import TYPE_CHECKING

from starter.settings import Settings

if TYPE_CHECKING:
    from activities.publishing.confluence.space import ConfluenceSpace
    from activities.publishing.notion.page import NotionPage


def confluence_space(settings: Settings) -> "ConfluenceSpace | None":
    from activities.publishing.confluence.space import ConfluenceSpace

    url, of = settings.confluence_space_url, (settings.confluence_user, settings.confluence_token)
    if url is None:
        return None
    return ConfluenceSpace(url, *of, timeout_s=settings.provider_timeout_s, per_project=settings.project_places)


def notion_page(settings: Settings) -> "NotionPage | None":
    from activities.publishing.notion.page import NotionPage

    if settings.notion_parent is None:
        return None
    of = (settings.notion_url, settings.notion_parent, settings.notion_token)
    return NotionPage(*of, timeout_s=settings.provider_timeout_s, per_project=settings.project_places)
