"""Given positions: a game that begins in the middle, checked as a whole."""

import re

import pytest

from service.rummy.cards import cards, full_pack, in_order
from service.rummy.errors import ImpossiblePosition, VariantContradiction
from service.rummy.events import GameStarted, PositionGiven
from service.rummy.evolve import replay
from service.rummy.positions import GivenMeld, GivenTurn, Position, game_from_position, position_of
from service.rummy.presets import check_options, resolve
from service.rummy.state import MeldKind, Phase, Stage
from tests.support.tables import KEY, discard, hand, table, take_discard

FLOATING = {"going_out": "discard_required", "floating": True}
MAY_KEEP = {"top_discard": "may_keep"}
RUMMY = {"call_rummy": "any_meld", "seats": 3, "phase": "rummy_call", "turn": 1}


def where(**position) -> str:
    """The member for which the position is refused."""
    with pytest.raises(ImpossiblePosition) as refusal:
        table(**{"hands": ["7H 7D KC", "9S"], **position})
    assert refusal.value.message.endswith(".")
    return refusal.value.where


class TestWhatIsGiven:
    def test_it_lies_as_said(self):
        deal = table(
            hands=["7H 2C", "9S"],
            pile="4D KC",
            melds=["8H 9H X1=TH JH@0"],
            stock="3S 5S",
            totals=[120, -35],
            known=["2C", ""],
            dealer=1,
            deal=3,
            jokers_per_pack=1,
        )
        game = deal.game

        assert (game.status, deal.to_move) == (Stage.PLAYING, (0, Phase.DRAW))
        assert (deal.hand(0), deal.hand(1)) == (hand("2C 7H"), hand("9S"))
        assert (deal.pile, deal.stock) == (cards("4D KC"), cards("3S 5S"))
        assert (game.totals, game.deal.known) == ((120, -35), (cards("2C"), ()))
        assert (game.deal.dealer, game.deal.number) == (1, 3)
        assert (deal.meld("m1").kind, deal.meld("m1").owner) == (MeldKind.RUN, 1)
        assert [(laid.card, laid.laid_by, laid.stands_for) for laid in deal.meld("m1").cards] == [
            ("8H", 1, None),
            ("9H", 1, None),
            ("X1", 1, "TH"),
            ("JH", 0, None),
        ]

    def test_what_is_not_named_is_in_the_stock_in_the_keys_order(self):
        deal = table(hands=["7H 2C", "9S"], pile="4D KC")

        everything = [*deal.stock, *deal.pile, *deal.hand(0), *deal.hand(1)]
        assert in_order(everything) == in_order(full_pack(packs=1, jokers_per_pack=0))
        other = table(hands=["7H 2C", "9S"], pile="4D KC", key=bytes(32))
        assert deal.stock != other.stock
        assert deal.stock == table(hands=["7H 2C", "9S"], pile="4D KC").stock

    def test_with_a_stock_given_the_rest_is_out_of_play(self):
        assert table(hands=["7H 2C", "9S"], stock=0).stock == ()
        assert table(hands=["7H 2C", "9S"], stock="4S").stock == cards("4S")

    def test_its_events_lead_to_it(self):
        deal = table(hands=["7H 2C", "9S"], pile="4D KC", melds=["8H 9H TH"], phase="meld")

        assert [type(event) for event in deal.events] == [GameStarted, PositionGiven]
        assert replay(KEY, deal.events) == deal.game

    def test_a_joker_may_lie_anywhere(self):
        deal = table(hands=["7H 2C"], melds=["X1=8H 9H TH", "4S X2=4H 4D"], jokers_per_pack=2)

        assert deal.melds == {"m1": "8H 9H TH", "m2": "4S 4H 4D"}

    def test_a_card_may_be_said_to_stand_for_itself(self):
        deal = table(hands=["7H 2C"], melds=["8H=8H 9H TH"])

        assert deal.meld("m1").cards[0].stands_for is None

    def test_all_thirteen_of_a_suit_show_their_aces_place(self):
        line = "2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS"

        assert table(hands=["7H 2C"], melds=[f"0: AS {line}"]).points(0) == 85
        assert table(hands=["7H 2C"], melds=[f"0: {line} AS"]).points(0) == 99

    def test_a_set_shows_its_owners_cards_first(self):
        deal = table(hands=["7H 2C"], melds=["4S@0 4H 4D 4C"])

        assert deal.melds == {"m1": "4H 4D 4C 4S"}
        assert deal.meld("m1").laid_at_once == 3

    def test_what_was_laid_before_is_read_off_the_table(self):
        def before(melds, **position):
            return table(hands=["7H 2C"], melds=melds, phase="meld", **position).turn.tabled_before

        assert before([]) is False
        assert before(["8H 9H TH"]) is False
        assert before(["8H 9H TH JH@0"]) is True
        assert before(["0: 8H 9H TH"]) is True
        assert before(["0: 8H 9H TH"], melds_laid=1, tabled_before=False) is False

    def test_a_floating_player_is_seen_by_their_hand(self):
        assert table(hands=["-", "9S"], **FLOATING).turn.floating
        assert table(hands=["2C", "9S"], phase="meld", **FLOATING).turn.floating
        assert not table(hands=["2C 3C", "9S"], phase="meld", **FLOATING).turn.floating
        assert not table(hands=["2C", "9S"], **FLOATING).turn.floating
        assert not table(
            hands=["2C", "9S"], melds=["0: 8H 9H TH"], melds_laid=1, phase="meld", **FLOATING
        ).turn.floating
        assert not table(hands=["2C", "9S"], phase="meld").turn.floating

    def test_a_call_window_asks_all_but_the_discarder(self):
        deal = table(hands=["2C"], pile="4D", **{**RUMMY, "seats": 5})

        assert (deal.turn.seat, deal.turn.discarder, deal.turn.asked) == (1, 0, (1, 2, 3, 4))

    def test_where_public_cards_decide_it_asks_those_who_can_call(self):
        deal = table(
            hands=["2C"],
            pile="4D",
            melds=["2: 5D 6D 7D"],
            lay_off_targets="own_side",
            **{**RUMMY, "seats": 5, "call_rummy": "table_or_pile"},
        )

        assert deal.turn.asked == (2,)

    def test_a_turn_goes_on_from_it(self):
        deal = table(
            hands=["2C 7H 9D", "9S"], melds=["0: 8H 9H TH"], melds_laid=1, phase="meld", melds_per_turn=1
        )

        assert deal.move(discard("2C")).to_move == (1, Phase.DRAW)


