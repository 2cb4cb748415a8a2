"""The reference players play like the programs they stand for: a class for each, a position for each rule."""

import random

import pytest

from service.rummy.legal_moves import legal_moves
from service.rummy.moves import Discard, DrawStock, LayMeld, LayOff, Pass, TakeDiscard
from service.rummy.play import play
from service.rummy.views import view_for
from tests.support.tables import table
from workers.bots.reference.policies import REFERENCE_PLAYERS


def chosen(name, position, seat=0, *, seed=1):
    """Return the move that a fresh player makes in the position."""
    return asked(REFERENCE_PLAYERS[name](), position.game, seat, seed=seed)


def asked(player, game, seat=0, *, seed=1):
    if hasattr(player, "peek"):
        player.peek(game.deal.hands)
    return player.choose(view_for(game, seat), legal_moves(game, seat), game.variant, random.Random(seed))


def turn_of(name, position):
    """Return the moves of seat 0 until its turn is over."""
    player, moves, game = REFERENCE_PLAYERS[name](), [], position.game
    while legal_moves(game, 0).moves:
        move = asked(player, game)
        moves.append(move)
        _, game = play(game, move)
    return moves


def discarded(name, position):
    """Return the cards that the player discards, over many seeds."""
    found = {chosen(name, position, seed=seed) for seed in range(40)}
    assert all(isinstance(move, Discard) for move in found)
    return {move.card for move in found}


def after_the_draw(hand, **said):
    return table(hands=[hand], phase="meld", pile=said.pop("pile", "3D"), **said)


class TestNop:
    def test_draws_from_the_stock_lays_nothing_and_discards_anything(self):
        assert isinstance(chosen("nop", table(hands=["7C 7D 2S", "KH"], pile="7H")), DrawStock)
        assert discarded("nop", after_the_draw("7C 7D 7H KS")) == {"7C", "7D", "7H", "KS"}

    def test_passes_if_there_is_no_stock(self):
        position = table(hands=["7C 7D 2S", "KH"], pile="7H", stock="", stock_empty="play_on")

        assert chosen("nop", position) == Pass(seat=0)


class TestOneMeld:
    def test_never_takes_from_the_pile(self):
        assert isinstance(chosen("one-meld", table(hands=["7C 7D 2S", "KH"], pile="7H")), DrawStock)

    def test_lays_one_meld_a_turn_with_most_points(self):
        moves = turn_of("one-meld", after_the_draw("7C 7D 7H KC KD KH 2S"))

        assert [move.cards for move in moves if isinstance(move, LayMeld)] == [("KC", "KD", "KH")]

    def test_lays_five_cards_at_most(self):
        move = chosen("one-meld", after_the_draw("3S 4S 5S 6S 7S 8S KD 2H"))

        assert move.cards == ("4S", "5S", "6S", "7S", "8S")

    def test_counts_a_low_ace_as_one(self):
        move = chosen("one-meld", after_the_draw("AS 2S 3S 5C 5D 5H KD"))

        assert move.cards == ("5C", "5D", "5H")

    def test_lays_off_all_and_discards_fewest_points(self):
        moves = turn_of("one-meld", after_the_draw("8S 9S KD 2H", melds=["5S 6S 7S"]))

        assert [move.card for move in moves] == ["8S", "9S", "2H"]


class TestGreedy:
    def test_takes_the_smallest_depth_that_gives_a_meld(self):
        position = table(hands=["7C 7D KC KD 2S", "4H"], pile="KH 7H 9S")

        assert chosen("greedy", position).card == "7H"

    def test_draws_if_that_depth_may_not_be_taken(self):
        # The hand holds a meld already, so the upcard "gives" one, and cannot be used.
        position = table(hands=["7C 7D 7S KC KD 2S", "4H"], pile="KH 9S")

        assert isinstance(chosen("greedy", position), DrawStock)

    def test_lays_the_largest_sets_before_runs_and_lays_nothing_off(self):
        moves = turn_of("greedy", after_the_draw("3S 4S 5S 6S 9C 9D 9H KD 2D", melds=["TH JH QH KH"]))

        laid = [move.cards for move in moves[:-1]]
        assert laid == [("9C", "9D", "9H"), ("3S", "4S", "5S", "6S")]
        assert isinstance(moves[-1], Discard)

    def test_keeps_a_card_back(self):
        assert isinstance(chosen("greedy", after_the_draw("9C 9D 9H")), Discard)

    def test_discards_anything(self):
        assert discarded("greedy", after_the_draw("4C 9D KS")) == {"4C", "9D", "KS"}


class TestDeadwood:
    def test_takes_what_leaves_most_melds_less_deadwood(self):
        position = table(hands=["7C 7D KC KD 2S", "4H"], pile="KH 7H 3C")

        assert chosen("deadwood", position).card == "KH"

    def test_leaves_what_brings_more_deadwood_than_melds(self):
        position = table(hands=["2C 2D 9S", "4H"], pile="2H KS QH")

        assert isinstance(chosen("deadwood", position), DrawStock)

    def test_takes_five_cards_at_most(self):
        position = table(hands=["KC KD 2S", "4H"], pile="KH 3C 4C 5C 3H 6D")

        assert chosen("deadwood", position).card == "3C"

    def test_lays_the_best_partition_then_lays_off_most_points_first(self):
        moves = turn_of(
            "deadwood",
            after_the_draw("KS QS JS TS KD KH 8H 4C 2S", melds=["1: 5H 6H 7H", "1: 4D 4S 4H"]),
        )

        melds = [set(move.cards) for move in moves if isinstance(move, LayMeld)]
        assert sorted(map(sorted, melds)) == [["JS", "QS", "TS"], ["KD", "KH", "KS"]]
        assert [move.card for move in moves if isinstance(move, LayOff)] == ["8H", "4C"]

    def test_discards_what_leaves_least_deadwood(self):
        assert discarded("deadwood", after_the_draw("4C 9D KS 2H")) == {"KS"}


