"""RULES 8: calling rummy."""

import pytest

from service.rummy.errors import VariantContradiction
from service.rummy.events import CallWindowOpened, RummyCalled
from service.rummy.evolve import replay
from service.rummy.moves import CallRummy, LayMeld, LayOff, Pass
from service.rummy.presets import PRESETS, resolve
from service.rummy.state import Phase
from tests.support.tables import (
    KEY,
    Table,
    call,
    cards,
    close_window,
    discard,
    draw_stock,
    hand,
    keep,
    lay,
    lay_off,
    pass_,
    table,
    take_discard,
)

WAYS = ["table_or_pile", "any_meld"]


def window(**position) -> Table:
    """Seat 0 has discarded the upcard and seat 1 draws next."""
    given = {
        "hands": ["9C 9D", "KC KD", "2D KH 7S", "2S 3S"],
        "phase": "rummy_call",
        "turn": 1,
        "discarder": 0,
    }
    return table(**{**given, **position})


class TestTheWindow:
    """RULES 8.1"""

    def test_it_opens_after_a_discard(self):
        deal = table(
            hands=["5D 9D", "KC KD", "QC JH"], melds=["2D 3D 4D"], phase="meld", call_rummy="any_meld"
        )

        after = deal.move(discard("5D"))

        assert after.events[-1] == CallWindowOpened(discarder=0, next_seat=1, asked=(1, 2))
        assert after.to_move == (1, Phase.RUMMY_CALL)
        assert after.turn.asked == (1, 2)

    def test_all_but_the_discarder_are_asked_from_the_left_of_the_discarder(self):
        deal = table(hands=["", "", "", "5D 9D"], seats=5, turn=3, phase="meld", call_rummy="any_meld").move(
            discard("5D"), by=3
        )

        assert deal.turn.asked == (4, 0, 1, 2)

    def test_none_opens_while_calling_is_off(self):
        deal = table(hands=["5D 9D", "KC", "5C 5S"], phase="meld")

        assert deal.move(discard("5D")).to_move == (1, Phase.DRAW)

    def test_none_opens_after_going_out(self):
        deal = table(hands=["5D", "KC", "5C 5S"], phase="meld", call_rummy="any_meld")

        assert "call_window.opened" not in deal.move(discard("5D")).happened

    def test_where_hands_count_it_opens_always(self):
        deal = table(hands=["5D 9D", "KC", "2C 7S"], phase="meld", call_rummy="any_meld")

        assert deal.move(discard("5D")).to_move == (1, Phase.RUMMY_CALL)

    @pytest.mark.parametrize(
        "pile, melds, opens",
        [
            ("", ["2D 3D 4D"], True),
            ("", ["5S 5H 5C"], True),
            ("6D KS 7D", [], True),
            ("5H 5S", [], True),
            ("3D", ["7D 8D 9D"], False),
            ("6D KS 8D", [], False),
            ("", [], False),
            ("6D 7D", ["2S 3S 4S"], True),
        ],
    )
    def test_where_table_and_pile_count_it_opens_when_something_can_be_called(self, pile, melds, opens):
        deal = table(
            hands=["5D 9S", "KC", "2C 7S"], pile=pile, melds=melds, phase="meld", call_rummy="table_or_pile"
        )

        assert (deal.move(discard("5D")).turn.phase is Phase.RUMMY_CALL) is opens

    def test_a_joker_of_the_pile_can_always_go_somewhere(self):
        def after(melds):
            deal = table(
                hands=["5D 9S", "KC", "2C 7S"],
                pile="X1",
                melds=melds,
                phase="meld",
                call_rummy="table_or_pile",
                jokers_per_pack=1,
            )
            return deal.move(discard("5D")).turn.phase

        assert after(["JS QS KS"]) is Phase.RUMMY_CALL
        assert after(["8S 8H 8D"]) is Phase.RUMMY_CALL
        assert after(["8S 8H 8D 8C"]) is Phase.DRAW

    def test_until_it_closes_the_next_player_cannot_draw(self):
        deal = window(pile="4C TH", call_rummy="any_meld")

        for move in (draw_stock(), take_discard("TH"), discard("KC"), lay("KC KD KH"), lay_off("KC")):
            assert deal.refused(move, by=1) == "call_window_open"

    def test_the_next_player_who_has_passed_waits_for_the_others(self):
        deal = window(pile="4C TH", call_rummy="any_meld").move(pass_(), by=1)

        assert deal.turn.asked == (2, 3)
        for move in (draw_stock(), take_discard("TH")):
            assert deal.refused(move, by=1) == "call_window_open"
        assert deal.legal_moves(1) == []

    def test_it_closes_when_every_player_asked_has_passed(self):
        deal = window(pile="4C TH", call_rummy="any_meld")

        once = deal.move(pass_(), by=2)
        assert once.turn.asked == (1, 3)
        twice = once.move(pass_(), by=3)
        assert twice.turn.asked == (1,)
        closed = twice.move(pass_(), by=1)

        assert closed.to_move == (1, Phase.DRAW)
        assert closed.happened == ["turn.passed", "turn.started"]

    def test_a_window_stored_before_the_next_player_was_asked_closes_without_them(self):
        deal = window(pile="4C TH", melds=["7H 8H 9H"], call_rummy="any_meld")
        stored = deal.with_turn(asked=(2, 3))

        assert stored.refused(call("TH", lay_off("TH", "m1")), by=1) == "call_window_closed"
        assert stored.refused(draw_stock(), by=1) == "call_window_open"
        assert stored.move(pass_(), by=2).move(pass_(), by=3).to_move == (1, Phase.DRAW)

    def test_who_has_passed_has_answered(self):
        deal = window(pile="4C TH", melds=["7H 8H 9H"], call_rummy="any_meld").move(pass_(), by=2)

        assert deal.refused(pass_(), by=2) == "call_window_closed"
        assert deal.refused(call("TH", lay_off("TH", "m1")), by=2) == "call_window_closed"

    def test_it_closes_when_a_player_has_called(self):
        deal = window(pile="4C TH", melds=["7H 8H 9H"], call_rummy="any_meld")

        assert deal.move(call("TH", lay_off("TH", "m1")), by=2).to_move == (2, Phase.MELD)

    def test_it_closes_when_its_time_is_over(self):
        after = window(pile="4C TH", call_rummy="any_meld").move(close_window())

        assert after.to_move == (1, Phase.DRAW)
        assert after.refused(close_window()) == "call_window_closed"

    def test_a_closed_window_starts_the_turn_like_any_other(self):
        deal = window(pile="4C TH", stock=0, call_rummy="any_meld")

        assert deal.move(close_window()).result.reason == "stock_end"

    def test_a_window_that_is_not_open_is_not_closed(self):
        before = table(hands=["9C"], seats=3, call_rummy="any_meld")
        assert before.refused(close_window()) == "call_window_closed"
        over = table(hands=["9C", "KD"], seats=3, phase="meld", call_rummy="any_meld").move(discard("9C"))
        assert over.refused(close_window()) == "call_window_closed"


