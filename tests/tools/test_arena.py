"""The arena: mirrored deals, their statistics, and when a match may stop."""

import argparse
import json
import math
import multiprocessing
import os
import pty
import random
import re
import select
import signal
import subprocess
import sys
import termios
import time
from itertools import accumulate

import pytest

from service.rummy.cards import card
from service.rummy.moves import CallRummy, Discard, DrawStock, LayOff, Pass
from service.rummy.presets import resolve
from service.rummy.state import Phase
from tests.support.tree import environment, wait_for
from workers.bots.bot import Budget
from workers.errors import CannotStart, WrongArguments
from workers.tools.arena import arena_command
from workers.tools.arena.match_pool import open_pool
from workers.tools.arena.mirrored_set import (
    IllegalMoveChosen,
    Match,
    Outcome,
    SetResult,
    ThinkingTimes,
    play_set,
    set_result,
)
from workers.tools.arena.statistics import (
    LOOKS,
    MIN_SETS_FOR_LOOK,
    NORMAL_95,
    MatchStatistics,
    overall,
    percentile,
    time_summary,
)

#: One process and short deals: what is asked here does not depend on their number.
QUICK = ("--processes", "1", "--overrides", '{"hand_size": 7}')


def parsed(*words):
    parser = argparse.ArgumentParser()
    arena_command.add_arguments(parser)
    return parser.parse_args(words)


def run(*words):
    return arena_command.run(parsed(*words, *QUICK))


def match(*line_up, seats=None, preset="classic", whole_games=False, **overrides):
    seats = seats or max(2, len(line_up))
    return Match(
        variant=resolve(preset, overrides, seats=seats),
        seats=seats,
        line_up=line_up,
        budget=Budget(),
        whole_games=whole_games,
    )


class TestMirroredDeals:
    def test_one_gains_what_the_other_loses(self):
        result = play_set(match("srs", "greedy", hand_size=7), 3)

        assert result.margins["srs"] == -result.margins["greedy"]
        assert result.wins["srs"] + result.wins["greedy"] == 1

    def test_the_same_seed_deals_the_same_cards_and_plays_the_same(self):
        three = match("srs", "strategic", "greedy", preset="jokers")

        results = [play_set(three, 4) for _ in range(2)]

        assert results[0].margins == results[1].margins

    @pytest.mark.parametrize("line_up,seats", [("ab", 2), ("ab", 3), ("abc", 4), ("abbb", 4), ("ab", 8)])
    def test_each_player_takes_every_seat_equally_often(self, line_up, seats):
        one = match(*line_up, seats=seats)

        tables = [one.seated(rotation) for rotation in range(len(line_up))]

        for seat in range(seats):
            assert sorted(table[seat] for table in tables) == sorted(line_up)

    def test_partners_score_together(self):
        pairs = match("srs", "nop", seats=4, preset="partnership", hand_size=5)

        result = play_set(pairs, 1)

        assert result.margins["srs"] == -result.margins["nop"] > 0
        assert result.wins == {"srs": 1, "nop": 0}

    def test_points_against_one_are_a_loss_where_the_lowest_total_wins(self):
        result = play_set(match("srs", "nop", scoring="penalty", target=1000), 1)

        assert result.margins["srs"] > 0

    def test_whole_games_go_to_the_target_and_are_won_by_the_rules(self):
        result = play_set(match("srs", "nop", whole_games=True, target=60), 1)

        assert result.wins == {"srs": 1, "nop": 0}
        assert result.margins["srs"] >= 60

    def test_a_drawn_game_is_shared(self):
        drawn = Outcome(names=("srs", "nop"), scores=(500, 500))

        result = set_result(match("srs", "nop", whole_games=True), [drawn], {})

        assert result.margins == {"srs": 0, "nop": 0}
        assert result.wins == {"srs": 0.5, "nop": 0.5}

    def test_an_illegal_move_invalidates_the_results(self, monkeypatch, capsys):
        class Thief:
            def choose(self, view, legal, variant, chance):
                return no_legal_move

        no_legal_move = object()
        monkeypatch.setattr("workers.tools.arena.mirrored_set.player_factory", lambda name, budget: Thief)

        with pytest.raises(IllegalMoveChosen):
            play_set(match("srs", "nop"), 1)
        with pytest.raises(CannotStart, match="The results are invalid"):
            run("srs", "nop")


