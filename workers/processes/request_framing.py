"""Whether received bytes are a whole request, so that a thread can read it without waiting."""

import re
from typing import Final

from service.api.requests import MAX_BODY_BYTES

#: More than gunicorn's parser accepts as request line and headers: it refuses at once what is longer.
MAX_HEAD_BYTES: Final = 128 * 1024
MAX_REQUEST_BYTES: Final = MAX_HEAD_BYTES + MAX_BODY_BYTES
_END_OF_HEAD: Final = b"\r\n\r\n"
_LENGTH: Final = re.compile(rb"\r\ncontent-length:[ \t]*([0-9]{1,18})[ \t]*\r\n")
_MAX_SIZE_LINE: Final = 64


def missing_bytes(received: bytes) -> int:
    """Return how many bytes the request lacks at least; 0 if it is whole, or invalid and can be refused.

    Nothing is validated here. A body that is too long counts as whole, because it is refused by its head,
    and so does a request that waits for `100 Continue`.
    """
    end = received.find(_END_OF_HEAD)
    if end < 0:
        return 0 if len(received) >= MAX_HEAD_BYTES else 1
    head = received[: end + 2].lower()
    body = end + len(_END_OF_HEAD)
    if b"\r\nexpect:" in head:
        return 0
    if b"\r\ntransfer-encoding:" in head:
        return _missing_of_chunks(received, body)
    length = _LENGTH.search(head)
    if length is None or int(length[1]) > MAX_BODY_BYTES:
        return 0
    return max(0, body + int(length[1]) - len(received))


def _missing_of_chunks(received: bytes, start: int) -> int:
    if len(received) - start > MAX_BODY_BYTES:
        return 0
    while True:
        end = received.find(b"\r\n", start)
        if end < 0:
            return 0 if len(received) - start > _MAX_SIZE_LINE else 1
        try:
            size = int(received[start:end].partition(b";")[0], 16)
        except ValueError:
            return 0
        if size == 0:
            # Trailers may follow; an empty line ends them.
            return 0 if received.find(_END_OF_HEAD, end) >= 0 else 1
        start = end + 2 + size + 2
        if size > MAX_BODY_BYTES or received[start - 2 : start] not in {b"\r\n", b"\r", b""}:
            return 0
        if len(received) < start:
            return start - len(received)
