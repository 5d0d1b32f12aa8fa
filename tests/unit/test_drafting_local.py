"""The built-in drafter: steps, notes, title and lead of what was said, and nothing else."""

import cProfile
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from activities.drafting import LocalDrafter
from activities.drafting.markdown import letters_only, plain_words
from activities.drafting.outline import MAX_STEPS
from activities.drafting.titles import title_from
from domain.documents.draft import BlockRole, Draft, check_draft, cited_time
from domain.errors import Cancelled
from domain.recordings.transcript import Segment, SpeechFound, Transcript
from tests.unit.drafting_builders import TOUR, screens, spoken, unspoken


def drafted(transcript: Transcript, source_name: str = "demo.mp4") -> Draft:
    draft = LocalDrafter().draft(transcript, (), source_name=source_name)
    check_draft(draft, transcript)
    return draft


def outline(draft: Draft) -> list[tuple[str, str]]:
    return [(str(block.role), block.heading or block.body) for block in draft.blocks]


def codes(draft: Draft) -> list[str]:
    return [warning.code for warning in draft.warnings]


def test_given_a_narrated_tour_when_drafted_then_it_has_title_lead_steps_and_notes_in_order() -> None:
    draft = drafted(spoken(*TOUR))
    assert outline(draft) == [
        ("title", "How to create a project in Bluebird"),
        ("lead", "It only takes a minute."),
        ("step", "Click the New Project button in the top right corner"),
        ("step", "Type the name, for example Spring Launch"),
        ("step", "Press Enter"),
        ("step", "Choose a template from the list"),
        ("step", "Click Continue"),
        ("note", "Note that you can change the template later."),
        ("step", "Open the settings"),
        ("step", "Click Members"),
        ("step", "Hit the Invite button"),
    ]
    assert codes(draft) == []
    assert draft.provenance.model_profile_id == "local"
    assert draft.provenance.prompt_template_id == "local/v7"


def test_given_talk_after_a_step_when_drafted_then_it_is_the_steps_body() -> None:
    bodies = {block.heading: block.body for block in drafted(spoken(*TOUR)).blocks}
    assert bodies["Click the New Project button in the top right corner"] == "A dialog opens, and it asks for a name."
    assert bodies["Click Members"] == "In the menu on the left, click Members. Here you can see everyone in the team."
    assert bodies["Press Enter"] == ""


