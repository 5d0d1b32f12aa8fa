"""What people upload becomes typed tables; what is hostile, broken or too large is refused and harms nothing."""

import io
import struct
import zipfile
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from activities.analysis.reading.inputs import NOTES, InputFile, InputLimits, prepare
from domain.analyses.table import NAME_LIMIT, ColumnType, TableProfile
from domain.errors import (
    Cancelled,
    RequestInvalid,
    TableInvalid,
    TableNotRecognised,
    TableTooLarge,
)
from tests.children import running
from tests.integration.analysis_stand import csv_of, parquet_of, rows_of, taken

T = ColumnType


# --- types -----------------------------------------------------------------------------------------------------------


COLUMNS: list[tuple[list[str], ColumnType, list[Any]]] = [
    (["1", "-2", "+3"], T.INTEGER, [1, -2, 3]),
    (["1", "", "3"], T.INTEGER, [1, None, 3]),
    (["1", "N/A", "#DIV/0!"], T.INTEGER, [1, None, None]),
    (["0.1", "0.2", "10"], T.NUMBER, [Decimal("0.1"), Decimal("0.2"), Decimal("10.0")]),
    (["1e3", "2.5E-1", "7"], T.NUMBER, [1000.0, 0.25, 7.0]),
    (["$1,234.50", "($2.00)", "12"], T.NUMBER, [Decimal("1234.50"), Decimal("-2.00"), Decimal("12.00")]),
    (["12.5 %", "7 %"], T.NUMBER, [Decimal("12.5"), Decimal("7.0")]),
    (["007", "123"], T.TEXT, ["007", "123"]),
    (["12345678901234567890", "1"], T.TEXT, ["12345678901234567890", "1"]),
    (["true", "FALSE"], T.BOOLEAN, [True, False]),
    (["2024-01-31", "2024-02-29"], T.DATE, [date(2024, 1, 31), date(2024, 2, 29)]),
    (["2024-01-31", "2024-02-30"], T.TEXT, ["2024-01-31", "2024-02-30"]),
    (["31.01.2024", "1.2.2024"], T.DATE, [date(2024, 1, 31), date(2024, 2, 1)]),
    (["31/01/2024", "01/02/2024"], T.DATE, [date(2024, 1, 31), date(2024, 2, 1)]),
    (["01/31/2024", "02/01/2024"], T.DATE, [date(2024, 1, 31), date(2024, 2, 1)]),
    (["5 Mar 2024", "17 April 2024"], T.DATE, [date(2024, 3, 5), date(2024, 4, 17)]),
    (["2024-01", "2024-02"], T.DATE, [date(2024, 1, 1), date(2024, 2, 1)]),
    (
        ["2024-01-31T10:00:00Z", "2024-01-31 12:00:00+02:00", "2024-01-31"],
        T.TIMESTAMP,
        [datetime(2024, 1, 31, 10), datetime(2024, 1, 31, 10), datetime(2024, 1, 31)],
    ),
    (["31.01.2024 13:05", "01.02.2024 00:00"], T.TIMESTAMP, [datetime(2024, 1, 31, 13, 5), datetime(2024, 2, 1)]),
    (["1", "two"], T.TEXT, ["1", "two"]),
    (["none", "a"], T.TEXT, ["none", "a"]),
    (["nan", "inf"], T.TEXT, ["nan", "inf"]),
    (["=1+1", "@x"], T.TEXT, ["=1+1", "@x"]),
]
"""Texts, the type that they have, and what is stored."""


@pytest.fixture(scope="module")
def columns(tmp_path_factory: pytest.TempPathFactory) -> tuple[TableProfile, list[tuple[Any, ...]]]:
    """All of :data:`COLUMNS` in one file."""
    longest = max(len(texts) for texts, _, _ in COLUMNS)
    rows = [[texts[n] if n < len(texts) else "" for texts, _, _ in COLUMNS] + [str(n)] for n in range(longest)]
    names = [f"c{place}" for place in range(len(COLUMNS))]
    prepared = taken(tmp_path_factory.mktemp("columns"), ("t.csv", csv_of([*names, "row"], rows)))
    return prepared.tables[0], rows_of(prepared.parquet["t"])


