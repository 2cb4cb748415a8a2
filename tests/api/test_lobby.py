"""The lobby: finding a table, invites, rated games, and seats that change hands."""

import threading

import pytest
from flask.testing import FlaskClient

from service.games.scheduler import Scheduler
from service.games.seating import MAX_EXPIRIES, STAND_IN

CLOCK = {"turn_ms": 5000, "next_deal_ms": 5000}


@pytest.fixture
def cem(settle):
    return settle("Cem")


class TestTablesAreFound:
    @pytest.fixture
    def tables(self, client, open_table, ana, ben):
        """Tables of every sort, by name."""
        made = {
            "plain": open_table(ana, seats=2, visibility="public"),
            "jokers": open_table(ana, seats=4, visibility="public", variant={"preset": "jokers"}),
            "house": open_table(
                ana, seats=3, visibility="public", variant={"preset": "jokers", "overrides": {"target": 300}}
            ),
            "rated": open_table(ana, seats=2, visibility="public", rated=True),
            "watched": open_table(ana, opponents=[{}], visibility="public", spectators="public"),
            "private": open_table(ana, seats=2),
            "sandbox": open_table(ana, seats=2, visibility="public", sandbox=True),
            "full": open_table(ana, seats=2, visibility="public"),
        }
        client.post(f"/v1/games/{made['full']['id']}/seats", headers=ben)
        return {game["id"]: word for word, game in made.items()}

    @pytest.mark.parametrize(
        "query, words",
        [
            ("", "plain jokers house rated watched full"),
            ("status=waiting", "plain jokers house rated full"),
            ("free_seats=1", "plain jokers house rated"),
            ("free_seats=2", "jokers house"),
            ("free_seats=3", "jokers"),
            ("free_seats=1&status=playing", ""),
            ("preset=jokers", "jokers house"),
            ("rated=true", "rated"),
            ("rated=false&free_seats=1", "plain jokers house"),
            ("spectators=public", "watched"),
            ("spectators=none&preset=classic", "plain rated full"),
            ("sandbox=true", "sandbox"),
            ("sandbox=true&rated=true", ""),
        ],
    )
    def test_by_what_they_play(self, client, ben, tables, query, words):
        page = client.get(f"/v1/games?{query}", headers=ben).json

        assert {tables[game["id"]] for game in page["games"]} == set(words.split())
        assert page["next_cursor"] is None

    @pytest.mark.parametrize(
        "query", ["preset=poker", "rated=yes", "spectators=all", "free_seats=0", "free_seats=8", "seats=2"]
    )
    def test_invalid_filters_are_named(self, client, ana, query):
        answer = client.get(f"/v1/games?{query}", headers=ana)

        assert (answer.status_code, answer.json["errors"][0]["field"]) == (422, query.partition("=")[0])

    def test_page_by_page_without_gap_or_repeat(self, client, clock, open_table, ana):
        made = []
        for number in range(9):
            clock.on(1)
            preset = ("classic", "jokers")[number % 2]
            made.append(open_table(ana, seats=2, visibility="public", variant={"preset": preset})["id"])
        found, cursor = [], ""
        while cursor is not None:
            page = client.get(f"/v1/games?preset=jokers&limit=2{cursor}", headers=ana).json
            found += [game["id"] for game in page["games"]]
            cursor = page["next_cursor"] and f"&cursor={page['next_cursor']}"

        assert found == made[1::2][::-1]

    def test_a_reserved_seat_is_not_free(self, client, clock, open_table, ana, ben):
        game = open_table(ana, seats=2, visibility="public")
        client.post(f"/v1/games/{game['id']}/seats", headers=ben)
        client.post(f"/v1/games/{game['id']}/abort", headers=ana)
        again = client.post(f"/v1/games/{game['id']}/rematch", headers=ana).json

        assert client.get("/v1/games?free_seats=1", headers=ben).json["games"] == []
        clock.on(10 * 60 * 1000)
        (found,) = client.get("/v1/games?free_seats=1", headers=ben).json["games"]
        assert found["id"] == again["id"]


