"""Steps are what at least two of three witnesses agree on: what is said, what is shown, what is done."""

import pytest

from activities.drafting import LocalDrafter
from activities.drafting.acts import Shown
from activities.drafting.labels import spelt
from activities.drafting.language.parsing import doings
from activities.drafting.language.phonetics import phonetic_key, similarity, squashed
from domain.documents.document import BlockEvidence
from domain.documents.draft import BlockRole, Draft, check_draft, cited_time
from domain.geometry import Box
from domain.recordings.screen import ChangeKind, ScreenChange, ScreenRecord, ScreenText
from domain.recordings.transcript import Segment, SpeechFound, Transcript

FIELD = Box(x=0.4, y=0.4, w=0.2, h=0.05)
SIDE = Box(x=0.01, y=0.2, w=0.15, h=0.05)
WHOLE = Box(x=0, y=0, w=1, h=1)


def said(*lines: tuple[int, str], language: str | None = "en", duration_ms: int = 120_000) -> Transcript:
    """Each line from its second on, at 15 characters a second."""
    segments = tuple(
        Segment(id=place, start_ms=at * 1000, end_ms=at * 1000 + max(200, len(text) * 66), text=f" {text}")
        for place, (at, text) in enumerate(lines)
    )
    speech = SpeechFound.SPEECH if segments else SpeechFound.NO_AUDIO_TRACK
    return Transcript(speech=speech, language=language, duration_ms=duration_ms, model="test", segments=segments)


def shown(*acts: tuple[float, str, str | None, tuple[str, ...]], texts: tuple[str, ...] = ()) -> ScreenRecord:
    """Acts of (second, kind, label, what appeared); a kind ``side`` is a click at the left edge. What appeared stands
    from then on, ``texts`` and labels all the time."""
    changes = []
    stands = [(text, 0) for text in (*texts, *(act[2] for act in acts if act[2]))]
    for place, (at, kind, label, appeared) in enumerate(acts):
        at_ms = round(at * 1000)
        control = None if label is None else SIDE if kind == "side" else FIELD
        changes.append(
            ScreenChange(
                id=place,
                kind=ChangeKind.PRESS if kind == "side" else ChangeKind(kind),
                before_ms=max(0, at_ms - 100),
                at_ms=at_ms,
                after_ms=at_ms + 400,
                until_ms=at_ms + 3_000,
                box=control or WHOLE,
                control=control,
                label=label,
                label_confidence=0.95 if label else None,
                appeared=appeared,
            )
        )
        stands += [(text, at_ms) for text in appeared]
    return ScreenRecord(
        reader="test",
        width=1280,
        height=720,
        duration_ms=120_000,
        changes=tuple(changes),
        texts=tuple(
            ScreenText(id=place, text=text, box=FIELD, confidence=0.95, start_ms=at, end_ms=120_000)
            for place, (text, at) in enumerate(stands)
        ),
    )


def drafted(transcript: Transcript, screen: ScreenRecord | None) -> Draft:
    draft = LocalDrafter().draft(transcript, (), source_name="recording.mp4", screen=screen)
    check_draft(draft, transcript, (), screen)
    return draft


def steps(draft: Draft) -> list[tuple[str, tuple[int, ...]]]:
    return [(block.heading, block.changes) for block in draft.blocks if block.role is BlockRole.STEP]


def test_given_an_action_that_was_taken_back_when_drafted_then_the_correction_is_the_step() -> None:
    talk = said(
        (2, "So first you go to Billing, over here."),
        (8, "And then, click on Invoices, no wait, sorry, click on Subscriptions."),
        (16, "And then you hit Edit Plan."),
        (20, "No wait, click Cancel Plan instead."),
        (26, "I think we should really fix that wording someday."),
    )
    screen = shown(
        (5, "press", "Billing", ("Invoices",)),
        (13, "press", "Subscriptions", ("Edit Plan", "Cancel Plan")),
        (22.5, "press", "Cancel Plan", ("Reason",)),
    )
    expected = [("Go to Billing, over here", (0,)), ("Click Subscriptions", (1,)), ("Click Cancel Plan instead", (2,))]
    assert steps(drafted(talk, screen)) == expected
    assert [heading for heading, _ in steps(drafted(talk, None))] == [heading for heading, _ in expected]


