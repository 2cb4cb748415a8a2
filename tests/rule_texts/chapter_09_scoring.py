"""Scoring (RULES 9)."""

from service.rummy.scoring import score_deal
from service.rummy.state import DealResult
from tests.rule_texts.proofs import Case, Mutant, states
from tests.support.tables import Table, discard, lay, lay_off

#: Cards of ten points under every option, for seats 1 to 7.
TENS = ["KD", "QD", "JD", "TD", "KH", "QC", "JC"]


def _went_out(case: Case, *, melds=(), pile: str = "", hand: str = "KC", discards: str = "KC") -> DealResult:
    """The result after seat 0 discards its last card; the others hold a card of ten points each."""
    hands = [hand, *TENS[: case.seats - 1]]
    return case.table(hands=hands, melds=melds, pile=pile, phase="meld").move(discard(discards)).result


def _no_player_went_out(case: Case, *, melds=()) -> DealResult:
    deal = case.table(hands=["KC", *TENS[: case.seats - 1]], melds=melds)
    return score_deal(deal.game, went_out=None)


def _opponents(case: Case, seat: int) -> int:
    return sum(case.variant.side(other) != case.variant.side(seat) for other in range(case.seats))


def _scores(result: DealResult) -> list[int]:
    return [seat.score - seat.bonus for seat in result.seats]


_MINUS = "return table if spared else table - held[seat]"


@states(
    "9.6",
    "You score the points of the cards you melded or laid off, minus the points of the cards in your hand.",
    Mutant("scoring", _MINUS, "return table"),
    Mutant("scoring", _MINUS, "return -held[seat]"),
)
def table_minus_hand(case: Case):
    result = _went_out(case, melds=["1: TS JS QS KS", "0: TH JH QH"])
    queen = case.variant.queen_of_spades or 10
    assert _scores(result) == [30, 30 + queen - 10] + [-10] * (case.seats - 2)


@states(
    "9.6",
    "Scores and totals may be below zero.",
    Mutant("scoring", _MINUS, "return max(0, table - held[seat])"),
)
def below_zero(case: Case):
    result = _went_out(case)
    assert result.seats[1].score == -10
    assert result.totals[1] < 0


_HELD = "held = [hand_points(hand, variant) for hand in deal.hands]"


@states(
    "9.6",
    "Cards in the stock and in the discard pile count for no player.",
    Mutant("scoring", _HELD, _HELD.replace("hand, variant", "hand + deal.discard_pile, variant")),
    Mutant("scoring", _HELD, _HELD.replace("hand, variant", "hand + deal.stock, variant")),
)
@states(
    "9.7",
    "Cards in the stock and in the discard pile count for no player.",
    Mutant("scoring", _HELD, _HELD.replace("hand, variant", "hand + deal.discard_pile, variant")),
)
@states(
    "9.8",
    "Cards in the stock and in the discard pile count for no player.",
    Mutant("scoring", _HELD, _HELD.replace("hand, variant", "hand + deal.discard_pile, variant")),
)
def the_piles_count_for_no_player(case: Case):
    hands = ["KC", *TENS[: case.seats - 1]]
    results = {
        tuple(case.table(hands=hands, pile=pile, stock=stock, phase="meld").move(discard("KC")).scores)
        for pile in ("2C", "2C 5D 7H 9D")
        for stock in (3, 9)
    }
    assert len(results) == 1


_TAKEN = "return sum(others) if seat == went_out else 0"


@states(
    "9.7",
    "The player who goes out scores the points of the cards in the hands of all other players.",
    Mutant("scoring", _TAKEN, "return sum(others)"),
    Mutant("scoring", _TAKEN, "return held[seat] if seat == went_out else 0"),
)
@states(
    "9.7",
    "The player who goes out scores the points of the cards in the hands of all opponents.",
    Mutant("scoring", "if variant.side(other) != variant.side(seat)]", "if other != seat]"),
)
def the_winner_takes_the_hands(case: Case):
    assert _scores(_went_out(case)) == [10 * _opponents(case, 0)] + [0] * (case.seats - 1)


