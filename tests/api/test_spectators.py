"""Who may watch a game, with which code, and how late."""

import json
import threading

import msgspec
import pytest
from flask.testing import FlaskClient

from service.api.views.rendering import game_view
from service.games.record import RematchOffered, Status
from service.games.seating import abort_idle
from service.games.spectators import as_of
from service.rummy.forced_turn import forced_move
from service.store.presence import PresenceLease
from service.streams.connections import Connections, Timing
from service.streams.presence import watched

DELAY_MS = 60_000


@pytest.fixture
def cem(settle):
    """Somebody who sits nowhere."""
    return settle("Cem")


@pytest.fixture
def running(client, open_table, ana, ben):
    """A game of Ana and Ben that has begun, as Ana sees it."""

    def running(**more):
        game = open_table(ana, seats=2, **more)
        path = f"/v1/games/{game['id']}"
        client.post(f"{path}/seats", json={"invite_code": game["invite_code"]}, headers=ben)
        return client.post(f"{path}/start", headers=ana).json

    return running


OUTLETS = ("", "/events", "/replay", "/rules", "/deals/1/proof")


def statuses(client, game, headers, code=None):
    query = f"?invite_code={code}" if code else ""
    return {
        client.get(f"/v1/games/{game['id']}{outlet}{query}", headers=headers).status_code
        for outlet in OUTLETS
    }


class TestWhoMayWatch:
    """The same answer at every outlet: view, log, replay, rules, proof."""

    @pytest.mark.parametrize(
        "visibility, spectators, bare, with_spectator_code, with_invite_code",
        [
            ("public", "none", 403, 403, 403),
            ("public", "invite", 403, 200, 200),
            ("public", "public", 200, 200, 200),
            ("private", "none", 404, 404, 403),
            ("private", "invite", 404, 200, 200),
            ("private", "public", 404, 200, 200),
        ],
    )
    def test_is_as_agreed(
        self, client, running, table, cem, visibility, spectators, bare, with_spectator_code, with_invite_code
    ):
        game = running(visibility=visibility, spectators=spectators)
        kept = table.get(game["id"])

        assert statuses(client, game, cem) == {bare}
        assert statuses(client, game, cem, "x" * 22) == {bare}
        assert statuses(client, game, cem, kept.spectator_code) == {with_spectator_code}
        assert statuses(client, game, cem, kept.invite_code) == {with_invite_code}

    def test_the_code_for_spectators_is_shown_to_seated_players(self, client, running, cem):
        game = running(visibility="public", spectators="public")
        seen = client.get(f"/v1/games/{game['id']}", headers=cem).json

        assert (seen["spectator_code"], seen["invite_code"]) == (None, None)
        assert len(game["spectator_code"]) >= 20
        assert game["spectator_code"] != game["invite_code"]

    def test_there_is_none_where_no_spectator_is_allowed(self, running):
        assert running()["spectator_code"] is None

    def test_it_seats_no_player(self, client, open_table, ana, cem):
        game = open_table(ana, seats=3, spectators="invite")
        path = f"/v1/games/{game['id']}"
        code = game["spectator_code"]

        assert client.get(f"{path}?invite_code={code}", headers=cem).status_code == 200
        assert client.post(f"{path}/seats", json={"invite_code": code}, headers=cem).status_code == 404
        assert (
            client.post(f"{path}/seats", json={"invite_code": game["invite_code"]}, headers=cem).status_code
            == 201
        )

    def test_a_player_who_also_watches_learns_nothing_more(self, client, running, ben):
        game = running(visibility="public", spectators="public", spectator_delay_ms=DELAY_MS)
        path = f"/v1/games/{game['id']}"

        plain = client.get(path, headers=ben).json
        watching = client.get(f"{path}?invite_code={game['spectator_code']}", headers=ben).json

        assert watching == plain
        assert (watching["viewer"]["role"], watching["viewer"]["seat"]) == ("player", 1)

    def test_spectators_see_no_hand(self, client, running, cem):
        game = running(visibility="public", spectators="public")
        path = f"/v1/games/{game['id']}"
        seen = client.get(path, headers=cem).json
        dealt = next(
            event
            for event in client.get(f"{path}/events", headers=cem).json["events"]
            if event["type"] == "deal.started"
        )

        assert (seen["viewer"]["role"], seen["viewer"]["seat"]) == ("spectator", None)
        assert (seen["you"], dealt["hands"], dealt["stock"]) == (None, [None, None], None)


