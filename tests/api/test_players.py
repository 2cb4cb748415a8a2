"""Guests, their tokens, and what a token may do."""

import pytest

from service.api.auth import hash_token
from service.runtime.durations import DAY_MS


class TestAGuest:
    def test_comes_with_a_name_and_leaves_with_a_token(self, client):
        answer = client.post("/v1/players", json={"name": "  Ana ", "kind": "bot"})

        assert answer.status_code == 201
        assert answer.json["player"]["name"] == "Ana"
        assert answer.json["player"]["kind"] == "bot"
        assert answer.headers["Cache-Control"] == "no-store"

    def test_is_the_one_whose_token_is_sent(self, client):
        guest = client.post("/v1/players", json={"name": "Ana"}).json

        me = client.get("/v1/me", headers={"Authorization": f"Bearer {guest['token']}"}).json

        assert (me["id"], me["name"], me["kind"]) == (guest["player"]["id"], "Ana", "human")

    @pytest.mark.parametrize("name", ["", " ", "A" * 41])
    def test_is_sent_the_maximum_length_of_a_name(self, client, name):
        answer = client.post("/v1/players", json={"name": name})

        assert (answer.status_code, answer.json["detail"]) == (422, "name: Send 1 to 40 characters.")

    def test_may_take_another_name(self, client, ana):
        assert client.patch("/v1/me", json={"name": "Anna"}, headers=ana).json["name"] == "Anna"
        assert client.get("/v1/me", headers=ana).json["name"] == "Anna"

    def test_a_player_renamed_from_two_devices_has_the_later_name(self, client, store, ana, monkeypatch):
        put = store.put_player

        def other_device_first(*args, **options):
            monkeypatch.setattr(store, "put_player", put)
            client.patch("/v1/me", json={"name": "Anke"}, headers=ana)
            return put(*args, **options)

        monkeypatch.setattr(store, "put_player", other_device_first)
        answer = client.patch("/v1/me", json={"name": "Anna"}, headers=ana)

        assert answer.json["name"] == client.get("/v1/me", headers=ana).json["name"] == "Anna"

    def test_is_made_once_by_a_request_that_is_sent_twice(self, client):
        key = {"Idempotency-Key": "5f0c2a54-6f0e-4f6c-9c59-0d2f6f1f7a10"}

        first = client.post("/v1/players", json={"name": "Ana"}, headers=key)
        again = client.post("/v1/players", json={"name": "Ana"}, headers=key)

        assert again.json == first.json
        assert again.status_code == 201
        assert again.headers["Idempotency-Replayed"] == "true"

    @pytest.mark.parametrize(
        "request_, body",
        [
            ("/v1/players", {"name": "Ana"}),
            ("/v1/device-links/claim", {"code": "ABCDEFGH"}),
            ("/v1/recovery-codes/claim", {"code": "0123456789ABCDEFGHJKMNPQRST"}),
            ("/v1/score-sheets", {"players": ["Ana", "Ben"]}),
        ],
    )
    def test_needs_a_key_that_nobody_else_sends(self, client, request_, body):
        """Of two people behind one address the second got the first's token."""
        refused = client.post(request_, json=body, headers={"Idempotency-Key": "1"})

        assert (refused.status_code, refused.json["code"]) == (422, "validation_failed")
        assert refused.json["errors"][0]["field"] == "Idempotency-Key"
        assert "16 characters" in refused.json["detail"]

    def test_is_another_when_the_request_comes_from_elsewhere(self, client):
        key = {"Idempotency-Key": "5f0c2a54-6f0e-4f6c-9c59-0d2f6f1f7a10"}

        first = client.post("/v1/players", json={"name": "Ana"}, headers=key)
        other = client.post(
            "/v1/players", json={"name": "Ana"}, headers=key, environ_base={"REMOTE_ADDR": "10.0.0.9"}
        )

        assert other.json["player"]["id"] != first.json["player"]["id"]

    def test_a_returning_guest_is_kept_longer(self, client, clock, ana):
        for _ in range(3):
            clock.on(300 * DAY_MS)
            assert client.get("/v1/me", headers=ana).status_code == 200

    def test_a_guest_who_stays_away_is_deleted(self, client, clock, ana):
        clock.on(366 * DAY_MS)

        assert client.get("/v1/me", headers=ana).json["code"] == "token_invalid"


