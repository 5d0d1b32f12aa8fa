"""Publishing: a version of an instruction, or its transcript, as a file that people use.

``publish`` makes any format, ``preview_pages`` shows the PDF's pages as pictures. Behind them: ``manuscript`` (the
document, read once for every format), a module a format (``pdf``, ``bundle``, ``word``, ``webpage``, ``captions``),
and what they share.
"""

from activities.publishing.publisher import Published, filename_of, preview_pages, publish

__all__ = ["Published", "filename_of", "preview_pages", "publish"]
