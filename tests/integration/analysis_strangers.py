# ruff: noqa: E501, RUF001  the letters of many scripts are what is tested; a table is read on one line
"""Tables of people whom nobody has asked before: old workbooks, OpenDocument sheets, formats that alone say percent, more
encodings, calendars and ways of asking.

Written down by somebody who had not seen how they are read. What is right was not computed by the product.
"""

import zipfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from io import BytesIO
from struct import pack
from typing import Any
from xml.sax.saxutils import escape

from tests.integration.analysis_corpus import BY_REGION, Case, Right, workbook
from tests.integration.analysis_oddities import odd

PERCENT_SUM = {"percent_value": "add them up all the same"}
PERCENT_MEAN = {"percent_value": "the average"}


def strangers() -> list[Case]:
    parts = (
        _percents,
        _old_workbooks,
        _open_documents,
        _more_encodings,
        _more_numbers,
        _more_dates,
        _more_tables,
        _asked,
    )
    return [each for part in parts for each in part()]


# --- percent ------------------------------------------------------------------------------------------------------


def _percents() -> Iterator[Case]:
    rows: list[list[Any]] = [["region", "value"], ["North", 0.12], ["North", 0.5], ["South", 0.25]]

    def shown(
        name: str, codes: Sequence[str], question: str, right: Right, answers: Any = None, given: Any = rows
    ) -> Case:
        formats = [("S", f"B{place}", code) for place, code in enumerate(codes, start=2) if code]
        content = workbook({"S": given}, formats=formats)
        return odd(f"percent by format: {name}", content, question, right, file="p.xlsx", answers=answers)

    added = {"North": "0.62", "South": "0.25"}
    averaged = {"North": "0.31", "South": "0.25"}
    by_region = "Total value by region"
    yield shown("added", ["0%"] * 3, by_region, None)
    yield shown("not said how", ["0%"] * 3, "Value by region", None)
    yield shown("with places", ["0.00%"] * 3, by_region, None)
    yield shown("with a space", ["0.0\\ %"] * 3, by_region, None)
    yield shown("with a sign of its own", ['#,##0.0"%"'] * 3, by_region, None)
    yield shown("with a red minus", ["0.0%;[Red]-0.0%"] * 3, by_region, None)
    yield shown("of two numbers", ["0%"] * 2, by_region, None, given=rows[:3])
    yield shown("added all the same", ["0%"] * 3, by_region, added, PERCENT_SUM)
    yield shown("averaged, as answered", ["0%"] * 3, by_region, averaged, PERCENT_MEAN)
    yield shown("averaged", ["0%"] * 3, "Average value by region", averaged)
    yield shown("the highest", ["0%"] * 3, "Highest value", "0.5")
    yield shown("among others", ["0%", "", "0%"], by_region, None, given=[*rows[:2], ["North", 50], rows[3]])
    beside = [[*row, place] for row, place in zip(rows, ["sold", 10, 20, 40], strict=True)]
    yield shown("beside a number", ["0%"] * 3, "Total sold by region", {"North": "30", "South": "40"}, given=beside)
    euros = workbook(
        {"S": [["region", "value", "amount"], ["North", 0.1, 5], ["South", 0.2, 7]]},
        formats=[("S", f"{c}{r}", f) for r in (2, 3) for c, f in (("B", "0%"), ("C", "#,##0.00 €"))],
    )
    yield odd("percent by format: beside euros", euros, BY_REGION, {"North": "5", "South": "7"}, file="p.xlsx")
    for name, text in {
        "a space": "region;value\nNorth;12 %\nNorth;8 %\nSouth;9 %\n",
        "commas": "region;value\nNorth;12,5 %\nNorth;8,5%\nSouth;9,0 %\n",
        "Arabic": "region,value\nNorth,١٢٪\nNorth,٨٪\nSouth,٩٪\n",
        "full width": "region,value\nNorth,12％\nNorth,8％\nSouth,9％\n",
        "per mille": "region,value\nNorth,12‰\nNorth,8‰\nSouth,9‰\n",
        "a word": "region,value\nNorth,12 percent\nNorth,8 percent\nSouth,9 percent\n",
    }.items():
        yield odd(f"percent as written: {name}", text, by_region, None)
    yield odd(
        "percent as written, averaged",
        "region;value\nNorth;12,5 %\nNorth;8,5%\nSouth;9,0 %\n",
        "Average value by region",
        {"North": "10.5", "South": "9"},
    )


# --- old workbooks ------------------------------------------------------------------------------------------------


