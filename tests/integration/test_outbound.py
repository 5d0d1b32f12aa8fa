"""Requests to users' addresses, over real HTTP: what is not public is not spoken with, whatever it is called."""

import ipaddress
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

import pytest

from activities.providers.outbound import Bounds, IpAddress, Outbound, checked_url, is_public
from domain.errors import AddressRefused, GuidesmithError, ProviderAnswerInvalid, ProviderTimeout, ProviderUnavailable

HERE = ipaddress.ip_address("127.0.0.1")
"""Where the tests' server stands: the one address that counts as public in them."""


class Server(ThreadingHTTPServer):
    requests: ClassVar[list[tuple[str, str, dict[str, str], bytes]]]
    answers: dict[str, Callable[[BaseHTTPRequestHandler], None]]


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        self.server.requests.append((self.command, self.path, dict(self.headers), self.rfile.read(length)))
        self.server.answers.get(self.path, plain)(self)

    def do_POST(self) -> None:
        self.do_GET()

    def log_message(self, *_: object) -> None:
        """Not into the tests' output."""


def answer(handler: BaseHTTPRequestHandler, status: int, body: bytes = b"", **headers: str) -> None:
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def plain(handler: BaseHTTPRequestHandler) -> None:
    answer(handler, 200, b"hello")


@pytest.fixture
def server() -> Iterator[Server]:
    with listening() as running:
        yield running


@contextmanager
def listening() -> Iterator[Server]:
    running = Server(("127.0.0.1", 0), Handler)
    running.daemon_threads = True
    running.requests = []  # type: ignore[misc]
    running.answers = {}
    thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield running
    finally:
        running.shutdown()
        running.server_close()
        thread.join()


@dataclass
class Names:
    """A name server: each name's answers in turn, the last one again and again."""

    answers: dict[str, list[Sequence[str]]]
    asked: list[str] = field(default_factory=list)

    def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked.append(host)
        known = self.answers.get(host)
        if known is None:
            raise socket.gaierror("unknown")
        return known.pop(0) if len(known) > 1 else known[0]


def outbound(names: Names | None = None, **bounds: float) -> Outbound:
    names = names or Names({"public.test": [["127.0.0.1"]]})
    given = Bounds(**{"timeout_s": 30.0, **bounds})  # type: ignore[arg-type]
    return Outbound(given, resolve=names, permit=lambda address: address == HERE)


def url(server: Server, path: str = "/", host: str = "public.test") -> str:
    return f"http://{host}:{server.server_port}{path}"


# --- addresses -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["1.1.1.1", "93.184.215.14", "2606:4700:4700::1111", "2a00:1450:4001:81b::200e"])
def test_a_public_address_is_public(text: str) -> None:
    assert is_public(ipaddress.ip_address(text))


@pytest.mark.parametrize(
    "text",
    [
        *("127.0.0.1", "127.255.255.254", "0.0.0.0", "0.1.2.3", "10.0.0.1", "172.16.0.1", "172.31.255.255"),
        *("192.168.1.1", "169.254.169.254", "100.64.0.1", "192.0.0.1", "192.0.2.1", "198.18.0.1", "198.51.100.1"),
        *("203.0.113.1", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255"),
        *("::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:8.8.8.8", "::127.0.0.1", "64:ff9b::7f00:1"),
        *("64:ff9b:1::1", "fe80::1", "fc00::1", "fd12:3456::1", "fec0::1", "ff02::1", "2001:db8::1", "2002:7f00:1::1"),
        *("2001:0:4136:e378::1", "100::1", "5f00::1", "fd00:ec2::254", "3fff::1", "2001:2::1"),
        *("192.0.0.192", "192.88.99.1", "168.63.129.16"),
    ],
)
def test_an_address_of_a_machine_a_private_network_or_a_tunnel_is_not(text: str) -> None:
    assert not is_public(ipaddress.ip_address(text))


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1", "127.1", "2130706433", "0x7f000001", "0x7f.1", "017700000001", "0177.0.0.1", "0.0.0.0", "0"),
        *("localhost", "LOCALHOST", "localhost.", "169.254.169.254", "0xa9fea9fe", "2852039166", "[::1]", "[::]"),
        *("[::ffff:127.0.0.1]", "[::ffff:a9fe:a9fe]", "[0:0:0:0:0:0:0:1]", "[fe80::1]", "[fd00:ec2::254]"),
    ],
)
def test_given_this_machine_by_any_name_when_asked_by_the_systems_own_resolver_then_nothing_is_sent(
    server: Server, host: str
) -> None:
    with pytest.raises((AddressRefused, ProviderUnavailable)):
        Outbound().get(url(server, host=host))
    assert server.requests == []


