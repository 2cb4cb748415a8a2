"""The turn (RULES 2)."""

from tests.rule_texts.proofs import Case, Mutant, calls_closed, states
from tests.support.tables import Table, discard, draw_stock, lay, lay_off, take_discard

RUN = ["0: 8H 9H TH"]


def _is_deep(case: Case) -> bool:
    return case.variant.deep_draw and case.variant.deepest_card_use != "free"


def _owed(case: Case, hand: str, **position) -> Table:
    """The table before a take of the 7H, which then must be used."""
    return case.table(hands=[hand], pile="2C 7H 9D" if _is_deep(case) else "2C 7H", **position)


@states(
    "2.1",
    "A turn has three steps: draw one card or take from the discard pile; then lay melds and lay off cards, or do "
    "neither; then discard one card.",
    Mutant("play", "if turn.phase is not Phase.MELD:", "if False:"),
    Mutant("play", "if turn.phase is not Phase.DRAW:", "if False:"),
)
def draw_lay_discard(case: Case):
    deal = case.table(hands=["7H 7D 7C 9C 8S JD"], pile="2C", melds=["0: 5S 6S 7S"])
    assert {move.type for move in deal.legal_moves()} <= {"draw_stock", "take_discard"}
    assert deal.refused(discard("9C")) == deal.refused(lay("7H 7D 7C")) == "draw_first"
    drawn = deal.move(draw_stock())
    assert drawn.refused(draw_stock()) == drawn.refused(take_discard("2C")) == "already_drawn"
    for laid in (drawn, drawn.move(lay("7H 7D 7C")), drawn.move(lay("7H 7D 7C"), lay_off("8S", "m1"))):
        assert calls_closed(laid.move(discard("9C"))).turn.seat == 1


@states(
    "2.3",
    "To draw, take the top card of the stock.",
    Mutant("drawing", "card=deal.stock[0]", "card=deal.stock[-1]"),
)
def the_first_card_of_the_stock_is_drawn(case: Case):
    deal = case.table(hands=["7H 9C"], pile="2C", stock="4D 5D 6D").move(draw_stock())
    assert set(deal.hand(0)) == {"7H", "9C", "4D"}
    assert deal.stock == ("5D", "6D")


@states(
    "2.4",
    "Instead of drawing, you may take a card of the discard pile together with all newer discards.",
    Mutant(
        "drawing",
        "taken = deal.discard_pile[position:]",
        "taken = deal.discard_pile[position : position + 1]",
    ),
)
def newer_discards_come_too(case: Case):
    deal = case.table(hands=["7S 7C KD 3D"], pile="2C 7H 9D JS").move(take_discard("7H"))
    assert set(deal.hand(0)) == {"7S", "7C", "KD", "3D", "7H", "9D", "JS"}
    assert deal.pile == ("2C",)
    assert deal.refused(draw_stock()) == "already_drawn"


_OWES = Mutant("drawing", "must_use=None if kept else move.card", "must_use=None")
_MUST = Mutant(
    "laying",
    'if turn.must_use is not None:\n        raise IllegalMove(\n            "must_use',
    'if False:\n        raise IllegalMove(\n            "must_use',
)


@states("2.5", "The deepest card you take must be melded or laid off in the same turn.", _OWES, _MUST)
def the_deepest_card_is_used(case: Case):
    deal = case.table(hands=["7S 7C KD 3D 4C"], pile="2C 7H 9D", melds=RUN).move(take_discard("7H"))
    assert deal.refused(discard("KD")) == "must_use_taken_card"
    assert "KD" in deal.move(lay("7S 7C 7H")).discards()
    assert "KD" in deal.move(lay_off("7H", "m1")).discards()


@states("2.5", "The deepest card you take must be put in a new meld in the same turn.", _OWES, _MUST)
def the_deepest_card_is_melded(case: Case):
    deal = case.table(hands=["7S 7C KD 3D 4C"], pile="2C 7H 9D", melds=RUN).move(take_discard("7H"))
    assert deal.refused(discard("KD")) == "must_use_taken_card"
    assert "KD" in deal.move(lay("7S 7C 7H")).discards()


@states(
    "2.5",
    "You may keep the other cards.",
    Mutant("drawing", "must_use=None if kept else move.card", "must_use=None if kept else taken[-1]"),
)
def newer_cards_are_kept(case: Case):
    deal = case.table(hands=["7S 7C KD 3D"], pile="2C 7H 9D JS")
    after = deal.move(take_discard("7H"), lay("7S 7C 7H"), discard("KD"))
    assert set(after.hand(0)) == {"3D", "9D", "JS"}


_UNUSABLE = Mutant("drawing", "    if fewest is None:", "    if fewest is None and not holding.size:")


@states(
    "2.6",
    "You may not take a card that must be melded or laid off if that is impossible in this turn.",
    _UNUSABLE,
)
def a_useless_card_is_not_taken(case: Case):
    useless = _owed(case, "3D 4C KD")
    assert useless.refused(take_discard("7H")) == "deepest_card_unusable"
    assert "7H" not in useless.takes()
    assert "7H" in _owed(case, "3D 4C KD", melds=RUN).takes()


@states(
    "2.6",
    "You may not take a card that must be put in a new meld if that is impossible in this turn.",
    _UNUSABLE,
)
def a_card_that_makes_no_meld_is_not_taken(case: Case):
    useless = _owed(case, "3D 4C KD", melds=RUN)
    assert useless.refused(take_discard("7H")) == "must_start_new_meld"
    assert "7H" in _owed(case, "7S 7C KD 3D").takes()


