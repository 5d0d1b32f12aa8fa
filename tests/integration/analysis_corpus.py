# ruff: noqa: RUF001  the letters of many scripts are what is tested
"""Small tables of the kinds that people really hand in, each with a question and its right answer.

Half are written down, from public bug trackers and forums; half are made: locale x numbers x dates x encoding x layout.
What is right was not computed by the product.
"""

import io
import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import openpyxl

Right = Mapping[str, str] | str | None
"""The number of each group, or the only one; ``None``: there is none, and it must be asked."""


@dataclass(frozen=True)
class Case:
    """``files`` are names with contents; ``answers`` what is answered to the plan's questions, by their ids.
    ``may_ask``: a question is as good as the answer; ``may_guess``: so is a guess that is said."""

    name: str
    files: tuple[tuple[str, bytes], ...]
    question: str
    right: Right
    answers: Mapping[str, str] = field(default_factory=dict)
    may_ask: bool = False
    may_guess: bool = False


def case(
    name: str,
    content: str | bytes,
    question: str,
    right: Right,
    *,
    answers: Mapping[str, str] | None = None,
    may_ask: bool = False,
    file: str = "data.csv",
) -> Case:
    given = content.encode() if isinstance(content, str) else content
    return Case(name, ((file, given),), question, right, answers or {}, may_ask)


def workbook(
    sheets: Mapping[str, Sequence[Sequence[Any]]],
    merged: Sequence[tuple[str, str]] = (),
    formats: Sequence[tuple[str, str, str]] = (),
) -> bytes:
    """Sheets of rows; ``merged`` are (sheet, range), ``formats`` (sheet, cell, format)."""
    book = openpyxl.Workbook()
    del book["Sheet"]
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    for name, cells in merged:
        book[name].merge_cells(cells)
    for name, cell, format in formats:
        book[name][cell].number_format = format
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


BY_REGION = "Total amount by region"


def _amounts() -> Iterator[Case]:
    """Ways of writing 1234.56 and its like, beside 2.50."""
    ways = {
        "narrow space": ("1\u202f234,56", "2,50", "1234.56"),
        "no-break space": ("1\u00a0234,56", "2,50", "1234.56"),
        "thin space, point": ("1\u2009234.56", "2.50", "1234.56"),
        "plain space": ("1 234,56", "2,50", "1234.56"),
        "apostrophe": ("1'234.50", "2.50", "1234.50"),
        "typographic apostrophe": ("1\u2019234.50", "2.50", "1234.50"),
        "Indian groups": ("1,23,456.78", "2.50", "123456.78"),
        "Indian groups, crore": ("\u20b912,34,56,789.10", "\u20b92.50", "123456789.10"),
        "trailing minus": ("1.063,12-", "2,50", "-1063.12"),
        "trailing minus, point": ("1,063.12-", "2.50", "-1063.12"),
        "bracketed": ("(1,063.12)", "2.50", "-1063.12"),
        "currency before brackets": ("$(1,063.12)", "$2.50", "-1063.12"),
        "currency in brackets": ("($1,063.12)", "$2.50", "-1063.12"),
        "true minus": ("\u221233.52", "2.50", "-33.52"),
        "true minus, currency": ("\u2212$33.52", "$2.50", "-33.52"),
        "minus behind currency": ("\u20ac -33,52", "\u20ac 2,50", "-33.52"),
        "en dash as minus": ("\u201333.52", "2.50", "-33.52"),
        "euro behind": ("1.234,56 \u20ac", "2,50 \u20ac", "1234.56"),
        "code before": ("EUR 1.234,56", "EUR 2,50", "1234.56"),
        "code behind": ("1,234.56 USD", "2.50 USD", "1234.56"),
        "zloty": ("1 234,56 z\u0142", "2,50 z\u0142", "1234.56"),
        "krona": ("1 234,56 kr", "2,50 kr", "1234.56"),
        "rupees": ("Rs. 1,234.56", "Rs. 2.50", "1234.56"),
        "real": ("R$ 1.234,56", "R$ 2,50", "1234.56"),
        "franc without decimals": ("CHF 1'234.-", "CHF 2.50", "1234"),
        "no decimals, dash": ("1.234,-", "2,50", "1234"),
        "full-width digits": ("\uff11\uff12\uff13\uff14.56", "2.50", "1234.56"),
        "Arabic digits": ("\u0661\u0662\u0663\u0664\u066b\u0665\u0666", "\u0662\u066b\u0665\u0660", "1234.56"),
        "plus": ("+1,234.56", "2.50", "1234.56"),
        "direction mark": ("\u200e1,234.56", "2.50", "1234.56"),
        "millions": ("1.234.567,89", "2,50", "1234567.89"),
        "millions, point": ("1,234,567.89", "2.50", "1234567.89"),
        "decimals only": (".75", "2.50", "0.75"),
    }
    ways["scientific"] = ("1.5e3", "2.5", "1500")
    for name, (first, second, right) in ways.items():
        text = f'region,amount\nNorth,"{first}"\nSouth,"{second}"\n'
        yield case(name, text, BY_REGION, {"North": right, "South": "2.5"})
        if name in ("narrow space", "trailing minus", "euro behind"):
            yield case(
                f"{name}, semicolons",
                f"region;amount\nNorth;{first}\nSouth;{second}\n",
                BY_REGION,
                {"North": right, "South": "2.5"},
            )
    yield case(
        "thousands without decimals, semicolons",
        "region;amount\nNorth;1.234\nSouth;5.678\n",
        BY_REGION,
        {"North": "1234", "South": "5678"},
    )
    yield case(
        "another column tells",
        'region,price,amount\nNorth,"1,50","1.234"\nSouth,"2,50","5.678"\n',
        BY_REGION,
        {"North": "1234", "South": "5678"},
    )
    yield case("two styles in one column", 'region,amount\nNorth,"1.234,50"\nSouth,"1,234.50"\n', BY_REGION, None)
    yield case("two currencies", "region,amount\nNorth,$5\nSouth,\u20ac6\n", BY_REGION, None)
    yield case("percent and none", "region,amount\nNorth,5%\nSouth,0.06\n", BY_REGION, None)
    yield case("split by its own comma", "region,amount\nNorth,1,234.50\nSouth,2,345.50\n", BY_REGION, None)