def test_given_a_dialogue_when_drafted_then_questions_are_no_steps_and_answers_are() -> None:
    talk = said(
        (1, "Open API keys in the menu."),
        (5, "Do I click on mobile"),
        (8, "No, select the backend key."),
        (13, "And then I click Rotate?"),
        (16, "Not yet, tick the box first."),
    )
    screen = shown(
        (3, "press", "API keys", ("backend", "mobile")),
        (10, "press", "backend", ("Rotate",)),
        (18, "press", "Keep the old key", ()),
    )
    headings = [heading for heading, _ in steps(drafted(talk, screen))]
    assert headings == ["Open API keys in the menu", "Select the backend key", "Tick the box first"]


def test_given_several_actions_in_a_sentence_when_drafted_then_each_has_its_own_change_and_time() -> None:
    talk = said(
        (2, "Open Team, click add member, and type the full name."),
        (9, "You set Expires to seven days and you copy the link."),
    )
    screen = shown(
        (3, "press", "Team", ("Add member",)),
        (4, "press", "Add member", ("Full name",)),
        (6, "typing", "Full name", ("Mia Chen",)),
        (11, "typing", "Expires", ("7 days",)),
        (13, "press", "Copy link", ("Link copied",)),
    )
    draft = drafted(talk, screen)
    assert steps(draft) == [
        ("Open Team", (0,)),
        ("Click Add member", (1,)),
        ("Type the Full name", (2,)),
        ("Set Expires to 7 days", (3,)),
        ("Copy the link", (4,)),
    ]
    times = [cited_time(block, talk, (), screen) for block in draft.blocks if block.role is BlockRole.STEP]
    assert [cited.action_ms for cited in times if cited] == [3_000, 4_000, 6_000, 11_000, 13_000]
    starts = [cited.start_ms for cited in times if cited]
    assert starts == sorted(set(starts))
    assert starts[0] == 2_000


def test_given_talk_first_and_talk_after_when_drafted_then_the_action_is_the_one_that_is_named() -> None:
    talk = said((2, "Select the Disk full row."), (10, "I have now pressed Mute."), (17, "Enter the reason."))
    screen = shown(
        (6, "press", "Disk full", ()), (8, "press", "Mute", ("Reason",)), (16, "typing", "Reason", ("maintenance",))
    )
    assert steps(drafted(talk, screen)) == [
        ("Select the Disk full row", (0,)),
        ("Press Mute", (1,)),
        ("Enter the Reason", (2,)),
    ]


def test_given_what_the_screen_does_not_answer_when_drafted_then_only_what_is_done_off_it_is_a_step() -> None:
    talk = said(
        (1, "Click Verify."),
        (6, "Hold the button on the device for five seconds."),
        (12, "You can click around a bit if you like."),
        (16, "Select Okta."),
        (22, "Click the blue thing."),
        (27, "Be careful, this cannot be undone."),
        (33, "I had such a hard time with this last year."),
    )
    screen = shown((2, "press", "Verify", ()), (17.5, "press", "Okta", ("SAML", "SCIM")))
    draft = drafted(talk, screen)
    assert steps(draft) == [
        ("Click Verify", (0,)),
        ("Hold the button on the device for five seconds", ()),
        ("Select Okta", (1,)),
    ]
    assert [block.body for block in draft.blocks if block.role is BlockRole.NOTE] == [
        "Be careful, this cannot be undone."
    ]
    assert "hard time" not in " ".join(block.body for block in draft.blocks)


def test_given_a_change_without_an_imperative_when_drafted_then_it_takes_the_sentence_over_it_or_its_label() -> None:
    talk = said((1, "Click Alerts."), (6, "And then, yeah, Rules, that's the tab we need."), (40, "Click Save."))
    screen = shown(
        (2, "press", "Alerts", ("Rules",)),
        (8, "press", "Rules", ("Add rule",)),
        (16, "press", "Logo", ()),
        (22, "press", "Add rule", ("Name", "Save")),
        (25, "press", "Name", ()),
        (26, "typing", "Name", ("x",)),
        (41, "press", "Save", ()),
    )
    draft = drafted(talk, screen)
    assert steps(draft) == [
        ("Click Alerts", (0,)),
        ("Rules, that's the tab we need", (1,)),
        ("Click Add rule", (3,)),
        ("Type in Name", (5, 4)),
        ("Click Save", (6,)),
    ]
    read = next(each for each in draft.warnings if each.code == "STEPS_READ_FROM_SCREEN")
    assert read.at_ms == (22_000, 26_000)


