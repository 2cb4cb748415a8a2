"""rematchGame: a new game for the same players, opened once however many of them ask."""

import threading
from functools import partial

import pytest
from flask.testing import FlaskClient

from service.games.record import Player, SeatKind, Status
from service.games.rematches import derive_rematch_id, open_rematch
from service.games.scheduler import Scheduler
from service.games.seating import abort_idle
from service.games.timing import SEAT_KEPT_MS, WAITING_KEPT_MS
from service.runtime.durations import MINUTE_MS
from service.store.ids import game_id_from, is_game_id

KEPT = ("variant", "visibility", "spectators", "rated", "sandbox", "clock", "computer_pace_ms", "thinking_ms")


@pytest.fixture
def cem(settle):
    return settle("Cem")


@pytest.fixture
def running(client, open_table, ana, ben):
    """Return the path of a running game of Ana and Ben."""

    def running(**more):
        game = open_table(ana, seats=2, **more)
        path = f"/v1/games/{game['id']}"
        joined = client.post(f"{path}/seats", json={"invite_code": game["invite_code"]}, headers=ben)
        assert joined.status_code == 201, joined.json
        client.post(f"{path}/start", headers=ana)
        return path

    return running


@pytest.fixture
def over(running, table):
    """The same game, aborted for inactivity: both still have their seats."""

    def over(**more):
        path = running(**more)
        game_id = path.rpartition("/")[2]

        table.change(game_id, abort_idle)
        return path

    return over


class TestTheFirstWhoAsks:
    def test_opens_a_new_game_and_keeps_the_others_seat(self, client, clock, over, ana):
        path = over(variant={"preset": "jokers", "overrides": {"target": 300}}, visibility="public")
        old = client.get(path, headers=ana).json

        answer = client.post(f"{path}/rematch", headers=ana)
        new = answer.json

        assert answer.status_code == 201
        assert answer.headers["Location"] == f"/v1/games/{new['id']}" != path
        assert answer.headers["ETag"] == '"1"'
        assert (new["status"], new["viewer"]["seat"]) == ("waiting", 0)
        assert {name: new[name] for name in KEPT} == {name: old[name] for name in KEPT}
        assert new["seats"][1]["player"] is None
        assert new["seats"][1]["kept_for"] == old["seats"][1]["player"]
        assert new["invite_code"] != old["invite_code"]
        assert (new["rematch_id"], new["winners"], new["reason"], new["deals"]) == (None, None, None, [])

    def test_the_old_game_names_it(self, client, over, ana, ben):
        path = over()
        before = client.get(path, headers=ben).json["version"]
        new = client.post(f"{path}/rematch", headers=ana).json

        old = client.get(path, headers=ben).json
        event = client.get(f"{path}/events", headers=ben).json["events"][-1]
        assert (old["version"], old["rematch_id"]) == (before + 1, new["id"])
        assert (event["type"], event["seat"], event["rematch_id"]) == ("rematch.offered", 0, new["id"])

    def test_it_stands_among_the_games_of_those_it_waits_for(self, client, over, ana, ben):
        new = client.post(f"{over()}/rematch", headers=ana).json

        assert new["id"] in {game["id"] for game in client.get("/v1/me/games", headers=ben).json["games"]}

    def test_against_computers_it_begins_at_once(self, client, open_table, ana):
        old = open_table(ana, opponents=[{"level": "steady"}] * 2)
        client.post(f"/v1/games/{old['id']}/resignation", headers=ana)

        new = client.post(f"/v1/games/{old['id']}/rematch", headers=ana).json

        assert new["status"] == "playing"
        assert [seat["kind"] for seat in new["seats"]] == ["human", "computer", "computer"]
        assert new["you"]["hand"] != old["you"]["hand"]

    def test_a_sandbox_is_dealt_again(self, client, open_table, ana):
        old = open_table(ana, sandbox=True, seed="1", seats=3, seats_held="creator")
        client.post(f"/v1/games/{old['id']}/resignation", headers=ana)

        new = client.post(f"/v1/games/{old['id']}/rematch", headers=ana).json

        assert (new["status"], new["sandbox"], new["seats_held"]) == ("playing", True, "creator")
        assert len(new["seats"]) == 3