def _durations() -> Iterator[Case]:
    worked = "Total worked by person"
    book = workbook(
        {
            "S": [
                ["person", "worked"],
                ["A", timedelta(hours=27, minutes=15)],
                ["A", time(12, 45)],
                ["B", timedelta(hours=8)],
            ]
        },
        formats=[("S", "B2", "[h]:mm"), ("S", "B3", "[h]:mm"), ("S", "B4", "[h]:mm")],
    )
    yield case("durations of a workbook", book, worked, {"A": "40", "B": "8"}, file="d.xlsx")
    yield case("durations", "person,worked\nA,27:15\nA,12:45\nB,8:00\n", worked, {"A": "40", "B": "8"})
    yield case(
        "durations with seconds", "person,worked\nA,27:15:30\nA,12:44:30\nB,8:00:00\n", worked, {"A": "40", "B": "8"}
    )
    yield case("durations in words", "person,worked\nA,27h 15m\nA,12h 45m\nB,8 h\n", worked, {"A": "40", "B": "8"})
    yield case(
        "short durations", "person,hours\nA,7:30\nA,0:45\nB,8:00\n", "Total hours by person", {"A": "8.25", "B": "8"}
    )
    yield case("times of day", "person,arrival\nA,7:30\nA,8:45\nB,8:00\n", "Total arrival by person", None)
    yield case("average duration", "person,duration\nA,30:00\nA,10:00\n", "Average duration by person", {"A": "20"})


