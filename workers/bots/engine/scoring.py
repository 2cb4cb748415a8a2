"""The scores of a finished deal."""

from workers.bots.engine.deal import SimulatedDeal
from workers.bots.engine.rules import (
    BONUS_10,
    DOUBLE,
    DOUBLE_BONUS,
    LOWEST_HAND,
    MINUS_HAND,
    PENALTY,
    WINNER_TAKES_HANDS,
)


def scores(deal: SimulatedDeal) -> list[int]:
    """Return the score of each seat for the deal, with bonuses (RULES 9)."""
    rules = deal.rules
    held = [deal.hand_points(seat) for seat in range(rules.seats)]
    if rules.scoring == PENALTY:
        return held
    if rules.scoring == WINNER_TAKES_HANDS:
        won = [0] * rules.seats
        if deal.went_out >= 0:
            for seat in range(rules.seats):
                if rules.side(seat) != rules.side(deal.went_out):
                    won[deal.went_out] += held[seat]
        elif rules.stock_end_score == MINUS_HAND:
            won = [-points for points in held]
        elif rules.stock_end_score == LOWEST_HAND:
            lowest = min(held)
            for seat in range(rules.seats):
                for other in range(rules.seats):
                    if held[seat] == lowest and rules.side(other) != rules.side(seat):
                        won[seat] += held[other] - lowest
    elif deal.went_out < 0 and rules.no_minus:
        won = deal.points
    else:
        won = [deal.players[seat].points - held[seat] for seat in range(rules.seats)]
    if deal.went_out >= 0:
        won[deal.went_out] += _bonus(deal, won[deal.went_out])
    return won


def _bonus(deal: SimulatedDeal, score: int) -> int:
    rules = deal.rules
    bonus = rules.bonus
    if deal.tabled and not deal.tabled_before:
        if rules.going_rummy == DOUBLE_BONUS:
            return 2 * bonus
        if rules.going_rummy == DOUBLE:
            return bonus + score + bonus
        if rules.going_rummy == BONUS_10:
            return bonus + 10
    return bonus


def margins(deal: SimulatedDeal) -> list[float]:
    """Return for each seat the lead of its side over the mean score of the other sides."""
    rules = deal.rules
    won = scores(deal)
    sides = 2 if rules.pairs_play else rules.seats
    totals = [0] * sides
    for seat in range(rules.seats):
        totals[seat % sides] += won[seat]
    whole = sum(totals)
    sign = -1.0 if rules.scoring == PENALTY else 1.0
    return [
        sign * (totals[seat % sides] - (whole - totals[seat % sides]) / (sides - 1))
        for seat in range(rules.seats)
    ]
