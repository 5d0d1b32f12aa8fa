# ruff: noqa: E501  the letters of many scripts are what is tested; a table is read on one line
"""Tables as banks, tills, ledgers and trackers export them: what is theirs alone, and what goes wrong with it.

Written down by somebody who had not seen how they are read. What is right was not computed by the product.
"""

import io
from collections.abc import Iterator, Sequence

import openpyxl
from openpyxl.styles import Alignment

from tests.integration.analysis_corpus import Case, Right, case, workbook
from tests.integration.analysis_oddities import odd

COMDIRECT = """"Umsätze Girokonto";"Zeitraum: 30 Tage"
"Neuer Kontostand";"1.515,80 EUR"

"Buchungstag";"Vorgang";"Buchungstext";"Umsatz in EUR";
"31.01.2025";"Lastschrift";"Strom";"-85,00";
"30.01.2025";"Gutschrift";"Gehalt";"2.512,33";
"29.01.2025";"Lastschrift";"Gas";"-911,53";

"Alter Kontostand";"0,00 EUR"
"""
ING = """Umsatzanzeige;Datei erstellt am: 10.02.2025 18:41

IBAN;DE00 5001 0517 0000 0000 00
Kontoname;Girokonto
Bank;ING
Kunde;Max Muster
Saldo;1.000,00;EUR

Buchung;Auftraggeber;Buchungstext;Saldo;Währung;Betrag;Währung
31.01.2025;ALDI;Lastschrift;1.000,00;EUR;-20,00;EUR
30.01.2025;Firma;Gehalt;1.020,00;EUR;1.500,00;EUR
15.01.2025;REWE;Lastschrift;-480,00;EUR;-1.480,00;EUR
"""
HDFC = """HDFC BANK Ltd.,,,,
********,********************,********,********,********
Date,Narration,Withdrawal Amt.,Deposit Amt.,Closing Balance
********,********************,********,********,********
01/04/25,UPI-SWIGGY,450.00,,"1,22,550.00"
15/04/25,SALARY,,"1,00,000.00","2,22,550.00"
28/04/25,RENT,"25,000.00",,"1,97,550.00"
"""
ITAU = "data;lançamento;valor\n01/01/2025;SALDO ANTERIOR;1.000,00\n02/01/2025;PIX TRANSF;-150,00\n02/01/2025;SALDO DO DIA;850,00\n15/01/2025;REMUNERACAO;3.500,50\n15/01/2025;BOLETO;-500,50\n15/01/2025;SALDO DO DIA;3.850,00\n"
SAP = """01.02.2025                 Dynamische Listenausgabe                 1
---------------------------------------------------------
|Kunde     |Belegnr   |Buch.dat. |   Betrag HW|Währg|
---------------------------------------------------------
|0000100001|1800000012|15.01.2025|    1.063,12|EUR  |
|0000100001|1600000007|17.01.2025|       63,12-|EUR  |
|0000100002|1800000013|18.01.2025|      500,00|EUR  |
---------------------------------------------------------
"""
ANALYTICS = """# ----------------------------------------
# Pages
# 20250101-20250131
# ----------------------------------------

Page,Pageviews,Avg. Time on Page
/home,"1,234",00:01:23
/about,567,00:00:30
/home?x=1,3,00:02:00
,"1,804",00:01:05

Day Index,Pageviews
1/1/25,1000
1/2/25,804
"""


def exports() -> list[Case]:
    return [*_banks(), *_ledgers(), *_others(), *_questions(), *_more_questions(), *_below_and_beside()]