def _questions() -> Iterator[Case]:
    text = "region,product,amount,ordered\nNorth,a,10,2023-05-01\nNorth,b,20,2024-05-01\nSouth,a,30,2024-06-01\n"
    yield case("no number", "region,status\nNorth,open\nSouth,open\n", "Total profit by region", None)
    yield case("no number, no noun", "region,status\nNorth,open\nSouth,open\n", "Total by region", None)
    yield case("another number", text, "Total profit by region", None)
    yield case(
        "another number, answered",
        text,
        "Total profit by region",
        {"North": "30", "South": "30"},
        answers={"measure": "amount"},
    )
    yield case("never", text, "Which region never ordered?", None)
    yield case("compared", text, "Compare amount to last year by region", None)
    yield case("grew", text, "Which product grew the most?", None)
    yield case("grew, amount", text, "Which product's amount grew the most?", None)
    yield case(
        "grew, answered",
        "product,amount,ordered\na,100,2023-05-01\na,150,2024-05-01\nb,10,2023-05-01\nb,30,2024-05-01\nc,500,2024-05-01\n",
        "Which product grew the most?",
        {"2024-01-01": "200"},
        answers={"growth": "in percent, from 2023 to 2024"},
    )
    yield case("net", text, "Net amount by region", None)
    yield case("either", text, "Total amount where region is North or product is a", None)
    yield case("average of counts", text, "Average number of orders per region", None)
    yield case("unknown things", text, "How many widgets by region", None)
    yield case("standard deviation", text, "Standard deviation of amount by region", None)
    yield case("top percent", text, "Top 10% of products by amount", None)
    yield case("before a month", text, "Total amount before June", None)
    yield case("without", text, "Total amount by product without North", {"a": "30"})
    yield case("share", text, "Share of amount by region", {"North": "50", "South": "50"})
    yield case("different", text, "How many different products per region", {"North": "2", "South": "1"})
    yield case("in a year", text, "Total amount by region in 2024", {"North": "20", "South": "30"})
    yield case("median", text, "Median amount by region", {"North": "15", "South": "30"})
    yield case(
        "percent of some",
        "status,n\nopen,1\nopen,2\ndone,3\nlost,4\n",
        "What percent of rows are open?",
        {"open": "50", "done": "25", "lost": "25"},
    )
    parted = "status,n\nopen,10\nopen,2\ndone,35\nlost,4\n"
    yield case(
        "percent of rows", parted, "What percent of records are open?", {"open": "50", "done": "25", "lost": "25"}
    )
    yield case("share of rows", parted, "Share of rows by status", {"open": "50", "done": "25", "lost": "25"})
    yield case("not an identifier", "order number,region\n100234,N\n100235,S\n", "Total by region", None)


def _identifiers() -> Iterator[Case]:
    ids = ["1234567890123456789", "1234567890123456788", "1234567890123456787", "1234567890123456786"]
    text = "id,amount\n" + "".join(f"{id},{place}\n" for place, id in enumerate(ids, start=1))
    yield case("long ids, counted", text, "Number of distinct ids", "4")
    yield case("long ids, grouped", text, "Total amount by id", {id: str(n) for n, id in enumerate(ids, start=1)})
    yield case("long ids, added", text, "Total id", None)
    yield case("long numbers of another name", text.replace("id,", "tracking,"), "Total tracking", None)
    yield case("short ids, added", "customer_id,region\n101,N\n102,S\n", "Total customer_id by region", None)
    yield case(
        "leading zeros", "zip,amount\n01234,1\n01234,2\n10115,4\n", "Total amount by zip", {"01234": "3", "10115": "4"}
    )
    yield case(
        "ids as floats", "id;amount\n12345678901234567890;1\n12345678901234567891;2\n", "Number of distinct ids", "2"
    )