@pytest.mark.parametrize("place", range(len(COLUMNS)), ids=[" ".join(texts) for texts, _, _ in COLUMNS])
def test_given_a_column_of_texts_when_read_then_its_type_is_that_of_all_values_and_no_digit_is_lost(
    place: int, columns: tuple[TableProfile, list[tuple[Any, ...]]]
) -> None:
    texts, type, stored = COLUMNS[place]
    profile, rows = columns
    assert profile.columns[place].type is type
    assert [row[place] for row in rows][: len(texts)] == stored


def test_given_one_odd_value_far_down_when_read_then_the_column_is_text(tmp_path: Path) -> None:
    prepared = taken(tmp_path, ("t.csv", csv_of(["a", "b"], [*([[1, 1]] * 5_000), [1, "one"]])))
    assert prepared.tables[0].column("b").type is T.TEXT
    assert rows_of(prepared.parquet["t"])[-1] == (1, "one")


def test_given_dates_that_may_be_read_two_ways_when_read_then_it_is_said(tmp_path: Path) -> None:
    table = taken(tmp_path, ("t.csv", "a,b\n1,01/02/2024\n2,03/04/2024\n")).tables[0]
    assert [note.code for note in table.notes] == ["DATE_ORDER_GUESSED"]


def test_given_commas_before_decimals_when_read_then_numbers_are_right(tmp_path: Path) -> None:
    prepared = taken(tmp_path, ("t.csv", "name;wert\na;1.234,50\nb;2,25\n"))
    assert rows_of(prepared.parquet["t"]) == [("a", Decimal("1234.50")), ("b", Decimal("2.25"))]


# --- the profile -----------------------------------------------------------------------------------------------------


def test_given_a_table_when_read_then_its_profile_says_what_is_in_it(tmp_path: Path) -> None:
    rows = [(n, ["open", "closed"][n % 2], "" if n == 3 else n / 2, "") for n in range(10)]
    table = taken(
        tmp_path, ("My Orders (2024).csv", csv_of(["Order ID", "Status", "Net Amount €", "Empty"], rows))
    ).tables[0]
    assert (table.name, table.source, table.rows) == ("my_orders_2024", "My Orders (2024).csv", 10)
    assert [(column.name, column.original, column.type) for column in table.columns] == [
        ("order_id", "Order ID", T.INTEGER),
        ("status", "Status", T.TEXT),
        ("net_amount", "Net Amount €", T.NUMBER),
        ("empty", "Empty", T.TEXT),
    ]
    amount, status = table.column("net_amount"), table.column("status")
    assert (amount.nulls, amount.minimum, amount.maximum, amount.distinct) == (1, "0.0", "4.5", 9)
    assert (set(status.values), status.distinct) == ({"open", "closed"}, 2)
    assert {note.code for note in table.notes} == {"COLUMN_EMPTY"}


@pytest.mark.parametrize(
    ("headings", "names"),
    [
        (['a"; DROP TABLE x; --', "../../etc/passwd", "a\nb", "read_csv('/etc/passwd')"], None),
        (["x", "X", "x "], None),
        (["", "2024", "_", "日本 語"], ["column_1", "n_2024", "column_3", "日本_語"]),
        (["select", "from", "__place", "s_load"], ["select", "from", "place", "s_load"]),
        (["a" * 300, "a" * 301, "İ", "ß", "हिन्दी नाम", "௰½①"], None),
    ],
)
def test_given_crafted_headings_when_read_then_names_are_harmless_and_no_two_alike(
    headings: list[str], names: list[str] | None, tmp_path: Path
) -> None:
    table = taken(tmp_path, ("t.csv", csv_of(headings, [["a"] * len(headings)] * 2))).tables[0]
    found = [column.name for column in table.columns]
    assert len({name.casefold() for name in found}) == len(found)
    assert not set("".join(found)) & set("\"'`;:./\\()[] \n\0-")
    assert all(name[0].isalpha() and len(name) <= NAME_LIMIT for name in found)
    assert names is None or found == names


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("city,sales,sales,\nBerlin,1,2,\nParis,3,4.5,\n", ["city", "sales", "sales_2"]),
        ("a;A\n1;2\n", ["a", "a_2"]),
        ("Paris,Paris,1\nParis,Rome,2\n", ["column_1", "column_2", "column_3"]),
        ("yes,yes\nno,yes\n", ["column_1", "column_2"]),
    ],
)
def test_given_a_name_twice_in_the_first_row_then_it_is_a_heading_where_numbers_are_below(
    text: str, columns: list[str], tmp_path: Path
) -> None:
    table = taken(tmp_path, ("t.csv", text)).tables[0]
    assert [column.name for column in table.columns][: len(columns)] == columns
    assert table.rows == text.count("\n") - (columns[0] != "column_1")


