"""Webhooks over HTTP: created, listed, tested and deleted by their player alone."""

import json
from dataclasses import replace

import pytest

from service.api import services
from service.effects.webhook_sender import MAX_WEBHOOKS, decode_pending, decode_webhook, encode_webhook
from service.games.notifications import NOTIFICATION_TYPES
from service.runtime.http_client import PostResult
from tests.support.stores import deliveries

URL = "https://example.com/rummy"


@pytest.fixture
def make(client):
    def make(headers, url=URL, **more):
        return client.post("/v1/webhooks", json={"url": url, **more}, headers=headers)

    return make


@pytest.fixture
def only(client, settle):
    """Create a player whose token has only some scopes."""

    def only(*scopes):
        headers = settle("Eve")
        answer = client.post("/v1/tokens", json={"name": "less", "scopes": list(scopes)}, headers=headers)
        return {"Authorization": f"Bearer {answer.json['token']}"}

    return only


def listed(client, headers):
    return client.get("/v1/webhooks", headers=headers).json["webhooks"]


class TestMaking:
    def test_the_secret_is_shown_once(self, client, ana, make):
        made = make(ana)

        assert made.status_code == 201
        assert made.json["secret"].startswith("whsec_")
        assert made.json["webhook"]["events"] == list(NOTIFICATION_TYPES)
        assert listed(client, ana) == [made.json["webhook"]]
        assert made.json["secret"] not in client.get("/v1/webhooks", headers=ana).text

    def test_a_retry_with_its_key_makes_one(self, client, ana):
        headers = {**ana, "Idempotency-Key": "once"}
        first = client.post("/v1/webhooks", json={"url": URL}, headers=headers)

        again = client.post("/v1/webhooks", json={"url": URL}, headers=headers)

        assert again.json == first.json
        assert again.headers["Idempotency-Replayed"] == "true"
        assert len(listed(client, ana)) == 1

    def test_a_player_has_few(self, client, ana, ben, make):
        assert [make(ana).status_code for _ in range(MAX_WEBHOOKS)] == [201] * MAX_WEBHOOKS

        refused = make(ana)

        assert (refused.status_code, refused.json["code"]) == (409, "too_many_webhooks")
        assert make(ben).status_code == 201

    @pytest.mark.parametrize(
        "url",
        [
            *("http://example.com/", "https://127.0.0.1/", "https://localhost/", "https://10.1.2.3/x"),
            *(
                "https://[::1]/",
                "https://169.254.169.254/latest/meta-data",
                "https://2130706433/",
                "nonsense",
            ),
            *("https://user:pass@example.com/", "https://redis:6379/", "https://example.com/\n"),
        ],
    )
    def test_a_private_target_is_refused_by_name(self, client, ana, make, url):
        refused = make(ana, url)

        assert (refused.status_code, refused.json["code"]) == (422, "validation_failed")
        assert refused.json["errors"][0]["field"] == "url"
        assert listed(client, ana) == []

    @pytest.mark.parametrize("url", ["http://example.com/", "https://localhost/", "https://127.0.0.1/"])
    def test_the_refusal_names_the_setting_for_development(self, ana, make, url):
        assert "WEBHOOK_PRIVATE_TARGETS=true" in make(ana, url).json["detail"]

    @pytest.mark.parametrize("events", [[], ["nonsense"], ["game.ended"] * 2, ["webhook.test"], "game.ended"])
    def test_types_are_named_once_each(self, ana, make, events):
        assert make(ana, events=events).status_code == 422

    def test_for_development_private_targets_may_be_allowed(self, app, given, ana, make):
        services.init_app(app, replace(given, private_targets=True))

        assert make(ana, "http://127.0.0.1:9000/hook").status_code == 201


