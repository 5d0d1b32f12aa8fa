"""The pretend image model and moderation: a small picture of the prompt's own colour, by address or in the answer.

What the prompt says decides what is answered, besides the script: ``nsfw`` in it is refused as a safety filter does,
``flagged`` is what moderation flags, ``expired`` gets a picture whose address is gone at once. A model whose name ends
in ``-b64`` (as OpenAI's newer ones do) sends the picture itself.
"""

import base64
import hashlib
import io
from collections.abc import Mapping
from typing import Any

from PIL import Image
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from starter.sandbox.script import Refusal, called_at

EXPIRED = "expired"
FLAGGED = "flagged"
NSFW = "nsfw"

REFUSAL = "content_policy_violation"
"""``error.code`` of what the safety filter refuses."""


class Pictures:
    """What was made, by name. Belongs to one event loop."""

    def __init__(self) -> None:
        self._made: dict[str, bytes] = {}

    def made(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to a request for a picture, in OpenAI's shape. The same request gets the same answer.

        Raises:
            Refusal: By the safety filter.
        """
        prompt, model = str(request.get("prompt", "")), str(request.get("model", ""))
        if NSFW in prompt:
            raise Refusal(REFUSAL)
        png = picture(prompt, str(request.get("size") or "256x256"))
        if model.endswith("-b64"):
            return {"created": 0, "data": [{"b64_json": base64.b64encode(png).decode()}]}
        name = hashlib.sha256(png + prompt.encode()).hexdigest()[:32]
        if EXPIRED not in prompt:
            self._made[name] = png
        return {"created": 0, "data": [{"url": f"{called_at.get()}pictures/{name}.png"}]}

    def route(self) -> Route:
        """Where the pictures lie."""

        async def fetch(request: Request) -> Response:
            png = self._made.get(request.path_params["name"])
            if png is None:
                return Response("expired", status_code=410)
            return Response(png, media_type="image/png")

        return Route("/pictures/{name}.png", fetch)


def picture(prompt: str, size: str) -> bytes:
    """A PNG in a colour of the prompt's own.

    Raises:
        ValueError: ``size`` is none.
    """
    width, _, height = size.partition("x")
    red, green, blue = hashlib.sha256(prompt.encode()).digest()[:3]
    out = io.BytesIO()
    Image.new("RGB", (int(width), int(height)), (red, green, blue)).save(out, "PNG")
    return out.getvalue()


def verdict(request: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to a moderation request, in OpenAI's shape."""
    flagged = FLAGGED in str(request.get("input", ""))
    return {
        "id": "modr-sandbox",
        "model": request.get("model") or "sandbox",
        "results": [{"flagged": flagged, "categories": {"violence": flagged}, "category_scores": {}}],
    }
