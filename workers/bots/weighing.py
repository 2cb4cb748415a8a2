"""Weighing moves: each is played out in the same worlds, and the ones that fall behind are let go.

A world is a full deal that agrees with what the seat sees. Nothing else of the game is known in here.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from time import perf_counter
from typing import Final

from service.rummy.cards import KING, is_joker
from service.rummy.melds import fitting_ends
from service.rummy.moves import (
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
from service.rummy.state import Kind
from service.rummy.variants import Variant
from service.rummy.views import View
from workers.bots.sight import Sight
from workers.bots.simulator.deal import Deal
from workers.bots.simulator.masks import JOKER, LANE
from workers.bots.simulator.policies import Style
from workers.bots.simulator.reading import deal_of
from workers.bots.simulator.rules import code_of
from workers.bots.simulator.scoring import margins, scores
from workers.bots.simulator.styles import opponents, own_style
from workers.bots.simulator.table import HIGH_END, LOW_END, ON_SET, Lay
from workers.bots.simulator.table import LayOff as SimulatedLayOff
from workers.bots.simulator.worlds import (
    DISCARD,
    DRAW_STOCK,
    KEEP,
    LAY,
    LAY_OFF,
    PASS,
    STOP,
    TAKE,
    Candidate,
    Unseen,
    try_out,
)

#: One world in so many is dealt out blindly: players do not always do what is likely.
_BLIND_WORLDS: Final = 8
#: Fewer worlds than this tell nothing, and habit decides.
_FEWEST_TOLD: Final = 4
#: What winning the game is worth beside the points of the deal, and losing it costs, as a part of its target.
_GAME: Final = 0.2
#: More than nearly every deal brings: further from the target than this, no game ends by the next.
_MOST_OF_A_DEAL: Final = 250


@dataclass(frozen=True, slots=True, kw_only=True)
class LettingGo:
    """When a move is let go: from so many worlds on, where it is so many standard errors behind the best.

    `spares_first` keeps the first of the moves to the end, so that what is said of it and of the best
    is said of the same worlds.
    """

    worlds: int
    behind: float
    spares_first: bool = False


#: For who has a turn to play: the time is better spent on the moves that are left.
QUICKLY: Final = LettingGo(worlds=6, behind=2.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """When weighing stops: after so many worlds, or at a time of the machine's own clock."""

    worlds: int | None
    deadline: float

    def is_reached(self, worlds: int) -> bool:
        """Tell whether enough was weighed; without a number of worlds the clock is asked."""
        return worlds >= self.worlds if self.worlds is not None else perf_counter() >= self.deadline


@dataclass(slots=True)
class Weighed:
    """A move and what it brought, world by world. `move` is None for throwing what one's style throws."""

    move: PlayerMove | None
    candidate: Candidate
    worths: list[float] = field(default_factory=list)

    @property
    def mean(self) -> float:
        """What the move brought on average."""
        return sum(self.worths) / len(self.worths) if self.worths else -math.inf


class Scales:
    """Weighs the moves of one seat in one position."""

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

    def weigh(
        self,
        moves: Sequence[PlayerMove | None],
        limit: Limit,
        *,
        caution: float = 0.0,
        fewest: int = 0,
        letting_go: LettingGo = QUICKLY,
    ) -> list[Weighed]:
        """Return the moves weighed, the best first; `moves` begin with what habit would do.

        `caution` is how many standard errors another must be ahead to be preferred to habit,
        `fewest` in how many worlds every move is tried, whatever the limit and though it has no rival.
        """
        entered = [Weighed(move, self.candidate(move)) for move in moves]
        alive, worlds, luck = list(entered), 0, self._chance.random
        while worlds < fewest or (len(alive) > 1 and not limit.is_reached(worlds)):
            world = self._unseen.world(luck, (worlds + 1) % _BLIND_WORLDS > 0)
            styles = self._styles()
            for one in alive:
                # A world is left half weighed when time is over, so that no budget is overrun by one.
                if limit.worlds is None and worlds >= fewest and limit.is_reached(worlds):
                    break
                one.worths.append(self._worth(try_out(world, one.candidate, styles, luck)))
            else:
                worlds += 1
                if worlds >= letting_go.worlds and worlds % 2 == 0:
                    alive = _abreast(alive, letting_go, entered[0])
                continue
            break
        for one in alive:
            del one.worths[worlds:]
        best, habit = max(alive, key=lambda one: one.mean), entered[0]
        if worlds < _FEWEST_TOLD:
            best = habit
        elif caution and habit in alive:
            lead, error = _lead(best.worths, habit.worths)
            best = best if lead > caution * error else habit
        rest = sorted((one for one in entered if one is not best), key=lambda one: -one.mean)
        return [best, *rest]

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
        match move:
            case None:
                return Candidate(STOP, 0, None, None)
            case DrawStock():
                return Candidate(DRAW_STOCK, 0, None, None)
            case TakeDiscard(card=card, position=position):
                place = self._view.discard_pile.index(card) if position is None else position
                return Candidate(TAKE, place, None, None)
            case Pass():
                return Candidate(PASS, 0, None, None)
            case Discard(card=card):
                return Candidate(DISCARD, code_of(card), None, None)
            case LayMeld():
                return Candidate(LAY, 0, _lay(move, self._variant), None)
            case LayOff():
                return Candidate(LAY_OFF, 0, None, _lay_off(move, self._view, self._variant))
            case KeepCard():
                return Candidate(KEEP, 0, None, None)
            case _:
                raise ValueError("A rummy call is not weighed.")


def _abreast(alive: Sequence[Weighed], letting_go: LettingGo, first: Weighed) -> list[Weighed]:
    """Return the moves that are not clearly behind the best, judged by the worlds they share."""
    best = max(alive, key=lambda one: one.mean)
    kept = []
    for one in alive:
        lead, error = _lead(best.worths, one.worths)
        is_spared = one is best or (letting_go.spares_first and one is first)
        if is_spared or lead <= letting_go.behind * error:
            kept.append(one)
    return kept


def _lead(worths: Sequence[float], others: Sequence[float]) -> tuple[float, float]:
    """Return how far the first are ahead of the others on average, and the standard error of that."""
    leads = [ahead - behind for ahead, behind in zip(worths, others, strict=True)]
    count = len(leads)
    mean = sum(leads) / count
    return mean, math.sqrt(sum((lead - mean) ** 2 for lead in leads) / (count * max(1, count - 1)))


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
    if meld.kind is Kind.SET:
        end = ON_SET
    else:
        where = move.end or fitting_ends(meld, move.stands_for or move.card, variant)[0]
        end = LOW_END if where == "low" else HIGH_END
    return SimulatedLayOff(place, code, face, end)