@states(
    "9.7",
    "Cards on the table count for no player.",
    Mutant("scoring", _TAKEN, _TAKEN.replace("sum", "table + sum")),
)
@states(
    "9.8",
    "Cards on the table count for no player.",
    Mutant("scoring", "        return held[seat]\n    if", "        return held[seat] - table\n    if"),
)
def the_table_counts_for_no_player(case: Case):
    melds = ["1: TS JS QS KS", "0: 2D 3D 4D"]
    assert _scores(_went_out(case, melds=melds)) == _scores(_went_out(case))


@states(
    "9.7",
    "If the deal ends and no player went out, no player scores.",
    Mutant("scoring", 'case "minus_hand":', 'case "minus_hand" | "none":'),
)
def no_player_scores(case: Case):
    assert _scores(_no_player_went_out(case)) == [0] * case.seats


@states(
    "9.7",
    "If the deal ends and no player went out, each player subtracts the points of the cards in their own hand from their total.",
    Mutant("scoring", "return -own", "return 0"),
)
def each_subtracts_their_hand(case: Case):
    assert _scores(_no_player_went_out(case)) == [-10] * case.seats
    assert min(_went_out(case).totals) >= 0


@states(
    "9.7",
    "If the deal ends and no player went out, the player whose hand counts fewest points scores how much more each opponent's hand counts.",
    Mutant("scoring", "lowest=min(held)", "lowest=max(held)"),
    Mutant("scoring", "return sum(points - own for points in others)", "return sum(others)"),
)
def the_lowest_hand_scores(case: Case):
    deal = case.table(hands=["KC", "5C", *TENS[: case.seats - 2]])
    scores = _scores(score_deal(deal.game, went_out=None))
    assert scores == [0, 5 * _opponents(case, 1)] + [0] * (case.seats - 2)


@states(
    "9.7",
    "Players who share the fewest all score so.",
    Mutant("scoring", "own == lowest:", "own == lowest < min(others):"),
)
def those_who_share_the_fewest_score(case: Case):
    deal = case.table(hands=["5D", "5C", *TENS[: case.seats - 2]])
    scores = _scores(score_deal(deal.game, went_out=None))
    above = sum(case.variant.side(other) != case.variant.side(0) for other in range(2, case.seats))
    assert scores[:2] == [5 * above] * 2


@states(
    "9.8",
    "Each player adds the points of the cards in their own hand to their total.",
    Mutant("scoring", "        return held[seat]\n    if", "        return -held[seat]\n    if"),
)
def each_adds_their_hand(case: Case):
    assert _scores(_went_out(case)) == [0] + [10] * (case.seats - 1)
    assert _scores(_no_player_went_out(case)) == [10] * case.seats


@states(
    "9.8",
    "A low total is good.",
    Mutant(
        "scoring", 'best = min(totals) if variant.scoring == "penalty" else max(totals)', "best = max(totals)"
    ),
)
def the_lowest_total_leads(case: Case):
    from service.rummy.scoring import leaders

    assert leaders(case.variant, (30, 20, 40, 50)) == (1,)


def _in_hand(case: Case, cards: str) -> int:
    deal = case.table(hands=[cards])
    return score_deal(deal.game, went_out=None).seats[0].hand_points


@states(
    "9.1",
    "Cards from 2 to 10 count their number; jacks, queens and kings count 10.",
    Mutant("scoring", "TEN_POINTS = 10", "TEN_POINTS = 11"),
    Mutant(
        "scoring", 'return FIVE_POINTS if variant.card_values == "five_point" else rank', "return FIVE_POINTS"
    ),
)
def face_values(case: Case):
    assert [_in_hand(case, f"{rank}H") for rank in "23456789TJQK"] == [2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10]


@states(
    "9.3",
    "Cards from 2 to 9 count 5 points; tens, jacks, queens and kings count 10.",
    Mutant("scoring", "if rank >= TEN:", "if rank > TEN:"),
    Mutant("scoring", 'return FIVE_POINTS if variant.card_values == "five_point" else rank', "return rank"),
)
def five_point_values(case: Case):
    assert [_in_hand(case, f"{rank}H") for rank in "23456789TJQK"] == [5] * 8 + [10] * 4


