"""Melds (RULES 3)."""

from service.rummy.views import view_for
from tests.rule_texts.proofs import Case, Mutant, states
from tests.support.tables import Table, lay, lay_off

ALL_HEARTS = "AH 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH"


def _holding(case: Case, hand: str, **position) -> Table:
    return case.table(hands=[hand], phase="meld", **position)


@states(
    "3.1",
    "A meld is three or more cards from your hand, laid face up on the table: a set or a run.",
    Mutant("melds", "MIN_MELD_SIZE = 3", "MIN_MELD_SIZE = 2"),
    Mutant("melds", "MIN_MELD_SIZE = 3", "MIN_MELD_SIZE = 4"),
)
def three_cards_or_more(case: Case):
    deal = _holding(case, "7H 7D 7C 9S TS JS QS 2D 3C")
    assert deal.refused(lay("7H 7D")) == "too_few_cards"
    assert deal.refused(lay("7H 7D 7S")) == "card_not_in_hand"
    assert deal.refused(lay("7H 2D 3C")) == "mixed_suits"
    for codes in ("7H 7D 7C", "9S TS JS", "9S TS JS QS"):
        after = deal.move(lay(codes))
        (meld,) = view_for(after.game, None).melds
        assert {laid.card for laid in meld.cards} == set(codes.split())
        assert not set(codes.split()) & set(after.hand(0))


_SUITS = Mutant("melds", "if variant.set_distinct_suits and len(", "if False and len(")
_RANKS = Mutant(
    "melds",
    "if len({RANK[one.face] for one in laid}) == 1:",
    "if len({RANK[one.face] for one in laid}) <= 2:",
)
_LARGE = Mutant("melds", "if variant.set_max is not None and len(laid) > variant.set_max:", "if False:")
_SMALL = Mutant(
    "melds", "if variant.set_max is not None and len(laid) > variant.set_max:", "if len(laid) > 4:"
)


def _check_sets(case: Case, *, distinct: bool, five: bool):
    deal = _holding(case, "7H 7D 7C 7S 8D KD 2C")
    deal.move(lay("7H 7D 7C"))
    deal.move(lay("7H 7D 7C 7S"))
    assert deal.refused(lay("7H 7D 8D")) == "not_a_set"
    copies: tuple[tuple[str, str, str], ...] = ()
    if case.variant.packs > 1:
        copies += (("7H 7H 7D 7C 7S 2C KD", "7H 7H 7D", "7H 7H 7D 7C 7S"),)
    if case.variant.jokers_per_pack:
        copies += (("7H X1 7D 7C 7S 2C KD", "7H X1=7H 7D", "7H X1=7H 7D 7C 7S"),)
    for hand, three, many in copies:
        deal = _holding(case, hand)
        if distinct:
            assert deal.refused(lay(three)) == "duplicate_suit"
        else:
            deal.move(lay(three))
        if five:
            deal.move(lay(many))
        else:
            assert deal.refused(lay(many)) in {"set_too_large", "duplicate_suit"}


@states("3.2", "A set is three or four cards of one rank, all of different suits.", _SUITS, _RANKS)
def sets_of_different_suits(case: Case):
    _check_sets(case, distinct=True, five=False)


@states("3.2", "A set is three or four cards of one rank, in any suits.", _LARGE, _RANKS)
def sets_of_any_suits(case: Case):
    _check_sets(case, distinct=False, five=False)


@states("3.2", "A set is three or more cards of one rank, in any suits.", _SMALL, _RANKS)
def sets_of_any_size(case: Case):
    _check_sets(case, distinct=False, five=True)


@states(
    "3.3",
    "With several packs, a set may contain several copies of a card.",
    Mutant("melds", "if variant.set_distinct_suits and len(", "if len("),
)
def copies_in_a_set(case: Case):
    # A preset's rules are for every number of players; only games with two packs have copies.
    if case.variant.packs > 1:
        assert _holding(case, "7H 7H 7D 2C KD").move(lay("7H 7H 7D")).melds == {"m1": "7H 7H 7D"}


