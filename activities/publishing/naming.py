"""What files are called that people save."""

import re
import unicodedata

LONGEST_NAME = 80
"""Characters of a file's name before its extension."""
MOST_NAME_BYTES = 200
"""Of the same in UTF-8; file systems take 255 with the extension."""
RESERVED = re.compile(r"(?i)^(?:con|prn|aux|nul|com\d|lpt\d)$")
"""Names that Windows keeps for itself."""
UNNAMED = "instruction"


def filename_of(title: str) -> str:
    """A title as a file name that every system takes: letters and digits of any script, and hyphens."""
    kept = "".join(
        character if unicodedata.category(character)[0] in "LNM" else "-"
        for character in unicodedata.normalize("NFC", title)
    )
    name = re.sub("-{2,}", "-", kept).strip("-")[:LONGEST_NAME]
    name = name.encode()[:MOST_NAME_BYTES].decode(errors="ignore").strip("-")
    return UNNAMED if not name or RESERVED.match(name) else name