class TestNumbers:
    @staticmethod
    def given(**members):
        position = {
            "hands": (cards("7H 2C"), cards("9S")),
            "discard_pile": cards("4D"),
            "turn": GivenTurn(seat=0, phase=Phase.DRAW),
        }
        variant = resolve("classic", {}, seats=2)
        with pytest.raises(ImpossiblePosition) as refusal:
            game_from_position(variant, seats=2, key=KEY, position=Position(**{**position, **members}))
        return refusal.value.where

    def test_a_hand_for_each_seat(self):
        assert self.given(hands=(cards("7H"),)) == "hands"
        assert self.given(hands=(cards("7H"), cards("8H"), cards("9H"))) == "hands"

    @pytest.mark.parametrize("seat", [-1, 2])
    def test_seats_that_are_not_there(self, seat):
        assert self.given(dealer=seat) == "dealer"
        assert self.given(turn=GivenTurn(seat=seat, phase=Phase.DRAW)) == "turn.seat"

    @pytest.mark.parametrize("number", [0, -1, 201])
    def test_deals_that_are_not_played(self, number):
        assert self.given(deal=number) == "deal"

    def test_a_total_for_each_side(self):
        assert self.given(totals=(0,)) == "totals"
        assert self.given(totals=(0, 0, 0)) == "totals"
        assert where(preset="partnership", totals=[0, 0, 0, 0]) == "totals"

    def test_known_cards_for_each_seat_and_of_its_hand(self):
        assert self.given(known=((),)) == "known"
        assert self.given(known=(cards("7H"), cards("2C"))) == "known.1"
        assert self.given(known=(cards("7H 7H"), ())) == "known.0"


