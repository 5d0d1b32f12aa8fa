"""What a plan asks, remarks and takes for granted, and what its report found, in the visitor's language.

Planner and report write English sentences, which are kept, and what programs see; an answer is sent as it was offered.
Here each of their sentences is known again by its shape, and said by the catalogue; what a language model or a person
wrote, and any that is not known, stays as it is.
"""

import re
from collections.abc import Callable, Iterator
from functools import reduce

from activities.analysis.reading import inputs
from starter.pages.shell.catalogue import FALLBACK, Say
from starter.pages.shell.rendering import amount

Shape = tuple[str, "re.Pattern[str]"]


def _shapes(*shapes: tuple[str, str]) -> tuple[Shape, ...]:
    return tuple((name, re.compile(pattern, re.DOTALL)) for name, pattern in shapes)


QUESTIONS = _shapes(
    ("goal", r"What is to be computed\? Name a number and what it is for each of, in words of the columns\."),
    ("which-meant", r"Which column is meant by “(?P<words>.+?)”(?P<more>(?: \(.*\))?)\?"),
    ("which-grouped", r"Which column is meant by “(?P<words>.+?)”, to group by\?"),
    ("which-be", r"Which column is to be (?P<words>.+)\?"),
    ("what-be", r"What is to be (?P<words>.+)\?"),
    ("when", r"Which column says when\?"),
    ("headings", r"(?P<count>\d+) columns have the heading “(?P<words>.+?)”\. Which is meant\? \((?P<more>.*)\)"),
    ("tables", r"Several tables hold “(?P<words>.+?)”\. Which is meant\?"),
    ("values", r"“(?P<words>.+?)” is a value of several columns\. Which is meant\?"),
    ("no-value", r"No row has (?P<column>.+?) “(?P<words>.*)”\. Which value is meant\?"),
    ("count", r"No column is called “(?P<words>.+?)”\. What is to be counted\?"),
    ("count-or-sum", r"(?P<column>.+?) is a column of numbers\. How many of them are there: what is meant\?"),
    (
        "size",
        r"(?P<column>.+?) counts in (?P<size>\S+), and goes from (?P<begin>\S+) to (?P<end>\S+)\. "
        r"Which number there is (?P<words>.+)\?",
    ),
    ("share", r"(?P<column>.+?) goes from (?P<begin>\S+) to (?P<end>\S+)\. Which number there is (?P<words>.+)\?"),
    ("which-number", r"Which number is (?P<words>.+)\?"),
    ("time-or-value", r"“(?P<words>.+?)” is a time, and a value of (?P<column>.+)\. Which is meant\?"),
    ("which-year", r"(?P<column>.+?) is not the year of (?P<other>.+) in all rows\. Which year is meant\?"),
    ("together", r"(?P<column>.+?) is one of several years, which (?P<other>.+) tells\. Are they taken together\?"),
    (
        "of-a-row",
        r"(?P<column>.+?) may have several rows\. Is (?P<number>.+) that of one of them, or of all together\?",
    ),
    ("rows-of", r"The rows of which table are “(?P<words>.+)”\?"),
    ("count-of", r"(?P<column>.+?) is in (?P<words>.+)\. Those of which are counted\?"),
    ("measure-named", r"No column is called “(?P<words>.+?)”\. Which column holds the numbers that are meant\?"),
    ("measure", r"Which column holds the numbers that are meant\?"),
    (
        "no-numbers-named",
        r"No column is called “(?P<words>.+?)”\. No column holds numbers that can be computed with\. "
        r"Are the rows to be counted\?",
    ),
    ("no-numbers", r"No column holds numbers that can be computed with\. Are the rows to be counted\?"),
    ("growth", r"Growth in which way, and from when to when\?"),
    ("years", r"Which years: one span, from the first to the last\?"),
    ("of-year", r"(?P<words>.+) of which year\?"),
    ("unread", r"(?P<words>.+) was not understood\. Ask in other words, or say that it does not matter\."),
    ("percent", r"(?P<column>.+?) is percent, which has no sum\. What is meant\?"),
    ("units", r"(?P<column>.+?) is in several units, which “(?P<words>.+?)” tells\. How is it to be computed\?"),
    ("called-totals", r"Some rows have (?P<words>.+) as (?P<column>.+?)\. Are they totals of the other rows\?"),
    ("totals", r"Rows with (?P<words>.+) as (?P<column>.+?) hold what others add up to\. Are they totals of them\?"),
    ("stands-in", r"(?P<column>.+?) holds (?P<words>.+), far from all others\. Does that stand for “not known”\?"),
    ("texts", r"(?P<column>.+?) holds (?P<words>.+) among numbers, which cannot be read as one\."),
    (
        "parts",
        r"Some values of (?P<column>.+?) are set in, or called so: (?P<words>.+)\. "
        r"Are they parts of the rows above them\?",
    ),
    ("best", r"Which (?P<column>.+?) is the (?P<way>\w+): the highest, or the lowest\?"),
    ("signs", r"(?P<column>.+?) has no signs, and “(?P<words>.+?)” tells what comes in and what goes out: which\?"),
    ("sheets", r"(?P<words>.+) Which are meant\?"),
)
OPTIONS = _shapes(
    ("rows", r"the number of rows"),
    ("different", r"different values of (?P<column>.+)"),
    ("sum-of", r"the sum of (?P<column>.+)"),
    ("does-not-matter", r"does not matter"),
    ("count-them", r"they are data: count them"),
    ("leave-out", r"leave them out"),
    ("all", r"all of them"),
    ("as-they-stand", r"as the numbers stand"),
    ("averaged", r"the average"),
    ("added-up", r"add them up all the same"),
    ("highest", r"the highest"),
    ("lowest", r"the lowest"),
    ("yes", r"yes"),
    ("the-time", r"the time"),
    ("years-together", r"all years together"),
    ("of-a-row", r"the (?P<column>.+) of a row"),
    ("summary", r"a summary of every column"),
    ("total-by", r"total (?P<column>.+?) by (?P<group>.+)"),
    ("each-rows", r"each row's (?P<column>.+)"),
    ("total-of-group", r"the total (?P<column>.+) of each group"),
    ("for-each", r"for each (?P<column>.+)"),
    ("only", r"only (?P<words>.+)"),
    ("growth-percent", r"in percent, from (?P<begin>\S+) to (?P<end>\S+)"),
    ("growth-amount", r"by amount, from (?P<begin>\S+) to (?P<end>\S+)"),
)
ASSUMED = _shapes(
    ("said-of", r"“(?P<words>.+?)” is said of (?P<column>.+)\."),
    ("is-of", r"“(?P<words>.+?)” is that of (?P<column>.+)\."),
    ("is-averaged", r"“(?P<words>.+?)” is (?P<column>.+?), and is averaged, as it was not said how\."),
    ("is-added", r"“(?P<words>.+?)” is (?P<column>.+?), and is added up, as it was not said how\."),
    ("averaged", r"(?P<column>.+?) is averaged, as it was not said how\."),
    ("added", r"(?P<column>.+?) is added up, as it was not said how\."),
    ("counted-back", r"“(?P<words>.+?)” is counted back from the latest (?P<column>.+?) in the data, (?P<latest>.+)\."),
    ("alone", r"“(?P<words>.+?)” is taken alone, and not (?P<others>.+)\."),
    ("is", r"“(?P<words>.+?)” is (?P<column>.+)\."),
    ("averaged-within", r"The average is that of the rows of each (?P<column>.+?), not of what each comes to\."),
    ("change-of-rows", r"A change is that since the last period that has rows; from 0 there is none\."),
    ("once", r"Each (?P<column>.+?) is counted once, however many rows it has\."),
    ("only-number", r"The number that is meant is (?P<column>.+?), the only one there is\."),
    ("each-is", r"Each (?P<column>.+?) is a (?P<every>\w+)\."),
    ("by-period", r"Time is shown by (?P<every>\w+), as no period was named\."),
    ("first-of-all", r"The first (?P<count>\d+) are those of all groups together, not of each\."),
    ("share", r"The share of each (?P<column>.+?) is given, that of all rows being 100 percent\."),
    ("rows-counted", r"The rows are counted: each is one of the “(?P<words>.+)”\."),
    ("counted-as", r"Each row is counted as one of the “(?P<words>.+)”\."),
    ("left-out", r"(?P<words>.+) was left out of account\."),
    ("all-taken", r"All of them are taken: (?P<words>.+)\. Name one to have it alone\."),
    ("no-growth", r"What has no number in the earlier period has no growth\."),
    ("joined", r"Rows are joined with (?P<table>.+?) by (?P<column>.+)\."),
    ("keys", r"(?P<count>\d+) of (?P<all>\d+) (?P<column>.+?) are not in (?P<table>.+?): (?P<words>.+)\."),
    ("kept", r"Rows that find none in (?P<table>.+?) are kept, with nothing in its columns\."),
    ("no-numbers", r"(?P<column>.+?) holds texts; (?P<share>\S+) of them are no numbers and are left out\."),
)


