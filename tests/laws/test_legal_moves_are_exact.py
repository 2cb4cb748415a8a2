"""The list of lawful moves and the rules agree both ways: RULES 2 to 8, all at once.

What the rules answer is asked of `play` alone. Candidates are made without a thought for what is likely:
every card, every subset of a small hand, every place of the pile, every end, every face for a joker.
"""

import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import combinations, product
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from service.rummy.cards import JOKERS, PACK, RANK, SUIT, Card, is_joker
from service.rummy.errors import ChoiceRequired
from service.rummy.events import Event, MeldLaid
from service.rummy.legal_moves import legal_moves, seats_to_act
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
from service.rummy.state import Game, MeldKind
from tests.support.strategies import Playthrough, chances, played_positions, refusal_of, requests, situations

#: Subsets of a hand are tried up to this size.
LARGEST_SUBSET = 5
#: What the jokers of one subset stand for is tried in at most this many ways, evenly chosen.
MOST_STANDINGS = 60
#: At most this many candidates of a position are tried, evenly chosen, so that hands with jokers end.
MOST_CANDIDATES = 2500


def deed(events: tuple[Event, ...]) -> tuple[object, ...]:
    """Return what a move did, the same for a set laid in any order.

    What follows from a deed by the rules (turns, scores) is left out.
    """
    first = events[0] if events[0].type != "rummy.called" else events[1]
    if isinstance(first, MeldLaid) and first.meld.kind is MeldKind.SET:
        cards = sorted(first.meld.cards, key=lambda laid: laid.card)
        return (*events[: events.index(first)], first.seat, first.meld.id, tuple(cards))
    return (*events[: events.index(first)], first)


def outcome(game: Game, move: PlayerMove) -> tuple[object, ...] | None:
    """Return the deed of a move, None where the rules refuse it."""
    return None if refusal_of(game, move) else deed(play(game, move)[0])


def listed(game: Game, seat: int) -> dict[tuple[object, ...], PlayerMove]:
    """Return the lawful moves of a seat by what they do; each is accepted, and no two do the same."""
    found: dict[tuple[object, ...], PlayerMove] = {}
    for move in legal_moves(game, seat, limit=1_000_000).moves:
        did = outcome(game, move)
        assert did is not None, f"{move} is listed and refused"
        assert did not in found, f"{move} and {found[did]} do the same"
        found[did] = move
    return found


# --- Candidates -----------------------------------------------------------------------------------


def candidates(game: Game, seat: int, chance: random.Random) -> Iterator[PlayerMove]:
    """Yield moves of every type, most of them unlawful."""
    hand, pile = game.deal.hands[seat], game.deal.discard_pile
    yield from (kind(seat=seat) for kind in (DrawStock, Pass, KeepCard))
    for card in PACK + JOKERS:
        yield Discard(seat=seat, card=card)
        for place in (None, *range(-1, len(pile) + 1)):
            if place is None or card in pile:
                yield TakeDiscard(seat=seat, card=card, position=place)
    yield from lay_offs(game, seat, dict.fromkeys((*hand, *PACK[:3])))
    yield from melds(seat, hand, range(LARGEST_SUBSET + 1), chance)
    for place, card in enumerate(pile):
        for use in lay_offs(game, seat, (card,)):
            yield CallRummy(seat=seat, card=card, position=place, use=use)
        for use in melds(seat, (*hand, *pile), range(3, 5), chance):
            if card in use.cards:
                yield CallRummy(seat=seat, card=card, position=place, use=use)


def lay_offs(game: Game, seat: int, cards: Iterable[Card]) -> Iterator[LayOff]:
    """Yield each card for each meld, or none, at each end, a joker standing for every card of the pack."""
    ids = (None, "m0", *(meld.id for meld in game.deal.melds))
    for card, meld, end in product(cards, ids, (None, "low", "high")):
        for face in PACK if is_joker(card) else (None, card):
            yield LayOff(seat=seat, card=card, meld_id=meld, end=end, stands_for=face)


def melds(seat: int, cards: tuple[Card, ...], sizes: range, chance: random.Random) -> Iterator[LayMeld]:
    """Yield every subset as a meld, aces unsaid, low and high, jokers as all that is near."""
    for size in sizes:
        for subset in dict.fromkeys(combinations(cards, size)):
            aces = (None, "low", "high") if any(RANK[card] <= 1 for card in subset) else (None,)
            for standing, ace in product(standings(subset, chance), aces):
                yield LayMeld(seat=seat, cards=subset, stands_for=standing, ace=ace)