@states(
    "2.7",
    "Until you have done so, you may not make a move after which it would be impossible.",
    Mutant("laying", "if cards_to_settle(result.game, turn.must_use) is None:", "if False:"),
)
def the_card_stays_usable(case: Case):
    deal = _owed(case, "7S 7C 8C 9C KD 3D").move(take_discard("7H"))
    assert deal.refused(lay("7C 8C 9C")) == "would_strand_taken_card"
    assert deal.move(lay("7S 7C 7H")).must_use is None


_WAITS = Mutant("laying", "result.variant.taken_card_first and not settles", "False")


def _other_cards_wait(case: Case) -> None:
    # Where a deep take is free, only a lone upcard must be used.
    free = case.variant.deepest_card_use == "free"
    hand = "7S 7C 4C 4S 4D KD 3D"
    deal = (case.table(hands=[hand], pile="2C 7H") if free else _owed(case, hand)).move(take_discard("7H"))
    assert deal.refused(lay("4C 4S 4D")) == "must_use_taken_card"
    assert deal.move(lay("7S 7C 7H")).must_use is None


@states(
    "2.13",
    "If a card you took must be melded or laid off, do so first: lay other cards with it or after it.",
    _WAITS,
)
def the_taken_card_comes_first(case: Case):
    _other_cards_wait(case)


@states(
    "2.13",
    "If a card you took must be put in a new meld, do so first: lay other cards with it or after it.",
    _WAITS,
)
def the_new_meld_comes_first(case: Case):
    _other_cards_wait(case)


_KEPT = Mutant("drawing", "kept = not variant.owes_deepest(len(taken))", "kept = len(taken) == 1")
_NEVER_KEPT = Mutant("drawing", "kept = not variant.owes_deepest(len(taken))", "kept = False")


@states("2.8", "If you take only the top discard, it must be melded or laid off too.", _KEPT)
@states("2.8", "If you take only the top discard, it must be put in a new meld too.", _KEPT)
@states("2.8", "If you take only the top discard, it must be melded or laid off in the same turn.", _KEPT)
@states("2.8", "It must be melded or laid off in the same turn.", _KEPT)
@states("2.8", "It must be put in a new meld in the same turn.", _KEPT)
def the_top_discard_is_used(case: Case):
    deal = case.table(hands=["7S 7C KD 3D"], pile="2C 7H").move(take_discard("7H"))
    assert deal.refused(discard("KD")) == "must_use_taken_card"
    assert "KD" in deal.move(lay("7S 7C 7H")).discards()
    assert "7H" not in case.table(hands=["3D 4C KD"], pile="2C 7H").takes()


@states("2.8", "If you take only the top discard, you may keep it.", _NEVER_KEPT)
@states("2.8", "You may keep it.", _NEVER_KEPT)
def the_top_discard_is_kept(case: Case):
    deal = case.table(hands=["3D 4C KD"], pile="2C 7H").move(take_discard("7H"), discard("KD"))
    assert set(deal.hand(0)) == {"3D", "4C", "7H"}


_BARRED = "may_not_discard=move.card if barred else None"


@states(
    "2.9",
    "If you keep the top discard, you may not discard it in the same turn.",
    Mutant("drawing", _BARRED, "may_not_discard=None"),
)
def the_kept_card_is_not_thrown_back(case: Case):
    deal = case.table(hands=["3D 4C KD"], pile="2C 7H").move(take_discard("7H"))
    assert deal.refused(discard("7H")) == "same_card_back"
    assert "7H" not in deal.discards()


@states(
    "2.9",
    "If you keep the top discard, you may even discard it in the same turn.",
    Mutant("drawing", _BARRED, "may_not_discard=move.card if kept else None"),
)
def the_kept_card_may_be_thrown_back(case: Case):
    deal = case.table(hands=["3D 4C KD"], pile="2C 7H").move(take_discard("7H"))
    assert "7H" in deal.discards()
    assert deal.move(discard("7H")).pile == ("2C", "7H")


@states(
    "2.10",
    "Laying that card off is not enough.",
    Mutant("must_use", "    if variant.lay_off_settles:", "    if True:"),
    Mutant("laying", "if must_be_melded and move.card == owed", "if False and move.card == owed"),
)
def laying_off_is_not_enough(case: Case):
    assert _owed(case, "3D 4C KD", melds=RUN).refused(take_discard("7H")) == "must_start_new_meld"
    deal = _owed(case, "7S 7C KD 3D", melds=RUN).move(take_discard("7H"))
    assert deal.refused(lay_off("7H", "m1")) == "must_start_new_meld"


@states(
    "2.10",
    "If you take several discards, you need not use any of them: you may keep them all.",
    Mutant("variants", 'else self.deepest_card_use != "free"', "else True"),
)
def no_card_of_a_deep_take_is_used(case: Case):
    deal = case.table(hands=["3D 4C KD"], pile="2C 7H 9D").move(take_discard("7H"), discard("KD"))
    assert set(deal.hand(0)) == {"3D", "4C", "7H", "9D"}


@states(
    "2.11",
    "Instead of drawing, you may take the top discard.",
    Mutant("drawing", "is_upcard = position == len(pile) - 1", "is_upcard = position == len(pile) - 2"),
)
def the_top_discard_is_taken(case: Case):
    deal = case.table(hands=["7S 7C KD 3D"], pile="2C 7H").move(take_discard("7H"))
    assert "7H" in deal.hand(0)
    assert deal.pile == ("2C",)
    assert deal.refused(draw_stock()) == "already_drawn"


@states(
    "2.11",
    "No other discard may be taken.",
    Mutant("drawing", "if not is_upcard and not variant.deep_draw:", "if False:"),
)
def no_deeper_discard_is_taken(case: Case):
    deal = case.table(hands=["7S 7C KD 3D"], pile="7H 9D")
    assert deal.refused(take_discard("7H")) == "top_card_only"
