"""A text that is not a replay is refused with the line and what is expected there."""

import re
from dataclasses import replace

import pytest

from service.notation.cursor import NotationError
from service.notation.from_record import label_seats
from service.notation.lines import Ending
from service.notation.reading import parse_replay
from service.notation.verify import verify_replay
from service.notation.writing import format_replay
from service.rummy.dealing import sandbox_key
from service.rummy.play import new_game
from service.rummy.presets import resolve
from tests.support.playthrough import GAMES
from tests.support.replays import path_of, replay_of_events


@pytest.fixture(scope="module")
def text():
    return path_of("classic").read_text(encoding="utf-8")


#: A passage, what replaces it, the line it is in, and the fault.
FAULTS = {
    "another first line": ("Rummy 500 replay, notation 1", "Gin", 1, "A replay begins with"),
    "a later notation": ("notation 1", "notation 9", 1, "reads notation 1"),
    "no date": ("2026-09-21T14:13:20.120Z", "yesterday", 3, "A date is written"),
    "no day of any month": ("2026-09-21", "2026-13-41", 3, "There is no such date"),
    "a header that is missing": ("Date: 2026-09-21T14:13:20.120Z\n", "", 3, "Expected Date:"),
    "an option without a value": ("target 100", "target", 5, "The value of an option is JSON"),
    "an option twice": ("target 100", "target 100, target 200", 5, "is given twice"),
    "a flag that is not yes": ("Options: target 100", "Rated: no", 5, "Rated: must be yes, or be left out"),
    "a seat without a name": ('Ben, human "Ben"', "Ben, human", 7, "A seat is written"),
    "a name that is no string": ('Ben, human "Ben"', 'Ben, human "Be"n"', 7, "A name is a JSON string"),
    "a person with a level": (
        'Ben, human "Ben"',
        'Ben, human steady "Ben"',
        7,
        "A computer must have a level",
    ),
    "a computer without one": ('Ben, human "Ben"', 'Ben, computer "Ben"', 7, "A computer must have a level"),
    "two seats of one name": ("Seat 1: Ben", "Seat 1: Ana", 7, "Two seats have the label Ana"),
    "no result": ("Result: Ana won (target)", "Result: Ana lost", 9, "A result is"),
    "a result for an unknown seat": ("Result: Ana won", "Result: Zoe won", 9, "There is no seat 'Zoe'"),
    "a card that is none": ("Ana 8S", "Ana 8X", 10, "'8X' is not a card"),
    "something else than a deal": ("Deal 1, dealt by Ben", "Deal one", 12, "Expected a deal"),
    "a short commitment": ("Commitment: dc", "Commitment: ", 13, "64 hexadecimal digits"),
    "a hand of another": ("    Ben:   AC", "    Cleo:  AC", 16, "Expected Ben:"),
    "a card of a hand": ("4C 9C AD", "4C 10C AD", 15, "'10C' is not a card"),
    "no stock": ("    stock: ", "    talon: ", 18, "Expected stock:"),
    "no turn": ("  1. Cleo draws JC", "  Cleo draws JC", 20, "Expected a turn"),
    "a turn of an unknown seat": ("  1. Cleo draws", "  1. Zoe draws", 20, "There is no seat"),
    "no verb": ("Cleo draws JC", "Cleo steals JC", 20, "'steals JC' is not an action"),
    "a verb without a card": ("throws 4D", "throws", 20, "is not a card"),
    "nothing taken": ("takes 4S 4D", "takes -", 21, "'takes -' is not an action"),
    "a meld without a name": ("lays m2 4C", "lays 4C", 21, "is not an action"),
    "a lay-off nowhere": ("adds 8H to m1 high", "adds 8H", 22, "'adds 8H' is not an action"),
    "no such note": ("  2. Ana takes", "    * Ana sneezes\n  2. Ana takes", 21, "Unknown note"),
    "the score of another deal": ("Score of deal 1", "Score of deal 2", 34, "A score begins with"),
    "a row without a total": (", total 72", "", 35, "A row of the score is written"),
    "another end": ("End: Ana won", "End: Ben won", 56, "differs from the one in the heading"),
    "something behind the end": (
        "End: Ana won (target)",
        "End: Ana won (target)\nmore",
        57,
        "Nothing may follow",
    ),
    "a turn of a position": (
        "pile:  4S\n",
        "pile:  4S\n    totals: 0 0 0\n",
        20,
        "Expected a turn",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_names_its_line(text, name):
    old, new, line, message = FAULTS[name]
    assert old in text

    with pytest.raises(NotationError, match=re.escape(message)) as refused:
        parse_replay(text.replace(old, new, 1))

    assert refused.value.line == line
    assert refused.value.message.endswith((".", "?"))


@pytest.mark.parametrize("lines", [0, 1, 2, 5, 8, 12, 15, 19, 25, 36])
def test_a_text_that_ends_too_early_is_refused(text, lines):
    with pytest.raises(NotationError, match=r"ends too early|Expected"):
        parse_replay("\n".join(text.splitlines()[:lines]))


@pytest.mark.parametrize("part", ['Seat 2: Cleo, human "Cleo"\n', 'Seat 0: Ana, human "Ana"\n'])
def test_a_missing_seat_is_refused(text, part):
    with pytest.raises(NotationError):
        parse_replay(text.replace(part, ""))


class TestWhatMeansNothing:
    def test_spaces_columns_and_empty_lines(self, text):
        loose = "\n\n".join(f"  {line.replace(', ', ',  ')}   " for line in text.splitlines())

        assert parse_replay(loose) == parse_replay(text)

    def test_the_ends_of_lines(self, text):
        assert parse_replay(text.replace("\n", "\r\n")) == parse_replay(text)


#: What stands in a deal where the name of a seat may stand, or in its score.
WORDS = ("Seat", "Seed", "Commitment", "Score", "End", "stock", "pile", "totals", "turn", "nobody")


def with_name(replay, name, *, seat):
    """The replay with a player of this name in the seat."""
    seats = [
        replace(one, name=name if number == seat else one.name) for number, one in enumerate(replay.seats)
    ]
    return replace(replay, seats=label_seats(seats))


class TestNames:
    @pytest.mark.parametrize(
        "name", ["Ana", 'Ana "the shark" Lee', "  two  spaces  ", "علی رضا", "a, b: c. * (d)", "\\", "🃏"]
    )
    def test_any_name_is_read_as_it_was_given(self, text, name):
        import json

        named = text.replace('"Ben"', json.dumps(name, ensure_ascii=False))

        replay = parse_replay(named)

        assert replay.seats[1].name == name
        assert format_replay(replay) == named

    @pytest.mark.parametrize("word", WORDS)
    def test_a_word_of_the_notation_is_no_name_in_a_deal_that_is_secret(self, word):
        golden = GAMES["classic"]
        variant = resolve(golden.preset, golden.house_rules, seats=golden.seats)
        events, game = new_game(variant, seats=golden.seats, key=sandbox_key(golden.seed))

        replay = with_name(replay_of_events(game, events, viewer=0), word, seat=0)

        assert parse_replay(format_replay(replay)) == replay

    @pytest.mark.parametrize("word", WORDS)
    def test_a_word_of_the_notation_is_no_name_of_who_goes_out(self, text, word):
        original = parse_replay(text)
        out = original.deals[0].score.went_out

        replay = with_name(original, word, seat=out)

        assert replay.seats[out].label == f"{word}-{out}"
        assert parse_replay(format_replay(replay)) == replay
        assert verify_replay(parse_replay(format_replay(replay))).faults == ()


class TestResults:
    @pytest.mark.parametrize(
        "said, ending",
        [
            ("a draw (tie)", Ending.DRAWN),
            ("given up (everybody left)", Ending.GIVEN_UP),
            ("unfinished", Ending.UNFINISHED),
            ("Ana, Cleo won (resignation)", Ending.WON),
        ],
    )
    def test_every_result_is_read(self, text, said, ending):
        replay = parse_replay(text.replace("Ana won (target)", said))

        assert replay.result.ending is ending
        assert f"Result: {said}\n" in format_replay(replay)