class TestWhoIsAskedWherePublicCardsDecide:
    """RULES 8.1, 8.3: with table_or_pile, or single_card, a window opens only for players who can call."""

    @pytest.mark.parametrize(
        "options",
        [
            {"call_rummy": "table_or_pile"},
            {"call_rummy": "table_or_pile", "call_takes": "single_card"},
            {"call_rummy": "any_meld", "call_takes": "single_card"},
        ],
    )
    def test_only_players_with_a_meld_of_their_own_where_others_are_closed(self, options):
        deal = table(
            hands=["8H 9D", "KC KD", "QC QD", "2S 3S"],
            melds=["2: 5H 6H 7H"],
            phase="meld",
            lay_off_targets="own_side",
            **options,
        ).move(discard("8H"))

        assert deal.turn.asked == (2,)
        assert deal.refused(pass_(), by=3) == "nothing_to_call"
        assert deal.move(pass_(), by=2).to_move == (1, Phase.DRAW)

    def test_not_the_next_player_alone_who_can_take_the_card(self):
        deal = table(
            hands=["8H 9D", "KC KD", "QC QD"],
            melds=["1: 5H 6H 7H"],
            phase="meld",
            lay_off_targets="own_side",
            call_rummy="table_or_pile",
        ).move(discard("8H"))

        assert deal.to_move == (1, Phase.DRAW)
        assert deal.move(take_discard("8H"), lay_off("8H", "m1")).points(1) == 26

    def test_but_the_next_player_alone_where_a_take_is_stricter(self):
        deal = table(
            hands=["8H 9D", "KC KD", "QC QD"],
            melds=["1: 5H 6H 7H"],
            phase="meld",
            lay_off_targets="own_side",
            call_rummy="table_or_pile",
            deepest_card_use="new_meld_only",
        ).move(discard("8H"))

        assert deal.turn.asked == (1,)
        assert deal.move(call("8H", lay_off("8H", "m1")), by=1).points(1) == 26

    @pytest.mark.parametrize("way", WAYS)
    def test_single_card_opens_no_window_in_which_all_can_only_pass(self, way):
        deal = table(
            hands=["5D 9D", "KC KD", "5C 5S JH"], phase="meld", call_rummy=way, call_takes="single_card"
        )

        assert deal.move(discard("5D")).to_move == (1, Phase.DRAW)


