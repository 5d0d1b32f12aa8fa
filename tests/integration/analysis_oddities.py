# ruff: noqa: E501, RUF001  the letters of many scripts are what is tested; a table is read on one line
"""Tables written and laid out as few programs would: numbers with signs around them, headings in two rows, tables below
tables, workbooks with hidden rows, Parquet files of texts.

Written down by somebody who had not seen how they are read. What is right was not computed by the product.
"""

import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from xml.sax.saxutils import escape

import duckdb
import openpyxl
from openpyxl.styles import Font
from openpyxl.utils.datetime import CALENDAR_MAC_1904
from openpyxl.worksheet.table import Table

from tests.integration.analysis_corpus import BY_REGION, Case, Right, case


def oddities() -> list[Case]:
    parts = (
        _written_oddly,
        _counted_oddly,
        _laid_out_oddly,
        _more_layouts,
        _workbooks,
        _more_workbooks,
        _other_formats,
    )
    return [each for part in parts for each in part()]


def odd(
    name: str, content: str | bytes, question: str, right: Right, *, file: str = "data.csv", answers: Any = None
) -> Case:
    """A question, a guess that is said, and the right number are all right; a wrong number without a word is not."""
    return replace(
        case(name, content, question, right, file=file, answers=answers, may_ask=not answers), may_guess=not answers
    )


# --- written oddly ------------------------------------------------------------------------------------------------


def _counted_oddly() -> Iterator[Case]:
    """What is counted may be rows, different numbers, or what the numbers come to; 20 % may be 0.2."""
    lines = "order,item,visits\n7,a,3\n7,b,3\n9,c,4\n12,d,5\n12,e,6\n"
    for answer, orders, visits in (
        (None, None, None),
        ("the number of rows", "5", "5"),
        ("different values of {}", "3", "4"),
        ("the sum of {}", "47", "21"),
    ):
        for noun, right in (("order", orders), ("visits", visits)):
            answers = {f"count_{noun}": answer.format(noun)} if answer else None
            yield case(f"how many {noun}: {answer}", lines, f"How many {noun.rstrip('s')}s?", right, answers=answers)
    yield case("count of visits", lines, "Count of visits", "5")
    shares = "shop,rate\nA,0.15\nB,0.25\nC,0.30\nD,0.08\n"
    for answer, right in ((None, None), ("0.2", "2"), ("20", "0")):
        answers = {"percent_rate_20": answer} if answer else None
        yield case(f"20 % of shares: {answer}", shares, "How many rows with rate over 20%?", right, answers=answers)
    percent = shares.replace("0.15", "15%").replace("0.25", "25%").replace("0.30", "30%").replace("0.08", "8%")
    yield case("20 % of percent", percent, "How many rows with rate over 20%?", "2")


