"""What a computer player is: somebody who sees what his seat sees, and names one of the moves offered."""

from dataclasses import dataclass
from random import Random
from typing import Final, Protocol

from service.rummy.legal_moves import LegalMoves
from service.rummy.moves import PlayerMove
from service.rummy.variants import Variant
from service.rummy.views import View


class Bot(Protocol):
    """A computer player. It keeps nothing between two questions, and never gets to see the game itself."""

    def choose(self, view: View, legal: LegalMoves, variant: Variant, chance: Random, /) -> PlayerMove | None:
        """Return one of the moves listed; None where nothing is listed, for nobody is asked then.

        `view` and `legal` are those of one seat. The list may be cut off, and the answer
        stands in it all the same. `chance` is the only source of luck: the same view,
        list and seed give the same answer.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """How much a searching player may think about one turn of its own.

    Either for a time, or over a number of worlds: then no clock is asked, and the same
    seed gives the same answer. Who does not search takes no notice.
    """

    milliseconds: int = 200
    worlds: int | None = None


DEFAULT_BUDGET: Final = Budget()