@pytest.mark.parametrize(
    "address",
    [
        *("ftp://public.test/", "file:///etc/passwd", "gopher://public.test/", "javascript:alert(1)", "//public.test/"),
        *("public.test/", "", "http://", "http:///path", "http://user@public.test/", "http://user:word@public.test/"),
        *("http://@public.test/", "http://public.test:22/", "http://public.test:25/", "http://public.test:99999/"),
        *(
            "http://public.test:0/",
            "http://public test/",
            "http://public.test/\r\nX: y",
            "http://public.test\\@10.0.0.1/",
        ),
        *("http://pub\tlic.test/", "http://[::1/", "http://a%2eb/", "http://[fe80::1%25eth0]/", "http://①②⑦.0.0.1/"),
        *("http://xn--/", "http://xn--zn7c.test/", "http://public.test/" + "x" * 3000),
    ],
)
def test_given_an_address_that_is_none_or_hides_something_then_it_is_refused_before_any_name_is_looked_up(
    address: str,
) -> None:
    names = Names({"public.test": [["127.0.0.1"]]})
    with pytest.raises(AddressRefused):
        outbound(names).get(address)
    with pytest.raises(AddressRefused):
        checked_url(address)
    assert names.asked == []


def test_given_a_decent_address_when_checked_by_its_text_then_it_passes() -> None:
    for address in ("https://hooks.example.org/x?y=1", "http://example.org:8080/", "https://bücher.example/"):
        assert checked_url(address)


# --- names -----------------------------------------------------------------------------------------------------------


def test_given_a_public_address_then_it_is_asked_by_its_name(server: Server) -> None:
    fetched = outbound().get(url(server, "/a?b=c"), headers={"X-Mine": "1"})
    assert (fetched.status, fetched.body) == (200, b"hello")
    ((method, path, headers, _),) = server.requests
    assert (method, path) == ("GET", "/a?b=c")
    assert headers["Host"] == f"public.test:{server.server_port}"
    assert headers["X-Mine"] == "1"


def test_given_a_body_when_posted_then_it_arrives_and_any_status_is_an_answer(server: Server) -> None:
    server.answers["/hook"] = lambda handler: answer(handler, 503, b"busy", Retry_After="7")
    fetched = outbound().post(url(server, "/hook"), b"{}", headers={"Content-Type": "application/json"})
    assert (fetched.status, fetched.headers["retry-after"]) == (503, "7")
    assert server.requests[0][3] == b"{}"


def test_given_a_name_that_is_bound_anew_then_it_is_looked_up_once_and_the_checked_address_is_connected_to(
    server: Server,
) -> None:
    names = Names({"rebound.test": [["127.0.0.1"], ["127.0.0.2"]]})
    assert outbound(names).get(url(server, host="rebound.test")).status == 200
    assert names.asked == ["rebound.test"]
    with pytest.raises(AddressRefused):
        outbound(names).get(url(server, host="rebound.test"))
    assert len(server.requests) == 1


def test_given_a_name_with_one_private_address_among_others_then_it_is_refused(server: Server) -> None:
    names = Names({"mixed.test": [["127.0.0.1", "10.0.0.1"]]})
    with pytest.raises(AddressRefused):
        outbound(names).get(url(server, host="mixed.test"))
    assert server.requests == []


def test_given_an_address_where_nobody_listens_when_the_name_has_another_then_that_one_is_asked(server: Server) -> None:
    both: set[IpAddress] = {HERE, ipaddress.ip_address("127.0.0.3")}
    names = Names({"two.test": [["127.0.0.3", "127.0.0.1"]]})
    asked = Outbound(Bounds(timeout_s=30), resolve=names, permit=lambda address: address in both)
    assert asked.get(url(server, host="two.test")).status == 200


def test_given_a_name_that_there_is_not_then_it_is_unavailable_and_may_be_tried_again() -> None:
    for names in (Names({}), Names({"public.test": [[]]})):
        with pytest.raises(ProviderUnavailable):
            outbound(names).get("http://public.test/")


def test_given_a_proxy_in_the_environment_then_it_is_not_asked(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    with listening() as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.server_port}")
        assert outbound().get(url(server)).status == 200
        assert proxy.requests == []


# --- redirects -------------------------------------------------------------------------------------------------------


def test_given_a_redirect_to_a_public_address_then_it_is_followed_without_what_was_meant_for_the_first(
    server: Server,
) -> None:
    names = Names({"public.test": [["127.0.0.1"]], "other.test": [["127.0.0.1"]]})
    there = url(server, "/there", host="other.test")
    server.answers["/"] = lambda handler: answer(handler, 302, Location=there)
    fetched = outbound(names).get(url(server), headers={"Authorization": "Bearer x", "X-Mine": "1"})
    assert (fetched.url, fetched.body) == (there, b"hello")
    assert names.asked == ["public.test", "other.test"]
    headers = server.requests[1][2]
    assert "Authorization" not in headers
    assert headers["X-Mine"] == "1"
    assert headers["Host"].startswith("other.test")


