"""RULES 10: winning."""

from dataclasses import replace

import pytest

from service.rummy.errors import IllegalMove
from service.rummy.forced_turn import forced_turn
from service.rummy.presets import PRESETS, resolve
from service.rummy.scoring import decide_winners
from service.rummy.state import Stage
from service.rummy.whole_turns import WholeTurn, play_turn
from tests.support.tables import (
    Table,
    call,
    discard,
    end_game,
    lay,
    lay_off,
    next_deal,
    pass_,
    table,
    take_discard,
)


def ended(totals, *, out: int | None = 0, hands=None, preset="classic", **options) -> Table:
    """A deal that ends with these totals: a player left with a two had two points more before."""
    seats = 4 if preset in ("partnership", "persian") else len(totals)
    held = hands or ["2C", "2D", "2H", "2S"][:seats]
    losses = [0] * len(totals)
    for seat in range(seats):
        if seat != out:
            losses[seat % len(totals)] += 2
    before = [total + loss for total, loss in zip(totals, losses, strict=True)]
    if out is None:
        deal = table(preset=preset, hands=held, totals=before, pile="9S", stock=0, **options).move(pass_())
    else:
        deal = table(preset=preset, hands=held, totals=before, phase="meld", turn=out, **options)
        deal = deal.move(discard(held[out]))
    assert deal.result.totals == tuple(totals)
    return deal


class TestTheTarget:
    """RULES 10.1"""

    @pytest.mark.parametrize(
        "totals, winners", [([500, 0], (0,)), ([499, 0], None), ([0, 500], (1,)), ([512, 530], (1,))]
    )
    @pytest.mark.parametrize("out", [0, 1, None])
    def test_at_the_target_the_best_total_wins_whichever_side_went_out(self, totals, winners, out):
        game = ended(totals, out=out).game

        assert game.winners == winners
        assert (game.status is Stage.FINISHED) is (winners is not None)
        assert game.reason == ("target" if winners else None)

    def test_nothing_ends_in_the_middle_of_a_deal(self):
        deal = table(hands=["7H 7D 7C 2S", "9S"], phase="meld", totals=[495, 0]).move(lay("7H 7D 7C"))

        assert deal.game.status is Stage.PLAYING

    def test_the_deal_is_counted_first(self):
        deal = table(hands=["2C", "KD QD"], melds=["1: 7H 7D 7C"], phase="meld", totals=[100, 498]).move(
            discard("2C")
        )

        assert deal.result.totals == (100, 499)
        assert deal.game.status is Stage.DEAL_OVER

    def test_another_number_of_points(self):
        assert ended([300, 0], target=300).game.winners == (0,)
        assert ended([299, 0], target=300).game.winners is None

    def test_with_pairs_the_side_wins(self):
        assert ended([515, 540], preset="partnership").game.winners == (1, 3)

    def test_under_penalties_the_lowest_total_wins(self):
        deal = table(
            hands=["2C", "KD", "QD"], phase="meld", totals=[62, 95, 40], scoring="penalty", target=100
        ).move(discard("2C"))

        assert deal.result.totals == (62, 105, 50)
        assert deal.game.winners == (2,)

    def test_under_penalties_it_goes_on_below_the_target(self):
        deal = table(hands=["2C", "KD"], phase="meld", totals=[62, 89], scoring="penalty", target=100).move(
            discard("2C")
        )

        assert deal.game.status is Stage.DEAL_OVER


