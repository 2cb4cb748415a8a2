"""The positions that make the longest lists: what is listed there is lawful too."""

import pytest

from service.rummy.legal_moves import MAX_LEGAL_MOVES, legal_moves, seats_to_act
from tests.bench.bench_legal_moves import pinned
from tests.support.strategies import refusal_of


@pytest.mark.parametrize("name,game", [*pinned()])
def test_each_listed_move_is_accepted(name, game):
    for seat in seats_to_act(game):
        listed = legal_moves(game, seat)
        assert len(listed.moves) <= MAX_LEGAL_MOVES
        assert listed.complete == (not listed.truncated)
        for move in listed.moves[:: max(1, len(listed.moves) // 300)]:
            assert refusal_of(game, move) is None
