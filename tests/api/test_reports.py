"""Reports about players, and the export of an account."""

import pytest

from service.games.player_reports import decode_report


def me(client, headers):
    return client.get("/v1/me", headers=headers).json["id"]


class TestAReport:
    @pytest.fixture
    def report(self, client, ana, ben):
        def report(**body):
            path = f"/v1/players/{me(client, ben)}/reports"
            return client.post(path, json={"reason": "stalling", **body}, headers=ana)

        return report

    def test_is_kept_for_the_operator(self, client, clock, store, report, ana, ben):
        made = report(text="Lets the clock run out.")

        assert made.status_code == 201
        (kept,) = map(decode_report, store.reports(since=0, limit=9))
        assert (kept.id, kept.reporter, kept.player) == (made.json["id"], me(client, ana), me(client, ben))
        assert (kept.reason, kept.text, kept.at) == ("stalling", "Lets the clock run out.", clock())

    def test_may_name_a_game_of_both(self, client, store, report, open_table, ana, ben):
        game = open_table(ana, seats=2, visibility="public")["id"]
        alone = report(game_id=game)
        client.post(f"/v1/games/{game}/seats", headers=ben)

        assert (alone.status_code, alone.json["errors"][0]["field"]) == (422, "game_id")
        assert report(game_id=game).status_code == 201
        assert decode_report(store.reports(since=0, limit=9)[0]).game_id == game

    def test_is_not_told_to_the_player(self, client, store, report, ben):
        report()

        assert store.account_events(me(client, ben), limit=10).events == []

    @pytest.mark.parametrize(
        "body,field",
        [
            ({"reason": "ugly"}, "reason"),
            ({"text": "x" * 501}, "text"),
            ({"game_id": "g00nobody"}, "game_id"),
        ],
    )
    def test_with_anything_else_is_refused(self, store, report, body, field):
        refused = report(**body)

        assert (refused.status_code, refused.json["errors"][0]["field"]) == (422, field)
        assert store.reports(since=0, limit=9) == []

    def test_about_oneself_or_nobody_is_refused(self, client, ana):
        own = client.post(f"/v1/players/{me(client, ana)}/reports", json={"reason": "other"}, headers=ana)
        nobody = client.post("/v1/players/pNobody/reports", json={"reason": "other"}, headers=ana)

        assert own.status_code == 422
        assert nobody.status_code == 404


class TestAnExport:
    def test_has_what_the_other_operations_show(self, client, open_table, ana, ben):
        open_table(ana, seats=2)
        open_table(ana, opponents=[{"level": "steady"}], sandbox=True)
        client.post("/v1/webhooks", json={"url": "https://example.com/x"}, headers=ana)
        client.put(f"/v1/me/blocks/{me(client, ben)}", headers=ana)

        told = client.get("/v1/me/export", headers=ana).json

        assert told["me"] == client.get("/v1/me", headers=ana).json
        for name, path in (("tokens", "tokens"), ("webhooks", "webhooks"), ("blocks", "me/blocks")):
            assert told[name] == client.get(f"/v1/{path}", headers=ana).json[name]
            assert len(told[name]) == 1
        assert [game["sandbox"] for game in told["games"]] == [False, True]
        assert told["games_complete"] is True
        assert told["ratings"] == []

    def test_shows_no_secret(self, client, settle):
        headers = settle("Zoe")
        made = client.post("/v1/webhooks", json={"url": "https://example.com/x"}, headers=headers).json

        told = client.get("/v1/me/export", headers=headers).text

        assert headers["Authorization"].split(".")[-1] not in told
        assert made["secret"] not in told
