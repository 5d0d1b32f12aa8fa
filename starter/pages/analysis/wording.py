"""What a plan asks and takes for granted, in the visitor's language.

The planner writes English sentences, which are the plan's and what programs see; an answer is sent as it was offered.
Here each of its sentences is known again by its shape, and said by the catalogue; what a language model wrote, and any
that is not known, stays as it is.
"""

import re
from collections.abc import Callable

from starter.pages.shell.catalogue import FALLBACK, Say

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
    ("sheets", r"(?P<words>.+) Which are meant\?"),
)
OPTIONS = _shapes(
    ("rows", r"the number of rows"),
    ("different", r"different values of (?P<column>.+)"),
    ("does-not-matter", r"does not matter"),
    ("count-them", r"they are data: count them"),
    ("leave-out", r"leave them out"),
    ("all", r"all of them"),
    ("as-they-stand", r"as the numbers stand"),
    ("yes", r"yes"),
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
    ("is", r"“(?P<words>.+?)” is (?P<column>.+)\."),
    ("once", r"Each (?P<column>.+?) is counted once, however many rows it has\."),
    ("only-number", r"The number that is meant is (?P<column>.+?), the only one there is\."),
    ("each-is", r"Each (?P<column>.+?) is a (?P<every>\w+)\."),
    ("by-period", r"Time is shown by (?P<every>\w+), as no period was named\."),
    ("first-of-all", r"The first (?P<count>\d+) are those of all groups together, not of each\."),
    ("share", r"The share of each (?P<column>.+?) is given, that of all rows being 100 percent\."),
    ("rows-counted", r"The rows are counted: each is one of the “(?P<words>.+)”\."),
    ("left-out", r"(?P<words>.+) was left out of account\."),
    ("all-taken", r"All of them are taken: (?P<words>.+)\. Name one to have it alone\."),
    ("no-growth", r"What has no number in the earlier period has no growth\."),
    ("joined", r"Rows are joined with (?P<table>.+?) by (?P<column>.+)\."),
    ("kept", r"Rows that find none in (?P<table>.+?) are kept, with nothing in its columns\."),
    ("no-numbers", r"(?P<column>.+?) holds texts; (?P<share>\S+) of them are no numbers and are left out\."),
)


def question_in(say: Say, language: str) -> Callable[[str], str]:
    """What says a question of the planner's."""
    return lambda text: _worded(say, language, "question", QUESTIONS, text)


def option_in(say: Say, language: str) -> Callable[[str], str]:
    """What says an answer that is offered; names of columns and values stay."""
    return lambda text: _worded(say, language, "option", OPTIONS, text)


def assumed_in(say: Say, language: str) -> Callable[[str], str]:
    """What says something that was taken for granted."""
    return lambda text: _worded(say, language, "assumed", ASSUMED, text)


def known(shapes: tuple[Shape, ...], text: str) -> tuple[str, dict[str, str]] | None:
    """The name of a sentence's shape, and what it says of this plan alone."""
    for name, pattern in shapes:
        if found := pattern.fullmatch(text):
            return name, found.groupdict(default="")
    return None


def _worded(say: Say, language: str, kind: str, shapes: tuple[Shape, ...], text: str) -> str:
    found = None if language == FALLBACK else known(shapes, text)
    return text if found is None else say(f"{kind}-{found[0]}", **found[1])
