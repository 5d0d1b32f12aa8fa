"""What the demos show: a recording and a table. They travel in the wheel; a checkout has them where they are made."""

from pathlib import Path

from domain.errors import SettingsInvalid

INSTALLED = Path(__file__).with_name("sample")
CHECKOUT = Path(__file__).parents[2] / "sample"


def sample_recording() -> Path:
    """Raises: SettingsInvalid: It is not here."""
    return _found("recording.mp4", CHECKOUT / "recording.mp4")


def sample_table() -> Path:
    """Raises: SettingsInvalid: It is not here."""
    return _found("sales.csv", CHECKOUT / "analysis" / "sales.csv")


def _found(name: str, made: Path) -> Path:
    for path in (INSTALLED / name, made):
        if path.exists():
            return path
    raise SettingsInvalid(f"The sample {name} is not here: this installation was built without it.")
