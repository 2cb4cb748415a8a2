"""Evaluates moves by rolling them out in sampled deals.

A sample (a determinization) is a full deal that agrees with what the seat sees; only its view is known here.
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
from service.rummy.scoring import decide_winners, totals_so_far
from service.rummy.state import MeldKind, Phase
from service.rummy.variants import Variant
from service.rummy.views import View
from workers.bots.engine.card_bits import JOKER, LANE
from workers.bots.engine.deal import SimulatedDeal
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
    EngineMove,
    HiddenCards,
    roll_out_after,
)
from workers.bots.engine.from_view import deal_of
from workers.bots.engine.melds import HIGH_END, LOW_END, ON_SET, CardToLayOff, MeldToLay
from workers.bots.engine.policy_weights import opponent_policies, own_policy
from workers.bots.engine.rollout import PolicyWeights
from workers.bots.engine.rules import code_of
from workers.bots.engine.scoring import margins, scores
from workers.bots.evaluation.draws import places_taken
from workers.bots.observation import Observation
from workers.bots.search.monte_carlo import Evaluate

#: Every eighth deal is sampled uniformly: players do not always do what is likely.
_UNIFORM_SAMPLE_PERIOD: Final = 8
#: The value of winning the game, beside the points of the deal, as a share of the target.
_GAME_VALUE: Final = 0.2
#: More points than nearly every deal brings: further from the target than this, no game ends with the deal.
_MAX_DEAL_POINTS: Final = 250


class RolloutEvaluator:
    """Evaluates the moves of one seat in one position by rollouts."""

    def __init__(
        self,
        view: View,
        variant: Variant,
        moves: Sequence[PlayerMove],
        chance: Random,
        *,
        points_only: bool = False,
    ) -> None:
        """Read the view; `points_only` leaves out what the deal means for the game."""
        self.observation: Final = Observation.of(view, variant)
        self._chance: Final = chance
        self._base: Final = _visible_deal(self.observation, moves)
        self._hidden: Final = _hidden_cards(self.observation, self._base)
        self._view: Final = view
        self._variant: Final = variant
        #: The policy of the seat itself, for the rest of the turn and later, and of its partners.
        self.own: Final = own_policy(variant, len(view.seats))
        self._opponents: Final = opponent_policies(variant, len(view.seats))
        self._earlier: Final = totals_so_far(variant, view.deals, view.totals)
        near = not points_only and max(view.totals) + _MAX_DEAL_POINTS >= variant.target
        is_last = not points_only and view.deal >= (variant.deals or 0)
        self._may_end: Final = near if variant.deals is None else is_last

    @property
    def base(self) -> SimulatedDeal:
        """The deal as the seat sees it, without the hidden cards of other hands."""
        return self._base

    def samples(self, moves: Sequence[PlayerMove | None]) -> Iterator[Evaluate]:
        """Yield an evaluation function for each sampled deal, with a sampled policy for each seat."""
        engine_moves, random = [self.engine_move(move) for move in moves], self._chance.random

        def roll_out(sample: SimulatedDeal, policies: list[PolicyWeights], index: int) -> float:
            return self._value(roll_out_after(sample, engine_moves[index], policies, random))

        for number in count(1):
            is_likely = number % _UNIFORM_SAMPLE_PERIOD > 0
            yield partial(roll_out, self._hidden.sample(random, is_likely), self._sampled_policies())

    def _sampled_policies(self) -> list[PolicyWeights]:
        seat, side = self.observation.seat, self._variant.side
        return [
            self.own
            if side(other) == side(seat)
            else self._opponents[int(self._chance.random() * len(self._opponents))]
            for other in range(len(self._view.seats))
        ]

    def _value(self, deal: SimulatedDeal) -> float:
        """Return the value of a finished deal to the seat: its lead in points, and the value of the game."""
        seat = self.observation.seat
        lead = margins(deal)[seat]
        return lead + self._game_value(deal) if self._may_end else lead

    def _game_value(self, deal: SimulatedDeal) -> float:
        """Return the value of the game if the deal decides it, else zero."""
        side, totals = self._variant.side, list(self._view.totals)
        for other, score in enumerate(scores(deal)):
            totals[side(other)] += score
        out = None if deal.went_out < 0 else side(deal.went_out)
        decision = decide_winners(
            self._variant, totals, earlier=self._earlier, went_out=out, deals=self._view.deal
        )
        if decision is None or not decision[0]:
            return 0.0
        value = _GAME_VALUE * self._variant.target
        return value if side(self.observation.seat) in decision[0] else -value

    def engine_move(self, move: PlayerMove | None) -> EngineMove:
        """Return a move in the engine's form; None means ending the turn by policy."""
        kind, number = STOP, 0
        called: list[int] = []
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
                kind, called, use = CALL, [*places_taken(move, self.observation)], move.use
            case _ as never:
                assert_never(never)
        meld = _meld_to_lay(use, self._variant) if isinstance(use, LayMeld) else None
        card_off = _card_to_lay_off(use, self._view, self._variant) if isinstance(use, LayOff) else None
        return EngineMove(self.observation.seat, kind, number, meld, card_off, called)

    def _position(self, move: TakeDiscard) -> int:
        """Return the place in the pile of a card that is taken."""
        return self._view.discard_pile.index(move.card) if move.position is None else move.position


