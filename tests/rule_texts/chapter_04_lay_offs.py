"""Lay-offs and jokers (RULES 4 and 5)."""

from tests.rule_texts.proofs import Case, Mutant, states
from tests.support.tables import Table, lay, lay_off


def _holding(case: Case, hand: str, **position) -> Table:
    return case.table(hands=[hand], phase="meld", **position)


@states(
    "4.1",
    "You may lay off: add single cards to any meld on the table if they fit.",
    Mutant(
        "laying",
        "if variant.side(meld.owner) != variant.side(move.seat) and",
        "if meld.owner != move.seat or",
    ),
    Mutant("melds", 'below: tuple[End, ...] = ("low",) if', "below: tuple[End, ...] = () if"),
)
def lay_off_anywhere(case: Case):
    for owner in range(case.seats):
        deal = _holding(case, "7H 6H 2D 3C", melds=[f"{owner}: 8H 9H TH", "0: 4S 5S 6S"])
        assert deal.refused(lay_off("6H", "m1")) == "not_adjacent"
        assert deal.move(lay_off("7H", "m1"), lay_off("6H", "m1")).melds["m1"] == "6H 7H 8H 9H TH"


@states(
    "4.1",
    "You do not need a meld of your own first.",
    Mutant(
        "must_use",
        'if variant.lay_off_targets == "any":',
        'if variant.lay_off_targets == "any" and any(meld.owner == seat for meld in deal.melds):',
    ),
)
def no_own_meld_needed(case: Case):
    deal = _holding(case, "7H 2D 3C", melds=["1: 8H 9H TH"])
    assert lay_off("7H", "m1")(0) in [m for m in deal.legal_moves() if m.type == "lay_off"] or deal.offered(
        "lay_off"
    )
    assert deal.move(lay_off("7H", "m1")).melds["m1"] == "7H 8H 9H TH"


def _check_first_meld(case: Case, own: set[int]):
    for owner in range(case.seats):
        deal = _holding(case, "7S 7C 7D 7H 2D 3C", melds=[f"{owner}: 8H 9H TH"])
        if owner in own:
            deal.move(lay_off("7H", "m1"))
            assert deal.offered("lay_off")
        else:
            assert deal.refused(lay_off("7H", "m1")) == "meld_first"
            assert deal.offered("lay_off") == []
        assert deal.move(lay("7S 7C 7D")).offered("lay_off")


_FIRST_MELD = Mutant("must_use", "return variant.lay_off_after_meld and", "return False and")


@states("4.6", "You may lay off only after you have laid a meld in this deal.", _FIRST_MELD)
def an_own_meld_comes_first(case: Case):
    _check_first_meld(case, {0})


@states("4.6", "You may lay off only after you or your partner have laid a meld in this deal.", _FIRST_MELD)
def a_meld_of_the_pair_comes_first(case: Case):
    _check_first_meld(case, {0, 2})


def _check_own(case: Case, own: set[int]):
    for owner in range(case.seats):
        deal = _holding(case, "7H 2D 3C", melds=[f"{owner}: 8H 9H TH", "0: 4S 5S 6S"])
        if owner in own:
            assert deal.move(lay_off("7H", "m1")).melds["m1"] == "7H 8H 9H TH"
            assert deal.offered("lay_off")
        else:
            assert deal.refused(lay_off("7H", "m1")) == "not_your_side"


_OWN_SIDE = Mutant("laying", "if variant.side(meld.owner) != variant.side(move.seat) and", "if False and")


@states("4.1", "You may lay off: add single cards to your own melds if they fit.", _OWN_SIDE)
def lay_off_on_own_melds(case: Case):
    _check_own(case, {0})


@states(
    "4.1",
    "You may lay off: add single cards to your own melds and those of your partner if they fit.",
    _OWN_SIDE,
    Mutant(
        "laying",
        "if variant.side(meld.owner) != variant.side(move.seat) and",
        "if meld.owner != move.seat and",
    ),
)
def lay_off_on_melds_of_the_pair(case: Case):
    _check_own(case, {0, 2})