class TestTheTargetOnThePad:
    """RULES 10.1, `target_reached`"""

    def at(self, total, hands, **options) -> Table:
        held = {"hands": hands, "totals": [total, 300], "phase": "meld", "target_reached": "at_once"}
        return table(**{**held, **options})

    def test_the_meld_that_reaches_the_target_ends_the_game(self):
        after = self.at(479, ["7H 7D 7C 2S", "KD QD"]).move(lay("7H 7D 7C"))

        assert (after.status, after.winners, after.reason) == (Stage.FINISHED, (0,), "target")
        assert after.happened == ["meld.laid", "deal.ended", "game.ended"]

    def test_of_the_unfinished_deal_only_the_table_counts(self):
        after = self.at(479, ["7H 7D 7C 2S", "KD QD"], melds=["1: 3H 3D 3C"]).move(lay("7H 7D 7C"))

        assert (after.result.reason, after.result.went_out) == ("target", None)
        assert (after.scores, after.result.totals) == ((21, 9), (500, 309))
        assert after.result.seats[1].hand_points == 20

    def test_below_the_target_play_goes_on(self):
        after = self.at(478, ["7H 7D 7C 2S", "KD QD"]).move(lay("7H 7D 7C"))

        assert after.status is Stage.PLAYING

    def test_what_was_laid_before_counts_and_so_does_a_lay_off(self):
        deal = self.at(470, ["8H 2S", "KD QD"], melds=["0: 7S 7D 7C", "1: 5H 6H 7H"])
        assert deal.move(lay_off("8H", "m2")).status is Stage.PLAYING

        deal = self.at(471, ["8H 2S", "KD QD"], melds=["0: 7S 7D 7C", "1: 5H 6H 7H"])
        assert deal.move(lay_off("8H", "m2")).winners == (0,)

    def test_the_default_waits_for_the_end_of_the_deal(self):
        after = self.at(479, ["7H 7D 7C 2S", "KD QD"], target_reached="deal_end").move(lay("7H 7D 7C"))

        assert after.status is Stage.PLAYING

    def test_a_last_card_that_reaches_it_ends_an_unfinished_deal(self):
        after = self.at(479, ["7H 7D 7C", "KD QD"], going_out_bonus=25).move(lay("7H 7D 7C"))

        assert (after.result.reason, after.result.went_out) == ("target", None)
        assert after.result.totals == (500, 300)

    def test_partners_write_on_one_pad(self):
        hands = ["7H 7D 7C 2S", "KD", "QD", "JD"]
        deal = self.at(470, hands, preset="partnership", melds=["2: 3H 3D 3C"])

        assert deal.move(lay("7H 7D 7C")).winners == (0, 2)

    def test_a_call_reaches_it_too(self):
        deal = table(
            hands=["KS KC", "2D 4D", "9H 3S"],
            pile="8H",
            melds=["0: 5H 6H 7H"],
            phase="rummy_call",
            turn=1,
            discarder=0,
            totals=[300, 300, 492],
            call_rummy="table_or_pile",
            target_reached="at_once",
        ).move(call("8H", lay_off("8H", "m1")), by=2)

        assert (deal.winners, deal.result.reason) == ((2,), "target")

    def test_a_duty_ends_with_the_game(self):
        deal = table(
            hands=["7H 7D KC KD KH 2S", "9D"],
            pile="7C 4S",
            totals=[470, 300],
            target_reached="at_once",
        ).move(take_discard("7C"), lay("KC KD KH"))

        assert (deal.winners, deal.result.totals) == ((0,), (500, 300))

    def test_what_may_be_laid_does_not_depend_on_the_totals(self):
        deal = self.at(479, ["7H 7D 7C", "KD QD"], going_out="discard_required")

        assert deal.refused(lay("7H 7D 7C")) == "must_keep_a_discard"

    def test_a_player_who_would_float_has_won(self):
        deal = self.at(479, ["7H 7D 7C", "KD QD"], going_out="discard_required", floating=True)

        assert deal.move(lay("7H 7D 7C")).winners == (0,)

    def test_a_bonus_may_reach_it_when_the_deal_is_scored(self):
        after = self.at(480, ["2C", "KD QD"], going_out_bonus=25).move(discard("2C"))

        assert (after.winners, after.result.reason) == ((0,), "went_out")

    def test_no_move_may_follow_in_a_whole_turn(self):
        game = self.at(479, ["7H 7D 7C 2S", "KD QD"]).game
        moves = (lay("7H 7D 7C")(0), discard("2S")(0))

        with pytest.raises(IllegalMove) as refusal:
            play_turn(game, WholeTurn(seat=0, moves=moves))

        assert refusal.value.code == "not_your_turn"

    def test_the_turn_that_the_clock_plays_ends_there(self):
        deal = self.at(490, ["TC 2S", "KD"], melds=["1: 7C 8C 9C"], must_use="TC")

        assert [move.type for move in forced_turn(deal.game, 0)] == ["lay_off"]


class TestAFixedNumberOfDeals:
    """RULES 10.2"""

    @pytest.mark.parametrize("deal, winners", [(1, None), (2, None), (3, (1,))])
    def test_after_the_last_the_best_total_wins(self, deal, winners):
        after = ended([-10, 20], deals=3, deal=deal)

        assert after.game.winners == winners
        assert after.game.reason == ("deals" if winners else None)

    def test_the_target_ends_nothing(self):
        assert ended([700, 20], deals=3).game.winners is None

    def test_a_tie_is_played_on(self):
        after = ended([20, 20], deals=3, deal=3)

        assert after.game.winners is None
        assert after.move(next_deal()).game.deal.number == 4
        assert ended([20, 22], deals=3, deal=4).game.winners == (1,)

    def test_under_penalties_the_lowest(self):
        deal = table(hands=["2C", "KD"], phase="meld", totals=[62, 40], scoring="penalty", deals=1).move(
            discard("2C")
        )

        assert deal.game.winners == (1,)


