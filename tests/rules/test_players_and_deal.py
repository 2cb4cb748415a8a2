"""RULES 1: players, packs and the deal."""

from collections import Counter

import pytest

from service.rummy.cards import PACK, RANK, cards, full_pack, in_order
from service.rummy.dealing import choose_dealer
from service.rummy.errors import ImpossiblePosition, VariantContradiction
from service.rummy.events import DealStarted, GameStarted
from service.rummy.presets import PRESETS, resolve
from service.rummy.state import Phase
from tests.support.tables import (
    Table,
    call,
    dealt,
    discard,
    draw_stock,
    hand,
    lay,
    lay_off,
    next_deal,
    table,
    take_discard,
)


def key(number: int) -> bytes:
    return number.to_bytes(32, "big")


def everything(deal: Table) -> tuple[str, ...]:
    held = [one for seat in range(deal.game.seats) for one in deal.hand(seat)]
    return in_order([*deal.stock, *deal.pile, *held])


def after_a_deal(deal: Table) -> Table:
    """A game of the same seats after a deal that seat 0 left at once, dealt by the same dealer."""
    ended = table(
        preset=deal.variant.name,
        hands=["2C", *["KD QD", "KS QS", "KH QH"][: deal.game.seats - 1]],
        dealer=deal.game.deal.dealer,
        phase="meld",
    )
    return ended.move(discard("2C"))


class TestPlayersAndSeats:
    """RULES 1.1"""

    @pytest.mark.parametrize("seats", range(2, 9))
    def test_two_to_eight_play(self, seats):
        assert dealt(seats=seats).game.seats == seats

    @pytest.mark.parametrize("seats", [0, 1, 9])
    def test_no_fewer_and_no_more(self, seats):
        with pytest.raises(VariantContradiction) as refusal:
            resolve("classic", {}, seats=seats)

        assert refusal.value.option == "seats"

    def test_play_goes_round_from_seat_to_seat(self):
        deal = dealt(seats=4, first_dealer=0)
        order = []
        for _ in range(6):
            order.append(deal.turn.seat)
            deal = deal.move(draw_stock())
            deal = deal.move(discard(deal.discards()[0]))

        assert order == [1, 2, 3, 0, 1, 2]


class TestPacks:
    """RULES 1.2"""

    @pytest.mark.parametrize("seats, packs", [(2, 1), (3, 1), (4, 1), (5, 2), (6, 2), (7, 2), (8, 2)])
    def test_auto_is_two_packs_from_five_players(self, seats, packs):
        deal = dealt(seats=seats)

        assert deal.variant.packs == packs
        assert everything(deal) == in_order(full_pack(packs=packs, jokers_per_pack=0))

    @pytest.mark.parametrize("seats, packs", [(2, 2), (7, 1)])
    def test_the_number_can_be_fixed(self, seats, packs):
        assert len(everything(dealt(seats=seats, packs=packs))) == 52 * packs

    def test_two_copies_are_interchangeable(self):
        deal = table(seats=5, hands=["7H 7H 7C 7D KD"], phase="meld")

        assert deal.move(lay("7C 7D 7H")).hand(0) == hand("7H KD")


