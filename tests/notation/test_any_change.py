"""Whatever is changed in what was played is noticed, and never with a crash."""

import random
from dataclasses import replace

import pytest

from service.notation.cursor import NotationError
from service.notation.lines import NoteKind
from service.notation.reading import parse_replay
from service.notation.verify import verify_replay
from tests.support.replays import path_of

LETTERS = "0123456789ATJQKCDHSXm=,.?-() aenst"


def change(text, begin, chance):
    """Return the text with one thing changed behind `begin`: a letter, a word, or a line."""
    lines = text.splitlines(keepends=True)
    first = next(number for number, line in enumerate(lines) if line.startswith(begin))
    at = chance.randrange(first, len(lines))
    match chance.randrange(5):
        case 0:
            del lines[at]
        case 1:
            other = chance.randrange(first, len(lines))
            lines[at], lines[other] = lines[other], lines[at]
        case 2:
            lines.insert(at, lines[chance.randrange(first, len(lines))])
        case 3:
            words = lines[at].split(" ")
            words[chance.randrange(len(words))] = chance.choice(
                lines[chance.randrange(first, len(lines))].split(" ")
            )
            lines[at] = " ".join(words)
        case _:
            place = chance.randrange(len(lines[at]))
            lines[at] = lines[at][:place] + chance.choice(LETTERS) + lines[at][place + 1 :]
    return "".join(lines)


def spoken_of(replay):
    """Return the replay without passes of calls: the clock may have passed for those players."""
    deals = tuple(
        replace(
            deal,
            lines=tuple(line for line in deal.lines if getattr(line, "kind", None) != NoteKind.LETS_IT_LIE),
        )
        for deal in replay.deals
    )
    return replace(replay, deals=deals)


@pytest.mark.parametrize("name", ["classic", "jokers", "persian", "reshuffle", "floating", "fixed-deals"])
def test_any_change_of_the_deals_is_noticed(name):
    text, chance = path_of(name).read_text(encoding="utf-8"), random.Random(name)
    original = parse_replay(text)
    for _ in range(150):
        changed = change(text, "Deal 1", chance)
        try:
            replay = parse_replay(changed)
        except NotationError:
            continue
        if spoken_of(replay) != spoken_of(original):
            assert verify_replay(replay).faults, changed


@pytest.mark.parametrize("name", ["classic", "persian"])
def test_no_change_of_the_heading_breaks_the_checker(name):
    text, chance = path_of(name).read_text(encoding="utf-8"), random.Random(name)
    for _ in range(150):
        try:
            replay = parse_replay(change(text, "Game", chance))
        except NotationError:
            continue
        verify_replay(replay)
