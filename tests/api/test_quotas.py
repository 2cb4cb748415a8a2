"""Quotas: how much an account and an address may have in use at a time."""

from dataclasses import replace

import pytest

from service.api import services
from service.api.limits import address_hash
from service.api.quotas import COMPUTER_SEATS, SEEKS, TABLES, THINKING_MS
from service.api.rate_limiter import Limiter

#: Two tables, four computer seats and 1,200 ms for an account, some times as much for an address.
FACTOR = 0.02


@pytest.fixture
def limited(app, given, store, clock):
    """The service with quotas; requests themselves are not what is counted here."""

    class Generous(Limiter):
        def take(self, policy, subject):
            return super().take(replace(policy, quota=1_000_000_000), subject)

    services.init_app(app, replace(given, limiter=Generous(counts=store, now=clock, factor=FACTOR)))


@pytest.fixture
def ask(client, limited):
    def ask(headers, **body):
        return client.post("/v1/games", json={"seats": 2, **body}, headers=headers)

    return ask


def is_refused(answer, quota):
    assert (answer.status_code, answer.json["code"], answer.json["quota"]) == (
        429,
        "quota_exceeded",
        quota.name,
    )
    assert str(answer.json["limit"]) in answer.json["detail"]
    assert quota.remedy in answer.json["detail"]
    return True


class TestAnAccount:
    def test_opens_so_many_tables_and_no_more(self, ask, ana, ben):
        assert [ask(ana).status_code for _ in range(2)] == [201, 201]

        refused = ask(ana)

        assert is_refused(refused, TABLES)
        assert (refused.json["limit"], refused.json["in_use"]) == (2, 2)
        assert ask(ben).status_code == 201

    def test_opens_another_when_one_is_over(self, client, ask, ana):
        paths = [f"/v1/games/{ask(ana).json['id']}" for _ in range(2)]
        assert ask(ana).status_code == 429

        client.post(f"{paths[0]}/abort", headers=ana)

        assert ask(ana).status_code == 201

    def test_opens_another_when_one_has_expired(self, ask, clock, ana):
        for _ in range(2):
            ask(ana)
        clock.on(25 * 3_600_000)

        assert ask(ana).status_code == 201

    def test_opens_no_rematch_beyond_them(self, client, ask, ana):
        old = ask(ana, opponents=[{"level": "novice"}]).json["id"]
        client.post(f"/v1/games/{old}/abort", headers=ana)
        open_now = [ask(ana).json["id"] for _ in range(2)]

        assert is_refused(client.post(f"/v1/games/{old}/rematch", json={}, headers=ana), TABLES)

        client.post(f"/v1/games/{open_now[0]}/abort", headers=ana)
        assert client.post(f"/v1/games/{old}/rematch", json={}, headers=ana).status_code == 201

    def test_seats_so_many_computers(self, client, ask, ana):
        assert ask(ana, seats=5, opponents=[{"level": "steady"}] * 4).status_code == 201
        assert is_refused(ask(ana, opponents=[{"level": "novice"}]), COMPUTER_SEATS)

        path = f"/v1/games/{ask(ana).json['id']}"
        refused = client.put(f"{path}/seats/1/computer", json={}, headers=ana)

        assert is_refused(refused, COMPUTER_SEATS)
        assert client.get(path, headers=ana).json["seats"][1]["kind"] is None

    def test_lets_computers_think_for_so_long(self, ask, ana):
        slow = {"opponents": [{"level": "expert"}], "thinking_ms": 1_000}
        assert ask(ana, **slow).status_code == 201
        assert is_refused(ask(ana, **slow), THINKING_MS)
        assert ask(ana, opponents=[{"level": "expert"}], thinking_ms=100).status_code == 201

    def test_seeks_one_game_at_a_time_here(self, client, limited, clock, ana):
        def seek(target):
            body = {"variant": {"preset": "classic", "overrides": {"target": target}}}
            return client.post("/v1/seeks", json=body, headers=ana)

        assert seek(100).status_code == 201
        assert is_refused(seek(200), SEEKS)
        clock.on(30_001)
        assert seek(200).status_code == 201


class TestAnAddress:
    def test_has_a_quota_for_all_its_guests(self, ask, settle):
        guests = [settle(f"Guest {number}") for number in range(4)]

        opened = [ask(guest).status_code for guest in guests[:3] for _ in range(2)]

        assert opened == [201] * 6
        refused = ask(guests[3])
        assert is_refused(refused, TABLES)
        assert refused.json["detail"].startswith("Your address")

    def test_is_stored_only_while_the_game_runs(self, client, app, ask, table, ana):
        game = ask(ana).json
        with app.test_request_context(environ_base={"REMOTE_ADDR": "127.0.0.1"}):
            assert table.get(game["id"]).origin == address_hash()

        client.post(f"/v1/games/{game['id']}/abort", headers=ana)

        assert table.get(game["id"]).origin is None


class TestAProcessThatDied:
    def test_leaves_no_game_counted_that_is_over(self, client, ask, store, table, ana):
        games = [ask(ana).json for _ in range(2)]
        player = client.get("/v1/me", headers=ana).json["id"]
        (before,) = store.usage([player])
        client.post(f"/v1/games/{games[0]['id']}/abort", headers=ana)
        store._usage[player] = dict(before)

        assert ask(ana).status_code == 201
        assert games[0]["id"] not in store.usage([player])[0]


class TestMeta:
    def test_tells_every_quota(self, client, limited):
        told = client.get("/v1/meta").json["limits"]["quotas"]

        assert [quota["name"] for quota in told] == ["tables", "computer_seats", "thinking_ms", "seeks"]
        assert told[0]["account"] == 2
        assert told[0]["address"] == 6

    def test_tells_none_where_nothing_is_limited(self, client, ana):
        assert client.get("/v1/meta").json["limits"]["quotas"] == []
        for _ in range(3):
            assert client.post("/v1/games", json={"seats": 2}, headers=ana).status_code == 201
