"""Reactions: what players may say to each other at a table, by key and never as text."""

from dataclasses import dataclass
from typing import Final

from service.runtime.durations import SECOND_MS
from service.store.schema import StoredCodec, StoredValue

#: What each key says in English. Clients show it in the language of their player, or as a picture.
REACTIONS: Final = {
    "hello": "Hello!",
    "good_luck": "Good luck!",
    "well_played": "Well played!",
    "good_game": "Good game!",
    "thanks": "Thank you!",
    "wow": "Wow!",
    "oops": "Oops!",
    "hurry": "Your turn!",
    "bye": "Goodbye!",
}
#: A reaction that arrives later than this belongs to another moment of the game.
_FRESH_MS: Final = 10 * SECOND_MS


@dataclass(frozen=True, slots=True, kw_only=True)
class Reaction(StoredValue):
    """A reaction of a seat, and the ids of the players who get it; `at` is in milliseconds."""

    seat: int
    key: str
    at: int
    recipients: tuple[str, ...]

    def is_for(self, player_id: str, *, now: int) -> bool:
        """Return whether the player gets the reaction now. Keys of a newer release are left out."""
        return player_id in self.recipients and self.key in REACTIONS and now - self.at <= _FRESH_MS


_CODEC: Final = StoredCodec(Reaction)
decode_reaction, encode_reaction = _CODEC.decode, _CODEC.encode