#: Options under which a call does what no take may.
STRICTER_TAKES = [
    {"deep_draw": False},
    {"deep_draw": False, "top_discard": "may_keep"},
    {"deepest_card_use": "new_meld_only"},
    {"deepest_card_use": "new_meld_only", "top_discard": "may_keep"},
    {"deepest_card_use": "new_meld_only", "call_takes": "single_card"},
    {"deepest_card_use": "new_meld_only", "call_reach": "newest"},
    {"call_takes": "needed"},
    {"call_takes": "needed", "top_discard": "may_keep"},
]
#: Options under which a take may do all that a call does.
NO_STRICTER_TAKES = [
    {},
    {"call_takes": "single_card"},
    {"call_reach": "newest"},
    {"top_discard": "may_keep"},
    {"top_discard": "may_keep", "same_card_back": "allowed"},
    {"melds_per_turn": 1},
    {"lay_off_targets": "own_side"},
    {"going_out": "discard_required"},
    {"going_out": "discard_required", "floating": True},
    {"stock_empty": "end_at_once"},
    {"deep_draw": False, "call_takes": "single_card"},
    {"deep_draw": False, "call_reach": "newest"},
    {"deepest_card_use": "new_meld_only", "top_discard": "may_keep", "call_reach": "newest"},
    {"deepest_card_use": "new_meld_only", "top_discard": "may_keep", "call_takes": "single_card"},
]


class TestTwoPlayers:
    """RULES 8.3: the other player draws next, so only a call that a take would refuse means anything."""

    def test_a_discard_below_the_newest_is_called_where_only_the_newest_may_be_taken(self):
        deal = table(
            preset="basic-rummy",
            hands=["2H 4D", "3H 9C"],
            melds=["0: 5S 6S 7S"],
            pile="8S",
            phase="meld",
            call_rummy="table_or_pile",
        ).move(discard("2H"))

        assert deal.turn.asked == (1,)
        called = deal.move(call("8S", lay_off("8S", "m1")), by=1)
        assert called.points(1) == 8
        assert called.hand(1) == hand("2H 3H 9C")
        assert called.to_move == (1, Phase.MELD)
        assert called.move(discard("9C")).turn.seat == 0

    def test_who_passes_draws_as_before(self):
        deal = table(
            preset="basic-rummy",
            hands=["2H 4D", "3H 9C"],
            melds=["0: 5S 6S 7S"],
            pile="8S",
            phase="meld",
            call_rummy="table_or_pile",
        ).move(discard("2H"), pass_())

        assert deal.to_move == (1, Phase.DRAW)
        assert deal.refused(take_discard("8S")) == "top_card_only"
        assert deal.move(take_discard("2H")).to_move == (1, Phase.MELD)

    @pytest.mark.parametrize("way", WAYS)
    @pytest.mark.parametrize("options", STRICTER_TAKES)
    def test_a_window_opens_where_a_take_is_stricter_than_a_call(self, options, way):
        deal = table(
            hands=["8S 4D", "3H 9C"],
            melds=["0: 5S 6S 7S"],
            pile="KC",
            phase="meld",
            call_rummy=way,
            **options,
        ).move(discard("8S"))

        assert deal.to_move == (1, Phase.RUMMY_CALL)
        assert deal.move(call("8S", lay_off("8S", "m1")), by=1).points(1) == 8

    @pytest.mark.parametrize("preset", ["ace-low", "jokers"])
    def test_a_preset_that_calls_opens_none_where_a_take_does_as_much(self, preset):
        deal = table(
            preset=preset, hands=["8S 4D", "8H 8C 9C"], melds=["0: 5S 6S 7S"], pile="KC", phase="meld"
        ).move(discard("8S"))

        assert deal.to_move == (1, Phase.DRAW)

    @pytest.mark.parametrize("preset", ["ace-low", "jokers"])
    def test_a_preset_that_calls_opens_one_where_a_chosen_option_makes_takes_stricter(self, preset):
        deal = table(
            preset=preset,
            hands=["8S 4D", "8H 8C 9C"],
            melds=["0: 5S 6S 7S"],
            pile="KC",
            phase="meld",
            deep_draw=False,
        ).move(discard("8S"))

        assert deal.turn.asked == (1,)

    @pytest.mark.parametrize("way", WAYS)
    @pytest.mark.parametrize("options", NO_STRICTER_TAKES)
    def test_calls_are_refused_as_a_choice_without_effect(self, options, way):
        with pytest.raises(VariantContradiction) as refusal:
            resolve("classic", {"call_rummy": way, **options}, seats=2)

        assert refusal.value.option == "call_rummy"
        assert "deep_draw: false" in refusal.value.message
        assert resolve("classic", {"call_rummy": way, **options}, seats=3).call_rummy == way

    @pytest.mark.parametrize("way", WAYS)
    @pytest.mark.parametrize("options", STRICTER_TAKES)
    def test_calls_are_agreed_where_they_have_an_effect(self, options, way):
        assert resolve("classic", {"call_rummy": way, **options}, seats=2).call_rummy == way

    def test_what_a_caller_takes_is_refused_too_where_no_player_can_call(self):
        with pytest.raises(VariantContradiction) as refusal:
            resolve("ace-low", {"call_takes": "single_card"}, seats=2)

        assert refusal.value.option == "call_takes"

    @pytest.mark.parametrize("preset", PRESETS)
    def test_a_presets_own_calls_are_no_contradiction(self, preset):
        least, _ = PRESETS[preset].players

        assert resolve(preset, {}, seats=least).name == preset


