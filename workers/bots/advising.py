"""Advice: what the moves of a seat are worth, and why one is better, in a player's words.

An adviser sees what a seat may see and no more, as a computer player does. `PlayOuts` needs
nothing but the rules: it makes up worlds that agree with the view, makes each promising move in every
one of them, and plays the deal out by habits. Its points are what came of that on average, not a
formula. `searching` stands behind the same protocol, with the scales of the level `expert`.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from random import Random
from time import perf_counter
from typing import Final, Protocol

from service.rummy.cards import Card
from service.rummy.errors import IllegalMove
from service.rummy.legal import LegalMoves
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
from service.rummy.play import play
from service.rummy.scoring import hand_points, points
from service.rummy.state import Game
from service.rummy.variants import Variant
from service.rummy.views import View
from workers.bots.base import Bot, Budget
from workers.bots.playing_out import links, played_out
from workers.bots.reasons import reason_for
from workers.bots.shrewd import Shrewd
from workers.bots.sight import Sight
from workers.bots.worlds import Worlds

#: Of each kind so many moves are weighed, besides the one that habit would make.
_MOST_DRAWS: Final = 6
_MOST_MELDS: Final = 4
_MOST_LAY_OFFS: Final = 3
_MOST_THROWS: Final = 5
_MOST_CALLS: Final = 5
#: Moves are compared after every so many worlds; fewer than the scales need before they let a move go.
_ROUND: Final = 5
#: The fewest worlds after which a move that is far behind may be let go.
FAIR_TRIAL: Final = 20
#: What more of them would tell is not worth the time.
_MOST_WORLDS: Final = 4_000
#: So far behind, in standard errors, a move is let go.
FAR_BEHIND: Final = 3.0
#: Half the width of a 95 % interval, in standard errors.
_NORMAL_95: Final = 1.96


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """A move and what it is worth.

    `points` is what the deal is expected to bring the seat's side more than the others on
    average, `margin` half the 95 % interval of that, `worlds` in how many worlds it was tried.
    """

    move: PlayerMove
    points: float
    margin: float
    worlds: int
    reason: str


class Adviser(Protocol):
    """Weighs the moves of a seat."""

    def advise(  # noqa: PLR0913 - a position, and how to think about it
        self,
        view: View,
        legal: LegalMoves,
        variant: Variant,
        chance: Random,
        budget: Budget,
        *,
        also: Sequence[PlayerMove] = (),
    ) -> tuple[Advice, ...]:
        """Return the moves that were weighed, the best first; none where nothing is listed.

        `view` and `legal` are those of one seat; `also` are lawful moves to be weighed in any case, and
        given up for another only where that is clearly ahead. `chance` is the only source of luck.
        """
        ...


@dataclass(slots=True)
class Weighed:
    """A move, and what it brought in each world so far."""

    move: PlayerMove
    brought: list[float] = field(default_factory=list)

    @property
    def mean(self) -> float:
        """What it brought on average."""
        return sum(self.brought) / len(self.brought) if self.brought else -math.inf


class PlayOuts:
    """Tries moves in made-up worlds, each played out by the rules."""

    def __init__(self, player: Bot | None = None) -> None:
        """Take a player whose choice is always among the moves weighed: by default the level `shrewd`."""
        self._player: Final = player or Shrewd()

    def advise(  # noqa: PLR0913 - as the protocol
        self,
        view: View,
        legal: LegalMoves,
        variant: Variant,
        chance: Random,
        budget: Budget,
        *,
        also: Sequence[PlayerMove] = (),
    ) -> tuple[Advice, ...]:
        """Return the moves that were weighed, the best first."""
        choice = self._player.choose(view, legal, variant, chance)
        if choice is None:
            # Nothing may be done, and nobody should have asked.
            return ()
        sight = Sight.of(view, variant)
        weighed = [Weighed(move) for move in shortlist(legal.moves, sight, (*also, choice))]
        _weigh(weighed, Worlds(view, legal, variant), chance, budget)
        best = _best(weighed)
        rest = sorted((one for one in weighed if one is not best), key=lambda one: -one.mean)
        # Where made-up worlds allow none of them, the player's own choice is all the advice there is.
        return tuple(_advice(one, sight) for one in (best, *rest) if one.brought or one is best)


def _weigh(entered: Sequence[Weighed], worlds: Worlds, chance: Random, budget: Budget) -> None:
    """Try the moves round by round, until the budget is spent or one is left."""
    time_is_up = math.inf if budget.worlds is not None else perf_counter() + budget.milliseconds / 1000
    alive, most = list(entered), budget.worlds or _MOST_WORLDS
    for done in range(0, most, _ROUND):
        count = min(_ROUND, most - done)
        for _ in range(count):
            world, seed = worlds.world(chance), chance.random()
            for one in alive:
                one.brought.extend(_tried(one.move, world, worlds.sight.seat, seed))
        # A move that made-up worlds do not allow cannot be weighed: a view does not tell all of a turn.
        alive = [one for one in alive if len(one.brought) == done + count]
        if done + count >= FAIR_TRIAL:
            alive = _abreast(alive, entered[0])
            if len(alive) == 1:
                return
        if not alive or perf_counter() >= time_is_up:
            return


def _tried(move: PlayerMove, world: Game, seat: int, seed: float) -> Iterator[float]:
    """Yield what the deal brings the seat's side when the move is made; nothing where it may not be."""
    try:
        _, after = play(world, move)
    except IllegalMove:
        return
    # Each move meets the same luck, so that they differ by what they are.
    yield lead(played_out(after, Random(seed)), seat)


