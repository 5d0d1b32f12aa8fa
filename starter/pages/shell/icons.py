"""Icons of the pages, of Lucide's: the bundler takes those that are named here out of its package (``icons.json``)."""

import json
from functools import cache

from markupsafe import Markup

from domain.errors import SettingsInvalid
from starter.pages.shell.built import FOLDER

ICONS = {
    "guides": "lucide:book-open-text",
    "folder": "lucide:folder",
    "bin": "lucide:trash-2",
    "search": "lucide:search",
    "behind": "lucide:wrench",
    "jobs": "lucide:list-checks",
    "projects": "lucide:users",
    "library": "lucide:images",
    "credits": "lucide:coins",
    "webhooks": "lucide:webhook",
    "lifecycles": "lucide:workflow",
    "administration": "lucide:shield",
    "new": "lucide:plus",
    "download": "lucide:download",
    "upload": "lucide:upload",
    "copy": "lucide:copy",
    "up": "lucide:arrow-up",
    "down": "lucide:arrow-down",
    "empty": "lucide:inbox",
    "link": "lucide:link",
    "locked": "lucide:lock",
    "waiting": "lucide:clock",
    "done": "lucide:circle-check",
    "person": "lucide:user-round",
    "mail": "lucide:mail",
    "comments": "lucide:message-square",
    "brand": "lucide:palette",
    "again": "lucide:refresh-cw",
    "translations": "lucide:languages",
    "record": "lucide:circle-dot",
    "microphone": "lucide:mic",
    "pause": "lucide:pause",
    "resume": "lucide:play",
    "stop": "lucide:square",
    "instruction": "lucide:book-open-text",
    "image": "lucide:image",
    "generation": "lucide:sparkles",
    "analysis": "lucide:chart-column",
    "batch": "lucide:clapperboard",
    "recording": "lucide:monitor-play",
    "glossary": "lucide:book-a",
    "becomes": "lucide:arrow-right",
    "everywhere": "lucide:replace-all",
    "redact": "lucide:eye-off",
    "undo": "lucide:undo-2",
    "redo": "lucide:redo-2",
    "origin-draft": "lucide:sparkles",
    "origin-edit": "lucide:pencil",
    "origin-regenerate": "lucide:wand-sparkles",
    "origin-restore": "lucide:history",
    "origin-translate": "lucide:languages",
    "compare": "lucide:git-compare",
    "format-PDF": "lucide:file-text",
    "format-MD_ZIP": "lucide:file-archive",
    "format-DOCX": "lucide:file-type",
    "format-HTML": "lucide:globe",
    "format-SRT": "lucide:captions",
    "format-VTT": "lucide:captions",
    "format-MP4": "lucide:film",
    "format-MP4_VOICE": "lucide:file-video",
    "format-SITE": "lucide:globe",
    "format-CONFLUENCE": "lucide:book-a",
    "format-NOTION": "lucide:notebook-text",
    "format": "lucide:file-down",
    "medium-picture": "lucide:image",
    "medium-video": "lucide:video",
    "medium-audio": "lucide:audio-lines",
    "medium-text": "lucide:text",
    "medium-document": "lucide:file-text",
    "make-copy": "lucide:text",
    "make-scrape": "lucide:globe",
    "make-static_ad": "lucide:megaphone",
    "make-ugc_video": "lucide:video",
    "make-tts": "lucide:audio-lines",
    "in": "lucide:arrow-down-left",
    "out": "lucide:arrow-up-right",
    "delivery-pending": "lucide:clock",
    "delivery-delivered": "lucide:circle-check",
    "delivery-failed": "lucide:circle-x",
}
"""What each stands for, and which it is."""


def icon(name: str) -> Markup:
    """The icon for ``name`` of :data:`ICONS`, as large as the text beside it, which says what it means."""
    inner = _drawn((FOLDER / "icons.json").stat().st_mtime)[ICONS[name].partition(":")[2]]
    return Markup('<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">{}</svg>').format(Markup(inner))  # noqa: S704


@cache
def _drawn(_changed: float) -> dict[str, str]:
    try:
        return dict(json.loads((FOLDER / "icons.json").read_text("utf-8")))
    except OSError:
        raise SettingsInvalid("The pages are not built. Run `make setup`, or `python hatch_build.py`.") from None
