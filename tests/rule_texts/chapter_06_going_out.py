"""Discard and going out (RULES 6)."""

from tests.rule_texts.proofs import Case, Mutant, calls_closed, states
from tests.support.tables import Table, discard, draw_stock, keep, lay, lay_off, take_discard


def _holding(case: Case, hand: str, **position) -> Table:
    return case.table(hands=[hand], phase="meld", **position)


@states(
    "6.1",
    "A discard ends the turn.",
    Mutant(
        "laying",
        "    if result.deal.hands[move.seat]:\n        end_turn(result, thrown=True)",
        "    if result.deal.hands[move.seat]:\n        pass",
    ),
)
def a_discard_ends_the_turn(case: Case):
    after = calls_closed(_holding(case, "7H 2D 3C").move(discard("7H")))
    assert after.pile[-1] == "7H"
    assert after.turn.seat == 1


@states(
    "6.1",
    "You may discard a card that you drew or took in this turn, unless a rule above forbids it.",
    Mutant(
        "laying",
        "if move.card == turn.may_not_discard and",
        'if turn.phase.value == "meld" and move.card != hand[0] and',
    ),
)
def a_card_of_this_turn_may_be_discarded(case: Case):
    drawn = case.table(hands=["7H 2D 3C"], pile="2C", stock="4D 5D 6D").move(draw_stock())
    assert "4D" in drawn.discards()
    assert drawn.move(discard("4D")).pile == ("2C", "4D")
    if case.variant.deep_draw:
        taken = case.table(hands=["7S 7C KD 3D"], pile="2C 7H 9D").move(take_discard("7H"), lay("7S 7C 7H"))
        assert taken.move(discard("9D")).pile == ("2C", "9D")


_LAST_CARDS = (
    ("7H 7D 7C", lay("7H 7D 7C"), []),
    ("7H", lay_off("7H", "m1"), ["0: 8H 9H TH"]),
    ("7H", discard("7H"), []),
)


@states(
    "6.2",
    "You go out by melding, laying off or discarding your last card.",
    Mutant("laying", "    if result.variant.floating:\n", "    if True:\n"),
    Mutant("laying", "    if result.deal.hands[move.seat]:\n", "    if True:\n"),
)
@states(
    "6.2",
    "The deal ends at once.",
    Mutant(
        "ending", "    end_deal(result, went_out=seat)", "    start_turn(result, result.game.after(seat))"
    ),
)
def the_last_card_goes_out(case: Case):
    for hand, move, melds in _LAST_CARDS:
        over = _holding(case, hand, melds=melds).move(move)
        assert over.over
        assert over.result.went_out == 0


_KEEPS = Mutant(
    "variants", 'return self.going_out == "discard_required" and not self.floating', "return False"
)
_FLOATS = Mutant("laying", "    if result.variant.floating:\n", "    if False:\n")


@states("6.3", "You can go out only with a discard, so keep a card for it.", _KEEPS)
def the_last_card_is_a_discard(case: Case):
    for hand, move, melds in _LAST_CARDS[:2]:
        assert _holding(case, hand, melds=melds).refused(move) == "must_keep_a_discard"
    assert _holding(case, "7H").move(discard("7H")).result.went_out == 0


@states("6.3", "You can go out only with a discard.", _FLOATS)
def only_a_discard_goes_out(case: Case):
    for hand, move, melds in _LAST_CARDS[:2]:
        assert not _holding(case, hand, melds=melds).move(move).over
    assert _holding(case, "7H").move(discard("7H")).result.went_out == 0


def _floated(case: Case) -> Table:
    """The table in the next turn of a player who floats."""
    deal = _holding(case, "7H 7D 7C", pile="2C", stock=3 * case.seats).move(lay("7H 7D 7C"))
    for _ in range(case.seats - 1):
        deal = deal.move(draw_stock())
        deal = calls_closed(deal.move(discard(deal.discards()[0])))
    return deal


@states(
    "6.4",
    "If you lay all your cards without a discard, you float: the deal goes on, and on your next turn you draw as usual.",
    _FLOATS,
)
def floating(case: Case):
    deal = _floated(case)
    assert deal.turn.seat == 0
    assert deal.hand(0) == ()
    assert len(deal.move(draw_stock()).hand(0)) == 1


@states(
    "6.5",
    "If you began a turn without cards and hold exactly one that you may keep, you may end the turn without a discard.",
    Mutant("laying", "len(game.deal.hands[seat]) == 1", "len(game.deal.hands[seat]) == 2"),
)
def keeping_a_card(case: Case):
    deal = _floated(case).move(draw_stock())
    held = deal.hand(0)
    kept = calls_closed(deal.move(keep()))
    assert kept.hand(0) == held
    assert kept.turn.seat == 1
    assert _holding(case, "7H 8D").refused(keep()) == "not_floating"
