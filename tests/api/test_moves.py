"""Moves over HTTP: their responses, their errors, and retries."""

from typing import ClassVar

import pytest

from service.games.record import Status
from service.rummy.forced_turn import forced_move
from service.store.answers import ANSWER_MS
from service.store.contract import StoreUnavailable

#: The first example of the contract: seat 0 may take the seven of hearts with its sevens.
HANDS = ["7S 7C KD", "4H 9C 5D"]
PILE = "2C 7H 9D"


@pytest.fixture
def at_table(client, sandbox, ana):
    """Set a position and return a function that posts moves for seat 0, or another."""

    def at_table(hands=HANDS, pile=PILE, **position):
        game = sandbox(ana, hands, pile=pile, **position)

        def post(operation, body=None, *, query="", **headers):
            path = f"/v1/games/{game['id']}/{operation}{query}"
            return client.post(path, json=body or {}, headers={**ana, **headers})

        post.game = game
        post.path = f"/v1/games/{game['id']}"
        return post

    return at_table


class TestAMove:
    def test_answers_what_happened_and_the_game_after_it(self, at_table):
        answer = at_table()("take-discard", {"card": "7H"}, **{"If-Match": '"1"'})

        assert (answer.status_code, answer.headers["ETag"]) == (201, '"2"')
        assert answer.json["version"] == answer.json["game"]["version"] == 2
        (taken,) = answer.json["events"]
        assert taken["type"] == "discard.taken"
        assert taken["cards"] == ["7H", "9D"]
        assert (taken["id"], taken["at"]) == ("2-0", "2026-09-21T14:13:20.000Z")
        assert answer.json["game"]["turn"]["must_use"] == "7H"
        assert answer.json["game"]["discard_pile"] == ["2C"]
        assert answer.json["game"]["seats"][0]["known_cards"] == ["9D", "7H"]

    def test_a_whole_turn(self, at_table):
        post = at_table()

        assert post("take-discard", {"card": "7H"}).status_code == 201
        assert post("melds", {"cards": ["7S", "7C", "7H"]}).status_code == 201
        thrown = post("discard", {"card": "9D"}).json

        assert thrown["game"]["melds"][0] == {
            "id": "m1",
            "owner": 0,
            "kind": "set",
            "cards": [{"card": card, "laid_by": 0, "stands_for": None} for card in ("7S", "7C", "7H")],
            "points": 21,
        }
        assert thrown["game"]["you"] == {"hand": ["KD"], "hand_points": 10}
        assert [event["type"] for event in thrown["events"]] == ["card.discarded", "turn.started"]
        assert thrown["game"]["turn"]["seat"] == 1
        assert thrown["game"]["viewer"]["seat"] == 0

    def test_a_card_laid_off_with_a_joker_says_what_it_stands_for(self, at_table):
        melds = [{"owner": 1, "cards": [{"card": card} for card in ("5H", "6H", "7H")]}]
        post = at_table(
            ["X1 KD", "4C"], "2C", preset="jokers", melds=melds, turn={"seat": 0, "phase": "meld"}
        )

        answer = post("lay-offs", {"meld_id": "m1", "card": "X1", "stands_for": "8H"})

        assert answer.json["game"]["melds"][0]["cards"][-1] == {
            "card": "X1",
            "laid_by": 0,
            "stands_for": "8H",
        }

    def test_a_meld_with_a_joker(self, at_table):
        post = at_table(["7S X1 7H KD", "4C"], "2C", preset="jokers", turn={"seat": 0, "phase": "meld"})

        answer = post("melds", {"cards": ["7S", "X1", "7H"], "stands_for": {"X1": "7C"}})

        assert answer.json["events"][0]["meld"]["cards"][1]["stands_for"] == "7C"

    def test_a_card_drawn_is_for_the_drawer_to_see(self, client, at_table, ana):
        post = at_table(stock=["AS", "2D"])
        drawn = post("draw-stock").json["events"][0]

        other = client.get(f"{post.path}/events?as_seat=1", headers=ana).json["events"][-1]

        assert (drawn["card"], drawn["stock_count"]) == ("AS", 1)
        assert other == {**drawn, "card": None}

    def test_a_pass_where_the_stock_is_empty_ends_the_deal(self, at_table):
        answer = at_table(stock=[])("pass")

        assert answer.json["game"]["status"] == "deal_over"
        assert answer.json["game"]["deals"][0]["reason"] == "stock_end"

    def test_a_floating_player_keeps_the_last_card(self, at_table):
        post = at_table(
            ["KD", "4C 9S"],
            overrides={"going_out": "discard_required", "floating": True},
            turn={"seat": 0, "phase": "meld"},
        )

        assert [event["type"] for event in post("keep").json["events"]] == ["card.kept", "turn.started"]

    @pytest.mark.parametrize("repeated", [{"card": "8H"}, {}])
    def test_a_missed_discard_is_called(self, at_table, repeated):
        melds = [{"owner": 1, "cards": [{"card": card} for card in ("5H", "6H", "7H")]}]
        post = at_table(
            ["2C 3D", "4C 9S", "KS QD"],
            pile="JC 8H",
            preset="ace-low",
            melds=melds,
            turn={"seat": 1, "phase": "rummy_call", "discarder": 0},
        )
        assert post.game["turn"]["may_act"] == [1, 2]

        answer = post(
            "rummy-calls",
            {"card": "8H", "use": {"type": "lay_off", **repeated, "meld_id": "m1"}},
            query="?as_seat=2",
        )

        assert [event["type"] for event in answer.json["events"]] == ["rummy.called", "card.laid_off"]
        assert (answer.json["game"]["turn"]["seat"], answer.json["game"]["phase"]) == (2, "meld")
        assert answer.json["game"]["viewer"]["seat"] == 2

    def test_the_next_deal_begins_when_all_are_ready(self, at_table):
        post = at_table(stock=[])
        over = post("pass").json["game"]
        assert over["turn"]["may_act"] == [0, 1]
        assert (over["turn"]["seat"], over["phase"]) == (None, None)

        answer = post("next-deal").json

        assert (answer["game"]["deal"], answer["game"]["status"]) == (2, "playing")
        assert [event["type"] for event in answer["events"]] == [
            "seat.ready",
            "seat.ready",
            "deal.started",
            "turn.started",
        ]