@states(
    "9.12",
    "The queen of spades counts 40 points instead of 10.",
    Mutant("scoring", "if card == QUEEN_OF_SPADES and", "if False and"),
)
def the_queen_of_spades(case: Case):
    assert [_in_hand(case, f"Q{suit}") for suit in "CDHS"] == [10, 10, 10, 40]


def _ace_on_table(case: Case) -> dict[str, int]:
    """The points of an ace: low in a run, high in a run, and in a set, as far as these are melds."""
    melds = {"low": ("AH", "2H 3H 4H"), "high": ("JH QH KH", "AH"), "set": ("AH", "AD AC")}
    found = {}
    for place, parts in melds.items():
        if place == "set" or case.variant.ace_in_run in {"both", "around", place}:
            total = case.table(hands=["2C"], melds=["0: " + " ".join(parts)]).points(0)
            others = max(parts, key=len)
            found[place] = total // 3 if place == "set" else total - _in_hand(case, others)
    return found


def _check_ace(case: Case, *, low: int, elsewhere: int):
    assert _in_hand(case, "AH") == elsewhere
    if case.variant.scoring == "table_minus_hand":
        assert _ace_on_table(case) == {
            place: low if place == "low" else elsewhere for place in _ace_on_table(case)
        }


@states(
    "9.2",
    "An ace counts 15 points, but 1 at the low end of a run.",
    Mutant("scoring", 'if low_ace and variant.ace_value == "by_place":', "if False:"),
)
def low_aces_count_one(case: Case):
    _check_ace(case, low=1, elsewhere=15)


@states(
    "9.2",
    "An ace counts 15 points, but 5 at the low end of a run.",
    Mutant("scoring", 'if low_ace and variant.ace_value == "by_place":', "if False:"),
)
def low_aces_count_five(case: Case):
    _check_ace(case, low=5, elsewhere=15)


@states(
    "9.2",
    "An ace counts 15 points everywhere.",
    Mutant("scoring", "    return ACE_POINTS", "    return LOW_ACE_POINTS"),
)
def aces_count_fifteen(case: Case):
    _check_ace(case, low=15, elsewhere=15)


@states(
    "9.2",
    "An ace counts 1 point everywhere.",
    Mutant("scoring", 'if variant.ace_value == "always_1":', "if False:"),
)
def aces_count_one(case: Case):
    _check_ace(case, low=1, elsewhere=1)


@states(
    "9.4",
    "A joker counts 15 points, whatever it stands for.",
    Mutant(
        "scoring",
        "    if is_joker(card):\n        return JOKER_POINTS",
        "    if is_joker(card):\n        return LOW_ACE_POINTS if low_ace else JOKER_POINTS",
    ),
    Mutant("scoring", "JOKER_POINTS = 15", "JOKER_POINTS = 25"),
)
def jokers_count_fifteen(case: Case):
    assert _in_hand(case, "X1") == 15
    assert case.table(hands=["2C"], melds=["0: X1=7H 8H 9H"]).points(0) - _in_hand(case, "8H 9H") == 15
    if case.variant.ace_in_run != "high":
        assert case.table(hands=["2C"], melds=["0: X1=AH 2H 3H"]).points(0) - _in_hand(case, "2H 3H") == 15


def _aces(case: Case) -> tuple[int, int, int, int]:
    """The points of four aces laid at once, by lay-off, by two players; and four times those of an ace."""
    each = 4 * (1 if case.variant.ace_value == "always_1" else 15)
    hand = case.table(hands=["AH AD AC AS 9C 9D"], phase="meld")
    other = {"any": 1, "own_side": 2}[case.variant.lay_off_targets]
    if other == 2 and case.variant.teams != "pairs":
        by_two = each  # No other player may lay off on the set.
    else:
        shared = case.table(hands=["2C"], melds=[f"0: AH AD AC AS@{other}"])
        by_two = shared.points(0) + shared.points(other)
    at_once = hand.move(lay("AH AD AC AS")).points(0)
    return at_once, hand.move(lay("AH AD AC"), lay_off("AS", "m1")).points(0), by_two, each