@states(
    "4.2",
    "When you lay off a card, say which meld it joins.",
    Mutant(
        "laying",
        "    if not choices:\n",
        "    if len(choices) == 1:\n        return game.deal.melds[0]\n    if not choices:\n",
    ),
)
def the_meld_is_named(case: Case):
    for melds in (["0: 8H 9H TH"], ["0: 8H 9H TH", "0: 7D 7C 7S"]):
        deal = _holding(case, "7H 2D 3C", melds=melds)
        assert deal.refused(lay_off("7H")) == "choice_required"
        deal.move(lay_off("7H", "m1"))


@states(
    "4.3",
    "If an ace fits both ends of a run, say which end.",
    Mutant("laying", "if len(ends) > 1:", "if False:"),
)
def the_end_is_named(case: Case):
    deal = _holding(case, "AH 2D 3C", melds=["0: 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH"])
    assert deal.refused(lay_off("AH", "m1")) == "choice_required"
    assert deal.move(lay_off("AH", "m1", end="low")).melds["m1"].startswith("AH 2H")
    assert deal.move(lay_off("AH", "m1", end="high")).melds["m1"].endswith("KH AH")


@states(
    "4.4",
    "A card scores for the player who lays it off, not for the owner of the meld.",
    Mutant("scoring", "counted[laid.laid_by] = ", "counted[meld.owner] = "),
)
def a_lay_off_scores_for_its_player(case: Case):
    owner = {"any": 1, "own_side": 2 if case.variant.teams == "pairs" else 0}[case.variant.lay_off_targets]
    deal = _holding(case, "JH 2D 3C", melds=[f"{owner}: 8H 9H TH", "0: 4S 5S 6S"])
    before = [deal.points(seat) for seat in range(case.seats)]
    after = deal.move(lay_off("JH", "m1"))
    gained = [after.points(seat) - before[seat] for seat in range(case.seats)]
    assert gained == [10] + [0] * (case.seats - 1)


@states(
    "5.1",
    "A joker stands for a card that you name when you lay it, and keeps that meaning.",
    Mutant(
        "melds",
        "    if face is None or is_joker(face):\n        raise joker_not_declared(",
        '    if face is None:\n        return Card("7H")\n    if is_joker(face):\n        raise joker_not_declared(',
    ),
    Mutant("state", "return self.stands_for or self.card", "return self.card"),
)
def a_joker_is_declared(case: Case):
    deal = _holding(case, "5H 6H X1 8H 2D 3C")
    assert deal.refused(lay("5H 6H X1")) == "joker_not_declared"
    laid = deal.move(lay("5H 6H X1=7H"))
    assert laid.refused(lay_off("8H=9H", "m1")) == "not_a_joker"
    assert laid.move(lay_off("8H", "m1")).melds["m1"] == "5H 6H 7H 8H"


@states(
    "5.2",
    "A new meld must contain at least one card that is not a joker.",
    Mutant("melds", "if all(one.stands_for for one in laid):", "if False:"),
)
def a_natural_card_in_every_meld(case: Case):
    if case.variant.packs * case.variant.jokers_per_pack >= 3:
        deal = _holding(case, "X1 X2 X3 2D 3C 4C")
        assert deal.refused(lay("X1=7H X2=8H X3=9H")) == "joker_needs_a_natural"
    if case.variant.packs * case.variant.jokers_per_pack >= 2:
        assert _holding(case, "X1 X2 9H 2D 3C").move(lay("X1=7H X2=8H 9H")).melds["m1"] == "7H 8H 9H"


@states(
    "5.3",
    "A joker is never exchanged for the card it stands for.",
    Mutant("laying", "if any(laid.stands_for == face for laid in meld.cards):", "if False:"),
)
def a_joker_stays(case: Case):
    deal = _holding(case, "7H 2D 3C", melds=["0: 5H 6H X1=7H"])
    assert deal.refused(lay_off("7H", "m1")) == "joker_fixed"
    assert deal.offered("lay_off") == []
