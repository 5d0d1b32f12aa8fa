"""The embedded planner: a requirement in words becomes the plan that a person would expect, or a question."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from activities.analysis.planning.planner import EmbeddedPlanner
from activities.analysis.wording import in_words
from domain.analyses.plan import Plan, PlanSource, freeze, open_questions
from domain.analyses.plan_rules import check_plan
from domain.analyses.steps import MAX_STEPS, Chart, Load
from domain.analyses.table import TableProfile
from tests.unit.analysis_builders import CUSTOMERS, SALES, column, table


def drafted(requirement: str, *tables: TableProfile, **answers: str) -> Plan:
    return EmbeddedPlanner().draft(requirement, tables or (SALES,), answers=answers)


def computed(plan: Plan) -> list[str]:
    """What the plan does, without loading and drawing."""
    return [in_words(step.operation) for step in plan.steps if not isinstance(step.operation, Load | Chart)]


def charts(plan: Plan) -> list[str]:
    return [in_words(step.operation) for step in plan.steps if isinstance(step.operation, Chart)]


COUNTED = "number of rows over all rows"
BY_REGION = "total of amount for each region"
AMOUNTS = {"amount", "quantity", "unit_price"}
IN_2024 = "rows where order_date is at least 2024-01-01 and order_date is less than 2025-01-01"


@pytest.mark.parametrize(
    ("requirement", "expected"),
    [
        # numbers and groups
        ("total amount by region", [BY_REGION]),
        ("What is the total amount for each region?", [BY_REGION]),
        ("Revenue per product", ["total of amount for each product"]),
        ("average amount per product", ["average of amount for each product"]),
        ("average price per product", ["average of unit_price for each product"]),
        ("maximum and minimum amount per region", ["most of amount and least of amount for each region"]),
        ("median amount", ["median of amount over all rows"]),
        ("total amount and average quantity by status", ["total of amount and average of quantity for each status"]),
        ("total amount per region and product", ["total of amount for each region and product"]),
        ("How many orders are there per status?", ["number of rows for each status"]),
        ("how many rows", [COUNTED]),
        ("number of customers by region", ["number of distinct values in customer for each region"]),
        ("number of distinct products", ["number of distinct values in product over all rows"]),
        ("oldest order date", ["least of order_date over all rows"]),
        ("quantities by Regions", ["total of quantity for each region"]),
        ("price times quantity by region", ["result = unit_price times quantity", "total of result for each region"]),
        # time
        ("monthly trend of amount", ["total of amount for each month of order_date"]),
        ("Total sales by region and month", ["total of amount for each month of order_date and region"]),
        ("total amount over time", ["total of amount for each month of order_date"]),
        ("revenue by year", ["total of amount for each year of order_date"]),
        (
            "month over month growth of amount",
            [
                "total of amount for each month of order_date",
                "change_of_total_amount = percent change of total_amount to the month before",
            ],
        ),
        (
            "cumulative amount by quarter",
            [
                "total of amount for each quarter of order_date",
                "running_total_amount = running total of total_amount along quarter",
            ],
        ),
        # which rows
        ("total amount by region only 2024", [IN_2024, BY_REGION]),
        ("total amount in 2024", [IN_2024, "total of amount over all rows"]),
        (
            "total quantity by region in March 2024",
            [
                "rows where order_date is at least 2024-03-01 and order_date is less than 2024-04-01",
                "total of quantity for each region",
            ],
        ),
        (
            "amount by region between 2023 and 2024",
            [
                "rows where order_date is at least 2023-01-01 and order_date is less than 2025-01-01",
                BY_REGION,
            ],
        ),
        ("count of orders since 2024-06-01", ["rows where order_date is at least 2024-06-01", COUNTED]),
        (
            "total amount in the last 3 months",
            ["rows where order_date is at least 2024-10-01", "total of amount over all rows"],
        ),
        ("total amount by region where status is open", ["rows where status is open", BY_REGION]),
        ("total amount with status = closed", ["rows where status is closed", "total of amount over all rows"]),
        (
            "total amount by region excluding cancelled",
            ["rows where status is not cancelled", BY_REGION],
        ),
        (
            "amount of Red Chair and Lamp by month",
            ["rows where product is one of Red Chair, Lamp", "total of amount for each month of order_date"],
        ),
        ("total amount in the North region", ["rows where region is North", "total of amount over all rows"]),
        (
            "average amount for orders over 100",
            ["rows where amount is more than 100", "average of amount over all rows"],
        ),
        (
            "amount > 1,500 and quantity at most 3",
            ["rows where amount is more than 1500 and quantity is at most 3"],
        ),
        (
            "how many orders with quantity between 2 and 5",
            [
                "rows where quantity is at least 2 and quantity is at most 5",
                COUNTED,
            ],
        ),
        ("only returned orders by region", ["rows where returned is True", "number of rows for each region"]),
        ("number of orders where customer is missing", ["rows where customer is empty", COUNTED]),
        (
            'quantity by region where product contains "chair"',
            ["rows where product contains chair", "total of quantity for each region"],
        ),
        ('orders where customer is "O\'Neil; DROP TABLE"', ["rows where customer is O'Neil; DROP TABLE"]),
        (
            "regions with total amount over 1000",
            [BY_REGION, "rows where total_amount is more than 1000"],
        ),
        # the first
        (
            "top 5 products by amount",
            ["total of amount for each product", "rows by total_amount (descending), the first 5"],
        ),
        (
            "bottom 3 regions by average amount",
            ["average of amount for each region", "rows by average_amount (ascending), the first 3"],
        ),
        (
            "Which region has the highest total amount?",
            [BY_REGION, "rows by total_amount (descending), the first one"],
        ),
        ("10 largest orders by amount", ["rows by amount (descending), the first 10"]),
        (
            "total quantity by product sorted by quantity descending",
            ["total of quantity for each product", "rows by total_quantity (descending)"],
        ),
        # shares
        (
            "share of amount by region",
            [BY_REGION, "share_of_total_amount = percent of the total of total_amount"],
        ),
        (
            "percentage of orders by status",
            ["number of rows for each status", "share_of_rows = percent of the total of rows"],
        ),
        ("give me an overview of the data", ["values, gaps and range of every column"]),
    ],
)
def test_given_a_requirement_when_drafted_then_the_plan_is_what_was_meant(
    requirement: str, expected: list[str]
) -> None:
    plan = drafted(requirement)
    assert computed(plan) == expected
    assert open_questions(plan) == ()
    assert plan.plan_source is PlanSource.EMBEDDED
    assert plan.why


@pytest.mark.parametrize(
    ("requirement", "title"),
    [
        ("top 5 products by amount", "First 5 by total amount, descending"),
        ("Which region has the lowest total amount?", "First one by total amount, ascending"),
        ("10 largest orders by amount", "First 10 by amount, descending"),
        ("total quantity by product sorted by quantity descending", "In order of total quantity, descending"),
    ],
)
def test_given_an_order_when_drafted_then_its_step_says_by_what_and_which_way(requirement: str, title: str) -> None:
    assert title in [step.title for step in drafted(requirement).steps]


@pytest.mark.parametrize(
    ("requirement", "expected"),
    [
        ("total amount by region", ["a bar chart of total_amount over region"]),
        ("total amount by month", ["a line chart of total_amount over month"]),
        ("total amount by month and region", ["a line chart of total_amount over month, one for each region"]),
        ("total amount by region and product", ["a bar chart of total_amount over region, one for each product"]),
        ("share of amount by region", ["a bar chart of share_of_total_amount over region"]),
        ("yearly revenue per product, as a bar chart", ["a bar chart of total_amount over year, one for each product"]),
        ("total amount by region, no chart", []),
        ("total amount", []),
        ("which region has the highest total amount", []),
    ],
)
def test_given_a_requirement_when_drafted_then_it_is_drawn_where_a_picture_says_something(
    requirement: str, expected: list[str]
) -> None:
    assert charts(drafted(requirement)) == expected


@pytest.mark.parametrize(
    ("requirement", "question", "options", "answer", "expected"),
    [
        ("profit by region", "measure", AMOUNTS, "quantity", "total of quantity for each region"),
        ("total by region", "measure", AMOUNTS, "Amount", BY_REGION),
        ("total amount by branch", "group_branch", {"region", "product"}, "region", BY_REGION),
        ("total amount in december", "year_of_month", {"2023", "2024"}, "2023", "total of amount over all rows"),
        ("amount where status is opne", "value_of_status", {"open", "closed"}, "open", "total of amount over all rows"),
        ("Hello world", "goal", {"total amount by region"}, "total amount by region", BY_REGION),
    ],
)
def test_given_what_could_mean_several_things_when_drafted_then_it_is_asked_and_the_answer_is_followed(
    requirement: str, question: str, options: set[str], answer: str, expected: str
) -> None:
    asked = drafted(requirement)
    assert open_questions(asked) == (question,)
    assert options <= set(asked.questions[0].options)
    known = drafted(requirement, **{question: answer})
    assert open_questions(known) == ()
    assert computed(known)[-1] == expected
    assert known.questions[0].answer == answer


@pytest.mark.parametrize(
    ("requirement", "question"),
    [
        ("Which customer never bought in 2024?", "unread_customer_never_bought"),
        ("compare revenue to last year by region", "unread_compare"),
        ("net amount by region", "unread_net"),
        ("amount excluding VAT by region", "unread_excluding_vat"),
        ("standard deviation of amount by region", "unread_standard_deviation"),
        ("lowest average amount by region", "unread_lowest_average"),
        ("average monthly amount", "unread_average_monthly"),
        ("average number of orders per customer", "unread_average_number"),
        ("total amount before March", "unread_before_march"),
        ("total amount where status is open or region is North", "unread_or"),
        ("top 10% of products by amount", "unread_top_10_products"),
        ("how many widgets by region", "count_widgets"),
        ("which product grew the most", "growth"),
        ("amount per customer over 1000", "of_over_1000"),
    ],
)
def test_given_words_that_nothing_was_made_of_when_drafted_then_they_are_asked_about(
    requirement: str, question: str
) -> None:
    assert question in open_questions(drafted(requirement))


def test_given_a_word_that_does_not_matter_when_that_is_said_then_the_plan_says_that_it_was_left_out() -> None:
    plan = drafted("net amount by region", unread_net="does not matter")
    assert open_questions(plan) == () and computed(plan) == [BY_REGION]
    assert "“net” was left out of account." in plan.assumptions


def test_given_a_question_in_other_words_when_drafted_then_those_are_read() -> None:
    plan = drafted("net amount by region", unread_net="average amount by product")
    assert open_questions(plan) == () and computed(plan) == ["average of amount for each product"]
    assert plan.questions[0].answer == "average amount by product"


def test_given_a_negation_before_a_list_when_drafted_then_it_holds_for_all_of_it() -> None:
    assert computed(drafted("total amount except North and West")) == [
        "rows where region is none of North, West",
        "total of amount over all rows",
    ]


def test_given_a_number_of_a_joined_table_when_it_would_count_often_then_that_blocks() -> None:
    budgets = table("budgets", column("region", "text", 4), column("budget", "number", 4), rows=4)
    plan = drafted("total amount and total budget by region", SALES, budgets)
    assert plan.unknowns and open_questions(plan) == ()


def test_given_two_columns_that_fit_equally_when_drafted_then_neither_is_taken_unasked() -> None:
    tables = table("t", column("region", "text", 4), column("net_amount", "number"), column("gross_amount", "number"))
    plan = drafted("total amount by region", tables)
    assert open_questions(plan) == ("column_amount",)
    assert plan.questions[0].options == ("net_amount", "gross_amount")
    assert computed(drafted("total amount by region", tables, column_amount="gross_amount")) == [
        "total of gross_amount for each region"
    ]


def test_given_two_dates_when_a_trend_is_wanted_then_which_is_asked_unless_one_is_named() -> None:
    tables = table("t", column("amount", "number"), column("ordered", "date"), column("shipped", "date"))
    assert open_questions(drafted("amount by month", tables)) == ("time",)
    assert "month of shipped" in computed(drafted("amount by month", tables, time="shipped"))[0]
    assert "month of shipped" in computed(drafted("amount shipped by month", tables))[0]


def test_given_no_dates_when_time_is_spoken_of_then_that_blocks_and_no_answer_helps() -> None:
    plan = drafted("amount by month", table("t", column("amount", "number"), column("region", "text", 3)))
    assert [unknown.id for unknown in plan.unknowns] == ["time"]


def test_given_years_as_numbers_when_a_year_is_meant_then_they_are_used() -> None:
    tables = table("t", column("amount", "number"), column("year", "integer", 5), column("region", "text", 3))
    assert computed(drafted("total amount by region in 2024", tables)) == [
        "rows where year is 2024",
        BY_REGION,
    ]
    assert computed(drafted("total amount by year", tables)) == ["total of amount for each year"]


def test_given_numbers_that_are_texts_when_they_are_added_up_then_they_are_read_and_it_is_said_what_is_lost() -> None:
    tables = table("t", column("amount", "text", numeric_share=0.97), column("region", "text", 3))
    plan = drafted("total amount by region", tables)
    assert computed(plan) == [
        "amount_number = amount as a number, nothing where it is none",
        "total of amount_number for each region",
    ]
    assert any("3.0%" in assumption for assumption in plan.assumptions)


def test_given_a_group_in_another_table_when_drafted_then_it_is_joined_by_the_column_in_common() -> None:
    plan = drafted("total amount by segment", SALES, CUSTOMERS)
    assert [type(step.operation).__name__ for step in plan.steps] == ["Load", "Load", "Join", "Aggregate", "Chart"]
    assert "Rows are joined with customers by customer." in plan.assumptions


def test_given_tables_with_nothing_in_common_when_both_are_needed_then_that_blocks() -> None:
    other = table("stores", column("branch", "text", 5), rows=5)
    plan = drafted("total amount by branch", SALES, other)
    assert [unknown.id for unknown in plan.unknowns] == ["join_stores"]


def test_given_a_default_when_drafted_then_the_plan_says_what_is_taken_for_granted() -> None:
    assert drafted("revenue by region").assumptions == (
        "“revenue” is amount, and is added up, as it was not said how.",
    )


def test_given_the_latest_of_dates_when_drafted_then_it_is_not_drawn_as_a_number() -> None:
    plan = drafted("highest order date by region")
    assert computed(plan) == ["most of order_date for each region"]
    assert charts(plan) == []


def test_given_the_same_words_when_drafted_again_then_the_plan_is_the_same_to_the_byte() -> None:
    first, again = (freeze(drafted("top 5 products by amount in 2024"), "f") for _ in range(2))
    assert first.document == again.document


VOCABULARY = """
total average count of by per for each the region product amount status month year 2024 2023 top 5 over under 100
between and or where is not open North in last 3 months share growth trend sorted highest which has with without
customers orders = > < , . " ' price times quantity compare vs Q1 March since before missing chart no q5 0 -1
2024-13-45 9999-12-31 returned distinct sum
"""


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(VOCABULARY.split()), max_size=25).map(" ".join)
    | st.text(max_size=200).filter(lambda t: "\0" not in t)
)
def test_whatever_is_written_a_plan_that_the_tables_can_bear_comes_of_it(requirement: str) -> None:
    if any(0xD800 <= ord(letter) <= 0xDFFF for letter in requirement):
        return
    plan = EmbeddedPlanner().draft(requirement, [SALES, CUSTOMERS], answers={"measure": "amount", "time": requirement})
    check_plan(plan, [SALES, CUSTOMERS])
    assert 1 <= len(plan.steps) <= MAX_STEPS