class Late:
    """A game that spectators see a minute late, and what Cem sees of it."""

    def __init__(self, client, game, players, cem):
        self.client, self.id, self.players, self.cem = client, game["id"], players, cem
        self.path = f"/v1/games/{self.id}"

    def seen(self):
        return self.client.get(self.path, headers=self.cem)

    def play(self, move, body=None):
        """Make a move for the seat to act, and return the game as that player sees it."""
        for who in self.players:
            answer = self.client.post(f"{self.path}/{move}", json=body or {}, headers=who)
            if answer.status_code == 201:
                return answer.json["game"]
        raise AssertionError(answer.json)

    def throw(self):
        """Draw and throw the first card that may be thrown."""
        game = self.play("draw-stock")
        return self.play("discard", {"card": game["you"]["hand"][0]})


@pytest.fixture
def late(client, running, ana, ben, cem):
    game = running(visibility="public", spectators="public", spectator_delay_ms=DELAY_MS)
    return Late(client, game, (ana, ben), cem)


class TestTheDelay:
    def test_is_reported(self, late, running):
        assert late.seen().json["spectator_delay_ms"] == DELAY_MS
        assert running()["spectator_delay_ms"] == 0

    def test_before_it_is_over_the_table_still_waits(self, late):
        seen = late.seen()

        assert (seen.json["status"], seen.json["version"], seen.headers["ETag"]) == ("waiting", 2, '"2"')
        assert (seen.json["stock_count"], seen.json["turn"]) == (None, None)

    def test_then_the_game_appears_as_it_stood(self, late, clock, client, ana):
        clock.on(1000)
        dealt = client.get(late.path, headers=ana).json
        late.throw()
        clock.on(DELAY_MS - 1000)
        seen = late.seen().json

        assert (seen["version"], seen["status"], seen["phase"]) == (3, "playing", "draw")
        assert seen["discard_pile"] == dealt["discard_pile"]
        assert [seat["hand_count"] for seat in seen["seats"]] == [13, 13]
        assert seen["turn"]["deadline_at"] is None
        clock.on(1000)
        assert late.seen().json["version"] == 5

    def test_events_and_replay_stop_where_the_view_does(self, late, clock, client, cem):
        clock.on(1000)
        late.throw()
        clock.on(DELAY_MS - 1000)
        events = client.get(f"{late.path}/events", headers=cem).json
        replay = client.get(f"{late.path}/replay", headers=cem).json

        assert (events["events"][-1]["id"], events["next_after"]) == ("3-2", None)
        assert replay["game"]["version"] == 3
        assert replay["deals"][-1]["events"][-1]["id"] == "3-2"
        behind = client.get(f"{late.path}/events?after=3-2", headers=cem).json
        assert behind == {"events": [], "next_after": None}

    def test_before_the_deal_there_is_no_proof_of_it(self, late, client, cem):
        assert client.get(f"{late.path}/deals/1/proof", headers=cem).status_code == 404

    def test_delays_nothing_for_players(self, late, client, ana):
        late.throw()

        assert client.get(late.path, headers=ana).json["version"] == 5

    def test_a_game_that_began_with_its_table_is_not_there_yet(self, client, clock, open_table, ana, cem):
        game = open_table(
            ana, opponents=[{}], visibility="public", spectators="public", spectator_delay_ms=DELAY_MS
        )
        path = f"/v1/games/{game['id']}"
        before = client.get(path, headers=cem)
        clock.on(DELAY_MS)
        after = client.get(path, headers={**cem, "If-None-Match": before.headers["ETag"]})

        assert (before.headers["ETag"], before.json["status"]) == ('"0"', "waiting")
        assert client.get(f"{path}/events", headers=cem).json["events"][0]["id"] == "1-0"
        assert (after.status_code, after.json["version"], after.json["status"]) == (200, 1, "playing")

    def test_holds_back_how_the_game_ended(self, late, clock, client, ana, ben):
        clock.on(DELAY_MS)
        client.post(f"{late.path}/resignation", headers=ana)
        client.post(f"{late.path}/resignation", headers=ben)
        again = client.post(f"{late.path}/rematch", headers=ben).json["id"]
        before = late.seen().json
        clock.on(DELAY_MS)
        after = late.seen().json

        assert (before["status"], before["winners"], before["reason"]) == ("playing", None, None)
        assert (after["status"], after["reason"]) == ("finished", "resignation")
        assert (before["expires_at"], before["rematch_id"], after["rematch_id"]) == (None, None, again)

    def test_holds_back_that_it_was_given_up(self, late, clock, table):
        clock.on(DELAY_MS)
        table.change(late.id, abort_idle)
        clock.on(1000)
        table.change(late.id, lambda record: (record, (RematchOffered(seat=0, rematch_id="g00x"),)))
        before = late.seen().json
        clock.on(DELAY_MS - 1000)
        after = late.seen().json

        assert before["status"] == "playing"
        assert (after["status"], after["reason"]) == ("aborted", "aborted")
        assert after["expires_at"] is not None

    def test_delays_who_is_ready_for_the_next_deal(self, late, clock, client, table, ben):
        record = table.get(late.id)
        while record.status is Status.PLAYING:
            seat = record.may_act()[0]
            record = table.play(record, forced_move(record.game, seat)).record
        clock.on(1000)
        client.post(f"{late.path}/next-deal", headers=ben)
        clock.on(DELAY_MS - 1000)
        before = late.seen().json
        clock.on(1000)
        after = late.seen().json

        assert (before["status"], before["turn"]["may_act"], len(before["deals"])) == ("deal_over", [0, 1], 1)
        assert after["turn"]["may_act"] == [0]
        client.post(f"{late.path}/next-deal", headers=late.players[0])
        clock.on(DELAY_MS)
        assert late.seen().json["deal"] == 2

    def test_a_late_view_is_the_view_there_was(self, late, table, clock):
        """Made anew from the log, the game is to the last member what it was."""
        shown = []
        for _ in range(6):
            clock.on(1000)
            late.throw()
            clock.on(DELAY_MS)
            shown.append(late.seen().json)

        record = table.get(late.id)
        log = list(table.whole_log(record))
        for view in shown:
            at = max(entry.at for entry in log if entry.version == view["version"])
            stood = as_of(record, log, now=at + DELAY_MS).record
            again = json.loads(msgspec.json.encode(game_view(stood, None, now=at)))
            for told in (view, again):
                del told["server_time"]
                # When the service will act is not told late.
                del told["turn"]["deadline_at"]
            # How many watch is told at once.
            del view["spectator_count"]
            assert again == view