@pytest.mark.parametrize(
    ("language", "said", "steps"),
    [
        (
            "en",
            ("To export the report, click Export.", "For a report by mail, choose Monthly from the list."),
            [
                ("Click Export", "To export the report, click Export."),
                ("Choose Monthly from the list", "For a report by mail, choose Monthly from the list."),
            ],
        ),
        (
            "en",
            ("Now we are going to need a shipping rule, so hit Add rule.", "It asks once more, so click Yes."),
            [
                ("Hit Add rule", "We are going to need a shipping rule, so hit Add rule."),
                ("Click Yes", "It asks once more, so click Yes."),
            ],
        ),
        (
            "en",
            ("Press Save.", "It takes a moment, so give it a second."),
            [("Press Save", "It takes a moment, so give it a second.")],
        ),
        (
            "en",
            ("Press Control S to save.", "Oh wait, before that, rename it to Invoice May."),
            [("Press Control S to save", ""), ("Before that, rename it to Invoice May", "")],
        ),
        ("en", ("Press Save.", "Oh wait, press Cancel."), [("Press Cancel", "")]),
        (
            "en",
            (
                "There's your picture in the corner, click that and go to Preferences.",
                "Hover over the row and a little pencil shows up, and I click on that.",
            ),
            [
                ("Go to Preferences", "There's your picture in the corner, click that and go to Preferences."),
                (
                    "Hover over the row and a little pencil shows up",
                    "Hover over the row and a little pencil shows up, and I click on that.",
                ),
            ],
        ),
        (
            "de",
            (
                "Um ein Konto anzulegen, klicken Sie auf Neu.",
                "Im Menü oben wählen Sie Hilfe.",
                "Wenn das Fenster aufgeht, drücken Sie Ja.",
                "Zum Schluss auf Speichern klicken.",
                "Dann muss man noch einen Grund angeben.",
                "Wenn Sie möchten, können Sie den Text ändern.",
                "Zuerst gehe ich auf Rechnungen.",
            ),
            [
                ("Klicken Sie auf Neu", "Um ein Konto anzulegen, klicken Sie auf Neu."),
                ("Wählen Sie Hilfe", "Im Menü oben wählen Sie Hilfe."),
                ("Drücken Sie Ja", "Wenn das Fenster aufgeht, drücken Sie Ja."),
                ("Auf Speichern klicken", ""),
                ("Einen Grund angeben", "Wenn Sie möchten, können Sie den Text ändern."),
                ("Ich gehe auf Rechnungen", ""),
            ],
        ),
        (
            "en",
            (
                "So the first thing I do is I go over to Contacts, and I search for the name.",
                "Then what I like to do is turn it into a list.",
                "The way I do it is I hit Enter.",
                "You'll find more under Help.",
                "There you add the address, please.",
                "Send, and that's it.",
            ),
            [
                ("Go over to Contacts", ""),
                ("Search for the name", ""),
                ("Turn it into a list", ""),
                ("Hit Enter", "You'll find more under Help."),
                ("Add the address", ""),
                ("Send", ""),
            ],
        ),
        (
            "en",
            (
                "Long press the brightness slider.",
                "Slide to confirm.",
                "To close the month, you want to go into Period Closing.",
                "You hover over the message, you click the three dots, and you pick Remind me.",
                "Run it with dash dash port.",
            ),
            [
                ("Long-press the brightness slider", ""),
                ("Slide to confirm", ""),
                ("Go into Period Closing", "To close the month, you want to go into Period Closing."),
                ("Hover over the message", ""),
                ("Click the three dots", ""),
                ("Pick Remind me", ""),
                ("Run it with dash dash port", ""),
            ],
        ),
        (
            "en",
            (
                "First, turn off the printer and unplug it.",
                "Squeeze the tab on the black one and lift it out.",
                "One, press Reset.",
                "Two, set the owner to your team.",
                "Hit Send, and they get an email.",
                "We're going to go ahead and click Save.",
                "Let's start with tickets.",
            ),
            [
                ("Turn off the printer", "First, turn off the printer and unplug it."),
                ("Squeeze the tab on the black one", "Squeeze the tab on the black one and lift it out."),
                ("Press Reset", ""),
                ("Set the owner to your team", ""),
                ("Hit Send", "Hit Send, and they get an email."),
                ("Click Save", "Let's start with tickets."),
            ],
        ),
        (
            "en",
            ("I open the list.", "I change the date.", "If you want to get rid of it, click the X."),
            [("Open the list", ""), ("Change the date", "If you want to get rid of it, click the X.")],
        ),
        (
            "de",
            (
                "Ihr meldet euch zuerst im Portal an und klickt links auf Abwesenheiten.",
                "Dann wählt ihr als Art Urlaub aus.",
                "Im Menü Ansicht stellt ihr den Zoom auf 120 Prozent.",
                "Ihr habt jetzt drei Möglichkeiten.",
                "Klick oben rechts auf dein Bild und wähle Einstellungen.",
                "Mit ihr geht es schneller.",
                "Jetzt klickst du auf Passwort ändern.",
                "Da siehst du den Rest.",
                "Ihr Passwort muss lang sein.",
                "Hier steht Ihr Name.",
            ),
            [
                ("Ihr meldet euch zuerst im Portal an", ""),
                ("Klickt links auf Abwesenheiten", ""),
                ("Ihr wählt als Art Urlaub aus", ""),
                (
                    "Ihr stellt den Zoom auf 120 Prozent",
                    "Im Menü Ansicht stellt ihr den Zoom auf 120 Prozent. Ihr habt jetzt drei Möglichkeiten.",
                ),
                ("Klick oben rechts auf dein Bild", ""),
                ("Wähle Einstellungen", "Mit ihr geht es schneller."),
                (
                    "Du klickst auf Passwort ändern",
                    "Da siehst du den Rest. Ihr Passwort muss lang sein. Hier steht Ihr Name.",
                ),
            ],
        ),
        (
            "es",
            ("Primero entras en Facturas y le das a Nueva.", "Luego pulsas Guardar."),
            [("Entras en Facturas", ""), ("Le das a Nueva", ""), ("Pulsas Guardar", "")],
        ),
        (
            "es",
            ("Para crear una cuenta, haga clic en Nuevo.", "En el menú de arriba, elija Ayuda."),
            [
                ("Haga clic en Nuevo", "Para crear una cuenta, haga clic en Nuevo."),
                ("Elija Ayuda", "En el menú de arriba, elija Ayuda."),
            ],
        ),
        (
            "fr",
            ("Pour créer un compte, cliquez sur Nouveau.", "Dans le menu du haut, choisissez Aide."),
            [
                ("Cliquez sur Nouveau", "Pour créer un compte, cliquez sur Nouveau."),
                ("Choisissez Aide", "Dans le menu du haut, choisissez Aide."),
            ],
        ),
    ],
)
def test_given_when_where_why_or_what_for_when_drafted_then_the_step_is_found_and_nothing_of_it_is_lost(
    language: str, said: tuple[str, ...], steps: list[tuple[str, str]]
) -> None:
    draft = drafted(spoken(*said, language=language))
    found = [(block.heading, block.body) for block in draft.blocks if block.role is BlockRole.STEP]
    assert found == steps


