"""The scales of the simulator: what the moves of a seat bring in worlds dealt out on plain integers.

A world is a full deal that agrees with what the seat sees. Nothing else of the game is known in here.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import count
from random import Random
from typing import Final, assert_never

from service.rummy.cards import KING, is_joker
from service.rummy.melds import fitting_ends
from service.rummy.moves import (
    CallRummy,
    Discard,
    DrawStock,
    KeepCard,
    LayMeld,
    LayOff,
    Pass,
    PlayerMove,
    TakeDiscard,
)
from service.rummy.scoring import decide_winners
from service.rummy.state import MeldKind, Phase
from service.rummy.variants import Variant
from service.rummy.views import View
from workers.bots.engine.card_bits import JOKER, LANE
from workers.bots.engine.deal import Deal
from workers.bots.engine.determinization import (
    CALL,
    DISCARD,
    DO_NOT_CALL,
    DRAW_STOCK,
    KEEP,
    PASS,
    STOP,
    TABLE,
    TAKE,
    Candidate,
    Unseen,
    try_out,
)
from workers.bots.engine.from_view import deal_of
from workers.bots.engine.melds import HIGH_END, LOW_END, ON_SET, Lay
from workers.bots.engine.melds import LayOff as SimulatedLayOff
from workers.bots.engine.policy_weights import opponents, own_style
from workers.bots.engine.rollout import Style
from workers.bots.engine.rules import code_of
from workers.bots.engine.scoring import margins, scores
from workers.bots.search.monte_carlo import World
from workers.bots.seat_view import Sight

#: One world in so many is dealt out blindly: players do not always do what is likely.
_BLIND_WORLDS: Final = 8
#: What winning the game is worth beside the points of the deal, and losing it costs, as a part of its target.
_GAME: Final = 0.2
#: More than nearly every deal brings: further from the target than this, no game ends by the next.
_MOST_OF_A_DEAL: Final = 250


class Scales:
    """Tries the moves of one seat in one position."""

    def __init__(
        self,
        view: View,
        variant: Variant,
        moves: Sequence[PlayerMove],
        chance: Random,
        *,
        points_alone: bool = False,
    ) -> None:
        """Read the view; `points_alone` leaves out what the deal means for the game."""
        self.sight: Final = Sight.of(view, variant)
        self._chance: Final = chance
        self._base: Final = _what_is_seen(self.sight, moves)
        self._unseen: Final = _what_is_not(self.sight, self._base)
        self._view: Final = view
        self._variant: Final = variant
        #: The style the rest of the turn, and partners, play by.
        self.own: Final = own_style(variant, len(view.seats))
        self._opponents: Final = opponents(variant, len(view.seats))
        near = not points_alone and max(view.totals) + _MOST_OF_A_DEAL >= variant.target
        is_last = not points_alone and view.deal >= (variant.deals or 0)
        self._may_end: Final = near if variant.deals is None else is_last

    @property
    def base(self) -> Deal:
        """The deal as the seat sees it, other hands without their hidden cards."""
        return self._base

    def worlds(self, moves: Sequence[PlayerMove | None]) -> Iterator[World]:
        """Yield worlds to try the moves in: each a full deal, and how every seat plays it."""
        candidates, luck = [self.candidate(move) for move in moves], self._chance.random

        def brings(world: Deal, styles: list[Style], place: int) -> float:
            return self._worth(try_out(world, candidates[place], styles, luck))

        for number in count(1):
            yield partial(brings, self._unseen.world(luck, number % _BLIND_WORLDS > 0), self._styles())

    def _styles(self) -> list[Style]:
        seat, side = self.sight.seat, self._variant.side
        return [
            self.own
            if side(other) == side(seat)
            else self._opponents[int(self._chance.random() * len(self._opponents))]
            for other in range(len(self._view.seats))
        ]

    def _worth(self, deal: Deal) -> float:
        """Return what the end of a deal is worth to the seat: points over the others', and the game."""
        seat = self.sight.seat
        worth = margins(deal)[seat]
        return worth + self._game(deal) if self._may_end else worth

    def _game(self, deal: Deal) -> float:
        """Return what it is worth that the deal decides the game, nought where it does not."""
        side, totals = self._variant.side, list(self._view.totals)
        for other, score in enumerate(scores(deal)):
            totals[side(other)] += score
        out = None if deal.went_out < 0 else side(deal.went_out)
        decision = decide_winners(self._variant, totals, went_out=out, deals=self._view.deal)
        if decision is None or not decision[0]:
            return 0.0
        worth = _GAME * self._variant.target
        return worth if side(self.sight.seat) in decision[0] else -worth

    def candidate(self, move: PlayerMove | None) -> Candidate:
        """Return a move as the simulator makes it; None is throwing what one's style throws."""
        kind, number = STOP, 0
        use: PlayerMove | None = move
        match move:
            case None:
                pass
            case DrawStock():
                kind = DRAW_STOCK
            case TakeDiscard():
                kind, number = TAKE, self._position(move)
            case Pass():
                kind = DO_NOT_CALL if self._view.phase is Phase.RUMMY_CALL else PASS
            case Discard(card=card):
                kind, number = DISCARD, code_of(card)
            case LayMeld() | LayOff():
                kind = TABLE
            case KeepCard():
                kind = KEEP
            case CallRummy():
                kind, number, use = CALL, self._position(move), move.use
            case _ as never:
                assert_never(never)
        lay = _lay(use, self._variant) if isinstance(use, LayMeld) else None
        lay_off = _lay_off(use, self._view, self._variant) if isinstance(use, LayOff) else None
        return Candidate(self.sight.seat, kind, number, lay, lay_off)

    def _position(self, move: TakeDiscard | CallRummy) -> int:
        """Return the place in the pile of a card that is taken or called."""
        return self._view.discard_pile.index(move.card) if move.position is None else move.position