def _totals() -> Iterator[Case]:
    right = {"North": "300", "South": "300"}
    yield case(
        "totals",
        "region,amount\nNorth,100\nNorth,200\nNorth Total,300\nSouth,300\nSouth Total,300\nGrand Total,600\n",
        BY_REGION,
        right,
    )
    yield case(
        "totals, all",
        "region,amount\nNorth,100\nNorth,200\nNorth Total,300\nSouth,300\nSouth Total,300\nGrand Total,600\n",
        "Total amount",
        "600",
    )
    yield case("one total", "region,amount\nNorth,300\nSouth,300\nTotal,600\n", BY_REGION, right)
    yield case("Summe", "Region;Betrag\nNorth;300,00\nSouth;300,00\nSumme;600,00\n", "Total Betrag by Region", right)
    yield case("a total without a name", "region,amount\nNorth,300\nSouth,300\n,600\n", BY_REGION, right)
    yield case(
        "a total in a column of dates",
        "day,region,amount\n2024-01-01,North,300\n2024-01-02,South,300\nTotal,,600\n",
        BY_REGION,
        right,
    )
    yield case(
        "a total in a workbook",
        workbook({"S": [["region", "amount"], ["North", 300], ["South", 300], ["Total", 600]]}),
        BY_REGION,
        right,
        file="t.xlsx",
    )
    yield case("a total that does not add up", "region,amount\nNorth,300\nSouth,300\nTotal,650\n", BY_REGION, None)
    yield case(
        "a total that does not add up, answered",
        "region,amount\nNorth,300\nSouth,300\nTotal,650\n",
        BY_REGION,
        right,
        answers={"totals_region": "leave them out"},
    )
    yield case(
        "a shop called so",
        "shop,amount\nTotal Wine,350\nShell,200\nBP,100\n",
        "Total amount by shop",
        {"Total Wine": "350", "Shell": "200", "BP": "100"},
    )
    words = "T o t a l|**Total**|ΣΥΝΟΛΟ|Общо|Ukupno|Kokku|Samtals|Jumlah|Tổng cộng|รวม|कुल|סך הכל|総合計|All regions"
    for word in words.split("|"):
        yield case(word, f"region,amount\nNorth,300\nSouth,300\n{word},600\n", BY_REGION, right)
    yield case("least and most", "region,amount\nNorth,300\nSouth,500\nMin,300\nMax,500\n", BY_REGION, None)
    yield case(
        "somebody called Max", "name,amount\nMax,300\nEve,500\n", "Total amount by name", {"Max": "300", "Eve": "500"}
    )
    yield case("an average among them", "region,amount\nNorth,10\nSouth,20\nAverage,15\n", BY_REGION, None)
    yield case("totals above", "region,amount\nTotal,600\nNorth,300\nSouth,300\n", BY_REGION, right)


