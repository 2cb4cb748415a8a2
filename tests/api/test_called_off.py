"""A table that was called off before its game began: each operation that changes it says so."""

import pytest

from tests.support.operations import GAME, GUARDED

BEFORE_THE_GAME = ("joinGame", "leaveGame", "seatComputer", "startGame")
STILL_DONE = {"renewInviteCodes", "sendReaction", "requestReview", "rematchGame"}
BODIES = {
    "setAutoPass": {"auto_pass": True},
    "sendReaction": {"key": "hello"},
    "takeDiscard": {"card": "2C"},
    "layMeld": {"cards": ["2C", "2D", "2H"]},
    "layOff": {"card": "2C", "meld_id": "m1"},
    "discardCard": {"card": "2C"},
    "callRummy": {"card": "2C", "use": {"type": "lay_off", "meld_id": "m1"}},
    "playTurn": {"moves": [{"type": "draw_stock"}]},
}
CHANGES = {
    name: row[2].split(" ")
    for name, row in GUARDED.items()
    if row[2].split(" ")[1].startswith(GAME) and not row[2].startswith("GET")
}


@pytest.fixture
def called_off(client, open_table, ana, ben):
    """Return the id of a table of Ana and Ben that Ana called off."""
    game_id = open_table(ana, seats=3, visibility="public")["id"]
    client.post(f"/v1/games/{game_id}/seats", headers=ben)
    client.post(f"/v1/games/{game_id}/abort", headers=ana)
    return game_id


@pytest.mark.parametrize("operation", CHANGES)
def test_every_operation_says_that_it_was_called_off(client, called_off, ana, operation):
    method, path = CHANGES[operation]

    answer = client.open(
        path.format(game_id=called_off), method=method, json=BODIES.get(operation, {}), headers=ana
    )

    if operation in STILL_DONE:
        assert answer.status_code < 300
    else:
        code = "game_called_off" if operation in BEFORE_THE_GAME else "game_over"
        assert (answer.status_code, answer.json["code"]) == (409, code)
        assert answer.json["detail"].startswith("The game was called off")


@pytest.mark.parametrize("operation", BEFORE_THE_GAME)
def test_a_player_who_had_no_seat_reads_the_same(client, called_off, settle, operation):
    method, path = CHANGES[operation]

    answer = client.open(path.format(game_id=called_off), method=method, json={}, headers=settle("Cem"))

    assert answer.json["code"] in {"game_called_off", "not_seated"}
    assert "has begun" not in answer.json["detail"]