class TestThinkingTime:
    def test_is_counted_by_the_decision_and_by_the_turn(self):
        times = ThinkingTimes()
        times.add(1, Phase.DRAW, DrawStock(seat=0))
        times.add(2, Phase.MELD, Discard(seat=0, card=card("KD")))
        times.add(4, Phase.DRAW, DrawStock(seat=0))

        assert times.decisions == [1, 2, 4]
        assert times.turns == [3, 4]

    def test_of_passing_on_a_call_is_not_a_turn(self):
        times = ThinkingTimes()
        times.add(1, Phase.DRAW, DrawStock(seat=0))
        times.add(2, Phase.RUMMY_CALL, Pass(seat=0))

        assert times.decisions == [1, 2]
        assert times.turns == [1]

    def test_of_a_call_is_part_of_the_turn_that_it_begins(self):
        use = LayOff(seat=0, card=card("7H"), meld_id="m1")
        times = ThinkingTimes()
        times.add(1, Phase.DRAW, DrawStock(seat=0))
        times.add(2, Phase.RUMMY_CALL, CallRummy(seat=0, card=card("7H"), use=use))
        times.add(4, Phase.MELD, Discard(seat=0, card=card("KD")))

        assert times.turns == [1, 6]

    def test_of_a_player_that_does_not_search_never_overruns(self):
        found = time_summary("srs", [1.0, 2.0, 3.0], [6.0], Budget(milliseconds=1))

        assert (found.p50_ms, found.max_ms, found.over_percent) == (2.0, 3.0, None)

    def test_of_a_player_that_searches_overruns_by_the_turn(self):
        found = time_summary("expert", [90.0, 90.0], [119.0, 121.0, 90.0, 90.0], Budget(milliseconds=100))

        assert found.over_percent == 25

    def test_is_missing_where_it_was_not_measured(self):
        assert time_summary("mybot", [], [], Budget()).p50_ms is None

    def test_percentiles_are_numbers_that_occurred(self):
        assert [percentile([1, 2, 3, 4], percent) for percent in (1, 50, 51, 99)] == [1, 2, 3, 4]


def result(margin, win=0.5):
    return SetResult(
        margins={"a": margin, "b": -margin},
        wins={"a": win, "b": 1 - win},
        times={"a": ThinkingTimes(), "b": ThinkingTimes()},
    )


def scores(*margins, sets=None, may_stop=False, above=None, whole_games=False):
    found = MatchStatistics(
        match("a", "b", whole_games=whole_games),
        sets=sets or len(margins),
        above=above,
        may_stop=may_stop,
    )
    for margin in margins:
        found.add(result(margin))
    return found


class TestStandings:
    def test_list_the_best_first_with_its_interval(self):
        one, other = scores(3, 5).standings()

        assert (one.name, one.margin.mean, one.led_percent.mean) == ("a", 4, 100)
        assert other.margin.mean == -4
        # Two mirrored deals of 3 and 5 points: a standard error of 1.
        assert one.margin.interval == pytest.approx(NORMAL_95)

    def test_a_set_that_ends_level_is_led_by_half(self):
        assert scores(0, 0, 1, -1).standings()[0].led_percent.mean == 50

    def test_over_several_matches_is_the_mean_of_them(self):
        ladder = overall([scores(3, 5), scores(7, 9)])

        assert (ladder[0].name, ladder[0].margin.mean) == ("a", 6)
        assert ladder[0].margin.interval == pytest.approx(math.hypot(NORMAL_95, NORMAL_95) / 2)

    def test_a_single_set_has_no_interval(self):
        assert scores(3).estimate.interval == math.inf

    def test_equal_shares_are_not_taken_for_certain(self):
        level = scores(0, 0, 0, 0).standings()[0].won_percent
        won = scores(*[1] * 20).standings()[0].led_percent

        assert (level.mean, won.mean) == (50, 100)
        assert level.interval == pytest.approx(26.2, abs=0.1)
        # Wilson's interval for 20 of 20 begins at 84 %.
        assert won.low == pytest.approx(81, abs=1)

    def test_the_interval_of_a_share_is_the_usual_one_for_many_sets(self):
        won = scores(*[1, -1] * 500).standings()[0].led_percent

        assert won.interval == pytest.approx(100 * NORMAL_95 * 0.5 / math.sqrt(1000), rel=0.01)