def xls(
    sheets: Mapping[str, Sequence[Sequence[Any]]],
    *,
    formats: Sequence[str] = (),
    styled: dict[tuple[int, int], int] | None = None,
    merged: Sequence[tuple[int, int, int, int]] = (),
    hidden: Sequence[str] = (),
    since_1904: bool = False,
) -> bytes:
    """A workbook in BIFF8, as Excel 97 to 2003 wrote it ([MS-XLS], [MS-CFB]).

    Args:
        formats: Number formats; a cell (row, column) has the one whose place ``styled`` says. Days and durations are
            given theirs.
        merged: First row, last row, first column, last column.
    """
    codes = ["General", "yyyy-mm-dd", "[h]:mm", *formats]

    def record(kind: int, data: bytes) -> bytes:
        return pack("<HH", kind, len(data)) + data

    def text(value: str) -> bytes:
        return pack("<B", 1) + value.encode("utf-16-le")

    def cell(row: int, column: int, value: Any) -> bytes:
        at = (styled or {}).get((row, column))
        style = 0 if at is None else at + 3
        if value is None:
            return b""
        if isinstance(value, bool):
            return record(0x0205, pack("<HHHBB", row, column, style, value, 0))
        if isinstance(value, str):
            return record(0x0204, pack("<HHHH", row, column, style, len(value)) + text(value))
        if isinstance(value, timedelta):
            value, style = value / timedelta(days=1), 2
        elif isinstance(value, date):
            began = datetime(1904, 1, 1) if since_1904 else datetime(1899, 12, 30)
            value, style = (datetime.fromisoformat(str(value)) - began) / timedelta(days=1), 1
        return record(0x0203, pack("<HHHd", row, column, style, value))

    bodies = []
    for rows in sheets.values():
        cells = b"".join(cell(r, c, value) for r, row in enumerate(rows) for c, value in enumerate(row))
        width = max(len(row) for row in rows)
        ranges = record(0x00E5, pack("<H", len(merged)) + b"".join(pack("<4H", *each) for each in merged))
        size = record(0x0200, pack("<IIHHH", 0, len(rows), 0, width, 0))
        begin = record(0x0809, pack("<HHHHII", 0x0600, 0x0010, 0x0DBB, 0x07CC, 0, 6))
        bodies.append(begin + size + cells + (ranges if merged else b"") + record(0x000A, b""))

    def opened(offsets: Sequence[int]) -> bytes:
        out = record(0x0809, pack("<HHHHII", 0x0600, 0x0005, 0x0DBB, 0x07CC, 0, 6))
        out += record(0x0042, pack("<H", 1200)) + record(0x0022, pack("<H", since_1904))
        for place, code in enumerate(codes):
            out += record(0x041E, pack("<HH", 164 + place, len(code)) + text(code))
        out += b"".join(record(0x00E0, pack("<HH16x", 0, 164 + place)) for place in range(len(codes)))
        for offset, name in zip(offsets, sheets, strict=True):
            out += record(0x0085, pack("<IBBB", offset, name in hidden, 0, len(name)) + text(name))
        return out + record(0x000A, b"")

    first = len(opened([0] * len(sheets)))
    offsets = [first + sum(map(len, bodies[:place])) for place in range(len(bodies))]
    return _compound(opened(offsets) + b"".join(bodies))


def _compound(stream: bytes) -> bytes:
    """A compound file with the one stream ``Workbook``: a sector of its table, one of its folder, then the stream."""
    free, end = 0xFFFFFFFF, 0xFFFFFFFE
    stream = stream.ljust(4096, b"\0")  # shorter ones lie elsewhere
    stream += bytes(-len(stream) % 512)
    sectors = len(stream) // 512
    chain = [0xFFFFFFFD, end, *range(3, 2 + sectors), end]
    assert len(chain) <= 128

    def entry(name: str, kind: int, child: int, start: int, size: int) -> bytes:
        written = name.encode("utf-16-le")
        head = written.ljust(64, b"\0") + pack("<HBBIII", len(written) + 2 if name else 0, kind, 1, free, free, child)
        return head + bytes(36) + pack("<IQ", start, size)

    folder = entry("Root Entry", 5, 1, end, 0) + entry("Workbook", 2, free, 2, len(stream))
    folder += entry("", 0, free, 0, 0) * 2
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + pack("<HHHHH6x", 0x3E, 3, 0xFFFE, 9, 6)
    head += pack("<IIIIIIIII", 0, 1, 1, 0, 4096, end, 0, end, 0) + pack("<109I", 0, *[free] * 108)
    return head + pack("<128I", *chain, *[free] * (128 - len(chain))) + folder + stream


