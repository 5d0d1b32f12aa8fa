"""What clients call their files, as it is kept and shown."""

import pytest

from starter.api.uploads.receiving import FILENAME_LIMIT, clean_filename


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("sales.csv", "sales.csv"),
        ("../../etc/passwd", "passwd"),
        ("C:\\tables\\sales.csv", "sales.csv"),
        ("a\u202eb\n.csv", "ab.csv"),
        (".hidden.csv", "hidden.csv"),
        ("..", "table"),
        ("", "table"),
        (" \u200b ", "table"),
        ("x" * 300 + ".csv", "x" * (FILENAME_LIMIT - 4) + ".csv"),
    ],
)
def test_given_what_a_client_calls_a_file_then_its_name_is_plain_and_says_what_it_is(given: str, kept: str) -> None:
    assert clean_filename(given, "table") == kept
