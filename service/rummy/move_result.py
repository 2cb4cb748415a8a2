"""The result of one move while it is being worked out: its events and the game after them."""

from dataclasses import dataclass, field

from service.rummy.events import Event
from service.rummy.evolve import evolve
from service.rummy.state import Deal, Game, Turn
from service.rummy.variants import Variant


@dataclass(slots=True)
class MoveResult:
    """The events of one move so far, and the game after them.

    Each event is applied at once, so that the next step of the move sees its effect.
    An illegal move discards the whole result: the game it started from is a value and
    does not change.
    """

    game: Game
    events: list[Event] = field(default_factory=list)

    def emit(self, event: Event) -> None:
        """Append an event and apply it to the game."""
        self.game = evolve(self.game, event)
        self.events.append(event)

    @property
    def deal(self) -> Deal:
        """The running deal after the events so far."""
        return self.game.deal

    @property
    def turn(self) -> Turn:
        """The running turn after the events so far."""
        return self.game.deal.turn

    @property
    def variant(self) -> Variant:
        """The rules of the game."""
        return self.game.variant
