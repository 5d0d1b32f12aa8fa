"""What every address leads to, and what one must be allowed to do with it: the one table of that, for the API and the
pages. A test walks all routes and fails where one has no line here.

A line says the thing whose id the address names, and the permission that its project's members need. What names no
thing of a project is everybody's own (``OWN``): it shows or changes what is the caller's, and nobody else's.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from activities.store.jobs.memberships import Thing
from domain.projects import Permission

READ, COMMENT, EDIT, RUN, SHARE, DELETE, MANAGE = Permission


@dataclass(frozen=True)
class Reach:
    """``parameter``: which part of the address is the thing's id."""

    thing: Thing
    parameter: str
    permission: Permission


OWN = None
"""The caller's own."""


def _job(permission: Permission) -> Reach:
    return Reach(Thing.JOB, "job_id", permission)


def _instruction(permission: Permission) -> Reach:
    return Reach(Thing.INSTRUCTION, "instruction_id", permission)


def _anchor(permission: Permission) -> Reach:
    return Reach(Thing.ANCHOR, "anchor_id", permission)


def _project(permission: Permission) -> Reach:
    return Reach(Thing.PROJECT, "project_id", permission)


def _share(permission: Permission) -> Reach:
    return Reach(Thing.SHARE, "share_id", permission)