@pytest.mark.parametrize(
    ("said", "title"),
    [
        (
            "Hey everyone, quick one today on merging duplicate contacts in HubSpot.",
            "Merging duplicate contacts in HubSpot",
        ),
        ("To turn on dark mode, swipe down from the corner.", "Turn on dark mode"),
        ("So to close the month, you want to open Period Closing.", "Close the month"),
        ("We're gonna pay an invoice.", "Pay an invoice"),
        ("To start with, open the list.", "Demo"),
    ],
)
def test_given_a_beginning_that_says_what_for_when_drafted_then_that_is_the_title(said: str, title: str) -> None:
    draft = drafted(spoken(said, "Click Save.", "Choose Monthly."))
    assert draft.blocks[0].heading == title
    steps = [block.heading for block in draft.blocks if block.role is BlockRole.STEP]
    assert len(steps) == 2 + said.lower().removeprefix("so ").startswith("to "), "its step stays one"


def test_given_a_file_that_is_named_well_when_drafted_then_its_first_step_is_no_title() -> None:
    said = spoken("To open the form, click New.", "Click Save.", "Choose Monthly.")
    assert drafted(said, "Month end closing in Orbit.mp4").blocks[0].heading == "Month end closing in Orbit"


def test_given_steps_when_timed_then_they_follow_one_another_also_within_a_segment() -> None:
    transcript = spoken(*TOUR)
    steps = [block for block in drafted(transcript).blocks if block.role is BlockRole.STEP]
    times = [cited for block in steps if (cited := cited_time(block, transcript))]
    assert len(times) == len(steps)
    assert all(later.start_ms > earlier.start_ms for earlier, later in pairwise(times))
    assert steps[0].segments == (2, 3, 4)


def test_given_the_same_transcript_when_drafted_twice_then_the_drafts_are_the_same() -> None:
    assert drafted(spoken(*TOUR)) == drafted(spoken(*TOUR))


def test_given_much_talk_after_a_step_when_drafted_then_its_body_is_what_matters() -> None:
    talk = (f"This is remark {number} about it." for number in range(7))
    draft = drafted(spoken("Click Save.", *talk, "Save can only be pressed once."))
    assert [role for role, _ in outline(draft)] == ["title", "step"]
    assert draft.blocks[1].body.count("remark") == 2
    assert draft.blocks[1].body.endswith("Save can only be pressed once.")


def test_given_a_long_introduction_when_drafted_then_the_lead_is_short() -> None:
    draft = drafted(spoken(*(f"This is remark {number} about it." for number in range(8)), "Click Save."))
    assert [role for role, _ in outline(draft)] == ["title", "lead", "step"]
    assert draft.blocks[1].body == "This is remark 0 about it. This is remark 1 about it."


def test_given_no_announcement_when_drafted_then_the_title_is_the_files_name() -> None:
    assert outline(drafted(spoken("Click Save."), "C:\\rec\\How_to-export.v2.mp4"))[0] == ("title", "How to export.v2")


