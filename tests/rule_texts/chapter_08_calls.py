"""Calling rummy (RULES 8)."""

from tests.rule_texts.proofs import Case, Mutant, calls_closed, states
from tests.support.tables import Table, call, discard, draw_stock, lay, lay_off, pass_


def _has_calls(case: Case) -> bool:
    """Return whether discards are called; the rules of a preset are those for other numbers of players too."""
    return case.seats > 2 or case.variant.call_beats_take


def _caller(case: Case) -> int:
    return min(2, case.seats - 1)


def _window(case: Case, *, pile: str = "6S 7S", thrown: str = "8S", melds: list[str] | None = None) -> Table:
    """The table after seat 0 discarded a card that the caller can lay off on a meld of their own."""
    caller = _caller(case)
    hands = [f"{thrown} 4D KD", "JD 4H QD", "TD 3H QH"][: max(2, min(3, case.seats))]
    hands[caller] = "8D 8C KC QC JC 3D"
    melds = [f"{caller}: 9S TS JS"] if melds is None else melds
    return case.table(hands=hands, pile=pile, melds=melds, phase="meld").move(discard(thrown))


_LAY_OFF = call("8S", lay_off("8S", "m1"))
_OFF = Mutant("calling", 'if variant.call_rummy == "off":', "if True:")


@states(
    "8.1",
    'After a discard, and before the next player draws, other players may call "Rummy!".',
    _OFF,
    Mutant("play", "case _ if turn.phase is Phase.RUMMY_CALL:", "case _ if False:"),
)
def others_may_call(case: Case):
    if _has_calls(case):
        deal = _window(case)
        assert deal.refused(draw_stock(), by=1) == "call_window_open"
        assert deal.move(_LAY_OFF, by=_caller(case)).turn.seat == _caller(case)
        drawn = calls_closed(deal).move(draw_stock())
        assert drawn.refused(_LAY_OFF, by=_caller(case)) == "call_window_closed"


@states(
    "8.1",
    "The next player draws when all players asked have passed, or when the time for calls is over.",
    Mutant("play", "elif not result.turn.asked:", "elif False:"),
)
def the_window_closes(case: Case):
    if _has_calls(case):
        deal = _window(case)
        assert calls_closed(deal).move(draw_stock()).turn.seat == 1
        while deal.turn.asked:
            assert deal.refused(draw_stock(), by=1) == "call_window_open"
            deal = deal.move(pass_())
        assert deal.move(draw_stock()).turn.seat == 1


_MELD_OF_PILE = call("6S", lay("6S 7S 8S"))
_MELD_WITH_HAND = call("8S", lay("8S 8D 8C"))
_REACH = Mutant(
    "calling", "range(0 if variant.calls_reach_deeper else", "range(1 if variant.calls_reach_deeper else"
)
_NEWEST = Mutant("calling", "range(0 if variant.calls_reach_deeper else", "range(0 if True else")


def _check_calls(case: Case, *, deeper: bool, pile: bool, hand: bool):
    if not _has_calls(case):
        return
    caller, deal = _caller(case), _window(case)
    deal.move(_LAY_OFF, by=caller)
    older = _window(case, pile="8S 2D", thrown="3C", melds=[f"{caller}: 9S TS JS", f"{caller}: 4C 5C 6C"])
    for allowed, table, move in (
        (deeper, older, _LAY_OFF),
        (pile, deal, _MELD_OF_PILE),
        (hand, deal, _MELD_WITH_HAND),
        (False, deal, call("8S", lay("8D 8C KC"))),
    ):
        if allowed:
            assert table.move(move, by=caller).turn.called
        else:
            assert table.refused(move, by=caller) == "nothing_to_call"


@states(
    "8.2",
    "You may call any discard that you can lay off at once, or meld at once with newer discards alone.",
    _REACH,
    Mutant("play", 'if variant.call_rummy == "table_or_pile":', "if False:"),
)
def calls_of_the_pile(case: Case):
    _check_calls(case, deeper=True, pile=True, hand=False)


@states(
    "8.2",
    "You may call any discard that you can lay off at once, or meld at once with newer discards and cards from your hand.",
    _REACH,
    Mutant("play", 'if variant.call_rummy == "table_or_pile":', "if True:"),
)
def calls_with_the_hand(case: Case):
    _check_calls(case, deeper=True, pile=True, hand=True)


@states("8.2", "You may call the top discard if you can lay it off at once.", _NEWEST)
def calls_of_the_newest(case: Case):
    _check_calls(case, deeper=False, pile=False, hand=False)


@states(
    "8.2",
    "You may call the top discard if you can lay it off at once, or meld at once with cards from your hand.",
    _NEWEST,
)
def calls_of_the_newest_with_the_hand(case: Case):
    _check_calls(case, deeper=False, pile=False, hand=True)


_NOT_THE_DISCARDER = Mutant(
    "play",
    'if seat == turn.discarder:\n        raise IllegalMove("discarder_cannot_call"',
    'if False:\n        raise IllegalMove("discarder_cannot_call"',
)


