"""Markdown with its screenshots, in one ZIP: ``instruction.md`` and ``images/step-03.png``."""

from collections.abc import Callable, Iterable

from activities.publishing.archive import zipped
from activities.publishing.manuscript import Manuscript, Section, SectionKind
from activities.publishing.markdown import quoted, write, write_line
from activities.publishing.markup import Text
from activities.publishing.pictures import Illustration
from domain.documents.publication import clock

DOCUMENT = "instruction.md"
FOLDER = "images"


def bundle(manuscript: Manuscript, on_progress: Callable[[], None] = lambda: None) -> bytes:
    """The ZIP. Names in it are ours, never a user's."""
    members = [(DOCUMENT, document(manuscript).encode())]
    for section in manuscript.sections:
        on_progress()
        members += [(f"{FOLDER}/{picture.filename}", picture.data) for picture in section.illustrations]
    return zipped(members, manuscript.publication.created_at)


def document(manuscript: Manuscript) -> str:
    """The instruction as Markdown; its images are links into ``images/``."""
    parts = [
        f"# {write_line(manuscript.title)}",
        write(manuscript.lead, heading_shift=1),
        f"*{_literal(manuscript.edition)}*",
    ]
    for section in manuscript.sections:
        parts += _section(section, manuscript.labels.note)
    if manuscript.remarks:
        parts += ["---", *(f"*{_literal(remark)}*" for remark in manuscript.remarks)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _section(section: Section, note: str) -> Iterable[str]:
    time = "" if section.start_ms is None else f"`{clock(section.start_ms)}`"
    if section.kind is SectionKind.NOTE:
        label = f"**{_literal(note)}** {time}".rstrip()
        yield quoted("\n\n".join(part for part in (label, write(section.body, heading_shift=2)) if part))
    else:
        if section.heading:
            number = f"{section.number}. " if section.number else ""
            yield f"## {number}{write_line(section.heading)}"
        if section.kind is SectionKind.STEP and time:
            yield time
        if section.body:
            yield write(section.body, heading_shift=2 if section.heading else 0)
    for picture in section.illustrations:
        yield _image(picture)


def _image(picture: Illustration) -> str:
    return f"![{_literal(picture.alt)}]({FOLDER}/{picture.filename})"


def _literal(text: str) -> str:
    return write_line((Text(text),))
