"""A small share of the proof that no level makes an illegal move; `tests.proofs.lawful_play` is the rest."""

from itertools import cycle

import pytest

from service.rummy.presets import PRESETS
from tests.proofs.lawful_play import matches, prove
from workers.bots.registry import BOT_FACTORIES, SEARCHING
from workers.tools.arena.match_pool import MatchPool

QUICK = [level for level in BOT_FACTORIES if level not in SEARCHING]


class TestLawfulGames:
    @pytest.mark.parametrize("preset,level", list(zip(PRESETS, cycle(QUICK), strict=False)))
    def test_are_played_to_their_end_against_random_players(self, preset, level):
        played = prove(MatchPool(None, 1), preset, level, games=2, seed=7)

        assert played.games >= 2
        assert played.decisions > 10

    def test_are_set_up_at_every_size_of_table(self):
        assert [match.seats for match in matches("basic-rummy", "steady")] == [2, 3, 4, 5, 6]
