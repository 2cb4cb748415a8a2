"""Hints and reviews over HTTP: from what the player may know, and never in a rated game."""

import random

import pytest

from service.jobs.advice import HINT_KEPT_MS, HINT_MS


@pytest.fixture
def path(sandbox, ana):
    """Return the path of a sandbox in which taking the seven of hearts makes a set."""
    game = sandbox(ana, ["7S 7C 9S KD", "4C 9C QH"], pile="2C 7H 9D")
    return f"/v1/games/{game['id']}"


@pytest.fixture
def rated(client, open_table, ana, ben):
    """Return the path of a rated game of two people."""
    game = open_table(ana, variant={"preset": "classic"}, seats=2, rated=True)
    path = f"/v1/games/{game['id']}"
    client.post(f"{path}/seats", json={"invite_code": game["invite_code"]}, headers=ben)
    client.post(f"{path}/start", headers=ana)
    return path


def hint(client, path, headers, **more):
    asked = client.post(f"{path}/hints", headers={**headers, **more})
    assert asked.status_code == 202, asked.json
    return client.get(asked.headers["Location"], headers=headers).json


class TestAHint:
    def test_is_a_job_that_is_read_when_it_is_done(self, client, path, ana, advice_queue):
        advice_queue.at_once = False
        asked = client.post(f"{path}/hints", headers=ana)

        assert asked.status_code == 202
        assert asked.headers["Location"] == f"/v1/jobs/{asked.json['id']}"
        assert (asked.json["kind"], asked.json["status"], asked.json["hint"]) == ("hint", "queued", None)

        advice_queue.run()

        told = client.get(asked.headers["Location"], headers=ana).json
        assert (told["status"], told["version"], told["seats"]) == ("done", 1, [0])

    def test_names_a_move_that_can_be_posted_as_it_stands(self, client, contract, path, ana):
        for _ in range(8):
            told = hint(client, path, ana)["hint"]
            for advice in (told["best"], *told["alternatives"]):
                move = advice["move"]
                tried = client.post(f"{move['path']}?dry_run=true", json=move["body"], headers=ana)
                assert tried.json["lawful"], move
            best = told["best"]["move"]
            assert contract.operation_of(best["method"], best["path"])["operationId"] == best["operation_id"]
            made = client.post(best["path"], json=best["body"], headers=ana)
            assert made.status_code == 201
            if made.json["game"]["status"] != "playing":
                break

    def test_gives_points_reasons_and_at_most_two_alternatives(self, client, path, ana):
        client.post(f"{path}/draw-stock", headers=ana)
        told = hint(client, path, ana)["hint"]

        assert len(told["alternatives"]) == 2
        for advice in (told["best"], *told["alternatives"]):
            texts = [one["template"] for one in advice["reasons"] if not one["params"]]
            assert all(text in advice["reason"] for text in texts)
            assert advice["reasons"][0]["reason_code"]
            assert set(advice) == {"move", "points", "margin", "worlds", "reason", "reasons"}
            assert advice["reason"].endswith(".")
            assert advice["worlds"] > 0

    def test_is_the_same_whatever_lies_hidden(self, client, open_table, ana):
        """The other hand and the stock differ; the id is that of one game, so that the dice are the same."""
        told = []
        for hidden, stock in (("4C 9C QH", ["AS", "2S", "3S"]), ("2S AS 3S", ["QH", "4C", "9C"])):
            game = open_table(
                ana,
                variant={"preset": "classic"},
                sandbox=True,
                seed="hidden",
                seats_held="creator",
                position={
                    "hands": [["7S", "7C", "9S", "KD"], hidden.split()],
                    "discard_pile": ["2C", "7H", "9D"],
                    "stock": stock,
                },
            )
            told.append((game["id"], hint(client, f"/v1/games/{game['id']}", ana)["hint"]))

        ids, hints = zip(*told, strict=True)
        assert ids[0] != ids[1]
        reasons = [[one["reason"] for one in (told["best"], *told["alternatives"])] for told in hints]
        assert sorted(reasons[0]) == sorted(reasons[1])

    def test_asked_again_is_the_same_job(self, client, path, ana):
        first = client.post(f"{path}/hints", headers=ana).json

        assert client.post(f"{path}/hints", headers=ana).json["id"] == first["id"]

    def test_sent_again_with_its_key_gets_the_first_answer(self, client, path, ana):
        headers = {**ana, "Idempotency-Key": "one"}
        first = client.post(f"{path}/hints", headers=headers)
        again = client.post(f"{path}/hints", headers=headers)

        assert again.json == first.json
        assert again.headers["Idempotency-Replayed"] == "true"

    def test_is_one_at_a_time(self, client, path, ana, advice_queue):
        advice_queue.at_once = False
        first = client.post(f"{path}/hints", headers=ana).json
        client.post(f"{path}/draw-stock", headers=ana)

        refused = client.post(f"{path}/hints", headers=ana)
        assert (refused.status_code, refused.json["code"]) == (409, "hint_in_progress")
        assert refused.json["job_id"] == first["id"]

    def test_for_a_game_that_moved_on_fails_and_says_so(self, client, path, ana, advice_queue):
        advice_queue.at_once = False
        asked = client.post(f"{path}/hints", headers=ana).json
        client.post(f"{path}/draw-stock", headers=ana)
        advice_queue.run()

        told = client.get(f"/v1/jobs/{asked['id']}", headers=ana).json
        assert (told["status"], told["reason"]) == ("failed", "The game has changed; request another hint.")
        advice_queue.at_once = True
        assert hint(client, path, ana)["status"] == "done"

    def test_that_no_worker_thinks_about_fails_in_a_minute(self, client, clock, path, ana, advice_queue):
        advice_queue.at_once = False
        asked = client.post(f"{path}/hints", headers=ana).json

        clock.on(HINT_MS)

        told = client.get(f"/v1/jobs/{asked['id']}", headers=ana).json
        assert (told["status"], told["hint"]) == ("failed", None)
        assert told["reason"] == "The job was lost: ask again."

    def test_is_forgotten_after_an_hour(self, client, clock, path, ana):
        asked = client.post(f"{path}/hints", headers=ana).json
        clock.on(HINT_KEPT_MS)

        assert client.get(f"/v1/jobs/{asked['id']}", headers=ana).json["code"] == "not_found"

    def test_while_the_queue_is_away_is_refused(self, client, path, ana, advice_queue):
        advice_queue.is_down = True

        refused = client.post(f"{path}/hints", headers=ana)
        assert (refused.status_code, refused.json["code"]) == (503, "store_unavailable")

    def test_for_another_version_than_one_has_seen_is_refused(self, client, path, ana):
        refused = client.post(f"{path}/hints", headers={**ana, "If-Match": '"7"'})

        assert refused.json["code"] == "version_conflict"

    def test_changes_nothing(self, client, path, ana):
        before = client.get(path, headers=ana)
        hint(client, path, ana)

        assert client.get(path, headers=ana).json == before.json