class TestThreePacks:
    """RULES 1.2, `packs`: `3`"""

    def test_hold_three_copies_of_every_card(self):
        for seats in (2, 8):
            counts = Counter(everything(dealt(seats=seats, packs=3)))

            assert counts == dict.fromkeys(PACK, 3)

    def test_hold_hands_that_two_packs_do_not(self):
        assert dealt("classic", seats=8, packs=3, hand_size=19).stock_count == 3
        with pytest.raises(VariantContradiction, match="154 cards; the game has 104"):
            dealt("classic", seats=8, packs=2, hand_size=19)

    def test_a_copy_is_as_good_as_another(self):
        deal = table(packs=3, hands=["7H 7H 7H 7C 7D KD"], phase="meld")

        assert deal.move(lay("7C 7D 7H")).hand(0) == hand("7H 7H KD")
        assert deal.refused(lay("7C 7D 7H 7H")) == "duplicate_suit"

    def test_three_copies_make_a_set_where_suits_may_repeat(self):
        deal = table(preset="kitchen-table", packs=3, hands=["7H 7H 7H KD"], phase="meld")

        assert deal.move(lay("7H 7H 7H")).melds == {"m1": "7H 7H 7H"}
        assert [move["cards"] for move in deal.offered("meld")] == [["7H", "7H", "7H"]]

    def test_a_card_that_lies_three_times_in_the_pile_is_named_by_its_position(self):
        deal = table(packs=3, hands=["7C 7D KD"], pile="7H 9S 7H 2C 7H")

        choices = deal.refusal(take_discard("7H")).details["choices"]

        assert choices == [{"position": 0}, {"position": 2}, {"position": 4}]
        assert deal.move(take_discard("7H", 2)).pile == cards("7H 9S")
        assert [move["position"] for move in deal.offered("take_discard")] == [4, 2, 0]

    def test_all_but_one_of_three_copies_may_be_laid_off_where_one_must_be_melded(self):
        melds = ["4H 5H 6H", "4H 5H 6H"]
        deal = table(
            packs=3,
            hands=["7H 7H 7C 7D KD"],
            pile="7H",
            melds=melds,
            deepest_card_use="new_meld_only",
        ).move(take_discard("7H"), lay_off("7H", "m1"), lay_off("7H", "m2"))

        assert deal.refused(discard("KD")) == "must_use_taken_card"
        assert deal.move(lay("7H 7C 7D"), discard("KD")).over

    def test_one_of_three_copies_may_be_thrown_back(self):
        deal = table(preset="jokers", packs=3, hands=["7H 7H 2C"], pile="7H").move(take_discard("7H"))

        assert deal.move(discard("7H")).pile == cards("7H")

    def test_a_call_names_its_position_too(self):
        deal = table(
            packs=3,
            hands=["KS KC", "2D 4D", "9H 3S"],
            pile="8H 2C 8H 8H",
            melds=["0: 5H 6H 7H"],
            phase="rummy_call",
            turn=1,
            discarder=0,
            call_rummy="table_or_pile",
        )
        asked = call("8H", lay_off("8H", "m1"))

        assert [choice["position"] for choice in deal.refusal(asked, by=2).details["choices"]] == [0, 2, 3]

    def test_a_position_may_give_every_card_three_times(self):
        deal = table(packs=3, hands=["7H 7H 7H", "2C"], pile="9S 9S 9S")
        assert Counter(everything(deal))["7H"] == 3
        with pytest.raises(ImpossiblePosition, match="4 times; the game has 3"):
            table(packs=3, hands=["7H 7H 7H", "7H"], pile="9S")

    def test_the_shuffle_lists_each_pack_after_the_one_before(self):
        pack = full_pack(packs=3, jokers_per_pack=2)

        assert pack == (*PACK, *PACK, *PACK, *cards("X1 X2 X3 X4 X5 X6"))


class TestJokersInThePack:
    """RULES 1.3"""

    @pytest.mark.parametrize(
        "seats, each, names",
        [
            (2, 0, ""),
            (2, 1, "X1"),
            (2, 2, "X1 X2"),
            (5, 0, ""),
            (5, 1, "X1 X2"),
            (5, 2, "X1 X2 X3 X4"),
        ],
    )
    def test_so_many_for_each_pack(self, seats, each, names):
        deal = dealt(seats=seats, jokers_per_pack=each)

        assert tuple(one for one in everything(deal) if one.startswith("X")) == cards(names)

    def test_three_packs_have_six(self):
        deal = dealt(seats=3, packs=3, jokers_per_pack=2)

        assert tuple(one for one in everything(deal) if one.startswith("X")) == cards("X1 X2 X3 X4 X5 X6")


