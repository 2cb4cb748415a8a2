"""Rate limits, and the headers that report them."""

import re
from dataclasses import replace
from typing import ClassVar

import pytest

from service.api import limits, services
from service.api.rate_limiter import Limiter
from service.app import create_app
from service.store.contract import StoreUnavailable
from tests.support.contract import CheckedClient, Contract


@pytest.fixture
def limited(app, client, given, store, clock):
    """Limit the clients of the test app, by the usual quotas times a factor."""

    def limited(factor=1.0, counts=store):
        limiter = Limiter(counts=counts, now=clock, factor=factor)
        services.init_app(app, replace(given, limiter=limiter))
        return client

    return limited


def until_refused(ask, most=2000):
    for _ in range(most):
        answer = ask()
        if answer.status_code == 429:
            return answer
    raise AssertionError("never refused")


class TestARefusal:
    def test_says_by_which_limit_and_until_when(self, limited, settle, clock):
        client = limited(0.002)
        ana = settle()

        answer = until_refused(lambda: client.get("/v1/me", headers=ana))

        told = answer.json
        assert answer.mimetype == "application/problem+json"
        assert (told["code"], told["policy"]) == ("rate_limited", "reading")
        assert told["retry_after_ms"] <= int(answer.headers["Retry-After"]) * 1000
        assert re.search(r'"reading";r=0;t=\d+$', answer.headers["RateLimit"])
        assert re.search(r'"reading";q=6;w=60$', answer.headers["RateLimit-Policy"])
        clock.on(told["retry_after_ms"])
        assert client.get("/v1/me", headers=ana).status_code == 200

    def test_is_each_players_own(self, limited, settle):
        client = limited(0.002)
        ana, ben = settle("Ana"), settle("Ben")
        until_refused(lambda: client.get("/v1/me", headers=ana))

        assert client.get("/v1/me", headers=ben).status_code == 200

    def test_changes_nothing(self, limited, settle):
        client = limited(0.002)
        ana = settle()
        until_refused(lambda: client.post("/v1/tokens", json={}, headers=ana))

        before = client.get("/v1/tokens", headers=ana).json
        client.post("/v1/tokens", json={}, headers=ana)

        assert client.get("/v1/tokens", headers=ana).json == before


class TestWhatIsLeft:
    def test_is_reported_with_every_response(self, limited, settle):
        client = limited()
        ana = settle()

        first, second = (client.get("/v1/me", headers=ana).headers for _ in range(2))

        assert first["RateLimit-Policy"] == '"address";q=36000;w=60, "reading";q=3000;w=60'
        left = [re.search(r'"reading";r=(\d+);t=(\d+)$', told["RateLimit"]) for told in (first, second)]
        assert [int(match[1]) for match in left] == [2999, 2998]
        assert all(0 < int(match[2]) <= 60 for match in left)

    def test_is_reported_with_other_errors(self, limited):
        client = limited()

        assert client.get("/nowhere").headers["RateLimit"].startswith('"address";r=35999;')
        assert client.get("/v1/me").headers["RateLimit"].startswith('"address";r=35998;')

    def test_may_be_read_by_any_page(self, limited):
        exposed = limited().get("/v1/meta").headers["Access-Control-Expose-Headers"]

        assert {"RateLimit", "RateLimit-Policy", "Retry-After"} <= set(exposed.split(", "))

    def test_the_limits_are_listed(self, limited):
        listed = limited(2).get("/v1/meta").json["limits"]["requests"]

        assert {limit["policy"]: limit["quota"] for limit in listed} == {
            policy.name: policy.quota * 2 for policy in limits.POLICIES
        }

    def test_without_limits_nothing_is_reported(self, client):
        answer = client.get("/v1/meta")

        assert answer.json["limits"]["requests"] == []
        assert "RateLimit" not in answer.headers


class TestAMove:
    @pytest.fixture
    def game(self, limited, settle, open_table):
        """A sandbox game of Ana's before her move, with quotas of about a dozen requests."""
        self.client = limited(0.002)
        self.ana = settle()
        game = open_table(self.ana, sandbox=True, seed="1", seats_held="creator")
        return f"/v1/games/{game['id']}"

    def test_is_never_refused_for_reading_too_much(self, game):
        until_refused(lambda: self.client.get(game, headers=self.ana))
        until_refused(lambda: self.client.get(f"{game}/legal-moves", headers=self.ana))
        until_refused(lambda: self.client.post(f"{game}/draw-stock?dry_run=true", headers=self.ana))
        until_refused(lambda: self.client.post("/v1/tokens", json={}, headers=self.ana))

        moved = self.client.post(f"{game}/draw-stock", headers=self.ana)

        assert moved.status_code == 201
        assert moved.headers["RateLimit-Policy"] == '"moves";q=12;w=60'

    def test_is_never_refused_for_what_others_at_the_address_do(self, game):
        until_refused(lambda: self.client.get("/v1/meta"))
        assert self.client.get(game, headers=self.ana).status_code == 429

        assert self.client.post(f"{game}/draw-stock", headers=self.ana).status_code == 201

    def test_gives_its_player_something_to_read(self, game):
        until_refused(lambda: self.client.get(game, headers=self.ana))

        self.client.post(f"{game}/draw-stock", headers=self.ana)

        assert self.client.get(game, headers=self.ana).status_code == 200

    def test_counts_in_its_own_game_only(self, game, limited, open_table):
        limited()
        other = open_table(self.ana, sandbox=True, seed="1", seats_held="creator")["id"]
        limited(0.002)
        answer = until_refused(
            lambda: self.client.post(f"{game}/discard", json={"card": "AS"}, headers=self.ana)
        )
        assert answer.json["policy"] == "moves"

        assert self.client.post(f"/v1/games/{other}/draw-stock", headers=self.ana).status_code == 201

    def test_in_no_game_of_ones_own_has_no_bucket_of_its_own(self, game):
        ids = iter(range(10_000))
        answer = until_refused(
            lambda: self.client.post(f"/v1/games/g00{next(ids)}/draw-stock", headers=self.ana)
        )

        assert answer.json["policy"] == "changing"
        assert self.client.post(f"{game}/draw-stock", headers=self.ana).status_code == 201

    def test_without_a_token_counts_to_the_address(self, game):
        answer = until_refused(lambda: self.client.post(f"{game}/draw-stock"))

        assert answer.json["policy"] == "address"