def test_given_a_key_of_a_small_table_when_read_then_its_values_are_counted_not_estimated(tmp_path: Path) -> None:
    tables = taken(
        tmp_path, *((f"t{n}.csv", csv_of(["id", f"x{n}"], [(n * 97 + i, "") for i in range(40)])) for n in range(8))
    )
    assert [table.column("id").distinct for table in tables.tables] == [40] * 8
    assert [table.column(f"x{n}").distinct for n, table in enumerate(tables.tables)] == [0] * 8


def test_given_files_of_one_name_when_read_then_their_tables_have_two(tmp_path: Path) -> None:
    prepared = taken(tmp_path, ("t.csv", "a,b\n1,2\n"), ("t.csv", "c,d\n3,4\n"), ("../t;x.csv", "e,f\n5,6\n"))
    assert [table.name for table in prepared.tables] == ["t", "t_2", "t_x"]
    assert all(path.parent == tmp_path / "tables" for path in prepared.parquet.values())


def test_given_the_same_files_when_read_again_then_the_fingerprint_is_the_same_and_else_not(tmp_path: Path) -> None:
    files = [("a.csv", "x,y\n1,2\n"), ("b.csv", "x,y\n1,3\n")]
    first = taken(tmp_path, *files).fingerprint
    assert taken(tmp_path, *reversed(files)).fingerprint == first
    assert taken(tmp_path, files[0], ("b.csv", "x,y\n1,4\n")).fingerprint != first


# --- forms of CSV ----------------------------------------------------------------------------------------------------


FORMS: list[tuple[str, list[tuple[Any, ...]]]] = [
    ("a,b\n1,x\n2,y\n", [(1, "x"), (2, "y")]),
    ("a;b\r\n1;x\r\n2;y", [(1, "x"), (2, "y")]),
    ("a\tb\r1\tx\r2\ty\r", [(1, "x"), (2, "y")]),
    ("a|b\n1|x\n2|y\n", [(1, "x"), (2, "y")]),
    ("sep=;\na;b\n1;x\n2;y\n", [(1, "x"), (2, "y")]),
    ('a,b\n1,"x, ""y""\nz"\n2,y\n', [(1, 'x, "y"\nz'), (2, "y")]),
    ("a,b\n1,x\n\n\n2,y\n,\n", [(1, "x"), (2, "y")]),
    ("a,b,c\n1,x\n2,y,z\n", [(1, "x", None), (2, "y", "z")]),
    ("Report of sales\n\na,b\n1,x\n2,y\n3,z\n", [(1, "x"), (2, "y"), (3, "z")]),
    ("a\n1\n2\n", [(1,), (2,)]),
    ("a,b,\n1,x,\n2,y,\n", [(1, "x"), (2, "y")]),
    ("a,b\n1,x", [(1, "x")]),
    ("\ufeffa,b\n1,x\n", [(1, "x")]),
    ("a,b\n1,Zoë 日本\n", [(1, "Zoë 日本")]),
    ("1,2\n3,4\n5,6\n", [(1, 2), (3, 4), (5, 6)]),
]
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252")
LETTERS = "name,größe\nZoë,1\nRené,2\n"


