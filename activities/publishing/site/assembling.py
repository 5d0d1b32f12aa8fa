"""Guides put together as a site: an index with their cards and a search, and each one's page with the site around it.

What is said of guides comes from users: it is escaped here, and the index' own policy lets a browser load nothing but
the pictures beside it.
"""

import html
import json
from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import astuple, dataclass
from functools import cache
from itertools import chain, count
from urllib.parse import quote

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup

from activities.publishing.branding.sheet import colours, sheet
from activities.publishing.direction import of_language
from activities.publishing.labels import primary_language
from activities.publishing.naming import filename_of
from activities.publishing.site.page import BOTTOM, CARD, FROM_SITE, LOGO, PAGE, TOP, GuideFacts, SiteLook, packaged
from activities.publishing.site.words import Words, words_of
from activities.publishing.webpage import base_style, policy
from domain.documents.brand import DARK, LIGHT, Brand, shade

INDEX, FOLDER = "index.html", "guides"


@dataclass(frozen=True)
class SiteGuide:
    """A guide of the site. ``slug`` names its folder; ``job_id``: by which it is the same in several languages."""

    facts: GuideFacts
    slug: str
    job_id: str

    @property
    def language(self) -> str:
        return self.facts.tag or self.facts.language

    @property
    def folder(self) -> str:
        return f"{FOLDER}/{self.slug}"

    @property
    def address(self) -> str:
        """Of its page, as the index links to it."""
        return f"{FOLDER}/{quote(self.slug)}/{PAGE}"

    @property
    def card(self) -> str:
        return f"{FOLDER}/{quote(self.slug)}/{CARD}"

    @property
    def logo(self) -> str:
        """Of its brand's, if it has one."""
        return f"{FOLDER}/{quote(self.slug)}/{LOGO}"


@dataclass(frozen=True)
class SiteSection:
    """Guides that belong together, in their order. ``language``: of all of them, where the site has guides in several
    languages; ``name``: with its name then."""

    name: str
    language: str
    guides: tuple[SiteGuide, ...]

    @property
    def look(self) -> SiteLook | None:
        """What its guides share, if they do."""
        return _shared(self.guides)


@dataclass(frozen=True)
class Site:
    """``language``: of what the site says itself. ``called``: what languages are called, each in itself."""

    name: str
    language: str
    sections: tuple[SiteSection, ...]
    called: Callable[[str], str] = str

    @property
    def guides(self) -> tuple[SiteGuide, ...]:
        return tuple(guide for section in self.sections for guide in section.guides)

    def languages_of(self, guide: SiteGuide) -> tuple[SiteGuide, ...]:
        """The guide in all of its languages, by their tags; nothing where there is one."""
        same = [each for each in self.guides if each.job_id == guide.job_id]
        return tuple(sorted(same, key=lambda each: each.language)) if len(same) > 1 else ()

    @property
    def look(self) -> SiteLook | None:
        """What all of its guides share, if they do; else each section has its own."""
        return _shared(self.guides)


def _shared(guides: Sequence[SiteGuide]) -> SiteLook | None:
    looks = {guide.facts.look for guide in guides}
    return looks.pop() if len(looks) == 1 else None


@dataclass(frozen=True)
class Given:
    """A guide as it comes: the name of its section, and ``job_id``, which it has in all of its languages."""

    section: str
    facts: GuideFacts
    job_id: str


