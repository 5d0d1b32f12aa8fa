# ruff: noqa: E501  the letters of many scripts are what is tested; a table is read on one line
"""Tables whose values are not what they look like: sums among what they add up under any name, stand-ins for what is
missing, numbers that have no sum; and clean tables that look like them, of which nothing may be asked.

Written down by somebody who had not seen how they are read. What is right was not computed by the product.
"""

from collections.abc import Iterator, Mapping

from tests.integration.analysis_corpus import BY_REGION, Case, case
from tests.integration.analysis_oddities import odd


def disguises() -> list[Case]:
    parts = (_sums, _more_sums, _stand_ins, _more_stand_ins, _not_added)
    return [each for part in parts for each in part()]


# --- sums among what they add up ----------------------------------------------------------------------------------

_BOTH = {"North": "317.5", "South": "482.25"}
_DATA = "region,product,amount\nNorth,a,104.25\nNorth,b,213.25\nSouth,a,311.75\nSouth,b,170.5\n"


def _sums() -> Iterator[Case]:
    words = (
        "GT|Max|Summe|Sous-total|Σ|Ø|Durchschnitt|Gesamt|Subtotal:|Alles|Net|Everything|Ergebnis|Kokonaissumma|Jami"
        "|TTL|Tot.|Tot|G. Total|Sum Total|ALLE|Grand|XXX|Region|—|*|Company|World|Europe|Final|Group|A-Z|Zusammen"
    )
    sums = {"Ø": "199.9375", "Durchschnitt": "199.9375", "Max": "311.75"}
    for word in words.split("|"):
        yield odd(f"a last row called {word}", f"{_DATA}{word},,{sums.get(word, '799.75')}\n", BY_REGION, _BOTH)
    yield odd("a first row called Alles", _DATA.replace("North,a", "Alles,,799.75\nNorth,a", 1), BY_REGION, _BOTH)
    yield odd(
        "unknown subtotals",
        "region,product,amount\nNorth,a,104.25\nNorth,b,213.25\nNorth,Zwischen,317.5\nSouth,a,311.75\nSouth,b,170.5\n"
        "South,Zwischen,482.25\n",
        BY_REGION,
        _BOTH,
    )
    yield odd(
        "subtotals and a total, unknown words",
        "region,amount\nBerlin,104.25\nBonn,213.25\nDE,317.5\nParis,311.75\nLyon,170.5\nFR,482.25\nAlles,799.75\n",
        "Total amount",
        "799.75",
    )
    parents = "area,revenue,units\nEurope,317.50,30\nGermany,104.25,10\nFrance,213.25,20\n"
    more = "Asia,482.25,70\nChina,311.75,40\nJapan,170.50,30\n"
    yield odd("parents above their children", parents + more, "Total revenue", "799.75")
    yield odd("parents above their children, one number", _less(parents + more, 2), "Total revenue", "799.75")
    yield odd("parents, and a world", f"{parents}{more}World,799.75,100\n", "Total units", "100")
    yield odd(
        "a world, and parents", f"area,revenue,units\nWorld,799.75,100\n{(parents + more)[19:]}", "Total units", "100"
    )
    yield odd("one parent", parents, "Total revenue", "317.5")
    yield odd("a parent of small numbers", "area,units\nEurope,30\nGermany,10\nFrance,20\n", "Total units", "30")
    yield odd("a small total of an unknown name", "region,units\nNorth,10\nSouth,20\nAlles,30\n", "Total units", "30")
    yield odd(
        "parents by number",
        "account,name,amount\n4000,Revenue,799.75\n4100,Goods,317.50\n4200,Services,482.25\n",
        "Total amount",
        "799.75",
    )
    yield odd(
        "parents of parents",
        "item,cost\nAll,1000.10\nHardware,600.05\nServer,400.02\nCables,200.03\nSoftware,400.05\nLicences,250.04\n"
        "Cloud,150.01\n",
        "Total cost",
        "1000.1",
    )
    yield odd("dates, and a sum", "day,amount\n2024-01-01,104.25\n2024-01-02,213.25\n,317.5\n", "Total amount", "317.5")
    yield odd(
        "dates, and an unknown word",
        "day,shop,amount\n2024-01-01,x,104.25\n2024-01-02,y,213.25\nAlles,,317.5\n",
        "Total amount by shop",
        {"x": "104.25", "y": "213.25"},
    )
    yield odd(
        "mean, least and most",
        f"{_DATA}Mittel,,199.9375\nKleinster,,104.25\nGrößter,,311.75\n",
        BY_REGION,
        _BOTH,
    )
    yield odd("a count behind them", f"{_DATA}Anzahl,,4\n", BY_REGION, _BOTH)
    yield odd("min and max by name", f"{_DATA}min,,104.25\nmax,,311.75\n", BY_REGION, _BOTH)
    yield odd(
        "months, and a year",
        "month,amount\nJan,104.25\nFeb,213.25\nMar,311.75\n2024,629.25\n",
        "Total amount",
        "629.25",
    )
    yield odd(
        "quarters among months",
        "period,amount\nJan,104.25\nFeb,213.25\nMar,311.75\nQ1,629.25\nApr,170.5\nMay,12.5\nJun,1.25\nQ2,184.25\n",
        "Total amount",
        "813.5",
    )
    big = [f"s{place % 7},p{place},{place * place % 977 + 0.25:.2f}" for place in range(900)]
    total = sum(place * place % 977 + 0.25 for place in range(900))
    yield odd(
        "a long table, and an unknown word",
        "shop,product,amount\n" + "\n".join(big) + f"\nSämtliche,,{total:.2f}\n",
        "Total amount",
        f"{total:.2f}",
    )
    yield odd(
        "a column of sums across",
        "region,jan,feb,year\nNorth,104.25,213.25,317.5\nSouth,311.75,170.5,482.25\n",
        "Total jan by region",
        {"North": "104.25", "South": "311.75"},
    )


