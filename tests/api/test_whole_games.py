"""Whole games over HTTP by random legal moves, in every preset; each answer is held against the document."""

import random

import pytest

from service.rummy.presets import PRESETS
from workers.tools.replay.replay_command import check

SEATS = {"cardcouch": 2, "partnership": 4, "persian": 4, "kitchen-table": 5}


@pytest.mark.parametrize("preset", PRESETS)
def test_a_game_is_played_to_its_end(client, contract, open_table, ana, preset):
    dice = random.Random(preset)
    seats = SEATS.get(preset, 3)
    game = open_table(
        ana,
        variant={"preset": preset, "overrides": {"deals": 2}},
        seats=seats,
        sandbox=True,
        seed=preset,
        seats_held="creator",
    )
    pack = game["stock_count"] + len(game["discard_pile"]) + sum(seat["hand_count"] for seat in game["seats"])
    played = 0
    while game["status"] in {"playing", "deal_over"}:
        assert played < 3000
        listed = client.get(f"/v1/games/{game['id']}/legal-moves", headers=ana).json
        assert listed["version"] == game["version"]
        tabling = [move for move in listed["moves"] if move["type"] in {"meld", "lay_off"}]
        move = dice.choice(tabling or listed["moves"])
        answer = client.post(
            move["path"], json=move["body"], headers={**ana, "If-Match": f'"{game["version"]}"'}
        )
        assert answer.status_code == 201, (move, answer.json)
        assert answer.json["version"] == game["version"] + 1
        game = answer.json["game"]
        tabled = sum(len(meld["cards"]) for meld in game["melds"])
        held = sum(seat["hand_count"] for seat in game["seats"])
        assert game["stock_count"] + len(game["discard_pile"]) + tabled + held == pack
        played += 1

    totals = [sum(deal["seats"][seat]["score"] for deal in game["deals"]) for seat in range(seats)]
    if game["teams"] is not None:
        totals = [totals[seat % 2] + totals[seat % 2 + 2] for seat in range(seats)]
    assert [seat["total"] for seat in game["seats"]] == totals
    assert (game["status"], game["reason"]) == ("finished", "deals")
    assert len(game["deals"]) >= 2
    for form in ("replay", "replay.txt"):
        replay = client.get(f"/v1/games/{game['id']}/{form}", headers=ana)
        checked = check(replay.text)
        assert checked.faults == ()
        assert len(checked.deals) == len(game["deals"])
        assert all(deal.is_proven for deal in checked.deals)
