"""What languages are called."""

from babel import Locale, UnknownLocaleError


def name_of(tag: str, into: str = "en") -> str | None:
    """The name of a language in another: ``pt-BR`` is ``Brazilian Portuguese``. ``None``: nobody knows it.

    Args:
        tag: BCP 47, as ``domain.documents.translations.language_tag`` writes it.
    """
    names = Locale.parse(into).languages
    primary, *_ = tag.split("-")
    if primary not in names:
        return None
    whole = names.get(tag.replace("-", "_"))
    if whole is not None:
        return str(whole)
    try:
        return Locale.parse(tag, sep="-").get_display_name(into) or str(names[primary])
    except (UnknownLocaleError, ValueError):
        return f"{names[primary]} ({tag})"