class TestARefusedMove:
    @pytest.mark.parametrize(
        "operation, body, code, rule",
        [
            ("take-discard", {"card": "2C"}, "deepest_card_unusable", "2.6"),
            ("take-discard", {"card": "AS"}, "card_not_in_pile", "2.4"),
            ("take-discard", {"card": "7H", "position": 0}, "card_not_in_pile", "2.4"),
            ("take-discard", {"card": "7H", "position": -1}, "card_not_in_pile", "2.4"),
            ("melds", {"cards": ["7S", "7C", "KD"]}, "draw_first", "2.1"),
            ("discard", {"card": "KD"}, "draw_first", "2.1"),
            ("pass", {}, "stock_not_empty", "7.6"),
            ("keep", {}, "option_off", "12"),
            ("next-deal", {}, "wrong_phase", "2.1"),
            (
                "rummy-calls",
                {"card": "9D", "use": {"type": "lay_off", "card": "9D"}},
                "option_off",
                "12",
            ),
        ],
    )
    def test_names_its_rule(self, at_table, operation, body, code, rule):
        answer = at_table()(operation, body)

        assert (answer.status_code, answer.content_type) == (409, "application/problem+json")
        assert (answer.json["code"], answer.json["rule"]) == (code, rule)
        assert answer.json["kind"] == "illegal_move"

    @pytest.mark.parametrize(
        "cards, code",
        [
            (["7S", "7C"], "too_few_cards"),
            ([], "too_few_cards"),
            (["7S", "7C", "7D"], "card_not_in_hand"),
            (["7S", "7S", "7C"], "repeated_card"),
            (["7S", "7C", "KD"], "not_a_set"),
        ],
    )
    def test_for_its_cards_is_a_matter_of_rules_not_of_form(self, at_table, cards, code):
        post = at_table(turn={"seat": 0, "phase": "meld"})

        assert post("melds", {"cards": cards}).json["code"] == code

    def test_changes_nothing(self, client, at_table, ana):
        post = at_table()
        before = client.get(post.path, headers=ana)
        post("take-discard", {"card": "2C"})

        assert client.get(post.path, headers=ana).data == before.data
        assert post("take-discard", {"card": "7H"}, **{"If-Match": '"1"'}).status_code == 201

    def test_out_of_turn(self, at_table):
        answer = at_table()("draw-stock", query="?as_seat=1")

        assert (answer.status_code, answer.json["code"]) == (409, "not_your_turn")

    def test_that_can_be_read_in_two_ways_lists_them(self, at_table):
        run = [{"card": card} for card in ("2H", "3H", "4H")]
        set_ = [{"card": card} for card in ("5S", "5C", "5D")]
        post = at_table(
            ["5H KD", "4C"],
            melds=[{"owner": 1, "cards": run}, {"owner": 1, "cards": set_}],
            turn={"seat": 0, "phase": "meld"},
        )

        answer = post("lay-offs", {"card": "5H"})
        assert (answer.status_code, answer.json["code"]) == (409, "choice_required")
        assert [choice["meld_id"] for choice in answer.json["choices"]] == ["m1", "m2"]
        assert post("lay-offs", {"card": "5H", **answer.json["choices"][1]}).status_code == 201

    @pytest.mark.parametrize(
        "operation, body, field",
        [
            ("take-discard", {}, "card"),
            ("take-discard", {"card": "7X"}, "card"),
            ("take-discard", {"card": "10H"}, "card"),
            ("take-discard", {"card": "7h"}, "card"),
            ("take-discard", {"card": None}, "card"),
            ("take-discard", {"card": ["7H"]}, "card"),
            ("take-discard", {"card": "7H", "position": "1"}, "position"),
            ("take-discard", {"card": "7H", "position": 1.5}, "position"),
            ("take-discard", {"card": "7H", "position": True}, "position"),
            ("take-discard", {"card": "7H", "seat": 0}, "seat"),
            ("draw-stock", {"card": "7H"}, "card"),
            ("melds", {"cards": "7S7C7H"}, "cards"),
            ("melds", {"cards": ["7S", "7C", "??"]}, "cards.2"),
            ("melds", {"cards": ["7S", "7C", "7H"], "ace": "middle"}, "ace"),
            ("melds", {"cards": ["7S"], "stands_for": {"X1": "joker"}}, "stands_for.X1"),
            ("melds", {"cards": ["7S"], "stands_for": {"joker": "7C"}}, "stands_for.joker"),
            ("melds", {"cards": ["7S"], "stands_for": {"X1": []}}, "stands_for.X1"),
            ("melds", {"cards": ["7S"], "stands_for": []}, "stands_for"),
            ("lay-offs", {"card": "8H", "meld_id": 1}, "meld_id"),
            ("lay-offs", {"card": "8H", "end": "top"}, "end"),
            ("discard", {"cards": ["KD"]}, "cards"),
            ("rummy-calls", {"card": "7H"}, "use"),
            ("rummy-calls", {"card": "7H", "use": "meld"}, "use"),
            ("rummy-calls", {"card": "7H", "use": {"type": "keep"}}, "use.type"),
            ("rummy-calls", {"card": "7H", "use": {"type": ["meld"]}}, "use.type"),
            ("rummy-calls", {"card": "7H", "use": {"type": "meld"}}, "use.cards"),
            ("rummy-calls", {"card": "7H", "use": {"type": "meld", "cards": [], "end": "low"}}, "use.end"),
        ],
    )
    def test_what_is_no_move_at_all_is_a_matter_of_form(self, at_table, operation, body, field):
        answer = at_table()(operation, body)

        assert (answer.status_code, answer.json["code"]) == (422, "validation_failed")
        assert field in {error["field"] for error in answer.json["errors"]}

    def test_a_move_before_the_game_begins(self, client, open_table, ana):
        game = open_table(ana, seats=2)

        for move in ("draw-stock", "next-deal", "resignation"):
            answer = client.post(f"/v1/games/{game['id']}/{move}", headers=ana)
            assert (answer.status_code, answer.json["code"]) == (409, "wrong_phase")

    def test_a_move_after_the_game_is_over(self, client, open_table, ana):
        game = open_table(ana, opponents=[{}])
        client.post(f"/v1/games/{game['id']}/resignation", headers=ana)

        for move in ("draw-stock", "next-deal", "resignation"):
            answer = client.post(f"/v1/games/{game['id']}/{move}", headers=ana)
            assert (answer.status_code, answer.json["code"]) == (409, "game_over")


