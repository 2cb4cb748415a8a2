"""Games: created, found, joined, started; and who may see what of them."""

import threading

import pytest
from flask.testing import FlaskClient

from service.games.record import Status
from service.games.timing import OVER_KEPT_MS, WAITING_KEPT_MS
from service.store.lists import GameList


class TestOpening:
    def test_a_table_with_computers_on_all_other_seats_begins_at_once(self, client, ana):
        answer = client.post("/v1/games", json={"opponents": [{"level": "steady"}]}, headers=ana)

        game = answer.json
        assert answer.status_code == 201
        assert answer.headers["Location"] == f"/v1/games/{game['id']}"
        assert answer.headers["ETag"] == '"1"'
        assert (game["version"], game["status"], game["phase"]) == (1, "playing", "draw")
        assert [seat["kind"] for seat in game["seats"]] == ["human", "computer"]
        assert len(game["you"]["hand"]) == 13
        assert (game["viewer"]["role"], game["viewer"]["seat"]) == ("player", 0)
        assert game["clock"] is None

    def test_a_table_with_free_seats_waits(self, open_table, ana):
        game = open_table(ana, seats=3, visibility="public")

        assert game["status"] == "waiting"
        assert (game["deal"], game["turn"], game["you"], game["stock_count"]) == (None, None, None, None)
        assert [seat["kind"] for seat in game["seats"]] == ["human", None, None]
        assert game["clock"] == {"turn_ms": 120_000, "call_window_ms": None, "next_deal_ms": 30_000}

    def test_nothing_needs_to_be_said(self, open_table, ana):
        game = open_table(ana)

        assert (len(game["seats"]), game["visibility"], game["variant"]["preset"]) == (
            2,
            "private",
            "classic",
        )

    def test_a_variant_shows_what_differs_from_its_preset(self, open_table, ana):
        overrides = {"target": 300, "ace_in_run": "low"}
        variant = open_table(ana, variant={"preset": "jokers", "overrides": overrides}, seats=4)["variant"]

        assert variant["overrides"] == overrides
        assert variant["options"]["jokers_per_pack"] == 2
        assert variant["options"]["hand_size"] == 7

    def test_may_be_opened_again_with_the_overrides_it_shows(self, open_table, ana):
        asked = {"preset": "basic-rummy", "overrides": {"ace_in_run": "high", "ace_value": "always_1"}}
        variant = open_table(ana, variant=asked, seats=2)["variant"]

        shown = {name: variant[name] for name in ("preset", "overrides")}

        assert open_table(ana, variant=shown, seats=2)["variant"] == variant

    def test_the_rules_can_be_read(self, client, open_table, ana):
        game = open_table(ana, variant={"overrides": {"target": 300}})

        rules = client.get(f"/v1/games/{game['id']}/rules", headers=ana).json

        assert "300" in next(c for c in rules["chapters"] if c["title"] == "Winning")["rules"][0]["text"]