UNKNOWN = _shapes(
    (
        "no-dates",
        r"The requirement speaks of time, and no column holds dates\. Upload data with dates \(as 2024-12-31\), or "
        r"leave time out of the requirement\.",
    ),
    (
        "apart",
        r"(?P<column>.+?) lies in (?P<one>.+?) and other numbers in (?P<other>.+)\. Ask for them one at a time\.",
    ),
    (
        "no-key",
        r"The tables (?P<one>.+?) and (?P<other>.+?) have no column in common that tells the rows of .+ apart\.",
    ),
    (
        "other-type",
        r"(?P<column>.+?) is \w+ in (?P<one>.+?) and something else in (?P<other>.+): write it in one way in both\.",
    ),
    ("keys", r"None of (?P<column>.+?) of (?P<one>.+?) \((?P<words>.*)\) is in (?P<other>.+): write them in one way\."),
    ("groups", r"At most (?P<count>\d+) groups fit beside a period\. Leave out one of (?P<words>.+)\."),
    (
        "identifier",
        r"'(?P<column>.+?)' tells things apart: it is counted or grouped by, and nothing is computed with it\.",
    ),
    ("ambiguous", r"Several columns have the heading of '(?P<column>.+?)': ask which is meant\."),
    (
        "lost",
        r"'(?P<column>.+?)' has lost digits in its workbook, and different values may be one: send it as CSV\.",
    ),
    (
        "multiplied",
        r"'(?P<column>.+?)' is joined to several rows each, and would count as often: compute it before the join\.",
    ),
    ("percent", r"'(?P<column>.+?)' is percent, which has no sum: take its average, or ask\."),
    (
        "units",
        r"'(?P<column>.+?)' is in several units, which '(?P<words>.+?)' tells: group by it, keep one of them, or ask\.",
    ),
    (
        "counted",
        r"Rows are counted, and a total or an average is asked for: compute that, or ask which column holds it\.",
    ),
    ("sums", r"Rows with (?P<words>.+) as '(?P<column>.+?)' hold what others add up to: leave them out, or ask\."),
    (
        "stand-ins",
        r"'(?P<column>.+?)' holds (?P<words>.+), which stands for no value: leave these rows out, or ask\.",
    ),
)
_EMPTY = r"(?P<column>.+?) is empty in (?P<count>\S+) of (?P<rows>\S+) rows: "