def _written_oddly() -> Iterator[Case]:
    def pair(first: str, second: str) -> str:
        return f'region,amount\nNorth,"{first}"\nSouth,"{second}"\n'

    def given(name: str, first: str, second: str, north: str | None, south: str = "20") -> Case:
        right = None if north is None else {"North": north, "South": south}
        return odd(name, pair(first, second), BY_REGION, right)

    yield given("thousands as k", "1.2k", "20", "1200")
    yield given("all as k", "1.2k", "3.4k", "1200", "3400")
    yield given("millions as M", "3M", "20", "3000000")
    yield given("all as M", "3M", "4.5M", "3000000", "4500000")
    yield given("millions in words", "3 million", "20", "3000000")
    yield given("Mio.", "3,5 Mio.", "4,5 Mio.", "3500000", "4500000")
    yield given("lakh", "2.5 lakh", "3 lakh", "250000", "300000")
    yield given("about", "~5", "20", "5")
    yield given("all about", "~5", "~20", "5")
    yield given("ca.", "ca. 5", "20", "5")
    yield given("less than", "<5", "20", None)
    yield given("more than", ">100", "20", None)
    yield given("a range", "10-20", "20", None)
    yield given("all ranges", "10-20", "20-30", None)
    yield given("a range with a dash", "10–20", "20", None)
    yield given("a fraction", "1 1/2", "20", "1.5")
    yield given("a fraction alone", "1/2", "20", "0.5")
    yield given("a fraction sign", "½", "20", "0.5")
    yield given("a fraction sign behind", "1½", "20", "1.5")
    yield given("TBD", "TBD", "20", None)
    yield given("a question mark", "5?", "20", "5")
    yield given("a star behind", "5*", "20", "5")
    yield given("a footnote", "5 [1]", "20", "5")
    yield given("a raised figure", "5¹", "20", "5")
    yield given("a leading apostrophe", "'5", "20", "5")
    yield given("a formula", "=5+6", "20", "11")
    yield given("a number in words", "five", "20", "5")
    yield given("O for zero", "1O", "20", "10")
    yield given("l for one", "l0", "20", "10")
    yield given("scientific with a comma", "1,5E+03", "2,0E+01", "1500")
    yield given("times ten", "1.5×10^3", "20", "1500")
    yield given("dr and cr", "5 CR", "20 DR", None)
    yield given("plus and minus words", "minus 5", "20", "-5")
    yield given("kilograms and pounds in cells", "5 kg", "20 lb", None)
    yield given("kilograms in all", "5 kg", "20 kg", "5")
    yield given("hours in all", "5 h", "20 h", "5")
    yield given("two currencies in cells", "5 EUR", "20 USD", None)
    yield given("a currency in one", "5 EUR", "20", "5")
    yield given("a currency of two signs", "US$5", "$20", None)
    yield given("a line within", "5\n", "20", "5")
    yield given("two numbers in a cell", "5; 6", "20", None)
    yield given("a hexadecimal", "0x10", "20", None)
    yield given("Arabic-Indic digits", "\u0661\u0662\u0663", "\u0662\u0660", "123")
    yield given("Devanagari digits", "\u0967\u0968\u0969", "\u0968\u0966", "123")
    yield given("full width", "\uff11\uff0c\uff12\uff13\uff14", "\uff12\uff10", "1234")
    yield given("Chinese numbers", "一百", "二十", "100")
    yield given("Bengali digits", "\u09e7\u09e8\u09e9", "\u09e8\u09e6", "123")
    yield given("Thai digits", "\u0e51\u0e52\u0e53", "\u0e52\u0e50", "123")
    yield given("ten thousands", "1万", "2万", "10000", "20000")
    yield given("quotes for thousands, mixed", "1'234", "1234", "1234", "1234")
    yield given("points for thousands, mixed", "1.234.567", "20", "1234567")
    yield given("commas alone", "1,234", "20", "1234")
    yield given("a comma before one place", "1,5", "20", "1.5")
    yield odd(
        "percent beside parts of one",
        "region,margin\nNorth,12%\nNorth,0.12\nSouth,9%\n",
        "Average margin by region",
        None,
    )
    yield odd(
        "yes and no",
        "region,paid\nNorth,yes\nNorth,no\nSouth,yes\n",
        "Total paid by region",
        {"North": "1", "South": "1"},
    )
    yield odd(
        "true and false",
        "region,paid\nNorth,TRUE\nNorth,FALSE\nSouth,TRUE\n",
        "Total paid by region",
        {"North": "1", "South": "1"},
    )
    yield odd(
        "thousands in the heading", "region,Amount (k€)\nNorth,5\nSouth,20\n", BY_REGION, {"North": "5", "South": "20"}
    )
    yield odd(
        "two units in headings",
        "region,weight (kg),weight (lb)\nNorth,5,11\nSouth,20,44\n",
        "Total weight by region",
        None,
    )
    yield odd(
        "a row of units",
        "region,amount\n,EUR\nNorth,5\nSouth,20\n",
        BY_REGION,
        {"North": "5", "South": "20"},
    )
    yield odd(
        "case and blanks",
        "region,amount\nNorth,5\nnorth,6\nNorth ,7\nSouth,20\n",
        BY_REGION,
        {"North": "18", "South": "20"},
    )


# --- laid out oddly -----------------------------------------------------------------------------------------------


