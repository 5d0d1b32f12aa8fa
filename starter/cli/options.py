"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

DataDir = Annotated[
    Path | None,
    typer.Option("--data-dir", help="The data folder.  [default: $GUIDESMITH_DATA_DIR or ~/.local/share/guidesmith]"),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout, for scripts.")]
"""Errors come as JSON too (``starter/cli/app.py`` looks for the flag itself)."""
