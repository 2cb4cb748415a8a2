"""The score of an entered deal is that of the same deal in play."""

import random

import pytest

from service.rummy.dealing import sandbox_key
from service.rummy.legal_moves import seats_to_act
from service.rummy.play import new_game, play
from service.rummy.presets import resolve
from service.rummy.state import Stage
from service.scorekeeping.deal_entry import check_entry
from service.scorekeeping.deal_score import score_entry
from tests.scorekeeping.entries import by_cards, by_points, entry_of, held, variant_of
from tests.support.playthrough import simple_move

#: Every way of scoring, with and without jokers, teams, two packs, and bonuses.
PLAYED = [
    (2, "cardcouch", {}),
    (3, "classic", {}),
    (5, "classic", {"jokers_per_pack": 2}),
    (4, "partnership", {}),
    (4, "persian", {}),
    (3, "ace-low", {}),
    (3, "jokers", {"going_out_bonus": 25, "going_rummy": "double_bonus"}),
    (4, "basic-rummy", {}),
    (3, "basic-rummy", {"scoring": "penalty"}),
    (3, "kitchen-table", {"no_minus_at_stock_end": True, "card_values": "five_point"}),
    (3, "classic", {"going_rummy": "bonus_10", "hand_size": 4}),
    (3, "classic", {"going_rummy": "double", "hand_size": 4, "ace_value": "always_1"}),
    (3, "classic", {"four_aces": 100, "deep_draw": False}),
    (2, "classic", {"four_aces": 100, "four_aces_laid": "over_time"}),
    (3, "basic-rummy", {"stock_end_score": "minus_hand", "stock_empty": "end_at_once"}),
    (2, "kitchen-table", {"target_reached": "at_once", "target": 60}),
    (2, "classic", {"going_out": "discard_required", "floating": True, "hand_size": 5}),
]


def played_deal(variant, seats, seed):
    chance = random.Random(seed)
    _, game = new_game(variant, seats=seats, key=sandbox_key(seed))
    while game.status is Stage.PLAYING:
        _, game = play(game, simple_move(game, seats_to_act(game)[0], chance))
    return game


@pytest.mark.parametrize("seats, preset, overrides", PLAYED)
def test_a_played_deal_scores_the_same_when_it_is_entered(seats, preset, overrides):
    variant = resolve(preset, overrides, seats=seats)
    for number in range(12):
        game = played_deal(variant, seats, f"{preset} {number}")
        result = game.deals[-1]

        entry = check_entry(entry_of(game), variant, players=seats)
        score = score_entry(entry, variant, players=seats)

        assert entry.went_out == result.went_out
        assert score.sides == result.totals
        assert [(seat.score, seat.bonus) for seat in score.players] == [
            (seat.score, seat.bonus) for seat in result.seats
        ]
        for counted, seat in zip(score.players, result.seats, strict=True):
            assert (counted.cards.table_points, counted.cards.hand_points) == (
                seat.table_points,
                seat.hand_points,
            )


def test_each_card_is_counted_and_they_add_up():
    variant = variant_of(2, jokers_per_pack=2, four_aces=100)
    entry = check_entry(
        by_cards(
            held("AS AC AD AH, 7H X1 9H, 4C 5C 6C, TD", hand=""),
            held("2C", hand="KD 3S"),
        ),
        variant,
        players=2,
    )

    ana, ben = score_entry(entry, variant, players=2).players

    assert [
        (meld.kind.value, [card.points for card in meld.cards], meld.extra) for meld in ana.cards.melds
    ] == [
        ("set", [15, 15, 15, 15], 40),
        ("run", [7, 15, 9], 0),
        ("run", [4, 5, 6], 0),
    ]
    assert ana.cards.melds[1].cards[1].stands_for == "8H"
    assert [card.points for card in ana.cards.lay_offs] == [10]
    assert ana.cards.table_points == ana.score == 100 + 31 + 15 + 10
    assert [(card.card, card.points) for card in ben.cards.hand] == [("KD", 10), ("3S", 3)]
    assert ben.score == 2 - 13


@pytest.mark.parametrize(
    "laid, points",
    [
        ("AS 2S 3S", 6),
        ("QS KS AS", 35),
        ("AS AH AC", 45),
        ("AS:low", 1),
        ("AS:high", 15),
        ("AS X1 3S", 19),
        ("AS X1 QS", 40),
        ("AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS", 99),
        ("AS:low 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS", 85),
    ],
)
def test_an_ace_counts_by_its_place(laid, points):
    variant = variant_of(2, jokers_per_pack=2)
    entry = check_entry(by_cards(held(laid, hand=""), held(hand="2H")), variant, players=2)

    assert score_entry(entry, variant, players=2).players[0].score == points


class TestPoints:
    def test_are_the_score_without_a_bonus(self):
        variant = variant_of(3)

        assert score_entry(by_points(120, -45, 0), variant, players=3).sides == (120, -45, 0)

    @pytest.mark.parametrize(
        "going_rummy, in_one_turn, scores",
        [
            ("double_bonus", False, (125, -45, 0)),
            ("double_bonus", True, (150, -45, 0)),
            ("double", True, (250, -45, 0)),
            ("bonus_10", True, (135, -45, 0)),
        ],
    )
    def test_get_the_bonus_of_the_rules(self, going_rummy, in_one_turn, scores):
        variant = variant_of(3, going_out_bonus=25, going_rummy=going_rummy)
        entry = by_points(100, -45, 0, went_out=0, in_one_turn=in_one_turn)

        assert score_entry(check_entry(entry, variant, players=3), variant, players=3).sides == scores

    def test_of_partners_are_added(self):
        variant = variant_of(4, "partnership")

        assert score_entry(by_points(10, 20, -5, 40), variant, players=4).sides == (5, 60)

    def test_of_teams_get_the_bonus_of_their_player(self):
        variant = variant_of(4, "partnership", going_out_bonus=25)
        entry = check_entry(by_points(10, 20, went_out=3), variant, players=4)

        assert score_entry(entry, variant, players=4).sides == (10, 45)
