"""Listeners that speak TLS, or do not, as a badly configured server does; certificates of an authority of their own."""

import ipaddress
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePrivateKey, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

DAY = timedelta(days=1)
HERE = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))


class Authority:
    """Issues certificates; ``root`` is its own, as a file."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = generate_private_key(SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "tests")])
        built = self._built(self._name, self._key, datetime.now(UTC) - DAY)
        own = built.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        self.root = folder / "root.pem"
        self.root.write_bytes(own.sign(self._key, SHA256()).public_bytes(Encoding.PEM))

    def _built(
        self, name: x509.Name, key: EllipticCurvePrivateKey, since: datetime, days: int = 9
    ) -> x509.CertificateBuilder:
        serial = x509.random_serial_number()
        return x509.CertificateBuilder(self._name, name, key.public_key(), serial, since, since + days * DAY)

    def issue(self, host: x509.GeneralName = HERE, *, expired: bool = False) -> Path:
        """A certificate for ``host`` and its key, in one file."""
        key = generate_private_key(SECP256R1())
        since = datetime.now(UTC) - (3 * DAY if expired else DAY)
        built = self._built(x509.Name([]), key, since, days=2 if not expired else 1)
        signed = built.add_extension(x509.SubjectAlternativeName([host]), critical=True).sign(self._key, SHA256())
        file = self._folder / f"{signed.serial_number}.pem"
        private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        file.write_bytes(signed.public_bytes(Encoding.PEM) + private)
        return file


@contextmanager
def listening(certificate: Path | None, *, clients: Path | None = None) -> Iterator[str]:
    """A listener that ends each connection after its first bytes: its address. ``clients``: whose certificates it asks
    for."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.set_alpn_protocols(["h2"])
    if certificate is not None:
        context.load_cert_chain(certificate)
    if clients is not None:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(clients)

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with suppress(OSError), connection:
                if certificate is None:
                    connection.recv(64)
                    connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                else:
                    with context.wrap_socket(connection, server_side=True) as secured:
                        secured.recv(64)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"127.0.0.1:{listener.getsockname()[1]}"
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        thread.join()


@contextmanager
def answering(status: int) -> Iterator[str]:
    """An HTTP server that answers everything so: its address."""

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            return

    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
        server.shutdown()