class TestWhoGetsAHint:
    def test_no_player_in_a_rated_game(self, client, rated, ana, ben):
        for who in (ana, ben):
            refused = client.post(f"{rated}/hints", headers=who)
            assert (refused.status_code, refused.json["code"]) == (403, "rated_game")

    def test_no_player_out_of_turn(self, client, path, ana):
        refused = client.post(f"{path}/hints?as_seat=1", headers=ana)

        assert (refused.status_code, refused.json["code"]) == (409, "not_your_turn")
        assert refused.json["kind"] == "illegal_move"

    def test_no_seat_between_deals_nor_after_the_game(self, client, sandbox, ana):
        game = sandbox(ana, ["2D 3D", "4H 5H"], stock=[])
        path = f"/v1/games/{game['id']}"
        client.post(f"{path}/pass", headers=ana)
        assert client.post(f"{path}/hints", headers=ana).json["code"] == "deal_over"

        client.post(f"{path}/resignation", headers=ana)
        assert client.post(f"{path}/hints", headers=ana).json["code"] == "game_over"

    def test_no_seat_before_the_game(self, client, open_table, ana):
        game = open_table(ana, seats=2)

        assert client.post(f"/v1/games/{game['id']}/hints", headers=ana).json["code"] == "wrong_phase"

    def test_no_stranger(self, client, path, ben):
        assert client.post(f"{path}/hints", headers=ben).json["code"] == "not_found"

    def test_a_job_is_readable_by_its_player_alone(self, client, path, ana, ben):
        asked = client.post(f"{path}/hints", headers=ana).json

        assert client.get(f"/v1/jobs/{asked['id']}", headers=ben).json["code"] == "not_found"
        assert client.get("/v1/jobs/jnone", headers=ana).json["code"] == "not_found"


