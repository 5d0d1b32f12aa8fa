"""The context of a page: one request for it, who makes it, in which language, and how its answer is drawn."""

import gzip
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from http import HTTPStatus
from typing import Annotated, Any, cast

from fastapi import Depends, Request
from fastapi.responses import HTMLResponse, Response

from activities.store import Store
from domain.erasure import NOBODY
from domain.projects import Membership, ProjectRole, allows
from starter.access.reach import API, PAGES
from starter.access.tokens import Principal, Role
from starter.api.context import IDENTIFIER, Api
from starter.api.memberships import membership_at
from starter.pages.shell.catalogue import Say, explained, languages, preferred, sayings
from starter.pages.shell.rendering import draw

NONCE_BYTES = 16
CHOSEN_LANGUAGE = "guidesmith_language"
"""The cookie: a language, where somebody wants another one than their browser asks for."""

WORTH_PACKING = 4096
"""Bytes. What is smaller goes out in as many packets as it would packed."""
PACKED = 5
"""Of gzip's nine levels: a megabyte of blocks takes 15 ms and shrinks to a tenth; the ninth takes three times that."""


def offered(role: ProjectRole, route: str) -> bool:
    """Whether the API lets somebody of that role call ``route``. Raises: KeyError: it has no such route."""
    reach = API[route]
    return reach is None or allows(role, reach.permission)


class Names(dict[str, str]):
    """What to call a subject: what their identity provider does, else the subject. Each is looked up once. ``former``
    is who was erased."""

    def __init__(self, store: Store, former: str) -> None:
        self._store = store
        self._former = former

    def look_up(self, subjects: Iterable[str]) -> "Names":
        """All of them by one statement."""
        wanted = set(subjects) - self.keys()
        if wanted:
            found = self._store.people(wanted).items()
            self.update({who: self._former if who.startswith(NOBODY) else name for who, name in found})
        return self

    def __missing__(self, subject: str) -> str:
        return self.look_up((subject,))[subject]


@dataclass(frozen=True)
class PageContext:
    """What a view works with.

    Args:
        principal: ``None`` on the pages that need no session.
        membership: What they are to the thing that the address names; ``None``: nothing, or it is no project's.
        files_origin: Where browsers get stored files from, when that is not here (S3).
        request_id: What the logs call this request.
    """

    request: Request
    api: Api
    principal: Principal | None = None
    membership: Membership | None = None
    files_origin: str | None = None
    request_id: str = ""
    nonce: str = field(default_factory=lambda: secrets.token_urlsafe(NONCE_BYTES))

    @property
    def subject(self) -> str:
        """Who looks at it."""
        assert self.principal is not None, "the gate lets nobody through without a session"
        return self.principal.subject

    @property
    def owner(self) -> str:
        """Whose things are shown: the visitor's, or those of the owner of a project that they are a member of."""
        return self.subject if self.membership is None else self.membership.owner

    @property
    def role(self) -> ProjectRole:
        """What the visitor is to the thing that is shown."""
        return ProjectRole.OWNER if self.membership is None else self.membership.role

    def offers(self, route: str) -> bool:
        """Whether the API lets the visitor do with what is shown what ``route`` does (``POST /jobs/{job_id}/cancel``):
        what it would refuse, no page offers. Raises: KeyError: it has no such route."""
        return offered(self.role, route)

    @cached_property
    def names(self) -> "Names":
        """What to call people."""
        return Names(self.api.store, self.say("former-member"))

    @property
    def is_admin(self) -> bool:
        """Whether the visitor is an administrator."""
        return self.principal is not None and self.principal.role is Role.ADMIN

    @cached_property
    def language(self) -> str:
        """What the visitor has chosen on a page, else what their browser asks for."""
        chosen = self.request.cookies.get(CHOSEN_LANGUAGE, "")
        return chosen if chosen in languages() else preferred(self.request.headers.get("accept-language", ""))

    @property
    def say(self) -> Say:
        """What says a string of the catalogue in the visitor's language."""
        return sayings(self.language)

    @property
    def is_partial(self) -> bool:
        """Whether a module of ours asks for a part of the page that is already open (htmx says so in a header)."""
        return self.request.headers.get("hx-request") == "true"

    @property
    def is_navigation(self) -> bool:
        """Whether somebody is led here, as against a stream, a picture or a part that a page asks for.

        https://www.w3.org/TR/fetch-metadata/#sec-fetch-mode-header: who sends no such header follows addresses itself.
        """
        return not self.is_partial and self.request.headers.get("sec-fetch-mode", "navigate") == "navigate"

    def page(self, template: str, status: int = HTTPStatus.OK, **shown: Any) -> Response:
        """``template`` drawn with ``shown``, under a policy that runs nothing but our own files.

        The nonce is for the style sheets that the editor makes; scripts come from files only.
        """
        in_words = partial(explained, self.language)
        text = draw(template, context=self, say=self.say, in_words=in_words, languages=languages(), **shown)
        headers = {"Content-Security-Policy": self._policy(), "Vary": "Accept-Language, Cookie, HX-Request"}
        return self.packed(HTMLResponse(text, status_code=status, headers=headers))

    def packed(self, answer: Response) -> Response:
        """The answer, its body packed for who can unpack it, where that is worth it."""
        body = bytes(answer.body)
        answer.headers.add_vary_header("Accept-Encoding")
        if len(body) < WORTH_PACKING or "gzip" not in self.request.headers.get("accept-encoding", ""):
            return answer
        answer.body = gzip.compress(body, PACKED, mtime=0)
        answer.headers["Content-Encoding"] = "gzip"
        answer.headers["Content-Length"] = str(len(answer.body))
        return answer

    def _policy(self) -> str:
        also = f" {self.files_origin}" if self.files_origin else ""
        return "; ".join(
            (
                "default-src 'none'",
                "script-src 'self'",
                f"style-src 'self' 'nonce-{self.nonce}'",
                f"img-src 'self' blob: data:{also}",
                f"media-src 'self' blob:{also}",
                f"connect-src 'self'{also}",
                "font-src 'self'",
                "form-action 'self'",
                "base-uri 'none'",
                "frame-ancestors 'none'",
            )
        )


def _context(request: Request) -> PageContext:
    context = cast(PageContext, request.state.context)
    reach = PAGES.get(request.scope["route"].path)
    if context.principal is None or reach is None or not IDENTIFIER.fullmatch(request.path_params[reach.parameter]):
        return context
    return replace(context, membership=membership_at(context.api.store, context.subject, reach, request.path_params))


Context = Annotated[PageContext, Depends(_context)]