class TestWhatIsRefusedAtTheDoor:
    @pytest.mark.parametrize(
        "body, field",
        [
            ({"colour": "red"}, "colour"),
            ({"seats": 1}, "seats"),
            ({"seats": 9}, "seats"),
            ({"seats": "2"}, "seats"),
            ({"seats": True}, "seats"),
            ({"seats": 2.5}, "seats"),
            ({"rated": "no"}, "rated"),
            ({"rated": 0}, "rated"),
            ({"visibility": "secret"}, "visibility"),
            ({"opponents": [{"level": "godlike"}]}, "opponents.0.level"),
            ({"opponents": [{"level": "steady", "name": "Bo"}]}, "opponents.0.name"),
            ({"opponents": [{}] * 8}, "opponents"),
            ({"variant": {"preset": "poker"}}, "variant.preset"),
            ({"variant": {"overrides": {"targt": 300}}}, "variant.overrides.targt"),
            ({"variant": {"overrides": {"target": "300"}}}, "variant.overrides.target"),
            ({"variant": {"overrides": {"target": 0}}}, "variant.overrides.target"),
            ({"variant": {"overrides": {"deep_draw": 1}}}, "variant.overrides.deep_draw"),
            ({"variant": {"overrides": {"target": None}}}, "variant.overrides.target"),
            ({"clock": {"turn_ms": -5}}, "clock.turn_ms"),
            ({"clock": {"turn": 5}}, "clock.turn"),
            ({"clock": "fast"}, "clock"),
            ({"computer_pace_ms": -1}, "computer_pace_ms"),
            ({"thinking_ms": 19}, "thinking_ms"),
            ({"thinking_ms": 5_001}, "thinking_ms"),
            ({"sandbox": True, "seed": ""}, "seed"),
            ({"sandbox": True, "seed": True}, "seed"),
            ({"sandbox": True, "position": {}}, "position.hands"),
            ({"sandbox": True, "position": {"hands": [["7Z"], []]}}, "position.hands.0.0"),
            ({"sandbox": True, "position": {"hands": "7S 8S"}}, "position.hands"),
            ({"sandbox": True, "position": {"hands": [], "melds": [{"owner": 0}]}}, "position.melds.0.cards"),
            ({"sandbox": True, "position": {"hands": [], "turn": {"phase": "lunch"}}}, "position.turn.phase"),
            ({"sandbox": True, "seats_held": "all"}, "seats_held"),
        ],
    )
    def test_what_does_not_fit_is_named(self, client, ana, body, field):
        answer = client.post("/v1/games", json=body, headers=ana)

        assert (answer.status_code, answer.json["code"]) == (422, "validation_failed")
        assert field in {error["field"] for error in answer.json["errors"]}

    def test_an_unknown_option_gets_the_known_ones(self, client, ana):
        answer = client.post("/v1/games", json={"variant": {"overrides": {"targt": 300}}}, headers=ana)

        assert "target" in answer.json["detail"]
        assert "call_rummy" in answer.json["detail"]

    def test_options_that_contradict_each_other_name_the_culprit(self, client, ana):
        body = {"variant": {"overrides": {"teams": "pairs"}}, "seats": 3}
        answer = client.post("/v1/games", json=body, headers=ana)

        assert (answer.status_code, answer.json["code"]) == (422, "variant_contradiction")
        assert answer.json["option"] == "teams"
        assert answer.json["errors"][0]["field"] == "variant.overrides.teams"

    def test_a_number_of_players_that_the_preset_is_not_for(self, client, ana):
        answer = client.post("/v1/games", json={"variant": {"preset": "cardcouch"}, "seats": 3}, headers=ana)

        assert (answer.json["code"], answer.json["errors"][0]["field"]) == ("variant_contradiction", "seats")

    @pytest.mark.parametrize(
        "member", [{"seed": "x"}, {"seats_held": "creator"}, {"position": {"hands": [["2C"], ["3C"]]}}]
    )
    def test_what_only_a_sandbox_has(self, client, ana, member):
        answer = client.post("/v1/games", json=member, headers=ana)

        assert (answer.status_code, answer.json["code"]) == (422, "sandbox_only")

    def test_a_position_that_no_game_can_be_in(self, client, ana):
        position = {"hands": [["2C", "2C"], ["3C"]], "discard_pile": ["4C"]}
        body = {"sandbox": True, "seats_held": "creator", "position": position}
        answer = client.post("/v1/games", json=body, headers=ana)

        assert (answer.status_code, answer.json["code"]) == (422, "impossible_position")
        assert "two of clubs" in answer.json["detail"]

    def test_more_computers_than_seats(self, client, ana):
        body = {"seats": 2, "opponents": [{}, {}]}
        answer = client.post("/v1/games", json=body, headers=ana)

        assert (answer.status_code, answer.json["code"]) == (422, "validation_failed")
        assert answer.json["errors"][0]["field"] == "opponents"

    def test_computers_on_seats_that_are_all_held(self, client, ana):
        body = {"sandbox": True, "seats_held": "creator", "seats": 2, "opponents": [{}]}
        answer = client.post("/v1/games", json=body, headers=ana)

        assert (answer.status_code, answer.json["errors"][0]["field"]) == (422, "opponents")

    def test_a_token_that_may_only_read(self, client, ana):
        made = client.post("/v1/tokens", json={"scopes": ["games:read"]}, headers=ana).json
        reader = {"Authorization": f"Bearer {made['token']}"}

        assert client.post("/v1/games", json={}, headers=reader).json["code"] == "insufficient_scope"


