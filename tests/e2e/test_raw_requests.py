"""What no client library would send: bytes on a socket, to a real server."""

import json
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from urllib.parse import urlsplit

import pytest

PATIENCE_SECONDS = 60.0
BODY = b'{"name": "Ana"}'
HOST = b"Host: x\r\nConnection: close\r\n"
JSON = HOST + b"Content-Type: application/json\r\n"
CHUNKED = JSON + b"Transfer-Encoding: chunked\r\n\r\n"
NEW = b"POST /v1/players HTTP/1.1\r\n"
MUCH = b"[" * 10_000_000


@pytest.fixture
def send(url):
    """Send bytes and return all that comes back before the server closes."""
    place = urlsplit(url)

    def send(sent):
        with socket.create_connection((place.hostname, place.port), PATIENCE_SECONDS) as connection:
            # It may have heard enough; its answer is there then.
            with suppress(BrokenPipeError, ConnectionResetError):
                connection.sendall(sent)
            with connection.makefile("rb") as answers:
                return answers.read()

    return send


def one_problem(answer):
    """Return status and code of an answer that is one problem and nothing else."""
    head, _, content = answer.partition(b"\r\n\r\n")
    status, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    problem = json.loads(content)
    assert headers["content-type"] == "application/problem+json"
    assert headers["access-control-allow-origin"] == "*"
    assert headers["x-request-id"] == problem["request_id"]
    assert headers["x-content-type-options"] == "nosniff"
    assert int(headers["content-length"]) == len(content)
    assert "set-cookie" not in headers
    assert int(status.split()[1]) == problem["status"]
    return problem["status"], problem["code"]


def get(path, more=b""):
    return b"GET " + path + b" HTTP/1.1\r\n" + HOST + more + b"\r\n"


REFUSED = {
    "no request at all": (b"GARBAGE\r\n\r\n", 400, "bad_request"),
    "a TLS greeting": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400, "bad_request"),
    "HTTP of the future": (b"GET /v1/meta HTTP/3.0\r\n" + HOST + b"\r\n", 400, "bad_request"),
    "a method in small letters": (b"get /v1/meta HTTP/1.1\r\n" + HOST + b"\r\n", 400, "bad_request"),
    "TRACE": (b"TRACE /v1/meta HTTP/1.1\r\n" + HOST + b"\r\n", 405, "method_not_allowed"),
    "an unknown method": (b"BREW /v1/meta HTTP/1.1\r\n" + HOST + b"\r\n", 405, "method_not_allowed"),
    "CONNECT": (b"CONNECT example.org:443 HTTP/1.1\r\n" + HOST + b"\r\n", 404, "not_found"),
    "a path without a slash": (b"GET v1/meta HTTP/1.1\r\n" + HOST + b"\r\n", 400, "bad_request"),
    "slashes in front": (get(b"//v1/meta"), 404, "not_found"),
    "slashes in the middle": (get(b"/v1//meta"), 404, "not_found"),
    "a slash in disguise": (get(b"/v1%2fmeta/x"), 404, "not_found"),
    "bytes that are no ASCII": (get(b"/v1/meta\xff"), 400, "bad_request"),
    "a very long path": (get(b"/v1/" + b"a" * 9_000), 414, "uri_too_long"),
    "a very long query": (get(b"/v1/meta?" + b"a=b&" * 9_000), 414, "uri_too_long"),
    "a very long header": (
        get(b"/v1/meta", b"If-Match: " + b"a" * 20_000 + b"\r\n"),
        431,
        "headers_too_large",
    ),
    "many headers": (
        get(b"/v1/meta", b"".join(b"A%d: b\r\n" % number for number in range(200))),
        431,
        "headers_too_large",
    ),
    "NUL in a header": (get(b"/v1/meta", b"X-Request-Id: a\0b\r\n"), 400, "bad_request"),
    "a header within a header": (get(b"/v1/meta", b"X-Request-Id: a\nSet-Cookie: b\r\n"), 400, "bad_request"),
    "a line break in a path": (get(b"/problems/%0d%0aSet-Cookie:%20a=b"), 404, "not_found"),
    "an expectation of coffee": (
        NEW + JSON + b"Expect: coffee\r\nContent-Length: 15\r\n\r\n" + BODY,
        400,
        "bad_request",
    ),
    "two lengths": (
        NEW + JSON + b"Content-Length: 15\r\nContent-Length: 9\r\n\r\n" + BODY,
        400,
        "bad_request",
    ),
    "a negative length": (NEW + JSON + b"Content-Length: -1\r\n\r\n" + BODY, 400, "bad_request"),
    "a length and chunks": (
        NEW + JSON + b"Content-Length: 15\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        400,
        "bad_request",
    ),
    "a chunk of no size": (NEW + CHUNKED + b"zz\r\n" + BODY + b"\r\n0\r\n\r\n", 400, "bad_request"),
    "a chunk with a wrong end": (NEW + CHUNKED + b"f\r\n" + BODY + b"XX0\r\n\r\n", 400, "bad_request"),
    "10 MB": (NEW + JSON + b"Content-Length: 10000000\r\n\r\n" + MUCH, 413, "body_too_large"),
    "10 MB in chunks": (
        NEW + CHUNKED + b"989680\r\n" + MUCH + b"\r\n0\r\n\r\n",
        413,
        "body_too_large",
    ),
    "less than the length": (NEW + JSON + b"Content-Length: 5\r\n\r\n" + BODY, 400, "malformed_json"),
    # What follows is waited for, but not for ever.
    "half a head": (NEW + HOST, 408, "request_timeout"),
    "half a body": (NEW + JSON + b"Content-Length: 500\r\n\r\n" + BODY, 408, "request_timeout"),
    "half a chunk": (NEW + CHUNKED + b"ff\r\n" + BODY, 408, "request_timeout"),
    "the beginning of 10 MB": (
        NEW + JSON + b"Content-Length: 10000000\r\n\r\n" + BODY,
        413,
        "body_too_large",
    ),
    "half a body that is not read": (
        b"POST /nowhere HTTP/1.1\r\n" + JSON + b"Content-Length: 500\r\n\r\n" + BODY,
        408,
        "request_timeout",
    ),
}