class TestWaitingForWhatIsShownLate:
    def test_nothing_new_is_a_304_though_the_game_has_moved_on(self, late, client, cem):
        late.throw()
        answer = client.get(f"{late.path}?wait_ms=50", headers={**cem, "If-None-Match": '"2"'})

        assert (answer.status_code, answer.headers["ETag"]) == (304, '"2"')

    def test_what_is_shown_in_a_moment_ends_the_wait(self, app, late, clock, cem):
        clock.on(DELAY_MS - 200)
        answers = []

        def wait():
            answers.append(
                FlaskClient(app).get(f"{late.path}?wait_ms=30000", headers={**cem, "If-None-Match": '"2"'})
            )

        waiting = threading.Thread(target=wait)
        waiting.start()
        clock.on(200)
        waiting.join(60)

        assert [(answer.status_code, answer.json["version"]) for answer in answers] == [(200, 3)]

    def test_no_request_waits_in_a_draining_server(self, late, store, client, cem):
        store.release_waiters()
        answer = client.get(f"{late.path}?wait_ms=30000", headers={**cem, "If-None-Match": '"2"'})

        assert answer.status_code == 304


class TestTheirNumber:
    @pytest.fixture
    def streams(self, clock, store):
        streams = Connections(store=store, now=clock, slots=20, timing=Timing(heartbeat_seconds=0.02))
        yield streams
        streams.close()

    @pytest.fixture
    def path(self, open_table, ana):
        game = open_table(ana, seats=2, visibility="public", spectators="public")
        return f"/v1/games/{game['id']}"

    def count(self, client, clock, path, headers):
        clock.on(1_001)
        return client.get(path, headers=headers).json["spectator_count"]

    def test_is_that_of_viewers_without_a_seat_who_have_a_stream_open(self, client, clock, path, ana, settle):
        cem, dan = settle("Cem"), settle("Dan")
        assert self.count(client, clock, path, ana) == 0

        with client.get(f"{path}/stream", headers=cem), client.get(f"{path}/stream", headers=ana):
            assert self.count(client, clock, path, ana) == 1
            with client.get(f"{path}/stream", headers=dan):
                assert self.count(client, clock, path, dan) == 2

        assert self.count(client, clock, path, ana) == 0

    def test_counts_a_player_with_two_streams_once(self, client, clock, path, ana, settle):
        cem = settle("Cem")

        with client.get(f"{path}/stream", headers=cem), client.get(f"{path}/stream.ndjson", headers=cem):
            assert self.count(client, clock, path, ana) == 1

    def test_ends_by_itself_when_a_process_dies(self, client, clock, store, path, ana):
        lease = PresenceLease(player_id=watched(path.rsplit("/", 1)[-1]), kind="spectator", name="pDead")
        store.acquire_presence(lease, now=clock(), until=clock() + 30_000)
        assert self.count(client, clock, path, ana) == 1

        clock.on(30_000)
        assert self.count(client, clock, path, ana) == 0

    def test_is_null_where_nobody_may_watch(self, client, open_table, ana):
        game = open_table(ana, seats=2)

        assert client.get(f"/v1/games/{game['id']}", headers=ana).json["spectator_count"] is None