def _layouts() -> Iterator[Case]:
    right = {"rent": "15", "food": "20"}
    total = "Total amount by category"
    yield case(
        "bank",
        "Account;DE00 1234\nPeriod;2025\n\nDate;Category;Amount\n2025-01-01;rent;15\n2025-01-02;food;20\n",
        total,
        right,
    )
    yield case(
        "bank, two columns", "Account;DE00 1234\nPeriod;2025\n\nCategory;Amount\nrent;15\nfood;20\n", total, right
    )
    yield case(
        "bank, no blank line", "Account;DE00 1234\nPeriod;2025\nCategory;Amount\nrent;15\nfood;20\n", total, right
    )
    yield case(
        "bank, padded",
        "Account;DE00 12;;\nPeriod;2025;;\n;;;\nDate;Category;Amount;Note\n2025-01-01;rent;15;\n2025-01-02;food;20;\n",
        total,
        right,
    )
    yield case(
        "title and remark",
        "Budget\n\nDate,Category,Amount\n2025-01-01,rent,15\n2025-01-02,food,20\nMade by a program on 2025-02-01,,\n",
        total,
        right,
    )
    regions = {"North": "300", "South": "300"}
    yield case(
        "heading once more", "region,amount\nNorth,100\nRegion,Amount\nNorth,200\nSouth,300\n", BY_REGION, regions
    )
    yield case(
        "pages",
        "region,amount\nNorth,100\nNorth,200\nPage 1 of 2,\nregion,amount\nSouth,300\nPage 2 of 2,\n",
        BY_REGION,
        regions,
    )
    yield case(
        "one table below the other",
        "region,amount\nNorth,100\nSouth,200\n\nregion,amount\nNorth,200\nSouth,100\n",
        BY_REGION,
        regions,
    )
    yield case(
        "outline",
        "region,product,amount\nNorth,a,100\n,b,200\nNorth Total,,300\nSouth,a,300\nSouth Total,,300\nTotal,,600\n",
        BY_REGION,
        regions,
    )
    yield case("a remark with a star", "region,amount\nNorth,300\nSouth,300\n* preliminary,\n", BY_REGION, regions)
    yield case(
        "merged",
        workbook({"S": [["region", "amount"], ["North", 1], [None, 2], ["South", 10]]}, merged=[("S", "A2:A3")]),
        BY_REGION,
        {"North": "3", "South": "10"},
        file="m.xlsx",
    )
    yield case(
        "merged number",
        workbook({"S": [["region", "amount"], ["North", 5], ["South", None]]}, merged=[("S", "B2:B3")]),
        "Total amount",
        "5",
        file="m.xlsx",
    )
    months: dict[str, list[list[Any]]] = {
        name: [["region", "amount"], ["North", n], ["South", 10 * n]]
        for n, name in enumerate(("January", "February", "March"), start=1)
    }
    yield case("sheets alike", workbook(months), BY_REGION, {"North": "6", "South": "60"}, file="y.xlsx")
    yield case(
        "one of the sheets",
        workbook(months),
        "Total amount by region in February",
        {"North": "2", "South": "20"},
        file="y.xlsx",
        may_ask=True,
    )
    yield case(
        "sheets by month",
        workbook(months),
        "Total amount by month",
        {"January": "11", "February": "22", "March": "33"},
        file="y.xlsx",
    )
    shops = dict(zip(("Berlin", "Paris"), months.values(), strict=False))
    yield case("sheets of shops", workbook(shops), BY_REGION, None, file="y.xlsx")
    yield case(
        "sheets of shops, answered",
        workbook(shops),
        BY_REGION,
        {"North": "1", "South": "10"},
        answers={"sheet": "Berlin"},
        file="y.xlsx",
    )
    yield case(
        "plan and actual",
        workbook({"Plan": months["January"], "Actual": months["March"]}),
        BY_REGION,
        None,
        file="y.xlsx",
    )
    yield Case(
        "files alike",
        (("january.csv", b"region,amount\nNorth,1\n"), ("february.csv", b"region,amount\nNorth,2\n")),
        BY_REGION,
        {"North": "3"},
    )
    yield case("heading twice", "region,amount,amount\nNorth,1,10\nSouth,2,20\n", BY_REGION, None)
    yield case(
        "heading twice, answered",
        "region,amount,amount\nNorth,1,10\nSouth,2,20\n",
        BY_REGION,
        {"North": "10", "South": "20"},
        answers={"heading_amount": "amount_2"},
    )
    yield case("more cells than headings", "region,amount\nx,North,1\ny,South,2\n", BY_REGION, None)
    yield case(
        "two-row heading",
        workbook({"S": [["Region", "2024", None], [None, "Q1", "Q2"], ["North", 1, 2]]}, merged=[("S", "B1:C1")]),
        "Total 2024 Q1",
        "1",
        file="h.xlsx",
        may_ask=True,
    )