def test_given_a_terminal_when_drafted_then_the_command_stands_in_the_step_exactly() -> None:
    talk = said((1, "Install the dependencies with N P M."), (8, "Have a look at the pods."))
    screen = shown(
        (4, "typing", None, ("npm ci --foo=`a`",)),
        (11, "typing", None, ("kubectl get pods -n billing",)),
        texts=("$ npm ci --foo=`a`", "$ kubectl get pods -n billing"),
    )
    draft = drafted(talk, screen)
    assert [heading for heading, _ in steps(draft)] == ["Install the dependencies with npm", "Have a look at the pods"]
    assert draft.blocks[1].body == "```\nnpm ci --foo=`a`\n```"
    assert draft.blocks[2].body == "```\nkubectl get pods -n billing\n```"


def test_given_announced_topics_when_drafted_then_they_are_sections_with_the_screens_spelling() -> None:
    talk = said(
        (0, "Welcome to the administrator training for Orbit Desk."),
        (5, "Let's start with the first topic, members and groups."),
        (10, "Open the Members page."),
        (20, "Move on to the third topic, billing."),
        (26, "Click Change plan."),
        (32, "That was the last topic. Thank you for your attention."),
    )
    screen = shown((12, "side", "Members", ("Members and Groups",)), (27.5, "press", "Change plan", ("Billing",)))
    draft = drafted(talk, screen)
    assert [(str(block.role), block.heading) for block in draft.blocks] == [
        ("title", "Administrator training for Orbit Desk"),
        ("section", "Members and Groups"),
        ("step", "Open the Members page"),
        ("section", "Billing"),
        ("step", "Click Change plan"),
    ]


@pytest.mark.parametrize(
    ("language", "lines", "labels", "headings"),
    [
        (
            "de",
            [
                "Öffnen Sie zuerst die Seite Mitglieder.",
                "Hier klicke ich auf Zeit erfassen.",
                "Das habe ich oft vergessen.",
            ],
            ["Mitglieder", "Zeit erfassen"],
            ["Öffnen Sie zuerst die Seite Mitglieder", "Ich klicke auf Zeit erfassen"],
        ),
        (
            "es",
            ["Primero, abra la página Pedidos.", "Por último, pulse guardar.", "Eso es todo."],
            ["Pedidos", "Guardar"],
            ["Abra la página Pedidos", "Pulse Guardar"],
        ),
        (
            "fr",
            ["Ouvrez d'abord la page Factures.", "Ensuite, saisissez le montant.", "Merci de votre attention."],
            ["Factures", "Montant"],
            ["Ouvrez d'abord la page Factures", "Saisissez le Montant"],
        ),
        (
            "it",
            ["Apra la pagina Fatture.", "Poi scelga il cliente.", "Grazie mille per l'attenzione di oggi."],
            ["Fatture", "Cliente"],
            ["Apra la pagina Fatture", "Poi scelga il Cliente"],
        ),
    ],
)
def test_given_another_language_when_the_screen_answers_then_there_are_steps(
    language: str, lines: list[str], labels: list[str], headings: list[str]
) -> None:
    talk = said(*((place * 8, line) for place, line in enumerate(lines)), language=language)
    screen = shown(*((place * 8 + 3.0, "press", label, ()) for place, label in enumerate(labels)))
    assert [heading for heading, _ in steps(drafted(talk, screen))] == headings


def test_given_nobody_speaks_when_the_screen_was_read_then_steps_are_read_from_it_and_that_is_said() -> None:
    screen = shown(
        (3, "side", "Members", ("People", "Groups")),
        (6, "press", "Invite members", ("Email address", "Role", "Invite members")),
        (9, "press", "Email address", ()),
        (10, "typing", "Email address", ("joe@example.com",)),
        (14, "press", "Role", ("Editor",)),
        (18, "press", None, ()),
    )
    draft = drafted(said(), screen)
    assert draft.blocks[0].heading == "Invite members"
    assert "read from the screen" in draft.blocks[1].body
    assert steps(draft) == [
        ("Open Members in the sidebar", (0,)),
        ("Click Invite members", (1,)),
        ("Type in Email address", (3, 2)),
        ("Choose Editor in Role", (4,)),
    ]


