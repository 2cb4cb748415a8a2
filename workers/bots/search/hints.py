"""Advice: the value of the moves of a seat, and the reason for each in a player's words.

An adviser sees only what the seat may see, as a bot does.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from random import Random
from typing import Final, Protocol

from service.rummy.cards import Card
from service.rummy.legal_moves import LegalMoves
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
from service.rummy.scoring import hand_points, points
from service.rummy.sentences import Sentence
from service.rummy.variants import Variant
from service.rummy.views import View
from workers.bots.bot import Budget
from workers.bots.observation import Observation, count_partners
from workers.bots.search.monte_carlo import Candidate
from workers.bots.search.reasons import reason_for

#: The most moves of each kind to evaluate, besides the default move.
_MAX_DRAWS: Final = 6
_MAX_MELDS: Final = 4
_MAX_LAY_OFFS: Final = 3
_MAX_DISCARDS: Final = 5
_MAX_CALLS: Final = 5
#: Half the width of a 95 % interval, in standard errors.
_NORMAL_95: Final = 1.96


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """A move and its value.

    `points` is the expected lead of the seat's side over the mean of the others in this deal, `margin`
    half of its 95 % confidence interval, `worlds` the number of sampled deals.
    """

    move: PlayerMove
    points: float
    margin: float
    worlds: int
    reasons: tuple[Sentence, ...]

    @property
    def reason(self) -> str:
        """The reasons as one text."""
        return " ".join(self.reasons)


class Adviser(Protocol):
    """Evaluates the moves of a seat."""

    def advise(  # noqa: PLR0913 - a position, and how to search it
        self,
        view: View,
        legal: LegalMoves,
        variant: Variant,
        chance: Random,
        budget: Budget,
        *,
        also: Sequence[PlayerMove] = (),
    ) -> tuple[Advice, ...]:
        """Return the evaluated moves, the best first; none if there are no legal moves.

        `view` and `legal` belong to one seat. `also` are legal moves to evaluate in any case; another move
        comes before them only if it is clearly ahead. `chance` is the only source of randomness.
        """
        ...


def advice_on(candidates: Sequence[Candidate], observation: Observation) -> tuple[Advice, ...]:
    """Return the advice on evaluated moves, the best first.

    A move that was illegal in the sampled deals is left out, unless it comes first.
    """
    return tuple(
        _advice(candidate, observation)
        for candidate in candidates
        if candidate.returns or candidate is candidates[0]
    )


def _advice(candidate: Candidate, observation: Observation) -> Advice:
    assert candidate.move is not None  # noqa: S101 - moves were evaluated, not the end of the turn
    return Advice(
        move=candidate.move,
        points=candidate.mean if candidate.returns else 0.0,
        margin=_NORMAL_95 * candidate.error,
        worlds=len(candidate.returns),
        reasons=reason_for(candidate.move, observation),
    )


# --- Which moves are evaluated ----------------------------------------------------------------------


def shortlist(
    moves: Sequence[PlayerMove], observation: Observation, first: Sequence[PlayerMove]
) -> tuple[PlayerMove, ...]:
    """Return the moves to evaluate: those given, then the most promising of each kind."""
    kinds = (
        _draws(moves),
        _melds(moves, observation),
        _lay_offs(moves, observation),
        _discards(moves, observation),
        _calls(moves, observation),
    )
    found: list[PlayerMove] = []
    for move in (*first, *chain(*kinds)):
        if move not in found:
            found.append(move)
    return tuple(found)


def _draws(moves: Sequence[PlayerMove]) -> list[PlayerMove]:
    draws: list[PlayerMove] = [move for move in moves if isinstance(move, DrawStock | Pass | KeepCard)]
    takes = [move for move in moves if isinstance(move, TakeDiscard)]
    if len(takes) > _MAX_DRAWS:
        half = _MAX_DRAWS // 2
        takes = [*takes[:half], *takes[-half:]]
    return [*draws, *takes]


def _melds(moves: Sequence[PlayerMove], observation: Observation) -> list[LayMeld]:
    melds = [move for move in moves if isinstance(move, LayMeld)]
    return sorted(melds, key=lambda meld: -hand_points(meld.cards, observation.variant))[:_MAX_MELDS]


def _lay_offs(moves: Sequence[PlayerMove], observation: Observation) -> list[LayOff]:
    lay_offs = [move for move in moves if isinstance(move, LayOff)]
    return sorted(lay_offs, key=lambda candidate: -points(candidate.card, observation.variant))[
        :_MAX_LAY_OFFS
    ]


def _discards(moves: Sequence[PlayerMove], observation: Observation) -> list[Discard]:
    discards = [move for move in moves if isinstance(move, Discard)]

    def looseness(discard: Discard) -> tuple[int, int]:
        return count_partners(discard.card, observation.hand), -points(discard.card, observation.variant)

    return sorted(discards, key=looseness)[:_MAX_DISCARDS]


def _calls(moves: Sequence[PlayerMove], observation: Observation) -> list[CallRummy]:
    calls = [move for move in moves if isinstance(move, CallRummy)]
    return sorted(calls, key=lambda call: -hand_points(cards_laid_by(call), observation.variant))[:_MAX_CALLS]


def cards_laid_by(call: CallRummy) -> tuple[Card, ...]:
    """Return the cards that a call lays at once."""
    return call.use.cards if isinstance(call.use, LayMeld) else (call.use.card,)