def _less(text: str, columns: int) -> str:
    return "".join(",".join(line.split(",")[:columns]) + "\n" for line in text.splitlines())


def _more_sums() -> Iterator[Case]:
    """Of another shape than the first."""
    wide = "region,a,b,c\nNorth,104.25,10,1\nSouth,213.25,20,2\nEast,311.75,30,3\n"
    yield odd("a sum of three columns", f"{wide}Rest,629.25,60,6\n", "Total a", "629.25")
    yield odd("a sum with an average beside it", f"{wide}Rest,629.25,20,6\n", "Total a", "629.25")
    yield odd("a sum with a blank beside it", f"{wide}Rest,629.25,,\n", "Total a", "629.25")
    yield odd("a sum, rounded", "r,a\nx,10.126\ny,20.127\nz,30.129\nAll in,60.38\n", "Total a", "60.382")
    yield odd("two sums at the end", f"{wide}Sub,629.25,60,6\nAll in,629.25,60,6\n", "Total a", "629.25")
    yield odd(
        "sum, and tax",
        "item,amount\na,104.25\nb,213.25\nNetto,317.5\nVAT 20%,63.5\nBrutto,381\n",
        "Total amount",
        "317.5",
    )
    yield odd(
        "profit and loss",
        "line,amount\nSales,1000.5\nServices,499.25\nIncome,1499.75\nRent,300.25\nWages,700.5\nExpenses,1000.75\n"
        "Result,499\n",
        "Total amount",
        None,
    )
    yield odd(
        "a balance sheet",
        "item,value\nCash,120.5\nStock,379.25\nCurrent assets,499.75\nBuildings,1000.25\nMachines,300.5\n"
        "Fixed assets,1300.75\nAssets,1800.5\n",
        "Total value",
        "1800.5",
    )
    yield odd(
        "groups each with a row of the group's name alone",
        "country,city,sales\nDE,,317.5\nDE,Berlin,104.25\nDE,Bonn,213.25\nFR,,482.25\nFR,Paris,311.75\nFR,Lyon,170.5\n",
        "Total sales by country",
        {"DE": "317.5", "FR": "482.25"},
    )
    yield odd(
        "groups each with a row behind them without a city",
        "country,city,sales\nDE,Berlin,104.25\nDE,Bonn,213.25\nDE,,317.5\nFR,Paris,311.75\nFR,Lyon,170.5\nFR,,482.25\n",
        "Total sales by country",
        {"DE": "317.5", "FR": "482.25"},
    )
    yield odd(
        "groups each with a star",
        "country,city,sales\nDE,Berlin,104.25\nDE,Bonn,213.25\nDE,*,317.5\nFR,Paris,311.75\nFR,Lyon,170.5\nFR,*,482.25\n"
        "*,*,799.75\n",
        "Total sales by country",
        {"DE": "317.5", "FR": "482.25"},
    )
    yield odd(
        "a cube, unsorted",
        "country,year,sales\nDE,2023,104.25\nDE,2024,213.25\nFR,2023,311.75\nFR,2024,170.5\nboth,2023,416\n"
        "both,2024,383.75\n",
        "Total sales",
        "799.75",
    )
    yield odd(
        "children not beside their parents",
        "area,sales\nEurope,317.5\nAsia,482.25\nGermany,104.25\nFrance,213.25\nChina,311.75\nJapan,170.5\n",
        "Total sales",
        "799.75",
    )
    yield odd(
        "one child each",
        "area,sales\nEurope,317.5\nGermany,317.5\nAsia,482.25\nChina,482.25\n",
        "Total sales",
        "799.75",
    )
    yield odd(
        "both sexes",
        "year,sex,people\n2023,Male,4101\n2023,Female,4250\n2023,Both sexes,8351\n2024,Male,4120\n2024,Female,4275\n"
        "2024,Both sexes,8395\n",
        "Total people by year",
        {"2023": "8351", "2024": "8395"},
    )
    yield odd(
        "all ages first",
        "age_group,cases\nAll ages,1207\n0-17,211\n18-64,712\n65+,284\n",
        "Total cases",
        "1207",
    )
    yield odd(
        "including",
        "item,amount\nPhones,812.5\nof which: used,120.25\nLaptops,630.75\nof which: used,99.5\n",
        "Total amount",
        "1443.25",
    )
    yield odd(
        "dashes set in",
        "item,amount\nHardware,600.05\n- Server,400.02\n- Cables,200.03\nSoftware,400.05\n- Licences,250.04\n- Cloud,150.01\n",
        "Total amount",
        "1000.1",
    )
    yield odd(
        "codes of levels",
        "code,name,amount\n1,Hardware,600.05\n1.1,Server,400.02\n1.2,Cables,200.03\n2,Software,400.05\n2.1,Licences,250.04\n"
        "2.2,Cloud,150.01\n",
        "Total amount",
        "1000.1",
    )
    yield odd("negative sums", "r,a\nx,-104.25\ny,-213.25\nz,-311.75\nRest,-629.25\n", "Total a", "-629.25")
    yield odd("mixed signs", "r,a\nx,104.25\ny,-213.25\nz,311.75\nNet effect,202.75\n", "Total a", "202.75")
    many = [place * place % 877 + 0.25 for place in range(5_000)]
    rows = "".join(f"s{place % 9},{value:.2f},{place % 13}\n" for place, value in enumerate(many))
    whole = f"{sum(many):.2f}"
    units = sum(place % 13 for place in range(5_000))
    yield odd("five thousand rows, and their sum", f"s,a,n\n{rows}Sämtliche,{whole},{units}\n", "Total a", whole)
    yield odd("five thousand rows, and the sum first", f"s,a,n\nSämtliche,{whole},{units}\n{rows}", "Total a", whole)


