"""The value of the cards that stay in hand: they may be laid later, or caught there."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Final

from service.rummy.cards import FACE, KING, RANK, SUIT, Card, is_joker
from service.rummy.melds import MIN_MELD_SIZE, openings, spans
from service.rummy.scoring import points
from service.rummy.state import LaidCard, Meld, MeldKind
from service.rummy.variants import Variant
from workers.bots.evaluation.meld_options import MeldOption
from workers.bots.observation import Observation, count_cards

#: Two cards further apart than this share no run of three.
_NEAR: Final = 2
#: A joker melds with any two cards that lie close, so it is seldom held for long.
_JOKER_CHANCE: Final = 0.5
_MAX_CHANCE: Final = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """The weights of the evaluation, tuned by `python -m workers.tools.arena.shrewd_weights`.

    - `draw`: chance per turn to get one given unseen card, as a multiple of the chance to draw it
    - `pile`: chance that a card of the pile can still be taken next turn
    - `blind`: chance per turn that a card without a link is laid
    - `danger`: share of what a discard may bring the opponents that counts against it
    - `deny`: value of a point of the pile that opponents cannot take any more
    - `out`: value of a point caught in an opponent's hand
    - `stock`: value of a card from the stock, in points
    - `progress`: value of a point laid; where only hands score, for bringing the end closer
    """

    draw: float
    pile: float
    blind: float
    danger: float
    deny: float
    out: float
    stock: float
    progress: float


#: For games in which cards on the table score.
TABLE_WEIGHTS: Final = Weights(
    draw=1.6, pile=0.25, blind=0.03, danger=0.6, deny=0.1, out=0.6, stock=8.0, progress=1.0
)
#: For games in which only cards caught in hands score.
HAND_WEIGHTS: Final = Weights(
    draw=0.8, pile=0.06, blind=0.03, danger=0.6, deny=0.16, out=0.6, stock=4.0, progress=1.0
)


def weights_for(variant: Variant) -> Weights:
    """Return the weights that suit a game."""
    return TABLE_WEIGHTS if variant.scoring == "table_minus_hand" else HAND_WEIGHTS


@dataclass(frozen=True)
class HandEvaluator:
    """Evaluates hands as they would be after a turn, given the melds and the pile after it."""

    observation: Observation
    weights: Weights
    table: tuple[Meld, ...]
    pile: tuple[Card, ...]

    @cached_property
    def within_reach(self) -> Mapping[Card, int]:
        """How many copies of each card lie in the pile where a player could take them."""
        return count_cards(self.pile if self.observation.variant.deep_draw else self.pile[-1:])

    def value(self, hand: Sequence[Card], turns: float) -> float:
        """Return the value of the cards in hand if this many own turns may follow."""
        held = count_cards(hand)
        return sum(self._value_of(card, held, turns) * copies for card, copies in held.items())

    def values_without(self, hand: Sequence[Card], turns: float) -> dict[Card, float]:
        """Return the value of the hand without a card, for each card it holds."""
        held = count_cards(hand)
        values = {card: self._value_of(card, held, turns) for card in held}
        whole = sum(values[card] * copies for card, copies in held.items())
        remaining = {}
        for gone in held:
            left = dict(held)
            left[gone] -= 1
            if not left[gone]:
                del left[gone]
            # Only cards that lie close lose value by it.
            missed = sum(
                (self._value_of(card, left, turns) - values[card]) * copies
                for card, copies in left.items()
                if _are_close(card, gone)
            )
            remaining[gone] = whole - values[gone] + missed
        return remaining

    def _value_of(self, card: Card, held: Mapping[Card, int], turns: float) -> float:
        """Return the value of one card of a hand: its expected points for or against its holder."""
        variant = self.observation.variant
        counts = points(card, variant)
        tabled = 1 - (1 - self._chance_to_lay(card, held)) ** turns if turns > 0 else 0.0
        gain = self.weights.progress * counts
        loss = 0 if turns <= 0 and variant.no_minus_at_stock_end else counts
        return tabled * gain - (1 - tabled) * loss

    def _chance_to_lay(self, card: Card, held: Mapping[Card, int]) -> float:
        """Return the chance that the card can be laid in one turn."""
        if is_joker(card):
            return _JOKER_CHANCE
        outs = {*self._outs_in_sets(card, held), *self._outs_in_runs(card, held)}
        return min(_MAX_CHANCE, self.weights.blind + sum(map(self._draw_chance, outs)))

    def _draw_chance(self, face: Card) -> float:
        """Return the chance to get a card in one turn."""
        if face not in self._draw_chances:
            observation = self.observation
            hidden = self.weights.draw * observation.unseen.get(face, 0) / observation.unseen_count
            self._draw_chances[face] = hidden + self.weights.pile * self.within_reach.get(face, 0)
        return self._draw_chances[face]

    @cached_property
    def _draw_chances(self) -> dict[Card, float]:
        """The results of `_draw_chance`."""
        return {}

    def _outs_in_sets(self, card: Card, held: Mapping[Card, int]) -> Iterator[Card]:
        """Yield the cards that would make a set with this one and another in hand."""
        faces = [FACE[suit][RANK[card]] for suit in range(4)]
        if not self.observation.variant.set_distinct_suits:
            if sum(held.get(face, 0) for face in faces) > 1:
                yield from faces
        elif sum(1 for face in faces if face in held) > 1:
            yield from (face for face in faces if face not in held)

    def _outs_in_runs(self, card: Card, held: Mapping[Card, int]) -> Iterator[Card]:
        """Yield the cards that would complete a run with this one, or extend a run on the table to it."""
        suit, rank = SUIT[card], RANK[card]
        for faces in runs_of_three(card, self.observation.variant):
            missing = [face for face in faces if face not in held]
            if len(missing) == 1:
                yield missing[0]
        for face in self._ends[suit]:
            if abs(RANK[face] - rank) == 1:
                yield face

    @cached_property
    def wanted(self) -> frozenset[Card]:
        """The cards that opponents could lay off on the table."""
        observation, melds = self.observation, self.table
        if observation.variant.lay_off_targets != "any":
            melds = tuple(meld for meld in observation.view.melds if meld.owner in observation.opponents)
        return frozenset(face for meld in melds for face in openings(meld, observation.variant))

    @cached_property
    def _ends(self) -> tuple[tuple[Card, ...], ...]:
        """The cards that extend runs on the table, by suit."""
        ends: list[list[Card]] = [[], [], [], []]
        for meld in self.table:
            if meld.kind is MeldKind.RUN:
                ends[meld.suit].extend(openings(meld, self.observation.variant))
        return tuple(tuple(faces) for faces in ends)


def runs_of_three(card: Card, variant: Variant) -> tuple[tuple[Card, ...], ...]:
    """Return the runs of three that include the card."""
    return _runs_of_three(card, variant.ace_in_run, variant.ace_two_king)


@cache
def _runs_of_three(card: Card, ace_in_run: str, ace_two_king: bool) -> tuple[tuple[Card, ...], ...]:  # noqa: FBT001 - cache keys
    rank, line, allowed = RANK[card], FACE[SUIT[card]], spans(ace_in_run, ace_two_king)
    lows = {low for place in (rank, rank + KING) for low in range(place - _NEAR, place + 1)}
    return tuple(line[low : low + MIN_MELD_SIZE] for low in sorted(lows) if (low, low + _NEAR) in allowed)


def _are_close(card: Card, other: Card) -> bool:
    """Return whether two cards could lie in one meld of three."""
    if RANK[card] == RANK[other]:
        return True
    apart = abs(RANK[card] - RANK[other])
    return SUIT[card] == SUIT[other] and (apart <= _NEAR or apart >= KING - _NEAR)


def melds_after(observation: Observation, options: Iterable[MeldOption]) -> tuple[Meld, ...]:
    """Return the melds to lay off on after these options are laid.

    A joker counts as the card it stands for: nothing more matters here.
    """
    table = {meld.id: meld for meld in observation.targets}
    for number, option in enumerate(options):
        laid = tuple(LaidCard(card=card, laid_by=observation.seat) for card in option.cards)
        if option.meld_id is None:
            name = f"new {number}"
            kind = MeldKind.SET if len({RANK[card] for card in option.cards}) == 1 else MeldKind.RUN
            table[name] = Meld(id=name, owner=observation.seat, kind=kind, cards=laid, laid_at_once=len(laid))
        else:
            meld = table[option.meld_id]
            cards = (*reversed(laid), *meld.cards) if option.end == "low" else (*meld.cards, *laid)
            table[meld.id] = replace(meld, cards=cards)
    return tuple(table.values())
