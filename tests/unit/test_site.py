"""A site of guides: what is in it, for whom it is fit, and that nothing a user wrote runs in it."""

import io
import json
import re
import zipfile

import pytest

from activities.publishing.manuscript import read
from activities.publishing.site.assembling import Given, Site, index, page_of, site_of
from activities.publishing.site.page import CARD, FACTS, PAGE, GuideFacts, site_part
from domain.documents.publication import Publication
from tests.unit.publishing_samples import GUIDE, HOSTILE, PART, TRAINING, block, publication, screenshot

GERMAN = publication(
    block("# Kunden anlegen", "title"),
    block("## Kundenliste öffnen\n\nPrüfen Sie die *Anschrift* gründlich.", "step", 0, screenshot(1)),
    language="de-AT",
)


def part(what: Publication) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(site_part(read(what)))) as archive:
        assert all(each.compress_type == zipfile.ZIP_STORED and not each.extra for each in archive.infolist())
        return {name: archive.read(name) for name in archive.namelist()}


def facts(what: Publication) -> GuideFacts:
    return GuideFacts.model_validate_json(part(what)[FACTS])


def site(*guides: tuple[str, Publication], name: str = "Handbook") -> Site:
    given = [Given(section, facts(what), str(place)) for place, (section, what) in enumerate(guides)]
    return site_of(name, given)[0]


def searched(page: str) -> dict[str, object]:
    (held,) = re.findall(r'<script type="application/json" id="searched">(.*?)</script>', page, re.DOTALL)
    return dict(json.loads(held))


def test_given_a_guide_when_made_a_part_of_a_site_then_its_pictures_are_files_and_it_is_the_same_bytes_again() -> None:
    files = part(GUIDE)
    page = files[PAGE].decode()
    assert re.findall(r'<img src="([^"]+)"', page) == [f"images/step-0{name}.png" for name in ("1", "2", "2-2", "3")]
    assert {name for name in files if name.startswith("images/")} == set(re.findall(r'<img src="([^"]+)"', page))
    assert "base64," not in page
    assert files[CARD][8:12] == b"WEBP"
    assert site_part(read(GUIDE)) == site_part(read(GUIDE))


def test_given_a_part_of_a_picture_that_opens_then_the_whole_is_beside_the_page_and_the_card_shows_the_part() -> None:
    files = part(TRAINING)
    assert PART.whole is not None
    assert files["images/step-02-whole.png"] == PART.whole
    assert PART.data not in files.values()


def test_given_guides_then_what_is_searched_is_their_titles_headings_and_text_and_leads_to_the_step() -> None:
    told = facts(GUIDE)
    assert (told.title, told.lead, told.steps, told.written) == (
        "Export last month's invoices",
        "Send them to your accountant in one file.",
        3,
        "2026-10-01",
    )
    by_id = {each.id: each for each in told.entries}
    page = part(GUIDE)[PAGE].decode()
    assert all(not name or f'id="{name}"' in page for name in by_id)
    assert (by_id["step-2"].heading, by_id["step-2"].number) == ("Choose the month", 2)
    for word in ("Period", "overdue", "spreadsheets", "accountant first", "ledgerly export"):
        assert word in by_id["step-2"].text
    assert by_id["note-3"].heading == "Note"


def test_given_guides_of_one_title_then_each_has_its_own_address_and_the_oldest_the_plain_one() -> None:
    taken = publication(block("# Report 2", "title"))
    plain = publication(block("# Report", "title"))
    given = [
        Given(section, facts(each), str(at))
        for at, (section, each) in enumerate(zip("baaa", (plain, plain, taken, plain), strict=True))
    ]
    placed = site_of("x", given)[1]
    assert [each.slug for each in placed] == ["report", "report-2", "report-2-2", "report-3"]


def test_given_sections_then_they_and_their_guides_stand_in_order_and_each_page_leads_to_those_beside_it() -> None:
    made = site(("Zoo", GUIDE), ("accounts", TRAINING), ("accounts", GERMAN))
    assert [each.name for each in made.sections] == ["accounts", "Zoo"]
    assert [each.facts.title for each in made.guides] == ["Kunden anlegen", "Train your team", GUIDE_TITLE]
    first, second, third = (page_of(made, each, "<!--site-top--><!--site-bottom-->") for each in made.guides)
    assert 'href="../train-your-team/index.html"' in first
    assert "Nächste Anleitung" in first and "Vorherige" not in first
    assert re.findall(r'rel="(\w+)"', second) == ["prev", "next"]
    assert "Next guide" not in third
    assert all('href="../../index.html"' in each for each in (first, second, third))