def _old_workbooks() -> Iterator[Case]:
    rows: list[list[Any]] = [["region", "amount"], ["North", 5], ["North", 7.5], ["South", 20]]
    right = {"North": "12.5", "South": "20"}

    def old(name: str, content: bytes, question: str = BY_REGION, answer: Right = right, answers: Any = None) -> Case:
        return odd(f"xls: {name}", content, question, answer, file="b.xls", answers=answers)

    yield old("plain", xls({"S": rows}))
    yield old("a total", xls({"S": [*rows, ["Total", 32.5]]}))
    yield old("merged", xls({"S": [rows[0], rows[1], [None, 7.5], rows[3]]}, merged=[(1, 2, 0, 0)]))
    yield old("a title", xls({"S": [["Sales of 2024"], [], *rows]}))
    yield old("a hidden sheet", xls({"S": rows, "Old": [rows[0], ["North", 100]]}, hidden=["Old"]))
    yield old(
        "sheets alike",
        xls({"January": rows, "February": [rows[0], ["North", 100]]}),
        answer={"North": "112.5", "South": "20"},
    )
    days: list[list[Any]] = [["day", "amount"], [date(2024, 5, 1), 5], [date(2024, 5, 9), 1], [date(2024, 6, 1), 7]]
    by_month = {"2024-05-01": "6", "2024-06-01": "7"}
    yield old("days", xls({"S": days}), "Total amount by month", by_month)
    yield old("days since 1904", xls({"S": days}, since_1904=True), "Total amount by month", by_month)
    worked: list[list[Any]] = [
        ["person", "worked"],
        ["A", timedelta(hours=27, minutes=15)],
        ["A", timedelta(hours=12, minutes=45)],
        ["B", timedelta(hours=8)],
    ]
    yield old("durations", xls({"S": worked}), "Total worked by person", {"A": "40", "B": "8"})
    flags: list[list[Any]] = [["region", "paid"], ["North", True], ["North", False], ["South", True]]
    yield old("flags", xls({"S": flags}), "Total paid by region", {"North": "1", "South": "1"})
    letters: list[list[Any]] = [["имя", "сумма"], ["Север", 5], ["Юг", 7], ["Север", 1]]
    yield old("Cyrillic", xls({"Лист1": letters}), "Total сумма by имя", {"Север": "6", "Юг": "7"})
    ids: list[list[Any]] = [["tracking", "amount"], [1234567890123456789, 1], [1234567890123456788, 2]]
    yield old("ids of 19 digits", xls({"S": ids}), "Total amount by tracking", None)
    money = xls({"S": rows}, formats=['#,##0.00 "€"', "[$$-409]#,##0.00"], styled={(1, 1): 0, (2, 1): 1, (3, 1): 0})
    yield old("two currencies by format", money, answer=None)
    part: list[list[Any]] = [["region", "value"], ["North", 0.12], ["North", 0.5], ["South", 0.25]]
    percent = xls({"S": part}, formats=["0%"], styled={(row, 1): 0 for row in (1, 2, 3)})
    yield old("percent by format", percent, "Total value by region", None)
    texts = [["region", "amount"], ["North", "1.234,50"], ["North", "2,50"], ["South", "20,00"]]
    yield old("numbers as text", xls({"S": texts}), answer={"North": "1237", "South": "20"})
    yield old("heading of two rows", xls({"S": [["", "2024", None], ["region", "Q1", "Q2"], ["North", 1, 2], ["South", 3, 4]]}, merged=[(0, 0, 1, 2)]),
              "Total 2024 Q1 by region", {"North": "1", "South": "3"})  # fmt: skip


# --- OpenDocument -------------------------------------------------------------------------------------------------


def cell(value: Any, kind: str = "", more: str = "", text: str | None = None) -> str:
    """A cell as LibreOffice writes it. ``kind``: percentage, currency, time; ``more``: attributes."""
    if value is None:
        return f"<table:table-cell{more}/>"
    shown = f"<text:p>{escape(str(value)) if text is None else text}</text:p>"
    if kind == "time":
        return (
            f'<table:table-cell office:value-type="time" office:time-value="{value}"{more}>{shown}</table:table-cell>'
        )
    if isinstance(value, bool):
        return f'<table:table-cell office:value-type="boolean" office:boolean-value="{str(value).lower()}"{more}>{shown}</table:table-cell>'
    if isinstance(value, date):
        return f'<table:table-cell office:value-type="date" office:date-value="{value.isoformat()}"{more}>{shown}</table:table-cell>'
    if isinstance(value, int | float):
        return f'<table:table-cell office:value-type="{kind or "float"}" office:value="{value}"{more}>{shown}</table:table-cell>'
    return f'<table:table-cell office:value-type="string"{more}>{shown}</table:table-cell>'


COVERED = "<table:covered-table-cell/>"


def row(*cells: Any, more: str = "") -> str:
    return f"<table:table-row{more}>{''.join(each if isinstance(each, str) and each.startswith('<') else cell(each) for each in cells)}</table:table-row>"


def ods(**sheets: Sequence[str]) -> bytes:
    """An OpenDocument of sheets of rows; what is called ``hidden`` is."""
    names = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for name in ("office", "table", "text", "style")
    )
    tables = "".join(
        f'<table:table table:name="{name}"{" table:style-name=" + chr(34) + "no" + chr(34) if name == "hidden" else ""}>{"".join(rows)}</table:table>'
        for name, rows in sheets.items()
    )
    content = (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document-content {names} office:version="1.3">'
        '<office:automatic-styles><style:style style:name="no" style:family="table">'
        '<style:table-properties table:display="false"/></style:style></office:automatic-styles>'
        f"<office:body><office:spreadsheet>{tables}</office:spreadsheet></office:body></office:document-content>"
    )
    manifest = (
        '<?xml version="1.0"?><manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
        '<manifest:file-entry manifest:full-path="/" '
        'manifest:media-type="application/vnd.oasis.opendocument.spreadsheet"/></manifest:manifest>'
    )
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as package:
        package.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        package.writestr("content.xml", content)
        package.writestr("META-INF/manifest.xml", manifest)
    return file.getvalue()


