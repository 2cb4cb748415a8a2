"""One move as it unfolds: events decided so far and the game they lead to."""

from dataclasses import dataclass, field

from service.rummy.events import Event
from service.rummy.evolve import evolve
from service.rummy.state import Deal, Game, Turn
from service.rummy.variants import Variant


@dataclass(slots=True)
class MoveResult:
    """Collects the events of one move; each is applied at once, so that the next can look at its outcome.

    Thrown away whole when the move turns out to be unlawful: the game it began with
    is a value and stays as it was.
    """

    game: Game
    events: list[Event] = field(default_factory=list)

    def emit(self, event: Event) -> None:
        """Let an event happen."""
        self.game = evolve(self.game, event)
        self.events.append(event)

    @property
    def deal(self) -> Deal:
        """The running deal as it lies now."""
        return self.game.deal

    @property
    def turn(self) -> Turn:
        """The running turn as it stands now."""
        return self.game.deal.turn

    @property
    def variant(self) -> Variant:
        """The rules of the game."""
        return self.game.variant