def test_given_a_guide_in_several_languages_then_each_leads_to_the_others_and_stands_under_its_own() -> None:
    brazilian = GERMAN.model_copy(update={"language": "pt-BR", "blocks": (block("# Criar clientes", "title"),)})
    names = {"de-AT": "Österreichisches Deutsch", "pt-BR": "português (Brasil)", "en": "English"}
    given = [Given("Crm", facts(GUIDE), "1"), Given("Crm", facts(GERMAN), "1"), Given("Crm", facts(TRAINING), "2")]
    given += [Given("Other", facts(brazilian), "1")]
    made, placed = site_of("Handbook", given, names.__getitem__)
    assert [(each.name, len(each.guides)) for each in made.sections] == [
        ("Crm · English", 2),
        ("Crm · Österreichisches Deutsch", 1),
        ("Other · português (Brasil)", 1),
    ]
    page = page_of(made, placed[1], part(GERMAN)[PAGE].decode())
    head, body = page.split("</head>")
    assert re.findall(r'<link rel="alternate" hreflang="([^"]+)" href="\.\./([^"]+)/index.html">', head) == [
        ("de-AT", placed[1].slug),
        ("en", placed[0].slug),
        ("pt-BR", placed[3].slug),
    ]
    assert 'aria-label="Sprachen"' in body
    assert re.findall(
        r'lang="([^"]+)"( aria-current="page")?><bdi>([^<]+)', body.split('class="site-languages"')[1]
    ) == [
        ("de-AT", ' aria-current="page"', "Österreichisches Deutsch"),
        ("en", "", "English"),
        ("pt-BR", "", "português (Brasil)"),
    ]
    alone = page_of(made, placed[2], part(TRAINING)[PAGE].decode())
    assert "hreflang" not in alone and 'site-languages"' not in alone
    one = site_of("Handbook", given[:2], names.__getitem__)[0]
    assert [each.name for each in one.sections] == ["English", "Österreichisches Deutsch"]


GUIDE_TITLE = "Export last month's invoices"


@pytest.mark.parametrize(
    ("guides", "language", "says"), [((GERMAN,), "de", "1 Anleitung"), ((GUIDE,), "en", "1 guide")]
)
def test_given_guides_in_a_language_then_the_site_speaks_it(
    guides: tuple[Publication, ...], language: str, says: str
) -> None:
    page = index(site(*(("x", each) for each in guides)))
    assert f'<html lang="{language}"' in page
    assert f"<p>{says}</p>" in page


def test_given_hostile_guides_and_names_then_nothing_of_them_is_markup_and_no_script_ends_early() -> None:
    cruel = publication(
        block("# </script><script>alert(1)</script><!--site-bottom-->", "title"),
        block("<!--site-top--> </script><!-- <script> \u2028", "lead"),
        block("## <img src=x onerror=alert(2)>\n\n</script><b>", "step", 0),
    )
    made = site(("<b>x</b>", HOSTILE), ("</script>", cruel), name="<script>alert(3)</script>")
    page = index(made)
    assert page.count("<script") == page.count("</script>") == 2
    assert not re.search(r"<(b|img)[ >]", page)
    assert len(list(searched(page)["guides"])) == 2  # type: ignore[call-overload]
    for guide, what in zip(made.guides, (cruel, HOSTILE), strict=True):
        whole = page_of(made, guide, part(what)[PAGE].decode())
        assert whole.count("<script") == 1
        assert "<!--site" not in whole


def test_given_any_page_of_a_site_then_its_policy_lets_it_load_nothing_but_pictures_beside_it() -> None:
    for page in (index(site(("x", GUIDE))), part(GUIDE)[PAGE].decode()):
        (policy,) = re.findall(r'Content-Security-Policy" content="([^"]+)"', page)
        held = dict(each.strip().split(" ", 1) for each in policy.replace("&#39;", "'").split(";"))
        assert held["default-src"] == held["base-uri"] == held["form-action"] == "'none'"
        assert held["img-src"] == "'self' file: data:"
        assert re.fullmatch(r"'sha256-[\w+/=]+'", held["script-src"])
        assert re.fullmatch(r"'sha256-[\w+/=]+'", held["style-src"])
        assert not re.search(r'(?:src|href)="(?:https?:)?//', page.replace('href="https://example.com', ""))
