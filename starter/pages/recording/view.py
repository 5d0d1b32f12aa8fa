"""Recording the screen: the one page that may ask for screen and sound."""

from fastapi import APIRouter
from fastapi.responses import Response

from starter.pages.new.view import form_facts
from starter.pages.shell.context import Context
from starter.pages.shell.gate import permitted

router = APIRouter()


@router.get("/new/recording")
def recording(context: Context) -> Response:
    """Where a recording is made, looked at, and used or thrown away."""
    answer = context.page("recording/recording.html", modules=["recording/recording.js"], new=form_facts(context))
    answer.headers["Permissions-Policy"] = permitted("display-capture", "microphone")
    return answer
