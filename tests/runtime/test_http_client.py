"""One POST to a server that may do anything."""

import ssl
import threading
import time

import pytest

from service.runtime.http_client import PostResult, WebhookClient
from tests.support.hooks import CERTIFICATE, hooks, saying
from tests.support.servers import free_port

BODY = b'{"type":"turn.started"}'


@pytest.fixture
def poster():
    return WebhookClient(private=True, seconds=30)


class TestPosting:
    def test_headers_and_body_arrive_as_they_are(self, poster):
        with hooks() as server:
            posted = poster.post(f"{server.url}/a?b=c", BODY, {"webhook-id": "msg_1"})

            assert posted == PostResult(status=204)
            assert posted.is_success
            (got,) = server.got
            assert (got.path, got.body) == ("/hook/a?b=c", BODY)
            assert got.headers["webhook-id"] == "msg_1"
            assert got.headers["Content-Type"] == "application/json"
            assert got.headers["Host"] == f"127.0.0.1:{server.port}"

    @pytest.mark.parametrize("status", [200, 299, 300, 400, 410, 500, 503])
    def test_only_2xx_is_a_success(self, poster, status):
        with hooks() as server:
            server.statuses = [status]

            posted = poster.post(server.url, BODY, {})

            assert posted == PostResult(status=status)
            assert posted.is_success == (status < 300)

    @pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
    def test_no_redirect_is_followed(self, poster, status):
        with hooks() as server, hooks() as other:
            server.statuses, server.location = [status], other.url

            assert poster.post(server.url, BODY, {}) == PostResult(status=status)

            assert other.got == []


class TestTargets:
    @pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
    def test_a_private_target_is_not_even_connected_to(self, host):
        with hooks() as server:
            for scheme in ("http", "https"):
                posted = WebhookClient().post(f"{scheme}://{host}:{server.port}/", BODY, {})
                assert posted == PostResult(error="target_refused")

            assert server.got == []

    def test_nor_is_a_public_name_that_resolves_to_one(self):
        with hooks(tls=True) as server:
            poster = WebhookClient(lookup=lambda *_: ["127.0.0.1"])

            assert poster.post(f"https://hooks.example:{server.port}/", BODY, {}).error == "target_refused"

            assert server.got == []

    def test_a_name_is_resolved_once_and_the_checked_address_is_used(self):
        asked = []

        def lookup(host, port):
            asked.append((host, port))
            return ["127.0.0.1"] if len(asked) == 1 else ["127.0.0.99"]

        with hooks() as server:
            poster = WebhookClient(private=True, lookup=lookup, seconds=30)

            assert poster.post(f"http://hooks.example:{server.port}/", BODY, {}).is_success

            assert asked == [("hooks.example", server.port)]
            assert server.got[0].headers["Host"] == f"hooks.example:{server.port}"

    def test_the_next_address_is_tried_where_the_first_takes_no_connection(self):
        with hooks() as server:
            poster = WebhookClient(private=True, lookup=lambda *_: ["127.0.0.99", "127.0.0.1"], seconds=30)

            assert poster.post(f"http://hooks.example:{server.port}/", BODY, {}).is_success


class TestTls:
    def test_the_certificate_is_checked_against_the_name_and_not_the_address(self):
        trusting = ssl.create_default_context(cafile=CERTIFICATE)
        with hooks(tls=True) as server:
            poster = WebhookClient(private=True, tls=trusting, lookup=lambda *_: ["127.0.0.1"], seconds=30)

            assert poster.post(f"https://hooks.example:{server.port}/", BODY, {}) == PostResult(status=204)
            assert poster.post(f"https://other.example:{server.port}/", BODY, {}).error == "tls_failed"

            assert len(server.got) == 1

    def test_an_untrusted_certificate_is_refused(self):
        with hooks(tls=True) as server:
            poster = WebhookClient(private=True, lookup=lambda *_: ["127.0.0.1"], seconds=30)

            assert poster.post(f"https://hooks.example:{server.port}/", BODY, {}).error == "tls_failed"

            assert server.got == []


class TestBadServers:
    def test_no_server(self, poster):
        assert poster.post(f"http://127.0.0.1:{free_port()}/", BODY, {}) == PostResult(error="not_connected")

    def test_a_name_without_addresses(self):
        poster = WebhookClient(private=True, lookup=lambda *_: [])

        assert poster.post("http://hooks.example/", BODY, {}) == PostResult(error="not_connected")

    def test_an_unknown_name(self):
        # Names behind .invalid are never known; without any DNS they are not either.
        assert WebhookClient(private=True).post("http://unknown.invalid/", BODY, {}) == PostResult(
            error="name_not_found"
        )

    def test_a_server_that_never_answers_times_out(self):
        over = threading.Event()
        with saying(lambda _: over.wait(60)) as url:
            assert WebhookClient(private=True, seconds=0.3).post(url, BODY, {}) == PostResult(
                error="timed_out"
            )
            over.set()

    def test_a_server_that_answers_byte_by_byte_times_out(self):
        def drip(link):
            for _ in range(600):
                link.sendall(b"H")
                time.sleep(0.1)

        with saying(drip) as url:
            assert WebhookClient(private=True, seconds=0.5).post(url, BODY, {}) == PostResult(
                error="timed_out"
            )

    def test_a_handshake_that_never_ends_times_out(self):
        def drip(link):
            link.sendall(b"\x16\x03\x03\x3f\xff")
            for _ in range(600):
                link.sendall(b"\x02")
                time.sleep(0.1)

        with saying(drip) as url:
            client = WebhookClient(private=True, seconds=0.5)
            began = time.monotonic()

            assert client.post(url.replace("http:", "https:"), BODY, {}) == PostResult(error="timed_out")

            assert time.monotonic() - began < 30

    def test_headers_without_end_time_out(self):
        def drip(link):
            link.sendall(b"HTTP/1.1 200 OK\r\n")
            for _ in range(600):
                link.sendall(b"X: y\r\n")
                time.sleep(0.1)

        with saying(drip) as url:
            assert WebhookClient(private=True, seconds=0.5).post(url, BODY, {}) == PostResult(
                error="timed_out"
            )

    @pytest.mark.parametrize(
        "answer",
        [
            b"",
            b"SSH-2.0-Open\r\n",
            b"HTTP/1.1 999 No\r\n\r\n",
            b"HTTP/1.1 2000 OK\r\n\r\n",
            b"HTTP/1.1 200",
            b"HTTP/1.1 200 OK\r\nX: y\r\n",
            b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 101 + b"\r\n",
        ],
    )
    def test_what_is_not_http_is_an_error(self, poster, answer):
        with saying(lambda link: link.sendall(answer)) as url:
            assert poster.post(url, BODY, {}) == PostResult(error="no_http")

    def test_an_answer_without_end_is_not_read(self, poster):
        with saying(lambda link: [link.sendall(b"x" * 4096) for _ in range(1000)]) as url:
            assert poster.post(url, BODY, {}).error in {"no_http", "not_connected"}

    def test_of_a_large_response_only_the_status_is_read(self, poster):
        with saying(lambda link: link.sendall(b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 100_000)) as url:
            assert poster.post(url, BODY, {}) == PostResult(status=200)

    def test_interim_responses_are_skipped(self, poster):
        hints = b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
        with saying(lambda link: link.sendall(hints + b"HTTP/1.1 202 Accepted\r\n\r\n")) as url:
            assert poster.post(url, BODY, {}) == PostResult(status=202)
