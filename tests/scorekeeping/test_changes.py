"""Recording, amending and undoing, on any sheet in any order."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.games.refusals import Refusal
from service.rummy.errors import VariantContradiction
from service.rummy.options import MAX_DEALS
from service.scorekeeping.changes import amend_deal, record_deal, undo_change
from service.scorekeeping.sheet import MAX_CHANGES, ChangeType, decode_sheet, encode_sheet
from service.scorekeeping.standing import standing_of
from tests.scorekeeping.entries import a_sheet, by_cards, by_points, held

#: Rules that end games in different ways, with the number of players.
SHEETS = (
    (2, "cardcouch", {"target": 100}),
    (3, "classic", {"target": 300}),
    (5, "jokers", {"deals": 6}),
    (4, "partnership", {"target": 200}),
    (3, "basic-rummy", {"scoring": "penalty"}),
    (3, "classic", {"going_out_bonus": 25, "go_out_breaks_tie": True, "target": 200}),
)
CARDS = (
    held("7H 8H 9H, TD", hand=""),
    held("4C 5C 6C", hand="KS"),
    held("", hand="AS AD"),
    held("2D 3D 4D", hand="JC"),
    held("8C 9C TC", hand="QD"),
)


@st.composite
def sheets(draw):
    players, preset, overrides = draw(st.sampled_from(SHEETS))
    return a_sheet(players, preset, **overrides)


@st.composite
def entries(draw, sheet):
    players = len(sheet.players)
    if draw(st.booleans()):
        return by_cards(*CARDS[:players])
    points = draw(st.lists(st.integers(-60, 120), min_size=players, max_size=players))
    return by_points(*points, went_out=draw(st.integers(0, players - 1)))


def changed(draw, sheet):
    """Return the sheet after any change that it allows."""
    ways = [amend for amend in ("amend",) if sheet.deals]
    if standing_of(sheet).result is None:
        ways += ["record"] * 3
    entry = draw(entries(sheet))
    if draw(st.sampled_from(ways)) == "record":
        return record_deal(sheet, entry, now=2)
    return amend_deal(sheet, draw(st.integers(1, len(sheet.deals))), entry, now=2)


@st.composite
def used_sheets(draw):
    """Draw a sheet after some changes, some of them undone."""
    sheet = draw(sheets())
    for _ in range(draw(st.integers(1, 12))):
        if sheet.deals and draw(st.integers(0, 3)) == 0:
            sheet = undo_change(sheet, now=3)
        else:
            sheet = changed(draw, sheet)
    return sheet


@given(used_sheets())
def test_totals_are_the_sum_of_the_deals(sheet):
    standing = standing_of(sheet)

    assert standing.totals == tuple(
        sum(deal.scores[side] for deal in standing.deals) for side in range(len(standing.totals))
    )
    for deal in standing.deals:
        if deal.players:
            by_side = [0] * len(deal.scores)
            for player, score in enumerate(deal.players):
                by_side[sheet.variant.side(player)] += score.score
            assert tuple(by_side) == deal.scores


@given(used_sheets(), st.data())
def test_undo_gives_the_former_sheet_back(sheet, data):
    again = undo_change(changed(data.draw, sheet), now=9)

    assert again.deals == sheet.deals
    assert standing_of(again) == standing_of(sheet)
    assert again.version == sheet.version + 2
    assert again.changes[-1].undone_at == 9


@given(used_sheets())
def test_undo_after_undo_goes_back_to_the_empty_sheet(sheet):
    seen = 0
    while any(change.undone_at is None for change in sheet.changes):
        sheet = undo_change(sheet, now=9)
        seen += 1

    assert sheet.deals == ()
    assert seen <= len(sheet.changes)


@given(used_sheets(), st.data())
def test_an_amended_deal_is_as_if_it_had_been_entered_so(sheet, data):
    if not sheet.deals:
        return
    number = data.draw(st.integers(1, len(sheet.deals)))
    entry = data.draw(entries(sheet))
    amended = amend_deal(sheet, number, entry, now=4)

    from_the_start = replace(sheet, deals=(), changes=())
    for deal in amended.deals:
        if standing_of(from_the_start).result is not None:
            break
        from_the_start = record_deal(from_the_start, deal, now=5)

    standing, expected = standing_of(amended), standing_of(from_the_start)
    entered = len(expected.deals)
    assert amended.deals[number - 1].points == entry.points
    assert standing.deals[:entered] == expected.deals
    assert standing.result == expected.result
    # Deals that follow the deciding one could not have been entered; here they stay.
    assert entered == len(standing.deals) or expected.result.deal == entered


@given(used_sheets())
def test_a_sheet_is_read_as_it_was_stored(sheet):
    assert decode_sheet(encode_sheet(sheet)) == sheet


def test_every_change_says_what_it_did():
    sheet = record_deal(a_sheet(2), by_points(10, 20), now=5)
    sheet = amend_deal(sheet, 1, by_points(10, 25), now=6)
    sheet = undo_change(sheet, now=7)
    sheet = record_deal(sheet, by_points(1, 2), now=8)

    told = [
        (
            change.number,
            change.at,
            change.type,
            change.deal,
            change.scores_before,
            change.scores,
            change.undone_at,
        )
        for change in sheet.changes
    ]
    assert told == [
        (1, 5, ChangeType.RECORDED, 1, None, (10, 20), None),
        (2, 6, ChangeType.AMENDED, 1, (10, 20), (10, 25), 7),
        (3, 8, ChangeType.RECORDED, 2, None, (1, 2), None),
    ]


def refusal_of(change, *args):
    with pytest.raises(Refusal) as refusal:
        change(*args, now=9)
    return refusal.value.code


def test_a_decided_game_takes_no_deal_until_that_is_undone_or_amended():
    sheet = record_deal(a_sheet(2), by_points(500, 0), now=1)

    assert refusal_of(record_deal, sheet, by_points(1, 2)) == "sheet_finished"
    assert record_deal(undo_change(sheet, now=2), by_points(1, 2), now=3).deals == (by_points(1, 2),)
    assert len(record_deal(amend_deal(sheet, 1, by_points(50, 0), now=2), by_points(1, 2), now=3).deals) == 2


def test_a_deal_that_was_never_entered_is_not_found():
    sheet = record_deal(a_sheet(2), by_points(5, 0), now=1)

    assert {refusal_of(amend_deal, sheet, number, by_points(1, 2)) for number in (-1, 0, 2)} == {"not_found"}


def test_an_amendment_that_decides_the_game_keeps_the_deals_after_it():
    sheet = a_sheet(2)
    for _ in range(3):
        sheet = record_deal(sheet, by_points(5, 0), now=1)

    standing = standing_of(amend_deal(sheet, 2, by_points(500, 0), now=2))

    assert (standing.result.deal, standing.totals) == (2, (510, 0))


def test_there_is_nothing_to_undo_on_a_new_sheet():
    assert refusal_of(undo_change, a_sheet(2)) == "nothing_to_undo"


def test_the_history_is_bounded_and_its_newest_changes_can_be_undone():
    sheet = record_deal(a_sheet(2), by_points(0, 0), now=1)
    for number in range(MAX_CHANGES + 10):
        sheet = amend_deal(sheet, 1, by_points(0, number), now=1)

    assert len(sheet.changes) == MAX_CHANGES
    assert sheet.changes[-1].number == MAX_CHANGES + 11
    for _ in range(MAX_CHANGES):
        sheet = undo_change(sheet, now=2)
    assert sheet.deals == (by_points(0, 9),)
    assert refusal_of(undo_change, sheet) == "nothing_to_undo"


def test_the_largest_sheet_fits_into_half_a_megabyte():
    entry = by_cards(*CARDS)
    sheet = record_deal(a_sheet(5, packs=2, target=100_000), entry, now=1)
    sheet = amend_deal(sheet, 1, entry, now=1)
    recorded, amended = sheet.changes
    changes = (*(recorded,) * MAX_DEALS, *(amended,) * (MAX_CHANGES - MAX_DEALS))
    sheet = replace(sheet, deals=(entry,) * MAX_DEALS, changes=changes)

    assert len(encode_sheet(sheet)) < 500_000


class TestANewSheet:
    def test_names_its_sides(self):
        assert a_sheet(3).side_names() == ("Ana", "Ben", "Cem")
        assert a_sheet(4, "partnership").side_names() == ("Ana & Cem", "Ben & Dina")
        assert a_sheet(4, "partnership", teams=("Us", "Them")).side_names() == ("Us", "Them")

    def test_begins_with_the_dealer_that_is_named_or_that_the_variant_names(self):
        assert a_sheet(3).first_dealer == 0
        assert a_sheet(3, first_dealer=2).first_dealer == 2
        assert a_sheet(2, "cardcouch").first_dealer == 1

    def test_is_refused_where_rules_and_players_do_not_go_together(self):
        with pytest.raises(VariantContradiction):
            a_sheet(3, "nonsense")
        for members, code in (
            ({"preset": "cardcouch"}, "variant_contradiction"),
            ({"teams": ("Us", "Them")}, "validation_failed"),
            ({"first_dealer": 3}, "validation_failed"),
        ):
            with pytest.raises(Refusal) as refusal:
                a_sheet(3, **members)
            assert refusal.value.code == code
