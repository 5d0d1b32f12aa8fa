"""A guide as a page of a Confluence space, by the documented REST API: spaces and pages by its version 2, files by
version 1, which alone takes them.

A guide is one page, for as long as that is there: it is found by its id, which an earlier export left behind, or by its
title and the anchor within it, which a worker that died leaves behind. Retries are Temporal's; each ends in the same
page.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from typing import Any
from urllib.parse import quote, urlencode

from pydantic import BaseModel, ConfigDict, SecretStr, ValidationError

from activities.providers.cancellation import Stop
from activities.providers.http import Answer, ProviderClient
from activities.publishing.branding.appearance import LOGO_NAME
from activities.publishing.confluence.storage import Attachment, mark_of, storage
from activities.publishing.manuscript import Manuscript
from activities.publishing.places import Place
from domain.errors import (
    ExportFailed,
    ProviderAnswerInvalid,
    ProviderRequestRefused,
    ProviderUnavailable,
    SettingsInvalid,
)
from domain.jobs import Project
from domain.projects import ConfluencePlace, confluence_place_of

PAGES, CONTENT = "/api/v2/pages", "/rest/api/content"
ATTACHMENTS_AT_ONCE = 250
"""The most that the API lists at once."""
LONGEST_TITLE = 255
"""Characters, by the API's documentation."""
OUR_NAMES = ("step-", "section-", "text-", "note-", "warning-", f"{LOGO_NAME}-")
"""What the names of pictures of ours begin with. Files that somebody else attached to the page stay."""


class _Version(BaseModel):
    number: int


class _Body(BaseModel):
    storage: dict[str, Any] | None = None


class _Page(BaseModel):
    """What is read of a page; it has more."""

    model_config = ConfigDict(extra="ignore")

    id: str
    status: str = "current"
    title: str
    spaceId: str  # noqa: N815 - the API's own
    version: _Version
    body: _Body = _Body()

    def is_of(self, guide_id: str) -> bool:
        held = (self.body.storage or {}).get("value", "")
        return mark_of(guide_id) in str(held)