def _of_tables() -> Iterator[tuple[str, str]]:
    """What is said of a table is what its template says, with a column's name and words put in."""
    for code, template in inputs.NOTES.items():
        pattern = re.escape(template).replace(r"\{column\}", r"(?P<column>\w+)").replace(r"\{words\}", "(?P<words>.*)")
        yield code.lower().replace("_", "-"), pattern


NOTES = _shapes(
    *_of_tables(),
    ("made-empty", _EMPTY + r"(?P<words>.+) is, too\."),
    ("empty-kept", _EMPTY + r"they are kept, too\."),
    ("weights-ignored", r"(?P<column>.+?) may say how much a row counts; in (?P<words>.+) each counts the same\."),
    ("percent-factor", r"(?P<column>.+?) is percent: in (?P<words>.+) the number before the sign counts, 12 of 12%\."),
    ("time-empty", _EMPTY + r"they are in no period\."),
    ("number-empty", _EMPTY + r"they count as nothing\."),
    ("group-empty", _EMPTY + r"they are a group of their own\."),
    ("no-row", r"(?P<column>.+?) goes from (?P<least>.+?) to (?P<most>.+): no row meets the condition on it\."),
    (
        "rates-mixed",
        r"(?P<column>.+?) goes from (?P<least>.+?) to (?P<most>.+): parts of one and percent may be mixed\.",
    ),
    ("rates-added", r"(?P<column>.+?) looks like rates or averages, which are added up here as they stand\."),
    (
        "rates-averaged",
        r"(?P<column>.+?) looks like rates or averages: in their average each row counts the same\.",
    ),
    ("parts-added", r"(?P<column>.+?) holds parts of one: they are added up here as they stand\."),
    (
        "ranks-added",
        r"(?P<column>.+?) holds 1 to (?P<most>\d+), each once, as ranks do: they are added up here as they stand\.",
    ),
    (
        "states-added",
        r"(?P<column>.+?) looks like what there was at a time: of several times, it is added up as often\.",
    ),
    (
        "versions",
        r"(?P<column>.+?) tells versions apart: all rows are computed with, also those that others replace\.",
    ),
    (
        "alike",
        r"(?P<column>.+?) has values that are written differently, and are counted apart: (?P<words>.+)\.",
    ),
    (
        "model-answer",
        r"The language model answered twice with something that is no plan for these tables, so the built-in planner "
        r"drafted this one\. Check it, or configure another model\.",
    ),
)
TITLES = _shapes(
    ("all-rows", r"All rows of (?P<words>.+)"),
    ("with", r"With (?P<words>.+)"),
    ("groups-meant", r"The groups that are meant"),
    ("rows-meant", r"The rows that are meant"),
    ("as-numbers", r"(?P<words>.+) as numbers"),
    ("share", r"Share of (?P<words>.+), percent"),
    ("change", r"Change of (?P<words>.+), percent"),
    ("running", r"Running (?P<words>.+)"),
    ("two-periods", r"The two periods"),
    ("growth", r"Growth of (?P<words>.+)"),
    ("became", r"What became of them"),
    ("first-one", r"First one by (?P<words>.+), (?P<way>ascending|descending)"),
    ("first", r"First (?P<count>\d+) by (?P<words>.+), (?P<way>ascending|descending)"),
    ("ordered", r"In order of (?P<words>.+), (?P<way>ascending|descending)"),
    ("summary", r"Summary"),
    ("by", r"(?P<words>.+?) by (?P<groups>.+)"),
)
FINDINGS = _shapes(
    ("none", r"\*\*(?P<words>.+?)\*\*: no value"),
    ("no-rows", r"\*\*Nothing to compute with\*\*: no row meets the conditions"),
    (
        "gaps",
        r"\*\*Gaps\*\*: (?P<count>\S+) (?P<every>[a-z]+?)s? between the first and the last ha(?:s|ve) no rows and "
        r"(?:is|are) not listed",
    ),
    ("same", r"\*\*(?P<words>.+?)\*\*: (?P<value>.+) in each"),
    (
        "extremes",
        r"\*\*(?P<words>.+?)\*\*: most in (?P<where>.+) \((?P<most>\S*)\), least in (?P<other>.+) \((?P<least>\S*)\)",
    ),
    (
        "trend",
        r"\*\*(?P<words>.+?)\*\* went from (?P<first>\S+) \((?P<begin>.+?)\) to (?P<last>\S+) \((?P<end>.+?)\)"
        r"(?:, (?P<change>[+-]\S+) %)?; most: (?P<most>\S+) \((?P<when>.+)\)",
    ),
    (
        "not-alone",
        r"\*\*Not alone\*\*: (?P<count>\S+) others? (?:is|are) left out with the same (?P<words>.+) as the last row "
        r"here\.",
    ),
    ("value", r"\*\*(?P<words>.+?)\*\*: (?P<value>.+)"),
)
NUMBERS = _shapes(
    ("rows", r"(?i:rows)"),
    ("count", r"(?i:number) of (?P<column>.+)"),
    ("sum", r"(?i:total) (?P<column>.+)"),
    ("mean", r"(?i:average) (?P<column>.+)"),
    ("median", r"(?i:median) (?P<column>.+)"),
    ("least", r"(?i:least) (?P<column>.+)"),
    ("most", r"(?i:most) (?P<column>.+)"),
)
"""What the planner calls the numbers that it computes."""
MEASURED = {"title": ("words",), "finding": ("words",)}
COMPUTED = {
    "finding": ("value", "first", "last", "change", "most", "least", "count"),
    "note": ("count", "rows"),
}
"""The values that are numbers which were computed, and not what a table holds: that stays as it is."""
_GROUPED = re.compile(
    r"(?<![\w.,])[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\w.,]*\d)|(?<![\w.,])[+-]?\d+\.\d+(?![\w.,]*\d)"
)
"""A number as English writes it, with its thousands apart or with decimals."""