def _open_documents() -> Iterator[Case]:
    head = row("region", "amount")
    data = [row("North", 5), row("North", 7), row("South", 20)]
    right = {"North": "12", "South": "20"}

    def sheet(name: str, rows: Sequence[str], question: str = BY_REGION, answer: Right = right, **more: Any) -> Case:
        return odd(f"ods: {name}", ods(S=rows, **more), question, answer, file="d.ods")

    two = ' table:number-rows-spanned="2"'
    yield sheet("merged", [head, row(cell("North", more=two), 5), row(COVERED, 7), row("South", 20)])
    twice = ' table:number-rows-repeated="2"'
    yield sheet("rows alike", [head, row("North", 6, more=twice), row("South", 20)])
    yield sheet("columns alike", [row("region", "amount", "units"), row("North", cell(6, more=' table:number-columns-repeated="2"')), row("South", 20, 3)],
                answer={"North": "6", "South": "20"})  # fmt: skip
    yield sheet("empty columns alike before", [row(cell(None, more=' table:number-columns-repeated="3"'), "region", "amount"),
                                               *(row(cell(None, more=' table:number-columns-repeated="3"'), r, a) for r, a in (("North", 5), ("North", 7), ("South", 20)))])  # fmt: skip
    yield sheet(
        "a million empty rows",
        [
            head,
            *data,
            row(cell(None, more=' table:number-columns-repeated="1024"'), more=' table:number-rows-repeated="1048572"'),
        ],
    )
    yield sheet("durations", [row("person", "worked"), row("A", cell("PT27H15M00S", "time")), row("A", cell("PT12H45M00S", "time")), row("B", cell("PT08H00M00S", "time"))],
                "Total worked by person", {"A": "40", "B": "8"})  # fmt: skip
    yield sheet("percent", [row("region", "value"), *(row(r, cell(v, "percentage")) for r, v in (("North", 0.12), ("North", 0.5), ("South", 0.25)))],
                "Total value by region", None)  # fmt: skip
    yield sheet("percent, averaged", [row("region", "value"), *(row(r, cell(v, "percentage")) for r, v in (("North", 0.12), ("North", 0.5), ("South", 0.25)))],
                "Average value by region", {"North": "0.31", "South": "0.25"})  # fmt: skip

    def money(*currencies: str) -> list[str]:
        return [
            head,
            *(
                row(r, cell(a, "currency", f' office:currency="{c}"'))
                for (r, a), c in zip((("North", 5), ("North", 7), ("South", 20)), currencies, strict=True)
            ),
        ]

    yield sheet("one currency", money("EUR", "EUR", "EUR"))
    yield sheet("two currencies", money("EUR", "USD", "EUR"), answer=None)
    yield sheet("a hidden sheet", [head, *data], hidden=[head, row("North", 100)])
    yield sheet(
        "hidden rows",
        [head, data[0], row("North", 7, more=' table:visibility="collapse"'), data[2]],
        answer={"North": "5", "South": "20"},
    )
    yield sheet(
        "filtered rows",
        [head, data[0], row("North", 7, more=' table:visibility="filter"'), data[2]],
        answer={"North": "5", "South": "20"},
    )
    yield sheet(
        "formulas without values",
        [head, data[0], row("North", cell(None, more=' table:formula="of:=[.B2]+2"')), data[2]],
    )
    error = ' calcext:value-type="error" xmlns:calcext="urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0"'
    yield sheet("a cell in error", [head, data[0], row("North", cell("#REF!", more=error)), data[2]], answer=None)
    yield sheet("days", [row("day", "amount"), row(date(2024, 5, 1), 5), row(datetime(2024, 5, 9, 13, 30), 1), row(date(2024, 6, 1), 7)],
                "Total amount by month", {"2024-05-01": "6", "2024-06-01": "7"})  # fmt: skip
    yield odd(
        "ods: sheets alike",
        ods(January=[head, *data], February=[head, row("North", 100)]),
        BY_REGION,
        {"North": "112", "South": "20"},
        file="d.ods",
    )
    yield sheet(
        "names of two lines",
        [head, row(cell("North", text="North</text:p><text:p>upper"), 5), row("South", 20)],
        "Total amount",
        "25",
    )
    note = "<office:annotation><text:p>checked by Ann</text:p></office:annotation>"
    yield sheet(
        "a remark at a cell",
        [
            head,
            row(f'<table:table-cell office:value-type="string">{note}<text:p>North</text:p></table:table-cell>', 5),
            *data[1:],
        ],
    )
    yield sheet("parts of a name", [head, row(cell("North", text="<text:span>Nor</text:span>th"), 5), *data[1:]])
    yield sheet("blanks in a name", [row("region", "amount"), row(cell("New York", text="New<text:s/>York"), 5), row("New York", 7), row("South", 20)],
                answer={"New York": "12", "South": "20"})  # fmt: skip
    yield sheet("a total", [head, *data, row("Total", 32)])
    grouped = ["<table:table-row-group>", *data[:2], "</table:table-row-group>"]
    yield sheet("grouped rows", [head, row("Both", 12), *grouped, data[2]], "Total amount", "32")
    yield sheet("heading rows", ["<table:table-header-rows>", head, "</table:table-header-rows>", *data])
    yield sheet("a heading of two rows", [row("", cell("2024", more=' table:number-columns-spanned="2"'), COVERED), row("region", "Q1", "Q2"), row("North", 1, 2), row("South", 3, 4)],
                "Total 2024 Q1 by region", {"North": "1", "South": "3"})  # fmt: skip
    yield sheet(
        "numbers as text",
        [head, row("North", "1.234,50"), row("North", "2,50"), row("South", "20,00")],
        answer={"North": "1237", "South": "20"},
    )


# --- encodings ----------------------------------------------------------------------------------------------------


