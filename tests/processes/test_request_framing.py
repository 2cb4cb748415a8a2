"""When a request has arrived: every prefix of it lacks something, and the whole lacks nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.api.requests import MAX_BODY_BYTES
from workers.processes.request_framing import MAX_HEAD_BYTES, missing_bytes

HEAD = b"POST /v1/players HTTP/1.1\r\nHost: x\r\n"

chunks = st.lists(st.binary(min_size=1, max_size=40), max_size=4)
trailers = st.sampled_from([b"", b"Checked: yes\r\n"])


def with_length(body: bytes) -> bytes:
    return HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body


def in_chunks(parts: list[bytes], trailer: bytes) -> bytes:
    sent = b"".join(b"%x;note=1\r\n%s\r\n" % (len(part), part) for part in parts)
    return HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + sent + b"0\r\n" + trailer + b"\r\n"


requests = st.one_of(
    st.just(HEAD + b"\r\n"),
    st.binary(min_size=1, max_size=200).map(with_length),
    st.builds(in_chunks, chunks, trailers),
)


class TestARequest:
    @given(requests)
    def test_that_is_whole_lacks_nothing(self, request):
        assert missing_bytes(request) == 0

    @given(requests, st.data())
    def test_that_is_not_lacks_no_more_than_is_still_to_come(self, request, data):
        received = data.draw(st.integers(0, len(request) - 1))

        assert 1 <= missing_bytes(request[:received]) <= len(request) - received

    @given(st.binary(max_size=300))
    def test_of_any_bytes_is_judged(self, received):
        assert missing_bytes(received) >= 0
        assert missing_bytes(HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + received) >= 0


class TestWhatCanBeRefusedAtOnce:
    @pytest.mark.parametrize(
        "received",
        [
            b"A" * MAX_HEAD_BYTES,
            HEAD + b"Content-Length: %d\r\n\r\n" % (MAX_BODY_BYTES + 1),
            HEAD + b"Content-Length: -1\r\n\r\n",
            HEAD + b"Content-Length: 15\r\nExpect: 100-continue\r\n\r\n",
            HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
            HEAD + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}XX",
            HEAD + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" % (MAX_BODY_BYTES + 1),
            HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + b"1" * 65,
            b"GARBAGE\r\n\r\n",
        ],
    )
    def test_is_not_waited_for(self, received):
        assert missing_bytes(received) == 0
