"""Score keeping over HTTP: links, writers, retries, what is refused, and a whole evening."""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import msgspec
import pytest

from service.api.document import FOLDER
from service.runtime.durations import DAY_MS
from service.scorekeeping.deal_entry import DealEntry
from service.scorekeeping.score_keeper import ScoreKeeper
from service.scorekeeping.sheet import SHEET_KEPT_MS

NAMES = ["Ana", "Ben", "Cem", "Dina", "Eva"]


#: More and fewer players than the preset is for.
TOO_MANY = {"players": ["Ana", "Ben", "Cem"], "variant": {"preset": "cardcouch"}}
TOO_FEW = {"players": ["Ana", "Ben"], "variant": {"preset": "partnership"}}
#: Hands of the second and third player.
HELD = [{"hand": ["2C"]}, {"hand": ["3C"]}]


class OpenSheet:
    """A score sheet over HTTP; requests carry the write key unless `key` is another one."""

    def __init__(self, client, *, headers=None, **body):
        self._client = client
        made = client.post("/v1/score-sheets", json=body, headers=headers or {})
        assert made.status_code == 201, made.json
        self.made = made
        self.key = made.json["write_key"]
        self.path = made.json["read_link"]
        self.id = made.json["sheet"]["id"]

    def ask(self, method, path, body=None, *, key="its own", headers=None):
        query = {"its own": {"write_key": self.key}, None: {}}.get(key, {"write_key": key})
        return self._client.open(
            f"{self.path}{path}", method=method, json=body, query_string=query, headers=headers or {}
        )

    def record(self, body, **how):
        return self.ask("POST", "/deals", body, **how)

    def points(self, *points, **how):
        return self.record({"points": list(points)}, **how)

    def amend(self, number, body, **how):
        return self.ask("PUT", f"/deals/{number}", body, **how)

    def undo(self, **how):
        return self.ask("POST", "/undo", **how)

    def read(self, **headers):
        return self._client.get(self.path, headers=headers)

    def now(self):
        return self.read().json


@pytest.fixture
def open_sheet(client):
    def open_sheet(players=3, preset="classic", *, headers=None, **body):
        overrides = body.pop("overrides", {})
        variant = {"preset": preset, "overrides": overrides}
        return OpenSheet(client, headers=headers, players=NAMES[:players], variant=variant, **body)

    return open_sheet


def refused(answer):
    assert answer.status_code >= 400, answer.json
    assert answer.json["detail"]
    return answer.status_code, answer.json["code"]


class TestANewSheet:
    def test_has_two_links_and_stands_at_zero(self, open_sheet):
        sheet = open_sheet(first_dealer=1)
        created = sheet.made.json

        assert sheet.made.headers["ETag"] == '"1"'
        assert sheet.made.headers["Location"] == created["read_link"]
        assert created["write_link"] == f"{created['read_link']}?write_key={created['write_key']}"
        assert created["sheet"] == sheet.now()
        assert created["sheet"]["next_deal"] == {"number": 1, "dealer": 1}
        assert [side["total"] for side in created["sheet"]["sides"]] == [0, 0, 0]

    def test_of_partners_has_two_sides(self, open_sheet):
        sheet = open_sheet(4, "partnership").now()

        assert sheet["sides"] == [
            {"name": "Ana & Cem", "players": [0, 2], "total": 0},
            {"name": "Ben & Dina", "players": [1, 3], "total": 0},
        ]
        named = open_sheet(4, "partnership", teams=["Us", "Them"]).now()
        assert [side["name"] for side in named["sides"]] == ["Us", "Them"]

    @pytest.mark.parametrize(
        "body, code, field",
        [
            ({"players": ["Ana"]}, "validation_failed", "players"),
            ({"players": [f"P{n}" for n in range(9)]}, "validation_failed", "players"),
            ({"players": ["Ana", "Ana"]}, "validation_failed", "players"),
            ({"players": ["Ana", " "]}, "validation_failed", "players.1"),
            ({"players": ["Ana", "x" * 41]}, "validation_failed", "players.1"),
            ({"players": ["Ana", "B\u202een"]}, "validation_failed", "players.1"),
            ({"players": ["A", "B"], "variant": {"preset": "x"}}, "validation_failed", "variant.preset"),
            (TOO_MANY, "variant_contradiction", "players"),
            (TOO_FEW, "variant_contradiction", "players"),
            ({"players": ["A", "B"], "teams": ["Us", "Them"]}, "validation_failed", "teams"),
            ({"players": ["A", "B"], "first_dealer": 2}, "validation_failed", "first_dealer"),
        ],
    )
    def test_is_refused_with_the_member_at_fault(self, client, body, code, field):
        answer = client.post("/v1/score-sheets", json=body)

        assert refused(answer) == (422, code)
        assert answer.json["errors"][0]["field"] == field

    def test_cleans_names_as_those_of_players(self, open_sheet, client):
        created = client.post("/v1/score-sheets", json={"players": [" Ana ", "بن"]}).json

        assert [player["name"] for player in created["sheet"]["players"]] == ["Ana", "بن"]


