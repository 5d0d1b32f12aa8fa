"""The codec server of Temporal's web UI and command line, which ask here, as administrators, what is encrypted.

The protocol is Temporal's own (``POST …/decode`` and ``POST …/encode`` with the JSON form of its ``Payloads``). Nothing
of what passes is kept, and the log of requests has who asked.
"""

import base64
from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import BeforeValidator, Field, PlainSerializer, WithJsonSchema
from temporalio.api.common.v1 import Payload

from starter.api.context import ApiParts
from starter.api.responses import errors
from starter.api.shapes.base import Sent, Shape
from starter.services.payloads import EncryptingCodec

BASE64 = "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"

router = APIRouter(prefix="/admin/codec", tags=["administration"])


def _decoded(text: Any) -> bytes:
    """Raises ValueError: It is not base64 (RFC 4648, 4)."""
    if not isinstance(text, str):
        raise ValueError("is no text")
    return base64.b64decode(text, validate=True)


Encoded = Annotated[
    bytes,
    BeforeValidator(_decoded),
    PlainSerializer(lambda value: base64.b64encode(value).decode(), return_type=str),
    WithJsonSchema({"type": "string", "format": "byte", "pattern": BASE64, "examples": ["eA=="]}),
]


class CodedPayload(Shape):
    metadata: dict[str, Encoded] = Field(default_factory=dict)
    data: Encoded = b""

    @classmethod
    def of(cls, payload: Payload) -> "CodedPayload":
        # the fields hold what was decoded: they are made without being decoded again
        return cls.model_construct(metadata=dict(payload.metadata), data=payload.data)


class SentPayload(CodedPayload, Sent):
    pass


class Payloads(Sent):
    payloads: tuple[SentPayload, ...]

    def read(self) -> list[Payload]:
        return [Payload(metadata=each.metadata, data=each.data) for each in self.payloads]


class CodedPayloads(Shape):
    payloads: tuple[CodedPayload, ...]

    @classmethod
    def of(cls, payloads: list[Payload]) -> "CodedPayloads":
        return cls.model_construct(payloads=tuple(CodedPayload.of(each) for each in payloads))


@router.post("/decode", responses=errors(400, 403, 409, 413, 415))
async def decode_payloads(sent: Payloads, api: ApiParts) -> CodedPayloads:
    """What the payloads say."""
    codec = EncryptingCodec(api.settings.payload_keys())
    return CodedPayloads.of(await codec.decode(sent.read()))


@router.post("/encode", responses=errors(400, 403, 413, 415))
async def encode_payloads(sent: Payloads, api: ApiParts) -> CodedPayloads:
    """The payloads as workers read them, for what is signalled or started by hand."""
    codec = EncryptingCodec(api.settings.payload_keys())
    return CodedPayloads.of(await codec.encode(sent.read()))
