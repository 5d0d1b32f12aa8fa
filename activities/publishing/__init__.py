"""Publishing: a version of an instruction, or its transcript, as a file that people use.

``publisher.publish`` makes any format, ``publisher.preview_pages`` shows the PDF's pages as pictures. Behind them:
``manuscript`` (the document, read once for every format), a module a format (``pdf``, ``bundle``, ``word``,
``webpage``, ``captions``), and what they share. Nothing is imported here: captions and web pages need no typesetter.
"""