class TestTheLinks:
    def test_the_read_link_only_reads(self, open_sheet):
        sheet = open_sheet()
        sheet.points(1, 2, 3)
        before = sheet.now()

        for key in (None, "wrong", sheet.key[:-1], sheet.key + "x", sheet.id):
            assert refused(sheet.points(1, 2, 3, key=key)) == (403, "read_only_link")
            assert refused(sheet.amend(1, {"points": [4, 5, 6]}, key=key)) == (403, "read_only_link")
            assert refused(sheet.undo(key=key)) == (403, "read_only_link")
        assert sheet.now() == before

    def test_the_key_is_checked_when_it_is_shown_to_a_read(self, open_sheet):
        sheet = open_sheet()

        assert sheet.ask("GET", "").status_code == 200
        assert sheet.ask("GET", "", key=None).status_code == 200
        assert refused(sheet.ask("GET", "", key="wrong")) == (403, "read_only_link")

    def test_a_key_of_another_sheet_is_wrong(self, open_sheet):
        sheet, other = open_sheet(), open_sheet()

        assert refused(sheet.points(1, 2, 3, key=other.key)) == (403, "read_only_link")

    @pytest.mark.parametrize("sheet_id", ["s00x", "g00x", "x", "s3f" + "A" * 26, "s" * 80])
    def test_a_wrong_link_finds_nothing(self, client, sheet_id):
        path = f"/v1/score-sheets/{sheet_id}"

        assert refused(client.get(path)) == (404, "not_found")
        assert refused(client.post(f"{path}/deals?write_key=x", json={"points": [1, 2]})) == (
            404,
            "not_found",
        )
        assert refused(client.put(f"{path}/deals/1?write_key=x", json={"points": [1, 2]})) == (
            404,
            "not_found",
        )
        assert refused(client.post(f"{path}/undo?write_key=x")) == (404, "not_found")

    def test_the_store_does_not_know_the_key(self, open_sheet, store):
        sheet = open_sheet()

        assert sheet.key.encode() not in store.sheet(sheet.id)

    def test_the_player_who_created_it_needs_no_key_and_others_do(self, open_sheet, ana, ben):
        sheet = open_sheet(headers=ana)

        assert sheet.points(1, 2, 3, key=None, headers=ana).status_code == 201
        assert refused(sheet.points(1, 2, 3, key=None, headers=ben)) == (403, "read_only_link")
        assert sheet.points(1, 2, 3, headers=ben).status_code == 201
        assert refused(open_sheet().points(1, 2, 3, key=None, headers=ana)) == (403, "read_only_link")