def _what_is_seen(sight: Sight, moves: Sequence[PlayerMove]) -> Deal:
    view, variant = sight.view, sight.variant
    hands = [
        [code_of(card) for card in (sight.hand if seat == sight.seat else other.known_cards)]
        for seat, other in enumerate(view.seats)
    ]
    melds_laid, floats = sight.turn_so_far(moves)
    return deal_of(view, variant, hands=hands, stock=(), melds_laid=melds_laid, floats=floats)


def _what_is_not(sight: Sight, base: Deal) -> Unseen:
    cards = [code_of(card) for card, copies in sight.unseen.items() for _ in range(copies)]
    hidden = [0 if seat == sight.seat else sight.hidden_cards(seat) for seat in range(len(sight.view.seats))]
    return Unseen(base, sight.seat, cards, hidden, sight.view.stock_count, int(sight.turns_played))


def _lay(move: LayMeld, variant: Variant) -> Lay:
    nat, twins, wild = 0, 0, 0
    for card in move.cards:
        bit = 1 << code_of(move.stands_for.get(card, card))
        if card in move.stands_for:
            wild |= bit
        elif nat & bit:
            twins |= bit
        else:
            nat |= bit
    faces = [code_of(move.stands_for.get(card, card)) for card in move.cards]
    ranks = sorted({face % LANE for face in faces})
    if len(ranks) == 1:
        return Lay(-1, ranks[0], ranks[0], nat, twins, wild)
    low, high = ranks[0], ranks[-1]
    # A whole suit may begin or end with its ace; any other run tells by its two.
    is_whole_with_high_ace = len(ranks) == KING and move.ace != "low" and variant.ace_in_run != "low"
    if low == 0 and (ranks[1] != 1 or is_whole_with_high_ace):
        low, high = ranks[1], 13
    return Lay(faces[0] // LANE, low, high, nat, twins, wild)


def _lay_off(move: LayOff, view: View, variant: Variant) -> SimulatedLayOff:
    place = next(place for place, meld in enumerate(view.melds) if meld.id == move.meld_id)
    meld = view.melds[place]
    face = code_of(move.stands_for or move.card)
    code = JOKER if is_joker(move.card) else face
    if meld.kind is MeldKind.SET:
        end = ON_SET
    else:
        where = move.end or fitting_ends(meld, move.stands_for or move.card, variant)[0]
        end = LOW_END if where == "low" else HIGH_END
    return SimulatedLayOff(place, code, face, end)