def _laid_out_oddly() -> Iterator[Case]:
    right = {"North": "5", "South": "20"}
    plain = "region,amount\nNorth,5\nSouth,20\n"
    yield odd("comment lines", f"# made on Monday\n# by a program\n{plain}", BY_REGION, right)
    yield odd("comment lines within", plain.replace("South", "# corrected\nSouth"), BY_REGION, right)
    yield odd("a comment before the heading's names", f"#{plain}", BY_REGION, right)
    yield odd("a source below", f"{plain}\nSource: Federal Office\n", BY_REGION, right)
    yield odd("a source with a number", f"{plain}\nRecords,2\n", BY_REGION, right)
    yield odd("a count below", f"{plain}(2 rows)\n", BY_REGION, right)
    yield odd("trailer records", "H,20240101\nNorth,5\nSouth,20\nT,2\n", "Total column 2", None)
    yield odd("UTF-16, no mark", plain.encode("utf-16-le"), BY_REGION, right)
    yield odd("UTF-16 big end, no mark", plain.encode("utf-16-be"), BY_REGION, right)
    yield odd("UTF-16, a mark", b"\xff\xfe" + plain.encode("utf-16-le"), BY_REGION, right)
    yield odd("UTF-32", plain.encode("utf-32"), BY_REGION, right)
    yield odd("a mark of byte order twice", b"\xef\xbb\xbf\xef\xbb\xbf" + plain.encode(), BY_REGION, right)
    yield odd("a mark of byte order within", plain.replace("South", "\ufeffSouth"), BY_REGION, right)
    yield odd(
        "a mark of byte order in quotes", '\ufeff"region","amount"\n"North","5"\n"South","20"\n', BY_REGION, right
    )
    yield odd("line ends of three kinds", "region,amount\r\nNorth,5\nSouth,15\rSouth,5\r\n", BY_REGION, right)
    yield odd("old line ends", "region,amount\rNorth,5\rSouth,20\r", BY_REGION, right)
    yield odd("line ends of Unicode", "region,amount\u2028North,5\u2028South,20\u2028", BY_REGION, right)
    yield odd("a quotation mark that is not closed", 'region,amount\n"North,5\nSouth,20\n', BY_REGION, right)
    yield odd("a quotation mark within", 'region,amount\nNorth 5" pipe,5\nSouth,20\n', "Total amount", "25")
    yield odd("inches", 'item,amount\n5" pipe,5\n6" pipe,20\n', "Total amount", "25")
    yield odd("quotes escaped by a backslash", 'region,amount\n"No\\"rth",5\nSouth,20\n', "Total amount", "25")
    yield odd("single quotes", "region,amount\n'North','5'\n'South','20'\n", "Total amount", "25")
    yield odd("curly quotes", "region,amount\n“North”,5\n“South”,20\n", "Total amount", "25")
    yield odd("a delimiter within", 'region,amount\n"North, upper",5\nSouth,20\n', "Total amount", "25")
    yield odd("a delimiter within, no quotes", "region;note;amount\nNorth;a,b;5\nSouth;c,d;20\n", BY_REGION, right)
    yield odd("a delimiter too many", "region,amount\nNorth,5,\nSouth,20,\n", BY_REGION, right)
    yield odd("a cell too many", "region,amount\nNorth,5\nSouth,20,7\n", "Total amount", "25")
    yield odd("a cell too few", "region,product,amount\nNorth,a,5\nSouth,20\n", "Total amount", "25")
    yield odd("tabs", plain.replace(",", "\t"), BY_REGION, right)
    yield odd("pipes with edges", "|region|amount|\n|---|---|\n|North|5|\n|South|20|\n", BY_REGION, right)
    yield odd("columns of blanks", "region   amount\nNorth    5\nSouth    20\n", BY_REGION, right)
    yield odd("a colon between", "region:amount\nNorth:5\nSouth:20\n", BY_REGION, right)
    yield odd("carets between", "region^amount\nNorth^5\nSouth^20\n", BY_REGION, right)
    yield odd("NUL within", "region,amount\nNor\0th,5\nSouth,20\n", "Total amount", "25")
    yield odd("sep=", f"sep=;\n{plain.replace(',', ';')}", BY_REGION, right)
    yield odd("a blank line within", plain.replace("South", "\n\nSouth"), BY_REGION, right)
    yield odd("JSON lines", '{"region": "North", "amount": 5}\n{"region": "South", "amount": 20}\n', BY_REGION, right)
    yield odd("JSON", '[{"region": "North", "amount": 5}]', BY_REGION, right)
    months = "region,Jan,Feb,Mar\nNorth,1,2,4\nSouth,10,20,40\n"
    yield odd("months as columns", months, "Total by month", {"Jan": "11", "Feb": "22", "Mar": "44"})
    yield odd("months as columns, of each", months, "Total by region", {"North": "7", "South": "70"})
    yield odd("months as columns, amount", months, "Total amount by region", {"North": "7", "South": "70"})
    dated = "region,2024-01,2024-02\nNorth,1,2\nSouth,10,20\n"
    yield odd("dates as columns", dated, "Total by month", {"2024-01": "11", "2024-02": "22"})
    yield odd(
        "years as columns", "region,2023,2024\nNorth,1,2\nSouth,10,20\n", "Total by year", {"2023": "11", "2024": "22"}
    )
    yield odd("lying on its side", "name,North,South\namount,5,20\nunits,1,2\n", "Total amount", "25")
    yield odd(
        "names and values",
        "region,what,value\nNorth,amount,5\nNorth,units,1\nSouth,amount,20\nSouth,units,2\n",
        "Total amount by region",
        right,
    )
    yield odd(
        "names and values, all",
        "region,what,value\nNorth,amount,5\nNorth,units,1\nSouth,amount,20\nSouth,units,2\n",
        "Total value by region",
        None,
    )
    yield odd(
        "a pivot with blanks below",
        "region,product,amount\nNorth,a,2\n,b,3\nSouth,a,9\n,b,11\n",
        BY_REGION,
        right,
    )
    yield odd(
        "a pivot of two levels with blanks",
        "country,region,product,amount\nDE,North,a,2\n,,b,3\n,South,a,9\n,,b,11\n",
        BY_REGION,
        right,
    )
    yield odd(
        "a pivot whose names come again",
        "region,product,amount\nNorth,a,2\n,b,3\nSouth,a,20\nNorth,c,4\n,d,1\n",
        BY_REGION,
        {"North": "10", "South": "20"},
    )
    yield odd(
        "another table below",
        "region,amount\nNorth,5\nSouth,20\n\nproduct,price\na,7\nb,8\n",
        "Total amount",
        "25",
    )
    yield odd(
        "another table below, of the same width",
        "region,amount\nNorth,5\nSouth,20\n\nNorth costs,3\nSouth costs,4\n",
        "Total amount",
        "25",
    )
    yield odd(
        "another table beside",
        "region,amount,,region,amount\nNorth,5,,East,7\nSouth,20,,West,8\n",
        "Total amount",
        "40",
    )
    yield odd(
        "sections",
        "region,amount\n2023,\nNorth,5\nSouth,20\n2024,\nNorth,6\nSouth,21\n",
        "Total amount by region",
        {"North": "11", "South": "41"},
    )
    yield odd(
        "running sums", "day,amount,balance\n2024-01-01,5,5\n2024-01-02,7,12\n2024-01-03,8,20\n", "Total balance", None
    )
    yield odd("two headings", "Region,2024,,2025,\n,Q1,Q2,Q1,Q2\nNorth,1,2,3,4\nSouth,5,6,7,8\n", "Total 2024", None)


