"""When the stock runs out (RULES 7)."""

from dataclasses import replace

from tests.rule_texts.proofs import Case, Mutant, calls_closed, states
from tests.support.tables import Asked, Table, discard, draw_stock, lay, pass_, take_discard


@states(
    "7.1",
    "When the stock is empty, take from the discard pile or pass.",
    Mutant("drawing", "return bool(game.deal.stock or _next_stock(game))", "return True"),
)
def take_or_pass(case: Case):
    deal = case.table(hands=["7S 7C KD 3D"], pile="2C 7H", stock=0)
    assert deal.refused(draw_stock()) == "stock_empty"
    assert "7H" in deal.takes()
    assert deal.offered("pass") == [{}]
    assert not deal.move(take_discard("7H")).over


_PASSED = 'if result.variant.stock_empty != "play_on" or not deal.discard_pile:'


@states("7.1", "A pass ends the deal.", Mutant("ending", _PASSED, "if not deal.discard_pile:"))
def a_pass_ends_the_deal(case: Case):
    over = case.table(hands=["7S 7C KD 3D"], pile="2C 7H", stock=0).move(pass_())
    assert over.over
    assert over.result.went_out is None


@states(
    "7.1",
    "If the next player can take no card, the deal ends without a pass.",
    Mutant(
        "ending",
        'nothing_to_take = variant.stock_empty not in ("play_on", "end_at_once") and',
        "nothing_to_take = False and",
    ),
    Mutant(
        "ending",
        'nothing_to_take = variant.stock_empty not in ("play_on", "end_at_once") and',
        "nothing_to_take = True or",
    ),
)
def the_deal_ends_by_itself(case: Case):
    can = case.table(hands=["9D 4C", "9C 9S 2S 3D"], phase="meld", stock=0).move(discard("9D"))
    assert not calls_closed(can).over
    cannot = calls_closed(case.table(hands=["9D 4C", "2S"], phase="meld", stock=0).move(discard("9D")))
    # A top discard that may be kept can always be taken.
    assert cannot.over == (case.variant.top_discard == "must_use")


PILE = "2C 5D 7H 9D JS 4C 8H TD"


def _renewed(case: Case, *, staying: tuple[str, ...] = ()):
    deal = case.table(hands=["6S KD 3D"], pile=PILE, stock=0).move(draw_stock())
    (drawn,) = set(deal.hand(0)) - {"6S", "KD", "3D"}
    assert deal.pile == staying
    return (drawn, *deal.stock)


@states(
    "7.2",
    "If the stock is empty, you may still draw: the whole discard pile is shuffled and becomes the stock.",
    Mutant("drawing", 'shuffle = game.variant.stock_empty == "reshuffle"', "shuffle = False"),
    Mutant(
        "variants", 'return self.stock_empty in ("reshuffle", "flip")', 'return self.stock_empty == "flip"'
    ),
)
def the_pile_is_shuffled(case: Case):
    order = _renewed(case)
    assert sorted(order) == sorted(PILE.split())
    assert order not in {tuple(PILE.split()), tuple(reversed(PILE.split()))}


@states(
    "7.3",
    "If the stock is empty, you may still draw: the whole discard pile is turned over without shuffling and becomes the stock.",
    Mutant("drawing", 'shuffle = game.variant.stock_empty == "reshuffle"', "shuffle = True"),
    Mutant(
        "variants",
        'return self.stock_empty in ("reshuffle", "flip")',
        'return self.stock_empty == "reshuffle"',
    ),
)
def the_pile_is_turned_over(case: Case):
    assert _renewed(case) == tuple(PILE.split())


@states(
    "7.2",
    "If the stock is empty, you may still draw: the discard pile without its newest card is shuffled and becomes the stock.",
    Mutant("drawing", 'shuffle = game.variant.stock_empty == "reshuffle"', "shuffle = False"),
    Mutant("drawing", "return pile[:-1] if variant.upcard_stays else pile", "return pile"),
)
def the_pile_but_its_newest_card_is_shuffled(case: Case):
    order = _renewed(case, staying=("TD",))
    assert sorted(order) == sorted(PILE.split()[:-1])
    assert order not in {tuple(PILE.split()[:-1]), tuple(reversed(PILE.split()[:-1]))}


@states(
    "7.3",
    "If the stock is empty, you may still draw: the discard pile without its newest card is turned over without shuffling and becomes the stock.",
    Mutant("drawing", 'shuffle = game.variant.stock_empty == "reshuffle"', "shuffle = True"),
    Mutant("drawing", "return pile[:-1] if variant.upcard_stays else pile", "return pile"),
)
def the_pile_but_its_newest_card_is_turned_over(case: Case):
    assert _renewed(case, staying=("TD",)) == tuple(PILE.split()[:-1])


@states(
    "7.8",
    "If the stock is empty and the discard pile has one card, take it or pass.",
    Mutant("drawing", "return bool(game.deal.stock or _next_stock(game))", "return True"),
)
def one_discard_is_taken_or_passed(case: Case):
    deal = case.table(hands=["7S 7C KD 3D"], pile="7H", stock=0)
    assert deal.refused(draw_stock()) == "stock_empty"
    assert deal.takes() == ["7H"]
    assert deal.offered("pass") == [{}]


@states("7.8", "A pass then ends the deal.", Mutant("ending", _PASSED, "if not deal.discard_pile:"))
def a_pass_of_one_discard_ends_the_deal(case: Case):
    over = case.table(hands=["7S 7C KD 3D"], pile="7H", stock=0).move(pass_())
    assert over.over
    assert over.result.went_out is None


