"""The report of an analysis on its page: charts and files stand where the text speaks of them."""

from datetime import UTC, datetime

import pytest

from domain.artifacts import Artifact, ArtifactKind, Blob
from starter.pages.analysis.results import passages

CHART = "charts/by_region.png"
CSV, PARQUET = "tables/by_region.csv", "tables/by_region.parquet"


def output(name: str) -> Artifact:
    kind = ArtifactKind.CHART if name == CHART else ArtifactKind.TABLE
    blob = Blob(key=name, size_bytes=1, checksum_sha256="0" * 64, media_type="text/plain")
    return Artifact(
        id=name,
        job_id="j",
        kind=kind,
        version=1,
        attempt=1,
        blob=blob,
        facts={"name": name},
        created_at=datetime.now(UTC),
    )


OUTPUTS = {name: output(name) for name in (CHART, CSV, PARQUET)}


def test_given_a_chart_and_a_table_then_their_files_follow_the_words_about_them() -> None:
    report = (
        f"# Asked\n\n### Sum\n\n|a|\n|-|\n|1|\n\n*Step `s`.* [CSV]({CSV}) · [PARQUET]({PARQUET})\n\n"
        f"### Chart\n\n![A \\[b\\]]({CHART})\n\n*Step `c`.*\n\n## Basis\n"
    )
    table, chart, rest = passages(report, OUTPUTS)
    assert [each.id for each in table.files] == [CSV, PARQUET]
    assert table.html.rstrip().endswith("<p><em>Step <code>s</code>.</em></p>")
    assert [each.id for each in chart.charts] == [CHART]
    assert chart.html.strip() == "<h5>Chart</h5>"
    assert rest.html.strip().startswith("<p><em>Step <code>c</code>.</em></p>")
    assert "<h4>Basis</h4>" in rest.html  # in one order with the headings of the passages before
    assert not rest.charts + rest.files


@pytest.mark.parametrize(
    "line",
    [
        "[CSV](tables/other.csv)",  # names no file of this analysis
        f"\\[CSV\\]({CSV})",  # as a text of the data's would be written
        f"\\![CSV\\]({CSV})",
        "files-of-the-report-0",
        "files-of-the-report-7",
        f"files-of-the-report-{'9' * 5000}",  # more digits than are read as a number
    ],
)
def test_given_a_text_that_only_looks_like_a_file_then_no_file_is_put_there(line: str) -> None:
    assert not [
        each for passage in passages(f"# Asked\n\n{line}\n", OUTPUTS) for each in passage.charts + passage.files
    ]