def site_of(name: str, guides: Sequence[Given], called: Callable[[str], str] = str) -> tuple[Site, list[SiteGuide]]:
    """The site of guides, and these as they were given: in the order in which they were made, since of two of one title
    the older one has the plain address, and keeps it. Sections and guides are sorted by their names; where a guide is
    there in several languages, each section is of one, and those of most guides' language stand first.

    Args:
        called: What a language is called in itself, by its tag.
    """
    placed: list[SiteGuide] = []
    taken: set[str] = set()
    spoken = Counter(each.facts.language for each in guides)
    language = spoken.most_common(1)[0][0] if spoken else "en"
    is_translated = len({each.job_id for each in guides}) < len(guides)
    sections: dict[tuple[str, str], list[SiteGuide]] = {}
    for given in guides:
        slug = _free(filename_of(given.facts.title).lower(), taken)
        taken.add(slug)
        placed.append(SiteGuide(given.facts, slug, given.job_id))
        sections.setdefault((placed[-1].language if is_translated else "", given.section), []).append(placed[-1])
    has_several = len({each.section for each in guides}) > 1

    def heading(tag: str, section: str) -> str:
        parts = [section if has_several or not tag else "", called(tag) if tag else ""]
        return " · ".join(part for part in parts if part)

    def place(key: tuple[str, str]) -> tuple[bool, str, tuple[str, str]]:
        tag, section = key
        return primary_language(tag) != language, tag, _sorted_by(section)

    site = Site(
        name=name,
        language=language,
        sections=tuple(
            SiteSection(
                heading(*key), key[0], tuple(sorted(sections[key], key=lambda guide: _sorted_by(guide.facts.title)))
            )
            for key in sorted(sections, key=place if is_translated else lambda key: _sorted_by(key[1]))
        ),
        called=called,
    )
    return site, placed


def _free(name: str, taken: Container[str]) -> str:
    numbered = (f"{name}-{number}" for number in count(2))
    return next(each for each in chain((name,), numbered) if each not in taken)


def _sorted_by(name: str) -> tuple[str, str]:
    return name.casefold(), name


def index(site: Site) -> str:
    """The site's first page."""
    words, look = words_of(site.language), site.look
    searched = _for_script(_searched(site, words))
    branded = "\n".join(_branded(site, f"{site.name} {searched} {' '.join(map(str, astuple(words)))}"))
    style = base_style() + branded + packaged("frame.css") + packaged("index.css")
    script = packaged("theme.js") + packaged("search.js")
    return _template().render(
        site=site,
        look=look,
        words=words,
        language=words_language(words),
        direction=of_language(words_language(words)),
        policy=policy(style, script, FROM_SITE),
        style=Markup(style),  # noqa: S704 - our own file
        script=Markup(script),  # noqa: S704 - our own file
        theme=Markup(_theme_button(words)),  # noqa: S704 - our own markup
        search=Markup(searched),  # noqa: S704 - no tag can end in it
        initial=_initial,
    )


def _branded(site: Site, shown: str) -> Iterable[str]:
    """The style of the look that all share, on a page that says ``shown``; or an accent for each section that has one
    of its own."""
    look = site.look
    if look is not None:
        yield from sheet(look.brand, f"{shown} {look.heading} {look.imprint}")
        return
    for place, section in enumerate(site.sections, start=1):
        if section.look is None:
            continue
        if section.look.logo is not None:
            yield from sheet(Brand(), "")
        light, dark = shade(section.look.brand, LIGHT), shade(section.look.brand, DARK)
        if light is not None and dark is not None:
            yield from colours(f"#section-{place}", light, dark)


def words_language(words: Words) -> str:
    return "de" if words is words_of("de") else "en"


def page_of(site: Site, guide: SiteGuide, page: str) -> str:
    """A guide's page with the site around it."""
    words = words_of(guide.facts.language)
    guides = site.guides
    place = guides.index(guide)
    before = guides[place - 1] if place else None
    after = guides[place + 1] if place + 1 < len(guides) else None
    languages = site.languages_of(guide)
    around = {
        "</head>": _alternates(languages) + "</head>",
        TOP: _bar(site, words) + _languages(site, guide, languages, words),
        BOTTOM: _way_on(words, before, after),
    }
    for mark, markup in around.items():
        page = page.replace(mark, markup, 1)
    return page


def _alternates(languages: Sequence[SiteGuide]) -> str:
    return "".join(
        f'<link rel="alternate" hreflang="{html.escape(each.language)}" href="../{quote(each.slug)}/{PAGE}">\n'
        for each in languages
    )