@pytest.mark.parametrize(
    ("name", "title"),
    [("", "Untitled recording"), ("___.mp4", "Untitled recording"), ("/tmp/my%20talk.webm", "My talk"), ("a", "A")],
)
def test_given_a_file_name_when_it_must_be_the_title_then_it_is_made_readable(name: str, title: str) -> None:
    assert title_from(name) == title


def test_given_a_very_long_file_name_when_it_must_be_the_title_then_it_is_shortened() -> None:
    assert len(title_from("word " * 200)) <= 120


def test_given_speech_without_instructions_when_drafted_then_steps_are_stretches_and_it_is_said() -> None:
    draft = drafted(spoken("Whales are big.", "They live in the sea.", "They sing.", pause_ms=2_500))
    assert outline(draft)[1:] == [
        ("step", "Whales are big"),
        ("step", "They live in the sea"),
        ("step", "They sing"),
    ]
    assert codes(draft) == ["NO_STEPS_RECOGNISED"]


def test_given_another_language_when_drafted_then_steps_are_stretches_with_their_own_words_and_a_warning() -> None:
    draft = drafted(spoken("Fare clic su Salva.", "Poi va tutto bene.", language="it"))
    assert outline(draft)[1:] == [("step", "Fare clic su Salva")]
    assert draft.blocks[1].body == "Poi va tutto bene."
    assert codes(draft) == ["LANGUAGE_NOT_FULLY_SUPPORTED"]
    assert draft.language == "it"


def test_given_no_language_when_drafted_then_it_is_judged_by_its_words() -> None:
    assert codes(drafted(spoken("Now click the button and wait for it.", language=None))) == []
    assert codes(drafted(spoken("Klicken Sie auf Speichern.", language=None))) == ["LANGUAGE_NOT_FULLY_SUPPORTED"]
    assert codes(drafted(spoken("Click Save.", language="english"))) == []


def test_given_only_courtesy_when_drafted_then_what_was_said_is_still_there() -> None:
    draft = drafted(spoken("Hello everyone.", "Thank you."))
    assert "Hello everyone" in draft.blocks[1].heading


def test_given_a_sentence_longer_than_a_heading_when_drafted_then_the_body_has_all_of_it() -> None:
    said = "Click the button that is " + "very " * 40 + "far away."
    step = drafted(spoken(said)).blocks[1]
    assert step.heading.endswith("\u2026")
    assert step.body == said


def test_given_more_steps_than_anyone_follows_when_drafted_then_they_are_grouped_and_none_is_lost() -> None:
    draft = drafted(spoken(*(f"Click button {number}." for number in range(1_000))))
    steps = [block for block in draft.blocks if block.role is BlockRole.STEP]
    assert len(steps) <= MAX_STEPS
    assert codes(draft) == ["STEPS_GROUPED"]
    text = " ".join(f"{block.heading}. {block.body}" for block in steps)
    assert all(f"Click button {number}." in text for number in range(1_000))
    assert sorted(number for block in steps for number in block.segments) == list(range(1_000))


@pytest.mark.parametrize(("said", "times"), [(TOUR, 15), (("click the thing and then ",), 400)])
def test_given_twice_as_much_speech_when_drafted_then_it_takes_twice_as_many_calls(
    said: tuple[str, ...], times: int
) -> None:
    """Hundreds of sentences are an hour. A step that looks at every other one takes four times as many for twice as
    many. How long it takes is measured in ``tests/bench``."""
    drafted(spoken(*TOUR))  # what is loaded once does not count
    once, twice = calls_for(said, times), calls_for(said, 2 * times)
    assert twice < 2.2 * once


def calls_for(said: tuple[str, ...], times: int) -> int:
    """Of functions, to draft ``said`` so many times over: each text a segment, a single one as one long segment."""
    counting = cProfile.Profile()
    counting.runcall(drafted, spoken(*(said * times)) if len(said) > 1 else spoken(said[0] * times))
    return sum(each.callcount for each in counting.getstats())


SPOKEN = st.lists(
    st.lists(
        st.sampled_from(
            (
                *("First,", "then", "click", "on", "Save.", "the", "<b>", "*bold*", "# one", "1.", "- x", "um,", "`a`"),
                *("Note", "that", "how", "to", "create", "it.", "Thanks.", "if", "you", "open", "\u4f60\u597d\u3002"),
                *("[a](b)", "<!--", "block:", "-->", "_x_", "...", "and", "type", "a", "name", "&amp;", "\\"),
            )
        ),
        min_size=1,
        max_size=12,
    ).map(" ".join),
    min_size=1,
    max_size=8,
)