def _more_layouts() -> Iterator[Case]:
    right = {"North": "5", "South": "20"}
    by_month = {"2024-05-01": "5", "2024-06-01": "20"}
    yield odd(
        "Windows line ends within quotes", 'region,amount\r\n"North",5\r\n"South\r\n",20\r\n', "Total amount", "25"
    )
    yield odd("mixed delimiters", "region;amount\nNorth,5\nSouth;20\n", BY_REGION, right)
    yield odd(
        "a decimal comma without quotes",
        "region,amount\nNorth,5,50\nSouth,20,25\n",
        BY_REGION,
        {"North": "5.5", "South": "20.25"},
    )
    yield odd("blanks behind delimiters", "region, amount\nNorth, 5\nSouth, 20\n", BY_REGION, right)
    yield odd("quotes behind blanks", 'region, amount\n"North", "5"\n"South", "20"\n', BY_REGION, right)
    yield odd("everything in quotes", '"region,amount"\n"North,5"\n"South,20"\n', BY_REGION, right)
    yield odd("a heading in two lines", 'region,"total\namount"\nNorth,5\nSouth,20\n', "Total amount by region", right)
    yield odd("no heading", "North,5\nSouth,20\n", BY_REGION, right)
    yield odd("no heading, days", "2024-05-01,5\n2024-06-01,20\n", "Total by month", by_month)
    yield odd("a heading below the first row", "North,5\nregion,amount\nSouth,20\n", BY_REGION, right)
    yield odd("heading names empty", "region,\nNorth,5\nSouth,20\n", BY_REGION, right)
    yield odd("a column of numbers of rows", ",region,amount\n0,North,5\n1,South,20\n", BY_REGION, right)
    yield odd("headings alike but for case", "region,Amount,amount\nNorth,5,7\nSouth,20,9\n", BY_REGION, None)
    yield odd("headings alike but for blanks", "region,amount ,amount\nNorth,5,7\nSouth,20,9\n", BY_REGION, None)
    yield odd("gross and net", "region,gross amount,net amount\nNorth,5,4\nSouth,20,16\n", BY_REGION, None)
    yield odd("amount and amount of last year", "region,amount,amount_ly\nNorth,5,4\nSouth,20,16\n", BY_REGION, right)
    yield odd("plan and actual beside", "region,plan,actual\nNorth,5,4\nSouth,20,16\n", BY_REGION, None)
    yield odd(
        "plan and actual below",
        "kind,region,amount\nplan,North,5\nactual,North,4\nplan,South,20\nactual,South,16\n",
        BY_REGION,
        None,
    )
    yield odd(
        "two dates",
        "ordered,paid,amount\n2024-05-01,2024-06-01,5\n2024-06-01,2024-07-01,20\n",
        "Total amount by month",
        by_month,
    )
    yield odd(
        "days of two orders",
        "d,amount\n01/05/2024,5\n06/13/2024,20\n",
        "Total amount by month",
        {"2024-01-01": "5", "2024-06-01": "20"},
    )
    yield odd("days with names", "d,amount\nWed 1 May 2024,5\nSat 1 June 2024,20\n", "Total amount by month", by_month)
    yield odd("German months", "d;amount\n1. Mai 2024;5\n1. Juni 2024;20\n", "Total amount by month", by_month)
    yield odd("French months", "d;amount\n1 mai 2024;5\n1 juin 2024;20\n", "Total amount by month", by_month)
    yield odd(
        "quarters", "d,amount\n2024-Q1,5\n2024-Q2,20\n", "Total amount by quarter", {"2024-Q1": "5", "2024-Q2": "20"}
    )
    yield odd("weeks", "d,amount\n2024-W18,5\n2024-W22,20\n", "Total amount by month", by_month)
    yield odd("seconds of Unix", "at,amount\n1714521600,5\n1717200000,20\n", "Total amount by month", by_month)
    yield odd(
        "milliseconds of Unix", "at,amount\n1714521600000,5\n1717200000000,20\n", "Total amount by month", by_month
    )
    yield odd("serial days", "date,amount\n45413,5\n45444,20\n", "Total amount by month", by_month)
    yield odd(
        "months without a year", "month,amount\nMay,5\nJune,20\n", "Total amount by month", {"May": "5", "June": "20"}
    )
    yield odd("day and month", "d,amount\n01.05.,5\n01.06.,20\n", "Total amount by month", None)
    yield odd("24 o'clock", "at,amount\n2024-05-31 24:00,5\n2024-06-01 10:00,20\n", "Total amount by month", None)
    yield odd("the 30th of February", "d,amount\n2024-02-30,5\n2024-06-01,20\n", "Total amount by month", None)
    yield odd("blank days", "d,amount\n2024-05-01,5\n,3\n2024-06-01,20\n", "Total amount by month", by_month)
    yield odd("a comma list within", 'tags,amount\n"a,b",5\nb,20\n', "Total amount by tags", {"a,b": "5", "b": "20"})
    yield odd(
        "names of two spellings", "name,amount\nMüller,5\nMu\u0308ller,20\n", "Total amount by name", {"Müller": "25"}
    )
    yield odd("look-alike letters", "name,amount\nMAX,5\nМАХ,20\n", "Total amount by name", {"MAX": "25"})
    yield odd(
        "no-break spaces in names",
        "name,amount\nNew York,5\nNew\u00a0York,20\n",
        "Total amount by name",
        {"New York": "25"},
    )
    yield odd(
        "double blanks in names", "name,amount\nNew York,5\nNew  York,20\n", "Total amount by name", {"New York": "25"}
    )
    yield odd("rows there twice", "id,region,amount\n1,North,5\n1,North,5\n2,South,20\n", BY_REGION, right)
    yield odd(
        "booleans as 0 and 1",
        "region,won\nNorth,1\nNorth,0\nSouth,1\n",
        "Total won by region",
        {"North": "1", "South": "1"},
    )
    yield odd("a dozen", "item,amount,unit\na,5,dozen\nb,20,pcs\n", "Total amount", None)
    yield odd("units in the name", "item,amount\nmilk (l),5\nflour (kg),20\n", "Total amount", "25")
    yield odd(
        "a currency in the heading of one", "region,amount EUR,amount USD\nNorth,5,6\nSouth,20,24\n", BY_REGION, None
    )
    yield odd("currency as country", "country,amount,cur.\nDE,5,EUR\nUS,20,USD\n", "Total amount", None)
    yield odd("unix pipes without spaces", "region|amount\nNorth|5\nSouth|20\n", BY_REGION, right)
    yield odd("vertical", "region: North\namount: 5\n\nregion: South\namount: 20\n", BY_REGION, right)
    yield odd(
        "HTML called xls",
        "<table><tr><td>region</td><td>amount</td></tr><tr><td>North</td><td>5</td></tr></table>",
        BY_REGION,
        right,
        file="a.xls",
    )
    yield odd("RTF", "{\\rtf1 region}", BY_REGION, right)
    yield odd("only a heading", "region,amount\n", BY_REGION, None)
    yield odd("one row", "region,amount\nNorth,5\n", BY_REGION, {"North": "5"})