# --- words as the screen spells them -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("heard", "label", "written"),
    [
        ("Open the SIM tab", "SCIM", "Open the SCIM tab"),
        ("Take the user's dot red scope", "users.read", "Take the users.read scope"),
        ("Select the ingress nginx row", "ingress-nginx", "Select the ingress-nginx row"),
        ("Switch to Cabernets", "Kubernetes", "Switch to Kubernetes"),
        ("Paste the tenant role", "Tenant URL", "Paste the Tenant URL"),
        ("Go back to the homepage", "Home", "Go back to the Home page"),
        ("Tick keep old key for twenty four hours", "Keep old key for 24 hours", "Tick Keep old key for 24 hours"),
        ("Pick promise energy from the suggestions", "Globex Energy", "Pick Globex Energy from the suggestions"),
        ("Enter promise energy", "Globex Energy", "Enter promise energy"),
        ("Wait until the archive is ready", "Your archive is ready", "Wait until the archive is ready"),
        ("Untick the box next to delete workspace", "Delete workspace", "Untick the box next to Delete workspace"),
        ("Hit that", "New alert", "Hit New alert"),
        ("Click new invoice in the corner", "+ New invoice", "Click New invoice in the corner"),
        ("Save the shipping zone", "Save shipping zone", "Save the shipping zone"),
        ("Save the shaping zone", "Save shipping zone", "Save the shipping zone"),
        ("Click the valid from Field", "Valid from", "Click the Valid from field"),
        # No hearing of the label: what was said stays.
        ("Type the billing address", "Email address", "Type the billing address"),
        ("Enter your tax number", "Invoice number", "Enter your tax number"),
        ("Click the pen", "Settings", "Click the pen"),
        ("Choose it from the list of customers", "Customer", "Choose it from the list of customers"),
        ("Disable the sync", "Enable sync", "Disable the sync"),
    ],
)
def test_given_a_label_when_it_was_heard_then_it_is_spelt_as_on_the_screen_and_nothing_else_is(
    heard: str, label: str, written: str
) -> None:
    act = Shown(shown((1, "press", label, ()))).acts[0]
    assert spelt(heard, act, {}) == written


@pytest.mark.parametrize(
    ("heard", "label", "written"),
    [
        ("Open members in the side door", "Members", "Open Members in the sidebar"),
        ("Open members in the side menu", "Members", "Open Members in the side menu"),
        ("Öffnen Sie zuerst die Neitermitglieder", "Mitglieder", "Öffnen Sie zuerst die Seite Mitglieder"),
        ("Öffnen Sie die Liste der Teammitglieder", "Mitglieder", "Öffnen Sie die Liste der Teammitglieder"),
    ],
)
def test_given_a_click_in_the_sidebar_then_the_screen_vouches_for_the_sidebar_and_the_page(
    heard: str, label: str, written: str
) -> None:
    record = shown((1, "page", label, ("Anna", "Bob")))
    change = record.changes[0].model_copy(update={"control": Box(x=0.01, y=0.2, w=0.16, h=0.05)})
    act = Shown(record.model_copy(update={"changes": (change,)})).acts[0]
    assert spelt(heard, act, {}) == written
    shaded = change.model_copy(update={"kind": ChangeKind.PRESS, "box": Box(x=0, y=0, w=1, h=1)})
    assert not Shown(record.model_copy(update={"changes": (shaded,)})).acts[0].in_sidebar  # a dialog came


@pytest.mark.parametrize(
    ("heard", "marked", "written"),
    [
        ("Tick delete tasks", False, "Untick Delete tasks"),
        ("Untick delete tasks", False, "Untick Delete tasks"),
        ("Take export reports", True, "Tick Export reports"),
        ("Check delete tasks", None, "Check Delete tasks"),
        ("Click delete tasks", False, "Click Delete tasks"),
    ],
)
def test_given_a_box_to_tick_when_its_mark_goes_then_the_step_unticks_it(
    heard: str, marked: bool | None, written: str
) -> None:
    label = written.partition(" ")[2]
    record = shown((1, "press", label, ()))
    marks = record.changes[0].model_copy(update={"marked": marked})
    act = Shown(record.model_copy(update={"changes": (marks,)})).acts[0]
    assert spelt(heard, act, {}) == written