def standings(subset: tuple[Card, ...], chance: random.Random) -> list[dict[Card, Card]]:
    """Return what the jokers of a subset may stand for: faces of a rank or suit of the others."""
    ranks = {RANK[card] for card in subset if not is_joker(card)}
    suits = {SUIT[card] for card in subset if not is_joker(card)}
    near = [card for card in PACK if RANK[card] in ranks or SUIT[card] in suits]
    jokers = [card for card in subset if is_joker(card)]
    if not jokers or not near:
        return [{}]
    if len(near) ** len(jokers) <= MOST_STANDINGS:
        return [dict(zip(jokers, faces, strict=True)) for faces in product(near, repeat=len(jokers))]
    return [{joker: chance.choice(near) for joker in jokers} for _ in range(MOST_STANDINGS)]


def asked(game: Game, seat: int, chance: random.Random) -> list[PlayerMove]:
    """Return candidates to ask for, all of them where there are not too many."""
    everything = [*candidates(game, seat, chance)]
    return everything if len(everything) <= MOST_CANDIDATES else chance.sample(everything, MOST_CANDIDATES)


# --- The laws -------------------------------------------------------------------------------------


class TestLegalMoves:
    @given(situations)
    def test_every_listed_move_is_accepted_and_does_what_no_other_does(self, begun: Playthrough):
        for seat in range(begun.game.seats):
            listed(begun.game, seat)

    @given(played_positions(largest_hand=5, deepest_pile=4), chances)
    def test_every_move_that_is_accepted_is_listed(self, begun: Playthrough, chance: random.Random):
        game = begun.game
        for seat in seats_to_act(game):
            known = listed(game, seat)
            for move in asked(game, seat, chance):
                did = outcome(game, move)
                assert did is None or did in known, f"{move} is accepted and not listed"

    @given(situations, st.data())
    def test_a_seat_that_may_not_act_can_do_nothing(self, begun: Playthrough, data):
        game = begun.game
        for seat in set(range(game.seats)) - set(seats_to_act(game)):
            assert legal_moves(game, seat).moves == ()
            move = data.draw(requests(game, seat).filter(lambda move: hasattr(move, "seat")))
            assert outcome(game, move) is None, f"{move} is accepted though it is not its turn"

    @given(situations, st.integers(0, 40))
    def test_a_list_that_is_cut_off_among_melds_or_calls_says_so(self, begun: Playthrough, more: int):
        game = begun.game
        for seat in seats_to_act(game):
            whole = legal_moves(game, seat, limit=1_000_000).moves
            few = [move for move in whole if move.type not in {"meld", "call_rummy"}]
            limit = len(few) + more
            some = legal_moves(game, seat, limit=limit)
            assert some.moves == whole[:limit]
            assert some.complete == (len(whole) <= limit)
            assert {*some.truncated} == {move.type for move in whole[limit:]}


class TestChoices:
    """RULES 2.4, 4.2 and 4.3: where a move can be read in several ways, the refusal lists them."""

    @given(played_positions(largest_hand=6, deepest_pile=6))
    def test_the_choices_lead_to_every_legal_move_of_the_card(self, begun: Playthrough):
        game = begun.game
        for seat in seats_to_act(game):
            wanted = {
                did: move
                for did, move in listed(game, seat).items()
                if isinstance(move, TakeDiscard | LayOff) or _calls_to_lay_off(move)
            }
            found = [
                outcome(game, settled) for move in unsettled(game, seat) for settled in settle(game, move)
            ]
            assert {did for did in found if did is not None} == wanted.keys()


def _calls_to_lay_off(move: PlayerMove) -> bool:
    return isinstance(move, CallRummy) and isinstance(move.use, LayOff)


def unsettled(game: Game, seat: int) -> Iterator[PlayerMove]:
    """Yield takes, lay-offs and calls to lay off that name the card alone, and what a joker stands for."""
    for card in dict.fromkeys(game.deal.discard_pile):
        yield TakeDiscard(seat=seat, card=card)
        for use in _unsettled_lay_offs(card, seat):
            yield CallRummy(seat=seat, card=card, use=use)
    for card in dict.fromkeys(game.deal.hands[seat]):
        yield from _unsettled_lay_offs(card, seat)


def _unsettled_lay_offs(card: Card, seat: int) -> Iterator[LayOff]:
    for face in PACK if is_joker(card) else (None,):
        yield LayOff(seat=seat, card=card, stands_for=face)


def settle(game: Game, move: PlayerMove, choices_left: int = 3) -> Iterator[PlayerMove]:
    """Yield the move itself or, where the rules ask for a choice, what each choice makes of it."""
    refusal = refusal_of(game, move)
    if refusal is None:
        yield move
    elif isinstance(refusal, ChoiceRequired):
        assert choices_left, f"{move} is asked about again and again"
        assert refusal.choices
        for choice in refusal.choices:
            yield from settle(game, _merged(move, choice), choices_left - 1)


def _merged(move: PlayerMove, choice: Mapping[str, Any]) -> PlayerMove:
    """Return the move with a choice merged into it, as a client merges it into the body."""
    if "use" in choice:
        assert isinstance(move, CallRummy)
        return replace(move, use=replace(move.use, **choice["use"]))
    return replace(move, **choice)
