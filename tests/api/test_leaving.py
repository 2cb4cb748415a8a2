"""A player is deleted: what remains of them, and what does not."""

from service.games.record import FORMER_PLAYER


def in_a_game(client, open_table, ana, ben, **options):
    """Return a running game of Ana and Ben."""
    game = open_table(ana, seats=2, visibility="public", spectators="public", **options)
    path = f"/v1/games/{game['id']}"
    assert client.post(f"{path}/seats", json={}, headers=ben).status_code == 201
    assert client.post(f"{path}/start", headers=ana).status_code == 200
    return path


def names(client, path, headers):
    """Return all names in a game, its log and its replay."""
    seats = client.get(path, headers=headers).json["seats"]
    events = client.get(f"{path}/events", headers=headers).json["events"]
    for replay in ("replay", "replay.txt"):
        assert "Ana" not in client.get(f"{path}/{replay}", headers=headers).text
    return [seat["player"] and seat["player"]["name"] for seat in seats], [
        event["name"] for event in events if event["type"] == "seat.joined"
    ]


class TestWhoDeletesHimself:
    def test_stops_working(self, client, ana):
        phone = client.post("/v1/tokens", json={}, headers=ana).json["token"]

        gone = client.delete("/v1/me", headers=ana)

        assert (gone.status_code, gone.data) == (204, b"")
        for headers in (ana, {"Authorization": f"Bearer {phone}"}):
            answer = client.get("/v1/me", headers=headers)
            assert (answer.status_code, answer.json["code"]) == (401, "token_invalid")
        assert client.delete("/v1/me", headers=ana).status_code == 401

    def test_deletes_the_device_links_too(self, client, ana):
        code = client.post("/v1/device-links", json={}, headers=ana).json["code"]

        client.delete("/v1/me", headers=ana)

        assert client.post("/v1/device-links/claim", json={"code": code}).json["code"] == "not_found"

    def test_deletes_the_webhooks_too(self, client, store, ana, ben):
        made = client.post("/v1/webhooks", json={"url": "https://example.com/ana"}, headers=ana)
        assert made.status_code == 201
        secret = made.json["secret"]

        client.delete("/v1/me", headers=ana)

        assert "example.com/ana" not in repr(vars(store))
        assert secret not in repr(vars(store))

    def test_is_unknown_to_the_others(self, client, ana, ben):
        me = client.get("/v1/me", headers=ana).json["id"]
        assert client.get(f"/v1/players/{me}", headers=ben).status_code == 200

        client.delete("/v1/me", headers=ana)

        assert client.get(f"/v1/players/{me}", headers=ben).json["code"] == "not_found"

    def test_needs_a_token_that_may(self, client, ana):
        made = client.post("/v1/tokens", json={"scopes": ["games:play", "games:read"]}, headers=ana).json

        refused = client.delete("/v1/me", headers={"Authorization": f"Bearer {made['token']}"})

        assert refused.json["code"] == "insufficient_scope"
        assert client.get("/v1/me", headers=ana).status_code == 200

    def test_leaves_no_trace_in_the_store_but_at_the_tables_of_others(
        self, client, store, open_table, ana, ben
    ):
        in_a_game(client, open_table, ana, ben)
        open_table(ana, seats=2)
        token = ana["Authorization"].split(" ")[1]

        client.delete("/v1/me", headers=ana)

        assert "Ana" not in repr(vars(store))
        assert token.split(".")[1] not in repr(vars(store))

    def test_is_gone_at_once_though_the_rest_broke_off_and_may_finish_it(
        self, client, store, open_table, ana, ben, monkeypatch
    ):
        path = in_a_game(client, open_table, ana, ben)
        monkeypatch.setattr(type(store), "games_in", lambda *_args, **_options: 1 / 0)
        assert client.delete("/v1/me", headers=ana).status_code == 500
        monkeypatch.undo()

        assert client.get("/v1/me", headers=ana).json["code"] == "token_invalid"
        assert client.delete("/v1/me", headers=ana).status_code == 204

        assert names(client, path, ben) == ([FORMER_PLAYER, "Ben"], [FORMER_PLAYER, "Ben"])
        assert client.delete("/v1/me", headers=ana).status_code == 401