def _banks() -> Iterator[Case]:
    yield case(
        "comma decimals in quotes, a balance above and below",
        COMDIRECT.encode("cp1252"),
        "Total Umsatz in EUR by Vorgang",
        {"Lastschrift": "-996.53", "Gutschrift": "2512.33"},
    )
    yield case(
        "more lines above than rows",
        ING.encode("cp1252"),
        "Total Betrag by Buchungstext",
        {"Lastschrift": "-1500", "Gehalt": "1500"},
    )
    yield case("stars between the parts", HDFC, "Total Withdrawal Amt.", "25450")
    yield odd("balances among what came and went", ITAU, "Total valor", "2850")
    yield case(
        "S and H",
        "Tag;Umsatz;S/H\n02.01.2025;900,00;S\n03.01.2025;2.000,00;H\n15.01.2025;100,00;S\n",
        "Total Umsatz",
        None,
    )
    yield case(
        "S and H, each",
        "Tag;Umsatz;S/H\n02.01.2025;900,00;S\n03.01.2025;2.000,00;H\n15.01.2025;100,00;S\n",
        "Total Umsatz by S/H",
        {"S": "1000", "H": "2000"},
        may_ask=True,
    )
    yield case(
        "DR and CR",
        'Narration,Amount,Type\nUPI,"1,500.00",DR\nSALARY,"1,23,456.78",CR\nRENT,"25,000.00",DR\n',
        "Average Amount",
        None,
    )
    yield case(
        "income and expense",
        "date,kind,amount\n2025-01-02,income,100\n2025-01-03,expense,40\n2025-01-04,income,7\n",
        "Total amount",
        None,
    )
    yield case(
        "signs are there already",
        "date,kind,amount\n2025-01-02,income,100\n2025-01-03,expense,-40\n2025-01-04,income,7\n",
        "Total amount",
        "67",
    )
    yield odd("a currency in one row only", "Item,Price\nA,10.00\nB,20.50 USD\nA,1.00\n", "Total Price", None)


def _ledgers() -> Iterator[Case]:
    yield case(
        "a list for a printer",
        SAP,
        "Total Betrag HW by Kunde",
        {"0000100001": "1000", "0000100002": "500"},
        file="list.txt",
    )
    yield case(
        "subtotals with stars",
        "Kunde;Text;Betrag\n100001;A;10,00\n100001;B;20,00\n* 100001;;30,00\n100002;A;5,00\n* 100002;;5,00\n**;;35,00\n",
        "Total Betrag",
        "35",
    )
    yield case(
        "an outline by numbers",
        "Konto;Betrag\n1 Erlöse;100\n1.1 Inland;60\n1.2 Ausland;40\n2 Kosten;30\n2.1 Miete;30\n",
        "Total Betrag",
        None,
    )
    yield case(
        "a chart of accounts",
        workbook(
            {
                "S": [
                    ["Account", "Name", "Amount"],
                    [4, "Revenue", 100],
                    [41, "Domestic", 60],
                    [42, "Abroad", 40],
                    [5, "Costs", 30],
                    [51, "Rent", 30],
                ]
            }
        ),
        "Total Amount",
        None,
        file="data.xlsx",
    )
    yield case("codes that are no outline", "code;name;amount\n1;A;10\n10;B;3\n11;C;4\n2;D;5\n", "Total amount", "22")
    yield case("numbers of customers", "Kundennummer;Betrag\n1001;5\n1002;6\n", "Average Kundennummer", None)
    yield case("codes with zeros in front", "Zip,Amount\n01234,10\n01234,20\n98765,5\n", "Average Zip", None)
    yield case(
        "codes kept from a spreadsheet",
        'Zip,Amount\n="01234",10\n="01234",20\n="98765",5\n',
        "Total Amount by Zip",
        {"01234": "30", "98765": "5"},
    )

    yield case("account numbers", "Konto;Betrag\n8400;100\n4930;40\n", "Average Konto", None)
    yield odd(
        "profit and loss",
        "Line,Amount\nRevenue,1000\nCost of goods,-400\nGross profit,600\nOverheads,-200\nNet profit,400\n",
        "Total Amount",
        None,
    )


