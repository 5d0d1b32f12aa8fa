"""Neighbours of the corpus's kinds: what stands beside a number and decides what it is worth, how tables are joined.

What is right was not computed by the product.
"""

from collections.abc import Iterator

from tests.integration.analysis_corpus import BY_REGION, Case, case, workbook
from tests.integration.analysis_strangers import strangers

_CURRENCY = "region,amount,currency\nNorth,100,EUR\nNorth,50,USD\nSouth,10,EUR\n"
_UNIT = "region,quantity,unit\nNorth,100,kg\nNorth,50,g\nSouth,10,kg\n"
_CODES = "department,country,class,amount\nIT,US,A,1\nHR,US,B,2\nIT,IN,A,4\nOR,DE,B,8\n"
_ORDERS = "customer,region,product,amount,active\nann,N,a,10,1\nann,N,b,20,0\nbob,S,a,30,1\ncid,S,b,30,1\n"
_SOLD = "order_id,customer_id,amount\n1,1,100\n2,1,50\n3,2,10\n"


def neighbours() -> list[Case]:
    return [*_units(), *_formats(), *_words(), *_joins(), *strangers()]


def _units() -> Iterator[Case]:
    both = {"North": "150", "South": "10"}
    euros = {"North": "100", "South": "10"}
    each = {"EUR": "110", "USD": "50"}
    yield case("two currencies beside", _CURRENCY, BY_REGION, None)
    yield case("two currencies, the most", _CURRENCY, "Highest amount", None)
    yield case("two currencies, shares", _CURRENCY, "Share of amount by region", None)
    yield case("two currencies, the first", _CURRENCY, "Top 1 region by amount", None)
    yield case("two currencies, signs", _CURRENCY.replace("EUR", "\u20ac").replace("USD", "$"), BY_REGION, None)
    yield case("two currencies, a heading that says nothing", _CURRENCY.replace("currency", "x"), BY_REGION, None)
    yield case("one currency", _CURRENCY.replace("USD", "EUR"), BY_REGION, both)
    yield case("by currency", _CURRENCY, "Total amount by currency", each)
    yield case("of one currency", _CURRENCY, "Total amount by region where currency is EUR", euros)
    yield case("of all currencies but one", _CURRENCY, "Total amount by region where currency is not USD", euros)
    yield case("rows of two currencies", _CURRENCY, "How many rows by region", {"North": "2", "South": "1"})
    for answer, right in (("only EUR", euros), ("as the numbers stand", both)):
        yield case(f"two currencies, {answer}", _CURRENCY, BY_REGION, right, answers={"units_currency": answer})
    yield case("two currencies, each", _CURRENCY, "Total amount", each, answers={"units_currency": "for each currency"})
    yield case("kilograms and grams", _UNIT, "Total quantity by region", None)
    yield case("by unit", _UNIT, "Total quantity by unit", {"kg": "110", "g": "50"})
    yield case(
        "a number beside money",
        "region,quantity,price,currency\nN,5,10,EUR\nN,6,10,USD\n",
        "Total quantity by region",
        {"N": "11"},
    )
    yield case("sizes are no units", "region,size,amount\nN,M,5\nN,L,6\n", BY_REGION, {"N": "11"})
    indented = "region,amount\nEurope,30\n  Germany,10\n  France,20\n"
    yield case("names set in", indented, BY_REGION, None)
    yield case(
        "names set in, answered", indented, BY_REGION, {"Europe": "30"}, answers={"parts_region": "leave them out"}
    )


