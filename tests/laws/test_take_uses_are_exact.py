"""The uses listed with a take and the rules agree both ways: RULES 2.4 to 2.7."""

from collections.abc import Iterator

import pytest
from hypothesis import given

from service.rummy.cards import Card, is_joker
from service.rummy.drawing import TableForSeat, legal_takes, take_refusal
from service.rummy.legal_moves import legal_moves
from service.rummy.moves import LayMeld, LayOff, TakeDiscard
from service.rummy.must_use import Holding
from service.rummy.play import play
from service.rummy.state import Game, Phase, Stage
from service.rummy.take_uses import MAX_USES, Take, lawful_takes, take_of
from tests.bench.bench_legal_moves import pinned
from tests.support.strategies import Playthrough, played_positions, refusal_of, situations

#: Why a take is refused for want of a use.
UNUSABLE = {"deepest_card_unusable", "must_start_new_meld", "must_keep_a_discard"}


def drawing_seat(game: Game) -> int | None:
    """Return the seat that draws next, None if none does."""
    turn = game.deal.turn
    return turn.seat if game.status is Stage.PLAYING and turn.phase is Phase.DRAW else None


def after_take(game: Game, seat: int, take: Take) -> Game:
    """Return the game after a legal take."""
    move = TakeDiscard(seat=seat, card=take.cards[0], position=take.position)
    return play(game, move)[1]


def check_each_use(game: Game, seat: int, take: Take) -> None:
    """Fail unless every use is legal after the take, and spends the deepest card."""
    taken = after_take(game, seat, take)
    assert taken.deal.turn.must_use == take.must_use
    assert take.uses or take.must_use is None, f"{take} is legal and has no use"
    for use in take.uses:
        played = taken
        for move in (*use.first, use.move):
            if played.status is not Stage.PLAYING:
                break  # The cards laid first have brought the target.
            assert refusal_of(played, move) is None, f"{use} is listed and refused"
            played = play(played, move)[1]
        else:
            assert take.cards[0] in spent(use.move)
            assert played.deal.turn.must_use is None or played.deal.turn.seat != seat


def spent(move: LayMeld | LayOff) -> tuple[Card, ...]:
    return move.cards if isinstance(move, LayMeld) else (move.card,)


def uses_at_once(taken: Game, seat: int, take: Take) -> Iterator[LayMeld | LayOff]:
    """Yield the shortest legal moves that use the deepest card at once, jokers aside."""
    card = take.cards[0]
    for move in legal_moves(taken, seat, limit=100_000).moves:
        if isinstance(move, LayOff) and move.card == card:
            yield move
        if isinstance(move, LayMeld) and card in move.cards and len(move.cards) == 3:
            yield move


@given(situations)
def test_every_use_listed_with_a_legal_take_is_legal_after_it(begun: Playthrough):
    game = begun.game
    seat = drawing_seat(game)
    if seat is None:
        return
    takes = lawful_takes(game, seat)
    assert [take.position for take in takes] == legal_takes(game, seat)
    for take in takes:
        assert take == take_of(game, seat, take.position)
        assert take.cards == game.deal.discard_pile[take.position :]
        check_each_use(game, seat, take)


@given(situations)
def test_a_take_that_is_refused_for_want_of_a_use_has_none(begun: Playthrough):
    game = begun.game
    seat = drawing_seat(game)
    if seat is None:
        return
    for position in range(len(game.deal.discard_pile)):
        holding = Holding.of(game.deal.hands[seat] + game.deal.discard_pile[position:])
        if take_refusal(game, position, holding, TableForSeat.of(game, seat)) in UNUSABLE:
            assert take_of(game, seat, position).uses == ()


@given(played_positions(largest_hand=8, deepest_pile=6))
def test_every_way_to_use_the_card_at_once_without_a_joker_is_listed(begun: Playthrough):
    game = begun.game
    seat = drawing_seat(game)
    if seat is None:
        return
    for take in lawful_takes(game, seat):
        taken = after_take(game, seat, take)
        if any(map(is_joker, (*taken.deal.hands[seat], *take.cards))):
            continue
        listed = {_key(use.move) for use in take.uses if not use.first}
        assert {_key(move) for move in uses_at_once(taken, seat, take)} <= listed


def _key(move: LayMeld | LayOff) -> tuple[object, ...]:
    return tuple(sorted(move.cards)) if isinstance(move, LayMeld) else (move.card, move.meld_id)


@pytest.mark.parametrize("name,game", [*pinned()])
def test_in_the_worst_positions_the_list_stays_short(name, game):
    seat = drawing_seat(game)
    if seat is None:
        return
    for take in lawful_takes(game, seat):
        assert len(take.uses) <= MAX_USES
        assert take.uses_complete or len(take.uses) == MAX_USES
        check_each_use(game, seat, take)