def question_in(say: Say, language: str) -> Callable[[str], str]:
    """What says a question of the planner's."""

    def worded(text: str) -> str:
        found = None if language == FALLBACK else known(QUESTIONS, text)
        if found and found[0] == "sheets":  # a remark, and the question about it
            return say("question-sheets", words=_worded(say, language, "note", NOTES, found[1]["words"]))
        return _worded(say, language, "question", QUESTIONS, text)

    return worded


def option_in(say: Say, language: str) -> Callable[[str], str]:
    """What says an answer that is offered; names of columns and values stay."""
    return lambda text: _worded(say, language, "option", OPTIONS, text)


def unknown_in(say: Say, language: str) -> Callable[[str], str]:
    """What says something that no answer settles."""
    return lambda text: _worded(say, language, "unknown", UNKNOWN, text)


def title_in(say: Say, language: str) -> Callable[[str], str]:
    """What says the title that the planner gives a step."""
    return lambda text: _worded(say, language, "title", TITLES, text)


def remark_in(say: Say, language: str) -> Callable[[str], str]:
    """What says something that was taken for granted, or that is to be known of the tables. Where there are several
    tables, the one that is meant stands before it."""

    def worded(text: str) -> str:
        if language == FALLBACK:
            return text
        for kind, shapes in (("assumed", ASSUMED), ("note", NOTES)):
            if known(shapes, text):
                return _worded(say, language, kind, shapes, text)
        for found in re.finditer(": ", text):
            before, after = text[: found.end()], text[found.end() :]
            if known(NOTES, after):
                return before + _worded(say, language, "note", NOTES, after)
        return text

    return worded


