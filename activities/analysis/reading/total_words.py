# ruff: noqa: RUF001  the letters of many scripts are what is meant
"""How rows that add up others call themselves. Nothing is imported that reads data, so it serves inside and outside."""

import re
from collections.abc import Iterable, Iterator

_WORD = (
    r"(?:grand |sub-?|overall |running |net |year )?totals?|sum|sub ?total|summen?|gesamt(?:summe|ergebnis)?"
    r"|zwischensumme|teilergebnis|insgesamt|total g[eé]n[eé]ral|sous-total|totale(?: generale)?|subtotale"
    r"|suma(?: total)?"
    r"|total general|razem|og[oó][lł]em|celkem|итого|всего|разом|усього|toplam|genel toplam|totaal|subtotaal|summa"
    r"|(?:closing |ending |final )?balance|(?:end)?saldo|solde(?: final)?|kontostand|overall|all"
    r"|totalt|totalsumma|samtals"
    r"|i alt|yhteens[aä]|összesen|spolu|celkom|všetko|skupaj|ukupno|укупно|общо|загалом|kokku|kop[aā]|(?:iš )?viso"
    r"|σ[υύ]νολ[οό]|jumlah|t[oổ]ng(?: c[oộ]ng)?|รวม(?:ทั้งหมด)?|ยอดรวม|कुल(?: योग)?|योग|सकल|মোট"
    r"|合計|小計|総計|総合計|計|合计|小计|总计|总和|總計|總和|합계|소계|총계"
    r"|סה\"כ|סך הכו?ל|الإجمالي|إجمالي|المجموع(?: الكلي)?|جمع(?: کل)?|مجموع"
    r"|[σς∑]|ytd|(?:carried|brought) forward|balance [cb]/f|übertrag|riporto|à reporter|suma y sigue|t o t a l"
)
_MARKS = r"[\s*_#]*"
"""Around a word that somebody set in bold."""
CALLED_IN_LOWER_CASE = (
    rf"(?m)^(?:\*{{1,4}}(?:\s*[^\s*].*)?|{_MARKS}(?:{_WORD})\s*[:=]?{_MARKS}"
    rf"|(?:(?:{_WORD})\s*[:\-]?\s+(?:of |for |per )?\S.*)"
    rf"|(?:\S.*\s(?:{_WORD})\s*:?))$"
)
"""A line ``total``, ``grand total:``, ``north total``, ``total north``, in languages that spreadsheets speak. Where
each query compiles its patterns anew, one that has the letters of one case is made in a third of the time."""
CALLED = f"(?i){CALLED_IN_LOWER_CASE}"
"""The same in any case."""

PART = re.compile(r"(?:of which|thereof|davon|darunter|dont|di cui|de los cuales|waarvan|w tym)\b", re.IGNORECASE)
"""Begins the name of a part of the row above."""
PAGE = r"(?i)^(?:page|seite|página|pagina|strona|str\.|sida|side|страница|стр\.|第)\s*\d+"

_OTHER_SUMMARIES = (
    r"average|mean|median|avg|durchschnitt|mittelwert|moyenne|promedio|media|m[eé]dia|gemiddelde|平均値?|평균"
    r"|średnia|průměr"
    r"|среднее|átlag|keskiarvo|gennemsnit|genomsnitt|medelvärde|gjennomsnitt|ortalama|minimum|maximum|count|anzahl"
    r"|std\.?(?: ?dev\.?)?|stdev|standard deviation|variance"
)
_ALONE = re.compile(rf"{_MARKS}(?:{_WORD}|{_OTHER_SUMMARIES})\s*[:=]?{_MARKS}", re.IGNORECASE)
_BOTH_ENDS = frozenset(("min", "max"))
"""Summaries where both are there. Alone, Max is somebody."""
_BALANCE = re.compile(
    r"(?:saldo|solde|kontostand|endstand|anfangsstand|\u00fcbertrag|vortrag|saldovortrag)\b.*"
    r"|(?:opening|closing|previous|starting|beginning|ending|final|daily|current|available|old|new|alter|neuer|letzter)"
    r" (?:balance|saldo|kontostand)\b.*"
    r"|balance (?:brought|carried|b/f|c/f|as of|forward|on|at|due)\b.*|.*\bbalance (?:brought|carried) forward",
    re.IGNORECASE,
)
"""What there was at a time, among what came and went."""
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
        ends = value.strip().casefold() in _BOTH_ENDS <= known
        balance = _BALANCE.fullmatch(value.strip()) and len(known) > 1
        if _ALONE.fullmatch(value.strip()) or set(value.strip()) == {"*"} or name in known or ends or balance:
            yield value