class TestWhoeverResigned:
    @pytest.fixture
    def resigned(self, client, open_table, ana, ben):
        """A private game without spectators, which Ana resigned and Ben plays on with a computer."""
        game = open_table(ana, seats=2)
        path = f"/v1/games/{game['id']}"
        client.post(f"{path}/seats", json={"invite_code": game["invite_code"]}, headers=ben)
        client.post(f"{path}/start", headers=ana)
        assert client.post(f"{path}/resignation", headers=ana).status_code == 201
        return path

    @pytest.mark.parametrize("outlet", ["", "/events", "/replay", "/replay.txt", "/rules", "/deals/1/proof"])
    def test_may_still_read_the_game(self, client, resigned, ana, settle, outlet):
        assert client.get(f"{resigned}{outlet}", headers=ana).status_code == 200
        assert client.get(f"{resigned}{outlet}", headers=settle("Cem")).status_code == 404

    def test_sees_no_hand_any_more(self, client, resigned, ana):
        view = client.get(resigned, headers=ana).json

        assert (view["viewer"]["role"], view["you"]) == ("spectator", None)

    def test_moves_no_more(self, client, resigned, ana):
        answer = client.post(f"{resigned}/draw-stock", headers=ana)

        assert (answer.status_code, answer.json["code"]) == (403, "not_seated")