class TestInvites:
    def test_new_codes_take_the_place_of_old_ones(self, client, open_table, ana, ben, cem):
        old = open_table(ana, seats=3, spectators="invite")
        path = f"/v1/games/{old['id']}"
        client.post(f"{path}/seats", json={"invite_code": old["invite_code"]}, headers=ben)

        new = client.post(f"{path}/invite-codes", headers=ana).json

        assert (new["version"], new["seats"][1]["player"]["name"]) == (3, "Ben")
        for code in ("invite_code", "spectator_code"):
            assert client.get(f"{path}?invite_code={old[code]}", headers=cem).status_code == 404
            assert client.get(f"{path}?invite_code={new[code]}", headers=cem).status_code == 200
        answer = client.post(f"{path}/seats", json={"invite_code": old["invite_code"]}, headers=cem)
        assert answer.status_code == 404
        assert client.get(path, headers=ben).json["invite_code"] == new["invite_code"]

    def test_the_log_reports_it_without_the_codes(self, client, open_table, ana):
        path = f"/v1/games/{open_table(ana, seats=3)['id']}"
        new = client.post(f"{path}/invite-codes", headers=ana).json
        log = client.get(f"{path}/events", headers=ana)

        assert log.json["events"][-1]["type"] == "invites.renewed"
        assert new["invite_code"] not in log.text

    def test_are_the_creators_to_renew(self, client, open_table, ana, ben, cem):
        path = f"/v1/games/{open_table(ana, seats=3, visibility='public')['id']}"
        client.post(f"{path}/seats", headers=ben)

        assert client.post(f"{path}/invite-codes", headers=ben).json["code"] == "not_creator"
        assert client.post(f"{path}/invite-codes", headers=cem).json["code"] == "not_seated"

    def test_no_code_is_no_code(self, client, open_table, ana, cem):
        path = f"/v1/games/{open_table(ana, seats=3)['id']}"

        for code in ("", None, "x"):
            answer = client.post(f"{path}/seats", json={"invite_code": code}, headers=cem)
            assert answer.status_code == 404


class TestRatedGames:
    @pytest.mark.parametrize(
        "body, code, field",
        [
            ({"opponents": [{}]}, "validation_failed", "opponents"),
            ({"seats": 3, "opponents": [{}, {}]}, "validation_failed", "opponents"),
            ({"clock": None}, "validation_failed", "clock"),
            ({"clock": {"next_deal_ms": 1000}}, "validation_failed", "clock"),
            ({"clock": {"turn_ms": 1000}}, "validation_failed", "clock"),
            ({"sandbox": True}, "sandbox_only", None),
        ],
    )
    def test_are_between_people_and_by_a_clock(self, client, ana, body, code, field):
        answer = client.post("/v1/games", json={"rated": True, **body}, headers=ana)

        assert (answer.status_code, answer.json["code"]) == (422, code)
        assert [error["field"] for error in answer.json["errors"]] == ([] if field is None else [field])

    def test_take_computers_only_where_two_people_are_left(self, client, open_table, ana):
        path = f"/v1/games/{open_table(ana, seats=3, rated=True)['id']}"

        assert client.put(f"{path}/seats/2/computer", json={}, headers=ana).status_code == 200
        refused = client.put(f"{path}/seats/1/computer", json={}, headers=ana)
        assert (refused.status_code, refused.json["code"]) == (403, "rated_game")
        assert client.put(f"{path}/seats/2/computer", json={}, headers=ana).status_code == 200

    def test_are_not_given_up_without_a_result(self, client, open_table, ana, ben):
        path = f"/v1/games/{open_table(ana, seats=2, rated=True, visibility='public')['id']}"
        client.post(f"{path}/seats", headers=ben)
        client.post(f"{path}/start", headers=ana)

        assert client.post(f"{path}/abort", headers=ana).json["code"] == "already_started"


class Waiting(list):
    """The queue of computers' turns, in which no turn waits."""

    def enqueue(self, *turn):
        self.append(turn)

    def is_waiting(self, *turn):
        return False