class TestWhatMayBeCalled:
    """RULES 8.2"""

    @pytest.mark.parametrize("way", WAYS)
    def test_a_card_that_goes_straight_onto_a_meld(self, way):
        deal = window(pile="4C TH", melds=["7H 8H 9H"], call_rummy=way)

        assert deal.move(call("TH", lay_off("TH", "m1")), by=2).points(2) == 10

    @pytest.mark.parametrize("way", WAYS)
    def test_a_meld_out_of_the_cards_taken(self, way):
        deal = window(pile="QS 4S 8D 5S TC 6S", call_rummy=way)

        after = deal.move(call("4S", lay("4S 5S 6S")), by=2)

        assert after.points(2) == 15
        assert after.hand(2) == hand("2D KH 7S 8D TC")
        assert after.pile == cards("QS")

    def test_cards_of_the_hand_join_it_only_where_hands_count(self):
        hands = ["9C 9D", "KC KD", "TS TD 5S", "2S 3S"]
        use = call("TH", lay("TH TS TD"))

        assert window(pile="4C TH", hands=hands, call_rummy="any_meld").move(use, by=2).points(2) == 30
        assert (
            window(pile="4C TH", hands=hands, melds=["7H 8H 9H"], call_rummy="table_or_pile").refused(
                use, by=2
            )
            == "nothing_to_call"
        )

    def test_the_use_must_contain_the_card(self):
        deal = window(pile="4C TH", melds=["7H 8H 9H", "3D 4D 5D"], call_rummy="any_meld")

        assert deal.refused(call("TH", lay_off("2D", "m2")), by=2) == "nothing_to_call"
        assert deal.refused(call("TH", lay("KH KS 2D")), by=2) == "nothing_to_call"

    @pytest.mark.parametrize(
        "use, refusal",
        [
            (lay_off("TH", "m1"), "mixed_suits"),
            (lay_off("TH", "m9"), "no_such_meld"),
            (lay_off("TH"), "no_such_meld"),
            (lay("TH KH 7S"), "mixed_suits"),
            (lay("TH 2D"), "too_few_cards"),
            (lay("TH JH QH"), "card_not_in_hand"),
        ],
    )
    def test_what_the_rules_refuse_cannot_be_called(self, use, refusal):
        deal = window(pile="4C TH", melds=["JS QS KS"], call_rummy="any_meld")

        assert deal.refused(call("TH", use), by=2) == refusal

    def test_a_card_that_does_not_lie_there_cannot_be_called(self):
        deal = window(pile="4C TH", melds=["7H 8H 9H"], call_rummy="any_meld")

        assert deal.refused(call("TD", lay_off("TD", "m1")), by=2) == "card_not_in_pile"

    def test_any_card_of_the_pile_may_be_called_not_the_last_only(self):
        deal = window(pile="TH 4C", melds=["7H 8H 9H"], call_rummy="table_or_pile")

        after = deal.move(call("TH", lay_off("TH", "m1")), by=2)

        assert after.hand(2) == hand("4C 2D KH 7S")

    def test_of_two_copies_the_position_must_be_named(self):
        deal = window(pile="TH 4C TH", seats=5, melds=["7H 8H 9H"], call_rummy="any_meld")

        assert deal.refused(call("TH", lay_off("TH", "m1")), by=2) == "choice_required"
        assert deal.move(call("TH", lay_off("TH", "m1"), position=2), by=2).pile == cards("TH 4C")

    def test_what_is_left_open_of_the_use_is_asked_for_within_the_use(self):
        deal = window(pile="4C TH", melds=["7H 8H 9H", "TS TD TC"], call_rummy="any_meld")

        refusal = deal.refusal(call("TH", lay_off("TH")), by=2)

        assert refusal.details == {"choices": [{"use": {"meld_id": "m1"}}, {"use": {"meld_id": "m2"}}]}

    def test_the_use_is_the_callers_whichever_seat_it_names(self):
        deal = window(pile="4C TH", melds=["7H 8H 9H"], call_rummy="any_meld")

        after = deal.move(call("TH", lambda _: lay_off("TH", "m1")(0)), by=2)

        assert after.hand(2) == hand("2D KH 7S")

    @pytest.mark.parametrize("way", WAYS)
    def test_every_call_offered_is_legal(self, way):
        deal = window(
            pile="4S 8D 5S TC 6S",
            hands=["9C 9D", "KC KD", "TS TD 2D", "2S 3S"],
            melds=["7S 8S 9S", "8H 8C X1=8D"],
            call_rummy=way,
            jokers_per_pack=2,
        )

        for seat in (2, 3):
            moves = deal.legal_moves(seat)
            assert moves[0] == Pass(seat=seat)
            uses = {type(move.use) for move in moves[1:] if isinstance(move, CallRummy)}
            assert uses == {LayOff, LayMeld}
            for move in moves:
                deal.move(lambda _, move=move: move, by=seat)