class TestVersions:
    def test_a_read_of_the_same_version_is_304(self, open_sheet):
        sheet = open_sheet()
        tag = sheet.read().headers["ETag"]

        assert sheet.read(**{"If-None-Match": tag}).status_code == 304
        assert sheet.read(**{"If-None-Match": f'"7", W/{tag}'}).status_code == 304
        sheet.points(1, 2, 3)
        changed = sheet.read(**{"If-None-Match": tag})
        assert (changed.status_code, changed.headers["ETag"]) == (200, '"2"')

    def test_a_stale_change_is_refused_with_the_current_version(self, open_sheet):
        sheet = open_sheet()
        sheet.points(1, 2, 3)
        before = sheet.now()
        stale = {"headers": {"If-Match": '"1"'}}

        for answer in (
            sheet.points(4, 5, 6, **stale),
            sheet.amend(1, {"points": [4, 5, 6]}, **stale),
            sheet.undo(**stale),
        ):
            assert refused(answer) == (412, "version_conflict")
            assert answer.json["current_version"] == 2
            assert "score sheet" in answer.json["detail"]
        assert sheet.now() == before
        assert sheet.points(4, 5, 6, headers={"If-Match": '"2"'}).headers["ETag"] == '"3"'

    def test_of_two_writers_at_once_neither_loses_a_deal(self, open_sheet, app, contract):
        sheet = open_sheet()

        def write(number):
            phone = app.test_client()
            phone.contract = contract
            path = f"{sheet.path}/deals?write_key={sheet.key}"
            return phone.post(path, json={"points": [number, 0, 0]})

        with ThreadPoolExecutor(6) as pool:
            answers = list(pool.map(write, range(12)))

        assert {answer.status_code for answer in answers} == {201}
        deals = sheet.now()["deals"]
        assert sorted(deal["scores"][0] for deal in deals) == list(range(12))
        assert deals[-1]["totals"][0] == sum(range(12))

    def test_a_change_that_was_overtaken_is_judged_again(self, open_sheet, store, monkeypatch):
        sheet = open_sheet()
        overtake, commit = [lambda: sheet.points(7, 0, 0)], ScoreKeeper.commit

        def overtaken(keeper, changed, answer=None):
            if overtake:
                assert overtake.pop()().status_code == 201
            commit(keeper, changed, answer)

        monkeypatch.setattr(ScoreKeeper, "commit", overtaken)
        answer = sheet.points(1, 2, 3)

        assert answer.status_code == 201
        assert [deal["scores"] for deal in answer.json["deals"]] == [[7, 0, 0], [1, 2, 3]]

    def test_one_that_names_its_version_is_not(self, open_sheet, monkeypatch):
        sheet = open_sheet()
        overtake, commit = [lambda: sheet.points(7, 0, 0)], ScoreKeeper.commit

        def overtaken(keeper, changed, answer=None):
            if overtake:
                overtake.pop()()
            commit(keeper, changed, answer)

        monkeypatch.setattr(ScoreKeeper, "commit", overtaken)

        assert refused(sheet.points(1, 2, 3, headers={"If-Match": '"1"'})) == (412, "version_conflict")
        assert len(sheet.now()["deals"]) == 1


KEYED = {"Idempotency-Key": "5f0c2a54-6f0e-4f6c-9c59-0d2f6f1f7a10"}


