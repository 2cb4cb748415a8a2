"""`rummy500 deal-endings`: how deals of computer players end."""

import json

import pytest

from service.rummy.presets import resolve
from workers.bots.bot import DEFAULT_BUDGET
from workers.cli import main
from workers.tools.arena.mirrored_set import Match
from workers.tools.deal_endings import DealEnd, play_deal, summed_up


def table_of(preset, level, *, players, **overrides):
    return Match(
        variant=resolve(preset, overrides, seats=players),
        seats=players,
        line_up=(level,),
        budget=DEFAULT_BUDGET,
        whole_games=False,
    )


class TestADeal:
    def test_of_a_renewed_stock_ends_by_going_out_or_stands_still(self):
        ends = [
            play_deal(table_of("basic-rummy", "novice", players=6, hand_size=3), seed) for seed in range(6)
        ]

        assert all(end.went_out is not end.stood_still for end in ends)
        assert all(end.turns >= 156 for end in ends if end.stood_still)

    def test_without_a_renewed_stock_may_end_with_it(self):
        ends = [play_deal(table_of("persian", "casual", players=4), seed) for seed in range(6)]

        assert any(not end.went_out and not end.stood_still for end in ends)

    def test_is_the_same_for_the_same_seed(self):
        assert play_deal(table_of("classic", "steady", players=3), 7) == play_deal(
            table_of("classic", "steady", players=3), 7
        )


def test_deals_are_summed_up():
    ends = [
        DealEnd(seed=1, went_out=True, stood_still=False, scoreless=False, turns=20),
        DealEnd(seed=2, went_out=False, stood_still=True, scoreless=True, turns=200),
        DealEnd(seed=3, went_out=False, stood_still=False, scoreless=False, turns=41),
    ]

    found = summed_up(table_of("basic-rummy", "steady", players=4), ends)

    assert (found.went_out, found.stock_end, found.stood_still, found.scoreless) == (1, 1, 1, 1)
    assert (found.mean_turns, found.most_turns, found.longest_seed) == (87.0, 200, 2)


class TestTheCommand:
    def test_prints_json(self, capsys):
        words = ["--preset", "classic", "--level", "novice", "--deals", "2", "--processes", "1", "--json"]
        assert main(["deal-endings", *words]) == 0

        (row,) = json.loads(capsys.readouterr().out)
        assert (row["preset"], row["players"], row["level"], row["deals"]) == ("classic", 4, "novice", 2)
        assert row["went_out"] + row["stock_end"] + row["stood_still"] == 2

    def test_refuses_more_players_than_the_preset_has(self, capsys):
        with pytest.raises(SystemExit) as stopped:
            main(["deal-endings", "--preset", "persian", "--players", "3"])

        assert stopped.value.code == 2
        assert "persian is for 4 to 4 players, not 3." in capsys.readouterr().err