class TestWhoMayCall:
    """RULES 8.3"""

    deal = window(pile="4C TH", melds=["7H 8H 9H"], call_rummy="any_meld")
    rummy = staticmethod(call("TH", lay_off("TH", "m1")))

    @pytest.mark.parametrize("seat", [1, 2, 3])
    def test_the_others(self, seat):
        before = self.deal.points(seat)

        assert self.deal.move(self.rummy, by=seat).points(seat) == before + 10

    def test_the_next_player_who_calls_goes_on_without_a_draw_and_skips_no_player(self):
        called = self.deal.move(self.rummy, by=1)

        assert called.to_move == (1, Phase.MELD)
        assert called.refused(draw_stock(), by=1) == "already_drawn"
        assert called.move(discard("KC")).turn.seat == 2

    @pytest.mark.parametrize("preset", ["ace-low", "jokers"])
    def test_the_next_player_as_soon_as_the_others(self, preset):
        deal = table(
            preset=preset,
            hands=["8H 4D", "8C 8D 9C", "8S KD QC"],
            melds=["0: 5H 6H 7H"],
            pile="2S",
            phase="meld",
        ).move(discard("8H"))

        assert deal.turn.asked == (1, 2)
        assert deal.refused(take_discard("8H"), by=1) == "call_window_open"
        called = deal.move(call("8H", lay("8H 8C 8D")), by=1)
        assert called.points(1) == 24
        assert called.refused(call("8H", lay_off("8H", "m1")), by=2) == "call_lost"

    def test_not_the_discarder(self):
        assert self.deal.refused(self.rummy, by=0) == "discarder_cannot_call"
        assert self.deal.refused(pass_(), by=0) == "discarder_cannot_call"

    def test_no_player_while_calling_is_off(self):
        deal = table(hands=["9C 9D", "KC KD", "2D KH"], pile="4C TH", melds=["7H 8H 9H"])

        assert deal.refused(self.rummy, by=2) == "option_off"

    @pytest.mark.parametrize("phase", ["draw", "meld"])
    def test_no_player_once_the_next_player_has_the_turn(self, phase):
        deal = table(
            hands=["9C 9D", "KC KD", "2D KH"],
            pile="4C TH",
            melds=["7H 8H 9H"],
            phase=phase,
            call_rummy="any_meld",
        )

        assert deal.refused(self.rummy, by=2) == "call_window_closed"
        assert deal.refused(self.rummy, by=0) == "call_window_closed"