class TestARequestToOpenSentTwice:
    def test_opens_one_table(self, client, ana):
        key = {**ana, "Idempotency-Key": "k-1"}
        first = client.post("/v1/games", json={"seats": 3}, headers=key)
        again = client.post("/v1/games", json={"seats": 3}, headers=key)

        assert again.data == first.data
        assert again.headers["Location"] == first.headers["Location"]
        assert again.headers["ETag"] == first.headers["ETag"]
        assert again.headers["Idempotency-Replayed"] == "true"
        assert "Idempotency-Replayed" not in first.headers
        assert len(client.get("/v1/me/games", headers=ana).json["games"]) == 1

    def test_is_another_players_own_with_the_same_key(self, client, ana, ben):
        first = client.post("/v1/games", json={}, headers={**ana, "Idempotency-Key": "k"})
        other = client.post("/v1/games", json={}, headers={**ben, "Idempotency-Key": "k"})

        assert other.json["id"] != first.json["id"]

    def test_with_another_body_is_refused(self, client, ana):
        key = {**ana, "Idempotency-Key": "k-1"}
        client.post("/v1/games", json={"seats": 3}, headers=key)
        other = client.post("/v1/games", json={"seats": 4}, headers=key)

        assert (other.status_code, other.json["code"]) == (422, "idempotency_key_reused")

    def test_after_a_mistake_may_be_corrected_under_the_same_key(self, client, ana):
        key = {**ana, "Idempotency-Key": "k-1"}
        refused = client.post("/v1/games", json={"opponents": [{}, {}], "seats": 2}, headers=key)
        corrected = client.post("/v1/games", json={"opponents": [{}], "seats": 2}, headers=key)

        assert (refused.status_code, corrected.status_code) == (422, 201)


class TestSittingDown:
    def test_the_first_free_seat_is_taken(self, client, open_table, ana, ben):
        game = open_table(ana, seats=3, visibility="public")
        answer = client.post(f"/v1/games/{game['id']}/seats", json={}, headers=ben)

        assert (answer.status_code, answer.headers["ETag"]) == (201, '"2"')
        assert (answer.json["viewer"]["role"], answer.json["viewer"]["seat"]) == ("player", 1)
        assert answer.json["seats"][1]["player"]["name"] == "Ben"

    def test_a_seat_may_be_named(self, client, open_table, ana, ben):
        game = open_table(ana, seats=3, visibility="public")
        answer = client.post(f"/v1/games/{game['id']}/seats", json={"seat": 2}, headers=ben)

        assert answer.json["viewer"]["seat"] == 2

    def test_no_body_is_needed(self, client, open_table, ana, ben):
        game = open_table(ana, seats=3, visibility="public")

        assert client.post(f"/v1/games/{game['id']}/seats", headers=ben).status_code == 201

    def test_a_taken_seat_names_the_free_ones(self, client, open_table, ana, ben):
        game = open_table(ana, seats=3, visibility="public")
        answer = client.post(f"/v1/games/{game['id']}/seats", json={"seat": 0}, headers=ben)

        assert (answer.status_code, answer.json["code"]) == (409, "seat_taken")
        assert answer.json["free_seats"] == [1, 2]

    def test_no_player_sits_twice(self, client, open_table, ana):
        game = open_table(ana, seats=3)

        assert client.post(f"/v1/games/{game['id']}/seats", headers=ana).json["code"] == "seat_taken"

    def test_a_full_table_is_full(self, client, open_table, settle, ana, ben):
        game = open_table(ana, seats=2, visibility="public")
        client.post(f"/v1/games/{game['id']}/seats", headers=ben)

        answer = client.post(f"/v1/games/{game['id']}/seats", headers=settle("Cem"))
        assert (answer.status_code, answer.json["code"]) == (409, "game_full")

    def test_a_game_that_has_started_takes_no_player(self, client, open_table, ana, ben):
        game = open_table(ana, opponents=[{}], visibility="public")

        answer = client.post(f"/v1/games/{game['id']}/seats", headers=ben)
        assert (answer.status_code, answer.json["code"]) == (409, "already_started")

    def test_a_table_that_was_called_off_says_so(self, client, open_table, ana, ben):
        game = open_table(ana, seats=2)
        path = f"/v1/games/{game['id']}"
        client.post(f"{path}/abort", headers=ana)

        for refused in (
            client.post(f"{path}/seats", json={"invite_code": game["invite_code"]}, headers=ben),
            client.delete(f"{path}/seats/me", headers=ana),
            client.put(f"{path}/seats/1/computer", json={}, headers=ana),
            client.post(f"{path}/start", headers=ana),
        ):
            assert (refused.status_code, refused.json["code"]) == (409, "game_called_off")
            assert refused.json["detail"] == "The game was called off: join another game, or open one."

    def test_sent_twice_sits_down_once(self, client, open_table, ana, ben):
        game = open_table(ana, seats=3, visibility="public")
        key = {**ben, "Idempotency-Key": "sit"}
        first = client.post(f"/v1/games/{game['id']}/seats", headers=key)
        again = client.post(f"/v1/games/{game['id']}/seats", headers=key)

        assert (again.status_code, again.data) == (201, first.data)

    def test_leaving_frees_the_seat(self, client, open_table, ana, ben):
        game = open_table(ana, seats=2, visibility="public")
        client.post(f"/v1/games/{game['id']}/seats", headers=ben)

        assert client.delete(f"/v1/games/{game['id']}/seats/me", headers=ben).status_code == 204
        seats = client.get(f"/v1/games/{game['id']}", headers=ana).json["seats"]
        assert seats[1]["player"] is None

    def test_the_last_one_to_leave_gives_the_table_up(self, client, open_table, ana):
        game = open_table(ana, seats=2, visibility="public")
        client.delete(f"/v1/games/{game['id']}/seats/me", headers=ana)

        listed = client.get("/v1/games", headers=ana).json["games"]
        assert [entry["status"] for entry in listed] == ["aborted"]

    def test_the_creator_may_seat_computers(self, client, open_table, ana, ben):
        game = open_table(ana, seats=3, visibility="public")
        path = f"/v1/games/{game['id']}/seats/1/computer"

        assert client.put(path, json={"level": "steady"}, headers=ana).json["seats"][1]["kind"] == "computer"
        refused = client.put(path, json={}, headers=ben)
        assert (refused.status_code, refused.json["code"]) == (403, "not_seated")


