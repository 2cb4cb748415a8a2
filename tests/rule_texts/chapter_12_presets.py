"""The sentence of each preset (RULES 12)."""

from service.rummy.presets import PRESETS
from service.rummy.scoring import leaders, score_deal
from tests.rule_texts.proofs import Case, Mutant, calls_closed, states
from tests.support.tables import call, discard, draw_stock, lay, lay_off, pass_, take_discard


def _owes(case: Case) -> None:
    deal = case.table(hands=["7S 7C KD 3D"], pile="2C 7H 9D JS").move(take_discard("7H"))
    assert deal.refused(discard("KD")) == "must_use_taken_card"
    assert "KD" in deal.move(lay("7S 7C 7H")).discards()


def _keeps_the_top_discard(case: Case) -> None:
    deal = case.table(hands=["3D 4C KD"], pile="2C 7H").move(take_discard("7H"), discard("KD"))
    assert "7H" in deal.hand(0)


def _differing(preset: str, other: str) -> set[str]:
    theirs = PRESETS[other].options
    return {name for name, value in PRESETS[preset].options.items() if value != theirs[name]}


@states(
    "12",
    "Two players, thirteen cards each; the deepest card taken must be used at once.",
    Mutant("presets", "hand_sizes={2: 13},", "hand_sizes={2: 7},"),
    Mutant("drawing", "must_use=None if kept else move.card", "must_use=None"),
)
def head_to_head(case: Case):
    deal = case.dealt()
    assert [len(deal.hand(seat)) for seat in range(deal.seats)] == [13, 13]
    _owes(case)


@states(
    "12",
    "The head-to-head rules for three to eight players, with seven cards each.",
    Mutant(
        "presets",
        '"packs": "auto", "first_dealer": "low_card"}',
        '"packs": "auto", "first_dealer": "low_card", "tie": "play_on"}',
    ),
    Mutant("presets", "players=(3, MAX_SEATS)", "players=(3, 7)"),
)
def head_to_head_for_more(case: Case):
    deal = case.dealt()
    assert PRESETS[case.preset].players == (3, 8)
    assert {len(deal.hand(seat)) for seat in range(deal.seats)} == {7}
    assert _differing(case.preset, "cardcouch") == {"packs", "first_dealer"}


@states(
    "12",
    "The standard game for two to eight: take any discard and use it at once; play to 500.",
    Mutant("presets", '"target": 500', '"target": 400'),
    Mutant("presets", '"deep_draw": True', '"deep_draw": False'),
    Mutant("drawing", "must_use=None if kept else move.card", "must_use=None"),
)
def the_standard_game(case: Case):
    assert PRESETS[case.preset].players == (2, 8)
    assert case.variant.target == 500
    _owes(case)


def _others_may_call(case: Case) -> None:
    """A card that the next player does not want is called by another."""
    if case.seats > 2:
        deal = case.table(
            hands=["8S 4D KD", "JD QD", "KC QC 3D"], pile="2C", melds=["2: 9S TS JS"], phase="meld"
        )
        called = deal.move(discard("8S")).move(call("8S", lay_off("8S", "m1")), by=2)
        assert called.turn.seat == 2


@states(
    "12",
    "Aces are low in runs, the highest card deals first; a missed discard may be called.",
    Mutant("presets", '"first_dealer": "high_card"', '"first_dealer": "low_card"'),
    Mutant(
        "presets",
        '"ace_in_run": "low", "call_rummy": "any_meld"',
        '"ace_in_run": "both", "call_rummy": "any_meld"',
    ),
    Mutant("presets", '"ace_in_run": "low", "call_rummy": "any_meld"', '"ace_in_run": "low"'),
)
def low_aces(case: Case):
    assert case.table(hands=["AS QS KS 9C 9D"], phase="meld").refused(lay("QS KS AS")) == "ace_low_only"
    assert case.table(hands=["AS 2S 3S 9C 9D"], phase="meld").move(lay("AS 2S 3S")).melds
    assert case.variant.first_dealer == "high_card"
    _others_may_call(case)


@states(
    "12",
    "Two jokers in each pack; the top discard may be kept, and a missed discard called.",
    Mutant("cards", "JOKERS[: packs * jokers_per_pack]", "JOKERS[:jokers_per_pack]"),
    Mutant("drawing", "kept = not variant.owes_deepest(len(taken))", "kept = False"),
    Mutant("calling", 'if variant.call_rummy == "off":', "if True:"),
)
def with_jokers(case: Case):
    assert sum(card.startswith("X") for card in case.dealt().whole_pack()) == 2 * case.variant.packs
    _keeps_the_top_discard(case)
    _others_may_call(case)