def test_given_a_learner_who_is_told_not_yet_when_drafted_then_only_the_answers_are_steps() -> None:
    talk = said(
        (1, "Open the Rooms page."),
        (4, "Should I click on Maple?"),
        (7, "No, click Cedar."),
        (11, "Okay, and now I press Floor plan."),
        (14, "Not yet."),
        (15, "Press Book room."),
        (19, "If you have no room yet, you can buy one from any agency."),
        (24, "Select order 5,521 and click refund order."),
    )
    screen = shown(
        (3, "press", "Rooms", ("Maple", "Cedar")),
        (10, "press", None, ("Floor plan", "Book room")),
        (17, "press", "Book room", ("Purpose",)),
        (25, "press", "Order 5521", ()),
        (27, "press", "Refund order", ("Amount",)),
    )
    expected = ["Open the Rooms page", "Click Cedar", "Press Book room", "Select Order 5521", "Click Refund order"]
    assert [heading for heading, _ in steps(drafted(talk, screen))] == expected


def test_given_an_entry_of_several_lines_when_it_is_called_by_another_than_the_clicked_then_that_is_spelt() -> None:
    record = shown((1, "press", "You have won", ()))
    change = record.changes[0].model_copy(update={"control": Box(x=0.2, y=0.2, w=0.3, h=0.04)})
    lines = [
        ("Prize Center", 0.2, 0.16),
        ("You have won", 0.2, 0.2),
        ("Price Counter", 0.2, 0.5),
        ("12:30 today", 0.45, 0.16),
    ]
    texts = tuple(
        ScreenText(id=n, text=text, box=Box(x=x, y=y, w=0.1, h=0.03), confidence=0.99, start_ms=0, end_ms=9_000)
        for n, (text, x, y) in enumerate(lines)
    )
    act = Shown(record.model_copy(update={"changes": (change,), "texts": texts})).acts[0]
    assert act.beside == ("Prize Center",)
    assert spelt("Right-click the message from the price center", act, {}) == (
        "Right-click the message from the Prize Center"
    )


def test_given_a_typed_number_when_it_was_heard_without_its_marks_then_it_has_them() -> None:
    act = Shown(shown((1, "typing", "Handling fee", ("4.50",)))).acts[0]
    assert spelt("Set the handling fee to 450", act, {}) == "Set the Handling fee to 4.50"
    assert spelt("Set the handling fee to 45", act, {}) == "Set the Handling fee to 45"


def test_given_a_click_that_is_told_by_itself_when_something_is_typed_there_then_both_are_steps() -> None:
    apart = said((1, "Click cell D6."), (5, "Type the total."))
    together = said((1, "Click Budget."), (7, "Type the total."))
    screen = shown((2.2, "press", "Cell", ()), (7, "typing", "Cell", ("39670",)))
    assert steps(drafted(apart, screen)) == [("Click Cell D6", (0,)), ("Type the total", (1,))]
    screen = shown((2, "press", "Budget", ("Cell",)), (8.2, "press", "Cell", ()), (10, "typing", "Cell", ("39670",)))
    assert steps(drafted(together, screen)) == [("Click Budget", (0,)), ("Type the total", (2, 1))]


def test_given_another_name_on_the_screen_when_it_was_said_then_the_label_does_not_replace_it() -> None:
    act = Shown(shown((1, "press", "Members", ()))).acts[0]
    assert spelt("Click numbers", act, {"numbers": "Numbers"}) == "Click Numbers"


def test_spoken_marks_numbers_and_accents_are_letters_of_the_same_word() -> None:
    assert squashed("users dot read") == squashed("users.read")
    assert squashed("2 factor login") == squashed("Two-factor login") != squashed("Twofold login")
    assert squashed("Réglages") == "reglages"
    assert phonetic_key("Cabernets") == phonetic_key("Kubernetes")
    assert similarity("Invoices", "Subscriptions") < 0.5


def test_grammar_finds_actions_behind_the_start_of_a_sentence_and_none_in_side_talk() -> None:
    said_so = "Um, then it asks for a reason, so I just pick Too expensive from the drop down."
    assert [doing.base for doing in doings(said_so)] == ["pick"]
    assert doings("Editors can change documents, but they cannot delete the workspace.") == []
    assert doings("There used to be a big red banner up here, they finally got rid of it.") == []


