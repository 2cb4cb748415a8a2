"""The levels `novice`, `casual` and `steady`: rules of thumb, without evaluation or search.

They differ in what they look at, never by deliberate mistakes: how deep into the pile they look,
on whose melds they lay off, whether they plan what to lay, and how they choose a discard.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from service.rummy.cards import Card
from service.rummy.legal_moves import LegalMoves
from service.rummy.melds import can_lay_off
from service.rummy.moves import CallRummy, Discard, LayMeld, LayOff, PlayerMove, TakeDiscard, cards_used
from service.rummy.possible_melds import possible_melds
from service.rummy.scoring import hand_points, points
from service.rummy.state import Phase
from service.rummy.variants import Variant
from service.rummy.views import View
from workers.bots.evaluation.draws import places_taken
from workers.bots.evaluation.links import link_strength, open_links, others_in_hand, stalled_discard
from workers.bots.evaluation.next_meld import next_meld_move
from workers.bots.observation import Observation

#: What it counts, in points, against discarding a card that opponents could lay off.
_WANTED_PENALTY: Final = 12
#: What a link to another card in hand counts, in points; half of it if one card is missing between the two.
_LINK_PENALTY: Final = 6
#: More cards than a discard pile ever has.
_WHOLE_PILE: Final = 999


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What a rule-based bot pays attention to.

    `depth` is how many cards of the pile it looks at. `takes_to_lay_off` says whether it takes a
    card to lay it off, `lays_off_on_others` whether it lays off on melds of others, `plans` whether it
    lays the plan with most points or the first meld it finds, `calls` whether it calls "Rummy!". It
    discards the card with the highest `discard_score`.
    """

    depth: int
    takes_to_lay_off: bool
    lays_off_on_others: bool
    plans: bool
    calls: bool
    discard_score: Callable[[Card, Observation], float]


class RuleBasedBot:
    """Plays by its profile and what it sees now: no memory, no look-ahead."""

    def __init__(self, profile: Profile) -> None:
        self._profile: Final = profile

    def choose(self, view: View, legal: LegalMoves, variant: Variant, chance: Random, /) -> PlayerMove | None:
        """Return the move its profile leads to; None if there is no legal move."""
        moves = legal.moves
        if len(moves) <= 1:
            return moves[0] if moves else None
        observation = Observation.of(view, variant)
        match view.phase:
            case Phase.DRAW:
                return self._take(moves, observation) or moves[0]
            case Phase.RUMMY_CALL:
                return self._call(moves, observation) or moves[0]
            case _:
                return self._lay(moves, observation) or self._end_of_turn(moves, observation, chance)

    def _take(self, moves: Sequence[PlayerMove], observation: Observation) -> TakeDiscard | None:
        """Return the smallest take whose deepest card it can use."""
        pile = observation.view.discard_pile
        for move in moves:
            if isinstance(move, TakeDiscard):
                place = pile.index(move.card) if move.position is None else move.position
                if len(pile) - place > self._profile.depth:
                    return None
                if self._can_use(move.card, pile[place:], observation):
                    return move
        return None

    def _can_use(self, card: Card, taken: tuple[Card, ...], observation: Observation) -> bool:
        pool = (*observation.hand, *taken)
        if next(possible_melds(pool, observation.variant, with_card=card), None) is not None:
            return True
        return (self._profile.takes_to_lay_off or observation.is_stalled) and any(
            can_lay_off(card, meld, observation.variant) for meld in observation.targets
        )

    def _call(self, moves: Sequence[PlayerMove], observation: Observation) -> CallRummy | None:
        """Return the call that lays most points, if it brings no other card into the hand."""
        if not self._profile.calls:
            return None
        calls = [move for move in moves if isinstance(move, CallRummy)]
        alone = [call for call in calls if len(places_taken(call, observation)) == 1]
        return max(alone, key=lambda call: _points_of(call.use, observation.variant), default=None)

    def _lay(self, moves: Sequence[PlayerMove], observation: Observation) -> PlayerMove | None:
        if self._profile.plans:
            return next_meld_move(moves, observation)
        owed = observation.view.turn.must_use if observation.view.turn else None
        melds = [move for move in moves if isinstance(move, LayMeld)]
        if melds:
            return max(melds, key=lambda meld: owed in meld.cards)
        own = {meld.id for meld in observation.targets if meld.owner == observation.seat}
        lay_offs = [move for move in moves if isinstance(move, LayOff)]
        sees_all = self._profile.lays_off_on_others or observation.is_stalled
        seen = [move for move in lay_offs if sees_all or move.meld_id in own]
        # A card that must be used goes wherever it can.
        return next(iter(seen or (lay_offs if owed is not None else ())), None)

    def _end_of_turn(
        self, moves: Sequence[PlayerMove], observation: Observation, chance: Random
    ) -> PlayerMove:
        discards = [move for move in moves if isinstance(move, Discard)]
        if not discards:
            return next((move for move in moves if isinstance(move, LayOff)), moves[0])
        if observation.is_stalled:
            return stalled_discard(discards, observation, chance)
        scores = {move: self._profile.discard_score(move.card, observation) for move in discards}
        most = max(scores.values())
        return chance.choice([move for move in discards if scores[move] == most])


def highest_points(card: Card, observation: Observation) -> float:
    """Prefer to discard the card with most points."""
    return points(card, observation.variant)


def highest_points_without_link(card: Card, observation: Observation) -> float:
    """Prefer the card with most points that has no link to another card in hand."""
    linked = any(link_strength(card, other) for other in others_in_hand(card, observation.hand))
    return points(card, observation.variant) - (_WANTED_PENALTY if linked else 0)


def fewest_links(card: Card, observation: Observation) -> float:
    """Prefer a card with many points and few open links that opponents cannot lay off."""
    links = open_links(card, observation)
    is_wanted = any(can_lay_off(card, meld, observation.variant) for meld in observation.view.melds)
    return points(card, observation.variant) - _LINK_PENALTY * links - (_WANTED_PENALTY if is_wanted else 0)


def _points_of(use: LayMeld | LayOff, variant: Variant) -> int:
    return hand_points(cards_used(use), variant)


#: Sees the top discard and its own melds, and discards the card with most points.
NOVICE: Final = Profile(
    depth=1,
    takes_to_lay_off=False,
    lays_off_on_others=False,
    plans=False,
    calls=False,
    discard_score=highest_points,
)
#: Sees the top two cards of the pile and its own melds, and keeps pairs and neighbours together.
CASUAL: Final = Profile(
    depth=2,
    takes_to_lay_off=False,
    lays_off_on_others=False,
    plans=False,
    calls=False,
    discard_score=highest_points_without_link,
)
#: Sees the whole pile, plans what to lay, and discards nothing that others could lay off.
STEADY: Final = Profile(
    depth=_WHOLE_PILE,
    takes_to_lay_off=True,
    lays_off_on_others=True,
    plans=True,
    calls=True,
    discard_score=fewest_links,
)
