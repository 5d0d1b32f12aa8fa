"""Markdown with its screenshots, in one ZIP: ``instruction.md`` and ``images/step-03.png``."""

from collections import Counter
from collections.abc import Callable, Iterable
from urllib.parse import quote

from activities.publishing.archive import zipped
from activities.publishing.branding.appearance import LOGO_FILE, Appearance
from activities.publishing.labels import Labels
from activities.publishing.manuscript import Manuscript, Section, SectionKind
from activities.publishing.markdown import quoted, write, write_line
from activities.publishing.markup import Text, plain
from activities.publishing.pictures import Illustration
from domain.documents.publication import clock

DOCUMENT = "instruction.md"
FOLDER = "images"


def bundle(manuscript: Manuscript, on_progress: Callable[[], None] = lambda: None) -> bytes:
    """The ZIP. Names in it are ours, never a user's."""
    members = [(DOCUMENT, document(manuscript).encode())]
    for section in manuscript.sections:
        on_progress()
        for picture in section.illustrations:
            members += [(f"{FOLDER}/{each.filename}", each.data) for each in (picture, picture.whole) if each]
    if manuscript.appearance is not None and manuscript.appearance.logo is not None:
        members.append((f"{FOLDER}/{LOGO_FILE}", manuscript.appearance.logo.png))
    return zipped(members, manuscript.publication.created_at)


def document(manuscript: Manuscript) -> str:
    """The instruction as Markdown; its images are links into ``images/``."""
    parts = [
        *_masthead(manuscript.appearance),
        f"# {write_line(manuscript.title)}",
        write(manuscript.lead, heading_shift=1),
        f"*{_literal(manuscript.edition)}*",
    ]
    if manuscript.has_parts:
        parts += [f"**{_literal(manuscript.labels.contents)}**", _contents(manuscript)]
    for section in manuscript.sections:
        parts += _section(section, manuscript.labels)
    if manuscript.remarks:
        parts += ["---", *(f"*{_literal(remark)}*" for remark in manuscript.remarks)]
    if manuscript.appearance is not None and manuscript.appearance.imprint:
        parts += [*(() if manuscript.remarks else ("---",)), _literal(manuscript.appearance.imprint)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _masthead(look: Appearance | None) -> Iterable[str]:
    if look is None:
        return
    if look.logo is not None:
        yield f"![{_literal(look.branding.project)}]({FOLDER}/{LOGO_FILE})"
    yield _literal(look.heading)


def _contents(manuscript: Manuscript) -> str:
    """The headings as a list of links, by the names that Markdown's readers give to headings."""
    taken: Counter[str] = Counter([_name(manuscript.title_text)])
    lines = []
    for section in manuscript.sections:
        if not section.heading:
            continue
        name = _name(_numbered(section))
        times = taken[name]
        taken[name] += 1
        inset = "  " * (section.level - 1)
        lines.append(
            f"{inset}- [{section.lead_in}{write_line(section.heading)}](#{name}{f'-{times}' if times else ''})"
        )
    return "\n".join(lines)


def _numbered(section: Section) -> str:
    return f"{section.lead_in}{plain(section.heading)}"


def _name(heading: str) -> str:
    """What a heading is called in links: lower case, without punctuation, hyphens for blanks."""
    kept = "".join(each for each in heading.lower() if each.isalnum() or each in " -_")
    return quote(kept.strip().replace(" ", "-"))


def _section(section: Section, labels: Labels) -> Iterable[str]:
    time = "" if section.start_ms is None else f"`{clock(section.start_ms)}`"
    if section.label:
        label = f"**{_literal(section.label)}** {time}".rstrip()
        yield quoted("\n\n".join(part for part in (label, write(section.body, heading_shift=2)) if part))
    else:
        if section.heading:
            yield f"#{'#' * section.level} {section.lead_in}{write_line(section.heading)}"
        if section.kind is SectionKind.STEP and time:
            yield time
        if section.body:
            yield write(section.body, heading_shift=1 + section.level if section.heading else 0)
    for picture in section.illustrations:
        if picture.is_outcome:
            yield f"*{_literal(labels.outcome)}*"
        yield _image(picture)


def _image(picture: Illustration) -> str:
    """The picture; a part of one leads to the whole."""
    image = f"![{_literal(picture.alt)}]({FOLDER}/{picture.filename})"
    return image if picture.whole is None else f"[{image}]({FOLDER}/{picture.whole.filename})"


def _literal(text: str) -> str:
    return write_line((Text(text),))