@pytest.mark.parametrize("place", range(len(FORMS)), ids=[content for content, _ in FORMS])
def test_given_a_form_of_csv_when_read_then_the_table_is_the_same(place: int, tmp_path: Path) -> None:
    content, rows = FORMS[place]
    assert rows_of(taken(tmp_path, ("form.csv", content.encode())).parquet["form"]) == rows


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_given_an_encoding_when_read_then_letters_are_right(encoding: str, tmp_path: Path) -> None:
    prepared = taken(tmp_path, ("t.csv", LETTERS.encode(encoding)))
    (table,) = prepared.tables
    assert rows_of(prepared.parquet[table.name]) == [("Zoë", 1), ("René", 2)]
    assert [note.code for note in table.notes] == (["ENCODING_GUESSED"] if encoding == "cp1252" else [])


def test_given_letters_that_break_utf8_far_down_when_read_then_the_guess_covers_the_whole_file(tmp_path: Path) -> None:
    content = b"name,n\n" + b"abc,1\n" * 100_000 + "Zoë,2\n".encode("cp1252")
    assert rows_of(taken(tmp_path, ("t.csv", content)).parquet["t"])[-1] == ("Zoë", 2)


def test_given_a_few_nuls_when_read_then_they_are_spaces_and_it_is_said(tmp_path: Path) -> None:
    prepared = taken(tmp_path, ("t.csv", b"a,b\n1,x\0y\n2,\x07z\n"))
    assert rows_of(prepared.parquet["t"]) == [(1, "x y"), (2, "z")]
    assert [note.code for note in prepared.tables[0].notes] == ["CONTROL_CHARACTERS_REMOVED"]


def test_every_note_has_a_sentence() -> None:
    assert all(text.format(column="x", words="y").endswith(".") for text in NOTES.values())


# --- workbooks and Parquet -------------------------------------------------------------------------------------------


def workbook(sheets: dict[str, list[list[Any]]], hidden: tuple[str, ...] = ()) -> bytes:
    book = openpyxl.Workbook()
    del book["Sheet"]
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
        sheet.sheet_state = "hidden" if name in hidden else "visible"
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def test_given_a_workbook_when_read_then_each_visible_sheet_is_a_table_with_its_types(tmp_path: Path) -> None:
    content = workbook(
        {
            "Sales": [
                ["Sales of 2024"],
                [],
                ["day", "amount", "code", "paid"],
                [date(2024, 1, 2), 0.1, "007", True],
                [date(2024, 1, 3), 12, "008", None],
            ],
            "Notes": [["who", "when"], ["Ann", datetime(2024, 1, 2, 13, 30)]],
            "Secret": [["x", "y"], [1, 2]],
            "Empty": [],
        },
        hidden=("Secret",),
    )
    prepared = taken(tmp_path, ("book.xlsx", content))
    assert [(table.name, table.source) for table in prepared.tables] == [
        ("book_sales", "book.xlsx, sheet Sales"),
        ("book_notes", "book.xlsx, sheet Notes"),
    ]
    assert rows_of(prepared.parquet["book_sales"]) == [
        (date(2024, 1, 2), Decimal("0.1"), "007", True),
        (date(2024, 1, 3), Decimal("12.0"), "008", None),
    ]
    assert rows_of(prepared.parquet["book_notes"]) == [("Ann", datetime(2024, 1, 2, 13, 30))]


def test_given_formulas_when_read_then_they_are_not_computed(tmp_path: Path) -> None:
    content = workbook({"S": [["a", "b"], [1, '=HYPERLINK("http://example.org")'], [2, "=1+1"]]})
    assert rows_of(taken(tmp_path, ("b.xlsx", content)).parquet["b_s"]) == [(1, None), (2, None)]


def test_given_parquet_when_read_then_types_are_kept_and_what_is_no_value_of_a_table_is_text_or_left_out(
    tmp_path: Path,
) -> None:
    content = parquet_of(
        tmp_path,
        "SELECT 1::TINYINT a, 2.50::DECIMAL(9,2) b, 'nan'::DOUBLE c, [1, 2] d, {'k': 'v'} e, 'x'::BLOB f, "
        "TIMESTAMPTZ '2024-01-01 02:00:00+02' g, '12:30'::TIME h, true i, DATE '2024-01-01' j",
    )
    prepared = taken(tmp_path, ("t.parquet", content))
    assert rows_of(prepared.parquet["t"]) == [
        (1, Decimal("2.50"), None, "[1, 2]", "{'k': v}", datetime(2024, 1, 1), "12:30:00", True, date(2024, 1, 1))
    ]
    assert "COLUMN_LEFT_OUT" in {note.code for note in prepared.tables[0].notes}


