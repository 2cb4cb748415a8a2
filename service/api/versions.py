"""The version that a request is for, or that its client has: entity tags and their parameters.

The ETag of a game or score sheet is its version. Three parameters say which version a change is for
(`If-Match`, `Expected-Version`, `if_version`), and three which one the client has (`If-None-Match`,
`Known-Version`, `newer_than`). To a page of another origin they differ: browsers send a preflight before each
request that has a conditional header of HTTP, or a query that is new to them. The headers of our own need one
preflight for each path.

A proxy that compresses marks the tags that pass it, and the client sends them back: `W/"41"` (nginx),
`"41-gzip"` (Apache), `"41--gzip"` (Jetty), `"41;gzip"`. The marks are ignored.
"""

import re
from typing import Final

from service.api.parameters import Parameter, read_integer

MAX_VERSION: Final = 999_999_999
#: Matches whatever there is.
ANY_TAG: Final = "*"

_TAG: Final = re.compile(
    r'(?:[Ww]/)?(?P<quote>"?)(?P<tag>[^"\s]*?)(?:(?:--?|;)(?:br|deflate|gzip|zstd))?(?P=quote)(?:-gzip)?'
)
_TAG_OF_VERSION: Final = re.compile(r"[1-9][0-9]{0,8}")

Tags = frozenset[str]


def read_tags(sent: str) -> Tags:
    """Return the tags of an If-Match or If-None-Match header without what proxies add to them.

    Text that is no tag is left out.
    """
    parts = (_TAG.fullmatch(part.strip()) for part in sent.split(","))
    return frozenset(part["tag"] for part in parts if part is not None)


def is_known(tag: object, known: Tags | None) -> bool:
    """Return whether a client that has these tags has the one given."""
    return known is not None and (ANY_TAG in known or str(tag) in known)


def holds_version(tags: Tags) -> bool:
    """Return whether one of the tags may be that of a game or score sheet."""
    return any(tag == ANY_TAG or _TAG_OF_VERSION.fullmatch(tag) for tag in tags)


def _expected_version(sent: str) -> int | None:
    """Return the newest version of the tags; None for `*`, which every version matches.

    A client has read each of them, so none is newer than the game; if any of them matches, the newest does.
    """
    tags = read_tags(sent)
    if not holds_version(tags):
        raise ValueError('Send the ETag that you read, such as "41".')
    if ANY_TAG in tags:
        return None
    return max(int(tag) for tag in tags if _TAG_OF_VERSION.fullmatch(tag))


def _version_parameter(
    name: str,
    keyword: str,
    description: str,
    *,
    minimum: int = 1,
    alternatives: tuple[Parameter, ...] = (),
) -> Parameter:
    return Parameter(
        name=name,
        keyword=keyword,
        place="query" if name.islower() else "header",
        description=description,
        schema={"type": "integer", "minimum": minimum, "maximum": MAX_VERSION},
        read=read_integer(minimum, MAX_VERSION),
        alternatives=alternatives,
    )


IF_VERSION: Final = _version_parameter(
    "if_version",
    "if_match",
    "As `If-Match`, as a number. If both are sent and differ, the response is 422.",
)
EXPECTED_VERSION: Final = _version_parameter(
    "Expected-Version",
    "if_match",
    "As `If-Match`, as a number. For pages of another origin: with `If-Match` or a query that changes, "
    "browsers send a preflight before each request.",
)
IF_MATCH: Final = Parameter(
    name="If-Match",
    keyword="if_match",
    place="header",
    description=(
        "The ETag of the game or score sheet as you read it. With another version the response is 412. Where "
        "several seats may act (`rummy_call`, `deal_over`), every version since the phase began matches. "
        "What proxies add (`W/`, `-gzip`) is ignored; of several tags the newest counts; `*` matches always."
    ),
    schema={"type": "string"},
    read=_expected_version,
    example='"41"',
    alternatives=(IF_VERSION, EXPECTED_VERSION),
)
KNOWN_VERSION: Final = _version_parameter(
    "Known-Version",
    "newer_than",
    "As `newer_than`. For pages of another origin: with `If-None-Match` or a query that changes, browsers "
    "send a preflight before each request.",
    minimum=0,
)
NEWER_THAN: Final = _version_parameter(
    "newer_than",
    "newer_than",
    "The version you have: the response is 204 if there is no newer one, at once or after `wait_ms`.",
    minimum=0,
    alternatives=(KNOWN_VERSION,),
)
IF_NONE_MATCH: Final = Parameter(
    name="If-None-Match",
    keyword="if_none_match",
    place="header",
    description="The ETag you have: the response is 304 if nothing has changed since.",
    schema={"type": "string"},
    read=read_tags,
    example='"41"',
)

ALL: Final = (IF_MATCH, IF_VERSION, EXPECTED_VERSION, IF_NONE_MATCH, NEWER_THAN, KNOWN_VERSION)
