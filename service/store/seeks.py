"""Players who look for others."""

from dataclasses import dataclass
from typing import Final, Protocol

from service.runtime.durations import HOUR_MS

MATCH_MS: Final = HOUR_MS
"""How long those who met can hear of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeekName:
    """Names a seek, its pool and whose it is. Nobody meets anybody of another pool."""

    pool: str
    id: str
    player_id: str

    @property
    def member(self) -> str:
        """What it is called in its pool: another player's seek is another one, whatever its id."""
        return f"{self.player_id}/{self.id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seek:
    """A player who looks for others: so many, himself counted, that all fit each other.

    `kind` is what he is, `meets` the kind he wants to meet, None for any.
    """

    name: SeekName
    kind: str
    meets: str | None
    size: int
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """What became of a seek: until when it waits, or the game and the bodies of all who met.

    Those of one match are told the same, in the same order. `bodies` of one who waits is his own.
    """

    until: int
    game_id: str | None
    bodies: tuple[bytes, ...]


class Seeks(Protocol):
    """Brings players together."""

    def seek(self, seek: Seek, *, now: int, until: int, game_id: str) -> Sought:
        """Let somebody look for others until then; with the last one who fits they have met.

        A match is given `game_id` and kept for `MATCH_MS`: whoever hears of it sees to it that
        there is such a game. Nobody meets himself, is matched twice, or once his time is over;
        who came first is matched first. A seek that is there already goes on.
        """
        ...

    def renew_seek(self, name: SeekName, *, now: int, until: int, game_id: str) -> Sought | None:
        """Let a seek go on until then, and look anew who fits; None where there is none any more."""
        ...

    def end_seek(self, name: SeekName, *, now: int) -> str | None:
        """End a seek; return the game's id where it was matched before, "" when it was ended.

        None where there is no such seek any more; as `delete_player` perhaps a second time.
        """
        ...