@settings(deadline=None)
@given(SPOKEN, st.sampled_from(["en", "de", "ja", None]))
def test_every_draft_can_be_stored_and_says_only_what_was_said(texts: list[str], language: str | None) -> None:
    draft = drafted(spoken(*texts, language=language))
    said = {letters_only(word) for text in texts for word in text.split()}
    for block in draft.blocks:
        if block.role is not BlockRole.TITLE and block.segments:
            words = plain_words(f"{block.heading}. {block.body}").replace("\u2026", " ").split()
            assert {letters_only(word) for word in words} <= said | {""}


# --- nobody speaks ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("speech", "words"),
    [
        (SpeechFound.NO_AUDIO_TRACK, "no audio track"),
        (SpeechFound.SILENT, "is silent"),
        (SpeechFound.NO_SPEECH, "Nobody speaks"),
        (SpeechFound.UNHEARD, "screens of this recording alone"),
    ],
)
def test_given_no_speech_when_drafted_then_screens_are_steps_and_the_lead_says_why(
    speech: SpeechFound, words: str
) -> None:
    transcript = unspoken(speech)
    draft = LocalDrafter().draft(transcript, screens(3), source_name="click_through.mov")
    check_draft(draft, transcript, screens(3))
    assert outline(draft)[0] == ("title", "Click through")
    assert words in draft.blocks[1].body
    assert outline(draft)[2:] == [
        ("step", "Screen 1 at 00:00"),
        ("step", "Screen 2 at 00:03"),
        ("step", "Screen 3 at 00:06"),
    ]
    assert codes(draft) == [str(speech).upper()]


def test_given_a_sound_recording_without_speech_when_drafted_then_it_has_a_title_and_says_so() -> None:
    transcript = unspoken(SpeechFound.NO_SPEECH)
    draft = LocalDrafter().draft(transcript, (), source_name="song.mp3")
    check_draft(draft, transcript)
    assert [role for role, _ in outline(draft)] == ["title", "lead"]


def test_given_a_transcript_of_nothing_but_notes_of_music_when_drafted_then_nobody_spoke() -> None:
    assert codes(drafted(spoken("\u266a \u266a", "..."))) == ["NO_SPEECH"]


def test_given_thousands_of_screens_when_drafted_then_the_longest_are_steps() -> None:
    many = (*screens(400, 1_000), *(each for each in screens(402, 1_000)[400:]))
    longest = many[-1].model_copy(update={"end_ms": 1_000_000})
    scenes = (*many[:-1], longest)
    transcript = unspoken(SpeechFound.NO_AUDIO_TRACK, 1_000_000)
    draft = LocalDrafter().draft(transcript, scenes, source_name="x")
    check_draft(draft, transcript, scenes)
    assert len(draft.blocks) == MAX_STEPS + 2
    assert draft.blocks[-1].scenes == (401,)
    assert codes(draft) == ["NO_AUDIO_TRACK", "SCREENS_LIMITED"]


def test_given_hours_when_a_screen_is_named_then_its_clock_shows_them() -> None:
    scenes = tuple(each for each in screens(2, 3_723_000))
    draft = LocalDrafter().draft(unspoken(SpeechFound.SILENT, 7_446_000), scenes, source_name="x")
    assert draft.blocks[-1].heading == "Screen 2 at 1:02:03"


def test_given_a_cancel_when_drafting_then_it_goes_through() -> None:
    def cancel(_: float) -> None:
        raise Cancelled("stop")

    with pytest.raises(Cancelled):
        LocalDrafter().draft(spoken("Click Save."), (), source_name="x", on_progress=cancel)


def test_given_one_giant_segment_when_drafted_then_no_block_is_too_large() -> None:
    text = "and it goes on and on " * 5_000
    giant = Transcript(
        speech=SpeechFound.SPEECH,
        language="en",
        duration_ms=1_000,
        model="test",
        segments=(Segment(id=0, start_ms=0, end_ms=1_000, text=text),),
    )
    assert sum(len(block.body) for block in drafted(giant).blocks) > 100_000
