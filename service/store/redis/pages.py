"""Reads sorted sets page by page."""

from service.store.contract import check_page
from service.store.redis.connection import Connection, script


def page_of(
    connection: Connection, name: str, *, after: tuple[int, str] | None, limit: int
) -> list[tuple[int, str]]:
    """Return scores and members after the cursor: by score, then by member, both descending.

    The cursor need not be in the set. However many members share its score, only the page is sent.
    """
    check_page(limit=limit)
    if after is None:
        reply = connection.call("ZREVRANGE", name, 0, limit - 1, "WITHSCORES")
    else:
        reply = connection.run(script("page_after"), [name], *after, limit)
    return [(int(score), member.decode()) for member, score in zip(reply[::2], reply[1::2], strict=True)]