def _languages(site: Site, guide: SiteGuide, languages: Sequence[SiteGuide], words: Words) -> str:
    """The guide's other languages, each by its own name."""
    if not languages:
        return ""
    links = "".join(
        f'<a href="../{quote(each.slug)}/{PAGE}" hreflang="{html.escape(each.language)}" '
        f'lang="{html.escape(each.language)}"{_current(each, guide)}>'
        f"<bdi>{html.escape(site.called(each.language))}</bdi></a>"
        for each in languages
    )
    return f'<div class="site-languages" role="navigation" aria-label="{html.escape(words.languages)}">{links}</div>\n'


def _bar(site: Site, words: Words) -> str:
    name, home = html.escape(site.name), f"../../{INDEX}"
    return (
        f'<div class="site-bar" role="navigation" aria-label="{html.escape(words.site)}"><div class="site-inner">'
        f'<a class="site-home" href="{home}" aria-label="{html.escape(words.guides_all)}: {name}">'
        f'{_HOME}<bdi>{name}</bdi></a><a class="site-button site-find" href="{home}#search" '
        f'aria-label="{html.escape(words.search)}">{_GLASS}</a>{_theme_button(words)}'
        f'</div></div><template class="site-link-word">{html.escape(words.link)}</template>\n'
    )


def _current(one: SiteGuide, shown: SiteGuide) -> str:
    return ' aria-current="page"' if one == shown else ""


def _theme_button(words: Words) -> str:
    return (
        f'<button class="site-button" type="button" data-theme-switch hidden aria-label="{html.escape(words.theme)}" '
        f'title="{html.escape(words.theme)}">{_SUN}{_MOON}</button>'
    )


def _way_on(words: Words, before: SiteGuide | None, after: SiteGuide | None) -> str:
    if before is None and after is None:
        return ""
    links = "".join(
        f'<a class="site-{rel}" rel="{rel}" href="../{quote(guide.slug)}/{PAGE}"><small>{html.escape(word)}</small>'
        f'<bdi lang="{html.escape(guide.facts.language)}">{html.escape(guide.facts.title)}</bdi></a>'
        for rel, word, guide in (("prev", words.previous, before), ("next", words.next, after))
        if guide is not None
    )
    return f'<div class="site-on" role="navigation" aria-label="{html.escape(words.more)}">{links}</div>\n'


def _searched(site: Site, words: Words) -> dict[str, object]:
    return {
        "guides": [
            {
                "title": guide.facts.title,
                "section": section.name,
                "address": guide.address,
                "language": guide.facts.language,
                "direction": guide.facts.direction,
                "entries": [[each.id, each.number, each.heading, each.text] for each in guide.facts.entries],
            }
            for section in site.sections
            for guide in section.guides
        ],
        "words": {
            "found": list(words.found),
            "none": words.found_none,
            "step": words.step,
            "text": words.text,
        },
        "sections": len(site.sections) > 1,
    }


def _for_script(value: object) -> str:
    """JSON that can stand in a script element: no tag or comment begins in it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _initial(title: str) -> str:
    """A letter that stands for a guide without a picture."""
    return next((each for each in title if each.isalnum()), "·").upper()


@cache
def _template() -> Template:
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(packaged("index.html.j2"))


_ICON = '<svg viewBox="0 0 24 24" aria-hidden="true" {}>{}</svg>'
_HOME = _ICON.format("", '<path d="M15 18l-6-6 6-6"/>')
_GLASS = _ICON.format("", '<circle cx="11" cy="11" r="7"/><path d="M16.2 16.2L21 21"/>')
_SUN = _ICON.format(
    'class="site-sun"',
    '<circle cx="12" cy="12" r="4"/><path d="M12 2v2M12 20v2M2 12h2M20 12h2M4.9 4.9l1.4 1.4M17.7 17.7l1.4 1.4M4.9 19.1'
    'l1.4-1.4M17.7 6.3l1.4-1.4"/>',
)
_MOON = _ICON.format('class="site-moon"', '<path d="M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z"/>')