# --- stand-ins for what is missing --------------------------------------------------------------------------------


def _stand_ins() -> Iterator[Case]:
    right = {"North": "30", "South": "40"}
    for value in ("-999", "-9999", "-99", "-99999", "-1", "9999", "99999", "999999", "-999.0", "-999.00", "2147483647",
                  "-2147483648", "-9999.99", "1e20", "-32768", "999999999", "9999.99", "-888", "-1.0"):  # fmt: skip
        yield odd(
            f"{value} for nothing",
            f"region,amount\nNorth,10\nNorth,{value}\nNorth,20\nSouth,40\n",
            BY_REGION,
            right,
        )
    yield odd("ages of 999", "city,age\nA,30\nA,999\nA,40\nB,20\n", "Average age by city", {"A": "35", "B": "20"})
    yield odd("ages of -1", "city,age\nA,30\nA,-1\nA,40\nB,20\n", "Average age by city", {"A": "35", "B": "20"})
    yield odd("a score of 99", "city,score\nA,3\nA,99\nA,5\nB,4\n", "Average score by city", {"A": "4", "B": "4"})
    yield odd("lowest of temperatures", "city,temp\nA,-5.5\nA,-999\nA,3.0\n", "Lowest temp", "-5.5")
    yield odd("the most of prices", "item,price\na,19.5\nb,99999\nc,22\n", "Highest price", "22")
    yield odd("the median", "city,income\nA,3000\nA,-9\nA,3100\nA,-9\nA,-9\n", "Median income by city", {"A": "3050"})
    for day in ("1900-01-01", "9999-12-31", "1970-01-01", "1899-12-30", "2099-12-31", "0001-01-01", "1753-01-01",
                "2999-12-31", "1901-01-01"):  # fmt: skip
        yield odd(
            f"{day} for no date",
            f"ordered,amount\n2024-05-01,10\n{day},7\n2024-06-01,20\n2024-06-09,5\n",
            "Total amount by month",
            {"2024-05-01": "10", "2024-06-01": "25"},
        )
        yield odd(
            f"{day} for no date, by year",
            f"ordered,amount\n2024-05-01,10\n{day},7\n2023-06-01,20\n",
            "Total amount by year",
            {"2024-01-01": "10", "2023-01-01": "20"},
        )
    yield odd("German days", "tag;betrag\n01.05.2024;10\n01.01.1900;7\n02.06.2024;5\n", "Earliest tag", None)
    yield odd(
        "with a clock",
        "at,n\n2024-05-01 10:00:00,1\n1900-01-01 00:00:00,2\n2024-06-01 11:00:00,4\n",
        "Earliest at",
        None,
    )
    zeros = "day,reading\n0000-00-00,5\n2024-05-01,7\n2024-06-01,8\n"
    yield odd("0000-00-00", zeros, "Total reading by month", {"2024-05-01": "7", "2024-06-01": "8"})
    yield odd(
        "a group called NULL",
        "region,amount\nNorth,10\nNULL,5\nSouth,20\n",
        BY_REGION,
        {"North": "10", "NULL": "5", "South": "20"},
    )


