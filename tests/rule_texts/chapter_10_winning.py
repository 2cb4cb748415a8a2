"""Winning (RULES 10)."""

from collections.abc import Sequence

from service.rummy.scoring import decide_winners
from tests.rule_texts.proofs import Case, Mutant, states
from tests.support.tables import lay


def _winners(
    case: Case,
    *best: int,
    rest: int = 0,
    went_out: int | None = None,
    deals: int = 1,
    earlier: Sequence[Sequence[int]] = (),
) -> tuple[int, ...] | None:
    """The winning sides with these totals of the first sides, none in a draw, None if play goes on."""
    sides = case.variant.sides(case.seats)
    totals = (list(best) + [rest] * sides)[:sides]
    decided = decide_winners(case.variant, totals, earlier=earlier, went_out=went_out, deals=deals)
    return None if decided is None else decided[0]


_REACHED = "reached = [side for side, total in enumerate(totals) if total >= variant.target]"
_LEADERS = 'best = min(totals) if variant.scoring == "penalty" else max(totals)'


@states(
    "10.1",
    "When a total is {target} or more after a deal, the game is over: the highest total wins.",
    Mutant("scoring", _REACHED, _REACHED.replace(">=", ">")),
    Mutant("scoring", _LEADERS, "best = min(totals)"),
)
def the_highest_total_wins(case: Case):
    target = int(case.said["target"])
    assert _winners(case, target - 1) is None
    assert _winners(case, target) == (0,)
    assert _winners(case, target, target + 5) == (1,)
    assert _winners(case, target - 10, target + 5, went_out=0) == (1,)


@states(
    "10.1",
    "When a total is {target} or more after a deal, the game is over: the lowest total wins.",
    Mutant("scoring", _REACHED, _REACHED.replace(">=", ">")),
    Mutant("scoring", _LEADERS, "best = max(totals)"),
)
def the_lowest_total_wins(case: Case):
    target = int(case.said["target"])
    assert _winners(case, 10, target - 1, rest=20) is None
    assert _winners(case, 10, target, rest=20) == (0,)
    assert _winners(case, target, target + 5, rest=target + 9) == (0,)


_WRITTEN = "return game.totals[side] + laid >= variant.target"


@states(
    "10.1",
    "Points are also written as cards are laid.",
    Mutant("scoring", _WRITTEN, "return game.totals[side] >= variant.target"),
)
@states(
    "10.1",
    "The game is over at once when a total, with the points on the table, reaches {target}: that total wins, and no hand is subtracted.",
    Mutant("scoring", _WRITTEN, _WRITTEN.replace(">=", ">")),
    Mutant(
        "scoring", "    if target_reached:\n        score = table", "    if False:\n        score = table"
    ),
)
def over_at_once(case: Case):
    target, sides = case.variant.target, case.variant.sides(case.seats)
    position = {"hands": ["TH JH QH KC 2C"], "melds": ["0: TD JD QD"], "phase": "meld"}
    below = case.table(**position, totals=[target - 61, *[0] * (sides - 1)])
    assert not below.move(lay("TH JH QH")).over
    game = case.table(**position, totals=[target - 60, *[0] * (sides - 1)]).move(lay("TH JH QH")).game
    assert game.totals[0] == target
    assert game.winners == tuple(seat for seat in range(case.seats) if game.side(seat) == 0)


_DEALS = "if deals >= variant.deals else None"


@states(
    "10.2",
    "After {deals} deals the game is over: the highest total wins.",
    Mutant("scoring", _DEALS, _DEALS.replace(">=", ">")),
    Mutant("scoring", _LEADERS, "best = min(totals)"),
)
def the_highest_total_after_so_many_deals(case: Case):
    deals = int(case.said["deals"])
    assert _winners(case, 9000, 10, deals=deals - 1) is None
    assert _winners(case, 10, 20, deals=deals) == (1,)


@states(
    "10.2",
    "After {deals} deals the game is over: the lowest total wins.",
    Mutant("scoring", _DEALS, _DEALS.replace(">=", ">")),
    Mutant("scoring", _LEADERS, "best = max(totals)"),
)
def the_lowest_total_after_so_many_deals(case: Case):
    deals = int(case.said["deals"])
    assert _winners(case, 9000, 10, deals=deals - 1) is None
    assert _winners(case, 20, 10, rest=30, deals=deals) == (1,)


def _tied(case: Case) -> dict[str, object]:
    """Totals of which two are the best, when the game would be over."""
    variant = case.variant
    worse = 5 if variant.scoring != "penalty" else 9000
    best = variant.target if variant.deals is None else 10
    return {"totals": (best, best), "rest": worse, "deals": variant.deals or 1}


def _after_a_tie(case: Case, *best: int) -> tuple[int, ...] | None:
    """What a deal decides after one that ended in a tie: the totals differ from the tied ones by `best`."""
    tie = _tied(case)
    sides = case.variant.sides(case.seats)
    before = (list(tie["totals"]) + [tie["rest"]] * sides)[:sides]
    totals = [tied + more for tied, more in zip(tie["totals"], best, strict=True)]
    return _winners(case, *totals, rest=tie["rest"], deals=tie["deals"] + 1, earlier=[before])