class TestRetries:
    def test_a_new_sheet_is_made_once_and_shows_its_key_again(self, client, store):
        body = {"players": ["Ana", "Ben"]}

        first, again = [client.post("/v1/score-sheets", json=body, headers=KEYED) for _ in range(2)]

        assert again.headers["Idempotency-Replayed"] == "true"
        assert again.json == first.json
        assert again.headers["ETag"] == first.headers["ETag"]
        assert client.post(f"{again.json['write_link']}".replace("?", "/undo?")).status_code == 409

    def test_a_deal_is_recorded_once(self, open_sheet):
        sheet = open_sheet()

        first = sheet.points(1, 2, 3, headers=KEYED)
        sheet.points(4, 5, 6)
        again = sheet.points(1, 2, 3, headers=KEYED)

        assert (again.status_code, again.headers["Idempotency-Replayed"]) == (201, "true")
        assert again.json == first.json
        assert len(sheet.now()["deals"]) == 2

    def test_a_retry_of_a_success_is_no_conflict(self, open_sheet):
        sheet = open_sheet()
        headers = {**KEYED, "If-Match": '"1"'}

        sheet.points(1, 2, 3, headers=headers)

        assert sheet.points(1, 2, 3, headers=headers).status_code == 201
        assert sheet.now()["version"] == 2

    def test_a_change_is_undone_once(self, open_sheet):
        sheet = open_sheet()
        sheet.points(1, 2, 3)
        sheet.points(4, 5, 6)

        first, again = [sheet.undo(headers=KEYED) for _ in range(2)]

        assert again.json == first.json
        assert len(sheet.now()["deals"]) == 1

    def test_a_key_for_another_deal_is_refused(self, open_sheet):
        sheet = open_sheet()
        sheet.points(1, 2, 3, headers=KEYED)

        assert refused(sheet.points(9, 9, 9, headers=KEYED)) == (422, "idempotency_key_reused")

    def test_a_key_is_free_again_after_a_refusal(self, open_sheet):
        sheet = open_sheet()

        assert refused(sheet.points(1, 2, headers=KEYED)) == (422, "invalid_deal")
        assert sheet.points(1, 2, 3, headers=KEYED).status_code == 201

    def test_only_a_writer_gets_a_stored_answer(self, open_sheet):
        sheet = open_sheet()
        sheet.points(1, 2, 3, headers=KEYED)

        assert refused(sheet.points(1, 2, 3, headers=KEYED, key="wrong")) == (403, "read_only_link")


class TestWhatIsRefused:
    @pytest.mark.parametrize(
        "entry, field",
        [
            ({}, ""),
            ({"points": [1, 2]}, "points"),
            ({"points": [1, 2, 3, 4]}, "points"),
            ({"points": [1, 2, 3], "cards": [{}, {}, {}]}, ""),
            ({"points": [1, 2, 3], "went_out": 3}, "went_out"),
            ({"points": [1, 2, 3], "went_out": 1, "reason": "stock_end"}, "reason"),
            ({"points": [1, 2, 3], "reason": "target"}, "reason"),
            ({"points": [1, 2, 3], "went_out": 1, "in_one_turn": True}, "in_one_turn"),
            ({"cards": [{}, {"hand": ["2C"]}]}, "cards"),
            ({"cards": [{"hand": ["7H"]}, {"hand": ["7H"]}, {}]}, "cards"),
            ({"cards": [{"hand": ["X1"]}, {"hand": ["2C"]}, {}]}, "cards"),
            (
                {"cards": [{"melds": [{"cards": ["7H", "8H"]}]}, {"hand": ["2C"]}, {"hand": ["3C"]}]},
                "cards.0.melds.0",
            ),
            (
                {"cards": [{"melds": [{"cards": ["7H", "8H", "TH"]}]}, {"hand": ["2C"]}, {"hand": ["3C"]}]},
                "cards.0.melds.0",
            ),
            (
                {"cards": [{"lay_offs": [{"card": "AS"}]}, {"hand": ["2C"]}, {"hand": ["3C"]}]},
                "cards.0.lay_offs.0",
            ),
            ({"cards": [{}, {}, {"hand": ["3C"]}]}, "cards.1.hand"),
        ],
    )
    def test_a_deal_that_cannot_be(self, open_sheet, entry, field):
        sheet = open_sheet()
        sheet.points(1, 2, 3)
        before = sheet.now()

        for answer in (sheet.record(entry), sheet.amend(1, entry)):
            assert refused(answer) == (422, "invalid_deal")
            assert answer.json["errors"] == [{"field": field, "message": answer.json["detail"]}]
        assert sheet.now() == before

    @pytest.mark.parametrize(
        "entry, field",
        [
            ({"points": [1, 2, "3"]}, "points.2"),
            ({"points": [1, 2, 2001]}, "points.2"),
            ({"points": [1.5, 2, 3]}, "points.0"),
            ({"cards": [{"hand": ["1H"]}, {}, {}]}, "cards.0.hand.0"),
            ({"cards": [{"hands": ["7H"]}, {}, {}]}, "cards.0.hands"),
            ({"points": [1, 2, 3], "reason": "tired"}, "reason"),
        ],
    )
    def test_a_body_that_is_none(self, open_sheet, entry, field):
        sheet = open_sheet()
        answer = sheet.record(entry)

        assert refused(answer) == (422, "validation_failed")
        assert answer.json["errors"][0]["field"] == field
        assert sheet.now()["version"] == 1

    def test_a_deal_after_the_game_is_decided(self, open_sheet):
        sheet = open_sheet()
        decided = sheet.points(500, 0, 0).json

        assert decided["result"] == {"deal": 1, "winners": [0], "reason": "target"}
        assert decided["next_deal"] is None
        assert refused(sheet.points(1, 2, 3)) == (409, "sheet_finished")
        assert sheet.amend(1, {"points": [50, 0, 0]}).json["result"] is None
        assert sheet.points(1, 2, 3).status_code == 201

    def test_a_deal_that_is_not_there_and_an_undo_of_nothing(self, open_sheet):
        sheet = open_sheet()

        assert refused(sheet.undo()) == (409, "nothing_to_undo")
        assert refused(sheet.amend(1, {"points": [1, 2, 3]})) == (404, "not_found")
        assert refused(sheet.amend(0, {"points": [1, 2, 3]})) == (404, "not_found")
        assert refused(sheet.amend(201, {"points": [1, 2, 3]})) == (404, "not_found")


