"""Blocks: two players who do not meet again, of whom one does not learn why."""

import pytest

from service.store.blocks import MAX_BLOCKS
from service.streams.connections import Connections
from tests.support.frames import Frames


@pytest.fixture
def streams(clock, store):
    streams = Connections(store=store, now=clock, slots=20)
    yield streams
    streams.close()


@pytest.fixture
def id_of(client):
    def id_of(headers):
        return client.get("/v1/me", headers=headers).json["id"]

    return id_of


@pytest.fixture
def block(client, id_of):
    """Let a player block another one."""

    def block(headers, other):
        answer = client.put(f"/v1/me/blocks/{id_of(other)}", headers=headers)
        assert answer.status_code == 200, answer.json
        return answer.json

    return block


@pytest.fixture
def unblock(client, id_of):
    def unblock(headers, other):
        return client.delete(f"/v1/me/blocks/{id_of(other)}", headers=headers)

    return unblock


class TestTheList:
    def test_has_the_blocked_players(self, client, clock, settle, block, ana, ben):
        first = block(ana, ben)
        clock.on(1000)
        second = block(ana, settle("Cem"))

        assert client.get("/v1/me/blocks", headers=ana).json == {"blocks": [second, first]}
        assert client.get("/v1/me/blocks", headers=ben).json == {"blocks": []}
        assert (first["player"]["name"], second["player"]["name"]) == ("Ben", "Cem")

    def test_keeps_the_first_time(self, clock, block, ana, ben):
        first = block(ana, ben)
        clock.on(1000)

        assert block(ana, ben) == first

    def test_leaves_out_who_deleted_their_account(self, client, store, id_of, block, ana, ben):
        block(ana, ben)
        client.delete("/v1/me", headers=ben)

        assert client.get("/v1/me/blocks", headers=ana).json == {"blocks": []}
        assert store.blocks_of(id_of(ana)) == []

    def test_goes_with_the_account(self, client, store, id_of, block, ana, ben):
        player_id = id_of(ana)
        block(ana, ben)

        client.delete("/v1/me", headers=ana)

        assert player_id not in repr(store._blocks)

    def test_has_a_limited_length(self, client, store, id_of, ana, ben):
        for number in range(MAX_BLOCKS):
            store.put_block(id_of(ana), f"p{number}", at=number)

        answer = client.put(f"/v1/me/blocks/{id_of(ben)}", headers=ana)

        assert (answer.status_code, answer.json["code"]) == (409, "too_many_blocks")

    def test_has_players_that_exist_and_not_oneself(self, client, id_of, unblock, ana, ben):
        assert client.put("/v1/me/blocks/pNobody", headers=ana).json["code"] == "not_found"
        assert client.put(f"/v1/me/blocks/{id_of(ana)}", headers=ana).json["code"] == "validation_failed"
        assert unblock(ana, ben).json["code"] == "not_found"


class TestSeeks:
    @pytest.fixture
    def seek(self, client):
        def seek(headers):
            return client.post("/v1/seeks", json={"seats": 2}, headers=headers).json

        return seek

    @pytest.mark.parametrize("blocking", ["the first", "the second"])
    def test_do_not_match_the_two(self, settle, seek, block, ana, ben, blocking):
        block(*((ana, ben) if blocking == "the first" else (ben, ana)))
        seek(ana)

        assert seek(ben)["status"] == "waiting"
        assert seek(settle("Cem"))["status"] == "matched"

    def test_match_them_again_later(self, seek, block, unblock, ana, ben):
        block(ana, ben)
        assert unblock(ana, ben).status_code == 204
        seek(ana)

        assert seek(ben)["status"] == "matched"

    def test_that_wait_heed_a_new_block(self, client, seek, block, ana, ben):
        seek_id = seek(ana)["id"]
        block(ana, ben)
        client.put(f"/v1/seeks/{seek_id}", headers=ana)

        assert seek(ben)["status"] == "waiting"