class TestWhatTheCallerTakes:
    """RULES 8.4"""

    def test_the_card_and_all_above(self):
        deal = window(pile="QS TH 4C 7D", melds=["7H 8H 9H"], call_rummy="any_meld")

        after = deal.move(call("TH", lay_off("TH", "m1")), by=2)

        (called, _) = after.events
        assert called == RummyCalled(seat=2, card=cards("TH")[0], position=1, cards=cards("TH 4C 7D"))
        assert after.hand(2) == hand("4C 7D 2D KH 7S")
        assert after.pile == cards("QS")

    @pytest.mark.parametrize("way", WAYS)
    def test_or_the_newest_discard_only(self, way):
        deal = window(pile="QS 4C TH", melds=["7H 8H 9H"], call_rummy=way, call_takes="single_card")

        after = deal.move(call("TH", lay_off("TH", "m1")), by=2)

        assert after.hand(2) == hand("2D KH 7S")
        assert after.pile == cards("QS 4C")

    @pytest.mark.parametrize("way", WAYS)
    def test_then_nothing_comes_out_of_the_middle(self, way):
        deal = table(
            hands=["9H 4D", "3H 9C", "KD 2D"],
            melds=["5S 6S 7S", "TH JH QH"],
            pile="8S TD",
            phase="meld",
            call_rummy=way,
            call_takes="single_card",
        ).move(discard("9H"))

        assert deal.refused(call("8S", lay_off("8S", "m1")), by=2) == "nothing_to_call"
        listed = [move for move in deal.legal_moves(2) if isinstance(move, CallRummy)]
        assert [move.card for move in listed] == [*cards("9H")]

    @pytest.mark.parametrize("way", WAYS)
    def test_then_an_older_discard_opens_no_window(self, way):
        deal = table(
            hands=["9H 4D", "3H 9C", "KD 2D"],
            melds=["0: 5S 6S 7S"],
            pile="8S TD",
            phase="meld",
            call_rummy=way,
            call_takes="single_card",
        )

        assert deal.move(discard("9H")).to_move == (1, Phase.DRAW)

    def test_of_two_copies_it_is_the_newer(self):
        deal = window(
            pile="TH 4C TH", seats=5, melds=["7H 8H 9H"], call_rummy="any_meld", call_takes="single_card"
        )

        assert deal.refused(call("TH", lay_off("TH", "m1"), position=0), by=2) == "nothing_to_call"
        assert deal.move(call("TH", lay_off("TH", "m1"), position=2), by=2).pile == cards("TH 4C")

    def test_which_may_only_be_laid_off(self):
        deal = window(
            pile="4C TH",
            hands=["9C 9D", "KC KD", "TS TD 5S", "2S 3S"],
            melds=["7H 8H 9H"],
            call_rummy="any_meld",
            call_takes="single_card",
        )

        assert deal.refused(call("TH", lay("TH TS TD")), by=2) == "nothing_to_call"
        assert {type(move.use) for move in deal.legal_moves(2) if isinstance(move, CallRummy)} == {LayOff}

    def test_then_a_meld_of_the_pile_opens_no_window(self):
        deal = table(
            hands=["6S 9D", "KC KD", "2D KH"],
            pile="4S 5S",
            phase="meld",
            call_rummy="table_or_pile",
            call_takes="single_card",
        )

        assert deal.move(discard("6S")).to_move == (1, Phase.DRAW)

    @pytest.mark.parametrize("way", WAYS)
    def test_or_the_card_and_what_the_meld_needs_of_those_above(self, way):
        deal = window(pile="QS 4S 8D 5S TC 6S", call_rummy=way, call_takes="needed")

        after = deal.move(call("4S", lay("4S 5S 6S")), by=2)

        (called, _) = after.events
        assert called == RummyCalled(seat=2, card=cards("4S")[0], position=1, cards=cards("4S 5S 6S"))
        assert after.pile == cards("QS 8D TC")
        assert after.hand(2) == deal.hand(2)
        assert after.points(2) == 15

    def test_what_the_hand_holds_is_not_needed_from_the_pile(self):
        deal = window(
            pile="4S 8D 5S 6S",
            hands=["9C 9D", "KC KD", "5S 6S QH", "2S 3S"],
            seats=5,
            call_rummy="any_meld",
            call_takes="needed",
        )

        after = deal.move(call("4S", lay("4S 5S 6S")), by=2)

        assert after.pile == cards("8D 5S 6S")
        assert after.hand(2) == hand("QH")

    def test_where_only_the_pile_counts_the_hand_gives_nothing(self):
        deal = window(
            pile="4S 8D 5S 6S",
            hands=["9C 9D", "KC KD", "5S 6S QH", "2S 3S"],
            seats=5,
            call_rummy="table_or_pile",
            call_takes="needed",
        )

        after = deal.move(call("4S", lay("4S 5S 6S")), by=2)

        assert after.pile == cards("8D")
        assert after.hand(2) == hand("5S 6S QH")

    def test_of_two_copies_above_the_older_is_taken(self):
        deal = window(pile="4S 5S 8D 5S 6S", seats=5, call_rummy="table_or_pile", call_takes="needed")

        assert deal.move(call("4S", lay("4S 5S 6S")), by=2).pile == cards("8D 5S")

    @pytest.mark.parametrize("way", WAYS)
    def test_a_lay_off_needs_nothing_but_its_card(self, way):
        deal = window(pile="TH 4C JH", melds=["7H 8H 9H"], call_rummy=way, call_takes="needed")

        after = deal.move(call("TH", lay_off("TH", "m1")), by=2)

        assert after.pile == cards("4C JH")
        assert after.hand(2) == deal.hand(2)
        assert after.refused(lay_off("JH", "m1")) == "card_not_in_hand"

    def test_cards_below_the_called_one_are_not_taken(self):
        deal = window(pile="4S 5S 6S", call_rummy="any_meld", call_takes="needed")

        assert deal.refused(call("5S", lay("4S 5S 6S")), by=2) == "card_not_in_hand"

    def test_a_player_with_cards_who_needs_few_keeps_one_to_discard(self):
        # With all above, the call would leave six cards; as it is it leaves the one that was held.
        deal = window(
            pile="4S 8D 5S TC 6S",
            hands=["9C 9D", "KC KD", "-", "2S 3S"],
            call_rummy="table_or_pile",
            going_out="discard_required",
        )
        needed = window(
            pile="4S 8D 5S TC 6S",
            hands=["9C 9D", "KC KD", "-", "2S 3S"],
            call_rummy="table_or_pile",
            call_takes="needed",
            going_out="discard_required",
        )

        assert (deal.turn.asked, needed.turn.asked) == ((1, 2, 3), (1, 3))

    @pytest.mark.parametrize("way", WAYS)
    def test_with_call_reach_newest_only_the_newest_is_called(self, way):
        deal = window(
            pile="JS TH",
            melds=["7H 8H 9H", "8S 9S TS"],
            call_rummy=way,
            call_reach="newest",
        )

        assert deal.refused(call("JS", lay_off("JS", "m2")), by=2) == "nothing_to_call"
        assert {move.card for move in deal.legal_moves(2) if isinstance(move, CallRummy)} == {*cards("TH")}
        assert deal.move(call("TH", lay_off("TH", "m1")), by=2).pile == cards("JS")

    def test_and_melded_with_cards_of_the_hand(self):
        deal = window(
            pile="JS TH",
            hands=["9C 9D", "KC KD", "TS TD 5S", "2S 3S"],
            call_rummy="any_meld",
            call_reach="newest",
        )

        assert deal.move(call("TH", lay("TH TS TD")), by=2).points(2) == 30

    def test_the_events_of_a_call_for_what_is_needed_give_the_state_again(self):
        deal = window(pile="QS 4S 8D 5S TC 6S", call_rummy="any_meld", call_takes="needed")
        after = deal.move(call("4S", lay("4S 5S 6S")), by=2)

        assert replay(KEY, (*deal.events, *after.events)) == after.game

    def test_nothing_must_be_used_after_it(self):
        deal = window(pile="TH 4C", melds=["7H 8H 9H"], call_rummy="any_meld")

        after = deal.move(call("TH", lay_off("TH", "m1")), by=2)

        assert after.turn.must_use is None
        assert after.turn.may_not_discard is None

    def test_the_rules_of_draws_do_not_apply(self):
        deal = window(
            pile="TH 4C",
            melds=["7H 8H 9H"],
            call_rummy="any_meld",
            deepest_card_use="new_meld_only",
            deep_draw=False,
        )

        after = deal.move(call("TH", lay_off("TH", "m1")), by=2)

        assert after.points(2) == 10
        assert "TH" in {str(move.card) for move in deal.legal_moves(2) if isinstance(move, CallRummy)}