# --- workbooks ----------------------------------------------------------------------------------------------------


def _book(change: Any, rows: Sequence[Sequence[Any]]) -> bytes:
    """A workbook of one sheet, changed before it is saved."""
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in rows:
        sheet.append(list(row))
    change(book, sheet)
    file = BytesIO()
    book.save(file)
    return file.getvalue()


def _workbooks() -> Iterator[Case]:
    rows: list[list[Any]] = [["region", "amount"], ["North", 5], ["North", 7], ["South", 20]]
    right = {"North": "12", "South": "20"}

    def made(name: str, change: Any, question: str = BY_REGION, answer: Right = right, given: Any = rows) -> Case:
        return odd(name, _book(change, given), question, answer, file="b.xlsx")

    def hide_rows(book: Any, sheet: Any) -> None:
        sheet.row_dimensions[3].hidden = True

    def hide_column(book: Any, sheet: Any) -> None:
        sheet.column_dimensions["B"].hidden = True

    def filter_rows(book: Any, sheet: Any) -> None:
        sheet.auto_filter.ref = "A1:B4"
        sheet.auto_filter.add_filter_column(0, ["South"])
        sheet.row_dimensions[2].hidden = sheet.row_dimensions[3].hidden = True

    def hide_sheet(book: Any, sheet: Any) -> None:
        other = book.create_sheet("Old")
        for row in (["region", "amount"], ["North", 100]):
            other.append(row)
        other.sheet_state = "hidden"

    def formulas(book: Any, sheet: Any) -> None:
        sheet["B3"] = "=B2+2"

    def errors(book: Any, sheet: Any) -> None:
        sheet["B3"] = "#REF!"
        sheet["B3"].data_type = "e"

    def since_1904(book: Any, sheet: Any) -> None:
        book.epoch = CALENDAR_MAC_1904

    def red(book: Any, sheet: Any) -> None:
        sheet["B3"].number_format = "#,##0;[Red]#,##0"

    def struck(book: Any, sheet: Any) -> None:
        sheet["B3"].font = Font(strike=True)

    def nothing(book: Any, sheet: Any) -> None:
        return

    yield made("hidden rows", hide_rows, answer={"North": "5", "South": "20"})
    yield made("filtered rows", filter_rows, answer={"South": "20"})
    yield made("a hidden column", hide_column)
    yield made("a hidden sheet", hide_sheet)
    yield made("formulas without values", formulas)
    yield made("a cell in error", errors, answer=None)
    yield made("struck through", struck)
    yield made(
        "red, and the sign not shown",
        red,
        given=[*rows[:2], ["North", -7], rows[3]],
        answer={"North": "-2", "South": "20"},
    )
    days: list[list[Any]] = [["day", "amount"], [date(2024, 5, 1), 5], [date(2024, 6, 1), 7]]
    by_month = {"2024-05-01": "5", "2024-06-01": "7"}
    yield made("days since 1904", since_1904, "Total amount by month", by_month, days)
    serials = [["day", "amount"], [45413, 5], [45444, 7]]
    yield made("days as serial numbers", nothing, "Total amount by month", by_month, serials)
    mixed = [["day", "amount"], [date(2024, 5, 1), 5], ["01.06.2024", 7]]
    yield made("days, and days as text", nothing, "Total amount by month", by_month, mixed)
    wrong = [["day", "amount"], [date(2024, 1, 5), 5], ["13/05/2024", 7], [date(2024, 2, 5), 9]]
    yield made("days turned around by the program", nothing, "Total amount by month", None, wrong)
    texts = [["region", "amount"], ["North", "5"], ["North", 7], ["South", "20"]]
    yield made("numbers as text", nothing, given=texts)
    commas = [["region", "amount"], ["North", "5,5"], ["North", 7], ["South", "20,25"]]
    yield made("numbers as text with commas", nothing, given=commas, answer={"North": "12.5", "South": "20.25"})
    points = [["region", "amount"], ["North", "1.500"], ["North", 7], ["South", "2.000"]]
    yield made("numbers as text with points", nothing, given=points, answer=None)
    long = [["tracking", "amount"], [1234567890123456789, 1], [1234567890123456788, 2]]
    yield made("ids of 19 digits", nothing, "Total amount by tracking", None, long)
    flags = [["region", "paid"], ["North", True], ["North", False], ["South", True]]
    yield made("flags", nothing, "Total paid by region", {"North": "1", "South": "1"}, flags)
    percents = [["region", "margin"], ["North", 0.12], ["North", 12], ["South", 0.09]]
    yield made("percent, and parts of one", nothing, "Average margin by region", None, percents)
    beside = [
        ["region", "amount", None, "region", "cost"],
        ["North", 5, None, "East", 1],
        ["South", 20, None, "West", 2],
    ]
    yield made("another table beside it in the sheet", nothing, "Total amount by region", None, beside)
    below = [*rows, [], ["product", "price"], ["a", 3], ["b", 4]]
    yield made("another table below it in the sheet", nothing, "Total amount", "32", below)
    outline = [["account", "amount"], ["Revenue", 799.75], ["Goods", 317.5], ["Services", 482.25]]

    def grouped(book: Any, sheet: Any) -> None:
        for row in (3, 4):
            sheet.row_dimensions[row].outlineLevel = 1

    yield made("rows grouped by the program", grouped, "Total amount", "799.75", outline)
    wide = [["region", date(2024, 1, 1), date(2024, 2, 1)], ["North", 1, 2], ["South", 10, 20]]
    yield made("days as headings", nothing, "Total by month", {"2024-01-01": "11", "2024-02-01": "22"}, wide)