class TestStarting:
    @pytest.fixture
    def full(self, client, open_table, ana, ben):
        game = open_table(ana, seats=2, visibility="public")
        client.post(f"/v1/games/{game['id']}/seats", headers=ben)
        return f"/v1/games/{game['id']}"

    def test_is_for_the_creator(self, client, full, ben):
        refused = client.post(f"{full}/start", headers=ben)

        assert (refused.status_code, refused.json["code"]) == (403, "not_creator")

    def test_deals(self, client, full, ana, ben):
        started = client.post(f"{full}/start", headers=ana)

        assert started.status_code == 200
        assert started.json["status"] == "playing"
        assert started.json["turn"]["deadline_at"] is not None
        assert len(client.get(full, headers=ben).json["you"]["hand"]) == 13

    def test_needs_every_seat(self, client, open_table, ana):
        game = open_table(ana, seats=2)
        refused = client.post(f"/v1/games/{game['id']}/start", headers=ana)

        assert (refused.status_code, refused.json["code"]) == (409, "seats_empty")
        assert refused.json["free_seats"] == [1]

    def test_happens_once(self, client, full, ana):
        client.post(f"{full}/start", headers=ana)
        refused = client.post(f"{full}/start", headers=ana)

        assert (refused.status_code, refused.json["code"]) == (409, "already_started")

    def test_minds_the_version(self, client, full, ana):
        refused = client.post(f"{full}/start", headers={**ana, "If-Match": '"1"'})

        assert (refused.status_code, refused.json["code"]) == (412, "version_conflict")
        assert refused.json["current_version"] == 2

    def test_applies_to_joining_and_leaving_too(self, client, open_table, ana, ben):
        seats = f"/v1/games/{open_table(ana, seats=2, visibility='public')['id']}/seats"
        stale = {**ben, "If-Match": '"7"'}

        assert client.post(seats, headers=stale).json["code"] == "version_conflict"
        assert client.post(seats, headers={**ben, "If-Match": '"1"'}).status_code == 201
        assert client.delete(f"{seats}/me", headers=stale).json["code"] == "version_conflict"
        assert client.delete(f"{seats}/me", headers={**ben, "If-Match": '"2"'}).status_code == 204

    def test_a_table_may_be_given_up_instead(self, client, open_table, ana):
        game = open_table(ana, seats=2)
        answer = client.post(f"/v1/games/{game['id']}/abort", headers=ana)

        assert (answer.json["status"], answer.json["reason"]) == ("aborted", "aborted")