def _visible_deal(observation: Observation, moves: Sequence[PlayerMove]) -> SimulatedDeal:
    view, variant = observation.view, observation.variant
    hands = [
        [code_of(card) for card in (observation.hand if seat == observation.seat else other.known_cards)]
        for seat, other in enumerate(view.seats)
    ]
    melds_laid, floats = observation.turn_so_far(moves)
    return deal_of(view, variant, hands=hands, stock=(), melds_laid=melds_laid, floats=floats)


def _hidden_cards(observation: Observation, base: SimulatedDeal) -> HiddenCards:
    view = observation.view
    cards = [code_of(card) for card, copies in observation.unseen.items() for _ in range(copies)]
    hidden = [
        0 if seat == observation.seat else observation.hidden_cards(seat) for seat in range(len(view.seats))
    ]
    return HiddenCards(base, observation.seat, cards, hidden, view.stock_count, int(observation.turns_played))


def _meld_to_lay(move: LayMeld, variant: Variant) -> MeldToLay:
    naturals, twins, wild = 0, 0, 0
    for card in move.cards:
        bit = 1 << code_of(move.stands_for.get(card, card))
        if card in move.stands_for:
            wild |= bit
        elif naturals & bit:
            twins |= bit
        else:
            naturals |= bit
    faces = [code_of(move.stands_for.get(card, card)) for card in move.cards]
    ranks = sorted({face % LANE for face in faces})
    if len(ranks) == 1:
        return MeldToLay(-1, ranks[0], ranks[0], naturals, twins, wild)
    low, high = ranks[0], ranks[-1]
    # A whole suit may begin or end with its ace; any other run begins with it only if it holds the two.
    is_whole_with_high_ace = len(ranks) == KING and move.ace != "low" and variant.ace_in_run != "low"
    if low == 0 and (ranks[1] != 1 or is_whole_with_high_ace):
        low, high = ranks[1], 13
    return MeldToLay(faces[0] // LANE, low, high, naturals, twins, wild)


def _card_to_lay_off(move: LayOff, view: View, variant: Variant) -> CardToLayOff:
    index = next(index for index, meld in enumerate(view.melds) if meld.id == move.meld_id)
    meld = view.melds[index]
    face = code_of(move.stands_for or move.card)
    code = JOKER if is_joker(move.card) else face
    if meld.kind is MeldKind.SET:
        end = ON_SET
    else:
        where = move.end or fitting_ends(meld, move.stands_for or move.card, variant)[0]
        end = LOW_END if where == "low" else HIGH_END
    return CardToLayOff(index, code, face, end)