@states(
    "8.3",
    "Everyone except the player who made the discard may call; only players who can call a card are asked.",
    _NOT_THE_DISCARDER,
    Mutant("calling", "        if variant.hands_join_calls\n", "        if True\n"),
)
def those_with_a_call_are_asked(case: Case):
    if _has_calls(case):
        deal = _window(case)
        assert deal.refused(_LAY_OFF, by=0) == "discarder_cannot_call"
        everyone = case.variant.lay_off_targets == "any" and not case.variant.lay_off_after_meld
        partners = (
            {_caller(case), (_caller(case) + 2) % 4} if case.variant.teams == "pairs" else {_caller(case)}
        )
        assert set(deal.turn.asked) == set(range(1, case.seats)) if everyone else partners - {0}
        assert _window(case, pile="2D", thrown="8S", melds=[]).turn.phase.value == "draw"


@states(
    "8.3",
    "Everyone except the player who made the discard may call; all of them are asked.",
    _NOT_THE_DISCARDER,
    Mutant("calling", "        if variant.hands_join_calls\n", "        if False\n"),
)
def all_others_are_asked(case: Case):
    if _has_calls(case):
        assert _window(case).refused(_LAY_OFF, by=0) == "discarder_cannot_call"
        assert _window(case, pile="2D", melds=[]).turn.asked == tuple(range(1, case.seats))


@states(
    "8.3",
    "With two players there are no calls: the other player draws next and can take the card.",
    Mutant(
        "calling",
        "return asked if asked != others[:1] or variant.call_beats_take else ()",
        "return asked",
    ),
)
def two_players_do_not_call(case: Case):
    if case.seats == 2:
        deal = _window(case)
        assert deal.turn.phase.value == "draw"
        assert deal.turn.seat == 1
        assert "8S" in deal.takes()


def _after_a_deep_call(case: Case) -> Table:
    """The table after a call of the 8S below the 2D and the 3C."""
    caller = _caller(case)
    # The 3C fits a meld, so that a window opens also where only the top discard may be called.
    deal = _window(case, pile="8S 2D", thrown="3C", melds=[f"{caller}: 9S TS JS"])
    return deal.move(_LAY_OFF, by=caller)


@states(
    "8.4",
    "The caller takes the card and all newer ones.",
    Mutant("calling", 'if variant.call_takes != "needed":', "if False:"),
)
def newer_discards_are_taken(case: Case):
    if _has_calls(case):
        after = _after_a_deep_call(case)
        assert {"2D", "3C"} <= set(after.hand(_caller(case)))
        assert after.pile == ()


@states(
    "8.4",
    "The caller takes the card, and of the newer discards only those that the meld needs.",
    Mutant("calling", 'if variant.call_takes != "needed":', "if True:"),
)
def needed_discards_are_taken(case: Case):
    if _has_calls(case):
        after = _after_a_deep_call(case)
        assert after.pile == ("2D", "3C")
        melded = _window(case, pile="6S 2D 7S").move(call("6S", lay("6S 7S 8S")), by=_caller(case))
        assert melded.pile == ("2D",)


@states(
    "8.4",
    "The caller takes that card alone.",
    Mutant("calling", "return tuple(range(position, len(pile)))", "return tuple(range(0, len(pile)))"),
)
def one_card_is_taken(case: Case):
    if _has_calls(case):
        after = _window(case).move(_LAY_OFF, by=_caller(case))
        assert after.pile == ("6S", "7S")
        assert len(after.hand(_caller(case))) == 6


@states(
    "8.5",
    "The caller does not draw, may lay more cards, and then discards.",
    Mutant(
        "evolve",
        "        phase=Phase.MELD,\n        must_use=event.card,",
        "        phase=Phase.DRAW,\n        must_use=event.card,",
    ),
)
def the_call_is_the_draw(case: Case):
    if _has_calls(case):
        caller = _caller(case)
        melds = [f"{caller}: 9S TS JS", f"{caller}: 8H 9H TH"]
        deal = _window(case, melds=melds).move(_LAY_OFF, by=caller)
        assert deal.refused(draw_stock()) == "already_drawn"
        hand = _window(case, melds=melds, thrown="7H").move(call("7H", lay_off("7H", "m2")), by=caller)
        more = hand.move(lay("QC JC KC"), discard("3D"))
        assert more.pile[-1] == "3D"


@states(
    "8.5",
    "Play goes on to the caller's left, so players who were skipped lose their turn.",
    Mutant(
        "evolve",
        "    turn = Turn(\n        seat=event.seat,\n        phase=Phase.MELD,\n        must_use",
        "    turn = Turn(\n        seat=deal.turn.seat,\n        phase=Phase.MELD,\n        must_use",
    ),
)
def play_goes_on_after_the_caller(case: Case):
    if _has_calls(case):
        caller = _caller(case)
        after = calls_closed(_window(case).move(_LAY_OFF, by=caller).move(discard("3D")))
        assert after.turn.seat == (caller + 1) % case.seats
        assert after.turn.phase.value == "draw"


@states(
    "8.6",
    "If several players call, the first call counts.",
    Mutant("play", "if turn.called and turn.seat != move.seat:", "if False:"),
)
def the_first_call_counts(case: Case):
    if case.seats > 2:
        deal = _window(case, pile="2D", melds=["1: 9S TS JS", "2: 5S 6S 7S"])
        second = call("8S", lay_off("8S", "m2"))
        assert deal.move(_LAY_OFF, by=1).refused(second, by=2) == "call_lost"
        assert deal.move(second, by=2).refused(_LAY_OFF, by=1) == "call_lost"