class TestAfterwards:
    def test_the_oldest_is_listed_first(self, client, ana, make, clock):
        urls = [f"https://example.com/{number}" for number in range(3)]
        for url in urls:
            clock.on(1000)
            make(ana, url)

        assert [webhook["url"] for webhook in listed(client, ana)] == urls

    def test_a_deleted_one_is_gone(self, client, ana, make):
        path = f"/v1/webhooks/{make(ana).json['webhook']['id']}"

        assert client.delete(path, headers=ana).status_code == 204
        assert client.delete(path, headers=ana).status_code == 404
        assert client.post(f"{path}/test", headers=ana).status_code == 404
        assert listed(client, ana) == []

    def test_those_of_other_players_cannot_be_seen_tested_or_deleted(self, client, ana, ben, make):
        path = f"/v1/webhooks/{make(ana).json['webhook']['id']}"

        assert listed(client, ben) == []
        assert client.post(f"{path}/test", headers=ben).status_code == 404
        assert client.delete(path, headers=ben).status_code == 404
        assert len(listed(client, ana)) == 1

    def test_a_test_is_on_its_way(self, client, ana, make, store):
        path = f"/v1/webhooks/{make(ana).json['webhook']['id']}"

        answer = client.post(f"{path}/test", headers=ana)

        assert answer.status_code == 202
        assert b"webhook.test" in store.delivery(answer.json["delivery_id"])

    @pytest.mark.parametrize(
        "posted, status, attempt",
        [
            (PostResult(status=204), "active", {"status": 204, "error": None}),
            (PostResult(status=500), "failing", {"status": 500, "error": None}),
            (PostResult(error="timed_out"), "failing", {"status": None, "error": "timed_out"}),
            (PostResult(status=410), "disabled", {"status": 410, "error": None}),
        ],
    )
    def test_what_came_of_the_last_try_is_shown(
        self, client, ana, make, store, clock, posted, status, attempt
    ):
        made = make(ana).json["webhook"]
        me = client.get("/v1/me", headers=ana).json["id"]
        ((kept,),) = store.webhooks_of([me])
        after = decode_webhook(kept.body).after(posted, began=clock(), now=clock())
        store.put_webhook(
            me, made["id"], encode_webhook(after), replaces=kept.body, max_webhooks=MAX_WEBHOOKS
        )

        (shown,) = listed(client, ana)

        assert shown["status"] == status
        assert shown["last_attempt"] == {"at": "2026-09-21T14:13:20.000Z", **attempt}
        assert (shown["failing_since"] is None) == (status == "active")

    def test_they_go_with_their_player(self, client, ana, make, store):
        make(ana)
        me = client.get("/v1/me", headers=ana).json["id"]

        client.delete("/v1/me", headers=ana)

        assert store.webhooks_of([me]) == [[]]


class TestWhoMay:
    def test_a_token_for_webhooks_is_needed(self, client, only, make):
        others = only("games:read", "games:play", "tokens:write")

        for answer in (
            client.get("/v1/webhooks", headers=others),
            make(others),
            client.delete("/v1/webhooks/w1", headers=others),
            client.post("/v1/webhooks/w1/test", headers=others),
        ):
            assert (answer.status_code, answer.json["code"]) == (403, "insufficient_scope")

    def test_and_is_enough(self, client, settle, make):
        headers = settle("Eve")
        answer = client.post("/v1/tokens", json={"name": "w", "scopes": ["webhooks:write"]}, headers=headers)
        token = {"Authorization": f"Bearer {answer.json['token']}"}

        assert make(token).status_code == 201
        assert len(listed(client, token)) == 1


class TestWhatIsSent:
    def test_it_is_what_the_document_says(self, client, ana, ben, make, open_table, store, contract):
        made = make(ben).json["webhook"]
        client.post(f"/v1/webhooks/{made['id']}/test", headers=ben)
        game = open_table(ana, seats=2, visibility="public")
        client.post(f"/v1/games/{game['id']}/seats", json={}, headers=ben)
        client.post(f"/v1/games/{game['id']}/start", headers=ana)

        bodies = [json.loads(decode_pending(body).body) for body in deliveries(store)]

        assert {"webhook.test", "game.started"} <= {body["type"] for body in bodies}
        for body in bodies:
            contract.fits({"$ref": "#/components/schemas/WebhookMessage"}, body)

    def test_a_move_over_http_becomes_a_delivery_without_a_card(
        self, client, ana, ben, make, open_table, store
    ):
        make(ben)
        game = open_table(ana, seats=2, visibility="public")
        client.post(f"/v1/games/{game['id']}/seats", json={}, headers=ben)
        client.post(f"/v1/games/{game['id']}/start", headers=ana)

        bodies = [body.decode() for body in deliveries(store)]

        assert any("game.started" in body for body in bodies)
        assert all("card" not in body and "hand" not in body for body in bodies)


SUBSCRIPTION = {"kind": "web_push", "url": "https://push.example.com/wpush/v2/abc"}


class TestABrowser:
    """Web Push: the endpoint of a browser's subscription, as a kind of webhook."""

    @pytest.fixture
    def pushing(self, app, given):
        services.init_app(app, replace(given, web_push_key="BPublicKey"))

    def test_subscribes_with_the_key_of_the_service(self, client, pushing, ana):
        created = client.post("/v1/webhooks", json=SUBSCRIPTION, headers=ana)

        assert client.get("/v1/meta").json["web_push_key"] == "BPublicKey"
        assert created.status_code == 201
        webhook = created.json["webhook"]
        assert (webhook["kind"], webhook["url"]) == ("web_push", SUBSCRIPTION["url"])
        assert webhook["events"] == ["game.started", "turn.started", "game.ended", "rematch.offered"]
        assert client.get("/v1/webhooks", headers=ana).json["webhooks"] == [webhook]

    def test_is_refused_where_the_service_has_no_key(self, client, ana):
        refused = client.post("/v1/webhooks", json=SUBSCRIPTION, headers=ana)

        assert client.get("/v1/meta").json["web_push_key"] is None
        assert (refused.status_code, refused.json["errors"][0]["field"]) == (422, "kind")
        assert "VAPID_PRIVATE_KEY" in refused.json["detail"]