API: Mapping[str, Reach | None] = {
    # --- projects
    "POST /projects": OWN,
    "GET /projects": OWN,
    "GET /projects/{project_id}": _project(READ),
    "PATCH /projects/{project_id}": _project(MANAGE),
    "DELETE /projects/{project_id}": _project(MANAGE),
    "POST /projects/{project_id}/jobs": _project(RUN),
    "GET /projects/{project_id}/members": _project(READ),
    "PATCH /projects/{project_id}/members": _project(MANAGE),
    "DELETE /projects/{project_id}/members": _project(MANAGE),
    "POST /projects/{project_id}/leave": _project(READ),
    "POST /projects/{project_id}/transfer": _project(MANAGE),
    "GET /projects/{project_id}/brand": _project(READ),
    "PUT /projects/{project_id}/brand": _project(MANAGE),
    "GET /projects/{project_id}/brand/logo": _project(READ),
    "PUT /projects/{project_id}/brand/logo": _project(MANAGE),
    "DELETE /projects/{project_id}/brand/logo": _project(MANAGE),
    "POST /projects/{project_id}/invitations": _project(MANAGE),
    "GET /projects/{project_id}/invitations": _project(MANAGE),
    "DELETE /projects/{project_id}/invitations/{invitation_id}": _project(MANAGE),
    "POST /invitations/accept": OWN,
    # --- jobs
    "GET /jobs": OWN,
    "POST /jobs": OWN,
    "GET /jobs/{job_id}": _job(READ),
    "PATCH /jobs/{job_id}": _job(MANAGE),
    "DELETE /jobs/{job_id}": _job(DELETE),
    "DELETE /jobs/{job_id}/recording": _job(DELETE),
    "GET /jobs/{job_id}/history": _job(READ),
    "GET /jobs/{job_id}/events": _job(READ),
    "POST /jobs/{job_id}/run": _job(RUN),
    "POST /jobs/{job_id}/cancel": _job(RUN),
    "POST /jobs/{job_id}/retry": _job(RUN),
    "POST /jobs/{job_id}/upload": _job(RUN),
    "POST /jobs/{job_id}/confirm-upload": _job(RUN),
    "GET /jobs/{job_id}/transcript": _job(READ),
    "PUT /jobs/{job_id}/transcript/segments/{index}": _job(EDIT),
    "DELETE /jobs/{job_id}/transcript/segments/{index}": _job(EDIT),
    "POST /jobs/{job_id}/corrections/find": _job(READ),
    "POST /jobs/{job_id}/corrections": _job(EDIT),
    "POST /jobs/{job_id}/corrections/{set_id}/undo": _job(EDIT),
    "GET /glossary": OWN,
    "POST /glossary": OWN,
    "DELETE /glossary/{term_id}": OWN,
    "GET /jobs/{job_id}/screen": _job(READ),
    "GET /jobs/{job_id}/assets": _job(READ),
    "GET /jobs/{job_id}/assets.zip": _job(READ),
    "POST /jobs/{job_id}/exports": _job(RUN),
    "GET /exports/{export_id}": Reach(Thing.EXPORT, "export_id", READ),
    # --- guides
    "GET /guides": OWN,
    "GET /guides/search": OWN,
    "GET /guides/exports.zip": OWN,
    "GET /guides/site.zip": OWN,
    "GET /guides/bin": OWN,
    "POST /guides/bin/{job_id}/restore": OWN,
    "DELETE /guides/bin/{job_id}": OWN,
    "GET /guides/{job_id}": _job(READ),
    "PATCH /guides/{job_id}": _job(EDIT),
    "POST /guides/{job_id}/bin": _job(DELETE),
    # --- documents
    "GET /instructions/{instruction_id}": _instruction(READ),
    "PUT /instructions/{instruction_id}": _instruction(EDIT),
    "GET /instructions/{instruction_id}/versions": _instruction(READ),
    "PUT /instructions/{instruction_id}/versions/{version}": _instruction(EDIT),
    "GET /instructions/{instruction_id}/diff": _instruction(READ),
    "POST /instructions/{instruction_id}/restore": _instruction(EDIT),
    "POST /instructions/{instruction_id}/regenerate": _instruction(EDIT),
    "GET /instructions/{instruction_id}/translations": _instruction(READ),
    "POST /instructions/{instruction_id}/translations": _instruction(EDIT),
    "GET /instructions/{instruction_id}/translation": _instruction(READ),
    "DELETE /instructions/{instruction_id}/translation": _instruction(DELETE),
    "POST /instructions/{instruction_id}/translation/update": _instruction(EDIT),
    "PUT /instructions/{instruction_id}/translation/blocks/{block_id}": _instruction(EDIT),
    "GET /translation-tasks/{translation_task_id}": Reach(Thing.TRANSLATION_TASK, "translation_task_id", READ),
    "POST /translation-tasks/{translation_task_id}/cancel": Reach(Thing.TRANSLATION_TASK, "translation_task_id", EDIT),
    "GET /tasks/{task_id}": Reach(Thing.TASK, "task_id", READ),
    "GET /instructions/{instruction_id}/sittings": _instruction(EDIT),
    "PUT /instructions/{instruction_id}/sittings/{sitting_id}": _instruction(EDIT),
    "GET /instructions/{instruction_id}/sittings/{sitting_id}": _instruction(EDIT),
    "POST /instructions/{instruction_id}/sittings/{sitting_id}/save": _instruction(EDIT),
    "DELETE /instructions/{instruction_id}/sittings/{sitting_id}": _instruction(EDIT),
    "PUT /instructions/{instruction_id}/presences/{desk_id}": _instruction(READ),
    "DELETE /instructions/{instruction_id}/presences/{desk_id}": _instruction(READ),
    "POST /instructions/{instruction_id}/shares": _instruction(SHARE),
    "GET /instructions/{instruction_id}/shares": _instruction(SHARE),
    "POST /shares/{share_id}/update": _share(SHARE),
    "DELETE /shares/{share_id}": _share(SHARE),
    "GET /instructions/{instruction_id}/comments": _instruction(READ),
    "POST /instructions/{instruction_id}/comments": _instruction(COMMENT),
    "POST /comment-threads/{thread_id}/comments": Reach(Thing.THREAD, "thread_id", COMMENT),
    "PUT /comment-threads/{thread_id}": Reach(Thing.THREAD, "thread_id", COMMENT),
    "PUT /comments/{comment_id}": Reach(Thing.COMMENT, "comment_id", COMMENT),
    "DELETE /comments/{comment_id}": Reach(Thing.COMMENT, "comment_id", COMMENT),
    # --- pictures
    "POST /jobs/{job_id}/screenshots/extract": _job(EDIT),
    "GET /screenshot-tasks/{task_id}": Reach(Thing.SCREENSHOT_TASK, "task_id", READ),
    "POST /jobs/{job_id}/screenshots/uploads": _job(EDIT),
    "POST /jobs/{job_id}/screenshots/uploads/{upload_id}/confirm": _job(EDIT),
    "POST /instructions/{instruction_id}/anchors": _instruction(EDIT),
    "GET /instructions/{instruction_id}/anchors": _instruction(READ),
    "GET /anchors/{anchor_id}": _anchor(READ),
    "POST /anchors/{anchor_id}/replace": _anchor(EDIT),
    "POST /anchors/{anchor_id}/attach-upload": _anchor(EDIT),
    "DELETE /anchors/{anchor_id}/assets/{asset_id}": _anchor(EDIT),
    "POST /anchors/{anchor_id}/assets/{asset_id}/show": _anchor(EDIT),
    "POST /anchors/{anchor_id}/hide": _anchor(EDIT),
    "PUT /anchors/{anchor_id}/outcome": _anchor(EDIT),
    "POST /anchors/{anchor_id}/annotations": _anchor(EDIT),
    "POST /instructions/{instruction_id}/redactions": _instruction(EDIT),
    "GET /private-words": OWN,
    "PUT /private-words": OWN,
    # --- the other kinds
    "POST /images": OWN,
    "GET /images/{job_id}": _job(READ),
    "GET /library": OWN,
    "POST /generate/copy": OWN,
    "POST /generate/scrape": OWN,
    "POST /generate/static-ad": OWN,
    "POST /generate/video": OWN,
    "POST /generate/tts": OWN,
    "GET /generations/{job_id}": _job(READ),
    "POST /analyses": OWN,
    "GET /analyses/{job_id}": _job(READ),
    "PUT /analyses/{job_id}/inputs": _job(RUN),
    "GET /analyses/{job_id}/draft": _job(READ),
    "POST /analyses/{job_id}/draft": _job(RUN),
    "PATCH /analyses/{job_id}/draft": _job(EDIT),
    "POST /analyses/{job_id}/confirm": _job(RUN),
    "POST /analyses/{job_id}/run": _job(RUN),
    "GET /analyses/{job_id}/artifacts": _job(READ),
    # --- what is one's own, whatever projects one is in
    "GET /account/archive": OWN,
    "DELETE /account": OWN,
    "GET /credits": OWN,
    "GET /credits/entries": OWN,
    "GET /lifecycles": OWN,
    "GET /lifecycles/{kind}": OWN,
    "POST /webhook-endpoints": OWN,
    "GET /webhook-endpoints": OWN,
    "GET /webhook-endpoints/{endpoint_id}": OWN,
    "DELETE /webhook-endpoints/{endpoint_id}": OWN,
    "GET /webhook-endpoints/{endpoint_id}/deliveries": OWN,
    "POST /webhook-endpoints/{endpoint_id}/deliveries/{delivery_id}/redeliver": OWN,
}
"""By method and path below the API's base. Besides these there are routes of administrators, of stage runners and
providers, and those whose address is their own permission: the gate knows them."""

