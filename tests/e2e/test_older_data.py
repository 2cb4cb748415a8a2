"""A data folder that an older release left: this one opens it, and its players play on."""

import httpx
import pytest
import redis

from tests.support.freeze.guests import Guest, wait_for
from tests.support.golden import Golden, releases
from tests.support.tree import Tree
from workers.processes.valkey import take_data_folder

#: These games are played on to their end; in the others some moves are made.
TO_THE_END = {
    *("cardcouch draw", "ace-low draw", "jokers draw", "partnership draw", "classic resigned"),
    *("rated runs", "computer to play", "expert to think"),
}
SOME = 2
#: Here it is a computer's turn, which takes its time.
NOBODY_TO_ACT = {"computer's pace"}


@pytest.fixture(scope="module", params=releases(), ids=str)
def golden(request) -> Golden:
    return request.param


@pytest.fixture(scope="module")
def folder(golden, tmp_path_factory):
    """The release's data folder, as if it had stopped a moment ago."""
    path = tmp_path_factory.mktemp("older") / "data"
    golden.unpack(path)
    owned = take_data_folder(path)
    server = owned.start_server()
    try:
        owned.wait_until_ready(server, give_up=lambda: False, say=print)
        with redis.Redis(unix_socket_path=str(owned.socket)) as connection:
            assert golden.differs(connection) == []
            golden.thaw(connection)
    finally:
        server.terminate()
        server.wait(60)
        owned.release()
    return path


@pytest.fixture(scope="module")
def http(folder):
    """This release, with the older one's data folder."""
    with Tree(folder, RATE_LIMITS="0") as tree:
        with httpx.Client(base_url=tree.url, timeout=60) as http:
            yield http
        assert tree.stop() == 0
        assert "Traceback" not in tree.output


@pytest.fixture(scope="module")
def guests(golden, http):
    return golden.guests(http)


def job_of(guest: Guest, golden: Golden, name: str):
    return guest.get(f"/v1/jobs/{golden.told['jobs'][name]}")


def test_answers_are_given_again_byte_for_byte(golden, http):
    for request in golden.keyed():
        status, answer = request.again(http)
        assert (status, answer) == (request.status, request.answered), request.name


def test_seeks_go_on(golden, guests):
    seeks = golden.told["seeks"]
    told = {name: guests[seek["guest"]].do("PUT", f"/v1/seeks/{seek['id']}") for name, seek in seeks.items()}
    assert told["waiting"]["status"] == "waiting"
    matched = golden.told["games"]["matched"]["id"]
    assert {told["matched first"]["game_id"], told["matched second"]["game_id"]} == {matched}


def test_secrets_open_what_they_were_made_for(golden, http, guests):
    ana = guests["Ana"]
    secrets = golden.told["secrets"]
    ticket = secrets["stream ticket"]
    with http.stream("GET", "/v1/me/stream", params={"ticket": ticket}) as stream:
        assert stream.status_code == 200
    claimed = http.post("/v1/device-links/claim", json={"code": secrets["device link"]})
    assert claimed.json()["player"]["id"] == ana.id
    assert len(ana.get("/v1/tokens")["tokens"]) > 1


def test_players_find_what_is_theirs(golden, guests):
    ana = guests["Ana"]
    assert ana.get("/v1/me")["name"] == "Ana"
    assert "disabled" in {hook["status"] for hook in ana.get("/v1/webhooks")["webhooks"]}
    for pool in ("people", "bots", "computers"):
        assert ana.get(f"/v1/leaderboards/{pool}")
    mine = {game["id"] for game in ana.get("/v1/me/games?limit=100")["games"]}
    assert golden.told["games"]["matched"]["id"] in mine


def test_waiting_jobs_are_done(golden, guests):
    ana = guests["Ana"]
    assert job_of(ana, golden, "hint to take")["hint"]["best"]
    assert job_of(ana, golden, "hint too late")["status"] == "failed"
    for name in ("hint queued", "review queued"):
        wait_for(lambda name=name: job_of(ana, golden, name)["status"] == "done", name)
    for name in ("computer to play", "expert to think"):
        game = golden.told["games"][name]["id"]
        wait_for(lambda game=game: 0 in ana.view(game)["turn"]["may_act"], f"{name}: the computer's move")


def test_every_game_is_read_and_played_on(golden, http):
    over = {"finished", "aborted"}
    for name, party in golden.parties(http).items():
        first = party.guests[0]
        views = [guest.view(party.game_id) for guest in party.guests]
        assert first.events(party.game_id), name
        status = views[0]["status"]
        if status in over and views[0]["deal"]:
            first.get(f"/v1/games/{party.game_id}/replay")
            first.get(f"/v1/games/{party.game_id}/replay.txt")
        if status in over | {"waiting"}:
            continue
        if name in TO_THE_END:
            party.play_to_the_end(name)
            continue
        moved = [party.step() for _ in range(SOME)]
        assert any(moved) or name in NOBODY_TO_ACT, name