class TestWithoutAToken:
    @pytest.mark.parametrize("header", [None, "", "Bearer", "Bearer ", "Basic QW5hOjE=", "token"])
    def test_one_is_asked_for(self, client, header):
        answer = client.get("/v1/me", headers={"Authorization": header} if header else {})

        assert answer.status_code == 401
        assert answer.json["code"] == "token_missing"
        assert answer.headers["WWW-Authenticate"] == 'Bearer realm="rummy500"'

    def test_a_made_up_one_opens_nothing(self, client, ana):
        player = ana["Authorization"].split()[1].split(".")[0]
        for token in ("x", f"{player}.{'A' * 43}", f"{player}.", "\u00fc" * 3):
            answer = client.get("/v1/me", headers={"Authorization": f"Bearer {token}"})
            assert (answer.status_code, answer.json["code"]) == (401, "token_invalid")
            assert 'error="invalid_token"' in answer.headers["WWW-Authenticate"]

    def test_the_caller_is_checked_before_the_request(self, client):
        assert client.post("/v1/tokens", data="{").status_code == 401


class TestTokens:
    def test_a_further_one_may_do_less(self, client, ana):
        made = client.post("/v1/tokens", json={"name": "phone", "scopes": ["games:read"]}, headers=ana)
        phone = {"Authorization": f"Bearer {made.json['token']}"}

        assert made.status_code == 201
        assert client.get("/v1/me", headers=phone).json["scopes"] == ["games:read"]
        refused = client.post("/v1/tokens", json={}, headers=phone)
        assert (refused.status_code, refused.json["code"]) == (403, "insufficient_scope")
        assert 'scope="tokens:write"' in refused.headers["WWW-Authenticate"]

    def test_none_can_do_more_than_the_one_that_asks(self, client, ana):
        made = client.post("/v1/tokens", json={"scopes": ["tokens:write"]}, headers=ana)
        small = {"Authorization": f"Bearer {made.json['token']}"}

        refused = client.post("/v1/tokens", json={"scopes": ["games:play"]}, headers=small)

        assert refused.json["code"] == "insufficient_scope"

    def test_are_listed_without_themselves(self, client, ana):
        made = client.post("/v1/tokens", json={"name": "phone"}, headers=ana).json

        listed = client.get("/v1/tokens", headers=ana)

        assert made["token_info"] in listed.json["tokens"]
        assert made["token"] not in listed.text

    def test_a_revoked_one_opens_nothing_any_more(self, client, ana):
        made = client.post("/v1/tokens", json={"name": "phone"}, headers=ana).json
        phone = {"Authorization": f"Bearer {made['token']}"}

        gone = client.delete(f"/v1/tokens/{made['token_info']['id']}", headers=ana)

        assert (gone.status_code, gone.data) == (204, b"")
        assert client.get("/v1/me", headers=phone).json["code"] == "token_invalid"
        assert client.get("/v1/me", headers=ana).status_code == 200

    def test_no_player_revokes_the_token_of_another(self, client, ana, ben):
        theirs = client.get("/v1/tokens", headers=ben).json["tokens"][0]["id"]

        assert client.delete(f"/v1/tokens/{theirs}", headers=ana).json["code"] == "not_found"
        assert client.get("/v1/me", headers=ben).status_code == 200

    def test_a_scope_is_named_once(self, client, ana):
        answer = client.post("/v1/tokens", json={"scopes": ["games:read", "games:read"]}, headers=ana)

        assert answer.json["errors"] == [{"field": "scopes", "message": "Name each scope once."}]

    def test_the_store_holds_hashes_only(self, client, store, ana):
        token = ana["Authorization"].split()[1]
        key = {"Idempotency-Key": "phone-1", **ana}
        further = client.post("/v1/tokens", json={"name": "phone"}, headers=key).json["token"]
        again = client.post("/v1/tokens", json={"name": "phone"}, headers=key).json["token"]

        kept = repr(vars(store))

        assert again == further
        assert hash_token(token) in kept
        assert hash_token(further) in kept
        for secret in (token, further):
            assert secret.split(".")[1] not in kept