class TestWhoeverAsksThen:
    def test_sits_down_at_the_same_game_and_it_begins(self, client, over, ana, ben):
        path = over()
        first = client.post(f"{path}/rematch", headers=ana).json
        answer = client.post(f"{path}/rematch", headers=ben)

        assert answer.status_code == 200
        assert (answer.json["id"], answer.json["status"]) == (first["id"], "playing")
        assert answer.json["viewer"]["seat"] == 1
        assert len(answer.json["you"]["hand"]) == 13

    def test_may_ask_again_and_again(self, client, over, ana, ben):
        path = over()
        answers = [client.post(f"{path}/rematch", headers=who) for who in (ana, ana, ben, ben, ana)]

        assert [answer.status_code for answer in answers] == [201, 200, 200, 200, 200]
        assert len({answer.json["id"] for answer in answers}) == 1
        assert client.get(path, headers=ana).json["version"] == 5

    def test_may_join_it_without_a_code_though_it_is_private(self, client, over, ana, ben, cem):
        new = client.post(f"{over()}/rematch", headers=ana).json
        seats = f"/v1/games/{new['id']}/seats"

        assert client.get(f"/v1/games/{new['id']}", headers=ben).json["viewer"]["role"] == "spectator"
        assert client.post(seats, headers=cem).status_code == 404
        assert client.post(seats, headers=ben).json["status"] == "playing"

    def test_gets_the_first_answer_again_under_its_key(self, client, over, ana):
        path = over()
        first, again = (
            client.post(f"{path}/rematch", headers={**ana, "Idempotency-Key": "k"}) for _ in range(2)
        )

        assert (again.status_code, again.data) == (201, first.data)
        assert again.headers["Location"] == first.headers["Location"]

    @pytest.mark.parametrize("seed", range(4))
    def test_at_the_very_same_time_gets_the_very_same_game(self, app, over, table, ana, ben, seed):
        path = over()
        askers = [ana, ben] * 4 if seed % 2 else [ben, ana] * 4
        start = threading.Barrier(len(askers))
        answers = []

        def ask(who):
            start.wait()
            answers.append(FlaskClient(app).post(f"{path}/rematch", headers=who))

        threads = [threading.Thread(target=ask, args=(who,)) for who in askers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert sorted(answer.status_code for answer in answers) == [200] * 7 + [201]
        (new_id,) = {answer.json["id"] for answer in answers}
        new = table.get(new_id)
        assert new.status is Status.PLAYING
        assert {seat.name for seat in new.seats} == {"Ana", "Ben"}
        old = table.events(path.rpartition("/")[2], after=None, limit=100)
        assert [logged.event.type for logged in old].count("rematch.offered") == 1


class TestWhoeverResigned:
    """They left their cards to a computer, and may want another game."""

    @pytest.fixture
    def given_up(self, client, running, ana, ben):
        def given_up(**more):
            path = running(**more)
            # A rated game of two is over with the first of them.
            for who in (ben,) if more.get("rated") else (ben, ana):
                assert client.post(f"{path}/resignation", headers=who).status_code == 201
            return path

        return given_up

    def test_has_a_reserved_seat(self, client, given_up, ana, ben):
        path = given_up()
        new = client.post(f"{path}/rematch", headers=ana).json

        assert new["seats"][1]["kept_for"]["name"] == "Ben"
        assert client.post(f"/v1/games/{new['id']}/seats", headers=ben).json["status"] == "playing"

    def test_may_be_the_caller(self, client, given_up, ana, ben):
        path = given_up()
        new = client.post(f"{path}/rematch", headers=ben)

        assert (new.status_code, new.json["viewer"]["seat"]) == (201, 1)
        assert client.post(f"{path}/rematch", headers=ana).json["status"] == "playing"
        assert client.get(f"{path}/events", headers=ana).json["events"][-1]["seat"] == 1

    def test_has_none_after_their_deletion(self, client, given_up, ana, ben):
        path = given_up()
        client.delete("/v1/me", headers=ben)
        new = client.post(f"{path}/rematch", headers=ana)

        assert new.json["status"] == "playing"
        assert new.json["seats"][1]["kind"] == "computer"
        assert "Ben" not in new.text

    def test_makes_it_rated_again(self, client, given_up, ana, ben):
        path = given_up(rated=True)
        assert client.post(f"{path}/rematch", headers=ana).json["rated"] is True

    def test_without_the_deleted_player_it_is_not_rated(self, client, given_up, ana, ben):
        path = given_up(rated=True)
        client.delete("/v1/me", headers=ben)

        new = client.post(f"{path}/rematch", headers=ana).json
        assert (new["rated"], new["status"]) == (False, "waiting")


class TestAKeptSeat:
    def test_is_reserved_for_a_while(self, client, clock, over, ana, ben, cem):
        new = client.post(f"{over(visibility='public')}/rematch", headers=ana).json
        seats = f"/v1/games/{new['id']}/seats"

        assert client.post(seats, headers=cem).json["code"] == "game_full"
        assert client.post(seats, json={"seat": 1}, headers=cem).json["code"] == "game_full"
        clock.on(SEAT_KEPT_MS)
        assert client.post(seats, headers=cem).json["viewer"]["seat"] == 1
        assert client.post(seats, headers=ben).json["code"] == "already_started"

    def test_may_be_declined(self, client, over, ana, ben, cem):
        new = client.post(f"{over(visibility='public')}/rematch", headers=ana).json
        path = f"/v1/games/{new['id']}"

        assert client.delete(f"{path}/seats/me", headers=ben).status_code == 204
        view = client.get(path, headers=ana).json
        assert (view["seats"][1]["kind"], view["seats"][1]["kept_for"]) == (None, None)
        assert client.post(f"{path}/seats", headers=cem).json["status"] == "playing"

    def test_may_be_given_to_a_computer_and_the_game_begins(self, client, over, ana):
        new = client.post(f"{over()}/rematch", headers=ana).json

        answer = client.put(f"/v1/games/{new['id']}/seats/1/computer", json={}, headers=ana)

        assert answer.json["status"] == "playing"

    def test_is_free_again_when_its_player_is_deleted(self, client, over, ana, ben):
        new = client.post(f"{over()}/rematch", headers=ana).json
        client.delete("/v1/me", headers=ben)

        assert client.get(f"/v1/games/{new['id']}", headers=ana).json["seats"][1]["kept_for"] is None

    def test_is_not_reserved_for_a_deleted_player(self, client, over, ana, ben):
        path = over()
        client.delete("/v1/me", headers=ben)

        seat = client.post(f"{path}/rematch", headers=ana).json["seats"][1]
        assert (seat["player"], seat["kept_for"]) == (None, None)

    def test_is_given_up_by_sitting_elsewhere(self, client, open_table, table, ana, ben, cem):
        game = open_table(ana, seats=3, visibility="public")
        path = f"/v1/games/{game['id']}"
        client.post(f"{path}/seats", json={"seat": 2}, headers=ben)
        client.post(f"{path}/abort", headers=ana)
        new = client.post(f"{path}/rematch", headers=ana).json
        again = f"/v1/games/{new['id']}/seats"

        assert [seat["kept_for"] is None for seat in new["seats"]] == [True, True, False]
        assert client.post(again, json={"seat": 1}, headers=ben).json["viewer"]["seat"] == 1
        assert client.post(again, headers=cem).json["viewer"]["seat"] == 2


class TestARematchIsRefused:
    def test_while_the_game_runs(self, client, running, ana):
        answer = client.post(f"{running()}/rematch", headers=ana)

        assert (answer.status_code, answer.json["code"], answer.json["rule"]) == (409, "wrong_phase", "2.1")

    def test_to_players_of_other_games(self, client, over, cem):
        assert client.post(f"{over()}/rematch", headers=cem).status_code == 404
        public = over(visibility="public", spectators="public")
        assert client.post(f"{public}/rematch", headers=cem).json["code"] == "not_seated"

    def test_one_given_up_before_it_began_may_be_offered_again(self, client, over, ana, ben):
        path = over()
        first = client.post(f"{path}/rematch", headers=ana).json
        client.post(f"/v1/games/{first['id']}/abort", headers=ana)

        second = client.post(f"{path}/rematch", headers=ben)

        assert second.status_code == 201
        assert second.json["id"] != first["id"]
        assert client.get(path, headers=ana).json["rematch_id"] == second.json["id"]


class TestARematchThatDoesNotTakePlace:
    @pytest.fixture
    def offered(self, client, over, ana):
        """Return the path of the old game, and the rematch that Ana opened."""
        path = over()
        return path, client.post(f"{path}/rematch", headers=ana).json["id"]

    @pytest.mark.parametrize(
        "method, way, reason", [("post", "abort", "called_off"), ("delete", "seats/me", "left")]
    )
    def test_is_withdrawn_in_the_old_game(self, client, offered, ana, ben, method, way, reason):
        path, new = offered
        before = client.get(path, headers=ben).json["version"]

        getattr(client, method)(f"/v1/games/{new}/{way}", headers=ana)

        old = client.get(path, headers=ben).json
        event = client.get(f"{path}/events", headers=ben).json["events"][-1]
        assert (old["version"], old["rematch_id"]) == (before + 1, None)
        assert (event["type"], event["rematch_id"]) == ("rematch.withdrawn", new)
        assert (event["seat"], event["reason"]) == (0, reason)

    def test_is_told_in_the_accounts_of_all(self, client, store, offered, ana, ben):
        client.post(f"/v1/games/{offered[1]}/abort", headers=ana)

        for player in (ana, ben):
            player_id = client.get("/v1/me", headers=player).json["id"]
            told = [event.body for event in store.account_events(player_id, limit=100).events]
            assert sum(b"rematch.withdrawn" in body for body in told) == 1

    def test_because_the_opener_deleted_their_account_is_withdrawn(self, client, offered, ana, ben):
        path, new = offered
        client.delete("/v1/me", headers=ana)

        event = client.get(f"{path}/events", headers=ben).json["events"][-1]
        assert (event["type"], event["rematch_id"], event["reason"]) == ("rematch.withdrawn", new, "left")

    def test_within_a_day_is_withdrawn_before_its_table_goes(
        self, client, clock, store, offered, table, turns, ben
    ):
        path, new = offered
        scheduler = Scheduler(store=store, table=table, turns=turns, now=clock)
        clock.on(WAITING_KEPT_MS - 2 * MINUTE_MS)
        scheduler.tick()
        assert client.get(path, headers=ben).json["rematch_id"] == new

        clock.on(MINUTE_MS)
        scheduler.tick()

        event = client.get(f"{path}/events", headers=ben).json["events"][-1]
        assert (event["type"], event["reason"]) == ("rematch.withdrawn", "expired")
        assert client.get(f"/v1/games/{new}", headers=ben).json["status"] == "aborted"

    def test_that_began_stays_when_it_is_aborted(self, client, offered, table, ben):
        path, new = offered
        client.post(f"{path}/rematch", headers=ben)

        table.change(new, abort_idle)

        assert client.get(path, headers=ben).json["rematch_id"] == new


class TestHalfWay:
    def test_a_table_that_the_old_game_does_not_name_yet_is_found_and_named(
        self, client, table, over, ana, ben
    ):
        path = over()
        old = table.get(path.rpartition("/")[2])
        me = client.get("/v1/me", headers=ana).json
        asker = Player(id=me["id"], name=me["name"], kind=SeatKind.HUMAN)
        table.begin(partial(open_rematch, old, asker, derive_rematch_id(old, 1), frozenset()))

        answer = client.post(f"{path}/rematch", headers=ben)

        assert (answer.status_code, answer.json["id"]) == (200, derive_rematch_id(old, 1))
        assert client.get(path, headers=ana).json["rematch_id"] == answer.json["id"]


def test_an_id_that_follows_from_a_secret_has_the_form_of_one():
    ids = {game_id_from(bytes([number]) * 32, shard=7) for number in range(256)}

    assert len(ids) == 256
    assert all(is_game_id(one) and one.startswith("g07") for one in ids)