def _more_encodings() -> Iterator[Case]:
    texts = {
        "cp1257": "miestas;suma\nŠiauliai;10\nKėdainiai;20\nŠiauliai;5\n",
        "iso8859_13": "miestas;suma\nŠiauliai;10\nKėdainiai;20\nŠiauliai;5\n",
        "iso8859_15": "ville;montant\nCœuvres;10\nŒuilly;20\nCœuvres;5\n",
        "cp437": "Stadt;Betrag\nKöln;10\nMünchen;20\nKöln;5\n",
        "cp852": "miasto;kwota\nŁódź;10\nGdańsk;20\nŁódź;5\n",
        "cp1258": "thành;tiền\nHuế;10\nHà Nội;20\nHuế;5\n",
        "iso8859_9": "şehir;tutar\nEskişehir;10\nIğdır;20\nEskişehir;5\n",
        "mac_cyrillic": "имя;сумма\nСевер;10\nЮг;20\nСевер;5\n",
        "iso8859_5": "имя;сумма\nСевер;10\nЮг;20\nСевер;5\n",
        "iso8859_7": "πόλη;ποσό\nΑθήνα;10\nΠάτρα;20\nΑθήνα;5\n",
        "iso8859_8": "עיר;סכום\nחיפה;10\nירושלים;20\nחיפה;5\n",
        "shift_jis": "氏名;金額\nﾀﾅｶ;10\nｽｽﾞｷ;20\nﾀﾅｶ;5\n",
        "gbk": "氏名;金额\n王芳;10\n赵磊;20\n王芳;5\n",
        "big5hkscs": "姓名;金額\n陳大文;10\n黃小明;20\n陳大文;5\n",
        "koi8_u": "ім'я;сума\nКиїв;10\nЛьвів;20\nКиїв;5\n",
    }
    for encoding, text in texts.items():
        try:
            content = text.encode(encoding)
        except UnicodeEncodeError:  # as some letters of Vietnamese are written with two signs
            import unicodedata

            content = unicodedata.normalize("NFD", text).encode(encoding, "ignore")
        heading, *rows = [line.split(";") for line in text.splitlines()]
        right = {rows[0][0]: "15", rows[1][0]: "20"}
        yield odd(f"written in {encoding}", content, f"Total {heading[1]} by {heading[0]}", right)
    mixed = "stadt;betrag\nKöln;10\n".encode() + "Köln;5\nMünchen;20\n".encode("cp1252")
    yield odd("two encodings in one file", mixed, "Total betrag by stadt", {"Köln": "15", "München": "20"})


# --- numbers ------------------------------------------------------------------------------------------------------


def _more_numbers() -> Iterator[Case]:
    def pair(name: str, first: str, second: str, north: str | None, south: str = "2.5") -> Case:
        right = None if north is None else {"North": north, "South": south}
        return odd(f"number: {name}", f'region\tamount\nNorth\t"{first}"\nSouth\t"{second}"\n', BY_REGION, right)

    yield pair("a middle dot between thousands", "1·234,56", "2,50", "1234.56")
    yield pair("underscores", "1_234.56", "2.50", "1234.56")
    yield pair("a code before brackets", "USD (1,234.50)", "USD 2.50", "-1234.5")
    yield pair("a minus behind the currency's end", "1.234,56-€", "2,50 €", "-1234.56")
    yield pair("a true minus in an exponent", "1.5E−3", "2.5", "0.0015")
    yield pair("two signs of one currency", "¥1,234", "￥2", "1234", "2")
    yield pair("lakh without decimals", "12,34,567", "2,00,000", "1234567", "200000")
    yield pair("Persian", "۱۲۳۴٫۵", "۲٫۵", "1234.5")
    yield pair("Persian thousands", "۱٬۲۳۴٫۵", "۲٫۵", "1234.5")
    yield pair("blanks of two kinds", "1\u202f234\u00a0567,5", "2,5", "1234567.5")
    yield pair("franks", "Fr. 1'234.50", "Fr. 2.50", "1234.5")
    yield pair("kroner before", "kr 1.234,50", "kr 2,50", "1234.5")
    yield pair("dong", "1.234.567 ₫", "2 ₫", "1234567", "2")
    yield pair("Norwegian dash", "1 234,-", "2,50", "1234")
    yield pair("marks", "1.234,56 DM", "2,50 DM", "1234.56")
    yield pair("a plus behind", "1,234.56+", "2.50", "1234.56")
    yield pair("brackets and minus", "(-5.00)", "2.50", "-5")
    yield pair("two minus signs", "--5.00", "2.50", None)
    yield pair("a slash for thousands", "1/234", "2", None, "2")
    yield pair("thousands wrongly apart", "1,23.50", "2.50", "123.5")
    yield pair("a zero in front of thousands", "0,123.50", "2.50", "123.5")
    yield pair("points in both places", "1.234.56", "2.50", None)
    yield pair("letters before", "EUR1.234,56", "EUR2,50", "1234.56")
    yield pair("millions as a word behind", "1,5 Mio €", "2,5 Mio €", "1500000", "2500000")
    yield pair("T€", "5 T€", "2,5 T€", None)
    yield pair("K behind a currency", "$1.2K", "$2.5K", "1200", "2500")
    yield pair("a cent sign", "50¢", "$2.50", "0.5")
    yield pair("a tab within quotes", "1,234.56\t", "2.50", "1234.56")
    yield pair("minus in brackets of another", "[5.00]", "2.50", None)
    yield pair("a word for nothing", "nil", "2.50", None)
    yield odd(
        "debit and credit beside",
        "region,side,amount\nNorth,D,5\nNorth,C,3\nSouth,D,2\n",
        BY_REGION,
        None,
    )
    yield odd(
        "signs beside",
        "region,+/-,amount\nNorth,+,5\nNorth,-,3\nSouth,+,2\n",
        BY_REGION,
        {"North": "2", "South": "2"},
    )
    yield odd(
        "minutes and seconds",
        "person,duration\nA,27:15\nA,12:45\nB,08:00\n",
        "Total duration by person",
        {"A": "40", "B": "8"},
    )
    yield odd(
        "durations in ISO",
        "person,worked\nA,PT27H15M\nA,PT12H45M\nB,PT8H\n",
        "Total worked by person",
        {"A": "40", "B": "8"},
    )
    yield odd(
        "durations in German",
        "person;dauer\nA;27 Std. 15 Min.\nA;12 Std. 45 Min.\nB;8 Std.\n",
        "Total dauer by person",
        {"A": "40", "B": "8"},
    )
    yield odd(
        "durations with days",
        "person,worked\nA,1.03:15:00\nA,12:45:00\nB,08:00:00\n",
        "Total worked by person",
        {"A": "40", "B": "8"},
    )
    yield odd(
        "negative durations",
        "person,overtime\nA,-1:30\nA,3:00\nB,0:45\n",
        "Total overtime by person",
        {"A": "1.5", "B": "0.75"},
    )


