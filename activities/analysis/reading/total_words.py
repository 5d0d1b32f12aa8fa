"""How rows that add up others call themselves. Nothing is imported that reads data, so it serves inside and outside."""

import re
from collections.abc import Iterable, Iterator

_WORD = (
    r"(?:grand |sub-?|overall |running |net )?totals?|sum|sub ?total|summen?|gesamt(?:summe|ergebnis)?|zwischensumme"
    r"|teilergebnis|insgesamt|total g[eé]n[eé]ral|sous-total|totale(?: generale)?|subtotale|suma(?: total)?"
    r"|total general|razem|og[oó][lł]em|celkem|итого|всего|разом|усього|toplam|genel toplam|totaal|subtotaal|summa"
    r"|(?:closing |ending |final )?balance|(?:end)?saldo|solde(?: final)?|kontostand"
    r"|i alt|yhteens[aä]|összesen|合計|小計|総計|合计|小计|总计|總計|합계|소계|총계|סה\"כ|الإجمالي|المجموع"
)
CALLED = rf"(?im)^(?:(?:{_WORD})\s*[:=]?|(?:(?:{_WORD})\s*[:\-]?\s+(?:of |for |per )?\S.*)|(?:\S.*\s(?:{_WORD})\s*:?))$"
"""A line ``Total``, ``Grand Total:``, ``North Total``, ``Total North``, in languages that spreadsheets speak."""

_OTHER_SUMMARIES = (
    r"average|mean|median|avg|durchschnitt|mittelwert|moyenne|promedio|media|m[eé]dia|gemiddelde|平均|평균"
)
_ALONE = re.compile(rf"(?:{_WORD}|{_OTHER_SUMMARIES})\s*[:=]?", re.IGNORECASE)
_WITH_NAME = re.compile(
    rf"(?:{_WORD})\s*[:\-]?\s+(?:of |for |per )?(?P<behind>\S.*)|(?P<before>\S.*)\s(?:{_WORD})\s*:?", re.IGNORECASE
)


def totals_among(values: Iterable[str]) -> Iterator[str]:
    """Of a column's values those that are called totals: by that word alone, or of another value (``North Total``)."""
    listed = list(values)
    known = {value.strip().casefold() for value in listed}
    for value in listed:
        named = _WITH_NAME.fullmatch(value.strip())
        name = (named["behind"] or named["before"] or "").strip(" :").casefold() if named else ""
        if _ALONE.fullmatch(value.strip()) or name in known:
            yield value