PAGES: Mapping[str, Reach | None] = {
    "/": OWN,
    "/search": OWN,
    "/bin": OWN,
    "/jobs": OWN,
    "/behind": OWN,
    "/live": OWN,
    "/new": OWN,
    "/new/recording": OWN,
    "/new/image": OWN,
    "/new/generation": OWN,
    "/new/batch": OWN,
    "/new/analysis": OWN,
    "/projects": OWN,
    "/projects/{project_id}": _project(READ),
    "/projects/{project_id}/brand": _project(READ),
    "/projects/{project_id}/brand/figures": _project(READ),
    "/projects/{project_id}/brand/preview": _project(READ),
    "/invited/{token}": OWN,
    "/jobs/{job_id}": _job(READ),
    "/jobs/{job_id}/log": _job(READ),
    "/jobs/{job_id}/items": _job(READ),
    "/jobs/{job_id}/recording": _job(READ),
    "/jobs/{job_id}/transcript": _job(READ),
    "/jobs/{job_id}/transcript/segments": _job(READ),
    "/instructions/{instruction_id}": _instruction(READ),
    "/instructions/{instruction_id}/state": _instruction(READ),
    "/instructions/{instruction_id}/versions": _instruction(READ),
    "/instructions/{instruction_id}/translations": _instruction(READ),
    "/instructions/{instruction_id}/export": _instruction(READ),
    "/instructions/{instruction_id}/export/versions": _instruction(READ),
    "/instructions/{instruction_id}/share": _instruction(SHARE),
    "/exports/{export_id}/file": Reach(Thing.EXPORT, "export_id", READ),
    "/exports/{export_id}/preview": Reach(Thing.EXPORT, "export_id", READ),
    "/exports/{export_id}/pages/{number}": Reach(Thing.EXPORT, "export_id", READ),
    "/pictures/{asset_id}/thumbnail": Reach(Thing.PICTURE, "asset_id", READ),
    "/sign-in/done": OWN,
    "/preview": OWN,
    "/glossary": OWN,
    "/sentences/{language}": OWN,
    "/library": OWN,
    "/assets/{asset_id}/{part}": Reach(Thing.LIBRARY_ASSET, "asset_id", READ),
    "/analysis-outputs/{artifact_id}": Reach(Thing.ARTIFACT, "artifact_id", READ),
    "/analysis-outputs/{artifact_id}/chart.svg": Reach(Thing.ARTIFACT, "artifact_id", READ),
    "/lifecycles": OWN,
    "/reference": OWN,
    "/credits": OWN,
    "/webhooks": OWN,
    "/webhooks/{endpoint_id}": OWN,
    "/administration": OWN,
    "/administration/{job_id}": OWN,
}
"""By path, of pages that need a session; what is posted to one reaches what it shows."""
