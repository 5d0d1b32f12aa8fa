"""Every format by one call: a publication, or its transcript, becomes a file."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from activities.publishing.bundle import bundle
from activities.publishing.captions import srt, vtt
from activities.publishing.manuscript import read
from activities.publishing.naming import UNNAMED, filename_of
from activities.publishing.pdf import Typeset, pages, pdf
from activities.publishing.site.page import site_part
from activities.publishing.webpage import webpage
from activities.publishing.word import word
from domain.documents.publication import MEDIA_TYPES, Exporter, ExportFormat, Publication
from domain.errors import ExportFailed
from domain.recordings.transcript import SpeechFound, Transcript

MISSING_SHOWN = 20

_EXTENSIONS = {
    ExportFormat.PDF: ".pdf",
    ExportFormat.MD_ZIP: ".zip",
    ExportFormat.DOCX: ".docx",
    ExportFormat.HTML: ".html",
    ExportFormat.SRT: ".srt",
    ExportFormat.VTT: ".vtt",
    ExportFormat.SITE: ".zip",
}
"""Films are made elsewhere (``activities/filming``)."""


@dataclass(frozen=True, slots=True)
class Published:
    """A file that was made.

    ``path`` ends in a plain ASCII name that says the format; ``filename`` is the name to offer it under: after its
    title, in any script. ``warnings`` are sentences for its reader; ``missing_glyphs`` are the characters that stand as
    boxes in a PDF, because no font at hand has them.
    """

    path: Path
    media_type: str
    filename: str
    warnings: tuple[str, ...] = ()
    missing_glyphs: tuple[str, ...] = ()


def publish(
    publication: Publication,
    format: ExportFormat,
    *,
    transcript: Transcript | None = None,
    out: Path,
    exporters: Mapping[ExportFormat, Exporter] = MappingProxyType({}),
    on_progress: Callable[[], None] = lambda: None,
) -> Published:
    """Make ``publication`` a file in the folder ``out``, which exists.

    The same publication, transcript and format give the same bytes. ``on_progress`` is called between the parts of
    the work and may raise to stop it; nothing is left behind then.

    Args:
        exporters: What other packages make.

    Raises:
        ExportFailed: The document could not be typeset, or captions were asked for without a transcript; or no package
            here makes the format, as of a newer version that was rolled back.
    """
    on_progress()
    if format.is_added:
        return _exported(publication, format, exporters, out)
    extension = _EXTENSIONS[format]
    data, warnings, missing = _made(publication, format, transcript, on_progress)
    on_progress()
    path = out / f"{UNNAMED}{extension}"
    path.write_bytes(data)
    return Published(path, MEDIA_TYPES[format], filename_of(publication.title) + extension, warnings, missing)


def _exported(
    publication: Publication, format: ExportFormat, exporters: Mapping[ExportFormat, Exporter], out: Path
) -> Published:
    exporter = exporters.get(format)
    if exporter is None:
        raise ExportFailed(f"No package on this worker makes {format}. Install the one that does on every worker.")
    try:
        data = exporter.export(publication)
    except Exception as fault:  # whatever foreign code raises
        raise ExportFailed(f"The exporter of {format} broke off: {type(fault).__name__}.") from fault
    path = out / f"{UNNAMED}{exporter.extension}"
    path.write_bytes(data)
    return Published(path, exporter.media_type, filename_of(publication.title) + exporter.extension)


def preview_pages(publication: Publication, ppi: float = 144) -> list[bytes]:
    """The pages of the PDF as PNG pictures, ``ppi`` pixels an inch.

    Raises:
        ExportFailed: The document could not be typeset.
    """
    return list(pages(read(publication), ppi).data)


def _made(
    publication: Publication,
    format: ExportFormat,
    transcript: Transcript | None,
    on_progress: Callable[[], None],
) -> tuple[bytes, tuple[str, ...], tuple[str, ...]]:
    if format in (ExportFormat.SRT, ExportFormat.VTT):
        return _captions(format, transcript)
    manuscript = read(publication, on_progress)
    match format:
        case ExportFormat.PDF:
            typeset = pdf(manuscript, on_progress)
            warnings = (*manuscript.warnings, *_about_glyphs(typeset))
            return typeset.data[0], warnings, typeset.missing_glyphs
        case ExportFormat.DOCX:
            return word(manuscript, on_progress), manuscript.warnings, ()
        case ExportFormat.HTML:
            return webpage(manuscript, on_progress).encode(), manuscript.warnings, ()
        case ExportFormat.SITE:
            return site_part(manuscript, on_progress), manuscript.warnings, ()
        case _:
            return bundle(manuscript, on_progress), manuscript.warnings, ()


def _captions(
    format: ExportFormat,
    transcript: Transcript | None,
) -> tuple[bytes, tuple[str, ...], tuple[str, ...]]:
    if transcript is None:
        raise ExportFailed("There is no transcript to make captions from. Run the job through transcription first.")
    text = srt(transcript) if format is ExportFormat.SRT else vtt(transcript)
    silent = transcript.speech is not SpeechFound.SPEECH
    return text.encode(), ("Nobody speaks in the recording, so the captions are empty.",) if silent else (), ()


def _about_glyphs(typeset: Typeset) -> tuple[str, ...]:
    missing = typeset.missing_glyphs
    if not missing:
        return ()
    some = ", ".join(f"U+{ord(each):04X} {each}" for each in missing[:MISSING_SHOWN])
    more = f" and {len(missing) - MISSING_SHOWN} more" if len(missing) > MISSING_SHOWN else ""
    return (
        f"{len(missing)} character(s) have no font on this machine and stand as boxes in the PDF: {some}{more}. "
        "Install guidesmith with the extra `cjk` for Chinese, Japanese and Korean, or a font that has them, and export "
        "again.",
    )