@states(
    "12",
    "One meld a turn; only the top discard may be taken; going out scores the other hands.",
    Mutant("presets", '"melds_per_turn": 1', '"melds_per_turn": None'),
    Mutant("presets", '"deep_draw": False', '"deep_draw": True'),
    Mutant("presets", '"scoring": "winner_takes_hands"', '"scoring": "table_minus_hand"'),
)
def basic_rummy(case: Case):
    deal = case.table(hands=["7H 7D 7C 9S TS JS 2D 3C"], phase="meld").move(lay("7H 7D 7C"))
    assert deal.refused(lay("9S TS JS")) == "one_meld_a_turn"
    assert case.table(hands=["7S 7C KD 3D"], pile="7H 9D").refused(take_discard("7H")) == "top_card_only"
    tens = ["KD", "QD", "JD", "TD", "KH"][: case.seats - 1]
    over = case.table(hands=["KC", *tens], phase="meld").move(discard("KC"))
    assert list(over.scores) == [10 * (case.seats - 1)] + [0] * (case.seats - 1)


@states(
    "12",
    "Basic Rummy without a second stock: when it runs out, everyone counts their cards.",
    Mutant(
        "presets",
        '"stock_empty": "end_at_once", "stock_end_score": "lowest_hand"',
        '"stock_end_score": "lowest_hand"',
    ),
    Mutant(
        "presets",
        '"stock_empty": "end_at_once", "stock_end_score": "lowest_hand"',
        '"stock_empty": "end_at_once"',
    ),
)
def block_rummy(case: Case):
    assert _differing(case.preset, "basic-rummy") == {"stock_empty", "stock_end_score"}
    tens = ["KD", "QD", "JD", "TD", "KH"][: case.seats - 1]
    over = case.table(hands=["KC QC", *tens], pile="2C", stock="3C").move(draw_stock(), discard("3C"))
    assert list(over.scores) == [0] + [10] * (case.seats - 1)


@states(
    "12",
    "Basic Rummy for few points: everyone adds their own hand, and the lowest total wins.",
    Mutant("presets", '"scoring": "penalty"', '"scoring": "winner_takes_hands"'),
)
def penalty_rummy(case: Case):
    assert _differing(case.preset, "basic-rummy") == {"scoring", "going_rummy"}
    tens = ["KD", "QD", "JD", "TD", "KH"][: case.seats - 1]
    over = case.table(hands=["KC", *tens], phase="meld").move(discard("KC"))
    assert list(over.scores) == [0] + [10] * (case.seats - 1)
    assert leaders(case.variant, (30, 20)) == (1,)


@states(
    "12",
    "Sets of any suits; the top discard may be kept; play goes on when the stock is empty.",
    Mutant("presets", '"set_distinct_suits": False', '"set_distinct_suits": True'),
    Mutant("presets", '"stock_empty": "play_on"', '"stock_empty": "flip"'),
    Mutant("drawing", "kept = not variant.owes_deepest(len(taken))", "kept = False"),
)
def kitchen_table(case: Case):
    if case.variant.packs > 1:
        assert case.table(hands=["7H 7H 7D 2C KD"], phase="meld").move(lay("7H 7H 7D")).melds
    _keeps_the_top_discard(case)
    deal = case.table(hands=["7S KD 3D"], pile="2C", stock=0)
    assert deal.refused(draw_stock()) == "stock_empty"
    assert not calls_closed(deal.move(pass_(), discard("KD"))).over


@states(
    "12",
    "The standard game for four in pairs: partners sit opposite and share one total.",
    Mutant("presets", 'options={**_CLASSIC, "teams": "pairs"}', "options=_CLASSIC"),
    Mutant(
        "variants", 'return seat % 2 if self.teams == "pairs"', 'return seat // 2 if self.teams == "pairs"'
    ),
)
def partners(case: Case):
    assert case.seats == 4
    assert _differing(case.preset, "classic") == {"teams"}
    over = case.table(hands=["2C", "3C", "4C", "5C"], phase="meld").move(discard("2C"))
    assert over.game.totals == (-4, -8)


@states(
    "12",
    "Pairs with two jokers; lay off on your own side only; four aces at once count 100.",
    Mutant("presets", '"jokers_per_pack": 2,\n                "teams": "pairs"', '"teams": "pairs"'),
    Mutant("presets", '"lay_off_targets": "own_side"', '"lay_off_targets": "any"'),
    Mutant("presets", '"four_aces": 100', '"four_aces": None'),
)
def persian(case: Case):
    assert len(case.dealt().game.totals) == 2
    assert sum(card.startswith("X") for card in case.dealt().whole_pack()) == 2
    theirs = case.table(hands=["7H 2D 3C"], melds=["1: 8H 9H TH"], phase="meld")
    assert theirs.refused(lay_off("7H", "m1")) == "not_your_side"
    aces = case.table(hands=["AH AD AC AS 9C 9D"], phase="meld").move(lay("AH AD AC AS"))
    assert score_deal(aces.game, went_out=None).seats[0].table_points == 100
