"""A log that a newer release wrote in: whoever reads it here passes over what only that one knows."""

import json
from dataclasses import replace

import pytest

from service.games.codec import encode_record
from service.games.record import SeatJoined
from service.store.accounts import NewAccountEvent
from service.store.contract import Commit
from service.store.schema import SCHEMA
from service.streams.connections import Connections, Timing
from tests.support.frames import Frames

SECRET = "KS"


@pytest.fixture
def streams(clock, store):
    streams = Connections(store=store, now=clock, slots=20, timing=Timing(heartbeat_seconds=0.02))
    yield streams
    streams.close()


@pytest.fixture
def wrote(store, table, clock):
    """Let a newer release write two events of an unknown type into a game's log."""

    def wrote(game_id):
        before = table.get(game_id)
        event = {"seat": 0, "card": SECRET, "variant": {"new_option": SECRET}}
        entry = {"schema": SCHEMA + 1, "type": "card.peeked", "at": clock(), "event": event}
        after = replace(before, version=before.version + 1, updated_at=clock())
        store.commit(
            Commit(
                game_id=game_id,
                expected_version=before.version,
                state=encode_record(after),
                events=(json.dumps(entry).encode(),) * 2,
                expires_at=clock() + 1_000_000,
            )
        )

    return wrote


@pytest.fixture
def played(client, open_table, wrote, ana, ben):
    """A game of two people, in whose first turn a newer release had a hand."""
    game = open_table(ana, seats=2, visibility="public", spectators="public", spectator_delay_ms=60_000)
    path = f"/v1/games/{game['id']}"
    client.post(f"{path}/seats", headers=ben)
    client.post(f"{path}/start", headers=ana)
    wrote(game["id"])
    players = {0: ana, 1: ben}
    seat = client.get(path, headers=ana).json["turn"]["seat"]
    drawn = client.post(f"{path}/draw-stock", headers=players[seat])
    assert drawn.status_code == 201, drawn.json
    return path


def test_the_log_goes_on_behind_it(client, played, ana):
    told, after = [], ""
    while True:
        page = client.get(f"{played}/events?limit=1{after}", headers=ana).json
        told += page["events"]
        if page["next_after"] is None:
            break
        after = f"&after={page['next_after']}"

    assert [event["type"] for event in told] == [
        *("seat.joined", "seat.joined", "game.started", "deal.started", "turn.started", "stock.drawn"),
    ]


def test_streams_and_replays_go_on_behind_it(client, clock, played, ana, ben):
    with client.get(f"{played}/stream?after=0-0", headers=ana) as answer:
        types = [frame.type for frame in Frames(answer.response).log(6)]
    assert types[-1] == "stock.drawn"
    client.post(f"{played}/resignation", headers=ana)
    client.post(f"{played}/resignation", headers=ben)

    replay = client.get(f"{played}/replay", headers=ana)
    assert "peeked" not in replay.text
    assert client.get(f"{played}/replay.txt", headers=ana).status_code == 200


def test_late_spectators_see_the_game_as_it_stood(client, clock, played, settle):
    dan = settle("Dan")
    clock.on(59_999)
    assert client.get(played, headers=dan).json["version"] < 5
    clock.on(60_000)

    seen = client.get(played, headers=dan)

    assert seen.json["phase"] == "meld"
    assert "peeked" not in client.get(f"{played}/events", headers=dan).text


def test_the_name_of_a_player_who_leaves_is_removed_and_the_rest_stays(client, store, open_table, settle):
    eva = settle("Eva")
    game = open_table(eva, seats=3)
    (joined,) = store.events(game["id"], limit=10)
    entry = json.loads(joined.body)
    entry["event"]["avatar"] = "a fox"
    store.rewrite_events(game["id"], {(joined.version, joined.seq): json.dumps(entry).encode()})

    assert client.delete("/v1/me", headers=eva).status_code == 204

    left = json.loads(store.events(game["id"], limit=1)[0].body)["event"]
    assert (left["name"], left["avatar"]) == ("former player", "a fox")
    assert entry["type"] == SeatJoined.type


def test_what_a_newer_release_notifies_is_shown_to_no_player(client, store, ana, streams):
    me = client.get("/v1/me", headers=ana).json["id"]
    with client.get("/v1/me/stream", headers=ana) as answer:
        frames = Frames(answer.response)
        next(frames)
        for type_, seq in (("card.peeked", 0), ("game.started", 1)):
            body = {"type": type_, "game_id": "g", "version": 2, "seq": seq, "at": "now", "seat": 0}
            tell(store, me, {**body, "schema": SCHEMA + 1, "card": SECRET}, seq)
        told = frames.until("game.started")

    assert [frame.type for frame in told] == ["game.started"]
    assert told[0].data.keys() == {"type", "id", "game_id", "version", "seq", "at", "seat"}


def tell(store, player_id, body, seq):
    game_id = body["game_id"]
    entry = NewAccountEvent(
        player_id=player_id, game_id=game_id, version=2, seq=seq, body=json.dumps(body).encode()
    )
    store.append_account_events([entry])
