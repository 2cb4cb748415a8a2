"""`rummy500 replay` finds what is wrong in either form of a replay, and says where."""

import io
import json
import re

import pytest

from service.api.resources.replays import replay_view
from service.api.responses import encode
from tests.support.playthrough import GAMES
from tests.support.replays import log_of, path_of, played, record_of
from workers.cli import main
from workers.tools.replay.replay_command import check

#: An event, a member of it, another value, and what is said.
MEMBERS = {
    "the dealer's cards": ("deal.started", "hands", [["4C"], [], []], "By the seed Ana's hand is"),
    "the stock": ("deal.started", "stock", ["JC"], "By the seed the stock is"),
    "the upcard": ("deal.started", "upcard", "4H", "By the seed the upcard is 4S"),
    "how many cards the stock held": (
        "deal.started",
        "stock_count",
        29,
        "By the rules stock_count is 30",
    ),
    "whose turn began": ("turn.started", "seat", 1, "By the rules seat is 2"),
    "the card drawn": ("stock.drawn", "card", "QD", "By the rules this line is"),
    "who drew": ("stock.drawn", "seat", 1, "not_your_turn"),
    "how many cards are left": ("stock.drawn", "stock_count", 30, "By the rules stock_count is 29"),
    "the cards taken": (
        "discard.taken",
        "cards",
        ["4S"],
        "card_not_in_pile",
    ),
    "where they lay": ("discard.taken", "position", 1, "By the rules position is 0"),
    "which card was meant": ("discard.taken", "card", "4D", 'By the rules card is "4S"'),
    "the card owed": ("discard.taken", "must_use", None, 'By the rules must_use is "4S"'),
    "a card barred": ("discard.taken", "may_not_discard", "4S", "By the rules may_not_discard is null"),
    "the meld laid off on": ("card.laid_off", "meld_id", "m2", "not_adjacent"),
    "the end of the run": ("card.laid_off", "end", "low", "not_adjacent"),
    "the card thrown": ("card.discarded", "card", "5H", "meld_is_fixed"),
    "who went out": ("player.went_out", "seat", 1, "By the rules"),
}


@pytest.fixture(scope="module")
def answered():
    """What getReplay answers of the golden game of classic."""
    game, events = played(GAMES["classic"])
    return encode(replay_view(record_of(game), log_of(events, game.seats), None)).decode()


@pytest.fixture
def tampered(answered):
    """The same, to be changed; answers what is then said to be wrong."""
    document = json.loads(answered)

    class Tampered:
        def __getitem__(self, name):
            return document[name]

        def event(self, kind, number=0, deal=0):
            events = document["deals"][deal]["events"]
            return [event for event in events if event["type"] == kind][number]

        def faults(self):
            return [f"{fault.place}: {fault.message}" for fault in check(json.dumps(document)).faults]

    return Tampered()


