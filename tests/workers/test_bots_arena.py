"""The arena: mirrored deals, and what they say of two players."""

import argparse
import json

import pytest

from service.rummy.presets import resolve
from workers import arena
from workers.errors import CannotStart


def run(*words):
    parser = argparse.ArgumentParser()
    arena.add_arguments(parser)
    return arena.run(parser.parse_args(words))


class TestMirroredDeals:
    def test_everybody_plays_every_seat_and_one_gains_what_the_other_loses(self):
        variant = resolve("classic", {"hand_size": 7}, seats=2)

        margins = arena.mirrored_deal(variant, ["steady", "srs"], seats=2, seed=3)

        assert len(margins) == 2
        assert all(steady == -srs for steady, srs in margins)

    def test_the_same_seed_deals_the_same_cards_and_plays_the_same(self):
        variant = resolve("jokers", {}, seats=3)

        deals = [arena.mirrored_deal(variant, ["steady", "srs", "greedy"], seats=3, seed=4) for _ in range(2)]

        assert deals[0] == deals[1]

    def test_points_against_one_are_a_loss_where_the_lowest_total_wins(self):
        variant = resolve("classic", {"scoring": "penalty", "target": 100}, seats=2)
        game = arena.play_deal(variant, [arena.ENTRANTS["steady"]] * 2, seed=1)
        caught = [result.score for result in game.deals[-1].seats]

        assert min(caught) == 0 or game.deals[-1].went_out is None
        assert max(caught) > 0


class TestTheLadder:
    def test_names_the_best_first_with_its_interval(self):
        one, other = arena.standings(["a", "b"], [[[4.0, -4.0], [2.0, -2.0]], [[5.0, -5.0], [5.0, -5.0]]])

        assert (one.name, one.margin, one.led_percent, one.deals) == ("a", 4.0, 100.0, 2)
        assert other.margin == -4.0
        # Two mirrored deals of 3 and 5 points: a standard error of 1.
        assert one.interval == pytest.approx(1.96)

    def test_is_printed_as_a_table_or_as_json(self, capsys):
        assert run("steady", "srs", "--games", "2", "--set", "hand_size=7") == 0
        assert "2 mirrored deals" in capsys.readouterr().out

        assert run("steady", "srs", "--games", "2", "--set", "hand_size=7", "--json") == 0
        ladder = json.loads(capsys.readouterr().out)
        assert {one["name"] for one in ladder} == {"steady", "srs"}


class TestWhatCannotBePlayed:
    @pytest.mark.parametrize(
        "words",
        [
            ["steady"],
            ["steady", "steady"],
            ["steady", "srs", "--players", "3"],
            ["steady", "srs", "--games", "1"],
            ["steady", "srs", "--preset", "partnership"],
            ["steady", "srs", "--set", "hand_size=77"],
            ["steady", "srs", "--set", "colour=red"],
        ],
    )
    def test_is_refused_in_a_sentence(self, words):
        with pytest.raises(CannotStart) as refused:
            run(*words)

        assert str(refused.value).endswith(".")