class TestHowLongItIsKept:
    def test_ninety_days_from_its_last_change(self, open_sheet, clock):
        sheet = open_sheet()
        clock.on(SHEET_KEPT_MS - DAY_MS)
        sheet.points(1, 2, 3)
        clock.on(SHEET_KEPT_MS - 1)

        assert sheet.read().status_code == 200
        clock.on(1)
        assert refused(sheet.read()) == (404, "not_found")
        assert refused(sheet.points(1, 2, 3)) == (404, "not_found")

    def test_a_full_sheet_takes_no_more_deals(self, open_sheet, given):
        sheet = open_sheet(5, overrides={"target": 100_000})
        keeper = given.score_keeper
        full = keeper.get(sheet.id)
        entry = msgspec.convert({"cards": evening_cards()}, DealEntry)
        keeper.commit(replace(full, version=2, deals=(entry,) * 200))

        assert sheet.now()["result"] == {"deal": 200, "winners": [0], "reason": "deal_limit"}
        assert refused(sheet.record({"cards": evening_cards()})) == (409, "sheet_finished")


def evening_cards():
    """Return a deal of five players as cards: two packs, so that twins occur."""
    return [
        {
            "melds": [{"cards": ["7H", "8H", "9H"]}, {"cards": ["AS", "AD", "AC", "AH"]}],
            "lay_offs": [{"card": "TC"}],
        },
        {
            "melds": [{"cards": ["7H", "8H", "9H"]}],
            "lay_offs": [{"card": "AD", "ace": "low"}],
            "hand": ["KD"],
        },
        {"melds": [{"cards": ["2D", "3D", "4D"]}], "hand": ["QS", "2C"]},
        {"hand": ["AS", "5C"]},
        {"melds": [{"cards": ["JC", "QC", "KC", "AC"]}], "hand": ["3S"]},
    ]