def _at_the_tie(case: Case) -> tuple[int, ...] | None:
    tie = _tied(case)
    return _winners(case, *tie["totals"], rest=tie["rest"], deals=tie["deals"])


_DRAW = 'return ((), GameEndReason.TIE) if variant.tie == "draw" else None'


@states("10.3", "If the best total is tied, the game is a draw.", Mutant("scoring", _DRAW, "return None"))
def a_tie_is_a_draw(case: Case):
    assert _at_the_tie(case) == ()


@states(
    "10.3",
    "If the best total is tied, all players play further deals until one total is the best, whatever the target.",
    Mutant("scoring", _DRAW, "return ((), GameEndReason.TIE)"),
    Mutant("scoring", 'if variant.tie != "until_ahead":', "if True:"),
)
def a_tie_is_played_off(case: Case):
    assert _at_the_tie(case) is None
    assert _after_a_tie(case, -3, -3) is None
    assert _after_a_tie(case, -3, -4) == ((1,) if case.variant.scoring == "penalty" else (0,))


@states(
    "10.3",
    "If the best total is tied, all players play another deal, after which the same rule applies.",
    Mutant("scoring", _DRAW, "return ((), GameEndReason.TIE)"),
    Mutant("scoring", 'if variant.tie != "until_ahead":', "if False:"),
)
def a_tie_is_played_on(case: Case):
    assert _at_the_tie(case) is None
    assert _after_a_tie(case, 0, 0) is None
    assert _after_a_tie(case, 3, 4) == ((0,) if case.variant.scoring == "penalty" else (1,))
    # Below the target again, nothing is decided; a fixed number of deals stays reached.
    if case.variant.deals is None and case.variant.scoring != "penalty":
        assert _after_a_tie(case, -3, -4) is None


_GOES_OUT = (
    "return ((went_out,), GameEndReason.TARGET) if went_out in reached and went_out is not None else None"
)


@states(
    "10.4",
    "A player that goes out and then has a total of {target} or more wins.",
    Mutant("scoring", "if variant.must_go_out_to_win:", "if False:"),
    Mutant("scoring", _GOES_OUT, "return None"),
)
@states(
    "10.4",
    "A side that goes out and then has a total of {target} or more wins.",
    Mutant("scoring", _GOES_OUT, "return None"),
)
def going_out_wins(case: Case):
    target = int(case.said["target"])
    assert _winners(case, target, target + 50, went_out=0) == (0,)
    assert _winners(case, target - 1, went_out=0) is None


@states(
    "10.4",
    "A player that does not go out cannot win with the deal, whatever its total.",
    Mutant("scoring", "if variant.must_go_out_to_win:", "if False:"),
)
@states(
    "10.4",
    "A side that does not go out cannot win with the deal, whatever its total.",
    Mutant("scoring", "if variant.must_go_out_to_win:", "if False:"),
)
def nothing_else_wins(case: Case):
    target = case.variant.target
    assert _winners(case, 10, target + 50, went_out=0) is None
    assert _winners(case, 10, target + 50, went_out=None) is None


@states(
    "10.5",
    "If two or more totals are {target} or more, and one of them is that of the player who went out in this deal, it wins, even if it is not the highest.",
    Mutant("scoring", "if variant.go_out_breaks_tie and", "if False and"),
    Mutant("scoring", "went_out in reached and len(reached) > 1", "len(reached) > 1"),
)
def going_out_decides(case: Case):
    target = int(case.said["target"])
    assert _winners(case, target, target + 50, went_out=0) == (0,)
    assert _winners(case, target, target, went_out=1) == (1,)
    if case.variant.sides(case.seats) > 2:
        assert _winners(case, 10, target + 50, target, went_out=0) == (1,)


_LIMIT = "if decision is None and deals >= MAX_DEALS:"


@states(
    "10.6",
    "After {deals} deals the game is over in any case: the highest total wins, and a tie is a draw.",
    Mutant("scoring", _LIMIT, "if False:"),
    Mutant(
        "scoring",
        "return sides if len(sides) == 1 else (), GameEndReason.DEAL_LIMIT",
        "return (), GameEndReason.DEAL_LIMIT",
    ),
)
def the_last_deal_the_highest_wins(case: Case):
    deals = int(case.said["deals"])
    assert _winners(case, 20, 10, deals=deals) == (0,)
    assert _winners(case, 20, 20, deals=deals) == ()
    if case.variant.deals is None:
        assert _winners(case, 20, 10, deals=deals - 1) is None


@states(
    "10.6",
    "After {deals} deals the game is over in any case: the lowest total wins, and a tie is a draw.",
    Mutant("scoring", _LIMIT, "if False:"),
    Mutant("scoring", _LEADERS, "best = max(totals)"),
)
def the_last_deal_the_lowest_wins(case: Case):
    deals = int(case.said["deals"])
    assert _winners(case, 20, 10, rest=30, deals=deals) == (1,)
    assert _winners(case, 20, 20, rest=30, deals=deals) == ()
    if case.variant.deals is None:
        assert _winners(case, 20, 10, rest=30, deals=deals - 1) is None
