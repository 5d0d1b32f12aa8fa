"""Numbers and values as people read them."""

from decimal import Decimal, InvalidOperation

from domain.analyses.table import ColumnType

PLACES = 2
SMALL_DIGITS = 3
"""Significant digits of a number that would round to nothing."""
_UNITS = ((Decimal("1e12"), "T"), (Decimal("1e9"), "B"), (Decimal("1e6"), "M"), (Decimal("1e3"), "K"))


def number(value: object) -> Decimal | None:
    """A number of a result, exactly as it was reported."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        found = Decimal(repr(value) if isinstance(value, float) else value)
    except InvalidOperation:
        return None
    return found if found.is_finite() else None


def formatted(value: object, type: ColumnType) -> str:
    """``1234567.5`` as ``1,234,567.50``: two places, none of whole numbers. Empty for no value."""
    if value is None:
        return ""
    found = number(value) if type.is_numeric else None
    if found is None:
        return str(value)
    rounded = found.quantize(Decimal(1).scaleb(-PLACES)) if abs(found) < Decimal("1e20") else found
    if not rounded and found:
        return f"{found:.{SMALL_DIGITS}g}"
    return f"{rounded:,f}".removesuffix(".00")


def brief(value: Decimal) -> str:
    """For an axis: ``1,250,000`` as ``1.25M``."""
    for size, unit in _UNITS:
        if abs(value) >= size and (size > 1000 or abs(value) >= 10_000):
            return f"{_plain(value / size)}{unit}"
    return _plain(value)


def _plain(value: Decimal) -> str:
    return f"{value.normalize():,f}"