# --- dates --------------------------------------------------------------------------------------------------------


def _more_dates() -> Iterator[Case]:
    august = {"2026-08-01": "1", "2026-09-01": "2"}

    def days(name: str, first: str, second: str, right: Right = august, heading: str = "ordered") -> Case:
        return odd(f"days: {name}", f'{heading};amount\n"{first}";1\n"{second}";2\n', "Total amount by month", right)

    yield days("two digits, day first", "03/08/26", "26/09/26")
    yield days("points and years first", "2026.08.03", "2026.09.04")
    yield days("Hungarian", "2026. 08. 03.", "2026. 09. 04.")
    yield days("Korean", "2026. 8. 3", "2026. 9. 4")
    yield days("short German", "3.8.2026", "4.9.2026")
    yield days("short German of two digits", "3.8.26", "24.9.26")
    yield days("names of months between", "03-Aug-26", "04-Sep-26")
    yield days("months alone", "Aug-26", "Sep-26")
    yield days("months alone, long", "August 2026", "September 2026")
    yield days("months of numbers", "08/2026", "09/2026")
    yield days("East Asian months", "2026年8月", "2026年9月")
    yield days("an era of Japan", "令和8年8月3日", "令和8年9月4日")
    yield days("Minguo", "115/08/03", "115/09/04")
    yield days("Buddhist", "03/08/2569", "14/09/2569")
    yield days("Persian", "1405/05/12", "1405/06/13")
    yield days("French", "3 août 2026", "4 septembre 2026")
    yield days("Spanish", "3 de agosto de 2026", "4 de septiembre de 2026")
    yield days("Russian", "3 августа 2026", "4 сентября 2026")
    yield days("ordinals", "3rd August 2026", "4th Sept 2026")
    yield days("a name of the day in German", "Mo, 03.08.2026", "Fr, 04.09.2026")
    yield days("compact with a clock", "20260803T143000Z", "20260904T143000Z")
    yield days("a clock with thousandths after a comma", "2026-08-03 14:30:00,123", "2026-09-04 14:30:00,123")
    yield days("nanoseconds", "2026-08-03T14:30:00.123456789Z", "2026-09-04T14:30:00.123456789Z")
    yield days("a clock of twelve hours", "8/3/2026 12:05 AM", "9/14/2026 12:05 PM")
    yield days("a clock, day first", "03/08/2026 14:30", "26/09/2026 09:00")
    yield days("a clock with h", "03.08.2026 14h30", "26.09.2026 09h00")
    yield days("a name of a zone behind", "2026-08-03 14:30 Europe/Berlin", "2026-09-04 14:30 Europe/Berlin")
    yield days("RFC 2822", "Mon, 03 Aug 2026 14:30:00 +0200", "Fri, 04 Sep 2026 14:30:00 +0200")
    yield days("what programs of Unix print", "Mon Aug  3 14:30:00 CEST 2026", "Fri Sep  4 14:30:00 CEST 2026")
    yield days("days of weeks", "2026-W32-1", "2026-W37-1")
    yield days("seconds of Unix as decimals", "1785715200.0", "1788480000.0", heading="at")
    yield days("serial days with a clock", "46237.5", "46269.25", heading="date")
    yield days("an impossible one among them", "31/09/2026", "03/08/2026", None)
    yield days("years of five digits", "03/08/20266", "04/09/2026", None)
    yield odd(
        "days: a zone that moves them over the month's end",
        "at;amount\n2026-08-31T23:30:00-05:00;1\n2026-09-01T03:30:00Z;2\n",
        "Total amount by month",
        {"2026-09-01": "3"},
    )
    yield odd(
        "days: one column month first and one day first",
        "ordered,paid,amount\n08/13/2026,13/09/2026,1\n09/14/2026,14/10/2026,2\n",
        "Total amount by month of ordered",
        august,
    )