@states(
    "7.8",
    "If the next player cannot take it, the deal ends without a pass.",
    Mutant(
        "ending",
        'nothing_to_take = variant.stock_empty not in ("play_on", "end_at_once") and',
        "nothing_to_take = False and",
    ),
    Mutant(
        "ending",
        'nothing_to_take = variant.stock_empty not in ("play_on", "end_at_once") and',
        "nothing_to_take = True or",
    ),
)
def the_deal_ends_by_itself_with_one_discard(case: Case):
    can = case.table(hands=["9D 4C", "9C 9S 2S 3D"], pile="", phase="meld", stock=0).move(discard("9D"))
    assert not calls_closed(can).over
    cannot = calls_closed(
        case.table(hands=["9D 4C", "2S"], pile="", phase="meld", stock=0).move(discard("9D"))
    )
    # A top discard that may be kept can always be taken.
    assert cannot.over == (case.variant.top_discard == "must_use")


@states(
    "7.4",
    "The deal ends with the turn in which the last card of the stock is drawn.",
    Mutant("ending", '(variant.stock_empty == "end_at_once" and not deal.stock)', "False"),
)
def the_last_card_of_the_stock(case: Case):
    for stock, ends in (("4D 5D", False), ("4D", True)):
        deal = case.table(hands=["6S KD 3D"], pile="2C", stock=stock).move(draw_stock())
        assert not deal.over
        after = calls_closed(deal.move(discard("6S")))
        assert after.over == ends
        assert not ends or after.result.went_out is None


@states(
    "7.5",
    "When the stock is empty, play goes on without it: take from the discard pile or pass the draw, then lay and discard as usual.",
    Mutant("ending", _PASSED, "if True:"),
    Mutant("variants", 'return self.stock_empty in ("reshuffle", "flip")', "return True"),
)
def play_goes_on(case: Case):
    deal = case.table(hands=["7S 7C 7D KD 3D 4C"], pile="2C 7H", stock=0)
    assert deal.refused(draw_stock()) == "stock_empty"
    assert "7H" in deal.takes()
    after = calls_closed(deal.move(pass_(), lay("7S 7C 7D"), discard("KD")))
    assert not after.over
    assert after.turn.seat == 1


@states(
    "7.6",
    "If the stock and the discard pile are both empty at the start of a turn, the deal ends.",
    Mutant("ending", "if not deal.discard_pile or nothing_to_take:", "if nothing_to_take:"),
)
def both_piles_empty(case: Case):
    deal = case.table(hands=["7S 7C", "KD 3D"], pile="7H", stock=0)
    over = deal.move(take_discard("7H"), lay("7S 7C 7H"))
    assert over.over
    assert over.result.went_out is None


def _ends_with(case: Case, *moves: Asked, stock: int = 5) -> bool:
    """Return whether these moves make the last of the turns after which a deal without progress ends."""
    limit = 3 * len(case.dealt().whole_pack())

    def played(earlier: int) -> Table:
        deal = case.table(hands=["7S 7C 7D KD 3D 4C"], pile="2C 9H", stock=stock)
        game = replace(deal.game, deal=replace(deal.game.deal, quiet_turns=earlier))
        return calls_closed(Table(game=game, events=()).move(*moves))

    assert not played(limit - 2).over
    return played(limit - 1).over


_TIMES = Mutant("ending", ">= game.variant.quiet_turn_limit", "> game.variant.quiet_turn_limit")
_CARDS = Mutant("variants", "QUIET_TURNS_PER_CARD: Final = 3", "QUIET_TURNS_PER_CARD: Final = 2")
_DRAWN = "quiet=game.variant.renews_stock)"
_LAID = "        tabled=True,\n        quiet=False,"


def _no_draw_counts(case: Case, *, drawing: bool) -> None:
    assert _ends_with(case, draw_stock(), discard("KD")) == (not drawing)
    assert not _ends_with(case, draw_stock(), lay("7S 7C 7D"), discard("KD"))
    if case.variant.top_discard == "may_keep":
        assert _ends_with(case, take_discard("9H"), discard("KD"))
        assert not _ends_with(case, take_discard("9H"), lay("7S 7C 7D"), discard("KD"))


@states(
    "7.7",
    "The deal also ends when no card is melded or laid off in three times as many turns in a row as the game has cards.",
    _TIMES,
    _CARDS,
    Mutant("evolve", _DRAWN, "quiet=False)"),
    Mutant("evolve", _LAID, "        tabled=True,"),
)
def nothing_is_laid(case: Case):
    _no_draw_counts(case, drawing=False)


@states(
    "7.7",
    "The deal also ends when no card is melded, laid off or drawn from the stock in three times as many turns in a row as the game has cards.",
    _TIMES,
    Mutant("evolve", _DRAWN, "quiet=True)"),
    Mutant("evolve", _LAID, "        tabled=True,\n        quiet=turn.quiet,"),
)
def nothing_is_laid_or_drawn(case: Case):
    _no_draw_counts(case, drawing=True)


@states(
    "7.7",
    "The deal also ends when no card is melded, laid off, drawn from the stock or discarded without a draw in three times as many turns in a row as the game has cards.",
    _TIMES,
    Mutant("evolve", _DRAWN, "quiet=True)"),
    Mutant("evolve", "quiet = not deal.hands[event.seat] or", "quiet = True or"),
)
def nothing_is_laid_drawn_or_thrown_without_a_draw(case: Case):
    _no_draw_counts(case, drawing=True)
    assert not _ends_with(case, pass_(), discard("KD"), stock=0)