def test_given_a_step_of_the_screen_when_written_again_then_its_spelling_and_its_command_stay() -> None:
    talk = said((1, "Open the SIM tab. It takes a moment to load."), (12, "Move on to the second topic, billing."))
    evidence = BlockEvidence(
        block_id="b", role=BlockRole.STEP, segments=(0,), changes=(0,), start_ms=1_000, end_ms=4_000
    )
    text = "## Open the SCIM tab\n\n```\nnpm ci\n```\n\nIt takes a moment to load."
    again = LocalDrafter().rewrite(text, evidence=evidence, transcript=talk, passage=False).markdown
    assert again == text
    topic = evidence.model_copy(update={"role": BlockRole.SECTION, "segments": (1,)})
    assert LocalDrafter().rewrite("## Billing", evidence=topic, transcript=talk, passage=False).markdown == "## Billing"


def test_given_somebody_who_tells_what_he_has_done_when_drafted_then_steps_are_what_was_done_before() -> None:
    talk = said(
        (0, "In this video I show you how to make a token."),
        (7, "Then I opened the Security page."),
        (14, "Then I clicked the Tokens tab."),
        (21, "And I saved the changes."),
    )
    screen = shown(
        (5, "press", "Security", ("Sessions",)),
        (12, "press", "Tokens", ("ci-deploy",)),
        (19, "press", None, ("Saved",)),
        (25.5, "press", None, ("Updated",)),
    )
    made = steps(drafted(talk, screen))
    assert made == [("Open the Security page", (0,)), ("Click the Tokens tab", (1,)), ("Save the changes", (2,))]


def slide(number: int, at_ms: int, *lines: str, hand: bool = False) -> tuple[ScreenChange, list[ScreenText]]:
    """A title that is set large, and its points; it stands for 10 s."""
    times = {"before_ms": max(0, at_ms - 100), "at_ms": at_ms, "after_ms": at_ms + 300, "until_ms": at_ms + 10_000}
    control = FIELD if hand else None
    change = ScreenChange(id=number, kind=ChangeKind.PRESS, box=WHOLE, control=control, appeared=lines, **times)
    texts = [
        ScreenText(
            id=number * 10 + place,
            text=line,
            box=Box(x=0.1, y=0.1 + 0.1 * place, w=0.5, h=0.04 if place else 0.07),
            confidence=0.95,
            start_ms=at_ms + 300,
            end_ms=at_ms + 10_000,
        )
        for place, line in enumerate(lines)
    ]
    return change, texts


@pytest.mark.parametrize("hand", [False, True])
def test_given_slides_that_nobody_acts_on_when_drafted_then_their_titles_are_sections_and_no_steps(hand: bool) -> None:
    talk = said(
        (0, "This talk is about expense reports."),
        (10, "First, collecting receipts."),
        (13, "Photograph each receipt on the same day."),
        (20, "Next, filling in the form."),
        (23, "Enter the total in euros."),
        (29, "That is everything. Thank you."),
    )
    made = [
        slide(0, 0, "Expense reports", "How to hand them in"),
        slide(1, 10_100, "Collecting receipts", "Keep every receipt", "Write the project on it", "Sign it", hand=hand),
        slide(2, 20_100, "Filling in the form", "One form a month", "Total in euros", "Sign it", hand=hand),
    ]
    screen = ScreenRecord(
        reader="test",
        width=1280,
        height=720,
        duration_ms=30_000,
        changes=tuple(change for change, _ in made[1:]),
        texts=tuple(
            each.model_copy(update={"id": place})
            for place, each in enumerate(text for _, texts in made for text in texts)
        ),
    )
    draft = drafted(talk, screen)
    sections = [block.heading for block in draft.blocks if block.role is BlockRole.SECTION]
    assert sections == ([] if hand else ["Collecting receipts", "Filling in the form"])
    if not hand:
        told = ["Photograph each receipt on the same day", "Enter the Total in euros"]
        assert [heading.lower() for heading, _ in steps(draft)] == [each.lower() for each in told]


def test_given_a_slide_that_gives_way_to_a_program_when_drafted_then_the_words_over_that_are_no_step() -> None:
    away, page = slide(1, 10_000, "Home", "Inbox", "Reports", "Good morning")
    _, texts = slide(0, 0, "Approve an expense")
    (pressed,) = shown((17.0, "press", "Reports", ("New expense",))).changes
    screen = ScreenRecord(
        reader="test",
        width=1280,
        height=720,
        duration_ms=30_000,
        changes=(away, pressed.model_copy(update={"id": 2})),
        texts=tuple(each.model_copy(update={"id": place}) for place, each in enumerate([*texts, *page])),
    )
    talk = said((10, "Managers find it in the inbox."), (15, "Go to Reports."))
    assert steps(drafted(talk, screen)) == [("Go to Reports", (2,))]