class TestTheVersionAMoveIsFor:
    @pytest.mark.parametrize("tag", ['"2"', '"999"', '"1", "2"', 'W/"3"'])
    def test_must_be_the_version_of_the_game(self, at_table, tag):
        answer = at_table()("take-discard", {"card": "7H"}, **{"If-Match": tag})

        assert (answer.status_code, answer.json["code"]) == (412, "version_conflict")
        assert answer.json["current_version"] == 1

    def test_is_judged_before_the_rules(self, at_table):
        assert at_table()("pass", **{"If-Match": '"9"'}).status_code == 412

    def test_need_not_be_said(self, at_table):
        assert at_table()("take-discard", {"card": "7H"}).status_code == 201

    def test_may_be_any_since_the_phase_began_where_several_may_act(
        self, client, open_table, settle, ana, ben
    ):
        position = {"hands": [["2C"], ["3C"]], "discard_pile": ["4C"], "stock": []}
        del position
        game = open_table(ana, seats=3, visibility="public", variant={"preset": "ace-low"})
        path = f"/v1/games/{game['id']}"
        players = [ana, ben, settle("Cem")]
        for player in players[1:]:
            client.post(f"{path}/seats", headers=player)
        view = client.post(f"{path}/start", headers=ana).json
        begun = view["version"]
        seat = view["turn"]["seat"]
        client.post(f"{path}/draw-stock", headers=players[seat])
        card = client.get(path, headers=players[seat]).json["you"]["hand"][0]
        asked = client.post(f"{path}/discard", json={"card": card}, headers=players[seat]).json["game"]
        assert asked["phase"] == "rummy_call"

        caller = asked["turn"]["may_act"][-1]
        stale = {**players[caller], "If-Match": f'"{begun}"'}
        since = {**players[caller], "If-Match": f'"{asked["turn"]["phase_version"]}"'}
        assert client.post(f"{path}/pass", headers=stale).status_code == 412
        assert client.post(f"{path}/pass", headers=since).status_code == 201


