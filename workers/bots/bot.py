"""A bot chooses one legal move from what its seat can see."""

from dataclasses import dataclass
from random import Random
from typing import Final, Protocol

from service.rummy.legal_moves import LegalMoves
from service.rummy.moves import PlayerMove
from service.rummy.variants import Variant
from service.rummy.views import View


class Bot(Protocol):
    """A computer player. It keeps no state between decisions and never sees the game itself."""

    def choose(self, view: View, legal: LegalMoves, variant: Variant, chance: Random, /) -> PlayerMove | None:
        """Return one of the legal moves; None if there are none.

        `view` and `legal` belong to one seat. The list of moves may be truncated; the bot still chooses
        from it. `chance` is the only source of randomness: the same view, list and seed give the same move.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """How long a searching bot may think about one turn.

    Either a time, or a number of worlds (sampled deals). With a number of worlds no clock is read, so
    that the same seed gives the same move. Bots that do not search ignore it.
    """

    milliseconds: int = 200
    worlds: int | None = None


DEFAULT_BUDGET: Final = Budget()