def ods(rows: Sequence[Sequence[Any]]) -> bytes:
    """An OpenDocument sheet, as an office program writes it."""

    def cell(value: Any) -> str:
        if value is None:
            return "<table:table-cell/>"
        if isinstance(value, bool):
            return f'<table:table-cell office:value-type="boolean" office:boolean-value="{str(value).lower()}"/>'
        if isinstance(value, date):
            return f'<table:table-cell office:value-type="date" office:date-value="{value}"><text:p>{value}</text:p></table:table-cell>'
        if isinstance(value, int | float):
            return f'<table:table-cell office:value-type="float" office:value="{value}"><text:p>{value}</text:p></table:table-cell>'
        return f'<table:table-cell office:value-type="string"><text:p>{escape(value)}</text:p></table:table-cell>'

    body = "".join(f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in rows)
    names = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "table", "text")
    )
    content = (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document-content {names} office:version="1.2"><office:body>'
        f'<office:spreadsheet><table:table table:name="S">{body}</table:table></office:spreadsheet></office:body>'
        "</office:document-content>"
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


def parquet(select: str) -> bytes:
    """What DuckDB writes for a query."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "made.parquet"
        duckdb.execute(f"COPY ({select}) TO '{path}' (FORMAT parquet)")
        return path.read_bytes()


def _values(names: str, *rows: str) -> str:
    return f"SELECT * FROM (VALUES {', '.join(f'({row})' for row in rows)}) AS given({names})"


def _other_formats() -> Iterator[Case]:
    sums: list[list[Any]] = [["region", "amount"], ["North", 317.5], ["South", 482.25], ["Alles", 799.75]]
    both = {"North": "317.5", "South": "482.25"}
    yield odd("ods: an unknown word", ods(sums), BY_REGION, both, file="d.ods")
    yield odd("ods: Total", ods([*sums[:3], ["Total", 799.75]]), BY_REGION, both, file="d.ods")
    yield odd(
        "ods: -999",
        ods([["region", "amount"], ["North", 5], ["North", -999], ["South", 20]]),
        BY_REGION,
        {"North": "5", "South": "20"},
        file="d.ods",
    )
    yield odd(
        "ods: flags",
        ods([["region", "paid"], ["North", True], ["South", False]]),
        "Total paid by region",
        {"North": "1", "South": "0"},
        file="d.ods",
    )
    yield odd(
        "ods: a date of 1900",
        ods([["day", "amount"], [date(1900, 1, 1), 5], [date(2024, 5, 1), 7], [date(2024, 6, 1), 8]]),
        "Total amount by month",
        {"2024-05-01": "7", "2024-06-01": "8"},
        file="d.ods",
    )
    given = _values("region, amount", "'North', 317.5", "'South', 482.25", "'Alles', 799.75")
    yield odd("parquet: an unknown word", parquet(given), BY_REGION, both, file="d.parquet")
    yield odd("parquet: Total", parquet(given.replace("Alles", "Total")), BY_REGION, both, file="d.parquet")
    yield odd("parquet: no name", parquet(given.replace("'Alles'", "NULL")), BY_REGION, both, file="d.parquet")
    yield odd(
        "parquet: -999",
        parquet(_values("region, amount", "'North', 5", "'North', -999", "'South', 20")),
        BY_REGION,
        {"North": "5", "South": "20"},
        file="d.parquet",
    )
    texts = {"1.234,56": "1234.56", "1,234.56": "1234.56", "$1,234.56": "1234.56", "1 234,56": "1234.56", "12%": None}
    for text, number in texts.items():
        yield odd(
            f"parquet: {text} as text",
            parquet(
                _values(
                    "region, amount", f"'North', '{text}'", "'South', '2,50'" if text[-3] == "," else "'South', '2.50'"
                )
            ),
            BY_REGION,
            None if number is None else {"North": number, "South": "2.5"},
            file="d.parquet",
        )
    yield odd(
        "parquet: thousands as text",
        parquet(_values("region, amount", "'North', '1.234'", "'South', '5.678'")),
        BY_REGION,
        None,
        file="d.parquet",
    )
    yield odd(
        "parquet: days as text",
        parquet(_values("ordered, amount", "'03.08.2026', 1", "'04.09.2026', 2")),
        "Total amount by month",
        {"2026-08-01": "1", "2026-09-01": "2"},
        file="d.parquet",
    )
    ids = _values("tracking, amount", "1234567890123456789, 1", "1234567890123456788, 2")
    yield odd("parquet: ids of 19 digits, added", parquet(ids), "Total tracking", None, file="d.parquet")
    yield odd(
        "parquet: ids of 19 digits, grouped",
        parquet(ids),
        "Total amount by tracking",
        {"1234567890123456789": "1", "1234567890123456788": "2"},
        file="d.parquet",
    )
    yield odd(
        "parquet: a far date",
        parquet(_values("day, amount", "DATE '9999-12-31', 5", "DATE '2024-05-01', 7", "DATE '2024-06-01', 8")),
        "Total amount by month",
        {"2024-05-01": "7", "2024-06-01": "8"},
        file="d.parquet",
    )
    yield odd(
        "parquet: no numbers",
        parquet(_values("region, amount", "'North', 'nan'::DOUBLE", "'North', 5", "'South', 20")),
        BY_REGION,
        {"North": "5", "South": "20"},
        file="d.parquet",
    )


def _more_workbooks() -> Iterator[Case]:
    def made(name: str, rows: Sequence[Sequence[Any]], question: str, right: Right, change: Any = None) -> Case:
        return odd(name, _book(change or (lambda book, sheet: None), rows), question, right, file="n.xlsx")

    right = {"North": "12", "South": "20"}
    head = ["region", "amount"]
    data = [["North", 5], ["North", 7], ["South", 20]]
    yield made(
        "empty rows and columns around",
        [[], [], [None, None, *head], *([None, None, *row] for row in data)],
        BY_REGION,
        right,
    )
    yield made("a title above", [["Sales 2024"], [], head, *data], BY_REGION, right)
    yield made("a remark beside", [[*head, None, "checked by Ann"], *data], BY_REGION, right)
    yield made("a remark beside in the midst", [head, data[0], [*data[1], None, "sic"], data[2]], BY_REGION, right)
    yield made("a sum far below", [head, *data, [], [], [None, 32]], BY_REGION, right)
    yield made("a sum beside a word far below", [head, *data, [], ["Ges.", 32]], BY_REGION, right)
    yield made(
        "-999 in a workbook",
        [head, ["North", 5], ["North", -999], ["South", 20]],
        BY_REGION,
        {"North": "5", "South": "20"},
    )
    yield made("n/a in a workbook", [head, ["North", 12], ["North", "n/a"], ["South", 20]], BY_REGION, right)
    yield made("a day of 1900", [["day", "amount"], [date(2024, 5, 1), 5], [date(1900, 1, 1), 3], [date(2024, 6, 1), 7]],
               "Total amount by month", {"2024-05-01": "5", "2024-06-01": "7"})  # fmt: skip
    yield made("parents", [["area", "sales"], ["Europe", 317.5], ["Germany", 104.25], ["France", 213.25], ["Asia", 482.25],
                           ["China", 311.75], ["Japan", 170.5]], "Total sales", "799.75")  # fmt: skip
    yield made("heading of two rows, not merged", [["", "2024", ""], ["region", "Q1", "Q2"], ["North", 1, 2], ["South", 3, 4]],
               "Total Q1 by region", {"North": "1", "South": "3"})  # fmt: skip
    yield made("a filter's row of sums", [["SUM", 32], head, *data], BY_REGION, right)
    yield made("texts with blanks", [head, ["North ", 5], ["North", 7], ["South", 20]], BY_REGION, right)
    yield made(
        "amounts as text with a currency",
        [head, ["North", "5 €"], ["North", "7 €"], ["South", "20 $"]],
        BY_REGION,
        None,
    )
    yield made(
        "one amount as text with a currency", [head, ["North", 5], ["North", 7], ["South", "20 $"]], BY_REGION, right
    )
    yield made(
        "an amount with a comma as text", [head, ["North", 5], ["North", 7], ["South", "1,234"]], BY_REGION, None
    )

    def totals_of_table(book: Any, sheet: Any) -> None:
        table = Table(displayName="T", ref="A1:B5")
        table.totalsRowCount = 1
        sheet.add_table(table)

    yield made("a table with a row of sums", [head, *data, ["Ergebnis", 32]], BY_REGION, right, totals_of_table)

    def percent(book: Any, sheet: Any) -> None:
        for row in (2, 3, 4):
            sheet[f"B{row}"].number_format = "0%"

    yield made(
        "shown as percent",
        [["region", "margin"], ["North", 0.1], ["North", 0.3], ["South", 0.2]],
        "Total margin by region",
        None,
        percent,
    )

    def thousands(book: Any, sheet: Any) -> None:
        for row in (2, 3):
            sheet[f"B{row}"].number_format = '0,"k"'

    yield made(
        "shown in thousands",
        [head, ["North", 5000], ["South", 20000]],
        BY_REGION,
        {"North": "5000", "South": "20000"},
        thousands,
    )
