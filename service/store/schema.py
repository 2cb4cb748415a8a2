"""The schema number that every stored value carries, and how values become bytes and back.

A value of a newer release is read without the members that this release does not know; they are
kept beside it and written back with it. So an older release may change what a newer one stored,
which happens in a rolling upgrade and after a rollback. tests/store/golden/README.md has the rules.
"""

from dataclasses import dataclass, field, replace
from typing import Any, Final, Generic, TypeVar

import msgspec

SCHEMA: Final = 2
"""Raised by one whenever a release adds a member to anything that is stored."""

FIRST_SCHEMA: Final = 1
"""That of bytes without a number: release 0.1.0 wrote none."""

_JSON: Final = msgspec.json.Decoder()
_encode: Final = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True, kw_only=True)
class Newer:
    """A value of a newer release as JSON: what this release knows of it, and all of it."""

    known: Any
    whole: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredValue:
    """The base of all that is stored as an object: its schema, and what a newer release wrote beside it."""

    schema: int = field(default=FIRST_SCHEMA, compare=False)
    newer: Newer | msgspec.UnsetType = field(default=msgspec.UNSET, compare=False, repr=False)


Value = TypeVar("Value", bound=StoredValue)


class StoredCodec(Generic[Value]):
    """Turns values of one class into bytes and back."""

    def __init__(self, type_: type[Value]) -> None:
        self._decode: Final = msgspec.json.Decoder(type_).decode

    def decode(self, body: bytes) -> Value:
        """Return the value of `encode`; raise msgspec.ValidationError for anything else."""
        value = self._decode(body)
        if value.schema <= SCHEMA:
            return value
        return replace(value, newer=Newer(known=_JSON.decode(_encode(value)), whole=_JSON.decode(body)))

    def encode(self, value: Value) -> bytes:
        """Return a value as stored, with the number of the newest schema that it has members of."""
        if value.schema < SCHEMA:
            value = replace(value, schema=SCHEMA)
        if value.newer is msgspec.UNSET:
            return _encode(value)
        known = _JSON.decode(_encode(replace(value, newer=msgspec.UNSET)))
        return _encode(_carried(value.newer.known, value.newer.whole, known, depth=0))


#: An object up to this depth is the same one after a change: the value, and what it holds by name.
_LASTING_DEPTH: Final = 1
#: An element of a list is the same one after a change while it names the same player.
_IDENTITY: Final = "player_id"


def _carried(known: Any, whole: Any, after: Any, *, depth: int) -> Any:  # noqa: ANN401 - JSON
    """Return JSON after a change, with the unknown members of what it was before.

    An object that was not changed keeps them. One that was changed keeps them only if it is still
    the same thing: what a newer release said of one turn or meld may be wrong of the next one.
    """
    if known == after:
        return whole
    if isinstance(whole, list) and isinstance(after, list):
        pairs = zip(known, whole, after, strict=False)
        carried = [_carried(*pair, depth=depth + 1) for pair in pairs]
        return [*carried, *after[len(carried) :]]
    if isinstance(known, dict) and isinstance(after, dict):
        inner = {
            name: _carried(known[name], whole[name], value, depth=depth + 1)
            if name in known and name in whole
            else value
            for name, value in after.items()
        }
        player = after.get(_IDENTITY)
        is_same = depth <= _LASTING_DEPTH or (player is not None and player == known.get(_IDENTITY))
        return {**inner, **_unknown(known, whole)} if is_same else inner
    return after


def _unknown(known: dict[str, Any], whole: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in whole.items() if name not in known}