def _others() -> Iterator[Case]:
    yield case(
        "another table below",
        ANALYTICS,
        "Total Pageviews by Page",
        {"/home": "1234", "/about": "567", "/home?x=1": "3"},
    )
    yield case("a row of units", "time,temp,pressure\ns,°C,bar\n0,20.5,1.0\n1,21.5,1.2\n", "Average temp", "21")
    yield case(
        "a row of units, and a name missing",
        workbook(
            {"S": [["Sample", "Mass", "Length"], [None, "[kg]", "[mm]"], ["A", 1.5, 10], ["B", 2.5, 20], ["A", 1, 5]]}
        ),
        "Total Mass by Sample",
        {"A": "2.5", "B": "2.5"},
        file="data.xlsx",
    )
    yield case("amounts in brackets are no units", "Item,Amount\nA,(10.00)\nB,-5\nC,7-\nD,100\n", "Total Amount", "78")
    yield odd(
        "days of work",
        "Key,Assignee,Time Spent\nA-1,Ann,1d 2h\nA-2,Bob,45m\nA-3,Ann,2h\n",
        "Total Time Spent by Assignee",
        None,
    )
    jan = "date,name,amount\n2025-01-01,A,1\n2025-01-31,B,2\n"
    twice = odd("a month and its quarter", jan, "Total amount", None, file="jan.csv")
    yield Case(
        twice.name, (*twice.files, ("q1.csv", f"{jan}2025-02-01,A,7\n".encode())), twice.question, None, may_guess=True
    )


def _questions() -> Iterator[Case]:
    orders = "id,amount\n1,50\n2,200\n3,450\n4,800\n"
    yield case("between two numbers", orders, "Total amount between 100 and 500", "650")
    yield case("distinct sections", "Section,Pages\n1.1,5\n1.10,3\n1.2,2\n", "Number of distinct Section", None)
    yield odd(
        "one value in several spellings",
        "Status,Amount\nopen,1\nOpen ,2\nOPEN,4\nclosed,8\n",
        "Total Amount where Status is open",
        None,
    )
    yield odd("one city in two spellings", "Ort;Betrag\nKöln;1\nKoeln;2\n", "Total Betrag by Ort", None)
    yield odd(
        "one account in two spellings",
        "IBAN,Amount\nDE12 5001 0517 0648 4898 90,1\nDE12500105170648489890,2\n",
        "Total Amount by IBAN",
        None,
    )
    yield odd(
        "a difference of what is empty",
        "Details,Debit,Credit\nRent,900.00,\nSalary,,2000.00\n",
        "Total Credit minus Debit",
        None,
    )
    yield case("under or over", orders, "Total amount of orders under 100 or over 500", None)
    yield case("a count of what is not everywhere", "n,V\n1,5\n2,\n3,7\n", "Count of V", "2")
    yield case(
        "a count by group of what is not everywhere", "g,V\na,5\na,\nb,7\n", "Count of V by g", {"a": "1", "b": "1"}
    )
    rows: list[list[object]] = [["plz", "amount"], [1234, 10], [1234, 20], [10115, 5]]
    formats = [("A", f"A{row}", "00000") for row in (2, 3, 4)]
    yield case(
        "postcodes by their format",
        workbook({"A": rows}, formats=formats),
        "Total amount by plz",
        {"01234": "30", "10115": "5"},
        file="a.xlsx",
    )


_ORDERS = """order_id,ordered,customer,region,status,amount,discount,paid
1,2024-03-05,Ann,North,open,10,,Yes
2,2024-03-09,Ann,South,cancelled,20,2,No
3,2024-04-02,Bob,North,closed,40,,Yes
4,2024-05-02,Cid,West,closed,80,5,No
5,2024-05-09,Cid,West,open,160,,Yes
"""
_YEARS = "ordered,region,amount\n2023-03-05,North,1\n2023-04-05,South,2\n2024-03-05,North,4\n2024-09-05,South,16\n"
_FISCAL = "fiscal_year,invoiced,amount\n2024,2023-11-02,5\n2024,2024-02-02,7\n2025,2024-11-02,11\n"
_MONTHS = "year,month,amount\n2023,1,5\n2023,2,7\n2024,1,11\n2024,2,13\n"
_MAYS = "person,sold,amount\nMay,2024-05-03,5\nMay,2024-06-03,7\nJune,2024-05-04,11\n"
_PRICES = "product,day,price\na,2024-01-01,10\na,2024-02-01,7\nb,2024-01-01,5\n"
_SPENT = "customer,amount\nAnn,60\nAnn,70\nBob,40\nCid,150\n"
_OF_CUSTOMERS = (
    ("orders.csv", b"order_id,customer_id,amount\n1,c1,5\n2,c1,7\n3,c2,1\n4,c1,1\n5,c2,3\n"),
    ("customers.csv", b"customer_id,region\nc1,North\nc2,South\nc3,North\n"),
)


