"""What a computer player is: somebody who sees what his seat sees, and names one of the moves offered."""

from random import Random
from typing import Protocol

from service.rummy.legal import LegalMoves
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
