# ruff: noqa: E501  the letters of many scripts are what is tested; a table is read on one line
"""Tables as banks, tills, ledgers and trackers export them: what is theirs alone, and what goes wrong with it.

Written down by somebody who had not seen how they are read. What is right was not computed by the product.
"""

from collections.abc import Iterator

from tests.integration.analysis_corpus import Case, case, workbook
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
    return [*_banks(), *_ledgers(), *_others(), *_questions()]


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
