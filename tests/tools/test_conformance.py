"""`rummy500 conformance` plays games to their end, and finds every fault of a service."""

import argparse
import json
import re
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from service.api.services import Services
from service.app import create_app
from service.games.table import Table
from service.rummy.options import OPTIONS
from service.rummy.presets import PRESETS
from service.streams.connections import Connections
from tests.support.memory_store.store import MemoryStore
from tests.support.servers import free_port
from tests.support.tree import rummy500
from workers.errors import CannotStart, WrongArguments
from workers.tools.conformance.client import meta_of
from workers.tools.conformance.conformance_command import add_arguments, plan_of, report, run_games
from workers.tools.conformance.expected_scores import KNOWN_OPTIONS, check_options

URL = "http://rummy.test"


class LostTurns:
    """A queue that loses every turn, so that no computer moves."""

    def enqueue(self, game_id, version, attempt):
        pass


@pytest.fixture(scope="module")
def service():
    def now():
        return time.time_ns() // 1_000_000

    store = MemoryStore(now)
    table = Table(store=store, turns=LostTurns(), now=now)
    streams = Connections(store=store, now=now, slots=2)
    yield httpx.WSGITransport(create_app(Services(store=store, table=table, now=now, streams=streams)))
    store.close()


class Between(httpx.BaseTransport):
    """A transport between client and service that may change requests and answers."""

    def __init__(self, service, tamper):
        self._service = service
        self._tamper = tamper

    def handle_request(self, request):
        response = self._service.handle_request(request)
        response.read()
        return self._tamper(request, response)


def play(transport, *given, games=1):
    """Play short games of people only; return the exit status."""
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    arguments = parser.parse_args(
        ["--overrides", '{"target": 1}', "--sandbox", "--patience-seconds", "2", *given]
    )
    with httpx.Client(transport=transport, base_url=URL) as http:
        plan = plan_of(arguments, meta_of(http, URL))
        result = run_games(http, plan, games=games, parallel=arguments.parallel, seed="tests")
        return report(result, as_json=arguments.json)


class TestPlaying:
    @pytest.mark.parametrize(
        "preset, seats",
        [
            *[("classic", 2), ("cardcouch", 2), ("ace-low", 3), ("jokers", 3)],
            *[("basic-rummy", 2), ("kitchen-table", 3), ("partnership", 4), ("persian", 4)],
            *[("cardcouch-table", 3), ("block-rummy", 3), ("penalty-rummy", 3)],
        ],
    )
    def test_every_preset_is_played_to_its_end(self, service, capsys, preset, seats):
        people = str(seats)

        assert play(service, "--preset", preset, "--players", people, "--people", people) == 0

        said = capsys.readouterr()
        assert said.out.startswith("1 of 1 games finished, ")
        assert " 0 refused, 0 errors, " in said.out
        assert not said.err

    @pytest.mark.parametrize(
        "options",
        [
            {"scoring": "penalty", "target": 20},
            {"target": 60, "going_out": "discard_required", "floating": True, "going_out_bonus": 25},
            {"deals": 1, "card_values": "five_point", "going_rummy": "bonus_10"},
            {"target": 60, "call_rummy": "table_or_pile", "call_takes": "single_card"},
            {"target": 60, "call_rummy": "any_meld", "call_takes": "needed"},
            {"target": 60, "call_rummy": "any_meld", "call_reach": "newest"},
            {"target": 60, "stock_empty": "reshuffle", "no_minus_at_stock_end": True, "jokers_per_pack": 1},
            {"target": 60, "must_go_out_to_win": True, "ace_value": "always_15"},
            {"target": 60, "target_reached": "at_once", "ace_in_run": "around"},
            {"target": 60, "target_reached": "at_once", "packs": 3, "jokers_per_pack": 2},
            {"target": 60, "packs": 3, "four_aces": 100, "four_aces_laid": "over_time", "hand_size": 20},
            {"target": 20, "scoring": "winner_takes_hands", "stock_end_score": "lowest_hand"},
            {"target": 60, "tie": "play_on", "hand_size": 3},
        ],
    )
    def test_options_are_checked_by_their_rules(self, service, options):
        assert play(service, "--players", "3", "--people", "3", "--overrides", json.dumps(options)) == 0

    def test_every_option_is_known_with_all_its_words(self):
        options = dict(PRESETS["classic"].options)

        assert set(OPTIONS) == KNOWN_OPTIONS
        for name, option in OPTIONS.items():
            for value in option.values:
                check_options({**options, name: value})

    def test_several_games_are_played_at_once(self, service, capsys):
        assert play(service, "--people", "2", "--parallel", "3", games=5) == 0

        assert capsys.readouterr().out.startswith("5 of 5 games finished, ")

    def test_shows_the_winning_totals(self, service, capsys):
        options = ("--preset", "basic-rummy", "--people", "2", "--overrides", '{"target": 40}')
        assert play(service, *options, games=3) == 0

        least, most = re.search(r"\(won with (\d+) to (\d+) points; seed ", capsys.readouterr().out).groups()
        assert 40 <= int(least) <= int(most)

    def test_of_penalty_points_the_fewest_win(self, service, capsys):
        options = {"scoring": "penalty", "target": 20}
        assert play(service, "--people", "2", "--overrides", json.dumps(options)) == 0

        won = re.search(r"\(won with (\d+) to \1 points; ", capsys.readouterr().out)
        assert int(won[1]) < 20

    def test_the_same_seed_plays_the_same_games(self, service, capsys):
        def moves():
            assert play(service, "--people", "2") == 0
            return re.search(r"(\d+ deals, \d+ moves)", capsys.readouterr().out)[1]

        assert moves() == moves()

    def test_a_request_without_an_answer_is_retried(self, service, capsys):
        heard = []

        def lose_some(request, response):
            heard.append(request.method)
            if len(heard) % 16 == 15:
                raise httpx.ReadError("The line went dead.", request=request)
            return response

        assert play(Between(service, lose_some), "--people", "2") == 0

        said = capsys.readouterr().out
        assert " 0 refused, 0 errors, " in said
        assert "0 requests retried" not in said