class TestTheJson:
    def test_of_a_lawful_game_is_found_right(self, answered):
        assert check(answered).faults == ()

    @pytest.mark.parametrize("name", MEMBERS)
    def test_a_member_that_was_changed_is_noticed_at_its_event(self, tampered, name):
        kind, member, value, message = MEMBERS[name]
        event = tampered.event(kind)
        event[member] = value

        faults = tampered.faults()

        assert re.search(message, faults[0]), faults
        if message.startswith("By the rules "):
            assert faults[0].startswith(f"event {event['id']}: ") or kind == "player.went_out"

    def test_a_meld_that_was_changed_is_noticed(self, tampered):
        tampered.event("meld.laid")["meld"]["owner"] = 0

        assert "By the rules meld is" in tampered.faults()[0]

    @pytest.mark.parametrize(
        "member, value",
        [
            ("table_points", 73),
            ("hand_points", 1),
            ("score", 73),
            ("bonus", 25),
            ("table", ["9H"]),
            ("hand", ["KD"]),
        ],
    )
    def test_a_score_that_was_changed_is_noticed(self, tampered, member, value):
        ended = tampered.event("deal.ended")
        ended["result"]["seats"][0][member] = value

        (first, *_) = tampered.faults()

        assert first.startswith(f"event {ended['id']}: ")

    def test_totals_reason_and_who_went_out_are_compared(self, tampered):
        for member, value in (("totals", [0, 0, 0]), ("reason", "stock_end"), ("went_out", None)):
            result = tampered.event("deal.ended")["result"]
            true, result[member] = result[member], value
            assert tampered.faults(), member
            result[member] = true
        assert tampered.faults() == []

    def test_another_winner_is_noticed(self, tampered):
        ended = tampered.event("game.ended", deal=1)
        ended["winners"] = [1]

        assert tampered.faults() == [f"event {ended['id']}: By the rules the result is: Ana won (target)."]

    def test_a_seed_that_was_changed_is_noticed(self, tampered):
        tampered["deals"][1]["seed"] = "00" * 32

        assert any("not the SHA-256 of the seed" in fault for fault in tampered.faults())

    def test_a_seed_that_is_missing_is_noticed(self, tampered):
        tampered["deals"][0]["seed"] = None

        assert any("A deal must have a seed" in fault for fault in tampered.faults())

    @pytest.mark.parametrize("member, value", [("seq", 7), ("version", 7), ("id", "9-9"), ("game_id", "g1")])
    def test_an_event_out_of_place_is_noticed(self, tampered, member, value):
        tampered.event("card.discarded")[member] = value

        assert any("out of order" in fault or "id or game is wrong" in fault for fault in tampered.faults())

    def test_an_event_left_out_is_noticed(self, tampered):
        events = tampered["deals"][0]["events"]
        events.remove(tampered.event("turn.started", 2))

        assert tampered.faults()

    def test_other_rules_than_it_began_by_are_noticed(self, tampered):
        tampered["game"]["variant"]["options"]["target"] = 200

        assert any("rules other than" in fault for fault in tampered.faults())

    @pytest.mark.parametrize("status", ["playing", "aborted", "waiting"])
    def test_a_status_that_the_log_does_not_bear_out_is_noticed(self, tampered, status):
        tampered["game"]["status"] = status

        assert any("does not end with the status" in fault for fault in tampered.faults())

    def test_events_it_does_not_know_are_passed_over(self, tampered):
        events = tampered["deals"][0]["events"]
        last = tampered.event("deal.ended")
        events.append(
            {
                **last,
                "type": "cup.of_tea",
                "id": f"{last['version']}-{last['seq'] + 1}",
                "seq": last["seq"] + 1,
            }
        )
        for event in tampered["deals"][1]["events"]:
            event["seq"] += 1
            event["id"] = f"{event['version']}-{event['seq']}"

        assert tampered.faults() == []

    @pytest.mark.parametrize(
        "text, message",
        [
            ("{", "Not valid JSON"),
            ("{}", "Not a getReplay response: the field `game` is missing."),
            ('{"game": 1, "before": [], "deals": []}', "Not a getReplay response: Expected `object`"),
        ],
    )
    def test_what_is_no_replay_is_refused(self, text, message, tmp_path, capsys):
        path = tmp_path / "replay.json"
        path.write_text(text)

        assert main(["replay", str(path)]) == 1
        assert f"rummy500 replay: {message}" in capsys.readouterr().err

    @pytest.mark.parametrize("value", ["5X", 7, ["JC"]])
    def test_what_is_no_card_is_refused_with_its_event(self, tampered, value, tmp_path, capsys):
        event = tampered.event("card.discarded")
        event["card"] = value
        path = tmp_path / "replay.json"
        path.write_text(json.dumps({name: tampered[name] for name in ("game", "before", "deals")}))

        assert main(["replay", str(path)]) == 1
        assert f"event {event['id']} is not a valid event" in capsys.readouterr().err