class TestHandSize:
    """RULES 1.4"""

    @pytest.mark.parametrize("seats, size", [(2, 13), (3, 7), (4, 7), (5, 7), (6, 7), (7, 7), (8, 7)])
    @pytest.mark.parametrize("preset", ["classic", "ace-low", "jokers", "kitchen-table"])
    def test_thirteen_for_two_and_seven_for_more(self, preset, seats, size):
        deal = dealt(preset, seats=seats)

        assert [len(deal.hand(seat)) for seat in range(seats)] == [size] * seats

    @pytest.mark.parametrize("seats, size", [(2, 10), (3, 7), (4, 7), (5, 6), (6, 6)])
    def test_ten_seven_or_six_in_basic_rummy(self, seats, size):
        deal = dealt("basic-rummy", seats=seats)

        assert [len(deal.hand(seat)) for seat in range(seats)] == [size] * seats

    @pytest.mark.parametrize("preset", ["partnership", "persian"])
    def test_seven_for_partners(self, preset):
        assert [len(dealt(preset, seats=4).hand(seat)) for seat in range(4)] == [7] * 4

    @pytest.mark.parametrize("size", [3, 7, 10, 24])
    def test_the_number_can_be_fixed(self, size):
        deal = dealt(hand_size=size)

        assert (len(deal.hand(0)), len(deal.hand(1)), len(deal.stock)) == (size, size, 51 - 2 * size)

    def test_a_card_must_be_left_for_the_stock(self):
        assert len(dealt(hand_size=25).stock) == 1
        with pytest.raises(VariantContradiction) as refusal:
            resolve("classic", {"hand_size": 26}, seats=2)

        assert refusal.value.option == "hand_size"

    def test_seven_cards_for_eight_are_more_than_one_pack(self):
        with pytest.raises(VariantContradiction) as refusal:
            resolve("classic", {"packs": 1}, seats=8)

        assert refusal.value.option == "packs"


class TestUpcardAndStock:
    """RULES 1.5"""

    @pytest.mark.parametrize("preset", PRESETS)
    def test_one_card_lies_open_and_the_rest_is_the_stock(self, preset):
        seats = PRESETS[preset].players[0]
        deal = dealt(preset, seats=seats)

        assert len(deal.pile) == 1
        assert len(deal.stock) == deal.variant.pack_size - seats * deal.variant.hand_size - 1
        assert deal.game.deal.melds == ()

    def test_any_card_may_be_the_upcard(self):
        upcards = {dealt("jokers", key=key(number)).pile[0] for number in range(800)}

        assert upcards == set(full_pack(packs=1, jokers_per_pack=2))


class TestFirstDealer:
    """RULES 1.6"""

    @pytest.mark.parametrize("way, best", [("low_card", min), ("high_card", max)])
    @pytest.mark.parametrize("seats", [2, 3, 5, 8])
    def test_the_best_card_drawn_deals(self, way, best, seats):
        variant = resolve("classic", {"first_dealer": way}, seats=seats)
        for number in range(100):
            dealer, draws = choose_dealer(variant, seats, key(number))

            rounds = [
                {draw.seat: RANK[draw.card] for draw in draws if draw.again == again}
                for again in range(draws[-1].again + 1)
            ]
            tied = list(range(seats))
            for drawn in rounds:
                assert list(drawn) == tied
                tied = [seat for seat in tied if drawn[seat] == best(drawn.values())]
            assert tied == [dealer]

    def test_the_ace_is_lowest_and_the_king_highest(self):
        low = resolve("classic", {"first_dealer": "low_card"}, seats=3)
        high = resolve("classic", {"first_dealer": "high_card"}, seats=3)
        # With this key the three draw an ace, a two and a king.
        assert [draw.card for draw in choose_dealer(low, 3, key(39766))[1]] == list(cards("AS 2D KH"))

        assert choose_dealer(low, 3, key(39766))[0] == 0
        assert choose_dealer(high, 3, key(39766))[0] == 2

    def test_ties_are_drawn_again_among_the_tied(self):
        variant = resolve("ace-low", {}, seats=8)
        again = [
            draws for number in range(100) if (draws := choose_dealer(variant, 8, key(number))[1])[-1].again
        ]

        assert again
        for draws in again:
            first = [draw for draw in draws if draw.again == 0]
            second = [draw for draw in draws if draw.again == 1]
            highest = max(RANK[draw.card] for draw in first)
            assert [draw.seat for draw in second] == [
                draw.seat for draw in first if RANK[draw.card] == highest
            ]

    def test_jokers_take_no_part(self):
        variant = resolve("jokers", {"first_dealer": "high_card"}, seats=8)

        drawn = {draw.card for number in range(100) for draw in choose_dealer(variant, 8, key(number))[1]}

        assert drawn == set(full_pack(packs=1, jokers_per_pack=0))

    def test_chance_picks_every_seat(self):
        variant = resolve("kitchen-table", {}, seats=4)

        chosen = [choose_dealer(variant, 4, key(number)) for number in range(200)]

        assert {dealer for dealer, _ in chosen} == {0, 1, 2, 3}
        assert {draws for _, draws in chosen} == {()}

    @pytest.mark.parametrize("seat", [0, 1, 2])
    def test_a_seats_number_names_it(self, seat):
        deal = dealt(seats=3, first_dealer=seat)

        assert deal.game.deal.dealer == seat
        assert deal.game.dealer_draws == ()

    def test_a_seat_that_is_not_there_is_refused(self):
        with pytest.raises(VariantContradiction) as refusal:
            resolve("classic", {"first_dealer": 3}, seats=3)

        assert refusal.value.option == "first_dealer"

    def test_the_cards_drawn_are_on_record_and_back_in_the_pack(self):
        deal = dealt(seats=4)
        (started,) = [event for event in deal.events if isinstance(event, GameStarted)]

        assert started.dealer_draws == deal.game.dealer_draws != ()
        assert started.dealer == deal.game.deal.dealer
        assert len(everything(deal)) == 52


