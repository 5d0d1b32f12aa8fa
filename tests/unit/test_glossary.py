"""Misheard words: where they stand, what is certain of that, and what they become."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.documents.correcting import corrected_text, places, protected
from domain.documents.document import Document
from domain.recordings.glossary import (
    HINT_CHARACTERS,
    How,
    Pair,
    Search,
    found_in,
    hints,
    put_right_in,
    replaced,
)
from domain.recordings.transcript import Segment, SpeechFound, Transcript

KUBERNETES = Pair(heard="cube netties", right="Kubernetes")
SCIM = Pair(heard="skim", right="SCIM")
NGINX = Pair(heard="ingress engine x", right="ingress-nginx")


@pytest.mark.parametrize(
    ("pair", "text", "becomes", "how"),
    [
        (KUBERNETES, "Open Cube netties now", "Kubernetes", How.WORD),
        (KUBERNETES, "a cube-netties cluster", "Kubernetes", How.WORD),
        (KUBERNETES, "the cube\nnetties page", "Kubernetes", How.WORD),
        (KUBERNETES, "cube netties' name", "Kubernetes'", How.WORD),
        (SCIM, "skim\u2019s tokens", "SCIM\u2019s", How.WORD),
        (SCIM, "two skims", "SCIMs", How.INFLECTED),
        (SCIM, "the skim-token", "SCIM", How.COMPOUND),
        (SCIM, "see docs/skim/token", "SCIM", How.COMPOUND),
        (SCIM, "Skim: a protocol.", "SCIM", How.WORD),
        (Pair(heard="costumer", right="customer"), "Costumer data", "Customer", How.WORD),
        (Pair(heard="Costumer", right="customer"), "Costumer data", "customer", How.WORD),
        (Pair(heard="get hub", right="gitHub"), "Get hub", "gitHub", How.WORD),
    ],
)
def test_given_words_that_stand_by_themselves_then_they_are_found_with_their_case_and_endings(
    pair: Pair, text: str, becomes: str, how: How
) -> None:
    (found,) = found_in(text, pair)
    assert (found.becomes, found.how) == (becomes, how)


@pytest.mark.parametrize(
    ("pair", "text"),
    [
        (SCIM, "skimming a page, or skimmed milk"),
        (SCIM, "preskim"),
        (SCIM, "SCIM"),
        (SCIM, "a_skim_b"),
        (KUBERNETES, "cube. netties"),
        (KUBERNETES, "cube\n\nnetties"),
        (Pair(heard="nginx", right="ingress-nginx"), "the ingress-nginx controller"),
        (Pair(heard="Straße", right="Strasse"), "Straßenbahn"),
    ],
)
def test_given_words_within_others_or_right_already_then_nothing_is_found(pair: Pair, text: str) -> None:
    assert list(found_in(text, pair)) == []


@pytest.mark.parametrize(
    ("right", "text", "found", "certain"),
    [
        ("Kubernetes", "use cubernetis here", "cubernetis", True),
        ("ingress-nginx", "the ingress NGINX pod", "ingress NGINX", True),
        ("SCIM", "by S C I M", "S C I M", True),
        ("GitHub", "on git hub", "git hub", True),
        ("SCIM", "skim it", "skim", False),
        ("Grafana", "a graphana board", "graphana", False),
    ],
)
def test_given_what_sounds_like_it_then_it_is_offered_and_certain_only_where_next_to_nothing_else_can_be_meant(
    right: str, text: str, found: str, certain: bool
) -> None:
    ((one, _, is_certain),) = Search([Pair(heard="nothing of this", right=right)]).similar(text)
    assert (text[one.start : one.end], one.becomes, is_certain) == (found, right, certain)


@pytest.mark.parametrize(
    ("right", "text"),
    [
        ("Teams", "two teams play"),
        ("Notion", "a notion of it"),
        ("Kubernetes", "Kubernetes runs, and the coast is clear"),
        ("message", "a massage after the message"),
        ("Go", "go on"),
    ],
)
def test_given_ordinary_words_then_none_of_them_is_certain(right: str, text: str) -> None:
    assert Search([Pair(heard="nothing of this", right=right)]).certain(text) == ()


def test_given_a_new_recording_then_what_is_certain_is_put_right_and_told_and_the_rest_stays() -> None:
    segments = ("Open cube netties.", "Skimming skims the skim page.", "Nothing here.")
    heard = Transcript(
        speech=SpeechFound.SPEECH,
        duration_ms=9000,
        model="test",
        segments=tuple(
            Segment(id=place, start_ms=place * 1000, end_ms=place * 1000 + 900, text=f" {text}")
            for place, text in enumerate(segments)
        ),
    )
    put = put_right_in(heard, [KUBERNETES, SCIM])
    assert [(each.segment, each.text) for each in put] == [
        (0, "Open Kubernetes."),
        (1, "Skimming skims the SCIM page."),
    ]
    assert [(word.heard, word.right) for each in put for word in each.words] == [
        ("cube netties", "Kubernetes"),
        ("skim", "SCIM"),
    ]


MARKDOWN = """## Call skim

Say skim in [skim](https://example.org/skim) or <https://skim.example.org>, `skim --now`, and <b title="skim">skim</b>.

```sh
skim --all
```

[skim]: https://skim.example.org
"""


def test_given_a_document_then_code_tags_and_addresses_are_offered_and_nothing_of_them_is_certain() -> None:
    search = Search([SCIM])
    found = list(places(search, None, Document.of([("0" * 8 + "-0000-0000-0000-" + "0" * 12, MARKDOWN)])))
    assert [each.how for each in found] == [
        *(How.WORD, How.WORD, How.WORD, How.ADDRESS, How.ADDRESS, How.CODE, How.CODE, How.WORD),
        *(How.CODE, How.ADDRESS, How.ADDRESS),
    ]
    chosen = {each.id for each in found if each.is_certain}
    text, used = corrected_text(MARKDOWN.rstrip(), chosen, search, found[0].block_id or "")
    assert used == chosen
    for kept in ("https://example.org/skim)", "<https://skim.", "`skim --now`", 'title="skim"', "skim --all"):
        assert kept in text
    assert text.count("SCIM") == len(chosen)


def test_given_code_by_indentation_or_unclosed_fences_then_it_is_code() -> None:
    assert [how for *_, how in protected("    skim\n")] == [How.CODE]
    assert [(start, end) for start, end, how in protected("a\n\n~~~\nskim") if how is How.CODE] == [(3, 11)]


def test_given_pairs_then_as_many_right_words_are_hints_as_can_be_told_each_once() -> None:
    pairs = [Pair(heard=f"h{each}", right=f"word{each // 2}" * 5) for each in range(40)]
    told = hints(pairs)
    assert len(set(told)) == len(told) > 3
    assert sum(len(each) + 2 for each in told) <= HINT_CHARACTERS


words = st.text(st.sampled_from("ab 's-.\n"), min_size=1, max_size=8).filter(lambda each: bool(each.split()))


@given(st.text(st.sampled_from("aAbBs' -.\n"), max_size=60), words, words)
def test_whatever_is_looked_for_places_lie_apart_and_what_is_around_them_stays(
    text: str, heard: str, right: str
) -> None:
    pair = Pair(heard=heard.strip(), right=right.strip())
    found = [each for each, _ in Search([pair]).found(text)]
    assert all(one.end <= other.start for one, other in pairwise(found))
    at = 0
    made = replaced(text, found)
    for each in found:
        assert made.startswith(text[at : each.start])
        made = made[each.start - at + len(each.becomes) :]
        at = each.end
    assert made == text[at:]