class TestATable:
    @pytest.fixture
    def table_of_ana(self, open_table, ana):
        return open_table(ana, seats=3, visibility="public", spectators="public")

    @pytest.fixture
    def listed(self, client):
        def listed(headers):
            return [game["id"] for game in client.get("/v1/games", headers=headers).json["games"]]

        return listed

    def test_is_to_the_blocked_player_as_a_private_one(
        self, client, table_of_ana, listed, block, settle, ana, ben
    ):
        path = f"/v1/games/{table_of_ana['id']}"
        block(ana, ben)

        assert listed(ben) == []
        assert listed(settle("Cem")) == listed(ana) == [table_of_ana["id"]]
        unknown = client.get("/v1/games/g00x", headers=ben).json
        for answer in (
            client.get(path, headers=ben),
            client.post(f"{path}/seats", json={}, headers=ben),
            client.get(f"{path}/events", headers=ben),
            client.get(f"{path}/stream", headers=ben),
            client.post(f"{path}/draw-stock", json={}, headers=ben),
            client.get(f"{path}/legal-moves", headers=ben),
            client.post(f"{path}/reactions", json={"key": "hello"}, headers=ben),
        ):
            assert (answer.status_code, answer.json["detail"]) == (404, unknown["detail"])

    def test_admits_the_blocked_player_with_its_code(self, client, table_of_ana, block, ana, ben):
        block(ana, ben)

        answer = client.post(
            f"/v1/games/{table_of_ana['id']}/seats",
            json={"invite_code": table_of_ana["invite_code"]},
            headers=ben,
        )

        assert answer.status_code == 201

    def test_of_the_blocked_player_stays_open(self, client, open_table, listed, block, ana, ben):
        table = open_table(ben, seats=3, visibility="public")
        block(ana, ben)

        assert listed(ana) == [table["id"]]
        assert client.post(f"/v1/games/{table['id']}/seats", json={}, headers=ana).status_code == 201

    def test_at_which_both_sit_goes_on(self, client, table_of_ana, listed, block, ana, ben):
        client.post(f"/v1/games/{table_of_ana['id']}/seats", json={}, headers=ben)
        block(ana, ben)

        assert listed(ben) == [table_of_ana["id"]]
        view = client.get(f"/v1/games/{table_of_ana['id']}", headers=ben).json
        assert view["viewer"]["seat"] == 1


class TestReactions:
    @pytest.mark.parametrize("blocking", ["the sender", "the other"])
    def test_do_not_pass_between_the_two(self, client, open_table, streams, block, ana, ben, blocking):
        game = open_table(ana, seats=2, visibility="public")
        path = f"/v1/games/{game['id']}"
        client.post(f"{path}/seats", headers=ben)
        block(*((ana, ben) if blocking == "the sender" else (ben, ana)))

        with client.get(f"{path}/stream", headers=ben) as answer:
            sent = client.post(f"{path}/reactions", json={"key": "hello"}, headers=ana)
            streams.broker.close()
            frames = [frame.type for frame in Frames(answer.response).until("stream.closing")]

        assert sent.status_code == 204
        assert "reaction.sent" not in frames


class TestARematch:
    @pytest.fixture
    def cem(self, settle):
        return settle("Cem")

    @pytest.fixture
    def path(self, client, open_table, ana, ben, cem):
        """A finished game of Ana, Ben and Cem."""
        game = open_table(ana, seats=3, visibility="public")
        path = f"/v1/games/{game['id']}"
        for player in (ben, cem):
            client.post(f"{path}/seats", headers=player)
        client.post(f"{path}/start", headers=ana)
        for player in (ana, ben, cem):
            client.post(f"{path}/resignation", json={}, headers=player)
        assert client.get(path, headers=ana).json["status"] == "finished"
        return path

    @pytest.fixture
    def offers(self, store, id_of):
        """The number of rematches that a player was offered."""

        def offers(headers):
            log = store.account_events(id_of(headers), limit=100).events
            return sum(b"rematch.offered" in event.body for event in log)

        return offers

    @pytest.mark.parametrize("blocking", ["the one who asks", "the other"])
    def test_is_not_offered_to_the_other(self, client, path, offers, block, ana, ben, cem, blocking):
        block(*((ana, ben) if blocking == "the one who asks" else (ben, ana)))

        new = client.post(f"{path}/rematch", json={}, headers=ana).json

        kept = [seat["kept_for"] and seat["kept_for"]["name"] for seat in new["seats"]]
        assert kept == [None, None, "Cem"]
        assert (offers(ben), offers(cem)) == (0, 1)

    def test_of_the_blocking_player_has_no_seat_left(self, client, path, block, ana, ben):
        block(ana, ben)
        new = client.post(f"{path}/rematch", json={}, headers=ana).json

        refused = client.post(f"{path}/rematch", json={}, headers=ben)

        assert (refused.status_code, refused.json["code"]) == (409, "game_full")
        assert client.get(f"/v1/games/{new['id']}", headers=ben).status_code == 404

    def test_may_be_joined_by_the_blocking_player(self, client, path, block, ana, ben):
        block(ben, ana)
        client.post(f"{path}/rematch", json={}, headers=ana)

        assert client.post(f"{path}/rematch", json={}, headers=ben).status_code == 200
