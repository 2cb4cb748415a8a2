"""Identifiers of games, score sheets and players, and the shard that an id names.

Everything that a commit touches must lie in one slot of a Redis cluster, including the list of
due games. So the id of a game or a score sheet names its shard, one of 64, for its whole life:

    g38W5pfKlkv93fcHId2siapZHpEyy    a game in shard 0x38
    s0aVw9UyYkS2r1dGJ0hLqkR7c3Kxu    a score sheet in shard 0x0a

Outside the store an id is opaque.
"""

import re
import secrets
import string
from functools import lru_cache
from typing import Final

SHARDS: Final = 64
"""Must never change: the keys of stored games contain their shard."""

_ALPHABET: Final = string.digits + string.ascii_letters
# 26 characters of 62 are 154 bits: ids cannot be guessed and do not collide.
_RANDOM_LENGTH: Final = 26
_FORM: Final = re.compile(r"[gs][0-3][0-9a-f][0-9A-Za-z_-]{1,64}")


def new_game_id(shard: int | None = None) -> str:
    """Return a new game id, in this shard or in a random one.

    A game created under an Idempotency-Key gets the shard of the key
    (`IdempotencyKey.shard`), so game and answer are written in one step.
    """
    return _new_id("g", shard)


def new_sheet_id(shard: int | None = None) -> str:
    """Return a new id of a score sheet, with its shard as `new_game_id`."""
    return _new_id("s", shard)


def _new_id(kind: str, shard: int | None) -> str:
    if shard is None:
        shard = secrets.randbelow(SHARDS)
    if not 0 <= shard < SHARDS:
        raise ValueError(f"A shard is 0 to {SHARDS - 1}, not {shard}.")
    return f"{kind}{shard:02x}{_random()}"


def game_id_from(secret: bytes, *, shard: int) -> str:
    """Return the game id derived from 32 secret bytes, always the same."""
    number, letters = int.from_bytes(secret), []
    for _ in range(_RANDOM_LENGTH):
        number, place = divmod(number, len(_ALPHABET))
        letters.append(_ALPHABET[place])
    return f"g{shard:02x}{''.join(letters)}"


def new_player_id() -> str:
    """Return a new player id."""
    return f"p{_random()}"


def is_game_id(text: str) -> bool:
    """Return whether the text has the form of a game id; the game need not exist."""
    return text[:1] == "g" and _FORM.fullmatch(text) is not None


def is_sheet_id(text: str) -> bool:
    """Return whether the text has the form of a score sheet's id; the sheet need not exist."""
    return text[:1] == "s" and _FORM.fullmatch(text) is not None


# The keys of one request ask for the shard of its game about ten times.
@lru_cache(maxsize=1024)
def shard_of(subject_id: str) -> int:
    """Return the shard that the id of a game or score sheet names; raise ValueError for another text."""
    if _FORM.fullmatch(subject_id) is None:
        raise ValueError("This is not a game id, nor that of a score sheet.")
    return int(subject_id[1:3], 16)


def _random() -> str:
    return "".join(secrets.choice(_ALPHABET) for _ in range(_RANDOM_LENGTH))