def _more_stand_ins() -> Iterator[Case]:
    right = {"North": "30", "South": "40"}

    def given(value: str, name: str = "") -> Case:
        text = f"region,amount\nNorth,10\nNorth,{value}\nNorth,20\nSouth,40\n"
        return odd(name or f"{value} stands for nothing", text, BY_REGION, right)

    for value in ("-7777", "-9999999", "-1000", "-100000", "77777", "88888", "-2", "-3", "1e30", "-1e30", "inf", "NaN",
                  "1.7976931348623157e308", "-3.4e38", "4294967295", "999.9", "-99.9", "-1111", "-998"):  # fmt: skip
        yield given(value)
    for value in ("#N/A", "N.A.", "n.a.", "nil", "none", "missing", "unknown", "?", "..", "...", ".", "*", "x", "k.A.", "TBA",
                  "NULL", "\\N", "(null)", "<NA>", "None", "undefined", "not available", "-/-", "---", "___", "s.o."):  # fmt: skip
        yield given(value)
    yield odd("many of -999", "x,t\na,21.5\nb,-999\nc,-999\nd,-999\ne,22.5\nf,-999\n", "Average t", "22")
    yield odd("two kinds", "x,t\na,21.5\nb,-999\nc,-888\nd,22.5\n", "Average t", "22")
    yield odd("at both ends", "x,t\na,21\nb,-999\nc,9999\nd,23\n", "Average t", "22")
    yield odd("days of 1900 among old ones", "born,n\n1900-01-01,1\n1900-01-01,1\n1900-01-01,1\n1931-02-03,1\n1955-02-03,1\n"
              "1982-04-05,1\n", "Earliest born", "1931-02-03")  # fmt: skip
    yield odd(
        "US days",
        "d,n\n05/13/2024,1\n01/01/1900,2\n06/14/2024,4\n",
        "Total n by month",
        {"2024-05-01": "1", "2024-06-01": "4"},
    )
    yield odd(
        "German days of no end",
        "d;n\n13.05.2024;1\n31.12.9999;2\n14.06.2024;4\n",
        "Total n by month",
        {"2024-05-01": "1", "2024-06-01": "4"},
    )
    yield odd("the latest", "d,n\n2024-05-13,1\n9999-12-31,2\n2024-06-14,4\n", "Latest d", "2024-06-14")
    yield odd(
        "a clock and no end",
        "d,n\n2024-05-13 10:00,1\n9999-12-31 23:59,2\n2024-06-14 11:00,4\n",
        "Total n by month",
        {"2024-05-01": "1", "2024-06-01": "4"},
    )
    yield odd("since 1900", "d,n\n2024-05-13,1\n1900-01-01,2\n2024-06-14,4\n", "Total n before 2024-06-01", "1")
    yield odd("years of 9999", "year,n\n2023,1\n9999,2\n2024,4\n", "Total n by year", {"2023": "1", "2024": "4"})
    yield odd("a top of sentinels", "item,price\na,19\nb,99999\nc,22\n", "Top 1 item by price", {"c": "22"})
    yield odd("above a number", "item,price\na,19\nb,99999\nc,22\n", "How many rows where price is over 20", "1")
    yield odd("a product", "item,price,quantity\na,19,2\nb,-999,3\nc,22,4\n", "Total of price times quantity", "126")
    yield odd("a share", "item,amount\na,10\nb,9999999\nc,30\n", "Share of amount by item", {"a": "25", "c": "75"})