class TestStrategic:
    def test_takes_the_smallest_depth_that_makes_a_meld(self):
        position = table(hands=["7C 7D 7S KC KD 2S", "4H"], pile="KH 9S 3C")

        assert chosen("strategic", position).card == "KH"

    def test_lays_off_in_one_pass_over_the_hand(self):
        # The three would fit once the four lies there, but it had its turn.
        moves = turn_of("strategic", after_the_draw("3S 4S 8S KD 2H", melds=["5S 6S 7S"]))

        assert [move.card for move in moves if isinstance(move, LayOff)] == ["4S", "8S"]

    def test_discards_most_points_that_fit_no_meld_on_the_table(self):
        position = after_the_draw(
            "KD QS 8C", melds=["1: 9S TS JS", "1: KC KS KH"], lay_off_targets="own_side"
        )

        assert discarded("strategic", position) == {"8C"}

    def test_discards_most_points_of_ranks_not_discarded_twice(self):
        assert discarded("strategic", after_the_draw("KD QS 9C", pile="KC KH")) == {"QS"}

    def test_discards_most_points_if_all_cards_fit(self):
        position = after_the_draw("KD 4D", melds=["1: KC KS KH", "1: 4C 4S 4H"], lay_off_targets="own_side")

        assert discarded("strategic", position) == {"KD"}


class TestSrs:
    @pytest.mark.parametrize("name", ["srs", "srs-d"])
    def test_takes_the_deepest_card_that_melds_and_ignores_points(self, name):
        position = table(hands=["7C 7D KC KD 2S", "4H"], pile="7H KH AS AD 9C")

        assert chosen(name, position).card == "7H"

    @pytest.mark.parametrize("name", ["srs", "srs-d"])
    def test_does_not_take_to_lay_off(self, name):
        position = table(hands=["4C 9D", "KH"], pile="8S", melds=["5S 6S 7S"])

        assert isinstance(chosen(name, position), DrawStock)

    @pytest.mark.parametrize("name", ["srs", "srs-d"])
    def test_lays_the_owed_meld_then_the_longest_then_lays_off_its_own_melds_first(self, name):
        moves = turn_of(
            name,
            after_the_draw("2C 2D 2H 3S 4S 5S 6S KD QD", must_use="2H", melds=["1: KC KS KH", "0: 9D TD JD"]),
        )

        assert [move.cards for move in moves if isinstance(move, LayMeld)] == [
            ("2C", "2D", "2H"),
            ("3S", "4S", "5S", "6S"),
        ]
        assert [move.card for move in moves if isinstance(move, LayOff)] == ["QD", "KD"]

    def test_srs_discards_any_card_without_a_link(self):
        assert discarded("srs", after_the_draw("4C 4D 9H TH 2S KD")) == {"2S", "KD"}
        assert discarded("srs", after_the_draw("4C 4D 9H TH")) == {"4C", "4D", "9H", "TH"}

    def test_srs_d_discards_high_cards_without_links(self):
        assert discarded("srs-d", after_the_draw("4C 4D KD QS", pile="3H")) == {"KD", "QS"}

    def test_srs_d_keeps_cards_linked_to_the_pile(self):
        assert discarded("srs-d", after_the_draw("4C KD QS", pile="KH 7C")) == {"QS"}

    def test_srs_d_keeps_what_others_could_lay_off(self):
        # 5 points for the king, less twice a link and again twice: the deuce costs nothing.
        position = table(
            hands=["KD 2S 3S", "4H 9S"],
            pile="7C",
            phase="meld",
            melds=["1: KC KS KH"],
            lay_off_targets="own_side",
        )

        assert "KD" not in discarded("srs-d", position)


class TestPeeker:
    def test_takes_the_upcard_if_it_can_use_it_at_once(self):
        assert isinstance(chosen("peeker", table(hands=["7C 7D 2S", "KH"], pile="7H")), TakeDiscard)
        assert isinstance(
            chosen("peeker", table(hands=["4C 9D", "KH"], pile="8S", melds=["5S 6S 7S"])), TakeDiscard
        )

    def test_takes_no_deeper_card_and_none_only_to_keep_it(self):
        assert isinstance(chosen("peeker", table(hands=["7C 7D 2S", "KH"], pile="7H 9C")), DrawStock)
        kept = table(preset="jokers", hands=["7C 7D 2S", "KH"], pile="9C")
        assert isinstance(chosen("peeker", kept), DrawStock)

    def test_discards_what_the_opponent_cannot_use(self):
        held = {"KS": "QC", "QC": "KS"}
        for opponents, safe in held.items():
            links = {"KS": "KH KC KD", "QC": "QH QD QS"}[opponents]
            position = table(hands=["KS QC 2D", links], pile="7H", phase="meld")

            assert discarded("peeker", position) == {safe}


class TestEveryReferencePlayer:
    @pytest.mark.parametrize("name", REFERENCE_PLAYERS)
    def test_passes_in_a_call_window(self, name):
        position = table(
            preset="ace-low",
            hands=["2C 5D", "3C 9D KD", "4S JC QD"],
            pile="2H KH",
            melds=["TH JH QH"],
            phase="rummy_call",
            turn=1,
            discarder=0,
        )

        assert name == "random" or chosen(name, position, seat=2) == Pass(seat=2)