def _more_questions() -> Iterator[Case]:
    right: Right
    reply: str | None
    for asked, right in (
        ("in Q1 and Q2 2024", "310"),
        ("in March and April 2024", "70"),
        ("in March or April 2024", "70"),
        ("in March and May 2024", None),
    ):
        yield case(f"two periods, {asked}", _ORDERS, f"Total amount {asked}", right)
    for asked in ("with discount", "have a discount", "have no discount"):
        yield case(f"how many {asked}", _ORDERS, f"How many orders {asked}?", None)
    for asked in ("Yearly growth of amount in 2024", "By how much has amount increased in 2024?"):
        yield case(asked, _YEARS, asked, None)
    for asked in (
        "Average amount of the top 3 orders",
        "Total amount of the 2 largest orders",
        "Total orders by region",
    ):
        yield case(asked, _ORDERS, asked, None)
    yield case("total orders of one number", "order_id,who,amount\n1,Ann,10\n2,Ann,20\n", "Total orders by who", None)
    yield case("a person called May", _MAYS, "Total amount for May", None)
    for answer, right in (("the time", "16"), ("person May", "12")):
        yield case(f"May: {answer}", _MAYS, "Total amount for May", right, answers={"time_may": answer})
    for asked, right in (
        ("not in 2023", None),
        ("year to date", None),
        ("in 2024 by region", {"North": "4", "South": "16"}),
    ):
        yield case(f"of two years, {asked}", _YEARS, f"Total amount {asked}", right)
    for asked, right in (
        ("not in North, South", "240"),
        ("excluding North, South", "240"),
        ("not in North, South or West", "None"),
        ("in North, South", "70"),
    ):
        yield case(f"values behind commas, {asked}", _ORDERS, f"Total amount {asked}", right)
    sold = "product,amount,units\na,10,5\na,30,5\nb,8,2\n"
    for asked in ("Amount per unit by product", "Amount divided by units by product"):
        yield case(asked, sold, asked, None)
    yield case("what's", sold, "What's the total amount by product?", {"a": "40", "b": "8"})
    yield case("who is the first", _ORDERS, "Who has the highest amount?", None)
    yield case("fiscal years beside dates", _FISCAL, "Total amount by year", None)
    yield case("in a fiscal year, or another", _FISCAL, "Total amount in 2024", None)
    for answer, right in (("fiscal_year", "12"), ("invoiced", "18")):
        yield case(f"in 2024, of {answer}", _FISCAL, "Total amount in 2024", right, answers={"year": answer})
    yield case("months of several years", _MONTHS, "Total amount by month", None)
    together = {"years_of_month": "all years together"}
    yield case("months of all years", _MONTHS, "Total amount by month", {"1": "16", "2": "20"}, answers=together)
    yield case("months of one year", _MONTHS, "Total amount by month where year is 2023", {"1": "5", "2": "7"})
    yield case("a quarter that is a value", "quarter,amount\nQ1,5\nQ2,7\nQ1,11\n", "Total amount in Q1", "16")
    yield case("a month that is a value", "month,amount\nJan,5\nFeb,7\nJan,11\n", "Total amount in Jan", "16")
    yield case("a quarter that is a column", "region,Q1,Q2\nN,5,6\nS,7,8\n", "Total Q1 by region", {"N": "5", "S": "7"})
    for asked in ("Latest price by product", "Earliest price", "What is the oldest price?"):
        yield case(asked, _PRICES, asked, None)
    for name, text, noun in (
        ("in a row", "product,units\na,1\nb,2\nc,3\nd,4\ne,5\nf,6\n", "units"),
        ("of one length", "product,units\na,10001\nb,20002\nc,30003\nd,40004\ne,50005\n", "units"),
        ("of each row", "product,quantity\na,5\na,7\nb,2\nc,3\n", "items"),
        ("of cases", "region,day,count\nN,2024-01-01,5\nN,2024-01-02,7\nS,2024-01-01,2\n", "cases"),
    ):
        yield case(f"numbers {name}", text, f"How many {noun}?", None)
    yield case("orders with their numbers", "order,amount\n1,5\n2,7\n3,8\n4,1\n5,1\n", "How many orders?", "5")
    spent = "How many customers have an amount over 100?"
    yield case("customers over a number", _SPENT, spent, None)
    of_a_row = {"rows_of_customer": "the amount of a row"}
    yield case("customers over a number, in a row", _SPENT, spent, "1", answers=of_a_row)
    comma = 'region,amount\nNorth,"1.500,00"\nNorth,"20,50"\nSouth,"2.000,00"\n'
    for reply, right in ((None, None), ("1000", "2"), ("1", "3")):
        answers = {"number_1_000": reply} if reply else {}
        yield case(f"over 1.000: {reply}", comma, "How many rows with amount over 1.000?", right, answers=answers)
    kilo = "region,amount (k€)\nNorth,0.4\nNorth,900\nSouth,1200\nSouth,3.5\n"
    for reply, right in ((None, None), ("500", "2"), ("0.5", "3")):
        answers = {"size_amount_k_500": reply} if reply else {}
        yield case(
            f"over 500 in thousands: {reply}", kilo, "How many rows with amount over 500?", right, answers=answers
        )
    percent = "region,margin\nN,10%\nS,20%\n"
    over = "How many rows with margin over 0.15?"
    yield case("a part of one, of percent", percent, over, None)
    yield case("a part of one, of percent: 15", percent, over, "1", answers={"percent_margin_0_15": "15"})
    more = percent.replace("10%", "0.1").replace("20%", "1.4")
    yield case("percent of parts beyond one", more, "How many rows with margin over 15%?", None)
    yield case("a heading that compares", "region,Over 65\nN,5\nS,7\n", "Total over 65", "12")
    long = "The share of all those who were asked and answered"
    between = f"How many rows with {long} between 10% and 20%?"
    yield case("percent of a long heading", f"region,{long}\nN,0.1\nS,0.15\nW,0.9\n", between, None)
    yield case("a total in thousands", kilo, "Total amount", "2103.9")
    yield odd("prices beside quantities", "product,price,quantity\na,5,2\nb,3,10\n", "Total price", None)
    yield odd(
        "canceled and cancelled", "status,amount\nCancelled,1\nCanceled,2\nopen,4\n", "Total amount not cancelled", None
    )
    for asked, right in (
        ("How many orders?", "5"),
        ("How many customers?", "3"),
        ("How many orders in North?", "3"),
        ("Number of orders per region", {"North": "3", "South": "2"}),
        ("Number of customers per region", {"North": "2", "South": "1"}),
    ):
        yield Case(f"of two tables: {asked}", _OF_CUSTOMERS, asked, right)
    keys = (_OF_CUSTOMERS[0], ("customers.csv", _OF_CUSTOMERS[1][1].upper().replace(b"CUSTOMER_ID", b"customer_id")))
    yield Case("keys in two cases", keys, "Total amount by region", None)
    for name, ours, theirs in (("whole numbers", b"101", b"1"), ("texts", b"c1 ", b"c1")):
        files = (
            ("orders.csv", b"order_id,customer_id,amount\n1,%s,5\n" % ours),
            ("customers.csv", b"customer_id,region\n%s,N\n" % theirs),
        )
        yield Case(f"keys that never meet, {name}", files, "Total amount by region", None)
    yield Case("customers of orders", _OF_CUSTOMERS, "How many different customers in orders?", None)
    names = "customer,amount\n" + "".join(f"Customer {number},{number}\n" for number in range(1, 61))
    yield odd("many names, one in two ways", f"{names}customer 7,5\n", "How many customers?", None)
    yield case("many names, one twice", f"{names}Customer 7,5\n", "How many customers?", "60")
    yield case(
        "many names, one twice, the first", f"{names}Customer 7,99\n", "Top 1 customer by amount", {"Customer 7": "106"}
    )