class ConfluenceSpace:
    """One space.

    Args:
        url: Its address, as the wiki has it (``https://team.atlassian.net/wiki/spaces/KEY``), or that of a page in it,
            under which new pages are put.
        user: Whose ``token`` it is; ``None``: it is sent as a bearer token.
        per_project: Whether projects have spaces of their own.

    Raises:
        SettingsInvalid: The address is none of a space.
    """

    def __init__(
        self,
        url: str,
        user: str | None,
        token: SecretStr | None,
        *,
        timeout_s: float = 120.0,
        per_project: bool = False,
    ) -> None:
        try:
            self._site, self._place = confluence_place_of(url)
        except ValueError as wrong:
            raise SettingsInvalid(f"GUIDESMITH_CONFLUENCE_SPACE_URL {wrong}.") from None
        self._per_project = per_project
        self._client = ProviderClient(self._site, api_key=token, user=user, timeout_s=timeout_s, provider="Confluence")

    def of_project(self, project: Project) -> "ConfluenceSpace":
        """The space of that project's guides: another one of the same site where projects have their own, or this."""
        if project.confluence_space is None or not self._per_project:
            return self
        other = copy(self)
        other._place = ConfluencePlace.parse(project.confluence_space)
        return other

    def publish(self, manuscript: Manuscript, guide_id: str, before: Mapping[str, Any] | None, stop: Stop) -> Place:
        """Write the guide's page and attach its pictures; those of an earlier version that it does not show any more
        are taken away.

        Args:
            before: The place that the guide had, as :class:`Place` has it.

        Raises:
            ExportFailed: Another page of the space has the guide's title.
            ProviderAccessDenied, ProviderRequestRefused: The token may not, or there is no such space.
            ProviderRateLimited, ProviderUnavailable, ProviderTimeout: Try again later.
        """
        title = manuscript.title_text[:LONGEST_TITLE]
        body, attachments = storage(manuscript, guide_id)
        with _told():
            space_id = self._space_id(stop)
            found = self._found(space_id, title, guide_id, before, stop)
            page = (
                self._created(space_id, title, body, stop) if found is None else self._updated(found, title, body, stop)
            )
            self._attach(page.id, attachments, stop)
        url = f"{self._site}/pages/viewpage.action?pageId={page.id}"
        return Place(self._site, page.id, url, page.version.number)

    def _space_id(self, stop: Stop) -> str:
        listed = self._json(self._client.get(f"/api/v2/spaces?{urlencode({'keys': self._place.key})}", stop=stop))
        if not listed.get("results"):
            raise ProviderRequestRefused(
                "Confluence knows no such space, or the token may not see it. Check the project's space, or "
                "GUIDESMITH_CONFLUENCE_SPACE_URL.",
                details={"provider": "Confluence"},
            )
        return str(listed["results"][0]["id"])

    def _found(
        self, space_id: str, title: str, guide_id: str, before: Mapping[str, Any] | None, stop: Stop
    ) -> _Page | None:
        if before and before.get("site") == self._site:
            try:
                page = self._page(f"{PAGES}/{quote(str(before.get('page_id')))}?body-format=storage", stop)
            except ProviderRequestRefused as refused:
                if refused.details.get("status") != 404:
                    raise
            else:
                if page.status == "current" and page.spaceId == space_id:
                    return page
        query = {"space-id": space_id, "title": title, "status": "current", "body-format": "storage"}
        listed = self._json(self._client.get(f"{PAGES}?{urlencode(query)}", stop=stop)).get("results", [])
        pages = [_read(each) for each in listed]
        if pages and not pages[0].is_of(guide_id):
            raise ExportFailed(
                "Another page of the space has the title of this guide. Rename one of them, and export it again."
            )
        return pages[0] if pages else None

    def _created(self, space_id: str, title: str, body: str, stop: Stop) -> _Page:
        new: dict[str, Any] = {
            "spaceId": space_id,
            "status": "current",
            "title": title,
            "body": {"representation": "storage", "value": body},
            **({} if self._place.parent is None else {"parentId": self._place.parent}),
        }
        return _read(self._json(self._client.post(PAGES, json=new, stop=stop)))

    def _updated(self, page: _Page, title: str, body: str, stop: Stop) -> _Page:
        changed = {
            "id": page.id,
            "status": "current",
            "title": title,
            "spaceId": page.spaceId,
            "body": {"representation": "storage", "value": body},
            "version": {"number": page.version.number + 1, "message": "guidesmith"},
        }
        return _read(self._json(self._client.put(f"{PAGES}/{quote(page.id)}", json=changed, stop=stop)))

    def _attach(self, page_id: str, attachments: Sequence[Attachment], stop: Stop) -> None:
        there = dict(self._attached(page_id, stop))
        wanted = {each.name: each for each in attachments}
        for name, attachment in wanted.items():
            if name not in there:
                self._client.put(
                    f"{CONTENT}/{quote(page_id)}/child/attachment",
                    files={"file": (name, attachment.data, attachment.media_type)},
                    data={"minorEdit": "true"},
                    headers={"X-Atlassian-Token": "nocheck"},
                    stop=stop,
                )
        for name, attachment_id in there.items():
            if name not in wanted and name.startswith(OUR_NAMES):
                self._client.delete(f"/api/v2/attachments/{quote(attachment_id)}", stop=stop)

    def _attached(self, page_id: str, stop: Stop) -> Iterable[tuple[str, str]]:
        """Name and id of what is attached to the page."""
        path: str | None = f"{PAGES}/{quote(page_id)}/attachments?limit={ATTACHMENTS_AT_ONCE}"
        while path:
            answer = self._json(self._client.get(path, stop=stop))
            for each in answer.get("results", []):
                yield str(each["title"]), str(each["id"])
            following = (answer.get("_links") or {}).get("next")
            path = None if not following else str(following).removeprefix("/wiki")

    def _page(self, path: str, stop: Stop) -> _Page:
        return _read(self._json(self._client.get(path, stop=stop)))

    @staticmethod
    def _json(answer: Answer) -> dict[str, Any]:
        held = answer.json()
        if not isinstance(held, dict):
            raise ProviderAnswerInvalid("Confluence sent something else than it is documented to.")
        return held


@contextmanager
def _told() -> Iterator[None]:
    """A refusal in words of where a guide is put."""
    try:
        yield
    except ProviderRequestRefused as refused:
        status = refused.details.get("status")
        if status == 409:  # somebody wrote it meanwhile: what they wrote is read first, the next time
            raise ProviderUnavailable("The page was changed meanwhile.", details=refused.details) from None
        if status == 400:
            raise ProviderRequestRefused(
                "Confluence answered 400: it does not take the page. Mostly another page of the space has the title of "
                "this guide: rename one of them, and export it again.",
                details=refused.details,
            ) from None
        if status == 404:
            raise ProviderRequestRefused(
                "Confluence answered 404: there is no such space or page, or the token may not see it. Check "
                "the project's space, or GUIDESMITH_CONFLUENCE_SPACE_URL.",
                details=refused.details,
            ) from None
        raise


def _read(held: Any) -> _Page:
    try:
        return _Page.model_validate(held)
    except ValidationError:
        raise ProviderAnswerInvalid("Confluence sent something else than it is documented to.") from None