class TestASeatChangesHands:
    @pytest.fixture
    def let_run_out(self, store, table, clock):
        """Let the time of each seat to act run out; computers play the forced turn."""
        attendant = Scheduler(store=store, table=table, turns=Waiting(), now=clock)

        def let_run_out(game_id, times):
            while times:
                record = table.get(game_id)
                times -= record.computer_to_move() is None
                clock.on(max(0, (record.deadline_at or clock() + 4000) - clock()))
                attendant.tick()

        return let_run_out

    @pytest.fixture
    def playing(self, client, open_table, ana, ben):
        def playing(**more):
            game = open_table(ana, seats=2, visibility="public", clock=CLOCK, **more)
            client.post(f"/v1/games/{game['id']}/seats", headers=ben)
            return client.post(f"/v1/games/{game['id']}/start", headers=ana).json

        return playing

    def events(self, client, game, who, after="0-0"):
        return client.get(f"/v1/games/{game['id']}/events?after={after}", headers=who).json["events"]

    def test_to_a_computer_after_the_third_time_in_a_row(self, client, playing, let_run_out, ana):
        game = playing()
        let_run_out(game["id"], 2 * MAX_EXPIRIES - 2)
        before = client.get(f"/v1/games/{game['id']}", headers=ana).json
        let_run_out(game["id"], 1)
        after = client.get(f"/v1/games/{game['id']}", headers=ana).json

        assert [seat["level"] for seat in before["seats"]] == [None, None]
        (gone,) = [seat for seat in after["seats"] if seat["level"] is not None]
        assert (gone["level"], gone["kind"]) == (STAND_IN, "human")
        assert gone["player"] is not None
        replaced = [event for event in self.events(client, game, ana) if event["type"] == "seat.replaced"]
        assert [(event["seat"], event["level"]) for event in replaced] == [(gone["seat"], STAND_IN)]
        assert replaced[0]["reason"] == "time_ran_out"

    @pytest.mark.parametrize("way", ["by sitting down again", "by a move"])
    def test_and_back_when_its_player_returns(self, client, playing, let_run_out, ana, ben, way):
        game = playing()
        path = f"/v1/games/{game['id']}"
        let_run_out(game["id"], 2 * MAX_EXPIRIES - 1)
        away = client.get(path, headers=ana).json
        (seat,) = [seat["seat"] for seat in away["seats"] if seat["level"] is not None]
        who = (ana, ben)[seat]

        if way == "by a move":
            # It is his stand-in's turn when the other one has had his.
            other = (ben, ana)[seat]
            client.post(f"{path}/draw-stock", headers=other)
            hand = client.get(path, headers=other).json["you"]["hand"]
            version = client.post(f"{path}/discard", json={"card": hand[0]}, headers=other).json["version"]
            answer = client.post(f"{path}/draw-stock", headers=who)
            back = answer.json["game"]
        else:
            version = away["version"]
            answer = client.post(f"{path}/seats", headers=who)
            back = answer.json

        assert answer.status_code == 201
        assert [one["level"] for one in back["seats"]] == [None, None]
        assert back["version"] == version + 1
        told = self.events(client, game, ana, after=f"{version}-99")
        assert (told[0]["type"], told[0]["seat"]) == ("seat.joined", seat)

    def test_never_in_a_rated_game(self, client, playing, let_run_out, ana):
        game = playing(rated=True)
        let_run_out(game["id"], 2 * MAX_EXPIRIES + 2)
        after = client.get(f"/v1/games/{game['id']}", headers=ana).json

        assert [seat["level"] for seat in after["seats"]] == [None, None]
        types = {event["type"] for event in self.events(client, game, ana)}
        assert "clock.expired" in types
        assert "seat.replaced" not in types


class TestManySitDownAtOnce:
    @pytest.mark.parametrize("seats", [2, 4, 8])
    def test_as_many_as_there_are_seats_get_one(self, app, settle, open_table, table, ana, seats):
        game = open_table(ana, seats=seats, visibility="public", variant={"preset": "classic"})
        players = [settle(f"Player {number}") for number in range(10)]
        start = threading.Barrier(len(players))
        answers = []

        def sit(who):
            client = FlaskClient(app)
            start.wait()
            answers.append(client.post(f"/v1/games/{game['id']}/seats", headers=who))

        threads = [threading.Thread(target=sit, args=(who,)) for who in players]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert [answer.status_code for answer in answers].count(201) == seats - 1
        assert {answer.json["code"] for answer in answers if answer.status_code != 201} == {"game_full"}
        record = table.get(game["id"])
        assert (record.version, len({seat.player_id for seat in record.seats})) == (seats, seats)


class TestEqualNames:
    def test_are_distinguished_at_the_table_and_in_lists(self, client, settle, open_table):
        first, second = settle("Ann"), settle("Ann")
        table = open_table(first, seats=3, visibility="public")
        client.post(f"/v1/games/{table['id']}/seats", json={}, headers=second)

        view = client.get(f"/v1/games/{table['id']}", headers=first).json
        (listed,) = client.get("/v1/games", headers=second).json["games"]

        assert [seat["player"] and seat["player"]["name"] for seat in view["seats"]] == ["Ann", "Ann", None]
        for seats in (view["seats"], listed["seats"]):
            assert [seat["display_name"] for seat in seats] == ["Ann", "Ann (2)", None]

    def test_of_computers_are_distinguished_too(self, ana, open_table):
        table = open_table(ana, seats=3, opponents=[{"level": "steady"}, {"level": "steady"}])

        assert [seat["display_name"] for seat in table["seats"]] == ["Ana", "steady", "steady (2)"]