class TestStoppingEarly:
    def looked(self, margin, sets, **said):
        found = scores(sets=sets, may_stop=True, **said)
        chance = random.Random(1)
        while found.count < sets and not found.is_settled:
            found.add(result(chance.gauss(margin, 10)))
        return found

    def test_comes_at_the_first_look_that_settles_the_question(self):
        assert self.looked(30, 400).count == MIN_SETS_FOR_LOOK
        assert self.looked(0, 400).count == 400

    def test_may_ask_for_more_than_being_ahead(self):
        assert self.looked(30, 400, above=30).count == 400
        assert self.looked(30, 400, above=50).count == MIN_SETS_FOR_LOOK

    def test_asks_of_whole_games_whether_more_are_won_than_by_chance(self):
        assert scores(0, 0, whole_games=True).above == 50

    def test_never_comes_with_too_few_sets_for_a_look(self):
        assert self.looked(30, MIN_SETS_FOR_LOOK - 1).count == MIN_SETS_FOR_LOOK - 1

    def test_looking_ten_times_misleads_five_times_in_a_hundred_all_together(self):
        chance, paths, sets = random.Random(2), 4000, LOOKS * MIN_SETS_FOR_LOOK
        bounds = []
        for look in range(1, LOOKS + 1):
            contest = scores(sets=sets, may_stop=True)
            contest.count = sets * look // LOOKS
            # So many standard errors of a mean of so many samples, as a bound of their sum.
            bounds.append(contest._errors * math.sqrt(contest.count))
        wrong = 0
        for _ in range(paths):
            sums = accumulate(chance.gauss(0, math.sqrt(sets / LOOKS)) for _ in bounds)
            wrong += any(abs(total) > bound for total, bound in zip(sums, bounds, strict=True))

        assert 0.04 < wrong / paths < 0.06


class TestTheReport:
    def test_is_a_table_that_says_what_repeats(self, capsys):
        assert run("srs", "greedy", "--deals", "3", "--seed", "8") == 0

        output = capsys.readouterr().out
        assert "3 of 3 mirrored deals" in output
        assert "--seed 8 repeats these results exactly, except the times." in output

    def test_is_json_for_programs(self, capsys):
        assert run("srs", "nop", "--deals", "2", "--json") == 0

        output = json.loads(capsys.readouterr().out)
        assert [one["name"] for one in output["ladder"]] == ["srs", "nop"]
        assert output["repeats_by_seed"] == {"results": True, "times": False}
        assert output["matches"][0]["settled"] in ("above", None)
        assert output["unit"] == "deal"

    def test_every_combination_plays_where_there_are_more_players_than_seats(self, capsys):
        assert run("srs", "nop", "greedy", "--players", "2", "--deals", "2", "--json") == 0

        output = json.loads(capsys.readouterr().out)
        assert [one["line_up"] for one in output["matches"]] == [
            ["srs", "nop"],
            ["srs", "greedy"],
            ["nop", "greedy"],
        ]

    def test_each_match_has_cards_of_its_own(self, monkeypatch):
        seen = []

        class Player:
            def play_sets(self, match, seeds):
                seen.append((match.line_up, list(seeds)))
                return iter(())

        words = ("srs", "nop", "greedy", "--players", "2")
        statistics = [
            MatchStatistics(one, sets=3, above=None, may_stop=False)
            for one in arena_command.matches_of(parsed(*words))
        ]

        arena_command.play(Player(), statistics, first_seed=10)

        assert seen == [
            (("srs", "nop"), [10, 11, 12]),
            (("srs", "greedy"), [13, 14, 15]),
            (("nop", "greedy"), [16, 17, 18]),
        ]

    def test_of_whole_games_counts_games(self, capsys):
        words = ("--processes", "1", "--overrides", '{"target": 60}', "--games", "2", "--json")

        assert arena_command.run(parsed("srs", "nop", *words)) == 0

        output = json.loads(capsys.readouterr().out)
        assert (output["unit"], output["matches"][0]["asked_above"]) == ("game", 50)