class TestAfterwards:
    """RULES 8.5"""

    deal = window(
        pile="4C TH",
        hands=["9C 9D", "KC KD", "2D 2H 2C JH 5S", "2S 3S"],
        melds=["7H 8H 9H"],
        call_rummy="any_meld",
    )
    called = deal.move(call("TH", lay_off("TH", "m1")), by=2)

    def test_the_caller_goes_on_without_a_draw(self):
        assert self.called.to_move == (2, Phase.MELD)
        for move in (draw_stock(), take_discard("4C"), pass_()):
            assert self.called.refused(move) == "already_drawn"

    def test_the_caller_may_lay_more(self):
        after = self.called.move(lay_off("JH", "m1"), lay("2D 2H 2C"))

        assert after.points(2) == 26

    def test_then_the_caller_discards_and_play_goes_on_to_the_left(self):
        after = self.called.move(discard("5S"))

        assert after.turn.seat == 3
        assert after.turn.asked == (3, 0, 1)

    def test_players_skipped_lose_their_turn_and_nothing_else(self):
        assert self.called.hand(1) == self.deal.hand(1)
        assert self.called.points(1) == self.deal.points(1)

    def test_a_use_that_empties_the_hand_goes_out(self):
        deal = window(pile="4C TH", hands=["9C 9D", "KC KD", "TS TD", "2S 3S"], call_rummy="any_meld")

        assert deal.move(call("TH", lay("TH TS TD")), by=2).result.went_out == 2

    def test_or_floats(self):
        deal = window(
            pile="4C TH",
            hands=["9C 9D", "KC KD", "TS TD", "2S 3S"],
            call_rummy="any_meld",
            going_out="discard_required",
            floating=True,
        )

        after = deal.move(call("TH", lay("TH TS TD")), by=2)

        assert after.hand(2) == ()
        assert after.to_move == (3, Phase.DRAW)

    def test_a_floating_player_who_called_may_keep_a_card(self):
        deal = window(
            pile="TH 4C",
            hands=["9C 9D", "KC KD", "-", "2S 3S"],
            melds=["7H 8H 9H"],
            call_rummy="any_meld",
            going_out="discard_required",
            floating=True,
        )

        after = deal.move(call("TH", lay_off("TH", "m1")), by=2)

        assert after.move(keep()).hand(2) == hand("4C")
        assert after.move(discard("4C")).result.went_out == 2

    def test_a_player_without_cards_who_must_discard_cannot_call_the_last_card(self):
        deal = window(
            pile="4C TH",
            hands=["9C 9D", "KC KD", "-", "2S 3S"],
            melds=["7H 8H 9H"],
            call_rummy="table_or_pile",
            going_out="discard_required",
        )

        assert deal.turn.asked == (1, 3)
        assert deal.refused(call("TH", lay_off("TH", "m1")), by=2) == "nothing_to_call"
        assert deal.refused(pass_(), by=2) == "nothing_to_call"

    def test_nor_where_hands_count(self):
        deal = window(
            pile="4C TH",
            hands=["9C 9D", "KC KD", "-", "2S 3S"],
            melds=["7H 8H 9H"],
            call_rummy="any_meld",
            going_out="discard_required",
        )

        assert deal.refused(call("TH", lay_off("TH", "m1")), by=2) == "must_keep_a_discard"
        assert deal.legal_moves(2) == [Pass(seat=2)]

    def test_a_wrong_call_costs_nothing(self):
        before = self.deal.game

        assert self.deal.refused(call("TH", lay("TH 5S JH")), by=2) == "mixed_suits"

        assert self.deal.game == before
        assert self.deal.move(pass_(), by=2).turn.asked == (1, 3)

    def test_the_meld_of_a_call_is_the_one_of_the_turn(self):
        deal = window(
            pile="4C TH",
            hands=["9C 9D", "KC KD", "TS TD 2D 2H 2C JS", "2S 3S"],
            call_rummy="any_meld",
            melds_per_turn=1,
        )

        after = deal.move(call("TH", lay("TH TS TD")), by=2)

        assert after.refused(lay("2D 2H 2C")) == "one_meld_a_turn"


class TestTwoCallers:
    """RULES 8.6"""

    def test_the_first_wins_and_the_other_is_refused(self):
        deal = window(pile="4C TH", melds=["7H 8H 9H"], call_rummy="any_meld")

        called = deal.move(call("TH", lay_off("TH", "m1")), by=3)

        assert called.refused(call("TH", lay_off("TH", "m1")), by=2) == "call_lost"

    def test_the_caller_cannot_call_again(self):
        deal = window(pile="JH TH", melds=["7H 8H 9H"], call_rummy="any_meld")

        called = deal.move(call("TH", lay_off("TH", "m1")), by=3)

        assert called.refused(call("JH", lay_off("JH", "m1")), by=3) == "call_window_closed"