class TestAMoveThatIsOvertaken:
    """Another change of the game is committed between judging the move and committing it."""

    @pytest.fixture
    def overtake(self, store, monkeypatch):
        def overtake(competitor):
            commit, waiting = store.commit, [competitor]

            def late(change):
                if waiting:
                    waiting.pop()()
                return commit(change)

            monkeypatch.setattr(store, "commit", late)

        return overtake

    def test_is_refused_where_one_seat_acts(self, client, at_table, ana, overtake):
        post = at_table()
        overtake(lambda: post("take-discard", {"card": "7H"}))

        answer = post("draw-stock")

        assert (answer.status_code, answer.json["code"]) == (412, "version_conflict")
        assert client.get(post.path, headers=ana).json["version"] == 2

    def test_is_judged_again_where_several_may_pass_a_call(self, at_table, overtake):
        hands = ["KC 2C", "3D 4D", "5S 6S", "8H 9H"]
        post = at_table(hands, "TC", preset="ace-low", turn={"seat": 0, "phase": "meld"})
        asked = post("discard", {"card": "2C"}).json["game"]
        first, second, *_ = asked["turn"]["may_act"]
        since = {"If-Match": f'"{asked["version"]}"'}
        overtake(lambda: post("pass", query=f"?as_seat={second}", **since))

        key = {"Idempotency-Key": "pass"}
        answer = post("pass", query=f"?as_seat={first}", **since, **key)
        again = post("pass", query=f"?as_seat={first}", **since, **key)

        assert answer.status_code == 201
        assert answer.json["version"] == asked["version"] + 2
        assert again.headers["Idempotency-Replayed"] == "true"
        assert again.json == answer.json

    def test_is_judged_again_where_two_become_ready(self, client, open_table, table, ana, ben, overtake):
        game = open_table(ana, seats=2, visibility="public")
        path = f"/v1/games/{game['id']}"
        client.post(f"{path}/seats", headers=ben)
        client.post(f"{path}/start", headers=ana)
        record = table.get(game["id"])
        while record.status is Status.PLAYING:
            record = table.play(record, forced_move(record.game, record.may_act()[0])).record
        seen = {"If-Match": f'"{record.version}"'}
        overtake(lambda: client.post(f"{path}/next-deal", headers={**ben, **seen}))

        answer = client.post(f"{path}/next-deal", headers={**ana, **seen})

        assert answer.status_code == 201
        assert answer.json["version"] == record.version + 2
        assert answer.json["game"]["status"] == "playing"

    def test_is_judged_again_where_it_is_a_resignation_of_no_version(
        self, client, open_table, ana, ben, overtake
    ):
        game = open_table(ana, seats=2, visibility="public", variant={"overrides": {"first_dealer": 0}})
        path = f"/v1/games/{game['id']}"
        client.post(f"{path}/seats", headers=ben)
        begun = client.post(f"{path}/start", headers=ana).json
        overtake(lambda: client.post(f"{path}/draw-stock", headers=ben))

        answer = client.post(f"{path}/resignation", headers=ana)

        assert answer.status_code == 201
        assert answer.json["version"] == begun["version"] + 2


