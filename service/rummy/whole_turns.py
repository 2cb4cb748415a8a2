"""A whole turn in one request: checked move by move, all or nothing (RULES 2.12).

Whether a turn is legal, and the refusal where it is not, must not depend on the stock:
else a player could learn the next card by trying turns before drawing it. So cards named
after a draw from the stock must be in the hand as it was before, and the drawn card can
only be discarded, as "drawn". All other checks after a draw depend only on the number of
cards in hand and on public cards.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from service.rummy.cards import Card, without
from service.rummy.errors import IllegalMove
from service.rummy.events import Event, StockDrawn
from service.rummy.laying import check_held
from service.rummy.moves import Discard, LayMeld, LayOff, PlayerMove
from service.rummy.play import Played, play
from service.rummy.state import Game, Phase, Stage


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscardDrawn:
    """Discard the card that this turn drew from the stock, whichever it is."""

    type: ClassVar = "discard"
    seat: int


TurnMove = PlayerMove | DiscardDrawn

_NO_CARD: Final = Card("")


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeTurn:
    """Moves of one seat in one turn, in order; they may stop before the end of the turn."""

    type: ClassVar = "turn"
    seat: int
    moves: tuple[TurnMove, ...]


def play_turn(game: Game, turn: WholeTurn) -> Played:
    """Return the events of a whole turn and the game after it.

    Raises IllegalMove as `play` does for the first move that is refused, with its index
    as the detail `move`; then no move is made.
    """
    events: list[Event] = []
    seen = _SeenCards(turn.seat)
    for place, move in enumerate(turn.moves):
        try:
            if place:
                _check_goes_on(game, turn.seat)
            happened, game = play(game, seen.playable(game, move))
        except IllegalMove as refusal:
            details = {**refusal.details, "move": place}
            raise IllegalMove(refusal.code, refusal.message, **details) from refusal
        seen.record_draw(happened)
        events.extend(happened)
    return tuple(events), game


def _check_goes_on(game: Game, seat: int) -> None:
    if not _goes_on(game, seat):
        raise IllegalMove("not_your_turn", "Your turn ends before this move. Leave it out.")


def _goes_on(game: Game, seat: int) -> bool:
    """Return whether the seat is in the middle of its turn.

    What follows a turn (a call window, the next seat, the end of the deal or of the game)
    may depend on the drawn card, so nothing else may be asked about it.
    """
    turn = game.deal.turn
    return game.status is Stage.PLAYING and turn.seat == seat and turn.phase is Phase.MELD


class _SeenCards:
    """Tracks which cards in hand the player has seen: all until a draw from the stock."""

    def __init__(self, seat: int) -> None:
        self._seat = seat
        self._seen: tuple[Card, ...] = ()
        self._drawn: Card | None = None

    def playable(self, game: Game, move: TurnMove) -> PlayerMove:
        """Return the move to play; raise IllegalMove if it names a card the player has not seen."""
        if isinstance(move, DiscardDrawn):
            return self._discard_drawn(game)
        if self._drawn is None:
            self._seen = game.deal.hands[self._seat]
        elif isinstance(move, LayMeld):
            self._spend(game, move.cards)
        elif isinstance(move, LayOff | Discard):
            self._spend(game, (move.card,))
        return move

    def _discard_drawn(self, game: Game) -> Discard:
        """Return the discard of the drawn card.

        Where no discard is legal at all, `play` refuses it for that reason.
        """
        if self._drawn is None and _goes_on(game, self._seat):
            raise IllegalMove(
                "card_not_in_hand", "This turn drew no card from the stock. Name the card you discard."
            )
        return Discard(seat=self._seat, card=self._drawn or _NO_CARD)

    def _spend(self, game: Game, cards: Sequence[Card]) -> None:
        check_held(self._seen, cards, game.deal.melds)
        self._seen = without(self._seen, cards)

    def record_draw(self, happened: Sequence[Event]) -> None:
        """Record a draw from the stock."""
        for event in happened:
            if isinstance(event, StockDrawn):
                self._drawn = event.card
