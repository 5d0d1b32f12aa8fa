"""Which steps of a translation are behind its original, and what an update may and may not do to it."""

import uuid
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.documents.document import BlockEvidence, BlockMark, Document, carry_evidence
from domain.documents.draft import BlockRole
from domain.documents.translations import (
    BlockStanding,
    NewText,
    Offer,
    TranslationStanding,
    answered,
    held_against,
    updated,
)
from domain.documents.versions import TranslatedFrom, fingerprint
from domain.errors import RequestInvalid

IDS = [str(uuid.UUID(int=number)) for number in range(1, 9)]
OWN = [str(uuid.UUID(int=number)) for number in range(101, 105)]
CURRENT, BEHIND, MISSING, LEFT_OUT, GONE, OWN_TEXT = BlockStanding


def translated(text: str, *, usable: bool = True) -> NewText:
    return NewText(markdown=f"<{text}>" if usable else text, source_sha256=fingerprint(text), untranslated=not usable)


@dataclass(frozen=True)
class Pair:
    """An original and its translation, which people work on, and all that the translation was before."""

    source: tuple[tuple[str, str], ...]
    here: Document = field(default_factory=Document)
    evidence: tuple[BlockEvidence, ...] = ()
    offers: dict[str, Offer] = field(default_factory=dict)
    earlier: dict[str, BlockEvidence] = field(default_factory=dict)

    @property
    def original(self) -> Document:
        return Document.of(self.source)

    def roles(self) -> tuple[BlockEvidence, ...]:
        return tuple(BlockEvidence(block_id=each, role=BlockRole.STEP, start_ms=5) for each, _ in self.source)

    def standing(self) -> TranslationStanding:
        absent = [rests for block_id, rests in self.earlier.items() if block_id not in self.here.ids]
        return held_against(self.original, self.here, self.evidence, offers=self.offers, earlier=absent)

    def updated(self, *, reorder: bool = False, only: tuple[str, ...] | None = None) -> "Pair":
        wanted = self.standing().to_translate if only is None else only
        texts = {block_id: translated(text) for block_id, text in self.source if block_id in wanted}
        made = updated(
            self.original, self.roles(), self.here, self.evidence, texts, offers=self.offers, reorder=reorder
        )
        return self._now(made.document, made.evidence, made.offers)

    def edited(self, pairs: tuple[tuple[str, str], ...]) -> "Pair":
        """As somebody saves it: what blocks rest on goes over to those that are still there, or are there again."""
        document = Document.of(pairs)
        back = [each for block_id, each in self.earlier.items() if block_id not in self.here.ids]
        return self._now(document, carry_evidence([*back, *self.evidence], document), self.offers)

    def _now(self, here: Document, evidence: tuple[BlockEvidence, ...], offers: dict[str, Offer]) -> "Pair":
        known = {each.block_id: each for each in evidence if each.translated is not None}
        return replace(self, here=here, evidence=evidence, offers=offers, earlier={**self.earlier, **known})

    def text(self, block_id: str) -> str:
        return self.here.block(block_id).markdown

    def of(self, block_id: str) -> BlockStanding:
        return next(each.state for each in self.standing().blocks if each.block_id == block_id)


def pair(*texts: str) -> Pair:
    return Pair(source=tuple(zip(IDS, texts, strict=False))).updated()


def test_given_a_guide_when_translated_then_ids_roles_and_times_are_the_originals_and_nothing_is_behind() -> None:
    made = pair("One", "Two")
    assert made.here == Document.of([(IDS[0], "<One>"), (IDS[1], "<Two>")])
    assert [(each.block_id, each.role, each.start_ms) for each in made.evidence] == [
        (IDS[0], BlockRole.STEP, 5),
        (IDS[1], BlockRole.STEP, 5),
    ]
    assert made.standing().counts() | {"current": 2} == made.standing().counts()
    assert not made.standing().to_translate


def test_given_changes_of_the_original_then_each_step_says_what_it_is() -> None:
    made = pair("One", "Two", "Three", "Four")
    made = made.edited(((IDS[0], "<One>"), (IDS[1], "<Two>"), (OWN[0], "mine"), (IDS[2], "<Three>")))
    made = replace(made, source=((IDS[0], "One"), (IDS[1], "Two, changed"), (IDS[3], "Four"), (IDS[4], "Five")))
    assert [made.of(each) for each in (*IDS[:5], OWN[0])] == [CURRENT, BEHIND, GONE, LEFT_OUT, MISSING, OWN_TEXT]
    assert made.standing().to_translate == (IDS[1], IDS[4])


def test_given_an_edited_step_whose_original_changes_when_updated_then_its_text_stays_and_the_new_one_waits() -> None:
    made = pair("One", "Two").edited(((IDS[0], "my one"), (IDS[1], "<Two>")))
    made = replace(made, source=((IDS[0], "One, changed"), (IDS[1], "Two, changed"))).updated()
    assert (made.text(IDS[0]), made.text(IDS[1])) == ("my one", "<Two, changed>")
    assert made.offers == {IDS[0]: Offer(markdown="<One, changed>", source_sha256=fingerprint("One, changed"))}
    assert made.of(IDS[0]) is BEHIND
    assert not made.standing().to_translate, "what waits is not asked for again"