@pytest.mark.parametrize("name", ["data.csv", "data.txt", "data", "data.xlsx"])
def test_a_file_is_what_its_bytes_are_whatever_it_is_called(name: str, tmp_path: Path) -> None:
    assert taken(tmp_path, (name, parquet_of(tmp_path, "SELECT 1 a"))).tables[0].rows == 1
    assert taken(tmp_path, (name, "a,b\n1,2\n")).tables[0].rows == 1
    assert taken(tmp_path, (name, workbook({"S": [["a", "b"], [1, 2]]}))).tables[0].rows == 1


# --- what is refused -------------------------------------------------------------------------------------------------


def zipped(**files: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in files.items():
            package.writestr(name, content)
    return file.getvalue()


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b"", TableInvalid),
        (b"\n\n  \n", TableInvalid),
        (b"\xef\xbb\xbf", TableInvalid),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 50, TableNotRecognised),
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n", TableNotRecognised),
        (b"<html><table><tr><td>1</td></tr></table></html>", TableNotRecognised),
        (b'{"a": [1, 2]}', TableNotRecognised),
        (b"\x1f\x8b\x08\x00" + b"x" * 100, TableNotRecognised),
        (b"MZ" + bytes(500), TableNotRecognised),
        (b"PAR1", TableInvalid),
        (b"PAR1" + b"\xff" * 400 + b"PAR1", TableInvalid),
        (b"PAR1" + b"x" * 40 + struct.pack("<I", 2**31) + b"PAR1", TableInvalid),
        (b"PK\x03\x04" + b"\0" * 200, TableInvalid),
        (zipped(**{"readme.txt": b"x"}), TableNotRecognised),
        (zipped(**{"xl/workbook.xml": b"<not xml"}), TableInvalid),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, TableInvalid),
        (b"a,b\n1,2\n1,2,3,4\n", TableInvalid),
        (b'a,b\n1,"2\n' + b"3,4\n" * 10, TableInvalid),
    ],
)
def test_given_what_is_no_table_when_read_then_it_is_refused_by_name_without_its_content(
    content: bytes, error: type[TableInvalid], tmp_path: Path
) -> None:
    with pytest.raises(error) as refused:
        taken(tmp_path, ("my data.csv", content))
    assert type(refused.value) is error
    assert "my data.csv" in refused.value.message
    assert str(tmp_path) not in refused.value.message
    assert_nothing_is_left(tmp_path)


def test_given_a_quotation_mark_that_is_not_closed_when_read_then_no_row_is_lost_in_silence(tmp_path: Path) -> None:
    with pytest.raises(TableInvalid, match="not closed, in line 3"):
        taken(tmp_path, ("t.csv", 'a,b\n1,x\n2,"y\n' + "3,z\n" * 10))
    assert rows_of(taken(tmp_path, ("t.csv", 'a,b\n1,5" pipe\n2,x\n')).parquet["t"]) == [(1, '5" pipe'), (2, "x")]


def test_given_a_row_too_long_when_read_then_the_line_is_named(tmp_path: Path) -> None:
    rows = "".join(f"{n},{n}\n" for n in range(500))
    with pytest.raises(TableInvalid, match="has 3 cells in line 502"):
        taken(tmp_path, ("t.csv", f"a,b\n{rows}1,2,3\n"))


LIES = b'<?xml version="1.0"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'


def bomb(lying: bool) -> bytes:
    """A workbook of which a sheet unpacks to 400 MB; ``lying``: and says that it is small."""
    source = workbook({"S": [["a", "b"], [1, 2]]})
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(source)) as old, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new:
        for part in old.namelist():
            if part.endswith("sheet1.xml"):
                with new.open(part, "w", force_zip64=True) as sheet:
                    sheet.write(LIES)
                    for _ in range(400):
                        sheet.write(b"<row>" + b"<c><v>1</v></c>" * 66_000 + b"</row>")
            else:
                new.writestr(part, old.read(part))
    data = bytearray(file.getvalue())
    if lying:
        place = data.rfind(b"PK\x01\x02", 0, data.rfind(b"xl/worksheets/sheet1.xml"))
        data[place + 24 : place + 28] = struct.pack("<I", 1_000)
    return bytes(data)


