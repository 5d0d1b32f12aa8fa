"""What the routes work with, made once, and what they ask of a request."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Annotated, cast

from anyio import CapacityLimiter, to_thread
from fastapi import Depends, Request

from activities.artifacts import ArtifactStore
from activities.process.callers import act_as_member, acting_role, caller
from activities.store import ManifestKeys, Store
from domain.artifacts import ArtifactKind, Blob
from domain.documents.tasks import Export, ExportStatus
from domain.jobs import Job
from domain.lifecycles.callbacks import EXTERNAL
from domain.projects import Membership, ProjectRole
from starter.access.openid import IdentityProvider
from starter.access.reach import API
from starter.access.tokens import Principal
from starter.api.addresses import root_address
from starter.api.errors import not_found
from starter.api.feed import Feed
from starter.api.memberships import membership_at
from starter.api.part_counts import PartCounts
from starter.api.perimeter.gate import BASE, RequestFacts
from starter.api.perimeter.seen import Seen
from starter.api.perimeter.sessions import Sessions
from starter.api.readiness import Readiness
from starter.api.shapes import ExportAnswer, FailureAnswer, JobAnswer, Manifest, ManifestExport
from starter.api.signed_urls import SignedUrls
from starter.services.analyses import AnalysisService
from starter.services.batches import BatchRequests
from starter.services.callbacks import CallbackService
from starter.services.documents import DocumentService
from starter.services.erasing import ErasureService
from starter.services.generations import GenerationRequests
from starter.services.guides import GuideService
from starter.services.images import ImageRequests
from starter.services.inviting import InvitationService
from starter.services.jobs import JobService
from starter.services.kinds import KindService
from starter.services.retrying import Retries
from starter.services.screenshots import ScreenshotService
from starter.services.sharing import SharingService
from starter.services.translations import TranslationService
from starter.services.webhooks import WebhookService
from starter.settings import Settings

IDENTIFIER = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")

DRAWN_AT_ONCE = 2
"""Pictures that a process draws on at once; who comes later waits without a thread. An 8K screen takes 500 MB."""

CONFIRMED_AT_ONCE = 4
"""Recordings that a process reads and joins at once. Each may take minutes, and must not take the threads that answer
everything else."""


@dataclass(frozen=True)
class Api:
    """The parts of one API process. Made in ``starter/api/app.py``, found by routes as a parameter."""

    settings: Settings
    store: Store
    artifacts: ArtifactStore
    jobs: JobService
    documents: DocumentService
    kinds: KindService
    images: ImageRequests
    generations: GenerationRequests
    retries: Retries
    erasing: ErasureService
    guides: GuideService
    sharing: SharingService
    translations: TranslationService
    inviting: InvitationService
    batches: BatchRequests
    callbacks: CallbackService
    screenshots: ScreenshotService
    webhooks: WebhookService
    analyses: AnalysisService
    signed_urls: SignedUrls
    sessions: Sessions
    seen: Seen
    provider: IdentityProvider | None
    feed: Feed
    readiness: Readiness
    part_counts: PartCounts = field(default_factory=PartCounts)
    drawing: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(DRAWN_AT_ONCE))
    confirming: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(CONFIRMED_AT_ONCE))

    def job_answer(self, job: Job) -> JobAnswer:
        """The job as it is sent, with its manifest. Reads the database."""
        return self.job_answers((job,))[0]

    def job_answers(self, jobs: Sequence[Job]) -> tuple[JobAnswer, ...]:
        """As :meth:`job_answer`, of a page of jobs at once."""
        manifests = self.store.manifests([job.id for job in jobs])
        still = self.store.stalled_jobs(jobs)
        roles = self._roles(jobs)
        return tuple(
            JobAnswer(
                **job.model_dump(include=set(JobAnswer.model_fields) - {"manifest", "failure", "role"}),
                role=roles.get(job.id),
                manifest=self._manifest(manifests[job.id]),
                failure=FailureAnswer.of(job.failure),
                stands_still_since=still[job.id].since if job.id in still else None,
            )
            for job in jobs
        )

    def _roles(self, jobs: Sequence[Job]) -> dict[str, ProjectRole]:
        """What the caller is to each job's project; those are left out that they only see as an administrator."""
        subject, role = caller(), acting_role()
        others = {job.id: job.project_id for job in jobs if subject not in (None, job.owner)}
        own = {job.id: ProjectRole.OWNER for job in jobs if job.owner == subject}
        if role is not None:  # the address named one thing, of one project
            return own | dict.fromkeys(others, ProjectRole(role))
        known = self.store.roles_of(subject, set(others.values())) if subject and others else {}
        return own | {job_id: known[project_id] for job_id, project_id in others.items() if project_id in known}

    def _manifest(self, keys: ManifestKeys) -> Manifest:
        uri = self.artifacts.uri
        uris = {kind: uri(key) for kind, key in keys.artifacts.items()} | keys.reported
        outside = uris.pop(ArtifactKind.EXPORT, None)
        exports = [
            ManifestExport(export_id=each.export_id, format=each.format, export_uri=uri(each.key))
            for each in keys.exports
        ]
        if outside is not None:
            exports.append(ManifestExport(export_id=None, format=EXTERNAL, export_uri=outside))
        return Manifest(**{f"{kind}_uri": place for kind, place in uris.items()}, exports=tuple(exports))

    def export_answer(self, export: Export, request: Request) -> ExportAnswer:
        """The export as it is sent; a finished one with a fresh signed address. Reads the artifact store where its
        file is fetched from there: what is gone or cut is no success, and nobody else would look before it is sent."""
        url, expires_at = None, None
        if export.status is ExportStatus.SUCCEEDED and export.blob is not None:
            direct = self.artifacts.signed_get_url(export.blob, self.settings.download_url_ttl_s, export.filename)
            if direct is not None and not self._is_there(export.blob):
                export = self.store.lose_export(export.id)
            else:
                expires_at = datetime.now(UTC) + timedelta(seconds=self.settings.download_url_ttl_s)
                url = direct or self._own_url(export, expires_at, request)
        return ExportAnswer(
            **export.model_dump(include=set(ExportAnswer.model_fields) - {"failure", "status"}),
            export_id=export.id,
            status=export.status.value,
            screenshot_set_hash=str(export.provenance["screenshot_set_hash"]),
            size_bytes=export.blob.size_bytes if export.blob else None,
            checksum_sha256=export.blob.checksum_sha256 if export.blob else None,
            failure=FailureAnswer.of(export.failure),
            download_url=url,
            download_url_expires_at=expires_at,
        )

    def _is_there(self, blob: Blob) -> bool:
        """By one look at the object's head; its bytes are the object store's to keep."""
        facts = self.artifacts.stat(blob.key)
        return facts is not None and facts.size_bytes == blob.size_bytes

    def _own_url(self, export: Export, expires_at: datetime, request: Request) -> str:
        signed = self.signed_urls.sign("download", export.id, expires_at.timestamp())
        return self.address(request, f"downloads/{signed}")

    def address(self, request: Request, path: str) -> str:
        """``path`` below the API's base as the caller reaches it."""
        return f"{root_address(request.scope, self.settings.public_url)}{BASE}/{path}"