# --- tables -------------------------------------------------------------------------------------------------------


def _more_tables() -> Iterator[Case]:
    right = {"North": "5", "South": "20"}
    yield odd(
        "months across, and their sum", "region,Jan,Feb,Total\nNorth,1,4,5\nSouth,8,12,20\n", "Total by region", right
    )
    yield odd(
        "months across, their sum, and a row of sums",
        "region,Jan,Feb,Total\nNorth,1,4,5\nSouth,8,12,20\nTotal,9,16,25\n",
        "Total by region",
        right,
    )
    yield odd("months across, added", "region,Jan,Feb,Total\nNorth,1,4,5\nSouth,8,12,20\n", "Total Jan", "9")
    yield odd("a sum in the second column", "no,region,amount\n1,North,5\n2,South,20\n,Total,25\n", BY_REGION, right)
    yield odd("a sum with a colon", "region;amount\nNorth;5\nSouth;20\nSumme:;25\n", BY_REGION, right)
    yield odd(
        "carried over",
        "region,amount\nNorth,5\ncarried forward,5\nbrought forward,5\nSouth,20\nTotal,25\n",
        BY_REGION,
        right,
    )
    yield odd(
        "an opening balance",
        "day,text,amount\n2024-01-01,Opening balance,100\n2024-01-02,rent,-20\n2024-01-03,food,-10\n2024-01-03,Closing balance,70\n",
        "Total amount",
        "-30",
    )
    yield odd("shares below", "region,amount\nNorth,5\nSouth,20\nNorth %,20%\nSouth %,80%\n", BY_REGION, right)
    yield odd(
        "a checksum below", "region,amount\nNorth,5\nSouth,20\nMD5,d41d8cd98f00b204e9800998ecf8427e\n", BY_REGION, right
    )
    yield odd("end of file", "region,amount\nNorth,5\nSouth,20\n*** END OF FILE ***\n", BY_REGION, right)
    yield odd(
        "rows affected",
        "region|amount\n------|------\nNorth |     5\nSouth |    20\n\n(2 rows affected)\n",
        BY_REGION,
        right,
    )
    yield odd(
        "a box of psql",
        " region | amount \n--------+--------\n North  |      5\n South  |     20\n(2 rows)\n",
        BY_REGION,
        right,
    )
    yield odd(
        "a box of MySQL",
        "+--------+--------+\n| region | amount |\n+--------+--------+\n| North  |      5 |\n| South  |     20 |\n+--------+--------+\n",
        BY_REGION,
        right,
    )
    yield odd("a heading that is a number", "region,1\nNorth,5\nSouth,20\n", "Total 1 by region", right)
    yield odd("a heading of blanks", "region,   \nNorth,5\nSouth,20\n", BY_REGION, right)
    yield odd("headings that SQL has", "select,from\nNorth,5\nSouth,20\n", "Total from by select", right)
    yield odd("headings with quotes", '"the ""region""",amount\nNorth,5\nSouth,20\n', "Total amount", "25")
    yield odd(
        "a deleted column marked",
        "region,amount,deleted\nNorth,5,0\nNorth,100,1\nSouth,20,0\n",
        BY_REGION,
        {"North": "105", "South": "20"},
    )
    yield odd(
        "cancelled orders",
        "region,status,amount\nNorth,ok,5\nNorth,cancelled,100\nSouth,ok,20\n",
        BY_REGION,
        {"North": "105", "South": "20"},
    )
    yield odd(
        "versions of a row", "id,version,region,amount\n1,1,North,4\n1,2,North,5\n2,1,South,20\n", BY_REGION, None
    )
    yield odd(
        "scenarios below",
        "scenario,region,amount\nbudget,North,4\nactual,North,5\nbudget,South,18\nactual,South,20\n",
        BY_REGION,
        None,
    )
    yield odd(
        "months, and the year to date", "month,amount,ytd\n2024-01,5,5\n2024-02,7,12\n2024-03,8,20\n", "Total ytd", None
    )
    yield odd(
        "prices of days", "day,close\n2024-01-01,10\n2024-01-02,11\n2024-01-03,12\n", "Total close by month", None
    )
    yield odd("degrees of days", "day,celsius\n2024-01-01,10\n2024-01-02,12\n", "Total celsius by month", None)
    yield odd("coordinates", "place,x,y\nA,52.52,13.40\nB,48.13,11.57\n", "Total x", None)
    yield odd("survey answers", "person,q1\nA,1\nB,5\nC,3\n", "Total q1", "9")
    yield odd(
        "thousands said above",
        "All amounts in thousands of euros\n\nregion;amount\nNorth;5\nSouth;20\n",
        BY_REGION,
        right,
    )
    yield odd("thousands said in a row", "region,amount\n,in TEUR\nNorth,5\nSouth,20\n", BY_REGION, right)
    yield odd(
        "a heading in German with a unit",
        "Region;Umsatz [Mio. €]\nNord;5\nSüd;20\n",
        "Total Umsatz by Region",
        {"Nord": "5", "Süd": "20"},
    )
    yield odd("an empty line in quotes", 'region,note,amount\nNorth,"a\n\nb",5\nSouth,c,20\n', BY_REGION, right)
    yield odd("a formula as a name", "region,amount\n=North,5\n+South,20\n", "Total amount", "25")
    yield odd("a name that is an error", "region,amount\n#N/A,5\nSouth,20\n", "Total amount", "25")
    yield odd("names of numbers", "region,amount\n1,5\n2,20\n", BY_REGION, {"1": "5", "2": "20"})
    yield odd("names with leading zeros", "region,amount\n01,5\n1,20\n", BY_REGION, {"01": "5", "1": "20"})
    yield odd(
        "names that look like dates", "part,amount\n1-2,5\n3-4,20\n", "Total amount by part", {"1-2": "5", "3-4": "20"}
    )
    yield odd(
        "names that look like exponents",
        "part,amount\n1E5,5\n10E4,20\n",
        "Total amount by part",
        {"1E5": "5", "10E4": "20"},
    )
    yield odd("NaN among numbers", "region,amount\nNorth,5\nNorth,NaN\nSouth,20\n", BY_REGION, right)