@pytest.mark.parametrize("lying", [False, True])
def test_given_a_workbook_that_unpacks_to_too_much_when_read_then_it_is_refused(lying: bool, tmp_path: Path) -> None:
    limits = InputLimits(unpacked_bytes=100 << 20, memory_bytes=768 << 20)
    with pytest.raises(TableInvalid):
        taken(tmp_path, ("bomb.xlsx", bomb(lying)), limits=limits)
    assert_nothing_is_left(tmp_path)


def test_given_parquet_that_unpacks_to_more_memory_than_it_may_when_read_then_it_is_refused(tmp_path: Path) -> None:
    content = parquet_of(tmp_path, "SELECT repeat('x', 50000000) a FROM range(30)")
    assert len(content) < 10 << 20
    with pytest.raises(TableInvalid):
        taken(tmp_path, ("t.parquet", content), limits=InputLimits(memory_bytes=512 << 20))
    assert_nothing_is_left(tmp_path)


@pytest.mark.parametrize(
    "limits",
    [
        InputLimits(file_bytes=1_000),
        InputLimits(rows=99),
        InputLimits(columns=2),
        InputLimits(tables=0),
    ],
)
@pytest.mark.parametrize("form", ["csv", "parquet", "xlsx"])
def test_given_more_than_the_limits_when_read_then_it_is_refused(
    limits: InputLimits, form: str, tmp_path: Path
) -> None:
    rows = [[n, n, "text of some length"] for n in range(100)]
    content: bytes | str = csv_of(["a", "b", "c"], rows)
    if form == "parquet":
        content = parquet_of(tmp_path, "SELECT i a, random() b, repeat(i::VARCHAR, 30) c FROM range(100) t(i)")
    elif form == "xlsx":
        content = workbook({"S": [["a", "b", "c"], *rows]})
    with pytest.raises(TableTooLarge):
        taken(tmp_path, (f"t.{form}", content), limits=limits)
    assert_nothing_is_left(tmp_path)


def test_given_as_many_rows_as_allowed_when_read_then_they_are_taken(tmp_path: Path) -> None:
    content = csv_of(["a", "b"], [[n, n] for n in range(100)])
    assert taken(tmp_path, ("t.csv", content), limits=InputLimits(rows=100, columns=2)).tables[0].rows == 100


def test_given_reading_that_takes_too_long_when_its_time_is_over_then_it_is_killed(tmp_path: Path) -> None:
    with pytest.raises(TableTooLarge, match="too long"):
        taken(tmp_path, ("t.csv", "a,b\n1,2\n"), limits=InputLimits(seconds=0.0))
    assert_nothing_is_left(tmp_path)


@pytest.mark.parametrize("count", [0, 11])
def test_given_no_file_or_too_many_when_read_then_the_request_is_refused(count: int, tmp_path: Path) -> None:
    with pytest.raises(RequestInvalid):
        prepare([InputFile("t.csv", tmp_path / "t")] * count, tmp_path / "tables")


def test_given_a_cancel_while_reading_then_the_reader_is_gone_and_nothing_is_left(tmp_path: Path) -> None:
    path = tmp_path / "upload-0"
    path.write_text("a,b\n" + "1,2\n" * 2_000_000)  # it has not read them all before anybody looks

    def cancel_once_it_runs(share: float) -> None:
        if running("reader.py"):
            raise Cancelled("stop")

    with pytest.raises(Cancelled):
        prepare([InputFile("t.csv", path)], tmp_path / "tables", scratch=tmp_path, on_progress=cancel_once_it_runs)
    assert_nothing_is_left(tmp_path)


def assert_nothing_is_left(folder: Path) -> None:
    assert running("reader.py") == []
    assert {path.name for path in folder.iterdir()} <= {"upload-0", "made.parquet"}