# --- numbers that have no sum -------------------------------------------------------------------------------------


def _not_added() -> Iterator[Case]:
    columns = {
        "rank": "1 2 3 4",
        "position": "1 2 3 4",
        "percentage": "10 20 30 40",
        "rate": "0.1 0.2 0.3 0.4",
        "unit_price": "9.5 8.5 7.5 9.5",
        "price_per_unit": "9.5 8.5 7.5 9.5",
        "score": "7 8 9 6",
        "year": "2021 2022 2023 2024",
        "zip": "10115 10117 20095 80331",
        "phone": "4930123 4930124 4940125 4989126",
        "latitude": "52.52 52.53 53.55 48.14",
        "temperature": "20.5 21.5 19.5 18.5",
        "percentile": "90 80 70 60",
        "avg_basket": "20.5 21.5 19.5 18.5",
        "growth": "0.05 0.07 -0.02 0.01",
        "margin_pct": "20 21 19 18",
        "conversion": "0.12 0.21 0.09 0.18",
        "exchange_rate": "1.08 1.09 1.07 1.06",
        "stars": "4 5 3 4",
        "index": "101.5 102.5 99.5 98.5",
        "age": "30 41 22 57",
        "customer_no": "1001 1002 1003 1004",
        "postleitzahl": "10115 10117 20095 80331",
        "iban_number": "1001 1002 1003 1004",
        "grade": "1.3 2.7 3.0 1.7",
        "day_of_week": "1 2 3 4",
        "store_id": "101 102 103 104",
        "headcount": "20 21 19 18",
        "stock": "20 21 19 18",
        "balance": "200 210 190 180",
        "speed": "80 90 100 110",
        "bmi": "22.5 23.5 24.5 21.5",
        "ph": "7.1 7.2 6.9 6.8",
        "density": "1.1 1.2 0.9 0.8",
    }
    for name, cells in columns.items():
        numbers = cells.split()
        rows = "".join(f"{region},{number}\n" for region, number in zip("NNSS", numbers, strict=True))
        yield odd(f"the sum of {name}", f"region,{name}\n{rows}", f"Total {name.replace('_', ' ')} by region", None)
    yield odd("percent signs", "region,margin\nN,12%\nN,14%\nS,9%\n", "Total margin by region", None)
    yield odd("percent of heads", "region,share %\nN,12\nN,14\nS,9\n", "Total share by region", None)


# --- clean tables -------------------------------------------------------------------------------------------------