def _dates() -> Iterator[Case]:
    def months(first: str, second: str, head: str = "ordered,paid,amount", more: str = "") -> str:
        return f"{head}\n{first}\n{second}\n{more}"

    by_month = "Total amount by month"
    august = {"2026-08-01": "1", "2026-09-01": "2"}
    by_ordered = "Total amount by month of ordered"
    yield case(
        "another column tells the day", months("03/08/2026,26/08/2026,1", "04/09/2026,27/09/2026,2"), by_ordered, august
    )
    yield case(
        "another column tells the month",
        months("08/03/2026,08/26/2026,1", "09/04/2026,09/27/2026,2"),
        by_ordered,
        august,
    )
    yield case("decimal commas tell the day", "ordered;amount\n03/08/2026;1,00\n04/09/2026;2,00\n", by_month, august)
    yield case("the column tells", "ordered,amount\n03/08/2026,1\n26/09/2026,2\n", by_month, august)
    yield case("two digits of a year", "ordered,amount\n03/08/26,1\n26/09/26,2\n", by_month, august)
    yield case("year of two digits first", "ordered,amount\n26-08-03,1\n26-09-04,2\n", by_month, august)
    yield case(
        "nanoseconds",
        "ordered,amount\n2026-08-03T10:00:00.123456789Z,1\n2026-09-04T10:00:00.5Z,2\n",
        by_month,
        august,
    )
    yield case(
        "commas before milliseconds",
        'ordered,amount\n"2026-08-03 10:00:00,123",1\n"2026-09-04 10:00:00,456",2\n',
        by_month,
        august,
    )
    yield replace(case("another era", "ordered,amount\n03/08/2569,1\n26/09/2569,2\n", by_month, august), may_guess=True)
    yield replace(
        case(
            "another century",
            "born,amount\n03/08/45,1\n26/09/46,2\n",
            "Total amount by year",
            {"1945-01-01": "1", "1946-01-01": "2"},
        ),
        may_guess=True,
    )
    yield case("points", "ordered,amount\n03.08.2026,1\n04.09.2026,2\n", by_month, august)
    yield case("nothing tells", "ordered,amount\n08/03/2026,1\n09/04/2026,2\n", by_month, august)
    yield case("both ways", "ordered,amount\n03/28/2026,1\n26/09/2026,2\n", by_month, None)
    yield case(
        "zone", "ordered,amount\n2026/08/12 4:42:48 PM GMT+2,1\n2026/09/12 4:42:48 AM GMT+2,2\n", by_month, august
    )
    yield case(
        "zone of one place",
        "ordered,amount\n2026-08-01T00:30:00+02:00,1\n2026-09-01T00:30:00+02:00,2\n",
        by_month,
        august,
    )
    yield case("zones", "ordered,amount\n2026-08-12T10:00:00+02:00,1\n2026-09-12 10:00:00 UTC,2\n", by_month, august)
    yield case("named zone", "ordered,amount\n08/12/2026 4:42 PM EST,1\n09/13/2026 4:42 PM EDT,2\n", by_month, august)
    yield case("names of months", 'ordered,amount\n"Aug 3, 2026",1\n"Sep 4, 2026",2\n', by_month, august)
    yield case("compact", "order_date,amount\n20260803,1\n20260904,2\n", by_month, august)
    yield case(
        "East Asia", "ordered,amount\n2026\u5e748\u67083\u65e5,1\n2026\u5e749\u67084\u65e5,2\n", by_month, august
    )
    yield case(
        "dates of a workbook",
        workbook({"S": [["ordered", "amount"], [date(2026, 8, 3), 1], [datetime(2026, 9, 4, 12), 2]]}),
        by_month,
        august,
        file="w.xlsx",
    )


def _encodings() -> Iterator[Case]:
    texts = {
        "cp932": "氏名,金額\n小田,10\n成田,20\n小田,5\n",
        "euc_jp": "氏名,金額\n小田,10\n成田,20\n小田,5\n",
        "gb18030": "氏名,金额\n张伟,10\n李娜,20\n张伟,5\n",
        "big5": "氏名,金額\n臺北,10\n高雄,20\n臺北,5\n",
        "euc_kr": "이름,금액\n김민준,10\n이서연,20\n김민준,5\n",
        "cp1251": "имя,сумма\nСевер,10\nЮг,20\nСевер,5\n",
        "koi8_r": "имя,сумма\nСевер,10\nЮг,20\nСевер,5\n",
        "cp866": "имя,сумма\nСевер,10\nЮг,20\nСевер,5\n",
        "cp1250": "jméno,částka\nŽďár,10\nPlzeň,20\nŽďár,5\n",
        "iso8859_2": "miasto,kwota\nŁódź,10\nGdańsk,20\nŁódź,5\n",
        "cp1252": "nom,montant\nBesançon,10\nNîmes,20\nBesançon,5\n",
        "mac_roman": "nom,montant\nBesançon,10\nNîmes,20\nBesançon,5\n",
        "cp850": "Stadt,Betrag\nKöln,10\nMünchen,20\nKöln,5\n",
        "cp1253": "πόλη,ποσό\nΑθήνα,10\nΠάτρα,20\nΑθήνα,5\n",
        "cp1254": "şehir,tutar\nEskişehir,10\nIğdır,20\nEskişehir,5\n",
        "cp1255": "עיר,סכום\nחיפה,10\nירושלים,20\nחיפה,5\n",
        "cp1256": "المدينة,المبلغ\nالقاهرة,10\nالرياض,20\nالقاهرة,5\n",
        "cp874": "จังหวัด,ยอด\nกรุงเทพ,10\nเชียงใหม่,20\nกรุงเทพ,5\n",
        "iso2022_jp": "氏名,金額\n小田,10\n成田,20\n小田,5\n",
        "utf-16": "氏名,金額\n小田,10\n成田,20\n小田,5\n",
    }
    for encoding, text in texts.items():
        heading, *rows = [line.split(",") for line in text.split()]
        question = f"Total {heading[1]} by {heading[0]}"
        yield case(encoding, text.encode(encoding), question, {rows[0][0]: "15", rows[1][0]: "20"})


