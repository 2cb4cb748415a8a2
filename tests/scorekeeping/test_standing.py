"""Totals, leaders, dealers and winners, as the rules of the sheet decide them."""

import pytest

from service.scorekeeping.changes import record_deal
from service.scorekeeping.standing import standing_of
from tests.scorekeeping.entries import a_sheet, by_points


def after(sheet, *entries):
    for entry in entries:
        sheet = record_deal(sheet, entry, now=1)
    return standing_of(sheet)


def result_of(standing):
    return standing.result and (standing.result.deal, standing.result.winners, str(standing.result.reason))


def test_a_new_sheet_stands_at_zero():
    standing = standing_of(a_sheet(5))

    assert (standing.totals, standing.leaders, standing.result) == ((0,) * 5, (), None)


def test_totals_run_and_the_best_lead():
    standing = after(a_sheet(3), by_points(10, 60, -5), by_points(50, 0, 5))

    assert [deal.totals for deal in standing.deals] == [(10, 60, -5), (60, 60, 0)]
    assert standing.leaders == (0, 1)


def test_the_lowest_lead_under_penalty_scoring():
    sheet = a_sheet(3, "basic-rummy", scoring="penalty")

    assert after(sheet, by_points(10, 0, 25)).leaders == (1,)


def test_the_deal_passes_to_the_left():
    sheet = a_sheet(3, first_dealer=1)
    standing = after(sheet, *[by_points(1, 2, 3)] * 4)

    assert [deal.dealer for deal in standing.deals] == [1, 2, 0, 1]
    assert sheet.dealer_of(5) == 2


@pytest.mark.parametrize(
    "preset, players, rules, points, result",
    [
        ("classic", 3, {}, [(300, 0, 0), (200, 0, 0)], (2, (0,), "target")),
        ("classic", 3, {}, [(300, 0, 0), (199, 0, 0)], None),
        ("classic", 3, {}, [(505, 505, 0), (-25, -7, 0)], (2, (1,), "target")),
        ("classic", 3, {"tie": "play_on"}, [(505, 505, 0), (-25, -7, 0)], None),
        ("classic", 3, {"tie": "draw"}, [(505, 505, 0)], (1, (), "tie")),
        ("classic", 2, {"deals": 2}, [(600, 1), (0, 700)], (2, (1,), "deals")),
        ("basic-rummy", 3, {"scoring": "penalty"}, [(100, 20, 40)], (1, (1,), "target")),
        ("partnership", 4, {}, [(499, 0), (0, 40), (1, 0)], (3, (0,), "target")),
    ],
)
def test_the_game_ends_by_the_rules_of_play(preset, players, rules, points, result):
    assert result_of(after(a_sheet(players, preset, **rules), *[by_points(*row) for row in points])) == result


def test_only_who_goes_out_wins_where_the_rules_say_so():
    sheet = a_sheet(3, must_go_out_to_win=True)

    assert result_of(after(sheet, by_points(600, 510, 0, reason="stock_end"))) is None
    assert result_of(after(sheet, by_points(600, 510, 0, went_out=2))) is None
    assert result_of(after(sheet, by_points(600, 510, 0, went_out=1))) == (1, (1,), "target")


def test_going_out_decides_where_the_rules_say_so():
    sheet = a_sheet(3, go_out_breaks_tie=True)

    assert result_of(after(sheet, by_points(600, 510, 0, went_out=1))) == (1, (1,), "target")
    assert result_of(after(sheet, by_points(600, 510, 0, went_out=2))) == (1, (0,), "target")


def test_the_best_total_wins_after_200_deals():
    standing = after(a_sheet(2), *[by_points(1, 2)] * 200)

    assert result_of(standing) == (200, (1,), "deal_limit")