class TestTheCommand:
    def test_says_that_a_replay_is_correct(self, capsys):
        assert main(["replay", str(path_of("classic"))]) == 0

        assert capsys.readouterr().out == (
            "classic, 2026-09-21, Ana, Ben, Cleo: Ana won\n"
            "  deal 1: 14 turns, Ana 72, Ben 53, Cleo -9\n"
            "  deal 2: 4 turns, Ana 75, Ben 16, Cleo 13\n"
            "Correct: all moves are legal, all shuffles follow from their seeds, scores and result agree.\n"
        )

    def test_json_has_deals_and_errors(self, tmp_path, capsys):
        assert main(["replay", str(path_of("classic")), "--json"]) == 0
        result = json.loads(capsys.readouterr().out)
        assert (result["correct"], result["winners"], result["errors"]) == (True, [0], [])
        assert result["deals"][0] == {
            "deal": 1,
            "turns": 14,
            "running": False,
            "proven": True,
            "scores": [72, 53, -9],
        }

        path = tmp_path / "replay.txt"
        text = path_of("classic").read_text(encoding="utf-8")
        path.write_text(text.replace("Ben:   tabled 65", "Ben:   tabled 66"))
        assert main(["replay", str(path), "--json"]) == 1
        result = json.loads(capsys.readouterr().out)
        assert (result["correct"], result["errors"][0]["place"]) == (False, "line 36")

    @pytest.mark.parametrize("option", ["--step", "--quiet"])
    def test_json_stands_alone(self, option):
        with pytest.raises(SystemExit) as ended:
            main(["replay", str(path_of("classic")), "--json", option])

        assert ended.value.code == 2

    def test_reads_the_standard_input(self, monkeypatch, capsys):
        monkeypatch.setattr("sys.stdin", io.StringIO(path_of("persian").read_text(encoding="utf-8")))

        assert main(["replay", "-", "--quiet"]) == 0
        assert capsys.readouterr().out == ""

    def test_says_what_is_wrong_and_where(self, tmp_path, capsys):
        path = tmp_path / "replay.txt"
        text = path_of("classic").read_text(encoding="utf-8")
        path.write_text(text.replace("Ben:   tabled 65", "Ben:   tabled 66"))

        assert main(["replay", str(path)]) == 1
        said = capsys.readouterr()
        assert said.err == ("line 36: Ben has tabled 65, holds 7C 2S 3S (12), scores 53 and has 53 in all.\n")
        assert "Correct" not in said.out

    def test_what_is_no_replay_is_refused_with_its_line(self, tmp_path, capsys):
        path = tmp_path / "replay.txt"
        path.write_text("Rummy 500 replay, notation 1\nDate: today\n")

        assert main(["replay", str(path)]) == 1
        assert capsys.readouterr().err == (
            "rummy500 replay: line 2: Expected Game: and a value, not 'Date: today'.\n"
        )

    def test_a_file_that_is_not_there_is_named(self, capsys):
        assert main(["replay", "nowhere.txt"]) == 1
        assert capsys.readouterr().err == (
            "rummy500 replay: Cannot read nowhere.txt: No such file or directory.\n"
        )

    def test_a_file_that_is_no_text_is_named(self, tmp_path, capsys):
        path = tmp_path / "replay.bin"
        path.write_bytes(b"\xff\xfe\x00")

        assert main(["replay", str(path)]) == 1
        assert "is not UTF-8 text" in capsys.readouterr().err

    def test_an_address_that_does_not_answer_is_named(self, capsys):
        assert main(["replay", "http://127.0.0.1:1/v1/games/g/replay"]) == 1
        assert "does not answer: ConnectError" in capsys.readouterr().err

    def test_step_by_step_shows_the_table(self, capsys):
        assert main(["replay", str(path_of("classic")), "--step"]) == 0

        assert (
            "\nDeal 1, dealt by Ben\n"
            "  1. Cleo draws JC, lays m1 5H 6H 7H, throws 4D\n"
            "        Ana: 4C 9C AD 2D 8D AH 2H\n"
            "        Ben: AC 7C 9D TD 8H 2S 3S\n"
            "        Cleo: JC 6S 8S JS\n"
            "        m1 of Cleo: 5H 6H 7H\n"
            "        pile: 4S 4D; stock: 29\n"
        ) in capsys.readouterr().out