# --- questions ----------------------------------------------------------------------------------------------------


def _asked() -> Iterator[Case]:
    text = (
        "order,customer,region,product,quantity,price,ordered\n"
        "1,ann,North,apples,2,1.50,2026-07-01\n2,bob,South,pears,1,4.00,2026-07-15\n3,ann,North,pears,3,4.00,2026-08-03\n"
        "4,cid,East,apples,10,1.25,2026-08-20\n5,bob,South,figs,4,2.50,2026-09-01\n6,eve,North,figs,1,2.75,2026-09-30\n"
    )

    def asks(question: str, right: Right) -> Case:
        return odd(f"asked: {question}", text, question, right)

    quantity = {"North": "6", "South": "5", "East": "10"}
    yield asks("Total quantity per region, largest first", quantity)
    yield asks("What is the quantity in each region?", quantity)
    yield asks("Second highest region by quantity", None)
    yield asks("The region with the second highest quantity", None)
    yield asks("Which region has the least quantity?", {"South": "5"})
    yield asks("Total quantity of every region but North", {"South": "5", "East": "10"})
    yield asks("Total quantity by region except the smallest", None)
    yield asks("Total quantity by region excluding East", {"North": "6", "South": "5"})
    yield asks("Total quantity for North and South", "11")
    yield asks("Total quantity for neither North nor South", "10")
    yield asks("Total quantity in the third quarter of 2026", "21")
    yield asks("Total quantity since August 2026", "18")
    yield asks("Total quantity until August 2026", "16")
    yield asks("Total quantity between 2026-07-10 and 2026-08-20", "14")
    yield asks("Total quantity in the last 30 days", "5")
    yield asks("Total quantity this year", None)
    yield asks("Total quantity on weekends", None)
    yield asks("Total quantity per weekday", None)
    yield asks("How many customers ordered twice?", None)
    yield asks("How many customers ordered more than once?", "2")
    yield asks("How many different customers by region", {"North": "2", "South": "1", "East": "1"})
    yield asks("Number of customers", "4")
    yield asks("Average number of items per order", "3.5")
    yield asks("Total of quantity times price by region", {"North": "17.75", "South": "14", "East": "12.5"})
    yield asks("Total revenue by region", None)
    yield asks("Average price weighted by quantity", None)
    yield asks("Ratio of quantity in North to South", None)
    yield asks("Difference in quantity between North and South", None)
    yield asks("Correlation of quantity and price", None)
    yield asks("Variance of quantity", None)
    yield asks("Mode of product", None)
    yield asks(
        "Earliest ordered by customer",
        {"ann": "2026-07-01", "bob": "2026-07-15", "cid": "2026-08-20", "eve": "2026-09-30"},
    )
    yield asks(
        "Latest ordered by customer",
        {"ann": "2026-08-03", "bob": "2026-09-01", "cid": "2026-08-20", "eve": "2026-09-30"},
    )
    yield asks("Growth of quantity from July to September", None)
    yield asks("Double the quantity by region", None)
    yield asks("Total quantity by region if price rose by 10%", None)
    yield asks("Forecast quantity for October", None)
    yield asks("Why did quantity fall in September?", None)
    yield asks("Total quantity by region where price is not above 2", {"North": "2", "East": "10"})
    yield asks("Total quantity by region where product is like 'app%'", None)
    yield asks("Total quantity where region is North or product is figs", None)
    yield asks("Total quantity where region is not North and product is not figs", "11")
    yield asks("Quantity by region; ignore orders below 2", None)
    yield asks("Gesamtmenge nach Region", None)
    yield asks("Somme de quantity par region", None)
    yield asks("Total quantity by regoin", None)
    yield asks("total QUANTITY by REGION", quantity)
    yield asks("sum(quantity) group by region", quantity)
    yield asks("SELECT region, SUM(quantity) FROM t GROUP BY region", None)
    yield asks("Total quantity by the first letter of region", None)
    yield asks("Total quantity by price range", None)
    yield asks("Total quantity of the top 2 customers", {"cid": "10", "ann": "5"})
    yield asks("Which customers bought both apples and pears?", None)
    yield asks("Total order", None)
