"""The state of a deal on integers, and what it says of the turn: nothing here makes a move."""

from random import Random
from typing import Final

from workers.bots.engine.card_bits import JOKER
from workers.bots.engine.melds import MeldOnTable
from workers.bots.engine.player_state import PlayerState
from workers.bots.engine.rules import Rules

DRAW: Final = 0
MELD: Final = 1
OVER: Final = 2

NO_SEAT: Final = -1
NO_CARD: Final = -1


class DealState:
    """The state of a deal: hands, discard pile, stock and melds.

    The last card of `pile` is the top discard, the last of `stock` is drawn next. `seat` is to move, and
    `player` is its state.
    """

    __slots__ = (
        "barred",
        "called",
        "chance",
        "floats",
        "melds",
        "melds_laid",
        "on_table",
        "owed",
        "phase",
        "pile",
        "pile_faces",
        "player",
        "players",
        "quiet",
        "quiet_turns",
        "renewals",
        "rules",
        "seat",
        "stock",
        "tabled",
        "tabled_before",
        "went_out",
    )

    def __init__(self, rules: Rules, players: list[PlayerState] | None = None) -> None:
        self.rules: Rules = rules
        self.players: list[PlayerState] = (
            [PlayerState() for _ in range(rules.seats)] if players is None else players
        )
        #: Every face that lies in a meld.
        self.on_table: int = 0
        self.pile: list[int] = []
        #: The faces that lie in the pile.
        self.pile_faces: int = 0
        self.stock: list[int] = []
        self.melds: list[MeldOnTable] = []
        self.seat: int = 0
        self.player: PlayerState = self.players[0]
        self.phase: int = DRAW
        self.owed: int = NO_CARD
        self.barred: int = NO_CARD
        self.melds_laid: int = 0
        self.tabled: bool = False
        self.tabled_before: bool = False
        self.floats: bool = False
        self.called: bool = False
        self.quiet: bool = True
        self.quiet_turns: int = 0
        self.renewals: int = 0
        self.went_out: int = NO_SEAT
        self.chance: Random | None = None

    def give_turn(self, seat: int) -> None:
        """Set the seat to move."""
        self.seat = seat
        self.player = self.players[seat]

    def put_on_pile(self, code: int) -> None:
        """Put a card on top of the discard pile."""
        self.pile.append(code)
        if code != JOKER:
            self.pile_faces |= 1 << code

    @property
    def points(self) -> list[int]:
        """The points that each seat has laid so far."""
        return [player.points for player in self.players]

    def hand_points(self, seat: int) -> int:
        """Return the points of the cards in a hand."""
        rules, player = self.rules, self.players[seat]
        return (
            rules.points_of(player.hand) + rules.points_of(player.twins) + rules.values[JOKER] * player.jokers
        )

    # --- What a turn allows --------------------------------------------------------------------

    def is_open(self, meld: MeldOnTable) -> bool:
        """Return whether the seat to move may lay off on a meld."""
        rules = self.rules
        return not rules.own_side or rules.side(meld.owner) == rules.side(self.seat)

    def can_draw_stock(self) -> bool:
        """Return whether a stock card can be drawn, if necessary after renewing the stock."""
        return len(self.stock) > 0 or (self.rules.renews and len(self.pile) > self.rules.staying)

    def may_meld(self) -> bool:
        """Return whether the turn allows another new meld."""
        return self.melds_laid < self.rules.melds_a_turn