# --- made --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Locale:
    """How a country writes: numbers, dates, encodings, and the delimiter of its CSV."""

    name: str
    number: Callable[[Decimal], str]
    date: str
    encodings: tuple[str, ...]
    delimiter: str
    regions: tuple[str, ...]


def grouped(
    thousands: str, decimals: str, before: str = "", behind: str = "", minus: str = "-"
) -> Callable[[Decimal], str]:
    """Writes amounts with two places."""

    def write(amount: Decimal) -> str:
        text = f"{abs(amount):,.2f}".replace(",", "\0").replace(".", decimals).replace("\0", thousands)
        if minus == "()":
            return f"({before}{text}{behind})" if amount < 0 else f"{before}{text}{behind}"
        if minus == "behind":
            return f"{before}{text}{behind}" + ("-" if amount < 0 else "")
        return (minus if amount < 0 else "") + f"{before}{text}{behind}"

    return write


def _indian(amount: Decimal) -> str:
    whole, places = f"{abs(amount):.2f}".split(".")
    head, tail = whole[:-3], whole[-3:]
    pairs: list[str] = []
    while head:
        head, pair = head[:-2], head[-2:]
        pairs.insert(0, pair)
    return ("-" if amount < 0 else "") + ",".join([*pairs, tail]) + f".{places}"


LOCALES = (
    Locale("US", grouped(",", ".", "$", minus="()"), "%m/%d/%Y", ("utf-8", "cp1252"), ",", ("North", "Café", "West")),
    Locale("UK", grouped(",", ".", "£"), "%d/%m/%Y", ("utf-8-sig", "cp1252"), ",", ("Leeds", "York", "Bath")),
    Locale(
        "DE",
        grouped(".", ",", "", " €"),
        "%d.%m.%Y",
        ("utf-8", "cp1252", "mac_roman"),
        ";",
        ("Köln", "München", "Fürth"),
    ),
    Locale("AT", grouped(".", ",", minus="behind"), "%d.%m.%Y", ("cp1252", "cp850"), ";", ("Wörgl", "Mödling", "Linz")),
    Locale("CH", grouped("'", "."), "%d.%m.%Y", ("utf-8", "cp1252"), ";", ("Zürich", "Genève", "Bern")),
    Locale("FR", grouped("\u202f", ",", "", " €"), "%d/%m/%Y", ("utf-8",), ";", ("Nîmes", "Besançon", "Lyon")),
    Locale("FR, old", grouped("\u00a0", ","), "%d/%m/%Y", ("cp1252",), ";", ("Nîmes", "Besançon", "Lyon")),
    Locale("SE", grouped(" ", ",", "", " kr", "\u2212"), "%Y-%m-%d", ("utf-8",), ";", ("Malmö", "Gävle", "Lund")),
    Locale("PL", grouped(" ", ",", "", " zł"), "%d.%m.%Y", ("utf-8", "cp1250"), ";", ("Łódź", "Gdańsk", "Kraków")),
    Locale("CZ", grouped(" ", ","), "%d.%m.%Y", ("cp1250", "iso8859_2"), ";", ("Žďár", "Plzeň", "Děčín")),
    Locale("RU", grouped(" ", ","), "%d.%m.%Y", ("cp1251", "koi8_r", "utf-8"), ";", ("Москва", "Казань", "Омск")),
    Locale("IN", _indian, "%d-%m-%Y", ("utf-8",), ",", ("Delhi", "Pune", "Goa")),
    Locale("JP", grouped(",", ".", "\uffe5"), "%Y/%m/%d", ("cp932", "utf-8"), ",", ("東京", "大阪", "京都")),
    Locale("CN", grouped(",", "."), "%Y-%m-%d", ("gb18030", "utf-8-sig"), ",", ("北京", "上海", "广州")),
    Locale("TW", grouped(",", "."), "%Y/%m/%d", ("big5", "utf-8"), ",", ("臺北", "高雄", "臺中")),
    Locale("KR", grouped(",", "."), "%Y-%m-%d", ("euc_kr", "utf-8"), ",", ("서울", "부산", "대구")),
    Locale("BR", grouped(".", ",", "R$ "), "%d/%m/%Y", ("utf-8", "cp1252"), ";", ("São Paulo", "Goiânia", "Belém")),
    Locale("TR", grouped(".", ",", "", " TL"), "%d.%m.%Y", ("cp1254", "utf-8"), ";", ("İzmir", "Eskişehir", "Iğdır")),
    Locale("GR", grouped(".", ",", "", " €"), "%d/%m/%Y", ("cp1253", "utf-8"), ";", ("Αθήνα", "Πάτρα", "Βόλος")),
    Locale("IL", grouped(",", ".", "\u20aa"), "%d/%m/%Y", ("utf-8",), ",", ("חיפה", "אילת", "עכו")),
)
LAYOUTS = ("plain", "preamble", "total", "subtotals", "remark", "padded")


