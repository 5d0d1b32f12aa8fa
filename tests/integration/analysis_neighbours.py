"""Neighbours of the corpus's kinds: what stands beside a number and decides what it is worth, how tables are joined.

What is right was not computed by the product.
"""

import io
from collections.abc import Iterator

import openpyxl
from openpyxl.styles import Font

from tests.integration.analysis_corpus import BY_REGION, Case, Right, case, workbook
from tests.integration.analysis_oddities import odd
from tests.integration.analysis_strangers import strangers

_CURRENCY = "region,amount,currency\nNorth,100,EUR\nNorth,50,USD\nSouth,10,EUR\n"
_UNIT = "region,quantity,unit\nNorth,100,kg\nNorth,50,g\nSouth,10,kg\n"
_CODES = "department,country,class,amount\nIT,US,A,1\nHR,US,B,2\nIT,IN,A,4\nOR,DE,B,8\n"
_ORDERS = "customer,region,product,amount,active\nann,N,a,10,1\nann,N,b,20,0\nbob,S,a,30,1\ncid,S,b,30,1\n"
_SOLD = "order_id,customer_id,amount\n1,1,100\n2,1,50\n3,2,10\n"


def neighbours() -> list[Case]:
    return [*_units(), *_formats(), *_words(), *_joins(), *_headings(), *_shown(), *_kept(), *_asked(), *strangers()]


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


def _headings() -> Iterator[Case]:
    """What is named wholly is that, and no other whose name holds its words."""
    ads = "Campaign,Spend,Conversions,Cost / conv.\nA,100,10,10.00\nB,300,10,30.00\n"
    yield case("a heading with a stroke", ads, "Average Cost / conv.", "20")
    bank = "Datum,Af/Bij,Bedrag\n2024-01-03,Af,800\n2024-01-05,Bij,2500\n2024-02-03,Af,900\n"
    yield case("af and bij", bank, "Total Bedrag", None)
    yield case("af and bij, one", bank, "Total Bedrag where Af/Bij is Af", "1700")
    yield case("af and bij, each", bank, "Total Bedrag by Af/Bij", {"Af": "1700", "Bij": "2500"})
    school = "name,points,max points\nAnn,18,20\nBob,45,50\nCid,absent,20\n"
    yield odd("points beside the most", school, "Average points", "31.5")
    yield case("points beside the most, compared", school, "How many rows with points over 20", None)
    yield case("scores that are two numbers", "home,score,max score\nA,2:1,9\nB,0:0,9\n", "Average score", None)
    lab = "patient,result\n1,<0.5\n2,3.2\n3,12.0\n4,5.6\n"
    yield case("results below what is measured, compared", lab, "How many results over 3", None)
    values = "time,value\n2024-01-01,1\n2024-01-02,error\n2024-01-03,3\n"
    yield case("readings with an error, compared", values, "How many values over 2", None)
    yield case("two values at once", _ORDERS, "Total amount where region is N and region is S", None)


def _shown() -> Iterator[Case]:
    def book(edit: str, codes: tuple[str, ...] = ()) -> bytes:
        made = openpyxl.Workbook()
        sheet = made.worksheets[0]
        for row in (["region", "amount"], ["North", 5], ["South", 7], ["West", 21]):
            sheet.append(row)
        for cell in (f"{letter}3" for letter in edit):
            sheet[cell].font = Font(strike=True)
        for place, code in enumerate(codes, start=2):
            sheet[f"B{place}"].number_format = code
        file = io.BytesIO()
        made.save(file)
        return file.getvalue()

    right = {"North": "5", "South": "7", "West": "21"}
    wrong = {"North": "5", "West": "21"}
    yield case("nothing struck out", book(""), BY_REGION, right, file="s.xlsx")
    yield odd("a row struck out", book("AB"), BY_REGION, wrong, file="s.xlsx")
    yield odd("a number struck out", book("B"), BY_REGION, wrong, file="s.xlsx")
    yield odd("numbers that are not shown", book("", ("0", ";;;")), BY_REGION, wrong, file="s.xlsx")
    yield case("zeros that are not shown", book("", ("0;-0;;@", "0;-0")), BY_REGION, right, file="s.xlsx")