def clean() -> Iterator[Case]:
    """Ordinary tables that look like those above. The number, and no question."""

    def given(name: str, text: str, question: str, right: Mapping[str, str] | str) -> Case:
        return case(name, text, question, right)

    small = {"North": "10", "South": "20", "East": "30"}
    yield given("the last happens to be the sum", "region,amount\nNorth,10\nSouth,20\nEast,30\n", BY_REGION, small)
    yield given("the first happens to be the sum", "region,amount\nEast,30\nSouth,20\nNorth,10\n", BY_REGION, small)
    yield given("one to three", "day,n\n2024-01-01,1\n2024-01-02,2\n2024-01-03,3\n", "Total n", "6")
    yield given("one to five", "shop,n\na,1\nb,2\nc,3\nd,4\ne,5\n", "Total n", "15")
    yield given("powers of two", "shop,n\na,1\nb,1\nc,2\nd,4\ne,8\n", "Total n", "16")
    yield given("Fibonacci", "shop,n\na,1\nb,2\nc,3\nd,5\ne,8\nf,13\n", "Total n", "32")
    yield given("all alike", "shop,n\na,5\nb,5\nc,5\n", "Total n by shop", {"a": "5", "b": "5", "c": "5"})
    yield given("zeros", "shop,n\na,0\nb,0\nc,0\nd,7\n", "Total n", "7")
    yield given("a return", "shop,quantity\na,5\na,-1\nb,3\n", "Total quantity by shop", {"a": "4", "b": "3"})
    yield given("a refund", "shop,amount\na,120.50\na,-99\nb,300\n", "Total amount by shop", {"a": "21.5", "b": "300"})
    yield given("losses", "shop,profit\na,-999\na,1500\nb,-250\n", "Total profit by shop", {"a": "501", "b": "-250"})
    yield given("a price of 999", "item,amount\nphone,999\ncase,29\ntablet,649\n", "Total amount", "1677")
    yield given("a price of 9999", "item,amount\ncar,9999\nbike,2400\nbus,50000\n", "Total amount", "62399")
    yield given("old dates", "born,n\n1900-01-01,1\n1905-04-02,2\n1911-05-06,3\n", "Total n", "6")
    yield given("dates of 1970", "born,n\n1970-01-01,1\n1968-04-02,2\n1975-05-06,3\n", "Total n", "6")
    yield given(
        "days of a century",
        "built,n\n1900-01-01,1\n1950-04-02,2\n1999-05-06,4\n1925-03-04,8\n",
        "Total n",
        "15",
    )
    ledger = "date,account,debit,credit\n2024-01-01,cash,100,0\n2024-01-01,sales,0,100\n2024-01-02,rent,40,0\n2024-01-02,cash,0,40\n"
    yield given("a ledger", ledger, "Total debit by account", {"cash": "100", "sales": "0", "rent": "40"})
    yield given("a total column", "order,net,tax,total\n1,100,19,119\n2,200,38,238\n", "Total net", "300")
    yield given("orders", "order_id,amount\n1,10.00\n2,25.50\n3,35.50\n4,12.25\n", "Total amount", "83.25")
    yield given(
        "a day that makes up for two",
        "day,shop,amount\n2024-01-01,a,10.25\n2024-01-02,b,20.50\n2024-01-03,a,30.75\n2024-01-04,b,9.00\n",
        "Total amount by shop",
        {"a": "41", "b": "29.5"},
    )
    yield given("average price", "item,price\na,10\nb,20\nc,30\n", "Average price", "20")
    yield given("average age", "city,age\nA,30\nA,40\nB,20\n", "Average age by city", {"A": "35", "B": "20"})
    yield given(
        "prices paid", "item,price\na,19.99\nb,5.00\na,19.99\n", "Total price by item", {"a": "39.98", "b": "5"}
    )
    yield given(
        "a big customer",
        "customer,amount\nann,12\nbob,15\ncid,480\n",
        "Total amount by customer",
        {"ann": "12", "bob": "15", "cid": "480"},
    )
    yield given("seconds", "job,seconds\na,0.4\nb,0.7\nc,0.1\n", "Total seconds", "1.2")
    yield given("grams below one", "item,weight\na,0.25\nb,0.5\nc,0.75\n", "Total weight", "1.5")
    many = "".join(
        f"c{place},{(place * 7919) % 1000 + 0.01 * (place % 100):.2f},{place % 10}\n" for place in range(500)
    )
    sum_of = sum(round((place * 7919) % 1000 + 0.01 * (place % 100), 2) for place in range(500))
    yield given("five hundred rows", f"customer,amount,quantity\n{many}", "Total amount", f"{sum_of:.2f}")
    yield given(
        "counts of a few",
        "".join(["x,n\n", *(f"r{place},{place % 7}\n" for place in range(300))]),
        "Total n",
        str(sum(place % 7 for place in range(300))),
    )