class TestWhoMaySee:
    @pytest.fixture
    def playing(self, client, open_table, ana, ben):
        def playing(**body):
            game = open_table(ana, seats=2, **body)
            path = f"/v1/games/{game['id']}"
            code = {"invite_code": game["invite_code"]}
            assert client.post(f"{path}/seats", json=code, headers=ben).status_code == 201
            client.post(f"{path}/start", headers=ana)
            return path, game["invite_code"]

        return playing

    def test_a_private_game_is_not_there_for_strangers(self, client, playing, settle):
        path, _ = playing(spectators="public")
        stranger = settle("Cem")
        nowhere = client.get("/v1/games/g00aaaaaaaaaaaaaaaaaaaaaaaaaa", headers=stranger).json

        for where in ("", "/events", "/replay", "/rules", "/deals/1/proof", "/legal-moves"):
            answer = client.get(path + where, headers=stranger)
            assert (answer.status_code, answer.json["code"]) == (404, "not_found")
            assert answer.json["detail"] == nowhere["detail"]
        for move in ("draw-stock", "resignation", "seats", "start", "abort"):
            assert client.post(path + f"/{move}", headers=stranger).status_code == 404
        assert client.post(path + "/draw-stock?dry_run=true", headers=stranger).status_code == 404

    @pytest.mark.parametrize("game_id", ["x", "g", "g00", "g99" + "a" * 26, "..", "g00" + "a" * 77, "%00"])
    def test_what_is_no_id_is_not_there_either(self, client, ana, game_id):
        assert client.get(f"/v1/games/{game_id}", headers=ana).status_code == 404
        keyed = {**ana, "Idempotency-Key": "k"}
        assert client.post(f"/v1/games/{game_id}/draw-stock", headers=keyed).status_code == 404

    def test_an_invite_code_opens_a_private_game_to_spectators(self, client, playing, settle):
        path, code = playing(spectators="invite")
        stranger = settle("Cem")

        assert client.get(f"{path}?invite_code=wrong", headers=stranger).status_code == 404
        watched = client.get(f"{path}?invite_code={code}", headers=stranger).json
        assert (watched["viewer"]["role"], watched["viewer"]["seat"]) == ("spectator", None)
        assert watched["you"] is None
        assert watched["invite_code"] is None

    def test_an_invite_code_does_not_admit_spectators_where_none_are_allowed(self, client, playing, settle):
        path, code = playing(spectators="none")
        answer = client.get(f"{path}?invite_code={code}", headers=settle("Cem"))

        assert (answer.status_code, answer.json["code"]) == (403, "not_seated")

    @pytest.mark.parametrize("spectators, status", [("none", 403), ("invite", 403), ("public", 200)])
    def test_a_public_game_is_watched_by_those_it_lets(self, client, playing, settle, spectators, status):
        path, _ = playing(visibility="public", spectators=spectators)

        assert client.get(path, headers=settle("Cem")).status_code == status

    def test_a_spectator_makes_no_move(self, client, playing, settle):
        path, _ = playing(visibility="public", spectators="public")
        watcher = settle("Cem")

        for answer in (
            client.post(f"{path}/draw-stock", headers=watcher),
            client.get(f"{path}/legal-moves", headers=watcher),
            client.get(f"{path}?as_seat=0", headers=watcher),
        ):
            assert (answer.status_code, answer.json["code"]) == (403, "not_seated")

    def test_the_seat_of_another_player_is_no_view(self, client, playing, ana):
        path, _ = playing()

        answer = client.get(f"{path}?as_seat=1", headers=ana)
        assert (answer.status_code, answer.json["code"]) == (403, "not_seated")
        assert client.get(f"{path}?as_seat=0", headers=ana).status_code == 200

    def test_each_player_sees_only_their_own_hand(self, client, playing, ana, ben):
        path, _ = playing()
        views = [client.get(path, headers=player) for player in (ana, ben)]
        hands = [view.json["you"]["hand"] for view in views]

        assert not set(hands[0]) & set(hands[1])
        for view, other in ((views[0], hands[1]), (views[1], hands[0])):
            assert not [card for card in other if f'"{card}"' in view.text]