class TestManyProcesses:
    def test_bring_the_same_results_in_the_same_order(self, capsys):
        words = ("srs", "greedy", "--deals", "6", "--overrides", '{"hand_size": 7}', "--json")
        output = []
        for processes in ("1", "2"):
            assert arena_command.run(parsed(*words, "--processes", processes)) == 0
            output.append(json.loads(capsys.readouterr().out))

        for one in output:
            for standing in (*one["ladder"], *one["matches"][0]["standings"]):
                del standing["thinking"]
        assert output[0] == output[1]

    def test_a_killed_process_ends_the_match_at_once_with_a_sentence(self):
        before = set(multiprocessing.active_children())
        with open_pool(2) as pool:
            results = pool.play_sets(match("srs", "greedy", hand_size=7), range(100_000))
            next(results)
            for child in set(multiprocessing.active_children()) - before:
                child.kill()

            with pytest.raises(CannotStart, match="A process that played was killed"):
                list(results)

    def test_ctrl_c_ends_them_all_and_prints_what_there_is(self):
        words = ("arena", "srs", "greedy", "--deals", "100000", "--all", "--processes", "2")
        screen, terminal = pty.openpty()
        # A bar needs a width.
        termios.tcsetwinsize(terminal, (24, 100))
        try:
            with subprocess.Popen(
                [sys.executable, "-P", "-m", "workers.cli", *words],
                env=environment(),
                stdout=subprocess.PIPE,
                stderr=terminal,
                start_new_session=True,
                text=True,
            ) as head:
                try:
                    until_the_bar_moves(screen)
                    # As a terminal does it: every process gets the signal.
                    os.killpg(head.pid, signal.SIGINT)
                    output, _ = head.communicate(timeout=60)
                finally:
                    head.kill()
        finally:
            os.close(terminal)
            os.close(screen)

        assert head.returncode == 130
        assert "srs against greedy" in output
        wait_for(lambda: is_gone(head.pid), "the processes to end")


def is_gone(group):
    """Return whether no process of the group is left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


def until_the_bar_moves(screen):
    """Read a terminal until the progress bar has counted a set."""
    seen, until = b"", time.monotonic() + 60
    while not re.search(rb"[1-9][0-9]*/100000", seen):
        assert time.monotonic() < until, seen
        if select.select([screen], [], [], 1)[0]:
            seen += os.read(screen, 4096)


class TestTheGate:
    def test_passes_once_the_first_player_is_shown_to_be_above(self):
        assert run("srs", "nop", "--deals", "40", "--fail-below", "10") == 0

    def test_fails_where_it_is_below(self):
        assert run("nop", "srs", "--deals", "40", "--fail-below", "0") == 1

    def test_fails_where_the_result_is_inconclusive(self):
        assert run("srs", "greedy", "--deals", "4", "--fail-below", "40") == 1

    def test_without_it_the_result_does_not_change_the_status(self):
        assert run("nop", "srs", "--deals", "40", "--above", "0") == 0


class TestWhatCannotBePlayed:
    @pytest.mark.parametrize(
        "words",
        [
            ["srs"],
            ["srs", "unknown"],
            ["srs", "shrewd:luck=3"],
            ["srs", "shrewd:draw=much"],
            ["srs", "srs"],
            ["srs", "greedy", "srs", "--players", "2"],
            ["srs", "greedy", "--preset", "partnership", "--players", "3"],
            ["srs", "greedy", "--overrides", '{"hand_size": 77}'],
            ["srs", "greedy", "--overrides", '{"colour": "red"}'],
        ],
    )
    def test_is_a_wrong_argument(self, words):
        with pytest.raises(WrongArguments) as refused:
            arena_command.run(parsed(*words))

        assert str(refused.value).endswith(".")

    @pytest.mark.parametrize(
        "words",
        [
            ["srs", "nop", "--deals", "1"],
            ["srs", "nop", "--players", "9"],
            ["srs", "nop", "--overrides", "[]"],
            ["srs", "nop", "--deals", "5", "--games", "5"],
            ["srs", "nop", "--budget-ms", "5", "--budget-worlds", "5"],
            ["srs", "nop", "--above", "5", "--fail-below", "5"],
        ],
    )
    def test_is_refused_by_the_parser(self, words, capsys):
        with pytest.raises(SystemExit):
            parsed(*words)

        assert "error" in capsys.readouterr().err