class TestTies:
    """RULES 10.3"""

    def test_all_play_on(self):
        after = ended([505, 505, 310])

        assert after.game.status is Stage.DEAL_OVER
        assert after.move(next_deal()).game.seats == 3

    def test_and_a_third_may_win(self):
        assert ended([505, 505, 510]).game.winners == (2,)

    #: Both were at 505; the stock ends the next deal, and leaves 480 and 498.
    def tied(self, **options) -> Table:
        held = ["KD QD 5C", "7H"]
        return table(hands=held, totals=[505, 505], pile="9S", stock=0, **options).move(pass_())

    @pytest.mark.parametrize(
        "preset", ["classic", "ace-low", "jokers", "basic-rummy", "kitchen-table", "partnership"]
    )
    def test_it_is_played_on_until_one_is_ahead(self, preset):
        assert PRESETS[preset].options["tie"] == "until_ahead"

    def test_who_is_ahead_wins_whatever_the_target(self):
        game = self.tied().game

        assert (game.totals, game.winners, game.reason) == ((480, 498), (1,), "target")

    def test_or_the_target_is_asked_for_again(self):
        game = self.tied(tie="play_on").game

        assert (game.totals, game.winners, game.status) == ((480, 498), None, Stage.DEAL_OVER)

    def test_the_next_deal_of_the_same_game_decides_it(self):
        first = ended([505, 505]).game
        second = table(hands=["KD QD 5C", "7H"], totals=[505, 505], pile="9S", stock=0, deal=2)

        game = Table(game=replace(second.game, deals=first.deals), events=()).move(pass_()).game

        assert (game.totals, game.winners) == ((480, 498), (1,))

    @pytest.mark.parametrize(
        "options, earlier, totals, out, winners",
        [
            ({}, [(505, 505, 310)], (490, 490, 300), 0, None),
            ({}, [(505, 505, 310), (490, 490, 300)], (470, 480, 290), 0, (1,)),
            ({}, [(505, 505, 470), (490, 490, 470)], (470, 480, 485), 0, (2,)),
            ({}, [(470, 470, 310)], (480, 498, 300), 1, None),
            ({}, [(505, 505, 310), (490, 490, 300)], (520, 510, 290), 1, (0,)),
            ({"go_out_breaks_tie": True}, [(505, 505, 310)], (480, 498, 310), 0, (1,)),
            ({"go_out_breaks_tie": True}, [(505, 505, 310)], (505, 520, 310), 0, (0,)),
            ({"go_out_breaks_tie": True}, [(505, 505, 310)], (490, 490, 310), 0, None),
            ({"must_go_out_to_win": True}, [(505, 505, 310)], (480, 498, 310), 1, None),
            ({"deals": 2}, [(20, 30, 10)], (30, 30, 10), 0, None),
            ({"deals": 2}, [(20, 30, 10), (30, 30, 10)], (30, 40, 10), 0, (1,)),
            ({"scoring": "penalty"}, [(505, 40, 40)], (515, 50, 45), 0, (2,)),
            ({"scoring": "penalty"}, [(505, 40, 40)], (515, 50, 50), 0, None),
        ],
    )
    def test_a_tie_is_broken_once_one_total_is_best(self, options, earlier, totals, out, winners):
        variant = resolve("classic", options, seats=3)

        decision = decide_winners(variant, totals, earlier=earlier, went_out=out, deals=len(earlier) + 1)

        assert (decision and decision[0]) == winners

    def test_the_target_is_checked_again_after_every_deal(self):
        assert ended([495, 490, 310], tie="play_on").game.status is Stage.DEAL_OVER

    def test_or_it_is_drawn(self):
        game = ended([505, 505], preset="cardcouch").game

        assert (game.status, game.winners, game.reason) == (Stage.FINISHED, (), "tie")

    @pytest.mark.parametrize(
        "preset, hands, before",
        [
            ("cardcouch", ["9C", "2D"], [502, 504]),
            ("cardcouch-table", ["9C", "2D", "QD"], [502, 504, 512]),
            ("persian", ["9C", "2D", "8D", "QD"], [510, 514]),
        ],
    )
    def test_it_is_drawn_in_the_games_of_000(self, preset, hands, before):
        game = table(preset=preset, hands=hands, totals=before, phase="meld").move(discard("9C")).game

        assert {*game.totals} == {502}
        assert (game.winners, game.reason) == ((), "tie")

    def test_a_tie_below_the_best_is_none(self):
        assert ended([520, 505, 505], tie="draw").game.winners == (0,)

    def test_under_penalties_the_lowest_tie(self):
        deal = table(
            hands=["2C", "KD", "KH"], phase="meld", totals=[30, 95, 20], scoring="penalty", target=100
        ).move(discard("2C"))

        assert deal.result.totals == (30, 105, 30)
        assert deal.game.status is Stage.DEAL_OVER


