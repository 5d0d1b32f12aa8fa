"""A draft becomes the stored document."""

import pytest
from markdown_it import MarkdownIt

from activities.drafting import LocalDrafter, compose
from activities.stages.instruction import first_version
from domain.documents.document import marker, parse, stable_ids, with_ids
from domain.documents.draft import BlockRole, Draft, DraftBlock, DraftProvenance, DraftWarning
from domain.documents.validation import validate
from domain.errors import DraftInvalid
from domain.recordings.transcript import SpeechFound
from tests.unit.drafting_builders import TOUR, screens, spoken, unspoken

SAID = spoken("One.", "Two.", "Three.")


def draft(*blocks: DraftBlock, language: str | None = "en") -> Draft:
    title = DraftBlock(role=BlockRole.TITLE, heading="A *starry*  title", segments=(0,))
    return Draft(
        blocks=(title, *blocks),
        language=language,
        provenance=DraftProvenance(model_profile_id="test", prompt_template_id="test/v1"),
    )


def texts(made: Draft) -> list[str]:
    return [block.markdown for block in parse(compose(made, SAID, (), stable_ids("test")).markdown).blocks]


def test_given_a_warning_with_moments_when_a_version_is_made_then_it_keeps_them() -> None:
    warning = DraftWarning(code="FEW_STEPS", message="Look here.", at_ms=(3_000, 7_000))
    told = draft(DraftBlock(role=BlockRole.LEAD, body="Lead.")).model_copy(update={"warnings": (warning,)})
    version, _ = first_version(told, SAID, (), stable_ids("test"))
    assert version.warnings == ({"code": "FEW_STEPS", "message": "Look here.", "at_ms": [3_000, 7_000], "details": {}},)


def test_given_a_draft_when_composed_then_each_role_has_its_markdown_and_steps_no_number() -> None:
    made = draft(
        DraftBlock(role=BlockRole.LEAD, body="Lead."),
        DraftBlock(role=BlockRole.STEP, heading="Open it", body="Like so.\n\n- a\n- b", segments=(1,)),
        DraftBlock(role=BlockRole.STEP, heading="Close it", segments=(2,)),
        DraftBlock(role=BlockRole.NOTE, body="It is slow.", segments=(2,)),
    )
    assert texts(made) == [
        "# A \\*starry\\* title",
        "Lead.",
        "## Open it\n\nLike so.\n\n- a\n- b",
        "## Close it",
        "> **Note:** It is slow.",
    ]


@pytest.mark.parametrize(
    ("block", "language", "markdown"),
    [
        (DraftBlock(role=BlockRole.NOTE, body="Note that it is slow.", segments=(1,)), "en", "> Note that it is slow."),
        (DraftBlock(role=BlockRole.NOTE, body="Es ist langsam.", segments=(1,)), "de", "> Es ist langsam."),
        (DraftBlock(role=BlockRole.NOTE, body="- a\n- b", segments=(1,)), "en", "> - a\n> - b"),
        (DraftBlock(role=BlockRole.NOTE, body="```\nx\n\ny\n```", segments=(1,)), "en", "> ```\n> x\n>\n> y\n> ```"),
        (DraftBlock(role=BlockRole.NOTE, heading="Mind", body="x", segments=(1,)), "en", "> **Mind**\n>\n> x"),
        (DraftBlock(role=BlockRole.LEAD, heading="Head", body="x"), "en", "**Head**\n\nx"),
    ],
)
def test_given_a_note_when_composed_then_it_is_a_quotation_with_a_label_where_one_fits(
    block: DraftBlock, language: str, markdown: str
) -> None:
    assert texts(draft(block, language=language))[1] == markdown


def test_given_a_draft_when_composed_then_evidence_stands_beside_each_block_with_derived_times() -> None:
    made = draft(DraftBlock(role=BlockRole.STEP, heading="x", segments=(2, 1, 2)))
    composed = compose(made, SAID, (), stable_ids("test"))
    assert [each.block_id for each in composed.evidence] == list(parse(composed.markdown).ids)
    step = composed.evidence[1]
    assert (step.role, step.segments) == (BlockRole.STEP, (1, 2))
    assert (step.start_ms, step.end_ms) == (SAID.segments[1].start_ms, SAID.segments[2].end_ms)
    assert composed.title == "A *starry* title"


def test_given_a_spoken_tour_when_composed_then_the_document_passes_and_saving_it_changes_nothing() -> None:
    transcript = spoken(*TOUR)
    made = LocalDrafter().draft(transcript, (), source_name="x")
    composed = compose(made, transcript, (), stable_ids("job:1"))
    assert validate(parse(composed.markdown)) == []
    assert with_ids(composed.markdown, lambda: pytest.fail("no id was needed")) == composed.markdown
    assert compose(made, transcript, (), stable_ids("job:1")) == composed
    assert composed.markdown.startswith(marker(composed.evidence[0].block_id) + "\n# How to create a project")


def test_given_hostile_speech_when_composed_then_it_is_shown_and_does_nothing() -> None:
    transcript = spoken("Click <script>alert(1)</script> *now* and # [x](y).", "<!-- block:x -->", "1. ![p](q) `c`")
    made = LocalDrafter().draft(transcript, (), source_name="<img src=x>.mp4")
    composed = compose(made, transcript, (), stable_ids("test"))
    assert len(parse(composed.markdown).blocks) == len(made.blocks)
    shown = MarkdownIt("commonmark").render(composed.markdown)
    assert "<script" not in shown
    assert "<img" not in shown
    assert "<a " not in shown
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in shown


def test_given_screens_when_composed_then_evidence_names_them() -> None:
    transcript = unspoken(SpeechFound.SILENT)
    made = LocalDrafter().draft(transcript, screens(2), source_name="x")
    composed = compose(made, transcript, screens(2), stable_ids("test"))
    assert [(each.scenes, each.start_ms, each.end_ms) for each in composed.evidence[2:]] == [
        ((0,), 0, 3_000),
        ((1,), 3_000, 6_000),
    ]


def test_given_a_draft_that_lies_when_composed_then_it_is_refused() -> None:
    with pytest.raises(DraftInvalid):
        compose(draft(DraftBlock(role=BlockRole.STEP, heading="x", segments=(3,))), SAID, (), stable_ids("test"))