def test_an_evening_of_twelve_deals_for_five(open_sheet, client):
    """Points and cards, amended and undone, by two phones and with a lost response."""
    sheet = open_sheet(5, overrides={"going_out_bonus": 25, "target": 1_000})
    rows = [
        [55, -20, 80, 15, 0],
        [10, 90, -35, 40, 25],
        None,
        [60, 60, 5, -10, 45],
        [-40, 75, 30, 20, 95],
        None,
        [120, -15, 35, 55, 10],
        [45, 30, -25, 85, 60],
        [5, 65, 100, -30, 40],
        None,
        [70, 20, 15, 35, -5],
        [400, 35, 60, -20, 10],
    ]
    cards = [24 + 60 + 10, 24 + 1 - 10, 9 - 12, -20, 45 - 3]
    totals = [0] * 5
    for number, row in enumerate(rows, start=1):
        went_out = 0 if row is None else (number - 1) % 5
        entry = {"cards": evening_cards()} if row is None else {"points": row, "went_out": went_out}
        before = sheet.now()
        assert before["next_deal"] == {"number": number, "dealer": (number - 1) % 5}
        headers = {"If-Match": f'"{before["version"]}"', "Idempotency-Key": f"deal-{number}"}
        answer = sheet.record(entry, headers=headers)
        assert answer.status_code == 201, answer.json
        # The response is lost, and the phone sends the deal again.
        again = sheet.record(entry, headers=headers)
        assert (again.json, again.headers["Idempotency-Replayed"]) == (answer.json, "true")
        scores = [*(row or cards)]
        scores[went_out] += 25
        totals = [total + score for total, score in zip(totals, scores, strict=True)]
        deal = answer.json["deals"][-1]
        assert (deal["number"], deal["scores"], deal["totals"]) == (number, scores, totals)
        if number == 4:
            # The second phone is late: its deal 4 is not entered twice.
            assert refused(sheet.record(entry, headers={"If-Match": headers["If-Match"]})) == (
                412,
                "version_conflict",
            )
        if number == 6:
            ana = deal["players"][0]
            assert (ana["points"], ana["bonus"], ana["cards"]["table_points"]) == (94, 25, 94)
            assert [card["points"] for card in deal["players"][4]["cards"]["melds"][0]["cards"]] == [
                *(10, 10, 10, 15)
            ]
            # Ben was wrong about deal 2, then right after all.
            amended = sheet.amend(2, {"points": [10, 80, -35, 40, 25], "went_out": 1}).json
            assert [amended["deals"][place]["totals"][1] for place in (1, 5)] == [85, totals[1] - 10]
            assert sheet.undo().json["deals"] == answer.json["deals"]
        if number == 8:
            # Deal 8 was entered too early, and again.
            assert len(sheet.undo().json["deals"]) == 7
            assert sheet.record(entry).json["deals"] == answer.json["deals"]

    ended = sheet.now()
    assert len(ended["deals"]) == 12
    assert [side["total"] for side in ended["sides"]] == totals == [1132, 460, 281, 180, 431]
    assert ended["result"] == {"deal": 12, "winners": [0], "reason": "target"}
    assert ended["leaders"] == [0]
    assert [(change["type"], change["undone_at"] is None) for change in ended["changes"][5:10]] == [
        *[("recorded", True), ("amended", False), ("recorded", True), ("recorded", False)],
        ("recorded", True),
    ]
    # 12 deals, an amendment undone, a deal undone and entered again.
    assert (ended["version"], ended["changes"][-1]["number"]) == (1 + 12 + 2 + 2, 14)
    # Each deal can be sent again as it was entered.
    copy = open_sheet(5, overrides={"going_out_bonus": 25, "target": 1_000})
    for deal in ended["deals"]:
        assert copy.record(deal["entry"]).status_code == 201
    assert copy.now()["deals"] == ended["deals"]


def test_the_guide_shows_a_sheet_and_deals_that_are_accepted(client):
    guide = (FOLDER / "SCORES.md").read_text(encoding="utf-8")
    first, *entries = map(json.loads, re.findall(r"```json\n(.*?)```", guide, re.DOTALL))

    sheet = OpenSheet(client, **first)

    assert len(entries) == 2
    for entry in entries:
        assert sheet.record(entry).status_code == 201
    assert [side["total"] for side in sheet.now()["sides"]] == [
        85 + 25 + 7 + 15 + 9 + 30 + 25,
        -20 + 1 + 5 + 10 - 10,
        40 + 9 + 1 - 11,
    ]