@states(
    "3.5",
    "A run is three or more cards of one suit with consecutive ranks in the order A 2 3 4 5 6 7 8 9 T J Q K, each rank "
    "once.",
    Mutant("melds", "if ranks[-1] - ranks[0] >= len(ranks):", "if ranks[-1] - ranks[0] > len(ranks):"),
    Mutant(
        "melds",
        "if len({SUIT[one.face] for one in laid}) > 1:",
        "if len({SUIT[one.face] for one in laid}) > 2:",
    ),
)
def consecutive_ranks_of_one_suit(case: Case):
    deal = _holding(case, "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH 4C KS")
    for codes in ("2H 3H 4H", "9H TH JH", "JH QH KH", "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH"):
        deal.move(lay(codes))
    assert deal.refused(lay("2H 3H 5H")) == "not_consecutive"
    assert deal.refused(lay("2H 3H 4C")) == "mixed_suits"
    if case.variant.packs > 1:
        assert _holding(case, "2H 3H 3H 4H 9C").refused(lay("2H 3H 3H 4H")) == "not_a_run"


_HIGH = Mutant("melds", 'highest = HIGH_ACE if ace_in_run in ("both", "high") else KING', "highest = KING")
_LOW = Mutant("melds", 'lowest = ACE if ace_in_run in ("both", "low") else 2', "lowest = 2")


def _ace_fits(case: Case) -> tuple[bool, bool]:
    """Return whether A-2-3 and Q-K-A are runs, laid at once and by laying off."""
    found = [
        {move.cards for move in _holding(case, hand).legal_moves() if move.type == "meld"}
        for hand in ("AH 2H 3H 9C 9D", "AH QH KH 9C 9D")
    ]
    melded = [bool(melds) for melds in found]
    laid_off = [
        bool([m for m in _holding(case, "AH 9C 9D", melds=[run]).legal_moves() if m.type == "lay_off"])
        for run in ("0: 2H 3H 4H", "0: JH QH KH")
    ]
    assert melded == laid_off
    return melded[0], melded[1]


@states("3.6", "In a run, an ace stands below the two or above the king.", _HIGH, _LOW)
def an_ace_at_either_end(case: Case):
    assert _ace_fits(case) == (True, True)


@states(
    "3.6",
    "In a run, an ace stands below the two only.",
    _LOW,
    Mutant("melds", 'highest = HIGH_ACE if ace_in_run in ("both", "high") else KING', "highest = HIGH_ACE"),
)
def an_ace_below_the_two(case: Case):
    assert _ace_fits(case) == (True, False)


@states(
    "3.6",
    "In a run, an ace stands above the king only.",
    _HIGH,
    Mutant("melds", 'lowest = ACE if ace_in_run in ("both", "low") else 2', "lowest = ACE"),
)
def an_ace_above_the_king(case: Case):
    assert _ace_fits(case) == (False, True)


@states(
    "3.7",
    "A run does not continue past an ace: K-A-2 is not a run.",
    Mutant("melds", 'if ace_in_run == "around":', "if True:"),
    Mutant("melds", "high_fits = ranks[1] == HIGH_ACE - len(ranks) + 1", "high_fits = ranks[-1] == KING"),
)
def no_run_round_the_corner(case: Case):
    assert _holding(case, "KH AH 2H 9C 9D").refused(lay("KH AH 2H")) == "round_the_corner"
    for hand, run in (("2H 9C 9D", "0: QH KH AH"), ("KH 9C 9D", "0: AH 2H 3H")):
        allowed = {"both": True, "high": "2H" in hand, "low": "KH" in hand}[case.variant.ace_in_run]
        if allowed:
            assert _holding(case, hand, melds=[run]).refused(lay_off(hand[:2], "m1")) == "round_the_corner"