class TestBytesThatNoClientSends:
    def test_are_answered_with_a_problem_each(self, send):
        # At once: some of them are waited for.
        with ThreadPoolExecutor(len(REFUSED)) as threads:
            answers = threads.map(send, [sent for sent, _, _ in REFUSED.values()])
            got = {name: one_problem(answer) for name, answer in zip(REFUSED, answers, strict=True)}

        assert got == {name: (status, code) for name, (_, status, code) in REFUSED.items()}

    def test_leave_everybody_else_alone(self, url, arrive, send):
        ana = arrive(url)
        game = ana.hold({"hands": [["7S", "7C", "KD"], ["4H", "9C"]], "discard_pile": ["2C", "7H"]})
        before = ana.view(game)
        token = b"Authorization: Bearer " + ana.token.encode() + b"\r\n"
        move = b"POST " + game.encode() + b"/draw-stock HTTP/1.1\r\n" + HOST + token

        for rest in (
            b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
            b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}XX",
            b"Content-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}",
        ):
            one_problem(send(move + rest))

        after = ana.view(game)
        assert after["version"] == before["version"]
        assert after["you"] == before["you"]


class TestClientsThatDoNotGo:
    """More of them than there are threads, and none of them closes its connection."""

    @pytest.fixture
    def crowd(self, url):
        """Let a crowd connect and send the same."""
        place = urlsplit(url)
        with ExitStack() as connections:

            def crowd(sent):
                for _ in range(150):
                    connection = connections.enter_context(socket.socket())
                    # A small window makes the server block sooner.
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
                    connection.settimeout(PATIENCE_SECONDS)
                    connection.connect((place.hostname, place.port))
                    connection.sendall(sent)

            yield crowd

    @pytest.mark.parametrize(
        "sent",
        [
            NEW + HOST,
            get(b"/healthz"),
            b"GET /v1/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n" * 20,
        ],
        ids=["half a head", "over", "responses that are not read"],
    )
    def test_do_not_keep_others_out(self, crowd, send, sent):
        crowd(sent)

        assert send(get(b"/healthz")).startswith(b"HTTP/1.1 200")


class TestHalfSentRequests:
    """They wait without a thread: many more of them than threads hold up no other request."""

    MANY = 700

    @pytest.mark.parametrize(
        "half",
        [
            b"",
            b"G",
            NEW + HOST,
            NEW + JSON + b"Content-Length: 500\r\n\r\n" + BODY,
            NEW + CHUNKED + b"ff\r\n",
        ],
        ids=["nothing", "a letter", "half a head", "half a body", "half a chunk"],
    )
    def test_hold_up_no_other(self, url, send, half):
        place = urlsplit(url)
        with ExitStack() as open_sockets:
            for _ in range(self.MANY):
                client = socket.create_connection((place.hostname, place.port), PATIENCE_SECONDS)
                open_sockets.enter_context(client)
                client.sendall(half)
            assert send(get(b"/healthz")).startswith(b"HTTP/1.1 200")
            # None of them was answered meanwhile.
            client.setblocking(False)
            with pytest.raises(BlockingIOError):
                client.recv(1)

    def test_go_on_where_they_stopped(self, url):
        place = urlsplit(url)
        request = NEW + JSON + b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY
        with socket.create_connection((place.hostname, place.port), PATIENCE_SECONDS) as client:
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for at in range(len(request)):
                client.sendall(request[at : at + 1])
            with client.makefile("rb") as answer:
                assert answer.read().startswith(b"HTTP/1.1 201")
