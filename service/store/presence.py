"""Who is here."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

LEFT: Final = "left/"
"""The visit of a player who has just left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """What shows that a player is here: an open stream, a request he made. `name` tells it from others."""

    player_id: str
    kind: str
    name: str = ""

    @property
    def member(self) -> str:
        """What it is called among the player's visits."""
        return f"{self.kind}/{self.name}"


class Visits(Protocol):
    """Knows who is here."""

    def visit(self, visit: Visit, *, now: int, until: int, most: int | None = None) -> bool:
        """Note that a player is here until then; False where `most` visits of the kind are there already.

        The same visit again is longer or shorter from now on, and never one too many. Those
        who `listen` hear of a player who was not here before.
        """
        ...

    def renew_visits(self, visits: Sequence[Visit], *, now: int, until: int) -> None:
        """Note that visits go on, in one round trip."""
        ...

    def end_visit(self, visit: Visit, *, until: int) -> None:
        """End a visit; until then the player still counts as being here."""
        ...

    def online(self, player_ids: Sequence[str], *, now: int) -> list[bool]:
        """Tell of each player, in the order given, whether he is here; in one round trip."""
        ...