@states(
    "9.5",
    "Four aces that one player lays in one set, at once, count 100 points together.",
    Mutant("scoring", 'if variant.four_aces_laid == "at_once":', "if False:"),
    Mutant("scoring", "if variant.four_aces is None or", "if True or"),
)
def four_aces_at_once(case: Case):
    at_once, over_time, by_two, each = _aces(case)
    assert (at_once, over_time, by_two) == (100, each, each)


@states(
    "9.5",
    "Four aces that one player lays in one set, at once or one after the other, count 100 points together.",
    Mutant("scoring", 'if variant.four_aces_laid == "at_once":', "if True:"),
    Mutant("scoring", "for one in laid if one.laid_by == seat) >= _FOUR", "for one in laid) >= _FOUR"),
)
def four_aces_over_time(case: Case):
    at_once, over_time, by_two, each = _aces(case)
    assert (at_once, over_time, by_two) == (100, 100, each)


@states(
    "9.9",
    "The player who goes out scores a bonus of {points} points.",
    Mutant("scoring", "    bonus = variant.going_out_bonus\n", "    bonus = 0\n"),
    Mutant(
        "scoring", "goes_rummy=goes_rummy) if seat == went_out", "goes_rummy=goes_rummy) if seat != went_out"
    ),
)
def a_bonus_for_going_out(case: Case):
    result = _went_out(case)
    assert [seat.bonus for seat in result.seats] == [int(case.said["points"])] + [0] * (case.seats - 1)
    assert result.seats[0].score == _scores(result)[0] + int(case.said["points"])


def _rummy(case: Case) -> tuple[int, int, int]:
    """The score of a player who goes rummy, of one who laid cards before, and of one who lays none at all."""
    hands = ["TH JH QH KC", *TENS[: case.seats - 1]]

    def out(*, before: bool) -> Table:
        deal = case.table(hands=hands, phase="meld", tabled_before=before)
        return deal.move(lay("TH JH QH"), discard("KC"))

    return out(before=False).scores[0], out(before=True).scores[0], _went_out(case).seats[0].bonus


@states(
    "9.10",
    "If a player lays their first cards of the deal and goes out in the same turn, their score for the deal is doubled.",
    Mutant("scoring", "return bonus + (score + bonus)", "return bonus"),
    Mutant("scoring", "goes_rummy = turn.tabled and not turn.tabled_before", "goes_rummy = turn.tabled"),
)
def going_rummy_doubles(case: Case):
    at_once, later, none = _rummy(case)
    assert at_once == 2 * later
    assert none == case.variant.going_out_bonus


@states(
    "9.10",
    "If a player lays their first cards of the deal and goes out in the same turn, they score 10 points more.",
    Mutant("scoring", "RUMMY_BONUS = 10", "RUMMY_BONUS = 25"),
    Mutant(
        "scoring",
        "goes_rummy = turn.tabled and not turn.tabled_before",
        "goes_rummy = not turn.tabled_before",
    ),
)
def going_rummy_adds_ten(case: Case):
    at_once, later, none = _rummy(case)
    assert at_once == later + 10
    assert none == case.variant.going_out_bonus


@states(
    "9.10",
    "If a player lays their first cards of the deal and goes out in the same turn, the bonus is 50 points.",
    Mutant("scoring", "return 2 * bonus", "return bonus"),
    Mutant("scoring", "goes_rummy = turn.tabled and not turn.tabled_before", "goes_rummy = turn.tabled"),
)
def going_rummy_doubles_the_bonus(case: Case):
    at_once, later, none = _rummy(case)
    assert at_once == later + 25
    assert none == 25


@states(
    "9.11",
    "If the deal ends and no player went out, the cards in hand are not subtracted.",
    Mutant("scoring", "spared = went_out is None and variant.no_minus_at_stock_end", "spared = False"),
    Mutant(
        "scoring",
        "spared = went_out is None and variant.no_minus_at_stock_end",
        "spared = variant.no_minus_at_stock_end",
    ),
)
def no_minus(case: Case):
    assert _scores(_no_player_went_out(case, melds=["1: TH JH QH"])) == [0, 30] + [0] * (case.seats - 2)
    assert _scores(_went_out(case))[1] == -10