# --- Faults of a service, each made by changing its answers ------------------------------


def problem(status, code):
    """Return a problem document as the service would send it."""
    headers = {"Content-Type": "application/problem+json"}
    return httpx.Response(status, json={"code": code, "detail": "No."}, headers=headers)


def changed(change, *, path=r"/v1/games/[^/]+$", method="GET"):
    """Change the bodies of successful answers from some path."""

    def tamper(request, response):
        if request.method != method or not re.search(path, request.url.path) or not response.is_success:
            return response
        if not response.content:
            return response
        body = response.json()
        if "lawful" in body:
            return response
        change(body)
        headers = {
            name: value
            for name, value in response.headers.items()
            if name not in {"content-length", "content-encoding"}
        }
        return httpx.Response(response.status_code, headers=headers, json=body)

    return tamper


def made(change):
    """Change the answers to moves."""
    return changed(change, path=r"/(draw-stock|take-discard|melds|lay-offs|discard)$", method="POST")


def logged(kind, change):
    """Change events of one type in every answer."""

    def in_events(body):
        for event in body["events"]:
            if event["type"] == kind:
                change(event)

    in_move, in_log = made(in_events), changed(in_events, path="/events$")
    return lambda request, response: in_log(request, in_move(request, response))


def lose_a_card(body):
    body["game"]["you"]["hand"].pop()


def change_a_card(body):
    hand = body["game"]["you"]["hand"]
    hand[0] = "2C" if hand[0] != "2C" else "2D"


def miscount_a_hand(body):
    body["game"]["seats"][1]["hand_count"] += 1


def hide_a_discard(body):
    body["game"]["discard_pile"] = body["game"]["discard_pile"][1:]


def miscount_the_stock(body):
    body["game"]["stock_count"] -= 1


def skip_a_version(body):
    body["version"] += 1
    body["game"]["version"] += 1


def pass_the_turn_on(body):
    if body["game"]["turn"]:
        body["game"]["turn"]["seat"] = 1 - body["game"]["turn"]["seat"]


def miscount_the_table(body):
    body["game"]["seats"][0]["table_points"] += 5


def forget_an_event(body):
    if len(body["events"]) > 1:
        del body["events"][0]


def show_a_secret(event):
    event["card"] = event["card"] or "AS"


def raise_a_score(event):
    event["result"]["seats"][0]["score"] += 10


def raise_a_total(event):
    event["result"]["totals"][0] += 10


def swap_a_card_of_a_hand(event):
    hand = event["result"]["seats"][0]["hand"] + event["result"]["seats"][1]["hand"]
    for seat in event["result"]["seats"]:
        seat["hand"] = [hand[0]] * len(seat["hand"])


def give_it_to_the_other(event):
    event["winners"] = [1 - seat for seat in event["winners"]]


def list_nothing(body):
    body["moves"] = []


def truncate_a_short_list(body):
    body["complete"], body["truncated"] = False, ["meld"]


def forge_a_seed(body):
    body["seed"] = "00" * 32