def _below_and_beside() -> Iterator[Case]:
    rows = [(f"R{number % 7}", number) for number in range(250)]
    text = "region,amount\n" + "".join(f"{name},{number}\n" for name, number in rows)
    other = [("product", "price"), ("a", 1000), ("b", 2000)]
    sheet = workbook({"S": [["region", "amount"], *rows, [None, None], *other]})
    for asked, right in (("Total amount", "31125"), ("How many rows?", "250")):
        yield case(f"a table below 200 rows: {asked}", f"{text}\nproduct,price\na,1000\nb,2000\n", asked, right)
        yield case(f"a table below 200 rows of a sheet: {asked}", sheet, asked, right, file="s.xlsx")
    quoted = f'{text}"R1, with\n\nproduct,price\nx,5",7\n'
    yield case("a table within a cell", quoted, "Total amount", "31132")
    yield odd("rows behind a blank line below 200", f"{text}\nR1,5\n", "Total amount", None)
    yield odd(
        "a source with a number behind it", 'region,amount\nN,5\nS,7\n"Source: Eurostat",2024\n', "Total amount", None
    )
    beside = "region,amount,,product,price\nN,5,,a,1\nS,7,,b,2\n,,,c,3\n"
    yield odd("two tables beside each other", beside, "How many rows?", None)
    yield odd(
        "numbers that were shortened",
        "id,amount\n1.23457E+18,5\n1.23457E+18,7\n9.9E+17,1\n",
        "How many different id?",
        None,
    )
    yield case("a table in which columns are months", "metric,Jan,Feb\nSales,10,20\nCosts,5,6\n", "Total Jan", None)
    yield odd("a mark of a footnote", "region,amount\nNorth*,1\nNorth,2\nSouth,4\n", "Total amount for North", None)
    letters = "region,amount\nMüller,5\nJosé,7\n"
    yield case("UTF-7", letters.encode("utf-7"), "Total amount by region", {"Müller": "5", "José": "7"})
    yield case("UTF-7, a value", letters.encode("utf-7"), "Total amount for Müller", "5")
    yield case("pluses that are no UTF-7", "phone,amount\n+491234-5,5\n+AB-12,7\nC+Ads,1\n", "Total amount", "13")
    outline = [("region", "amount"), ("Europe", 31), ("Germany", 10), ("France", 20), ("Asia", 6), ("Japan", 5)]
    inner = ("Germany", "France", "Japan")
    by_blanks = workbook({"S": [[f"   {name}" if name in inner else name, number] for name, number in outline]})
    by_format = indented(outline, inner)
    for way, book in (("blanks", by_blanks), ("format", by_format)):
        yield case(f"set in by {way}", book, "Total amount", None, file="o.xlsx")
        answers = {"parts_region": "leave them out"}
        yield case(f"set in by {way}, answered", book, "Total amount", "37", answers=answers, file="o.xlsx")
    whole = indented(outline, [str(name) for name, _ in outline[1:]])
    yield case("all names set in", whole, "Total amount", "72", file="o.xlsx")


def indented(rows: Sequence[Sequence[object]], inner: Sequence[str]) -> bytes:
    """A workbook of rows in which some names are set in by their cells' format."""
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    for row in rows:
        sheet.append(list(row))
    for (cell,) in sheet.iter_rows(max_col=1):
        if cell.value in inner:
            cell.alignment = Alignment(indent=1)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()
