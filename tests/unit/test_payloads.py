"""Payloads as Temporal gets them: encrypted with the newest key, opened with any, and a failure's code in clear."""

import asyncio

import pytest
from pydantic import SecretStr
from temporalio.api.common.v1 import Payload
from temporalio.api.failure.v1 import Failure
from temporalio.exceptions import ApplicationError

from domain.errors import MediaTruncated, PayloadUnreadable, SettingsInvalid
from starter.services.payloads import EncryptingCodec, data_converter
from starter.settings import load_settings

OLD, NEW = "0123456789abcdef" * 2, "fedcba9876543210" * 2
CLEAR = [Payload(metadata={"encoding": b"json/plain"}, data=b'"a lighthouse"'), Payload(data=bytes(range(256)))]


def encoded(*keys: str) -> list[Payload]:
    return asyncio.run(EncryptingCodec(keys).encode(CLEAR))


def decoded(payloads: list[Payload], *keys: str) -> list[Payload]:
    return asyncio.run(EncryptingCodec(keys).decode(payloads))


def test_given_a_key_then_nothing_of_a_payload_is_seen_and_the_key_opens_it() -> None:
    sealed = encoded(NEW)
    assert decoded(sealed, NEW) == CLEAR
    for each in sealed:
        assert set(each.metadata) == {"encoding", "encryption-key-id"}
        assert each.metadata["encoding"] == b"binary/encrypted"
        assert b"lighthouse" not in each.data and b"json" not in each.data
        assert NEW.encode() not in each.SerializeToString()
    assert {each.data for each in sealed}.isdisjoint(each.data for each in encoded(NEW))  # a nonce of its own


def test_given_a_new_key_when_rotated_then_it_encrypts_and_both_are_opened() -> None:
    before, after = encoded(OLD), encoded(NEW, OLD)
    assert decoded(before, NEW, OLD) == decoded(after, NEW, OLD) == CLEAR
    assert decoded(after, OLD, NEW) == CLEAR  # who is told of the new key first, and to use it later
    with pytest.raises(PayloadUnreadable, match="GUIDESMITH_PAYLOAD_KEY"):
        decoded(after, OLD)


def test_given_no_key_or_off_then_payloads_are_let_be_and_encrypted_ones_are_still_opened() -> None:
    assert encoded() == encoded("off") == encoded("off", NEW) == CLEAR
    assert decoded(CLEAR, NEW) == CLEAR  # from before there was a key
    assert decoded(encoded(NEW), "off", NEW) == CLEAR
    with pytest.raises(PayloadUnreadable, match="key that is not set"):
        decoded(encoded(NEW))


def test_given_a_payload_that_was_changed_then_it_is_refused() -> None:
    (sealed, _), (other, _) = encoded(NEW), encoded(OLD)
    renamed = Payload(metadata={**sealed.metadata, "encryption-key-id": other.metadata["encryption-key-id"]})
    renamed.data = sealed.data
    for data in (sealed.data[:-1] + bytes([sealed.data[-1] ^ 1]), sealed.data[:5], b""):
        with pytest.raises(PayloadUnreadable, match="damaged"):
            decoded([Payload(metadata=dict(sealed.metadata), data=data)], NEW)
    with pytest.raises(PayloadUnreadable, match="damaged"):
        decoded([renamed], NEW, OLD)


def failure_of(error: BaseException, *keys: str) -> tuple[Failure, BaseException]:
    """As Temporal gets it, and as it is read again."""
    converter = data_converter(keys)

    async def passed() -> tuple[Failure, BaseException]:
        failure = Failure()
        await converter.encode_failure(error, failure)
        kept = Failure()
        kept.CopyFrom(failure)
        return kept, await converter.decode_failure(failure)

    return asyncio.run(passed())


def test_given_a_key_when_something_fails_then_only_its_code_is_in_clear() -> None:
    told = ApplicationError("The recording ends early.", "a detail", type=MediaTruncated.code, non_retryable=True)
    kept, read = failure_of(told, NEW)
    assert kept.application_failure_info.type == "MEDIA_TRUNCATED"
    assert b"ends early" not in kept.SerializeToString() and b"a detail" not in kept.SerializeToString()
    assert isinstance(read, ApplicationError)
    assert (read.message, read.type, read.details) == (told.message, told.type, ("a detail",))
    kept, _ = failure_of(told)
    assert kept.message == "The recording ends early."


def test_given_a_key_that_is_missing_when_it_fails_an_activity_then_the_code_and_the_sentence_are_told() -> None:
    with pytest.raises(PayloadUnreadable) as unreadable:
        decoded(encoded(NEW), OLD)
    for_activity = ApplicationError("Failed decoding arguments")  # as the SDK says it
    for_activity.__cause__ = unreadable.value
    for error in (unreadable.value, for_activity):
        kept, read = failure_of(error, OLD)
        assert kept.application_failure_info.type == "PAYLOAD_UNREADABLE"
        assert not kept.application_failure_info.non_retryable  # it heals as soon as the key is set
        assert isinstance(read, ApplicationError) and "GUIDESMITH_PAYLOAD_KEY" in read.message


def test_given_a_weak_key_then_the_settings_are_refused_and_off_is_no_key() -> None:
    for weak in ("short", f"{NEW},short", "off,short", "changeme" * 8):
        with pytest.raises(SettingsInvalid, match="GUIDESMITH_PAYLOAD_KEY"):
            load_settings(payload_key=SecretStr(weak))
    assert load_settings(payload_key=SecretStr(f"off, {NEW}")).payload_keys() == ("off", NEW)
    assert load_settings().payload_keys() == ()