class TestCards:
    @pytest.mark.parametrize(
        "position, member",
        [
            ({"hands": ["7H 7H", "9S"]}, "hands.0"),
            ({"hands": ["7H", "7H"]}, "hands.1"),
            ({"pile": "7H"}, "discard_pile"),
            ({"pile": "4D 4D"}, "discard_pile"),
            ({"stock": "7H 2S"}, "stock"),
            ({"melds": ["7H 8H 9H"]}, "melds.0.cards"),
            ({"hands": ["X1 7H", "9S"]}, "hands.0"),
            ({"hands": ["7H KC", "9S"], "melds": ["4D 5D X1=6D"]}, "melds.0.cards"),
            ({"hands": ["7H 7H 7H", "9S"], "packs": 2}, "hands.0"),
            ({"hands": ["X3 7H", "9S"], "jokers_per_pack": 2}, "hands.0"),
        ],
    )
    def test_no_card_more_often_than_the_packs_hold_it(self, position, member):
        assert where(**position) == member

    def test_the_refusal_names_the_card(self):
        with pytest.raises(
            ImpossiblePosition, match=re.escape("seven of hearts is given 2 times; the game has 1")
        ):
            table(hands=["7H 7H", "9S"])

    def test_a_card_of_no_pack_is_refused_as_such(self):
        with pytest.raises(ImpossiblePosition, match=re.escape("The game has no joker X1.")):
            table(hands=["X1 7H", "9S"])


class TestMelds:
    @pytest.mark.parametrize(
        "meld",
        [
            "8H 9H",
            "8H 9H JH",
            "8H 9H TS",
            "8H 8S 9S",
            "QH KH AH 2H",
            "X1 8H 9H",
            "X1=8H X2=9H X3=TH",
            "TH 9H 8H",
        ],
    )
    def test_each_must_be_one(self, meld):
        assert where(melds=["4S 5S 6S", meld], seats=5, jokers_per_pack=2) == "melds.1"

    def test_it_must_be_one_of_this_variant(self):
        assert where(preset="ace-low", melds=["QH KH AH"]) == "melds.0"
        assert (
            where(preset="cardcouch", hands=["7H", "9D"], melds=["AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS"])
            == "melds.0"
        )

    def test_laid_by_seats_that_are_there(self):
        assert where(melds=["2: 8H 9H TH"]) == "melds.0.owner"
        assert where(melds=["8H 9H TH@2"]) == "melds.0.cards"

    def test_no_card_is_laid_off_on_the_other_side_where_that_is_off(self):
        assert where(preset="persian", melds=["8H 9H TH@2"]) == "melds.0.cards"
        assert table(preset="persian", hands=["7H 7D KC"], melds=["8H 9H TH@3"]).melds

    def test_only_a_joker_stands_for_another_card(self):
        assert where(melds=["8H 9H TS=TH"]) == "melds.0.cards"