@pytest.mark.parametrize(
    "location", ["http://10.0.0.1/", "http://inside.test/", "//inside.test/", "file:///etc/passwd", "http://[::1]/"]
)
def test_given_a_redirect_to_somewhere_private_then_it_is_not_followed(server: Server, location: str) -> None:
    names = Names(
        {
            "public.test": [["127.0.0.1"]],
            "inside.test": [["127.0.0.2"]],
            "10.0.0.1": [["10.0.0.1"]],
            "::1": [["::1"]],
        }
    )
    server.answers["/"] = lambda handler: answer(handler, 307, Location=location)
    with pytest.raises(AddressRefused):
        outbound(names).get(url(server))
    assert len(server.requests) == 1


def test_given_a_redirect_to_itself_on_a_name_that_is_bound_anew_then_it_is_checked_again(server: Server) -> None:
    names = Names({"rebound.test": [["127.0.0.1"], ["127.0.0.2"]]})
    server.answers["/"] = lambda handler: answer(handler, 302, Location="/again")
    with pytest.raises(AddressRefused):
        outbound(names).get(url(server, host="rebound.test"))
    assert len(server.requests) == 1


def test_given_redirects_without_end_then_they_end(server: Server) -> None:
    server.answers["/"] = lambda handler: answer(handler, 302, Location="/")
    with pytest.raises(AddressRefused, match="too often"):
        outbound(redirects=3).get(url(server))
    assert len(server.requests) == 4


def test_given_a_redirect_of_a_post_then_it_is_an_answer(server: Server) -> None:
    server.answers["/"] = lambda handler: answer(handler, 307, Location="/there")
    assert outbound().post(url(server), b"x").status == 307
    assert len(server.requests) == 1


# --- size, time, TLS -------------------------------------------------------------------------------------------------


def test_given_an_answer_that_is_larger_than_allowed_then_it_is_not_read_on(server: Server) -> None:
    def endless(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        try:
            while True:
                handler.wfile.write(b"x" * 65536)
        except OSError:
            return

    server.answers["/"] = endless
    with pytest.raises(ProviderAnswerInvalid):
        outbound(size_bytes=1 << 20).get(url(server))


def test_given_a_compressed_answer_then_it_is_not_unpacked(server: Server) -> None:
    server.answers["/"] = lambda handler: answer(handler, 200, b"\x1f\x8b bomb", Content_Encoding="gzip")
    with pytest.raises(ProviderAnswerInvalid):
        outbound().get(url(server))
    assert server.requests[0][2]["Accept-Encoding"] == "identity"


def test_given_a_post_when_its_answer_is_compressed_endless_or_cut_then_the_status_counts_all_the_same(
    server: Server,
) -> None:
    def cut(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(202)
        handler.send_header("Content-Length", "100")
        handler.end_headers()

    def endless(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(202)
        handler.end_headers()
        with suppress(OSError):
            while True:
                handler.wfile.write(b"x" * 65536)

    server.answers["/gzip"] = lambda handler: answer(handler, 202, b"\x1f\x8b bomb", Content_Encoding="gzip")
    server.answers["/cut"] = cut
    server.answers["/endless"] = endless
    for path in ("/gzip", "/cut", "/endless"):
        fetched = outbound(size_bytes=1 << 20).post(url(server, path), b"{}")
        assert (fetched.status, fetched.body) == (202, b"")


def test_given_an_answer_that_drips_then_the_whole_of_it_has_to_be_there_in_time(server: Server) -> None:
    over = threading.Event()

    def dripping(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        try:
            while not over.wait(0.05):
                handler.wfile.write(b"x")
        except OSError:
            return

    server.answers["/"] = dripping
    try:
        with pytest.raises(ProviderTimeout):
            outbound(timeout_s=0.5).get(url(server))
    finally:
        over.set()


def test_given_a_name_server_that_does_not_answer_then_it_is_not_waited_for() -> None:
    over = threading.Event()

    def silent(host: str, port: int) -> Sequence[str]:
        over.wait(60)
        return []

    began = time.monotonic()
    try:
        with pytest.raises(ProviderTimeout):
            Outbound(Bounds(timeout_s=0.2), resolve=silent, permit=lambda _: True).get("http://silent.test/")
        assert time.monotonic() - began < 50
    finally:
        over.set()


def test_given_tls_with_a_certificate_of_nobodys_then_it_is_not_spoken_with() -> None:
    with listening() as server:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        with pytest.raises(ProviderUnavailable):
            outbound().get(f"https://public.test:{server.server_port}/")


def test_no_error_names_the_address(server: Server) -> None:
    secret = "s3cr3t-path"
    for address in (f"http://10.0.0.1/{secret}", f"ftp://public.test/{secret}", f"http://nowhere.test/{secret}"):
        with pytest.raises(GuidesmithError) as refusal:
            Outbound(resolve=Names({"10.0.0.1": [["10.0.0.1"]]})).get(address)
        assert secret not in refusal.value.message
        assert "10.0.0.1" not in refusal.value.message
