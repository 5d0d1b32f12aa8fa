"""What a spoken English sentence means for an instruction."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from activities.drafting.language.sentences import Sentence, sentences
from activities.drafting.language.utterances import (
    HEADING_LIMIT,
    action,
    clauses,
    cleaned,
    is_courtesy,
    is_note,
    opening_plan,
    title,
)
from activities.drafting.markdown import letters_only
from domain.recordings.transcript import Segment
from tests.unit.drafting_builders import spoken


@pytest.mark.parametrize(
    ("said", "heading"),
    [
        ("So, um, first we'll click on the New Project button.", "Click the New Project button"),
        ("Okay so now I'm going to open the settings.", "Open the settings"),
        ("Then you click on Save.", "Click Save"),
        ("Let's start by opening the terminal.", "Open the terminal"),
        ("The first thing we need to do is to go to the Settings page.", "Go to the Settings page"),
        ("What I'm going to do now is run npm install.", "Run npm install"),
        ("I'm clicking on the blue button.", "Click the blue button"),
        ("Right click on the desktop.", "Right-click the desktop"),
        ("Go ahead and press Enter.", "Press Enter"),
        ("First, whisk the eggs.", "Whisk the eggs"),
        ("Step three, pick a role.", "Pick a role"),
        ("You'll want to give it a name.", "Give it a name"),
        ("All you have to do is click Publish.", "Click Publish"),
        ("Select the red, green and blue layers.", "Select the red, green and blue layers"),
        ("Add a due date, a label, and a person.", "Add a due date, a label, and a person"),
        ("Run git commit -m fix_bug.", "Run git commit -m fix_bug"),
        ("you\u2019ll click Save", "Click Save"),
        ("Wait until the bar is full.", "Wait until the bar is full"),
        ("Check whether it is on.", "Check whether it is on"),
    ],
)
def test_given_an_instruction_when_read_then_its_heading_says_all_of_it(said: str, heading: str) -> None:
    found = action(said)
    assert found is not None
    assert (found.heading, found.whole) == (heading, True)


@pytest.mark.parametrize(
    ("said", "heading"),
    [
        ("In the top right corner, click the gear icon.", "Click the gear icon"),
        ("From the menu choose Export as PDF.", "Choose Export as PDF"),
        ("Once it's loaded, click Save.", "Click Save"),
        ("Like I said, click Save.", "Click Save"),
        ("Finally, hit the Publish button, and you're done.", "Hit the Publish button"),
        ("Press invite so that they get an email.", "Press invite"),
        ("To undo this press Control Z.", "Press Control Z"),
    ],
)
def test_given_more_than_an_instruction_when_read_then_the_heading_is_its_core(said: str, heading: str) -> None:
    found = action(said)
    assert found is not None
    assert (found.heading, found.whole) == (heading, False)


@pytest.mark.parametrize(
    "said",
    [
        "If you want a copy, click Duplicate.",
        "You can also press Ctrl+S.",
        "Here you can see the dashboard.",
        "Search results appear on the left.",
        "Export settings are at the bottom.",
        "Next, the dialog opens.",
        "Now let me show you the report.",
        "What happens if you click Save?",
        "And that's how you create a project.",
        "You should see a green check mark.",
        "I have already opened it.",
        "This opens a new window.",
        "Let's go.",
        "Let's take a look at the result.",
        "Keep in mind that it is slow.",
        "",
        "...",
    ],
)
def test_given_talk_that_tells_nobody_to_do_anything_when_read_then_it_is_no_step(said: str) -> None:
    assert action(said) is None


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (
            "Next, we choose Export from the menu, then click PDF.",
            ["Next, we choose Export from the menu", "click PDF."],
        ),
        ("Click File, choose Open, and select the image.", ["Click File", "choose Open", "select the image."]),
        ("To export it, click Export, and then pick a folder.", ["To export it, click Export", "pick a folder."]),
        ("Type your name and click Save.", ["Type your name and click Save."]),
        ("Select the red, green and blue layers.", ["Select the red, green and blue layers."]),
        ("It opens, then it closes.", ["It opens, then it closes."]),
    ],
)
def test_given_several_actions_in_a_sentence_when_cut_then_each_is_a_clause(said: str, expected: list[str]) -> None:
    assert clauses(said) == expected


def test_given_warnings_and_reminders_when_read_then_they_are_notes() -> None:
    assert is_note("So, note that this takes a minute.")
    assert is_note("Make sure the toggle is on.")
    assert is_note("Don't close the window.")
    assert not is_note("It notes the date.")


def test_given_greetings_and_thanks_when_read_then_they_are_courtesy() -> None:
    assert is_courtesy("Hi everyone, and welcome back.")
    assert is_courtesy("Thanks for watching!")
    assert is_courtesy("Okay.")
    assert not is_courtesy("Great, click Save.")
    assert not is_courtesy("Welcome to this demo, in which we will build a shop from nothing at all.")


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("In this video, I'll show you how to create a project in Acme.", "How to create a project in Acme"),
        ("Hi, today we're going to create an invoice.", "Create an invoice"),
        ("This is a quick tutorial on exporting reports.", "Exporting reports"),
        ("Welcome to this demo of the Orders app.", "The Orders app"),
        ("In this screencast we're adding a customer to Bluebird today.", "Add a customer to Bluebird"),
        ("How to make tea.", "How to make tea"),
        ("Here is how you turn on the alarm on your phone.", "How to turn on the alarm on your phone"),
        ("So how do you do that?", None),
        ("I don't know how to say it.", None),
        ("Today we talk about whales.", None),
        ("Click Save.", None),
    ],
)
def test_given_an_announcement_when_read_then_its_topic_is_the_title(said: str, expected: str | None) -> None:
    found = title(["Okay.", said])
    assert found == (None if expected is None else (1, expected))


def test_given_a_beginning_that_says_what_will_be_done_when_read_then_it_is_a_title_unless_it_calls_a_control() -> None:
    assert opening_plan("We will install Orbit on Windows.") == "Install Orbit on Windows"
    assert opening_plan("So here we schedule a report for every week.") == "Schedule a report for every week"
    assert opening_plan("I'll click Save.") is None
    assert opening_plan("We will see what happens.") is None


def test_given_mumbling_when_cleaned_then_only_that_is_gone() -> None:
    assert cleaned("okay, so, um, the list, you know, has uh 3 items") == "The list has 3 items."
    assert cleaned("npm_run is a word") == "npm_run is a word."
    assert cleaned("is it?") == "Is it?"


WORDS = st.sampled_from(
    (
        *("first", "then", "okay,", "so", "um,", "click", "on", "the", "Save", "button", "and", "we", "I'm", "going"),
        *("to", "right", "if", "you", "can", "also", "in", "menu,", "type", "name", "which", "opens", "start", "by"),
        *(
            "clicking",
            "let's",
            "go",
            "note",
            "that",
            "how",
            "video",
            "today",
            "step",
            "two",
            "foo_bar",
            "é",
            "-",
            "...",
        ),
    )
)


@given(st.lists(WORDS, max_size=40).map(" ".join) | st.text(max_size=200))
def test_no_heading_says_a_word_that_was_not_said_and_none_is_too_long(said: str) -> None:
    def words(text: str) -> set[str]:
        return {letters_only(part) for word in text.replace("\u2026", " ").split() for part in word.split("-")}

    found = action(said)
    if found is not None:
        assert 0 < len(found.heading) <= HEADING_LIMIT
        gerunds = {{"clicking": "click", "going": "go"}.get(word, word) for word in words(said)}
        assert words(found.heading) <= gerunds | words(said) | {""}


@given(st.lists(WORDS, max_size=40).map(" ".join) | st.text(max_size=200))
def test_clauses_are_the_sentence_in_order(said: str) -> None:
    end = 0
    for clause in clauses(said):
        end = said.index(clause, end) + len(clause)


# --- sentences -------------------------------------------------------------------------------------------------


def cut(*texts: str, pause_ms: int = 300) -> list[tuple[str, tuple[int, ...]]]:
    return [(each.text, each.segments) for each in sentences(spoken(*texts, pause_ms=pause_ms).segments)]


def test_given_a_sentence_over_segments_when_cut_then_it_cites_all_of_them() -> None:
    assert cut("Click the New", "Project button. It", "opens.") == [
        ("Click the New Project button.", (0, 1)),
        ("It opens.", (1, 2)),
    ]


def test_given_dots_that_end_nothing_when_cut_then_the_sentence_goes_on() -> None:
    assert [text for text, _ in cut("Open file.txt, e.g. version 3.5 of Dr. Who... then wait. Done!")] == [
        "Open file.txt, e.g. version 3.5 of Dr. Who... then wait.",
        "Done!",
    ]


def test_given_a_long_pause_when_cut_then_the_sentence_ends_there() -> None:
    assert cut("now we wait", "and go on.", pause_ms=2_000) == [("now we wait", (0,)), ("and go on.", (1,))]


def test_given_no_punctuation_at_all_when_cut_then_each_segment_is_a_sentence() -> None:
    texts = [f"this is what I say number {number}" for number in range(20)]
    assert [text for text, _ in cut(*texts)] == texts


def test_given_scripts_without_spaces_when_cut_then_words_are_not_torn_and_marks_end_sentences() -> None:
    assert cut("保存をクリ", "ックします。次に開きます。") == [
        ("保存をクリックします。", (0, 1)),
        ("次に開きます。", (1,)),
    ]


def test_given_only_marks_when_cut_then_there_is_no_sentence() -> None:
    assert cut("\u266a", "...") == []


@given(st.lists(st.text(st.sampled_from("ab. !?,\n\u3042\u3002"), min_size=1, max_size=12), max_size=8))
def test_sentences_keep_every_letter_and_say_where_it_was_spoken(texts: list[str]) -> None:
    segments = [
        Segment(id=place, start_ms=place * 1000, end_ms=place * 1000 + 900, text=text)
        for place, text in enumerate(texts)
    ]
    made = sentences(segments)
    assert [each for one in made for each in letters_only(one.text)] == [
        each for text in texts for each in letters_only(text)
    ]
    for one in made:
        assert letters_of(one, segments).startswith("".join(one.text.split()))


def letters_of(sentence: Sentence, segments: list[Segment]) -> str:
    """What stands in the cited segments between the sentence's two places."""
    cited = ["".join(segments[number].text.split()) for number in sentence.segments]
    cited[-1] = cited[-1][: sentence.ends_at]
    cited[0] = cited[0][sentence.begins_at :]
    return "".join(cited)