def findings_in(say: Say, language: str) -> Callable[[str], str]:
    """What says lines of a report: its findings, and remarks on a table. Numbers stand as the language writes them."""

    def line(text: str) -> str:
        mark = "- " if text.startswith("- ") else ""
        return mark + _worded(say, language, "finding", FINDINGS, text.removeprefix("- "))

    return lambda text: "\n".join(map(line, text.split("\n")))


def known(shapes: tuple[Shape, ...], text: str) -> tuple[str, dict[str, str]] | None:
    """The name of a sentence's shape, and what it says of this plan alone."""
    for name, pattern in shapes:
        if found := pattern.fullmatch(text):
            return name, found.groupdict(default="")
    return None


def _worded(say: Say, language: str, kind: str, shapes: tuple[Shape, ...], text: str) -> str:
    found = None if language == FALLBACK else known(shapes, text)
    if found is None:
        return text
    values = found[1] | ({"change": found[1]["change"] or "none"} if "change" in found[1] else {})
    if kind in MEASURED:
        values = {name: _measured(say, each) if name in MEASURED[kind] else each for name, each in values.items()}
    for name in COMPUTED.get(kind, ()):
        if name in values:
            values[name] = _GROUPED.sub(lambda each: _amount(each[0], language), values[name])
    return say(f"{kind}-{found[0]}", **values)


def _measured(say: Say, text: str) -> str:
    """Names of numbers that the planner made (``total amount and rows``), in words."""
    parts = (known(NUMBERS, part) for part in text.split(" and "))
    said = [
        say(f"number-{found[0]}", **found[1]) if found else part
        for found, part in zip(parts, text.split(" and "), strict=True)
    ]
    joined = reduce(lambda one, other: say("plan-both", one=one, other=other), said)
    return joined[:1].upper() + joined[1:] if text[:1].isupper() else joined


def _amount(text: str, language: str) -> str:
    """``+1,234.50`` as the language writes it."""
    sign = "+" if text.startswith("+") else ""
    return sign + amount(text.removeprefix("+").replace(",", ""), language)
