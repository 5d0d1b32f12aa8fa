"""What Temporal keeps of a job's inputs, results, memos and failures: encrypted before it leaves this process.

Off until a key is set. An encrypted payload is ``binary/encrypted`` and names its key; the first key of the setting
encrypts, any of them opens, and what was never encrypted is read as it is. So keys are exchanged, and encryption is
turned on and off, while jobs run.

Ids, types, queues, search attributes and the codes of failures stay readable: Temporal works with them.
"""

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import replace

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from google.protobuf.message import DecodeError
from temporalio.api.common.v1 import Payload
from temporalio.api.failure.v1 import Failure
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.converter import DataConverter, DefaultFailureConverter, PayloadCodec, PayloadConverter
from temporalio.exceptions import ApplicationError

from activities.rails.interceptor import application_error
from domain.errors import GuidesmithError, PayloadUnreadable
from starter.setting_values import OFF

ENCODING = b"binary/encrypted"
"""What Temporal's own samples call it."""

KEY_ID = "encryption-key-id"

NONCE_BYTES = 12
"""NIST SP 800-38D, 5.2.1.1. Drawn at random, so a key is good for 2³² payloads (8.3): some 50 million jobs."""


class EncryptingCodec(PayloadCodec):
    """AES-256-GCM.

    Args:
        keys: Texts of enough randomness. The first encrypts; ``off`` in its place: nothing does. The others open what
            they encrypted before. None at all: what is encrypted cannot be read.
    """

    def __init__(self, keys: Sequence[str] = ()) -> None:
        self._keys = {_name(each): AESGCM(_key(each)) for each in keys if each != OFF}
        self._first = _name(keys[0]) if keys and keys[0] != OFF else None

    @property
    def encrypts(self) -> bool:
        return self._first is not None

    async def encode(self, payloads: Sequence[Payload]) -> list[Payload]:
        """Each, encrypted with the first key."""
        return [self._sealed(each) for each in payloads] if self._first is not None else list(payloads)

    async def decode(self, payloads: Sequence[Payload]) -> list[Payload]:
        """Each as it was.

        Raises:
            PayloadUnreadable: The key of one is not here, or it is not what was written.
        """
        return [self._opened(each) for each in payloads]

    def _sealed(self, payload: Payload) -> Payload:
        assert self._first is not None
        nonce = secrets.token_bytes(NONCE_BYTES)
        name = self._first.encode()
        sealed = self._keys[self._first].encrypt(nonce, payload.SerializeToString(), name)
        return Payload(metadata={"encoding": ENCODING, KEY_ID: name}, data=nonce + sealed)

    def _opened(self, payload: Payload) -> Payload:
        if payload.metadata.get("encoding") != ENCODING:
            return payload
        name = payload.metadata.get(KEY_ID, b"")
        key = self._keys.get(name.decode("ascii", "replace"))
        if key is None:
            raise PayloadUnreadable(
                "A payload in Temporal is encrypted with a key that is not set: give GUIDESMITH_PAYLOAD_KEY the one it "
                "was encrypted with, too (after a comma)."
            )
        try:
            return Payload.FromString(key.decrypt(payload.data[:NONCE_BYTES], payload.data[NONCE_BYTES:], name))
        except (InvalidTag, ValueError, DecodeError):
            raise PayloadUnreadable("An encrypted payload in Temporal is damaged, or was changed.") from None


def _key(text: str) -> bytes:
    return hashlib.sha256(b"guidesmith payloads in Temporal" + text.encode()).digest()


def _name(text: str) -> str:
    """What metadata call a key, which tells nothing of it."""
    return hashlib.sha256(b"guidesmith name of a key" + _key(text)).hexdigest()[:16]


class CodedFailures(DefaultFailureConverter):
    """Failures by the taxonomy's codes, also those that come about before any of our code runs: a payload that this
    process cannot read."""

    def to_failure(self, exception: BaseException, payload_converter: PayloadConverter, failure: Failure) -> None:
        """As the base class, with the error of ours that ``exception`` is or was made of."""
        told = exception
        if isinstance(exception, ApplicationError) and exception.type is None:
            told = exception.__cause__ or exception
        if isinstance(told, GuidesmithError):
            exception = application_error(told)
        super().to_failure(exception, payload_converter, failure)


class EncodedFailures(CodedFailures):
    """The same, with what they say and where they arose in a payload, which is encrypted as every other."""

    def __init__(self) -> None:
        super().__init__(encode_common_attributes=True)


def data_converter(keys: Sequence[str] = ()) -> DataConverter:
    """How everything that Temporal carries is written and read.

    Args:
        keys: As of :class:`EncryptingCodec`.
    """
    codec = EncryptingCodec(keys)
    return replace(
        pydantic_data_converter,
        payload_codec=codec,
        failure_converter_class=EncodedFailures if codec.encrypts else CodedFailures,
    )