class TestAMoveSentAgain:
    KEY: ClassVar = {"Idempotency-Key": "move-1", "If-Match": '"1"'}

    def test_gets_the_first_answer_though_the_version_has_moved_on(self, client, at_table, ana):
        post = at_table()
        first = post("take-discard", {"card": "7H"}, **self.KEY)
        again = post("take-discard", {"card": "7H"}, **self.KEY)

        assert (again.status_code, again.data) == (201, first.data)
        assert again.headers["Idempotency-Replayed"] == "true"
        assert again.headers["ETag"] == '"2"'
        assert again.headers["X-Request-Id"] != first.headers["X-Request-Id"]
        assert client.get(post.path, headers=ana).json["version"] == 2

    def test_gets_the_first_answer_when_the_game_has_gone_on_long_since(self, at_table):
        post = at_table()
        first = post("take-discard", {"card": "7H"}, **self.KEY)
        post("melds", {"cards": ["7S", "7C", "7H"]})
        post("discard", {"card": "9D"})

        assert post("take-discard", {"card": "7H"}, **self.KEY).data == first.data

    def test_gets_its_refusal_again(self, at_table):
        post = at_table()
        first = post("pass", **self.KEY)
        again = post("pass", **self.KEY)

        assert (again.status_code, again.data) == (409, first.data)
        assert again.content_type == "application/problem+json"
        assert again.headers["Idempotency-Replayed"] == "true"

    @pytest.mark.parametrize(
        "operation, body, query",
        [
            ("take-discard", {"card": "9D"}, ""),
            ("take-discard", {"card": "7H", "position": 1}, ""),
            ("draw-stock", {}, ""),
            ("take-discard", {"card": "7H"}, "?as_seat=0"),
        ],
    )
    def test_is_another_request_with_another_body_or_path(self, at_table, operation, body, query):
        post = at_table()
        post("take-discard", {"card": "7H"}, **self.KEY)
        answer = post(operation, body, query=query, **self.KEY)

        assert (answer.status_code, answer.json["code"]) == (422, "idempotency_key_reused")

    def test_while_the_first_is_still_running_is_made_in_its_place(
        self, client, at_table, table, ana, monkeypatch
    ):
        post = at_table()
        prepare_move = table.prepare_move
        meanwhile = []

        def slow(*args, **options):
            if not meanwhile:
                meanwhile.append(None)
                meanwhile[0] = post("draw-stock", **self.KEY)
            return prepare_move(*args, **options)

        monkeypatch.setattr(table, "prepare_move", slow)
        first = post("draw-stock", **self.KEY)
        third = post("draw-stock", **self.KEY)

        (second,) = meanwhile
        assert second.status_code == 201
        assert first.data == third.data == second.data
        assert [answer.headers.get("Idempotency-Replayed") for answer in (first, second, third)] == [
            "true",
            None,
            "true",
        ]
        assert client.get(post.path, headers=ana).json["version"] == 2

    @pytest.mark.parametrize("spoilt", [{"If-Match": '"9"'}, {"If-Match": "9.5"}])
    def test_may_be_put_right_when_it_was_not_judged_by_the_rules(self, at_table, spoilt):
        post = at_table()
        refused = post("take-discard", {"card": "7H"}, **{"Idempotency-Key": "k", **spoilt})
        corrected = post("take-discard", {"card": "7H"}, **{"Idempotency-Key": "k", "If-Match": '"1"'})

        assert refused.status_code in {412, 422}
        assert corrected.status_code == 201

    def test_is_made_when_the_process_of_the_first_died(self, at_table, table, store, monkeypatch):
        post = at_table()

        class Killed(BaseException):
            pass

        def killed(*_args, **_options):
            raise Killed

        with monkeypatch.context() as dying:
            dying.setattr(table, "prepare_move", killed)
            # A killed process frees no key.
            dying.setattr(store, "release", lambda _: None)
            with pytest.raises(Killed):
                post("draw-stock", **self.KEY)

        assert post("draw-stock", **self.KEY).status_code == 201

    def test_is_made_once_when_the_store_broke_off_in_the_middle(self, at_table, store, monkeypatch):
        post = at_table()

        def broken(_commit):
            raise StoreUnavailable("connection reset")

        with monkeypatch.context() as broken_store:
            broken_store.setattr(store, "commit", broken)
            lost = post("draw-stock", **self.KEY)

        assert (lost.status_code, lost.json["code"]) == (503, "store_unavailable")
        assert post("draw-stock", **self.KEY).status_code == 201

    def test_after_a_day_is_a_new_request(self, at_table, clock):
        post = at_table()
        post("take-discard", {"card": "7H"}, **self.KEY)
        clock.on(ANSWER_MS)

        assert post("take-discard", {"card": "7H"}, **self.KEY).json["code"] == "version_conflict"

    def test_of_a_player_who_resigned_is_answered_though_they_have_no_seat(
        self, client, open_table, settle, ana, ben
    ):
        game = open_table(ana, seats=2, visibility="public")
        path = f"/v1/games/{game['id']}"
        client.post(f"{path}/seats", headers=ben)
        client.post(f"{path}/start", headers=ana)
        key = {**ben, "Idempotency-Key": "enough"}

        first = client.post(f"{path}/resignation", headers=key)
        again = client.post(f"{path}/resignation", headers=key)

        assert (first.status_code, again.data) == (201, first.data)
        assert first.json["game"]["viewer"]["role"] == "spectator"
        assert first.json["game"]["seats"][1]["kind"] == "computer"


class TestADryRun:
    DRY = "?dry_run=true"

    def test_of_a_lawful_move(self, client, at_table, ana):
        post = at_table()
        answer = post("take-discard", {"card": "7H"}, query=self.DRY)

        assert (answer.status_code, answer.json["lawful"], answer.json["problem"]) == (200, True, None)
        assert client.get(post.path, headers=ana).json["version"] == 1

    def test_of_an_unlawful_move_shows_what_it_would_meet(self, at_table):
        post = at_table()
        real = post("take-discard", {"card": "2C"}).json
        problem = post("take-discard", {"card": "2C"}, query=self.DRY).json["problem"]

        assert {**problem, "request_id": None} == {**real, "request_id": None}

    @pytest.mark.parametrize(
        "operation, lawful",
        [("draw-stock", True), ("pass", False), ("keep", False), ("next-deal", False), ("resignation", True)],
    )
    def test_of_every_move(self, client, at_table, ana, operation, lawful):
        post = at_table()

        assert post(operation, query=self.DRY).json["lawful"] is lawful
        assert client.get(post.path, headers=ana).json["version"] == 1

    def test_of_a_resignation_after_the_end(self, client, open_table, ana):
        game = open_table(ana, opponents=[{}])
        path = f"/v1/games/{game['id']}/resignation"
        client.post(path, headers=ana)

        tried = client.post(f"{path}?dry_run=true", headers=ana).json
        assert (tried["lawful"], tried["problem"]["code"]) == (False, "game_over")

    def test_is_not_stored_under_a_key(self, at_table):
        post = at_table()
        key = {"Idempotency-Key": "k"}
        post("take-discard", {"card": "7H"}, query=self.DRY, **key)
        answer = post("take-discard", {"card": "7H"}, **key)

        assert answer.status_code == 201
        assert "Idempotency-Replayed" not in answer.headers

    def test_minds_form_and_version(self, at_table):
        post = at_table()

        assert post("discard", {"card": "?"}, query=self.DRY).status_code == 422
        assert post("draw-stock", query=self.DRY, **{"If-Match": '"7"'}).status_code == 412

    @pytest.mark.parametrize(
        "query", ["?dry_run=1", "?dry_run=True", "?dry_run", "?dryrun=true", "?dry_run=true&dry_run=false"]
    )
    def test_that_is_mistyped_never_makes_a_move(self, client, at_table, ana, query):
        post = at_table()

        assert post("draw-stock", query=f"?{query}").json["code"] == "validation_failed"
        assert client.get(post.path, headers=ana).json["version"] == 1