@pytest.mark.parametrize("take", [True, False])
def test_given_an_offer_when_answered_then_the_step_is_current_and_its_text_is_what_was_chosen(take: bool) -> None:
    made = pair("One", "Two").edited(((IDS[0], "my one"), (IDS[1], "<Two>")))
    made = replace(made, source=((IDS[0], "One, changed"), (IDS[1], "Two"))).updated()
    offer = made.offers[IDS[0]]
    document, evidence = answered(made.evidence, made.here, IDS[0], offer.source_sha256, offer if take else None)
    made = made._now(document, evidence, {})
    assert made.text(IDS[0]) == ("<One, changed>" if take else "my one")
    assert made.of(IDS[0]) is CURRENT
    again = replace(made, source=((IDS[0], "One, again"), (IDS[1], "Two"))).updated()
    assert (again.text(IDS[0]) == "<One, again>") is take, "a taken text is the machine's, an edited one a person's"


def test_given_steps_that_the_original_lost_when_updated_then_edited_ones_stay_and_others_go() -> None:
    made = pair("One", "Two", "Three").edited(((IDS[0], "<One>"), (IDS[1], "my two"), (IDS[2], "<Three>")))
    made = replace(made, source=((IDS[0], "One"),)).updated()
    assert made.here.ids == (IDS[0], IDS[1])
    assert made.of(IDS[1]) is GONE


def test_given_a_step_that_could_not_be_translated_then_it_is_said_and_asked_for_again() -> None:
    texts = {IDS[0]: translated("One", usable=False)}
    source = Document.of([(IDS[0], "One")])
    made = updated(source, (), Document(), (), texts)
    stands = held_against(source, made.document, made.evidence)
    assert stands.blocks[0].untranslated and stands.blocks[0].state is CURRENT
    assert stands.to_translate == (IDS[0],)
    again = updated(source, (), made.document, made.evidence, {IDS[0]: translated("One")})
    assert not held_against(source, again.document, again.evidence).to_translate


def test_given_a_step_that_is_something_else_in_the_original_then_the_translation_follows_unless_somebody_chose() -> (
    None
):
    made = pair("One", "Two")
    chosen = carry_evidence(made.evidence, made.here, [BlockMark(block_id=IDS[1], role=BlockRole.TEXT)])
    notes = [BlockEvidence(block_id=each, role=BlockRole.NOTE) for each in IDS[:2]]
    again = updated(made.original, notes, made.here, chosen, {})
    assert [each.role for each in again.evidence] == [BlockRole.NOTE, BlockRole.TEXT]


def test_given_a_step_cut_in_two_then_the_new_half_is_of_no_original() -> None:
    made = pair("One")
    halves = Document.of([(IDS[0], "<On"), (OWN[0], "e>")])
    evidence = carry_evidence(made.evidence, halves, [BlockMark(block_id=OWN[0], cut_from=IDS[0])])
    assert [each.translated is not None for each in evidence] == [True, False]


def test_given_an_earlier_version_of_the_translation_then_its_steps_are_behind_again() -> None:
    first = pair("One")
    now = replace(first, source=((IDS[0], "One, changed"),)).updated()
    assert now.of(IDS[0]) is CURRENT
    assert replace(now, here=first.here, evidence=first.evidence).of(IDS[0]) is BEHIND


def test_an_answer_about_a_block_that_is_not_there_is_refused() -> None:
    made = pair("One")
    with pytest.raises(RequestInvalid):
        answered(made.evidence, made.here, IDS[5], "0" * 64, None)


TEXTS = st.sampled_from(["a", "b", "c"])


@st.composite
def _sources(draw: st.DrawFn) -> tuple[tuple[str, str], ...]:
    ids = draw(st.lists(st.sampled_from(IDS), min_size=1, unique=True))
    return tuple((each, draw(TEXTS)) for each in ids)


@st.composite
def _worked_on(draw: st.DrawFn) -> Pair:
    """A translation after some rounds of people changing both documents, and of updates."""
    made = Pair(source=draw(_sources())).updated()
    for _ in range(draw(st.integers(0, 3))):
        made = replace(made, source=draw(_sources()))
        kept = [
            (block.id, draw(st.sampled_from([block.markdown, "edited"])))
            for block in draw(st.permutations(made.here.blocks))
            if draw(st.booleans())
        ]
        own = [(each, "own") for each in OWN if each not in made.here.ids and draw(st.booleans())]
        made = made.edited((*kept, *own))
        if draw(st.booleans()):
            made = made.updated()
    return replace(made, source=draw(_sources()))


@given(_worked_on(), st.booleans())
def test_whatever_was_done_an_update_leaves_nothing_behind_that_nobody_edited_and_changes_no_text_of_a_person(
    before: Pair, reorder: bool
) -> None:
    edited = {each.block_id for each in before.standing().blocks if each.edited or each.state is OWN_TEXT}
    absent = {each.block_id for each in before.standing().blocks if each.state is LEFT_OUT}
    after = before.updated(reorder=reorder)
    for block_id in edited & set(before.here.ids):
        assert after.text(block_id) == before.text(block_id)
    for each in after.standing().blocks:
        assert each.state is not MISSING
        assert each.state not in (BEHIND, GONE) or each.edited
        assert each.state is not BEHIND or each.offered
    assert not absent & set(after.here.ids), "what somebody took out stays out"
    assert not after.standing().to_translate
    assert not (reorder and after.standing().reordered)
    assert after.updated(reorder=reorder) == after, "once more changes nothing"


@given(_worked_on())
def test_whatever_was_done_an_update_moves_nothing_that_was_there_unless_it_is_asked_to(before: Pair) -> None:
    after = before.updated()
    assert [each for each in after.here.ids if each in before.here.ids] == [
        each for each in before.here.ids if each in after.here.ids
    ]


@given(_worked_on())
def test_every_text_that_waits_is_of_a_step_that_both_have(made: Pair) -> None:
    after = made.updated()
    assert set(after.offers) <= set(after.here.ids) & set(after.original.ids)
    assert all(isinstance(each.translated, TranslatedFrom) or each.block_id in OWN for each in after.evidence)
