"""The few words that a site adds to its guides, in German or English."""

from dataclasses import dataclass

from activities.publishing.labels import primary_language


@dataclass(frozen=True, slots=True)
class Words:
    """``steps`` and ``guides`` have a form for one and one for several, with ``{}`` for the number."""

    site: str
    guides_all: str
    search: str
    search_hint: str
    theme: str
    link: str
    sections: str
    more: str
    previous: str
    next: str
    languages: str
    skip: str
    steps: tuple[str, str]
    guides: tuple[str, str]
    found: tuple[str, str]
    found_none: str
    result: str
    step: str
    text: str

    def counted(self, forms: tuple[str, str], count: int) -> str:
        return forms[count != 1].format(count)


ENGLISH = Words(
    site="Website",
    guides_all="All guides",
    search="Search",
    search_hint="Search titles, steps and text",
    theme="Light or dark",
    link="Link to this place",
    sections="Sections",
    more="More guides",
    previous="Previous guide",
    next="Next guide",
    languages="Languages",
    skip="To the guides",
    steps=("1 step", "{} steps"),
    guides=("1 guide", "{} guides"),
    found=("1 guide found", "{} guides found"),
    found_none="Nothing found. Try fewer words, or only their beginnings.",
    result="Found",
    step="Step",
    text="Text",
)

GERMAN = Words(
    site="Website",
    guides_all="Alle Anleitungen",
    search="Suchen",
    search_hint="Titel, Schritte und Text durchsuchen",
    theme="Hell oder dunkel",
    link="Link zu dieser Stelle",
    sections="Abschnitte",
    more="Weitere Anleitungen",
    previous="Vorherige Anleitung",
    next="Nächste Anleitung",
    languages="Sprachen",
    skip="Zu den Anleitungen",
    steps=("1 Schritt", "{} Schritte"),
    guides=("1 Anleitung", "{} Anleitungen"),
    found=("1 Anleitung gefunden", "{} Anleitungen gefunden"),
    found_none="Nichts gefunden. Versuchen Sie es mit weniger Wörtern oder nur mit ihren Anfängen.",
    result="Gefunden",
    step="Schritt",
    text="Text",
)


def words_of(language: str | None) -> Words:
    """In the language of a guide or of most, where there are words in it, else in English."""
    return GERMAN if primary_language(language) == "de" else ENGLISH