@states(
    "3.8",
    "A run may hold all thirteen cards of a suit, with the ace at one end.",
    Mutant(
        "melds",
        "if one_ace and (ace_two_king or not (ace_and_two and high >= KING)):",
        "if one_ace and not (ace_and_two and high >= KING):",
    ),
)
def all_thirteen_in_a_run(case: Case):
    after = _holding(case, f"{ALL_HEARTS} 9C 9D").move(lay(ALL_HEARTS))
    ranks = after.melds["m1"].split()
    assert len(ranks) == 13
    assert "AH" in {ranks[0], ranks[-1]}


@states(
    "3.8",
    "A run that holds an ace and a two may not hold the king.",
    Mutant("melds", "if one_ace and (ace_two_king or not (ace_and_two and high >= KING)):", "if one_ace:"),
)
def no_ace_two_and_king(case: Case):
    assert _holding(case, f"{ALL_HEARTS} 9C 9D").refused(lay(ALL_HEARTS)) == "ace_two_king"
    if case.variant.ace_in_run != "high":
        long = _holding(case, "KH 9C 9D", melds=["0: AH 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH"])
        assert long.refused(lay_off("KH", "m1")) == "ace_two_king"


@states(
    "3.9",
    "You may lay one new meld per turn.",
    Mutant("laying", "if not may_meld(deal, variant):", "if False:"),
)
def one_meld_a_turn(case: Case):
    deal = _holding(case, "7H 7D 7C 9S TS JS 2D 3C").move(lay("7H 7D 7C"))
    assert deal.refused(lay("9S TS JS")) == "one_meld_a_turn"


@states(
    "3.9",
    "Lay-offs are not limited.",
    Mutant(
        "evolve",
        "settled=(event.card,) if settles else (), melds=0)",
        "settled=(event.card,) if settles else (), melds=1)",
    ),
)
def any_number_of_lay_offs(case: Case):
    deal = _holding(case, "9H TH JH 7D 7C 7S 2D 3C", melds=["0: 6H 7H 8H"])
    deal = deal.move(lay_off("9H", "m1"), lay_off("TH", "m1"), lay("7D 7C 7S"), lay_off("JH", "m1"))
    assert deal.melds["m1"] == "6H 7H 8H 9H TH JH"


@states(
    "3.10",
    "A meld stays on the table as it was laid: cards may only be added to it.",
    Mutant(
        "laying",
        "            if any(laid.card == card for meld in melds for laid in meld.cards):",
        "            if False:",
    ),
)
def melds_are_fixed(case: Case):
    deal = _holding(case, "8D 8C 2D 3C", melds=["0: 6H 7H 8H 9H"])
    assert deal.refused(lay("8H 8D 8C")) == "meld_is_fixed"
    assert deal.refused(lay_off("8H", "m1")) == "meld_is_fixed"
    assert not [move for move in deal.legal_moves() if "8H" in str(move)]


_AROUND = Mutant("melds", 'if ace_in_run == "around":', "if False:")


@states("3.6", "In a run, an ace stands below the two, above the king, or between them.", _AROUND)
@states("3.7", "A run may go round the corner from king to ace to two: K-A-2 is a run.", _AROUND)
def runs_round_the_corner(case: Case):
    assert _ace_fits(case) == (True, True)
    between = _holding(case, "KH AH 2H 3H 9C 9D").move(lay("KH AH 2H"))
    assert between.melds["m1"] == "KH AH 2H"
    assert between.move(lay_off("3H", "m1")).melds["m1"] == "KH AH 2H 3H"


@states(
    "3.8",
    "A run may hold all thirteen cards of a suit.",
    Mutant("melds", "for more in range(1, KING))", "for more in range(1, KING - 1))"),
)
def all_thirteen_round_the_corner(case: Case):
    after = _holding(case, f"{ALL_HEARTS} 9C 9D").move(lay(ALL_HEARTS))
    assert len(after.melds["m1"].split()) == 13