def lead(game: Game, seat: int) -> float:
    """Return by how much the last deal brought a seat's side more than the other sides on average."""
    variant = game.variant
    scored: dict[int, int] = {}
    for number, result in enumerate(game.deals[-1].seats):
        side = variant.side(number)
        scored[side] = scored.get(side, 0) + result.score
    own = scored.pop(variant.side(seat))
    ahead = own - sum(scored.values()) / len(scored)
    return -ahead if variant.scoring == "penalty" else ahead


def _best(weighed: Sequence[Weighed]) -> Weighed:
    """Return the move that brought most; the first of the list, unless another is clearly ahead of it.

    The first is what was played, or what a sensible player would do. Of many moves the luckiest
    would else look best, and chance would be taken for advice.
    """
    whole = max(len(one.brought) for one in weighed)
    best = max((one for one in weighed if len(one.brought) == whole), key=lambda one: one.mean)
    first = weighed[0]
    if not whole:
        return first
    if len(first.brought) < whole:
        # Made-up worlds do not allow it.
        return best
    ahead = [more - own for more, own in zip(best.brought, first.brought, strict=True)]
    return best if sum(ahead) / len(ahead) > _error(ahead) else first


def _abreast(alive: Sequence[Weighed], first: Weighed) -> list[Weighed]:
    """Return the moves that are not clearly behind the best, by the worlds they share.

    The first stays to the end: how far it is behind is what is asked.
    """
    best = max(alive, key=lambda one: one.mean, default=None)
    if best is None:
        return []
    return [one for one in alive if one is best or one is first or not _is_behind(one.brought, best.brought)]


def _is_behind(brought: Sequence[float], best: Sequence[float]) -> bool:
    behind = [ahead - own for own, ahead in zip(brought, best, strict=True)]
    return sum(behind) / len(behind) > FAR_BEHIND * _error(behind)


def _error(values: Sequence[float]) -> float:
    """Return the standard error of the mean."""
    if len(values) < 2:  # noqa: PLR2004 - one value says nothing about the next
        return math.inf
    mean = sum(values) / len(values)
    variance = sum((value - mean) ** 2 for value in values) / (len(values) - 1)
    return math.sqrt(variance / len(values))


def _advice(one: Weighed, sight: Sight) -> Advice:
    error = _error(one.brought)
    return Advice(
        move=one.move,
        points=one.mean if one.brought else 0.0,
        margin=0.0 if math.isinf(error) else _NORMAL_95 * error,
        worlds=len(one.brought),
        reason=reason_for(one.move, sight),
    )


# --- Which moves are worth a thought ---------------------------------------------------------------


def shortlist(
    moves: Sequence[PlayerMove], sight: Sight, first: Sequence[PlayerMove]
) -> tuple[PlayerMove, ...]:
    """Return the moves to weigh: those given, then the likeliest of each kind."""
    kinds = (
        _draws(moves),
        _melds(moves, sight),
        _lay_offs(moves, sight),
        _throws(moves, sight),
        _calls(moves, sight),
    )
    found: list[PlayerMove] = []
    for move in (*first, *chain(*kinds)):
        if move not in found:
            found.append(move)
    return tuple(found)


def _draws(moves: Sequence[PlayerMove]) -> list[PlayerMove]:
    draws: list[PlayerMove] = [move for move in moves if isinstance(move, DrawStock | Pass | KeepCard)]
    takes = [move for move in moves if isinstance(move, TakeDiscard)]
    if len(takes) > _MOST_DRAWS:
        half = _MOST_DRAWS // 2
        takes = [*takes[:half], *takes[-half:]]
    return [*draws, *takes]


def _melds(moves: Sequence[PlayerMove], sight: Sight) -> list[LayMeld]:
    melds = [move for move in moves if isinstance(move, LayMeld)]
    return sorted(melds, key=lambda meld: -hand_points(meld.cards, sight.variant))[:_MOST_MELDS]


def _lay_offs(moves: Sequence[PlayerMove], sight: Sight) -> list[LayOff]:
    lay_offs = [move for move in moves if isinstance(move, LayOff)]
    return sorted(lay_offs, key=lambda one: -points(one.card, sight.variant))[:_MOST_LAY_OFFS]


def _throws(moves: Sequence[PlayerMove], sight: Sight) -> list[Discard]:
    throws = [move for move in moves if isinstance(move, Discard)]

    def loose(throw: Discard) -> tuple[int, int]:
        return links(throw.card, sight.hand), -points(throw.card, sight.variant)

    return sorted(throws, key=loose)[:_MOST_THROWS]


def _calls(moves: Sequence[PlayerMove], sight: Sight) -> list[CallRummy]:
    calls = [move for move in moves if isinstance(move, CallRummy)]
    return sorted(calls, key=lambda call: -hand_points(used_by(call), sight.variant))[:_MOST_CALLS]


def used_by(call: CallRummy) -> tuple[Card, ...]:
    """Return the cards that a call brings to the table at once."""
    return call.use.cards if isinstance(call.use, LayMeld) else (call.use.card,)
