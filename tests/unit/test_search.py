"""What a word is to the search, and what a search finds: one rule for index and query, by example and by property."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.errors import RequestInvalid
from domain.search import (
    BETWEEN,
    EXCERPT,
    LONGEST_QUERY,
    TOKENS_OF_PIECE,
    Part,
    Passage,
    excerpt,
    pieces,
    plain,
    read_query,
    tokens,
)


def finds(asked: str, text: str) -> bool:
    """Whether every term of the search stands in a text, by its tokens as the index has them."""
    query = read_query(asked)
    words = " ".join(token for token, _, _ in tokens(text))
    return query.terms_in(words) == len(query.terms)


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("strasse", "Die Straße"),
        ("STRA\u00dfE", "die strasse"),
        ("uber", "Über uns"),
        ("über", "ueber uns"),
        ("ueber", "Über uns"),
        ("Groesse", "die Größe"),
        ("größe", "die Groesse"),
        ("istanbul", "İstanbul"),
        ("İSTANBUL", "istanbul"),
        ("\u0131sparta", "Isparta"),
        ("ISPARTA", "\u0131sparta"),
        ("cafe", "Cafe\u0301"),
        ("konfig", "die Konfiguration öffnen"),
        ("smorrebrod", "Smørrebrød"),
        ("lodz", "Łódź"),
        ("full", "\uff26\uff55\uff4c\uff4c width"),
        ("settings foo_bar", "foo-bar and the settings"),
        ('"endpoint url"', "Type the Endpoint URL here"),
        ("„Endpoint URL“", "Type the Endpoint URL here"),
        ('"endpoint ur', "Type the Endpoint URL here"),
        ("2.1", "version v2 of 2.1.0"),
        ("東京", "東京都の設定"),
        ("京都", "東京都"),
        ("設", "東京都の設定"),
        ("定", "東京都の設定"),
        ("한국", "한국어 설정"),
        ("हिन्दी", "हिन्दी में"),
        ("настрой", "Настройки"),
    ],
)
def test_given_words_as_people_write_them_when_searched_then_they_are_found(asked: str, text: str) -> None:
    assert finds(asked, text)


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ('"url endpoint"', "Endpoint URL"),
        ('"endpoint ur"', "Endpoint URL"),
        ("point", "Endpoint"),
        ("blue", "blur it"),
        ("neue", "der Neubau"),
        ("東都", "東京都"),
        ("save close", "Save it"),
    ],
)
def test_given_other_words_when_searched_then_nothing_is_found(asked: str, text: str) -> None:
    assert not finds(asked, text)


@pytest.mark.parametrize("asked", ["", "  ", '""', "…!", "🙂", "x" * (LONGEST_QUERY + 1)])
def test_given_no_word_or_too_much_when_searched_then_it_is_refused(asked: str) -> None:
    with pytest.raises(RequestInvalid):
        read_query(asked)


words_of_people = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=30)


@given(words_of_people)
def test_a_text_is_found_by_itself_and_tokens_are_what_every_index_keeps(text: str) -> None:
    known = list(tokens(text))
    for token, start, end in known:
        assert token.isascii() and token.isalnum() and token[0] == "w" and token != BETWEEN
        assert 0 <= start < end <= len(text)
    if known:
        assert finds(text.replace('"', " "), text)


def test_given_many_passages_when_pieced_then_none_is_lost_and_no_phrase_crosses() -> None:
    passages = [Passage(text=f"word {number} " * 300, at_ms=number) for number in range(60)]
    made = list(pieces(Part.TRANSCRIPT, [*passages, Passage(text="…")]))
    assert len(made) > 1 and [each.number for each in made] == list(range(len(made)))
    assert [each for piece in made for each in piece.passages] == passages, "what holds no word is not indexed"
    for each in made:
        assert len(each.words.split()) <= TOKENS_OF_PIECE + len(each.passages)
        assert len(each.words.split(f" {BETWEEN}")) == len(each.passages) + 1
    (two,) = pieces(Part.STEP, [Passage(text="open the"), Passage(text="settings now")])
    assert read_query('"the settings"').terms_in(two.words) == 0


def test_given_a_long_text_when_cut_then_it_shows_what_was_found_and_marks_stay_at_their_words() -> None:
    text = "wort " * 100 + "das Ziel hier " + "wort " * 100
    spans = read_query("ziel").spans_in(text)
    shown, marks = excerpt(text, spans)
    assert len(shown) <= EXCERPT + 4 and shown.startswith("… ") and shown.endswith(" …")
    assert [shown[each.start : each.end] for each in marks] == ["Ziel"]
    assert excerpt("kurz", ()) == ("kurz", ())
    unbroken = excerpt("x" * 500, ())[0]
    assert len(unbroken) <= EXCERPT + 4


@pytest.mark.parametrize(
    ("markdown", "said"),
    [
        ("## Open **the** [settings](https://example.org)", "Open the settings"),
        ("- one\n- two\n1. three", "one two three"),
        ("`foo_bar` and snake_case, *it*, _that_", "foo_bar and snake_case, it, that"),
        (r"5 \* 3 \_x\_", "5 * 3 _x_"),
        ("![shot](a.png) seen", "shot seen"),
    ],
)
def test_given_markdown_when_made_plain_then_its_words_are_left(markdown: str, said: str) -> None:
    assert plain(markdown) == said