def _api(request: Request) -> Api:
    return cast(Api, request.app.state.api)


def _facts(request: Request) -> RequestFacts:
    return cast(RequestFacts, request.state.facts)


def _principal(request: Request) -> Principal:
    principal = _facts(request).principal
    assert principal is not None, "the gate lets nobody through without a token"
    return principal


def _subject(request: Request) -> str:
    return _principal(request).subject


async def _membership(request: Request) -> Membership | None:
    template = request.scope["route"].path.removeprefix(BASE)
    method = "GET" if request.method == "HEAD" else request.method
    reach = API.get(f"{method} {template}")
    if reach is None or not IDENTIFIER.fullmatch(request.path_params[reach.parameter]):
        return None
    store, subject = _api(request).store, _subject(request)
    membership = await to_thread.run_sync(membership_at, store, subject, reach, request.path_params)
    if membership is not None and membership.role is not ProjectRole.OWNER:
        act_as_member(subject, membership.role)
    return membership


AsMember = Annotated[Membership | None, Depends(_membership)]
"""What the caller is to the thing that the address names; ``None``: nothing, or it names none of a project's."""


async def _owner(request: Request, member_as: AsMember) -> str:
    return _subject(request) if member_as is None else member_as.owner


ApiParts = Annotated[Api, Depends(_api)]
Facts = Annotated[RequestFacts, Depends(_facts)]
Owner = Annotated[str, Depends(_owner)]
"""Whose things are looked up: the owner of the project that the caller is a member of, else the caller."""
Subject = Annotated[str, Depends(_subject)]
"""Who calls, whoever they act for."""
Caller = Annotated[Principal, Depends(_principal)]


def identifier(text: str) -> str:
    """``text``, when it can be the id of something.

    Raises:
        NotFound: It cannot: answered like what is absent.
    """
    if not IDENTIFIER.fullmatch(text):
        raise not_found()
    return text