class TestAReview:
    @pytest.fixture
    def over(self, client, contract, open_table, ana):
        """Return the path of a game that was played to its end by random legal moves."""
        dice = random.Random("review")
        game = open_table(
            ana,
            variant={"preset": "jokers", "overrides": {"deals": 1, "hand_size": 4}},
            seats=3,
            sandbox=True,
            seed="review",
            seats_held="creator",
        )
        path = f"/v1/games/{game['id']}"
        while game["status"] == "playing":
            moves = client.get(f"{path}/legal-moves", headers=ana).json["moves"]
            tabling = [move for move in moves if move["type"] in {"meld", "lay_off"}]
            move = dice.choice(tabling or moves)
            game = client.post(move["path"], json=move["body"], headers=ana).json["game"]
        return path

    def test_holds_every_turn_against_the_best_found(self, client, over, ana):
        asked = client.post(f"{over}/review", headers=ana)
        assert asked.status_code == 202
        job = client.get(asked.headers["Location"], headers=ana).json
        review = client.get(f"{over}/review", headers=ana).json

        assert (job["status"], job["review"]) == ("done", review)
        assert job["done"] == job["steps"]
        assert {turn["seat"] for turn in review["turns"]} == {0, 1, 2}
        for turn in review["turns"]:
            assert turn["cost"] == pytest.approx(sum(move["cost"] for move in turn["moves"]))
            for move in turn["moves"]:
                assert move["cost"] == pytest.approx(
                    max(0, move["best"]["points"] - move["played"]["points"])
                )
                if move["cost"] == 0:
                    continue
                assert move["best"]["move"] != move["played"]["move"]
        assert review["cost"] == pytest.approx(sum(turn["cost"] for turn in review["turns"]))
        assert review["cost"] > 0

    def test_names_the_turns_as_the_replay_does(self, client, over, ana):
        client.post(f"{over}/review", headers=ana)
        review = client.get(f"{over}/review", headers=ana).json
        text = client.get(f"{over}/replay.txt", headers=ana).text

        for turn in review["turns"]:
            # Who lets a discard lie has no turn of his own.
            if turn["moves"][0]["played"]["move"]["type"] == "pass":
                continue
            assert f"{turn['turn']:>3}. Ana-{turn['seat']} " in text

    def test_is_made_once(self, client, over, ana):
        first = client.post(f"{over}/review", headers=ana).json

        assert client.post(f"{over}/review", headers=ana).json["id"] == first["id"]

    def test_before_it_was_asked_for_is_not_there(self, client, over, ana, advice_queue):
        assert "request one with requestReview" in client.get(f"{over}/review", headers=ana).json["detail"]

        advice_queue.at_once = False
        client.post(f"{over}/review", headers=ana)
        missing = client.get(f"{over}/review", headers=ana)
        assert missing.status_code == 404
        assert "getJob shows its progress" in missing.json["detail"]

    def test_of_a_game_that_is_played_is_refused(self, client, path, rated, ana):
        assert client.post(f"{path}/review", headers=ana).json["code"] == "game_running"

        refused = client.post(f"{rated}/review", headers=ana)
        assert (refused.status_code, refused.json["code"]) == (403, "rated_game")

    def test_of_a_rated_game_that_is_over_is_made(self, client, rated, ana, ben):
        for who in (ana, ben):
            client.post(f"{rated}/resignation", headers=who)

        asked = client.post(f"{rated}/review", headers=ben)
        assert asked.status_code == 202
        assert client.get(f"{rated}/review", headers=ben).json == {"turns": [], "cost": 0}

    def test_is_for_the_players_of_the_game(self, client, over, ben):
        assert client.post(f"{over}/review", headers=ben).json["code"] == "not_found"
        assert client.get(f"{over}/review", headers=ben).json["code"] == "not_found"
