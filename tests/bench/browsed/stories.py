"""Three recordings: a narrated one on a light page with navigation at the top, one in which people talk around what
they do on a dark page, and one in which nobody speaks."""

from typing import Any

from tests.bench.browsed.filming import Act, Remark

PRIORITY = {"kind": "pick", "name": "Priority", "options": ["Low", "Normal", "Urgent"]}
DESK = {
    "name": "Helpdesk",
    "pages": {
        "Tickets": {
            "title": "Open tickets",
            "columns": ["Subject", "From", "Status"],
            "rows": [["Printer on floor 2", "Mara Lind", "Waiting"], ["New laptop", "Tom Osei", "Open"]],
        },
        "Automations": {
            "title": "Automations",
            "buttons": {"New rule": {"main": True, "dialog": True}, "Import": {}},
            "columns": ["Rule", "Runs", "Active"],
            "rows": [["Close stale tickets", "Daily", ""], ["Greet new customers", "On arrival", ""]],
            "switches": True,
            "gets": True,
        },
        "Reports": {"title": "Reports", "fields": [{"kind": "pick", "name": "Period", "options": ["Week", "Quarter"]}]},
    },
    "dialog": {
        "title": "Create a rule",
        "fields": [{"kind": "text", "name": "Rule name"}, PRIORITY, {"kind": "check", "name": "Notify the team"}],
        "button": "Create rule",
        "toast": "Rule created",
        "row": ["Escalate outages", "On arrival", ""],
    },
}
FLEET = {
    "name": "Fleetwise",
    "dark": True,
    "rail": True,
    "high": True,
    "pages": {
        "Vehicles": {
            "title": "Vehicles",
            "buttons": {"Add vehicle": {"main": True, "dialog": True}, "Export list": {"toast": "Export started"}},
            "columns": ["Plate", "Driver", "Tracking"],
            "rows": [["HH-KL 204", "Ines Roth", ""], ["B-TR 7719", "Paul Nowak", ""]],
            "switches": True,
            "gets": True,
        },
        "Geofences": {
            "title": "Geofences",
            "columns": ["Zone", "Alerts"],
            "rows": [["Harbour", "3"], ["Airport", "0"]],
        },
        "Preferences": {
            "title": "Preferences",
            "fields": [
                {"kind": "pick", "name": "Units", "options": ["Kilometres", "Miles"]},
                {"kind": "check", "name": "Weekly summary"},
            ],
            "buttons": {"Save preferences": {"main": True, "toast": "Preferences saved"}},
        },
    },
    "dialog": {
        "title": "Add a vehicle",
        "fields": [
            {"kind": "text", "name": "Licence plate"},
            {"kind": "pick", "name": "Fuel", "options": ["Diesel", "Electric"]},
        ],
        "button": "Save vehicle",
        "toast": "Vehicle added",
        "row": ["M-AX 3001", "nobody", ""],
    },
}

NARRATED = (
    Remark("In this video you will see how to set up a rule that escalates urgent tickets."),
    Act("First, go to Automations at the top.", "Go to Automations at the top.", "Automations"),
    Act("Click New rule.", "Click New rule.", "New rule"),
    Act(
        "Type a rule name.", "Type a rule name.", "Rule name", typed="Escalate outages", wordings=["Type a Rule name."]
    ),
    Remark("Pick something that your colleagues will recognise."),
    Act("Open the Priority list.", "Open the Priority list.", "Priority"),
    Act("Choose Urgent.", "Choose Urgent.", "Urgent"),
    Act("Tick notify the team.", "Tick Notify the team.", "Notify the team"),
    Act("Click Create rule.", "Click Create rule.", "Create rule"),
    Remark("The rule shows up at the top of the table."),
    Act("Finally, turn on Escalate outages.", "Turn on Escalate outages.", "Escalate outages"),
    Remark("That is all. Thank you for watching."),
)
TALKED = (
    Remark("So, a customer asked me yesterday how you get a new van into the system."),
    Act("What I do is I click on Add vehicle up here.", "Click Add vehicle.", "Add vehicle", later_ms=-900),
    Act(
        "Then it wants to know the licence plate, so you type that.",
        "Type the licence plate.",
        "Licence plate",
        typed="M-AX 3001",
        wordings=["Type that.", "Type in Licence plate"],
        later_ms=600,
    ),
    Act("For the fuel, you open this list.", "Open the Fuel list.", "Fuel", wordings=["Open this list.", "Click Fuel"]),
    Act("And you select Electric.", "Select Electric.", "Electric", later_ms=300),
    Remark("We hardly have any others left, to be honest."),
    Act("Then you just hit Save vehicle.", "Hit Save vehicle.", "Save vehicle", later_ms=900),
    Remark("And there it is."),
    Act("Now go to Preferences.", "Go to Preferences.", "Preferences"),
    Act("Tick the weekly summary.", "Tick the Weekly summary.", "Weekly summary", later_ms=500),
    Act("And press Save preferences.", "Press Save preferences.", "Save preferences"),
    Remark("Okay, that was it, bye."),
)
SILENT = (
    Act("", "Open Automations.", "Automations", wordings=["Click Automations"]),
    Act("", "Click New rule.", "New rule"),
    Act("", "Type in Rule name.", "Rule name", typed="Escalate outages"),
    Act("", "Click Priority.", "Priority"),
    Act("", "Choose Urgent.", "Urgent", wordings=["Click Urgent", "Choose Urgent in Priority"]),
    Act("", "Tick Notify the team.", "Notify the team"),
    Act("", "Click Create rule.", "Create rule"),
    Act("", "Open Reports.", "Reports", wordings=["Click Reports"]),
)

Story = tuple[dict[str, Any], tuple[Act | Remark, ...]]
STORIES: dict[str, Story] = {"narrated": (DESK, NARRATED), "talked": (FLEET, TALKED), "silent": (DESK, SILENT)}
