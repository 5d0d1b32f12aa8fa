"""Why Temporal was not reached, in a sentence that names the setting that mends it.

Temporal's client raises one error for all of it, whose text is that of the libraries below (tonic, rustls, hyper). What
is recognised in it was seen with real listeners; what is not is told as no answer.
"""

import re
from dataclasses import dataclass

from domain.errors import EngineUnavailable


@dataclass(frozen=True)
class _Fault:
    """``text``: what the client's error says. ``lasting``: nothing but an operator mends it."""

    text: re.Pattern[str]
    found: str
    mend: str
    lasting: bool = True


_TLS = "TEMPORAL_TLS_SERVER_CA_CERT_PATH"
_FAULTS = (
    _Fault(
        re.compile(r"NotValidForName"),
        "The certificate of Temporal at {address} is for another host name.",
        "Set TEMPORAL_ADDRESS to the name that it is for, or TEMPORAL_TLS_SERVER_NAME to that name.",
    ),
    _Fault(
        re.compile(r"InvalidCertificate\((Expired|NotValidYet)"),
        "The certificate of Temporal at {address} has expired, or is not valid yet.",
        "Renew it, or correct this machine's clock.",
    ),
    _Fault(
        re.compile(r"InvalidCertificate"),
        "The certificate of Temporal at {address} is not trusted here.",
        f"Set {_TLS} to the certificate of whoever issued it.",
    ),
    _Fault(
        re.compile(r"fatal alert: (CertificateRequired|HandshakeFailure)"),
        "Temporal at {address} asks for a client certificate.",
        "Set TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH.",
    ),
    _Fault(
        re.compile(r"fatal alert: (UnknownCA|BadCertificate|CertificateUnknown|CertificateExpired|CertificateRevoked)"),
        "Temporal at {address} does not take the client certificate.",
        "Set TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH to one that it trusts.",
    ),
    _Fault(
        re.compile(r"InvalidContentType"),
        "Temporal at {address} does not speak TLS, and is spoken to with it.",
        "Set TEMPORAL_TLS=false (an API key and certificates switch TLS on), or correct TEMPORAL_ADDRESS.",
    ),
    _Fault(
        re.compile(r"code: (Unauthenticated|PermissionDenied)", re.IGNORECASE),
        "Temporal at {address} does not let us in.",
        "Correct TEMPORAL_API_KEY, or the client certificate, and TEMPORAL_NAMESPACE.",
    ),
    _Fault(
        re.compile(r"KeyParseError|CertificateParseError|Invalid URI"),
        "Temporal at {address} was not asked: the client certificate, its key or the address cannot be read.",
        "Correct TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH, or TEMPORAL_ADDRESS.",
    ),
    _Fault(
        re.compile(r"dns error"),
        "The name of Temporal's address {address} is not known.",
        "Correct TEMPORAL_ADDRESS.",
        lasting=False,  # of a container that is not up yet
    ),
)
_ENDED = re.compile(r"error after connection.*hyper::Error")
"""Reset, closed, broken pipe, a frame that is none: which, depends on who was quicker."""
_PLAIN = _Fault(
    _ENDED,
    "Whoever listens at {address} ends the connection without a word: it may expect TLS, or be no Temporal.",
    "Set TEMPORAL_TLS=true where it does, or correct TEMPORAL_ADDRESS.",
    lasting=False,  # so does one that is being restarted
)
_SECURED = _Fault(
    _ENDED,
    "Temporal at {address} ends the connection without a word: it may ask for a client certificate.",
    "Set TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH where it does.",
    lasting=False,
)
_SILENT = _Fault(
    re.compile(""),
    "Temporal does not answer at {address}.",
    "Start it (`guidesmith up` brings one), or set TEMPORAL_ADDRESS.",
    lasting=False,
)


class NotConnected(EngineUnavailable):
    """Temporal was not reached. ``found`` and ``mend`` are the message's halves; ``lasting``: waiting is in vain."""

    def __init__(self, found: str, mend: str, *, lasting: bool) -> None:
        super().__init__(f"{found} {mend}")
        self.found, self.mend, self.lasting = found, mend, lasting


class NamespaceMissing(NotConnected):
    """Temporal answers, and does not know the namespace of the settings."""

    def __init__(self, name: str, address: str) -> None:
        super().__init__(
            f"Temporal at {address} has no namespace {name!r}.",
            f"Create it (`temporal operator namespace create --namespace {name}`), or correct TEMPORAL_NAMESPACE.",
            lasting=True,
        )


def not_connected(text: str, address: str, *, tls: bool) -> NotConnected:
    """What the text of the client's error means. ``tls``: whether TLS was spoken."""
    faults = (*_FAULTS, _SECURED if tls else _PLAIN)
    fault = next((each for each in faults if each.text.search(text)), _SILENT)
    return NotConnected(fault.found.format(address=address), fault.mend, lasting=fault.lasting)