class TestTheDealerMovesOn:
    """RULES 1.7"""

    @pytest.mark.parametrize("seats, dealer", [(2, 0), (2, 1), (3, 0), (3, 2), (4, 3)])
    def test_left_of_the_dealer_plays_first_and_deals_next(self, seats, dealer):
        first = dealt(seats=seats, first_dealer=dealer)
        assert first.to_move == ((dealer + 1) % seats, Phase.DRAW)

        second = after_a_deal(first).move(next_deal())

        assert second.game.deal.dealer == (dealer + 1) % seats
        assert second.to_move == ((dealer + 2) % seats, Phase.DRAW)
        assert second.game.deal.number == 2

    def test_totals_go_on(self):
        ended = table(hands=["2C", "KD"], phase="meld", totals=[30, 40]).move(discard("2C"))

        assert ended.move(next_deal()).game.totals == (30, 30)

    def test_the_next_deal_starts_from_the_whole_pack(self):
        ended = table(hands=["2C", "KD"], phase="meld").move(discard("2C"))
        second = ended.move(next_deal())

        assert everything(second) == in_order(full_pack(packs=1, jokers_per_pack=0))
        assert isinstance(second.events[0], DealStarted)


class TestTeams:
    """RULES 1.8"""

    @pytest.mark.parametrize("seats", [2, 3, 5])
    def test_pairs_need_four_seats(self, seats):
        with pytest.raises(VariantContradiction) as refusal:
            resolve("classic", {"teams": "pairs"}, seats=seats)

        assert refusal.value.option == "teams"

    def test_partners_sit_opposite_and_share_a_total(self):
        deal = table(
            preset="partnership",
            hands=["2C", "KD", "9D", "3H"],
            melds=["2: 5S 5H 5D", "3: 8S 8H 8D"],
            phase="meld",
            totals=[100, 200],
        ).move(discard("2C"))

        assert deal.scores == (0, -10, 15 - 9, 24 - 3)
        assert deal.result.totals == (106, 211)

    def test_turns_pass_as_usual(self):
        deal = table(preset="partnership", hands=["2C KC", "KD QD", "9D", "3H"], phase="meld")

        assert deal.move(discard("2C")).turn.seat == 1

    def test_a_partners_card_cannot_be_used(self):
        deal = table(preset="partnership", hands=["7C 7D KC", "KD", "7H 2S"], phase="meld")

        assert deal.refused(lay("7C 7D 7H")) == "card_not_in_hand"


class TestMeldsOfAPartner:
    """RULES 1.8 with 4.1"""

    def test_a_player_lays_off_on_them_and_takes_for_them(self):
        deal = table(preset="partnership", hands=["KC QD"], pile="9H", melds=["2: 6H 7H 8H"])

        after = deal.move(take_discard("9H"), lay_off("9H", "m1"), discard("KC"))

        assert (after.points(0), after.points(2)) == (9, 21)