def _kept() -> Iterator[Case]:
    gaps = "region,status,amount\nNorth,open,10\nSouth,closed,20\n,open,5\nNorth,,3\n"

    def doubtful(question: str, right: Right = None) -> Case:
        return odd(f"gaps: {question}", gaps, question, right)

    yield doubtful("Total amount not in North")
    yield doubtful("Total amount where region is not South")
    yield doubtful("Total amount excluding closed")
    yield case("gaps: named", gaps, "Total amount where status is open", "15")
    full = "region,status,amount\nNorth,open,10\nSouth,closed,20\nEast,open,7\n"
    for question, right in (
        ("Total amount of non-open", "20"),
        ("Total amount except North and South", "7"),
        ("Total amount without closed orders", "17"),
        ("Total amount that isn't open", "20"),
    ):
        yield case(f"no gaps: {question}", full, question, right)
    for heading in ("weight", "Gewichtung"):
        graded = f"student,grade,{heading}\nAnn,1,2\nAnn,2,1\nBob,4,1\n"
        yield odd(f"an average beside {heading}", graded, "Average grade", None)
    yield case("an average of weights", "item,weight\na,2\nb,4\n", "Average weight", "3")
    shares = "shop,revenue,margin\nA,100,10%\nB,900,30%\n"
    yield odd("times percent", shares, "Total revenue times margin", "280")


def _asked() -> Iterator[Case]:
    people = "customer,active,amount\nA,true,10\nB,false,20\nC,true,5\n"
    yield case("active customers", people, "How many active customers?", "2")
    yield case("amount of active customers", people, "Total amount of active customers", "15")
    yield case("customers who are not active", people, "How many customers are not active?", "1")
    paid = "item,paid,price\nA,x,10\nB,,20\nC,x,5\n"
    yield case("a cross for what is paid", paid, "How many paid items?", None)
    tanks = "litres,full tank\n40,Y\n45,Y\n20,N\n30,Y\n"
    yield case("how many full tanks", tanks, "How many full tanks?", None)
    yield odd("what a counter shows", "day,odometer\n1,10000\n2,10600\n3,11250\n", "Total odometer", None)
    grades = "student,grade\nAnn,1\nAnn,2\nBob,4\nBob,3\n"
    yield case("the best of grades", grades, "Which student has the best average grade?", None)
    best = {"best_grade": "the lowest"}
    asked = "Which student has the best average grade?"
    yield case("the best is the lowest", grades, asked, {"Ann": "1.5"}, answers=best)
    orders = "order,channel,amount\n1,web,10\n2,shop,30\n3,web,40\n4,phone,20\n5,web,0\n"
    yield case("orders are counted", orders, "Share of orders by channel", {"web": "60", "shop": "20", "phone": "20"})
    for question in ("Total amount for them", "Total amount of those", "Total amount in it by channel"):
        yield case(f"of what was before: {question}", orders, question, None)
    yield case("those with a number", orders, "How many of those orders with amount over 15", "3", may_ask=True)
    each = {"web": "16.666666666666668", "shop": "30", "phone": "20"}
    yield case("an average of each", orders, "Average amount per channel", each)
    survey = "respondent,age group,rating\n" + "".join(
        f"{each},{20 + each}-{29 + each},{each % 5}\n" for each in range(1, 9)
    )
    for question in ("How many respondents under 35", "Respondents over 3 by age group"):
        yield case(f"rows that are numbered: {question}", survey, question, None)
    stock = "sku,warehouse,on hand,unit cost\nA,North,1200,0.08\nB,South,80,2.40\nC,North,17,5.10\n"
    for question in ("What is the total value on hand?", "Value on hand by warehouse"):
        yield case(f"pieces are no value: {question}", stock, question, None)
    yield case("pieces", stock, "Total on hand by warehouse", {"North": "1217", "South": "80"})
    yield case("values are called so", stock, "Total of the on hand values", None, may_ask=True)
