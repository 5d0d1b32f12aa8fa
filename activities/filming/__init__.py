"""A guide as a film: the recording cut to its steps, with their headings below and, on request, a voice.

``scenes`` says what is shown, ``cards`` sets the words, ``narration`` has them spoken, ``isolated`` orders the encoding
from confined processes (``inside``, ``encoding``, ``joining``), ``film`` puts them together.
"""
