"""The words by which the embedded planner recognises what is asked for. English.

This vocabulary is closed. A phrase that it does not know is asked about, word by word (``unread.py``), and whoever
needs more language configures a chat model, whose plans are judged by the same rules; a new phrase here would be one
more that can be read wrongly in silence.

Patterns are looked for in the requirement's tokens, in lower case and with one blank between them.
"""

import re

from activities.analysis.planning.words import word_set
from domain.analyses.steps import Every, Function, Test

FUNCTIONS: tuple[tuple[Function, str], ...] = (
    (Function.COUNT, r"(?:the )?(?:total |overall )?(?:number|count) of|how many|counts?|distinct|unique"),
    (Function.SUM, r"totals?|sums?(?: of)?|overall|altogether|how much|summed"),
    (Function.MEAN, r"averages?|avg|means?|typical"),
    (Function.MEDIAN, r"medians?"),
    (Function.MOST, r"max|maximum|highest|largest|biggest|greatest|most expensive|latest|most recent"),
    (Function.LEAST, r"min|minimum|lowest|smallest|cheapest|earliest|oldest"),
)
DISTINCT = re.compile(r"\b(?:distinct|unique|different)\b")

COMPARISONS: tuple[tuple[Test, str], ...] = (
    (Test.AT_LEAST, r"at least|no less than|not less than|a minimum of|>=|from"),
    (Test.AT_MOST, r"at most|no more than|not more than|up to|a maximum of|<="),
    (Test.MORE, r"over|above|more than|greater than|higher than|larger than|bigger than|exceed(?:s|ing)?|>"),
    (Test.LESS, r"under|below|less than|fewer than|lower than|smaller than|<"),
)
COMPARISON = re.compile(
    r"(?:^| )(?:(?:is|are|was|were|of|being|that) )*(?P<how>"
    + "|".join(f"(?P<{test.name}>{words})" for test, words in COMPARISONS)
    + r") (?P<number>[$€£]?[\d.,]+[km%]?)(?= |$)"
)
BETWEEN = re.compile(
    r"(?:^| )(?:is |are )?between (?P<low>[$€£]?[\d.,]+[km%]?) and (?P<high>[$€£]?[\d.,]+[km%]?)(?= |$)"
)

NEGATIONS = (
    "not",
    "excluding",
    "except",
    "without",
    "exclude",
    "ignore",
    "ignoring",
    "than",
    "non",
    "no",
    "but",
    "isn't",
)
IS = r"(?:is|are|was|were|=|equals?(?: to)?|in|one of|being|:)"
IS_NOT = r"(?:is not|are not|isn't|aren't|was not|not in|not equal(?: to)?|!=|<>|is other than|not)"
CONTAINS = r"(?:contains?|containing|includes?|including|like)"
STARTS = r"(?:starts? with|starting with|begins? with|beginning with)"
EMPTY = r"(?:missing|empty|blank|null|unknown|not set)"

GROUP = re.compile(
    r"(?:^| )(?P<cue>(?:grouped|group|broken down|break down|breakdown|split|divided up) by|for each|for every|in each"
    r"|within each|by each|by|per|each|every|across)(?= )"
)
NOT_A_GROUP = re.compile(
    r"(?:sort(?:ed)?|order(?:ed)?|rank(?:ed)?|multipl(?:y|ied)|divided?|times|increased|decreased)$"
)
UNITS: dict[str, Every] = {
    "day": Every.DAY,
    "date": Every.DAY,
    "week": Every.WEEK,
    "month": Every.MONTH,
    "quarter": Every.QUARTER,
    "year": Every.YEAR,
}
ADVERBS: dict[str, Every] = {
    "daily": Every.DAY,
    "weekly": Every.WEEK,
    "monthly": Every.MONTH,
    "quarterly": Every.QUARTER,
    "yearly": Every.YEAR,
    "annual": Every.YEAR,
    "annually": Every.YEAR,
    "yoy": Every.YEAR,
    "mom": Every.MONTH,
}
OVER_TIME = re.compile(
    r"\b(?:over time|over the (?:months|years|weeks|days)|trends?|time series"
    r"|develop(?:s|ed|ment)?|evol(?:ve|ves|ved|ution))\b"
)
ON_PERIOD = re.compile(r"\b(?P<unit>day|week|month|quarter|year) (?:over|on|to|by|- over -|- on -) (?P=unit)\b")
CHANGE = re.compile(r"\b(?:growth|grew|change[sd]?|growing|increase[sd]?|decrease[sd]?|decline[sd]?|yoy|mom)\b")
RUNNING = re.compile(r"\b(?:cumulative(?:ly)?|running total|running sum|accumulated|year to date|ytd)\b")
SHARE = re.compile(
    r"\b(?:shares?|percentages?|percent|proportions?|contribution|split|breakdown of the total)\b(?! by)"
)