def add_an_option(event):
    event["variant"]["options"]["no_such_option"] = 20


def score_in_another_way(event):
    event["variant"]["options"]["scoring"] = "best_card"


FAULTS = {
    "an option is one that scores are not recomputed with": (
        logged("game.started", add_an_option),
        "unknown options: no_such_option",
    ),
    "an option has a word that scores are not recomputed with": (
        logged("game.started", score_in_another_way),
        "scoring set to 'best_card'",
    ),
    "a card is gone from the hand": (made(lose_a_card), "the own hand"),
    "a card turned into another": (made(change_a_card), "the own hand"),
    "a hand is miscounted": (made(miscount_a_hand), "the hand count of seat 1"),
    "a discard is missing": (made(hide_a_discard), "the discard pile"),
    "the stock is miscounted": (made(miscount_the_stock), "the stock"),
    "a version is skipped": (made(skip_a_version), "came with version|made version"),
    "the turn is another seat's": (made(pass_the_turn_on), "whose turn it is"),
    "table points are wrong": (made(miscount_the_table), "the table points of seat 0"),
    "an event is missing from a move": (made(forget_an_event), "in the log|came with a move|the log ends"),
    "an event is missing from the log": (
        changed(forget_an_event, path="/events$"),
        "in the log|the log ends",
    ),
    "a secret card is shown": (logged("stock.drawn", show_a_secret), "a card that another seat drew"),
    "a score is wrong": (logged("deal.ended", raise_a_score), "the score of seat 0"),
    "a total is wrong": (logged("deal.ended", raise_a_total), "the totals after the deal"),
    "a hand shown at the end is false": (logged("deal.ended", swap_a_card_of_a_hand), "hand|too often"),
    "the wrong seat wins": (logged("game.ended", give_it_to_the_other), "the winners|who won"),
    "no move is lawful": (changed(list_nothing, path="/legal-moves$"), "has no legal move"),
    "a short list is truncated": (changed(truncate_a_short_list, path="/legal-moves$"), "is truncated"),
    "a seed is not the one committed to": (
        changed(forge_a_seed, path="/proof$"),
        "the hash of a deal's seed",
    ),
}


class TestNoticing:
    @pytest.mark.parametrize("fault", FAULTS)
    def test_a_service_in_which(self, service, capsys, fault):
        tamper, expected = FAULTS[fault]

        assert play(Between(service, tamper), "--people", "2") == 1

        said = capsys.readouterr()
        assert re.search(rf"^error: game g\S+ after version \d+: .*({expected})", said.err), said.err
        assert said.out.startswith("0 of 1 games finished, ")
        assert " 1 errors, " in said.out

    def test_a_listed_move_that_is_refused_counts_as_refused(self, service, capsys):
        def refuse(request, response):
            if not request.url.path.endswith("/discard"):
                return response
            return problem(409, "card_not_in_hand")

        assert play(Between(service, refuse), "--people", "2") == 1

        said = capsys.readouterr()
        assert "is listed as legal and was refused: card_not_in_hand" in said.err
        assert " 1 refused, 1 errors, " in said.out

    def test_a_move_sent_again_that_is_not_known_again(self, service, capsys):
        def forget(_, response):
            response.headers.pop("Idempotency-Replayed", None)
            return response

        assert play(Between(service, forget), "--people", "2", games=3) == 1

        assert "the answer to a move sent again" in capsys.readouterr().err

    @pytest.mark.parametrize("status", [502, 503])
    def test_a_server_that_keeps_failing_is_an_error_after_some_patience(self, service, capsys, status):
        def fail(request, response):
            if "/events" not in request.url.path:
                return response
            return httpx.Response(
                status,
                json={"code": "store_unavailable"},
                headers={"Content-Type": "application/problem+json"},
            )

        assert play(Between(service, fail), "--people", "2") == 1

        assert f"answered {status} store_unavailable for 2 s" in capsys.readouterr().err

    def test_an_error_that_is_no_problem_document(self, service, capsys):
        def crash(request, response):
            if request.method == "GET" and request.url.path.endswith("/legal-moves"):
                return httpx.Response(500, text="Internal Server Error")
            return response

        assert play(Between(service, crash), "--people", "2") == 1

        assert "answered 500 with a body that is not JSON" in capsys.readouterr().err

    def test_a_game_that_stands_still(self, service, capsys):
        assert play(service, "--people", "1", "--patience-seconds", "1") == 1

        assert "no move for 1 s; draw waits for seat 1 (steady)" in capsys.readouterr().err