class TestOnlyGoingOutWins:
    """RULES 10.4"""

    @pytest.mark.parametrize(
        "totals, out, winners",
        [
            ([505, 520], 0, (0,)),
            ([505, 520], 1, (1,)),
            ([480, 520], 0, None),
            ([505, 520], None, None),
            ([520, 520], 0, (0,)),
        ],
    )
    def test_who_went_out_at_the_target(self, totals, out, winners):
        assert ended(totals, out=out, must_go_out_to_win=True).game.winners == winners

    def test_or_their_side(self):
        assert ended([505, 520], preset="partnership", must_go_out_to_win=True, out=2).game.winners == (0, 2)


class TestGoingOutDecides:
    """RULES 10.5"""

    @pytest.mark.parametrize(
        "totals, out, winners",
        [
            ([505, 560], 0, (0,)),
            ([490, 505, 530], 0, (2,)),
            ([505, 560], None, (1,)),
            ([505, 505], 0, (0,)),
            ([505, 505], None, None),
            ([490, 520], 0, (1,)),
        ],
    )
    def test_among_those_at_the_target(self, totals, out, winners):
        assert ended(totals, out=out, go_out_breaks_tie=True).game.winners == winners

    def test_or_among_sides(self):
        assert ended([505, 560], preset="partnership", go_out_breaks_tie=True, out=2).game.winners == (0, 2)


class TestLimitOfDeals:
    """RULES 10.6"""

    def test_after_two_hundred_deals_the_best_total_wins(self):
        assert ended([100, 90], deal=199).game.status is Stage.DEAL_OVER

        game = ended([100, 90], deal=200).game

        assert (game.status, game.winners, game.reason) == (Stage.FINISHED, (0,), "deal_limit")

    def test_under_penalty_scoring_the_lowest_total_wins(self):
        variant = resolve("penalty-rummy", {}, seats=2)

        assert decide_winners(variant, (60, 50), earlier=(), went_out=0, deals=200) == ((1,), "deal_limit")

    def test_the_leader_need_not_go_out(self):
        game = ended([300, 400], deal=200, must_go_out_to_win=True).game

        assert (game.winners, game.reason) == ((1,), "deal_limit")

    def test_unless_it_is_won_there(self):
        assert ended([500, 90], deal=200).game.winners == (0,)

    def test_a_tie_there_is_a_draw(self):
        game = ended([505, 505], deal=200).game

        assert (game.winners, game.reason) == ((), "deal_limit")

    def test_so_with_a_fixed_number_of_deals(self):
        variant = resolve("classic", {"deals": 200}, seats=2)

        assert decide_winners(variant, (20, 20), earlier=(), went_out=0, deals=200) == ((), "deal_limit")
        assert decide_winners(variant, (20, 30), earlier=(), went_out=0, deals=200) == ((1,), "deals")


class TestResignation:
    """RULES 10.7"""

    def test_the_service_may_end_the_game_for_the_other(self):
        game = table(hands=["2C 3C", "KD"], phase="meld").move(end_game(1)).game

        assert (game.status, game.winners, game.reason) == (Stage.FINISHED, (1,), "resigned")

    def test_also_between_deals(self):
        between = table(hands=["2C", "KD"], phase="meld").move(discard("2C"))

        assert between.move(end_game(0)).game.winners == (0,)

    def test_but_once(self):
        game = table(hands=["2C 3C", "KD"], phase="meld").move(end_game(1))

        assert game.refused(end_game(0)) == "game_over"

    def test_the_hand_stays_with_the_seat(self):
        deal = table(hands=["2C 3C", "KD"], phase="meld").move(end_game(1))

        assert deal.hand(0) == ("2C", "3C")
