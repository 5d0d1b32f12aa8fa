"""How the embedded planner cuts a requirement, finds columns, and writes numbers."""

from decimal import Decimal

import pytest

from activities.analysis.names import cleaned, shown
from activities.analysis.numbers import brief, formatted
from activities.analysis.planning.words import columns_of, mentions, stem, tokens
from activities.analysis.plotting import time_labels
from domain.analyses.table import ColumnType
from tests.unit.analysis_builders import SALES, column, table


@pytest.mark.parametrize(
    ("word", "stemmed"),
    [
        ("regions", "region"),
        ("categories", "category"),
        ("boxes", "box"),
        ("classes", "class"),
        ("status", "status"),
        ("analysis", "analysis"),
        ("gas", "gas"),
        ("customer's", "customer"),
        ("customers\u2019", "customer"),
    ],
)
def test_plurals_and_possessives_are_the_same_word(word: str, stemmed: str) -> None:
    assert stem(word) == stemmed


@pytest.mark.parametrize(
    ("text", "number"),
    [("100", 100), ("1,000", 1000), ("$2.50", 2.5), ("10k", 10_000), ("1.5M", 1_500_000), ("12%", 12), ("2024", 2024)],
)
def test_numbers_are_read_as_people_write_them(text: str, number: float) -> None:
    (token,) = tokens(text)
    assert token.number == number


def test_quoted_words_are_one_token_and_an_apostrophe_is_no_quotation_mark() -> None:
    assert [token.text for token in tokens("what's \"two words\" in 'one's'")][:3] == ["what's", "two words", "in"]


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("order date", "order_date"),
        ("order_date", "order_date"),
        ("Unit Prices", "unit_price"),
        ("price", "unit_price"),
        ("revenue", "amount"),
        ("client", "customer"),
        ("qty", "quantity"),
        ("order", "order_id"),
    ],
)
def test_a_column_is_found_by_its_name_a_part_or_a_synonym(words: str, name: str) -> None:
    (mention,) = mentions(tokens(words), columns_of([SALES]))
    assert mention.candidates[0][1].name == name


def test_a_name_is_preferred_to_an_id_and_an_id_to_other_parts() -> None:
    tables = [
        table("t", column("customer_city", "text"), column("customer_id", "integer"), column("customer_name", "text"))
    ]
    (mention,) = mentions(tokens("customers"), columns_of(tables))
    assert [each.name for _, each in mention.candidates] == ["customer_name", "customer_id", "customer_city"]


def test_everyday_words_are_no_columns_unless_they_are_all_of_a_name() -> None:
    tables = [
        table("t", column("total_count", "integer"), column("number_of_days", "integer"), column("month", "date"))
    ]
    assert mentions(tokens("the total number per day"), columns_of(tables)) == []
    assert len(mentions(tokens("month"), columns_of(tables))) == 1


@pytest.mark.parametrize(
    ("value", "type", "text"),
    [
        (None, ColumnType.NUMBER, ""),
        (1234567, ColumnType.INTEGER, "1,234,567"),
        ("1234567.5", ColumnType.NUMBER, "1,234,567.50"),
        ("12.00", ColumnType.NUMBER, "12"),
        (33.333333333333336, ColumnType.NUMBER, "33.33"),
        (0.0004567, ColumnType.NUMBER, "0.000457"),
        (-2.5, ColumnType.NUMBER, "-2.50"),
        (1e30, ColumnType.NUMBER, "1,000,000,000,000,000,000,000,000,000,000"),
        ("2024-01-01", ColumnType.DATE, "2024-01-01"),
        ("12", ColumnType.TEXT, "12"),
        (True, ColumnType.BOOLEAN, "True"),
    ],
)
def test_values_are_written_as_people_read_them(value: object, type: ColumnType, text: str) -> None:
    assert formatted(value, type) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("0", "0"),
        ("950", "950"),
        ("2500", "2,500"),
        ("20000", "20K"),
        ("1250000", "1.25M"),
        ("-3e9", "-3B"),
        ("0.25", "0.25"),
    ],
)
def test_an_axis_is_labelled_briefly(value: str, text: str) -> None:
    assert brief(Decimal(value)) == text


@pytest.mark.parametrize(
    ("days", "labels"),
    [
        (["2023-01-01", "2024-01-01"], ["2023", "2024"]),
        (["2024-01-01", "2024-04-01"], ["Q1 2024", "Q2 2024"]),
        (["2024-01-01", "2024-02-01"], ["Jan 2024", "Feb 2024"]),
        (["2024-01-08", "2024-01-15"], ["2024-01-08", "2024-01-15"]),
        (["x"], ["x"]),
    ],
)
def test_periods_are_labelled_as_short_as_they_can_be_told_apart(days: list[str], labels: list[str]) -> None:
    assert time_labels(days) == labels


def test_names_are_cleaned_and_told_apart() -> None:
    names = cleaned(["Order Date", "orderDate", "", "2024", "Größe (cm)", "a" * 99, "a" * 98], fallback="column")
    assert names == ["order_date", "order_date_2", "column_3", "n_2024", "grösse_cm", "a" * 60, "a" * 58 + "_2"]


def test_what_cannot_be_printed_is_not_shown() -> None:
    assert shown("a\u202eb\n\tc\0d" + "x" * 200, 10) == "ab cdxxxx…"