def _formats() -> Iterator[Case]:
    """Numbers whose cells' formats alone tell the currency."""
    rows: list[list[object]] = [["region", "amount"], ["North", 100], ["North", 50], ["South", 10]]
    euro, dollar = "#,##0.00\\ [$\u20ac-407]", "[$$-409]#,##0.00"

    def shown(*formats: str, sheets: tuple[str, ...] = ("Sales",), above: int = 0) -> bytes:
        cells = [f"B{row}" for row in range(2 + above, 2 + above + len(rows) - 1)]
        styled = [(sheets[place // 3], cells[place % 3], format) for place, format in enumerate(formats)]
        return workbook({sheet: [*(["Sales of 2024"], [])[:above], *rows] for sheet in sheets}, formats=styled)

    both = {"North": "150", "South": "10"}
    for name, second in {
        "a dollar sign by its language": dollar,
        "a quoted sign": '"$"#,##0.00',
        "a bare sign": "$#,##0.00",
        "a code": "#,##0.00 [$USD]",
        "a quoted code": '#,##0.00 "CHF"',
        "accounting": '_("$"* #,##0.00_);_("$"* (#,##0.00)',
        "kroner": '#,##0.00 "kr"',
    }.items():
        yield case(f"two currencies by format, {name}", shown(euro, second, euro), BY_REGION, None, file="a.xlsx")
    yield case("two currencies by format, a title", shown(euro, dollar, above=2), BY_REGION, None, file="a.xlsx")
    yield case("one currency by format", shown(euro, euro, euro), BY_REGION, both, file="a.xlsx")
    yield case("one currency, and no language's", shown(euro, "[$-409]#,##0.00"), BY_REGION, both, file="a.xlsx")
    yield case("one currency and millions", shown(euro, '0.0,,"M"', '0,"K"'), BY_REGION, both, file="a.xlsx")
    months = shown(*[euro] * 3, *[dollar] * 3, sheets=("January", "February"))
    yield case("a currency a sheet, by format", months, BY_REGION, None, file="a.xlsx")
    for answer, right in (("only $", {"North": "50"}), ("as the numbers stand", both)):
        answers = {"units_amount_currency": answer}
        content = shown(euro, dollar, euro)
        yield case(f"by format, {answer}", content, BY_REGION, right, answers=answers, file="a.xlsx")


def _words() -> Iterator[Case]:
    yield case("a department called so", _CODES, "Total amount for IT", "5", may_ask=True)
    yield case("a country called so", _CODES, "Total amount in US", "3", may_ask=True)
    yield case("a class called so", _CODES, "Total amount for A", "5", may_ask=True)
    yield case("a class by its column", _CODES, "Total amount for class A", "5")
    yield case("us, and no country", _CODES, "Give us the total amount by country", {"US": "3", "IN": "4", "DE": "8"})
    yield case("counts on average", _ORDERS, "How many orders per customer on average", None)
    yield case("rows that are active", _ORDERS, "Total amount of active rows", None)


def _joins() -> Iterator[Case]:
    def joined(name: str, other: str, question: str, right: dict[str, str] | None, orders: str = _SOLD) -> Case:
        return Case(name, (("orders.csv", orders.encode()), ("others.csv", other.encode())), question, right)

    by_city = "Total amount by city"
    cities = {"Berlin": "150", "Paris": "10"}
    yield joined("joined", "customer_id,city\n1,Berlin\n2,Paris\n", by_city, cities)
    yield joined("a key that is there twice", "customer_id,city\n1,Berlin\n1,Bonn\n2,Paris\n", by_city, None)
    skus = [f"s{place}" for place in range(100)]
    yield joined(
        "one key of a hundred twice",
        "sku,color\n" + "".join(f"{sku},red\n" for sku in skus) + "s1,blue\n",
        "Total amount by color",
        None,
        orders="sku,amount\n" + "".join(f"{sku},1\n" for sku in skus),
    )
    yield joined(
        "keys of two types",
        "customer_id,city\n1,Berlin\n2,Paris\n",
        by_city,
        None,
        orders="order_id,customer_id,amount\n1,01,100\n2,02,10\n",
    )
    yield joined("lines of orders", "order_id,product\n1,a\n1,b\n2,a\n3,b\n", "Total amount by product", None)