class TestAnAddress:
    def test_creates_a_limited_number_of_players(self, limited):
        client = limited(0.01)
        new = lambda address="127.0.0.1": client.post(  # noqa: E731 - said twice below
            "/v1/players", json={"name": "Ana"}, environ_base={"REMOTE_ADDR": address}
        )

        made = [new().status_code for _ in range(12)]

        assert made == [201] * 10 + [429] * 2
        assert new("192.0.2.1").status_code == 201

    def test_tries_a_limited_number_of_codes(self, limited):
        client = limited()
        answer = until_refused(
            lambda: client.post("/v1/device-links/claim", json={"code": "AAAA-AAAA-AAAA"}), most=61
        )

        assert answer.json["policy"] == "claims"

    def test_tries_a_limited_number_of_recovery_codes(self, limited):
        client = limited()
        answer = until_refused(
            lambda: client.post("/v1/recovery-codes/claim", json={"code": "AAAAA-AAAAA"}), most=31
        )

        assert answer.json["policy"] == "recoveries"

    @pytest.mark.parametrize("other, status", [("2001:db8::ffff", 429), ("2001:db8:0:1::1", 201)])
    def test_of_ipv6_is_a_household(self, limited, other, status):
        client = limited(0.001)
        for address, expected in (("2001:db8::1", 201), (other, status)):
            answer = client.post("/v1/players", json={"name": "Ana"}, environ_base={"REMOTE_ADDR": address})
            assert answer.status_code == expected

    def test_that_is_none_is_counted_all_the_same(self, limited):
        client = limited(0.001)

        made = [
            client.post("/v1/players", json={"name": "Ana"}, environ_base={"REMOTE_ADDR": ""}).status_code
            for _ in range(2)
        ]

        assert made == [201, 429]

    def test_that_watches_over_the_service_is_never_refused(self, limited):
        client = limited(0.0001)

        assert {client.get("/healthz").status_code for _ in range(20)} == {200}
        assert {client.get("/readyz").status_code for _ in range(20)} == {200}
        assert {client.options("/v1/players").status_code for _ in range(20)} == {200}


class TestScoreSheets:
    """They need no account, so an address is what is counted."""

    NEW: ClassVar = {"json": {"players": ["Ana", "Ben"]}}

    def test_new_ones_are_few(self, limited):
        client = limited(0.02)

        answer = until_refused(lambda: client.post("/v1/score-sheets", **self.NEW))

        assert answer.json["policy"] == "sheets"
        assert '"sheets";q=4;w=3600' in answer.headers["RateLimit-Policy"]

    def test_their_changes_have_a_quota_of_their_own(self, limited):
        client = limited(0.02)
        sheet = client.post("/v1/score-sheets", **self.NEW).json
        deals = f"{sheet['read_link']}/deals?write_key={sheet['write_key']}"

        answer = until_refused(lambda: client.post(deals, json={"points": [1, 2]}))

        assert answer.json["policy"] == "scoring"
        assert len(client.get(sheet["read_link"]).json["deals"]) == 12
        assert client.post("/v1/score-sheets", **self.NEW).status_code == 201


class TestBehindProxies:
    @pytest.fixture
    def behind(self, given, store, clock):
        def behind(proxies):
            limiter = Limiter(counts=store, now=clock, factor=0.001)
            app = create_app(replace(given, limiter=limiter), trusted_proxies=proxies)
            app.test_client_class = CheckedClient
            client = app.test_client()
            client.contract = Contract(app)
            return client

        return behind

    @staticmethod
    def new(client, forwarded, **headers):
        return client.post(
            "/v1/players", json={"name": "Ana"}, headers={"X-Forwarded-For": forwarded, **headers}
        )

    def test_the_address_is_what_the_trusted_one_saw(self, behind):
        client = behind(1)

        assert self.new(client, "192.0.2.1").status_code == 201
        assert self.new(client, "192.0.2.2").status_code == 201
        assert self.new(client, "192.0.2.2").status_code == 429
        assert self.new(client, "198.51.100.7, 192.0.2.2").status_code == 429

    def test_only_trusted_proxies_are_believed(self, behind):
        client = behind(0)

        assert self.new(client, "192.0.2.1").status_code == 201
        assert self.new(client, "192.0.2.2").status_code == 429

    def test_strangers_with_the_same_key_are_not_one_player(self, limited):
        """Not even behind a proxy that was not declared."""
        client, key = limited(), {"Idempotency-Key": "e5b1c1f0-7d0a-4c0e-9a55-1d2f3a4b5c6d"}

        first, second, again = (
            self.new(client, address, **key).json["player"]["id"]
            for address in ("192.0.2.1", "192.0.2.2", "192.0.2.1")
        )

        assert first == again != second


class TestAStoreThatIsAway:
    def test_refuses_no_request(self, limited, settle):
        class Away:
            def count(self, *_args, **_options):
                raise StoreUnavailable("away")

        client = limited(counts=Away())
        ana = settle()

        assert {client.get("/v1/me", headers=ana).status_code for _ in range(100)} == {200}