def test_given_a_click_that_opens_a_dialog_and_a_field_of_unknown_name_when_drafted_then_they_are_two_steps() -> None:
    talk = said((2, "Click New expense."), (6, "Type the amount."))
    screen = shown(
        (3.5, "press", "New expense", ("New expense", "Amount", "Submit")),
        (8.0, "typing", None, ("42.50",)),
        texts=("Taxi", "Approved"),
    )
    assert steps(drafted(talk, screen)) == [("Click New expense", (0,)), ("Type the amount", (1,))]


def test_given_two_actions_of_which_one_was_heard_badly_when_drafted_then_each_is_a_step() -> None:
    talk = said((2, "Tick 2 Factor Ligan and enter your phone number."), (8, "You can copy and paste the number."))
    screen = shown((3.5, "press", "Two-factor login", ("Phone number",)), (6.0, "typing", "Phone number", ("555",)))
    assert steps(drafted(talk, screen)) == [("Tick Two-factor login", (0,)), ("Enter your Phone number", (1,))]


@pytest.mark.parametrize(
    ("heard", "value", "step"),
    [
        ("Pick to expensive from the list.", "Too expensive", "Pick Too expensive from the list"),
        ("Choose PREA as the assignee.", "Priya", "Choose Priya as the assignee"),
        ("Choose the cheapest plan.", "Team plan", "Choose the cheapest plan"),
        ("Add editors to the list.", "Editor", "Add editors to the list"),
    ],
)
def test_given_a_value_that_was_heard_as_other_words_when_it_was_chosen_then_the_screen_spells_it(
    heard: str, value: str, step: str
) -> None:
    screen = shown((1, "press", "Plans", ("Reason",)), (4.5, "typing", "Reason", (value,)))
    assert step in [heading for heading, _ in steps(drafted(said((2, heard)), screen))]


def test_given_words_that_nobody_made_out_and_what_was_acted_on_when_drafted_then_its_name_is_the_step() -> None:
    talk = said(
        (0, "On a cette vidéo que vous moutent que vous m'en mettez à correcte."),
        (6, "Une rétabourre à pas de m'armes."),
        (12, "Enfin, clicé sous en voyant la mutation."),
        (17, "C'est tout."),
        language="fr",
    )
    page = shown((8.5, "side", "Membres", ("Anna", "Inviter un membre")), (15.0, "page", "Envoyer", ("Anna", "Joe")))
    draft = drafted(talk, page)
    assert steps(draft) == [("Ouvrez la page Membres", (0,)), ("Cliquez sur Envoyer", (1,))]
    starts = [cited_time(block, talk, (), page) for block in draft.blocks if block.role is BlockRole.STEP]
    assert [at.start_ms for at in starts if at is not None] == [6_000, 12_000]


def test_given_a_filler_before_what_was_done_and_what_could_be_done_when_drafted_then_the_first_is_a_step() -> None:
    talk = said((3, "So I opened Projects."), (6, "Then I clicked Website."), (9, "Yes, you can rename it any time."))
    screen = shown((2.6, "side", "Projects", ("Website", "Mobile app")), (5.5, "press", "Website", ("Archive",)))
    assert steps(drafted(talk, screen)) == [("Open Projects", (0,)), ("Click Website", (1,))]


def test_given_words_that_nobody_made_out_when_the_screen_answers_then_the_step_begins_with_them() -> None:
    talk = said(
        (2, "Klicken Sie auf Mitglied einladen."),
        (10, "Wahrheit voraus."),
        (16, "Klicken Sie auf Einladung senden."),
        language="de",
    )
    screen = shown(
        (4.5, "press", "Mitglied einladen", ("Rolle",)),
        (11.5, "typing", "Rolle", ("Redakteur",)),
        (18.5, "press", "Einladung senden", ("Gesendet",)),
    )
    draft = drafted(talk, screen)
    (read,) = [block for block in draft.blocks if block.changes == (1,)]
    assert (read.heading, read.segments) == ("F\u00fcllen Sie Rolle aus", (1,))
    assert "STEPS_READ_FROM_SCREEN" in [warning.code for warning in draft.warnings]