class TestTheAccounts:
    @staticmethod
    def watched(service, *, refuse=False):
        tokens = {}

        def watch(request, response):
            if request.url.path == "/v1/players" and response.is_success:
                tokens[response.json()["token"]] = "created"
            if request.method == "DELETE":
                if refuse:
                    return problem(403, "insufficient_scope")
                tokens[request.headers["Authorization"].removeprefix("Bearer ")] = response.status_code
            return response

        return Between(service, watch), tokens

    def test_are_deleted_at_the_end(self, service):
        transport, tokens = self.watched(service)

        assert play(transport, "--people", "2", games=2) == 0

        assert list(tokens.values()) == [204] * 4

    def test_are_deleted_after_a_game_that_failed(self, service):
        transport, tokens = self.watched(service)

        assert play(transport, "--people", "1", "--patience-seconds", "1") == 1

        assert list(tokens.values()) == [204]

    def test_that_cannot_be_deleted_are_reported(self, service, capsys):
        transport, _ = self.watched(service, refuse=True)

        assert play(transport, "--people", "2") == 1

        assert "; 2 accounts could not be deleted)" in capsys.readouterr().out


class TestJson:
    def test_has_the_whole_result(self, service, capsys):
        assert play(service, "--people", "2", "--json", games=2) == 0

        said = capsys.readouterr()
        result = json.loads(said.out)
        assert (result["passed"], result["games"]) == (True, {"asked": 2, "finished": 2})
        assert (result["seed"], result["errors"], result["accounts_left"]) == ("tests", [], 0)
        assert len(result["winning_totals"]) == 2
        assert result["moves"] > 0

    def test_lists_the_errors(self, service, capsys):
        tamper, expected = FAULTS["a score is wrong"]

        assert play(Between(service, tamper), "--people", "2", "--json") == 1

        result = json.loads(capsys.readouterr().out)
        assert not result["passed"]
        assert expected in result["errors"][0]


class TestStopping:
    def test_an_interruption_while_the_games_begin_waits_for_none_of_them(self, service, monkeypatch):
        begun = []

        def submit(pool, play_game, number):
            begun.append(number)
            if number == 3:
                raise KeyboardInterrupt
            return original(pool, play_game, number)

        original = ThreadPoolExecutor.submit
        monkeypatch.setattr(ThreadPoolExecutor, "submit", submit)

        with pytest.raises(KeyboardInterrupt):
            # A computer that never moves: waiting for these games would take ten minutes.
            play(service, "--people", "1", "--patience-seconds", "600", games=1000)

        assert begun == [0, 1, 2, 3]


class TestRefusals:
    def test_a_service_that_does_not_answer(self):
        url = f"http://127.0.0.1:{free_port()}"

        done = rummy500("conformance", "--url", url)

        assert done.returncode == 1
        assert done.stderr == (
            f"rummy500 conformance: No Rummy 500 answers at {url}; "
            "start one with `make run`, or name another with --url.\n"
        )

    @pytest.mark.parametrize(
        "answer", [httpx.Response(404, text="nothing here"), httpx.Response(200, json={"hello": "world"})]
    )
    def test_a_server_that_is_not_rummy_500(self, answer):
        with (
            httpx.Client(transport=httpx.MockTransport(lambda _: answer), base_url=URL) as http,
            pytest.raises(CannotStart, match=r"^The server at http://rummy.test is not Rummy 500"),
        ):
            meta_of(http, URL)

    @pytest.mark.parametrize(
        "given, sentence",
        [
            (["--preset", "poker"], "Unknown preset 'poker'; choose from cardcouch, cardcouch-table"),
            (["--level", "godlike"], "Unknown level 'godlike'; choose from "),
            (["--people", "3", "--players", "2"], "3 people do not fit in 2 seats."),
            (["--overrides", '{"target": 0}'], "The service refuses to open this game: .*target"),
            (["--overrides", '{"speed": 9}'], "The service refuses to open this game: .*speed"),
            (
                ["--players", "8", "--preset", "partnership"],
                "The service refuses to open this game: .*4 players",
            ),
        ],
    )
    def test_games_that_cannot_be_played_are_wrong_arguments(self, service, given, sentence):
        with pytest.raises(WrongArguments, match=sentence):
            play(service, *given)

    @pytest.mark.parametrize(
        "given", [["--games", "0"], ["--players", "9"], ["--overrides", "[1]"], ["--overrides", "{"]]
    )
    def test_malformed_arguments_are_refused_with_the_usage(self, given, capsys):
        with pytest.raises(SystemExit):
            play(None, *given)

        assert "usage: " in capsys.readouterr().err