class TestLookingAgain:
    @pytest.fixture
    def path(self, open_table, ana):
        game = open_table(
            ana, opponents=[{}], variant={"preset": "cardcouch", "overrides": {"first_dealer": 1}}
        )
        return f"/v1/games/{game['id']}"

    @pytest.mark.parametrize("tag", ['"1"', 'W/"1"', '"7", "1"', "*"])
    def test_what_one_has_is_not_sent_again(self, client, path, ana, tag):
        answer = client.get(path, headers={**ana, "If-None-Match": tag})

        assert (answer.status_code, answer.data) == (304, b"")
        assert answer.headers["ETag"] == '"1"'
        assert answer.headers["Cache-Control"] == "private, no-cache"
        assert answer.headers["Vary"] == "Authorization, Accept-Encoding"

    @pytest.mark.parametrize("tag", ['"0"', '"2"', "nonsense", '""'])
    def test_anything_else_is(self, client, path, ana, tag):
        assert client.get(path, headers={**ana, "If-None-Match": tag}).status_code == 200

    def test_waiting_ends_with_the_time(self, client, path, ana):
        answer = client.get(f"{path}?wait_ms=30", headers={**ana, "If-None-Match": '"1"'})

        assert answer.status_code == 304

    def test_waiting_ends_with_a_change(self, app, client, path, ana):
        mover = threading.Timer(
            0.1, lambda: FlaskClient(app, app.response_class).post(f"{path}/draw-stock", headers=ana)
        )
        mover.start()
        answer = client.get(f"{path}?wait_ms=20000", headers={**ana, "If-None-Match": '"1"'})
        mover.join()

        assert (answer.status_code, answer.json["version"]) == (200, 2)

    def test_no_request_waits_without_a_tag(self, client, path, ana):
        assert client.get(f"{path}?wait_ms=20000", headers=ana).status_code == 200

    def test_no_request_waits_longer_than_half_a_minute(self, client, path, ana):
        answer = client.get(f"{path}?wait_ms=30001", headers=ana)

        assert (answer.status_code, answer.json["errors"][0]["field"]) == (422, "wait_ms")

    def test_waiting_requests_leave_threads_for_moves(self, client, given, path, ana):
        have_it = {**ana, "If-None-Match": '"1"'}
        for _ in range(2):
            given.streams.slots.acquire()

        refused = client.get(f"{path}?wait_ms=5000", headers=have_it)
        assert (refused.status_code, refused.json["code"]) == (503, "stream_capacity")
        assert refused.headers["Retry-After"] == "1"
        assert client.get(path, headers=have_it).status_code == 304

    def test_the_slot_of_a_finished_wait_is_free_again(self, client, given, path, ana):
        for _ in range(5):
            client.get(f"{path}?wait_ms=1", headers={**ana, "If-None-Match": '"1"'})

        assert given.streams.slots.acquire(blocking=False)


