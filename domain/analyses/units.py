"""Which column of a table says what another column's numbers are numbers of: a currency, a unit of measure.

Euros and dollars, kilograms and grams have no sum, no average and no largest, however well the column adds up.
"""

import re
from collections.abc import Iterator

from domain.analyses.table import ColumnProfile, ColumnType, TableProfile

SHOWN_AS_PERCENT = "SHOWN_AS_PERCENT"
"""The note of a column whose cells' formats say percent."""
_PERCENT = frozenset("%\u2030")


def word_set(words: str) -> frozenset[str]:
    """Words, written in one text."""
    return frozenset(words.split())


_CURRENCIES = word_set(
    "aed ars aud bdt bgn brl cad chf clp cny cop czk dkk egp eur gbp gel hkd huf idr ils inr isk jpy kes krw kwd kzt"
    " lkr mad mxn myr ngn nok nzd pen php pkr pln qar rmb ron rsd rub sar sek sgd thb try twd uah usd vnd zar btc eth"
    " usdt euro euros dollar dollars pound pounds yen yuan rupee rupees franc francs us$ ca$ a$ c$ r$ kr zł kč ft"
    " $ € £ ¥ ₹ ₽ ₩ ₺ ₴ ₪ ₫ ₦ ₱ ฿ ₸ ₿"
)
_UNITS = word_set(
    "kg g mg t lb lbs oz st ton tons tonne tonnes kilo kilos gram grams pound pounds ounce ounces l ml cl dl hl liter"
    " liters litre litres gal gallon gallons m cm mm km ft in inch inches mi mile miles yd yard yards m2 m3 m² m³ sqm"
    " sqft ha pc pcs piece pieces box boxes pack packs pallet pallets case cases ea each unit units dozen pair pairs"
    " bag bags roll rolls set sets carton cartons st. stk stk. stück karton palette h hr hrs hour hours min mins minute"
    " minutes s sec secs second seconds day days week weeks month months w kw mw wh kwh mwh gwh j kj mj b kb mb gb tb"
    " °c °f celsius fahrenheit kelvin % percent ppm pa bar psi"
)
_SAYS_UNIT = word_set("unit units uom measure einheit unité unite unidad unidade unità mass me")
_SCENARIOS = word_set(
    "plan planned actual actuals budget forecast target ist soll prognose prior estimate estimated baseline"
)
"""What is meant to be, and what is."""
_COMES_IN = word_set(
    "cr credit credits haben h gutschrift ein eingang einnahme einnahmen zugang income revenue deposit in inflow"
    " receipt received crédit credito crédito entrée entrada recette avoir avere sale sales buy bought +"
    " bij inkomst"
)
_GOES_OUT = word_set(
    "dr debit debits soll s lastschrift aus ausgang ausgabe ausgaben abgang expense expenses withdrawal out outflow"
    " payment paid débit debito débito sortie saída salida dépense doit refund refunds refunded return returns returned"
    " af utgift sell sold chargeback reversal storno -"
)
"""What says of a number without a sign which way it goes, as banks, tills and stores write it."""
_ONE_WAY = word_set("duration minutes seconds hours age distance price rate percent balance saldo solde")
"""Words of headings of numbers that go no way."""
_MULTIPLES = tuple(
    (size, re.compile(words))
    for size, words in (
        (
            1_000,
            r"(?i:(?<!per )\b(?:thousands?|tausend|tsd|milliers|000'?s|t€|teur|keur|kusd|kchf)\b|'000\b)"
            r"|\bk ?[€$£]|[€$£] ?k\b|[(\[]k[)\]]",
        ),
        (
            1_000_000,
            r"(?i:(?<!per )\b(?:millions?|millionen|mio|mln|mn|meur|musd)\b|\bm ?[€$£]|[€$£] ?m\b)",
        ),
        (1_000_000_000, r"(?i:\b(?:billions?|mrd|bn|mld)\b)"),
    )
)
"""How headings say that their numbers count in thousands, and more."""
_SAYS_WHAT = word_set("metric metrics variable indicator attribute parameter kpi what kennzahl")
"""Words of headings of what a table of names and values holds."""
_SAYS_CURRENCY = word_set("currency currencies ccy curr cur währung waehrung devise moneda moeda valuta waluta")
_COUNTS = word_set(
    "quantity qty count number units pieces items hours days weeks months minutes weight age menge anzahl stück"
    " cantidad quantité percent percentage pct rate share ratio score rating rank year"
)
"""Words of headings of numbers that are no money, beside a currency."""
_MEASURED = word_set(
    "quantity qty amount menge cantidad quantité quantita quantidade value volume weight consumption usage size stock"
    " sold ordered delivered used"
)
"""Words of headings of numbers that a unit of measure is of, where there are several numbers."""


def unit_of(table: TableProfile, column: ColumnProfile) -> ColumnProfile | None:
    """The column that says what the numbers of ``column`` are numbers of, where that is not the same in all rows."""
    for unit in _unit_columns(table):
        if column.type.is_numeric and not column.is_identifier and _is_of(table, column, unit):
            return unit
    return None


def says_which_way(unit: ColumnProfile) -> bool:
    """Whether a column says of numbers whether they come in or go out: debit and credit, sale and refund."""
    values = {value.strip(" .").casefold() for value in unit.values}
    return bool(values & _COMES_IN and values & _GOES_OUT) and values <= _COMES_IN | _GOES_OUT


def _unit_columns(table: TableProfile) -> Iterator[ColumnProfile]:
    for column in table.columns:
        values = {value.strip().casefold() for value in column.values}
        if column.type is not ColumnType.TEXT or len(values) < 2:
            continue
        # sizes are called M and L, too
        if says_which_way(column):
            yield column
            continue
        measured = values <= _UNITS and (_words(column) & _SAYS_UNIT or all(len(value) > 1 for value in values))
        if measured or values <= _SCENARIOS or values <= _CURRENCIES or _words(column) & (_SAYS_CURRENCY | _SAYS_WHAT):
            yield column


def _is_of(table: TableProfile, column: ColumnProfile, unit: ColumnProfile) -> bool:
    if _words(unit) & _SAYS_WHAT:
        return True
    if says_which_way(unit):
        signed = (column.minimum or "").startswith("-")
        return not signed and not _words(column) & _ONE_WAY
    money = {value.strip().casefold() for value in unit.values} <= _CURRENCIES or _words(unit) & _SAYS_CURRENCY
    if money:
        return not _words(column) & _COUNTS
    numbers = [each for each in table.columns if each.type.is_numeric and not each.is_identifier]
    return len(numbers) == 1 or bool(_words(column) & _MEASURED)


def multiple_of(column: ColumnProfile) -> int:
    """What one of the column's numbers stands for, by its heading: 1,000 of ``amount (k€)``, else 1."""
    return next((size for size, said in _MULTIPLES if said.search(column.original)), 1)


def _words(column: ColumnProfile) -> set[str]:
    return set(re.split(r"[\W_]+", f"{column.name} {column.original}".casefold()))


def is_percent(table: TableProfile, column: ColumnProfile) -> bool:
    """Whether the column's numbers are percent, as they are shown or written: they have an average, and no sum."""
    return any(
        note.code == SHOWN_AS_PERCENT or (note.code.startswith("NUMBER") and not _PERCENT.isdisjoint(note.message))
        for note in table.notes
        if note.message.startswith(f"{column.name} ")
    )
