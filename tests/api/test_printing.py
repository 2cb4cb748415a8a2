"""Sheets to print over HTTP."""

import pytest

from service.rummy.presets import PRESETS

SCORE_SHEET = "/v1/rules/classic/score-sheet.pdf"


def is_refused(answer, field):
    return answer.status_code == 422 and [one["field"] for one in answer.json["errors"]] == [field]


class TestSheetsOfAPreset:
    @pytest.mark.parametrize("path", ["/v1/rules/classic/sheet.pdf", SCORE_SHEET])
    def test_are_shown_in_the_browser_and_kept_by_caches(self, client, path):
        answer = client.get(path)

        assert answer.data.startswith(b"%PDF")
        assert answer.headers["Content-Disposition"].startswith('inline; filename="')
        assert answer.headers["Cache-Control"] == "public, max-age=3600"
        again = client.get(path, headers={"If-None-Match": answer.headers["ETag"]})
        assert (again.status_code, again.data) == (304, b"")

    @pytest.mark.parametrize("path", ["/v1/rules/classic/sheet.pdf", SCORE_SHEET])
    def test_differ_by_the_paper(self, client, path):
        assert client.get(path).data == client.get(f"{path}?paper=A4").data
        assert client.get(path).data != client.get(f"{path}?paper=Letter").data
        assert is_refused(client.get(f"{path}?paper=A5"), "paper")

    def test_of_an_unknown_preset_are_not_found(self, client):
        for name in ("sheet", "score-sheet"):
            assert client.get(f"/v1/rules/poker/{name}.pdf").status_code == 404

    @pytest.mark.parametrize("preset", PRESETS)
    def test_are_made_for_every_preset_without_parameters(self, client, preset):
        assert client.get(f"/v1/rules/{preset}/score-sheet.pdf").status_code == 200


class TestNames:
    def test_of_any_script_are_printed_and_not_kept_by_caches(self, client):
        answer = client.get(SCORE_SHEET, query_string={"names": "محمد,王,🎉,\u0000,Ana"})

        assert answer.status_code == 200
        assert answer.headers["Cache-Control"] == "private, no-cache"

    def test_do_not_exceed_the_players(self, client):
        assert is_refused(client.get(f"{SCORE_SHEET}?players=2&names=A,B,C"), "names")
        assert is_refused(client.get(f"{SCORE_SHEET}?names={'x' * 65}"), "names")
        assert is_refused(client.get("/v1/rules/partnership/score-sheet.pdf?players=3"), "players")


def test_a_kept_sheet_is_printed_as_it_stands(client):
    sheet = client.post(
        "/v1/score-sheets", json={"variant": {"preset": "classic"}, "players": ["Ana", "Ben"]}
    ).json
    path = f"/v1/score-sheets/{sheet['sheet']['id'] if 'sheet' in sheet else sheet['id']}"
    before = client.get(f"{path}/sheet.pdf")
    recorded = client.post(
        f"{path}/deals?write_key={sheet['write_key']}", json={"points": [120, -5], "reason": "stock_end"}
    )

    assert recorded.status_code in {200, 201}, recorded.text
    after = client.get(f"{path}/sheet.pdf", headers={"If-None-Match": before.headers["ETag"]})
    assert (before.status_code, after.status_code) == (200, 200)
    assert after.data != before.data
    assert after.headers["Cache-Control"] == "private, no-cache"