_LARGEST = "best|highest|largest|biggest|greatest|most expensive"
_SMALLEST = "worst|lowest|smallest|cheapest"
_DOING = "(?: selling| performing)?"
TOP = re.compile(
    rf"\b(?:(?P<cue>top|{_LARGEST}|bottom|{_SMALLEST}|least){_DOING} (?P<n>\d{{1,5}})(?! ?%| percent)"
    rf"|(?P<n2>\d{{1,5}}) (?P<cue2>{_LARGEST}|{_SMALLEST}){_DOING})\b"
)
SUPERLATIVE = re.compile(
    r"\b(?:which|what|who|whose|with|has|have|had|the)\b(?:.*?)\b(?P<cue>most|highest|largest|biggest|greatest|best|least|lowest|smallest|worst|fewest)\b"
)
ASKED_WHICH = re.compile(r"\b(?:which|what) (?!is\b|are\b|was\b|were\b)")
ASCENDING = ("bottom", "worst", "lowest", "smallest", "least", "cheapest", "fewest")

SORTED = re.compile(
    r"\b(?:sort(?:ed)?|order(?:ed)?|rank(?:ed)?|arranged?)(?: (?:it|them|the result|the results))? by\b"
)
DESCENDING = re.compile(
    r"\b(?:descending|desc|decreasing|(?:high|highest|large|largest|biggest) (?:to|first)"
    r"|from (?:high|highest|large|largest))\b"
)
ASCENDING_WAY = re.compile(
    r"\b(?:ascending|asc|increasing|(?:low|lowest|small|smallest) (?:to|first)|from (?:low|lowest|small|smallest))\b"
)
CHART = re.compile(r"\b(?:charts?|plots?|graphs?|visuali[sz]e|visuali[sz]ation|diagram|draw)\b")
BAR = re.compile(r"\b(?:bars?|columns?) (?:chart|plot|graph|diagram)s?\b|\bhistogram\b|\bbars\b")
LINE = re.compile(r"\b(?:line|trend) (?:chart|plot|graph|diagram)s?\b")
NO_CHART = re.compile(
    r"\b(?:no|without(?: an?y?)?) (?:charts?|plots?|graphs?)\b|\b(?:tables?|numbers|figures) only\b"
    r"|\bonly (?:a |the )?tables?\b"
)
SUMMARY = re.compile(
    r"\b(?:summar(?:y|ise|ize|ies)|overview|describe|description|profile|explore|what is in|what 's in|tell me about)\b"
)
COMPARE = re.compile(r"\b(?:compare|comparison|versus|vs)\b")

MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan",
            "february feb",
            "march mar",
            "april apr",
            "may",
            "june jun",
            "july jul",
            "august aug",
            "september sep sept",
            "october oct",
            "november nov",
            "december dec",
        ),
        start=1,
    )
    for name in names.split()
}
MONTH = "|".join(MONTHS)
YEAR = r"(?:19|20)\d\d"
DAY = r"\d{4}-\d{1,2}-\d{1,2}"
SPAN = re.compile(
    rf"(?:^| )(?:between|from) (?P<a>{DAY}|{YEAR}) (?:and|to|until|till|through|-) (?P<b>{DAY}|{YEAR})(?= |$)"
)
SINCE = re.compile(
    r"(?:^| )(?P<how>since|from|starting(?: in| from)?|after|before|until|till|through|up to|prior to)"
    rf"(?: the)?(?: year)? (?:(?P<month>{MONTH}) )?(?P<when>{DAY}|{YEAR})(?= |$)"
)
IN_MONTH = re.compile(rf"(?:^| )(?P<month>{MONTH}) (?:of )?(?P<year>{YEAR})(?= |$)")
IN_QUARTER = re.compile(
    rf"(?:^| )q(?P<q>[1-4])(?: of)?(?: (?P<year>{YEAR}))?(?= |$)|(?:^| )(?P<year2>{YEAR}) q(?P<q2>[1-4])(?= |$)"
)
IN_YEAR = re.compile(rf"(?:^| )(?P<year>{YEAR})(?= |$)")
IN_MONTH_ONLY = re.compile(rf"(?:^| )(?:in|for|during|of|only) (?P<month>{MONTH})(?= |$)")
ON_DAY = re.compile(rf"(?:^| )(?:on |for )?(?P<day>{DAY})(?= |$)")
LAST = re.compile(
    r"(?:^| )(?:the )?(?:last|past|latest|most recent|previous) "
    r"(?:(?P<n>\d{1,4}) )?(?P<unit>day|week|month|quarter|year)s?(?= |$)"
)
AVERAGED = word_set(
    "price rate age score rating percent percentage temperature ratio average mean margin grade speed height index"
)
"""Numbers that mean nothing when they are added up."""
NO_MEASURE = word_set("year month day week quarter hour zip zipcode postcode phone latitude longitude lat lon lng")
RECORDS = word_set("row record entry line item case event order transaction purchase observation response data")
"""Nouns for the rows of a table, whatever it is called."""