class TestLegalMoves:
    def test_are_bodies_that_can_be_posted_as_they_stand(self, client, contract, at_table, ana):
        post = at_table()
        listed = client.get(f"{post.path}/legal-moves", headers=ana).json

        assert (listed["version"], listed["seat"], listed["complete"]) == (1, 0, True)
        assert {move["type"] for move in listed["moves"]} == {"draw_stock", "take_discard"}
        for move in listed["moves"]:
            operation = contract.operation_of(move["method"], move["path"])
            assert operation["operationId"] == move["operation_id"]
            tried = client.open(
                f"{move['path']}?dry_run=true", method=move["method"], json=move["body"], headers=ana
            )
            assert tried.json["lawful"], move

    def test_a_take_says_which_cards_come_along_and_what_the_deepest_is_for(self, client, at_table, ana):
        melds = [{"owner": 1, "cards": [{"card": card} for card in ("TH", "JH", "QH")]}]
        post = at_table(["7S 7C 9H KD", "4C"], "2C 8H 7H", melds=melds)
        listed = client.get(f"{post.path}/legal-moves", headers=ana).json["moves"]

        seven, eight = [move for move in listed if move["type"] == "take_discard"]

        assert (seven["cards"], seven["must_use"], seven["uses_complete"]) == (["7H"], "7H", True)
        assert seven["uses"] == [{"type": "meld", "cards": ["7H", "7C", "7S"], "first": []}]
        assert eight["cards"] == ["8H", "7H"]
        assert eight["uses"] == [
            {"type": "meld", "cards": ["7H", "8H", "9H"], "first": []},
            {
                "type": "lay_off",
                "card": "8H",
                "meld_id": "m1",
                "end": "low",
                "first": [{"type": "lay_off", "card": "9H", "meld_id": "m1", "end": "low"}],
            },
        ]
        for use in eight["uses"]:
            laid = {name: value for name, value in use.items() if name != "first"}
            turn = [{"type": "take_discard", **eight["body"]}, *use["first"], laid]
            assert post("turns", {"moves": turn}, query="?dry_run=true").json["lawful"], use

    def test_of_a_seat_that_may_not_act_are_none(self, client, at_table, ana):
        listed = client.get(f"{at_table().path}/legal-moves?as_seat=1", headers=ana).json

        assert (listed["seat"], listed["moves"]) == (1, [])

    def test_between_deals_is_to_be_ready(self, client, at_table, ana):
        post = at_table(stock=[])
        post("pass")

        (only,) = client.get(f"{post.path}/legal-moves", headers=ana).json["moves"]
        assert only == {
            "type": "next_deal",
            "operation_id": "readyForNextDeal",
            "method": "POST",
            "path": f"{post.path}/next-deal",
            "body": {},
        }

    def test_are_cut_off_only_beyond_two_thousand(self, client, at_table, ana):
        hand = " ".join(rank + suit for suit in "HS" for rank in "A23456789TJQK") + " X1 X2"
        post = at_table([hand, "2C"], pile="3C", preset="jokers", turn={"seat": 0, "phase": "meld"})

        listed = client.get(f"{post.path}/legal-moves", headers=ana).json

        assert (len(listed["moves"]), listed["complete"]) == (2000, False)
        assert listed["truncated"] == ["meld"]
