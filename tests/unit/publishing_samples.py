"""A publication with everything in it, and one by somebody who means harm."""

import io
from datetime import UTC, datetime
from functools import cache

from PIL import Image, ImageDraw

from domain.documents.publication import Picture, Publication, PublicationBlock
from domain.geometry import Box
from domain.recordings.transcript import Segment, SpeechFound, Transcript

LONG_LINE = "ledgerly export --token " + "".join(f"{number:04}" for number in range(120))
WRITTEN = datetime(2026, 10, 1, 9, 30, tzinfo=UTC)


@cache
def screenshot(number: int, size: tuple[int, int] = (480, 270), kind: str = "PNG") -> Picture:
    image = Image.new("RGB", size, "#f3f5f8")
    pen = ImageDraw.Draw(image)
    pen.rectangle((0, 0, size[0], size[1] // 12), fill="#24303f")
    pen.rectangle((size[0] // 2, size[1] // 2, size[0] // 2 + 10 * number, size[1] // 2 + 20), fill="#1f5a94")
    out = io.BytesIO()
    image.save(out, kind)
    return Picture(
        anchor_id=f"anchor-{number}",
        data=out.getvalue(),
        media_type=f"image/{kind.lower()}",
        width=size[0],
        height=size[1],
        timestamp_ms=number * 11_000,
        alt=f"Screen {number}",
    )


def block(markdown: str, role: str = "text", start_ms: int | None = None, *pictures: Picture) -> PublicationBlock:
    return PublicationBlock(
        block_id=f"{role}-{start_ms}-{len(markdown)}",
        markdown=markdown,
        role=role,
        start_ms=start_ms,
        pictures=pictures,
    )


def publication(*blocks: PublicationBlock, title: str = "Untitled", language: str | None = "en") -> Publication:
    return Publication(title=title, language=language, version=3, blocks=blocks, created_at=WRITTEN)


STEP_TWO = f"""## Choose the month

Open the **Period** list and choose *Last month*, or see the [manual](https://example.com/manual?a=1&b=2).

- paid invoices are green
- open ones are amber
  1. overdue ones have a bell
  2. reminders are below

| Format | Good for |
|:--|--:|
| CSV | spreadsheets |
| PDF | archives |

> Ask your accountant first.

```bash
{LONG_LINE}
```
"""

GUIDE = Publication(
    title="Export invoices",
    language="en",
    version=3,
    source_name="ledgerly.mp4",
    warnings=("The last step was written from its pictures.",),
    created_at=WRITTEN,
    blocks=(
        block("# Export last month's invoices", "title"),
        block("Send them to your accountant in *one* file.", "lead"),
        block("## Open the invoices\n\nSign in and choose `Invoices`.", "step", 5_000, screenshot(1)),
        block(STEP_TWO, "step", 65_000, screenshot(2), screenshot(3)),
        block("> **Note:** Drafts are not shown.", "note", 70_000),
        block("## Send the file\n\nAttach it to a message.", "step", 3_725_000, screenshot(4)),
        block("## If something goes wrong\n\nWrite to support."),
    ),
)

HOSTILE = publication(
    block('# #read("/etc/passwd") <script>alert(1)</script>', "title"),
    block(
        '## #eval("1 + 1") $x$ @reference <label>\n\n'
        '#include "/etc/passwd" #image("/etc/passwd") \\\\ ]#panic()[ {{ 7 * 7 }} {% raw %}\n\n'
        "![secret](file:///etc/passwd) ![local](/etc/hosts) ![remote](http://127.0.0.1:9/x.png) "
        "[press](javascript:alert(1)) [data](data:text/html;base64,PHNjcmlwdD4=) <javascript:alert(2)>\n\n"
        '<img src=x onerror="alert(3)"> <a href="javascript:alert(4)">press</a>\n\n'
        "<style>body{display:none}</style>\n\n<iframe src='http://127.0.0.1:9/'></iframe>",
        "step",
        1_000,
    ),
    block("\x00\x07\x1b Control \ud800 characters \ufffe stay out", "note", 2_000),
    title="../../etc/passwd",
)

SPOKEN = Transcript(
    speech=SpeechFound.SPEECH,
    duration_ms=10_000,
    model="test",
    segments=(
        Segment(id=0, start_ms=500, end_ms=3_000, text="Choose <b>Invoices</b> & wait --> there."),
        Segment(id=1, start_ms=4_000, end_ms=6_000, text="Then press Export."),
    ),
)

PART = screenshot(5).model_copy(update={"whole": screenshot(6).data, "crop": Box(x=0.25, y=0.5, w=0.5, h=0.5)})
OUTCOME = screenshot(7).model_copy(update={"is_outcome": True})

TRAINING = publication(
    block("# Train your team", "title"),
    block("## Sign in", "step", 1_000),
    block("## Members", "section", 10_000),
    block("## Invite somebody\n\n### Which role\n\nAny.", "step", 12_000, PART, OUTCOME),
    block("## Members", "section", 60_000),
    block("## Send it", "step", 65_000),
    title="Train your team",
)