class TestTheTurn:
    @pytest.mark.parametrize("phase", ["draw", "rummy_call"])
    def test_before_the_draw_no_card_must_be_used_is_barred_or_laid(self, phase):
        options = {**RUMMY, "pile": "4D"} if phase == "rummy_call" else {"phase": "draw"}

        assert where(must_use="7H", **options) == "turn"
        assert where(may_not_discard="7H", **options) == "turn"
        assert where(melds_laid=1, **options) == "turn"

    def test_after_it_the_seat_holds_a_card(self):
        assert where(hands=["-", "9S"], phase="meld", **FLOATING) == "hands.0"

    def test_a_card_is_barred_only_where_the_game_bars_one(self):
        assert where(phase="meld", may_not_discard="7H") == "turn.may_not_discard"
        assert where(phase="meld", may_not_discard="7H", same_card_back="allowed", **MAY_KEEP) == (
            "turn.may_not_discard"
        )

    def test_no_more_melds_than_a_turn_allows(self):
        assert where(phase="meld", melds_laid=-1) == "turn.melds_laid"
        assert where(phase="meld", melds_laid=2, melds_per_turn=1) == "turn.melds_laid"

    def test_the_card_that_must_be_used_is_held_and_can_be_used(self):
        assert where(phase="meld", must_use="7C") == "turn.must_use"
        assert where(phase="meld", must_use="KC") == "turn.must_use"
        assert table(hands=["7H 7D 7S KC"], phase="meld", must_use="7H").turn.must_use == "7H"

    def test_it_can_be_used_as_the_variant_asks(self):
        hands = ["7H 7D 7S", "9S"]

        assert (
            where(hands=hands, phase="meld", must_use="7H", going_out="discard_required") == "turn.must_use"
        )
        assert (
            where(hands=["7H 7D 7S KC", "9S"], phase="meld", must_use="7H", melds_laid=1, melds_per_turn=1)
            == "turn.must_use"
        )
        assert (
            where(
                hands=["7H KC", "9S"],
                phase="meld",
                must_use="7H",
                melds=["4H 5H 6H"],
                deepest_card_use="new_meld_only",
            )
            == "turn.must_use"
        )

    def test_a_card_must_be_used_or_is_barred_not_both(self):
        assert (
            where(hands=["7H 7D 7S KC", "9S"], phase="meld", must_use="7H", may_not_discard="KC", **MAY_KEEP)
            == "turn.may_not_discard"
        )

    def test_the_barred_card_is_held_and_not_alone(self):
        assert where(phase="meld", may_not_discard="2C", **MAY_KEEP) == "turn.may_not_discard"
        assert (
            where(hands=["7H", "9S"], phase="meld", may_not_discard="7H", **MAY_KEEP)
            == "turn.may_not_discard"
        )

    def test_alone_it_may_be_laid_off_or_kept(self):
        laid_off = table(
            hands=["7H", "9S"], melds=["8H 9H TH"], phase="meld", may_not_discard="7H", **MAY_KEEP
        )
        assert laid_off.legal_moves()
        kept = table(hands=["7H", "9S"], phase="meld", may_not_discard="7H", **MAY_KEEP, **FLOATING)
        assert kept.legal_moves()


class TestTheCallWindow:
    def test_where_calling_is_played(self):
        assert where(**{**RUMMY, "call_rummy": "off"}, pile="4D") == "turn.phase"

    def test_where_two_players_can_call_more_than_they_can_take(self):
        two = {"preset": "ace-low", "seats": 2, "phase": "rummy_call", "turn": 1, "pile": "4D"}

        assert where(**two) == "turn.phase"
        assert table(hands=["2C"], deep_draw=False, **two).turn.asked == (1,)

    def test_where_public_cards_decide_and_can_be_called(self):
        public = {**RUMMY, "call_rummy": "table_or_pile"}

        assert where(**public, pile="4D") == "turn.phase"
        assert table(hands=["2C"], **public, pile="4D", melds=["5D 6D 7D"]).turn.asked == (1, 2)

    @pytest.mark.parametrize("discarder", [1, 2])
    def test_the_seat_after_the_discarder_draws_next(self, discarder):
        assert where(**RUMMY, pile="4D", discarder=discarder) == "turn.discarder"

    def test_there_is_a_discard_to_call(self):
        assert where(**RUMMY) == "discard_pile"


