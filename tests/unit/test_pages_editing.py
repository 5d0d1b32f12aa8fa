"""What the editor is told of a version."""

from typing import Any, cast
from uuid import UUID

from domain.documents.document import parse
from domain.documents.versions import InstructionVersion
from starter.pages.editor import editing
from starter.pages.editor.editing import Editing, block_html


class Version:
    def __init__(self, issues: list[dict[str, Any]]) -> None:
        self.validation_errors = issues


def test_given_issues_of_blocks_and_of_the_whole_then_each_is_told_where_it_belongs() -> None:
    document = parse("".join(f"<!-- block:{UUID(int=number)} -->\n## Step {number}\n\n" for number in range(3000)))
    issues = [
        {"code": "X", "path": "/blocks/7", "message": "one"},
        {"code": "X", "path": "/blocks/2999", "message": "two"},
        {"code": "X", "path": "/blocks/7", "message": "three"},
        {"code": "X", "path": "/blocks/3000", "message": "of nothing"},
        {"code": "X", "message": "of the whole"},
    ]
    shown = Editing(cast(InstructionVersion, Version(issues)), document, {}, None, {}, "en")
    told = {block.id: shown.issues(block.id) for block in document.blocks if shown.issues(block.id)}
    assert told == {document.ids[7]: ["one", "three"], document.ids[2999]: ["two"]}
    assert shown.issues("") == ["of the whole"]


def test_given_more_blocks_than_there_is_room_for_then_the_html_of_those_shown_last_is_kept(monkeypatch: Any) -> None:
    made: list[str] = []
    monkeypatch.setattr(editing, "KEPT_CHARACTERS", 400)
    monkeypatch.setattr(editing, "_shown", editing._Shown())

    def shown(markdown: str) -> str:
        made.append(markdown)
        return f"<p>{markdown}</p>"

    monkeypatch.setattr(editing, "_html", shown)
    texts = [f"{number:040}" for number in range(5)]
    for text in (*texts, texts[4], texts[3], texts[4], "x" * 500, texts[4]):
        assert block_html(text) == f"<p>{text}</p>"
    assert made == [*texts, "x" * 500, texts[4]]