def made(count: int, seed: int) -> Iterator[Case]:
    """Tables of amounts with their sums, of every locale and layout in turn."""
    dice = random.Random(seed)
    for number in range(count):
        locale = LOCALES[number % len(LOCALES)]
        layout = LAYOUTS[(number // len(LOCALES) + number) % len(LAYOUTS)]
        encoding = dice.choice(locale.encodings)
        yield _made(f"{locale.name}, {layout}, {encoding}, {number}", locale, layout, encoding, dice)


def _made(name: str, locale: Locale, layout: str, encoding: str, dice: random.Random) -> Case:
    rows = []
    for region in sorted(dice.choices(locale.regions, k=dice.randint(4, 9)), key=locale.regions.index):
        day = date(2025, 1, 1) + timedelta(days=dice.randint(0, 700))
        rows.append((day, region, Decimal(dice.randint(-300_000, 9_000_000)) / 100))
    by_region: dict[str, Decimal] = defaultdict(Decimal)
    by_month: dict[str, Decimal] = defaultdict(Decimal)
    for day, region, amount in rows:
        by_region[region] += amount
        by_month[day.replace(day=1).isoformat()] += amount
    lines = [["day", "region", "amount"]]
    for place, (day, region, amount) in enumerate(rows):
        lines.append([day.strftime(locale.date), region, locale.number(amount)])
        ends = place + 1 == len(rows) or rows[place + 1][1] != region
        if layout == "subtotals" and ends:
            lines.append(["", f"{region} Total", locale.number(by_region[region])])
    if layout == "total":
        lines.append(["Total", "", locale.number(sum(by_region.values(), Decimal()))])
    if layout == "preamble":
        lines = [["Account", "12 34"], ["Period", "2025"], [], *lines]
    if layout == "remark":
        lines = [["Turnover of all branches"], [], *lines, ["All amounts without warranty of any kind"]]
    if layout == "padded":
        lines = [[*line, ""] for line in lines]
    text = "\r\n".join(locale.delimiter.join(_quoted(cell, locale.delimiter) for cell in line) for line in lines)
    by, right = dice.choice((("region", by_region), ("month", by_month)))
    answers = {group: format(amount, "f") for group, amount in right.items()}
    made = case(name, f"{text}\r\n".encode(encoding), f"Total amount by {by}", answers)
    tells = locale.date[2] not in "/-" or locale.date[1] == "Y" or any(day.day > 12 for day, _, _ in rows)
    return replace(made, may_guess=not tells)


def _quoted(cell: str, delimiter: str) -> str:
    return f'"{cell}"' if delimiter in cell or '"' in cell else cell


def written() -> list[Case]:
    parts = (_amounts, _durations, _questions, _identifiers, _totals, _layouts, _dates, _encodings)
    return [each for part in parts for each in part()]