class TestHiddenHands:
    """A hand that is not given is dealt from the cards not named."""

    variant = resolve("classic", {}, seats=3)

    def begun(self, *, key=KEY, **given):
        position = {
            "hands": (cards("7H 7D"), cards("KS"), ()),
            "discard_pile": cards("4D"),
            "turn": GivenTurn(seat=0, phase=Phase.DRAW),
            "hidden": (0, 2, 4),
            **given,
        }
        return game_from_position(self.variant, seats=3, key=key, position=Position(**position))[1].deal

    def test_they_have_the_cards_that_are_known_and_as_many_others_as_said(self):
        deal = self.begun(known=((), cards("KS"), ()))

        assert deal.hands[0] == hand("7H 7D")
        assert [len(held) for held in deal.hands] == [2, 3, 4]
        assert "KS" in deal.hands[1]
        assert in_order(
            [*deal.stock, *deal.discard_pile, *(card for held in deal.hands for card in held)]
        ) == (in_order(full_pack(packs=1, jokers_per_pack=0)))

    def test_the_key_deals_them(self):
        assert self.begun().hands == self.begun().hands
        assert self.begun(key=bytes(32)).hands != self.begun().hands

    def test_beside_a_stock_whose_size_is_said_the_rest_is_out_of_play(self):
        deal = self.begun(stock_count=5)

        assert (len(deal.stock), [len(held) for held in deal.hands]) == (5, [2, 3, 4])

    def test_a_stock_that_is_given_stays(self):
        deal = self.begun(stock=cards("2C 3C"), hidden=(0, 3, 4))

        assert deal.stock == cards("2C 3C")
        assert not {*cards("2C 3C")} & {*deal.hands[1], *deal.hands[2]}

    def test_the_last_one_may_be_what_the_stock_leaves(self):
        deal = self.begun(stock_count=40, hidden=(0, 2, None))

        assert [len(held) for held in deal.hands] == [2, 3, 52 - 40 - 1 - 2 - 3]

    @pytest.mark.parametrize(
        "given",
        [
            {"hidden": (0, None, 2)},
            {"hidden": (0, None, None), "stock_count": 40},
            {"hidden": (0, 30, 30)},
            {"hidden": (0, 2, 4), "stock_count": 44},
        ],
    )
    def test_their_size_is_known_and_the_cards_are_enough(self, given):
        with pytest.raises(ImpossiblePosition) as refusal:
            self.begun(**given)
        assert refusal.value.where == "hands"

    def test_who_took_a_card_holds_what_uses_it(self):
        took = {
            "hidden": (0, 3, 4),
            "hands": (cards("7H 7D"), cards("KS"), ()),
            "known": ((), cards("KS"), ()),
            "turn": GivenTurn(seat=1, phase=Phase.MELD, must_use=cards("KS")[0]),
        }
        for key in (KEY, bytes(32), bytes(range(32))):
            assert len(self.begun(**took, key=key).hands[1]) == 4

    def test_where_no_hand_uses_it_the_position_is_refused(self):
        with pytest.raises(ImpossiblePosition) as refusal:
            self.begun(
                hands=(cards("7H 7D"), cards("KS"), ()),
                turn=GivenTurn(seat=1, phase=Phase.MELD, must_use=cards("KS")[0]),
                hidden=(0, 1, 4),
            )
        assert refusal.value.where == "turn.must_use"


class TestAMeldThatWasSeen:
    def test_may_have_its_id_and_kind(self):
        seen = table(hands=["7H 2C"], melds=["8H 9H TH", "4S 4H 4D"])
        given = tuple(
            GivenMeld(owner=meld.owner, cards=meld.cards, id=meld.id, kind=meld.kind)
            for meld in seen.game.deal.melds
        )

        assert self.begun(given).melds == seen.game.deal.melds

    @pytest.mark.parametrize(
        "said, where", [({"id": "m2"}, "melds.0.id"), ({"kind": MeldKind.SET}, "melds.0.kind")]
    )
    def test_has_no_other(self, said, where):
        seen = table(hands=["7H 2C"], melds=["8H 9H TH"]).meld("m1")

        with pytest.raises(ImpossiblePosition) as refusal:
            self.begun((GivenMeld(owner=seen.owner, cards=seen.cards, **said),))
        assert refusal.value.where == where

    def begun(self, melds):
        position = Position(
            hands=(cards("7H 2C"), cards("9S")),
            discard_pile=cards("4C"),
            turn=GivenTurn(seat=0, phase=Phase.DRAW),
            melds=melds,
        )
        variant = resolve("classic", {}, seats=2)
        return game_from_position(variant, seats=2, key=KEY, position=position)[1].deal


class TestCopiedOptions:
    def test_are_those_of_the_variant(self):
        variant = resolve("classic", {"target": 300}, seats=2)

        check_options(variant, variant.options())
        check_options(variant, {"target": 300})
        with pytest.raises(VariantContradiction) as refusal:
            check_options(variant, {"target": 500})
        assert refusal.value.option == "target"


class TestThePositionOfAGame:
    def test_starts_another_game_with_all_its_cards(self):
        deal = table(hands=["7H 7D KC", "9S"], pile="4D 7C", melds=["3S 4S 5S 6S@0"], totals=[120, -35]).move(
            take_discard("7C")
        )
        position = position_of(deal.game)
        _, again = game_from_position(deal.variant, seats=2, key=bytes(32), position=position)

        assert (again.deal.hands, again.deal.stock) == (deal.game.deal.hands, deal.stock)
        assert (again.deal.melds, again.deal.known) == (deal.game.deal.melds, deal.game.deal.known)
        assert (again.totals, again.deal.turn.must_use) == ((120, -35), "7C")