class TestLists:
    def test_strangers_find_public_games_only(self, client, open_table, ana, ben):
        open_table(ana, seats=2)
        public = open_table(ana, seats=2, visibility="public")

        listed = client.get("/v1/games", headers=ben).json
        assert [game["id"] for game in listed["games"]] == [public["id"]]
        assert listed["next_cursor"] is None

    def test_tables_to_join(self, client, open_table, ana, ben):
        open_table(ana, opponents=[{}], visibility="public")
        waiting = open_table(ana, seats=2, visibility="public")

        for status, expected in (("waiting", [waiting["id"]]), ("finished", [])):
            listed = client.get(f"/v1/games?status={status}", headers=ben).json["games"]
            assert [game["id"] for game in listed] == expected

    def test_sandboxes_are_kept_apart(self, client, open_table, ana):
        sandbox = open_table(ana, sandbox=True, opponents=[{}], visibility="public")
        game = open_table(ana, opponents=[{}], visibility="public")

        for path in ("/v1/games", "/v1/me/games"):
            usual = client.get(path, headers=ana).json["games"]
            apart = client.get(f"{path}?sandbox=true", headers=ana).json["games"]
            assert [entry["id"] for entry in usual] == [game["id"]]
            assert [entry["id"] for entry in apart] == [sandbox["id"]]

    def test_my_games_are_those_i_sit_at(self, client, open_table, ana, ben):
        open_table(ana, seats=2)

        assert len(client.get("/v1/me/games", headers=ana).json["games"]) == 1
        assert client.get("/v1/me/games", headers=ben).json["games"] == []

    def test_pages_follow_each_other_without_gap_or_repeat(self, client, clock, open_table, ana):
        made = []
        for _ in range(5):
            made.append(open_table(ana, seats=2)["id"])
            clock.on(1)
        found, cursor = [], ""
        for _ in range(4):
            page = client.get(f"/v1/me/games?limit=2{cursor}", headers=ana).json
            found += [game["id"] for game in page["games"]]
            if page["next_cursor"] is None:
                break
            cursor = f"&cursor={page['next_cursor']}"

        assert found == made[::-1]

    def test_a_filter_does_not_end_a_list_early(self, client, clock, open_table, ana):
        old = open_table(ana, seats=2)["id"]
        for _ in range(3):
            clock.on(1)
            open_table(ana, opponents=[{}])

        found, cursor = [], ""
        while cursor is not None:
            page = client.get(f"/v1/me/games?status=waiting&limit=1{cursor}", headers=ana).json
            found += [game["id"] for game in page["games"]]
            cursor = page["next_cursor"] and f"&cursor={page['next_cursor']}"
        assert found == [old]

    @pytest.mark.parametrize("path", ["/v1/games", "/v1/me/games"])
    def test_a_running_game_is_found_at_once_behind_many_that_are_over(
        self, client, clock, open_table, ana, path
    ):
        old = open_table(ana, opponents=[{}], visibility="public")["id"]
        for _ in range(9):
            clock.on(1)
            over = open_table(ana, opponents=[{}], visibility="public")["id"]
            client.post(f"/v1/games/{over}/resignation", headers=ana)

        page = client.get(f"{path}?status=playing&limit=1", headers=ana).json

        assert [game["id"] for game in page["games"]] == [old]
        over = client.get(f"{path}?status=finished", headers=ana).json["games"]
        assert len(over) == 9

    @pytest.mark.parametrize("query", ["cursor=x", "limit=0", "limit=101", "limit=%2B5", "status=lost"])
    def test_a_query_that_is_none(self, client, ana, query):
        assert client.get(f"/v1/games?{query}", headers=ana).json["code"] == "validation_failed"

    def test_a_list_that_was_written_late_shows_no_table_that_was_left(
        self, client, store, open_table, ana, ben
    ):
        game = open_table(ana, seats=3)
        path = f"/v1/games/{game['id']}/seats"
        client.post(path, json={"invite_code": game["invite_code"]}, headers=ben)
        me = client.get("/v1/me", headers=ben).json["id"]
        (sat,) = store.games_in(GameList.of_player(me), limit=2)
        client.delete(f"{path}/me", headers=ben)

        # Whoever let Ben sit down writes it into his list only now.
        lists = [GameList.of_player(me)]
        store.list_game(game["id"], at=sat.at, expires_at=sat.at + WAITING_KEPT_MS, lists=lists)

        assert client.get("/v1/me/games", headers=ben).json["games"] == []

    def test_what_has_vanished_is_not_listed(self, client, clock, open_table, ana):
        open_table(ana, seats=2)
        clock.on(WAITING_KEPT_MS // 2)
        newer = open_table(ana, seats=2)["id"]
        clock.on(WAITING_KEPT_MS // 2)

        listed = client.get("/v1/me/games", headers=ana).json["games"]
        assert [game["id"] for game in listed] == [newer]


class TestHowLongAGameIsKept:
    def test_is_shown(self, client, clock, open_table, ana):
        waiting = open_table(ana, seats=2)
        playing = open_table(ana, opponents=[{}])
        over = client.post(f"/v1/games/{playing['id']}/resignation", headers=ana).json["game"]

        assert waiting["expires_at"] == "2026-09-22T14:13:20.000Z"
        assert playing["expires_at"] is None
        assert over["status"] == Status.FINISHED
        assert over["expires_at"] == "2026-12-20T14:13:20.000Z"
        clock.on(OVER_KEPT_MS)
        assert client.get(f"/v1/games/{playing['id']}", headers=ana).status_code == 404