def test_given_speech_that_nobody_understood_when_drafted_then_the_steps_are_in_its_language() -> None:
    unheard = Transcript(
        speech=SpeechFound.NO_SPEECH, language="fr", duration_ms=120_000, model="test", unclear=((2_000, 9_000),)
    )
    acts = ((5, "press", "Membres", ("Inviter", "Anna")), (9, "press", "Inviter", ("R\u00f4le", "Nom")))
    draft = drafted(unheard, shown(*acts))
    assert [heading for heading, _ in steps(draft)] == ["Cliquez sur Membres", "Cliquez sur Inviter"]
    lead = next(block.body for block in draft.blocks if block.role is BlockRole.LEAD)
    assert lead.startswith("Somebody speaks in this recording, but nothing of it was understood.")


def test_given_a_recording_that_begins_with_what_will_be_done_when_drafted_then_that_is_its_title_and_no_step() -> None:
    talk = said((0, "We will install Orbit on Windows."), (4, "Click Next."), (8, "Then wait until it is done."))
    draft = drafted(talk, shown((5, "press", "Next", ("Licence",)), (11, "press", "Later", ("Finished",))))
    assert draft.blocks[0].heading == "Install Orbit on Windows"
    assert steps(draft) == [("Click Next", (0,)), ("Wait until it is done", (1,))]


def test_given_a_telephone_without_a_pointer_when_drafted_then_what_stood_there_was_tapped_and_spells_the_step() -> (
    None
):
    """What only came of an action was not tapped by it, though the words name it."""
    talk = said(
        (0, "Turn on news and authenticate or app."),
        (5, "Scan the code and tap continue."),
        (9, "Finally, tap done."),
    )
    other = ("9:41", "Sign in", "Account", "Help", "About")
    acts = ((3.0, ("Scan this code", "Continue")), (7.6, ("All set", "Done")), (11.0, ("Security",)))
    record = shown(
        *((at, "press", None, appeared) for at, appeared in acts), texts=("Use an authenticator app", *other)
    )
    ends = {
        "Use an authenticator app": 3_000,
        "Scan this code": 7_600,
        "Continue": 7_600,
        "All set": 11_000,
        "Done": 11_000,
    }
    texts = tuple(each.model_copy(update={"end_ms": ends.get(each.text, each.end_ms)}) for each in record.texts)
    assert steps(drafted(talk, record.model_copy(update={"texts": texts}))) == [
        ("Turn on Use an authenticator app", (0,)),
        ("Scan the code", ()),
        ("Tap Continue", (1,)),
        ("Tap Done", (2,)),
    ]


def test_given_any_thing_of_its_kind_when_a_heading_names_it_then_it_is_no_name() -> None:
    names = {"newdeal": "New deal", "bookaroom": "Book a room"}
    assert spelt("How to create a new deal", None, names) == "How to create a new deal"
    assert spelt("How to book a room", None, names) == "How to book a room"
    assert spelt("Go to new deal", None, names) == "Go to New deal"


def test_given_a_click_that_nobody_made_out_when_another_control_is_called_alike_later_then_both_are_steps() -> None:
    talk = said(
        (0, "In diesem Video richten wir etwas ein."),
        (5, "Clicken Mealing auf Miegerun."),
        (10, "Klicken Sie auf Jetzt sichern."),
        language="de",
    )
    record = shown(
        (7.2, "side", "Sicherung", ("Kopien", "Speichern")), (12.5, "press", "Jetzt sichern", ("Sicherung läuft",))
    )
    draft = drafted(talk, record)
    assert steps(draft) == [("Öffnen Sie die Seite Sicherung", (0,)), ("Klicken Sie auf Jetzt sichern", (1,))]
    assert all("Miegerun" not in block.body for block in draft.blocks)


def test_given_a_wizard_when_drafted_then_what_only_came_of_a_click_was_not_clicked_and_a_cue_can_be_a_name() -> None:
    talk = said((0, "Click Next."), (4, "And next once more."), (7, "Click install."), (11, "Then click finish."))
    record = shown(
        (1.0, "press", "Next", ("Licence",)),
        (5.6, "press", "Next", ("Ready", "Click Install to begin.")),
        (8.2, "press", "Next", ("Finished", "It is installed.")),  # the pointer hides its name
        (12.3, "press", "Next", ("Desktop",)),
    )
    assert steps(drafted(talk, record)) == [
        ("Click Next", (0,)),
        ("Next once more", (1,)),
        ("Click install", (2,)),
        ("Click finish", (3,)),
    ]
