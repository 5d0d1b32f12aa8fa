"""What a block of a translation was made from, as it is kept with what the block rests on."""

import hashlib

from pydantic import BaseModel, ConfigDict


class TranslatedFrom(BaseModel):
    """``source_sha256`` is the hash of the original's block that the translation is true of, ``made_sha256`` of the
    text that was made of it: a block with another text was edited since. ``role`` is what the original's block was.
    ``untranslated``: no answer of the model could be used, and the block stands in the original's language."""

    model_config = ConfigDict(frozen=True)

    source_sha256: str
    made_sha256: str
    role: str = "text"
    untranslated: bool = False


def fingerprint(markdown: str) -> str:
    """The hash of one block's text."""
    return hashlib.sha256(markdown.encode("utf-8", "surrogatepass")).hexdigest()