class TestHisTables:
    def test_a_running_game_goes_on_with_a_computer_and_without_the_name(
        self, client, open_table, turns, ana, ben
    ):
        path = in_a_game(client, open_table, ana, ben)
        version = client.get(path, headers=ben).json["version"]

        client.delete("/v1/me", headers=ana)

        after = client.get(path, headers=ben).json
        assert (after["status"], after["version"]) == ("playing", version + 1)
        assert (after["seats"][0]["level"], after["seats"][1]["level"]) == ("steady", None)
        assert names(client, path, ben) == ([FORMER_PLAYER, "Ben"], [FORMER_PLAYER, "Ben"])
        if after["turn"]["seat"] == 0:
            assert turns.asked[-1] == (after["id"], version + 1, 0)

    def test_a_game_against_computers_is_over(self, client, table, open_table, ana):
        game = open_table(ana, seats=3, opponents=[{"level": "steady"}] * 2)

        client.delete("/v1/me", headers=ana)

        record = table.get(game["id"])
        assert record.status == "finished"
        assert record.game.winners == (1, 2)
        assert [seat.name for seat in record.seats] == [FORMER_PLAYER, "steady", "steady"]

    def test_a_table_that_waits_has_a_free_seat_again(self, client, open_table, ana, ben):
        path = f"/v1/games/{open_table(ben, seats=3, visibility='public')['id']}"
        client.post(f"{path}/seats", json={}, headers=ana)

        client.delete("/v1/me", headers=ana)

        assert names(client, path, ben) == (["Ben", None, None], ["Ben", FORMER_PLAYER])
        assert client.get(path, headers=ben).json["seats"][1]["kind"] is None

    def test_a_table_with_no_other_player_is_aborted(self, client, table, open_table, ana):
        game = open_table(ana, seats=2, visibility="public")

        client.delete("/v1/me", headers=ana)

        assert table.get(game["id"]).status == "aborted"

    def test_a_finished_game_keeps_its_result_and_its_end(self, client, clock, open_table, ana, ben):
        path = in_a_game(client, open_table, ana, ben)
        client.post(f"{path}/resignation", headers=ben)
        client.post(f"{path}/resignation", headers=ana)
        before = client.get(path, headers=ana).json
        clock.on(60_000)

        client.delete("/v1/me", headers=ana)

        carl = client.post("/v1/players", json={"name": "Carl"}).json["token"]
        after = client.get(path, headers={"Authorization": f"Bearer {carl}"}).json
        assert before["status"] == after["status"] == "finished"
        assert (after["winners"], after["expires_at"]) == (before["winners"], before["expires_at"])
        assert after["seats"][0]["player"]["name"] == FORMER_PLAYER

    def test_a_table_the_player_had_left_forgets_the_name_too(self, client, open_table, ana, ben):
        waiting = f"/v1/games/{open_table(ben, seats=2, visibility='public')['id']}"
        client.post(f"{waiting}/seats", json={}, headers=ana)
        client.delete(f"{waiting}/seats/me", headers=ana)
        resigned = in_a_game(client, open_table, ana, ben)
        client.post(f"{resigned}/resignation", headers=ana)

        client.delete("/v1/me", headers=ana)

        assert names(client, waiting, ben)[1] == ["Ben", FORMER_PLAYER]
        assert names(client, resigned, ben)[1] == [FORMER_PLAYER, "Ben"]

    def test_more_tables_than_a_page_are_all_left(self, client, table, open_table, ana):
        games = [open_table(ana, seats=2)["id"] for _ in range(205)]

        client.delete("/v1/me", headers=ana)

        assert {table.get(game_id).status for game_id in games} == {"aborted"}

    def test_no_other_player_loses_their_name(self, client, open_table, ana, ben):
        path = in_a_game(client, open_table, ana, ben)

        client.delete("/v1/me", headers=ben)

        assert client.get(path, headers=ana).json["seats"][0]["player"]["name"] == "Ana"
        events = client.get(f"{path}/events", headers=ana).json["events"]
        assert [event["name"] for event in events if event["type"] == "seat.joined"] == ["Ana", FORMER_PLAYER]
