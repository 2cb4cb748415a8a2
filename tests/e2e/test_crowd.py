"""Thirty-two devices of two players fire at one game, with keys and without, while the clock runs out.

Only one request wins a version; a retry gets the stored answer; nothing is played twice.
"""

import random
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from uuid import uuid4

import pytest

from service.rummy.errors import RULE_OF_CODE
from tests.support.tree import wait_for

DEVICES = 32
#: The turns of the game that is fired at; the clock ends those that no request ends in time.
TURN_MS = 1_500
#: So many versions are enough of a fight.
LAST_VERSION = 40


@dataclass
class Shot:
    """A request and its answer."""

    key: str | None
    answer: object

    @property
    def version(self):
        return self.answer.json()["version"]


@pytest.fixture
def people(url, arrive):
    return arrive(url, "Ana"), arrive(url, "Ben")


@pytest.fixture
def game(people):
    ana, ben = people
    clock = {"turn_ms": TURN_MS, "call_window_ms": None, "next_deal_ms": 100}
    path = ana.open(variant={"preset": "classic"}, seats=2, clock=clock)
    ben.post(f"{path}/seats", {"invite_code": ana.view(path)["invite_code"]})
    assert ana.post(f"{path}/start").status_code == 200
    return path


def fire(player, game, dice, over):
    """Make lawful moves as quickly as they can be found, some of them twice, until it is over."""
    shots = []
    while not over.is_set():
        listed = player.http.get(f"{game}/legal-moves").json()
        if not listed["moves"]:
            over.wait(0.01)
            continue
        move = dice.choice(listed["moves"])
        headers = {"If-Match": f'"{listed["version"]}"'} if dice.random() < 0.5 else {}
        key = uuid4().hex if dice.random() < 0.7 else None
        if key is not None:
            headers["Idempotency-Key"] = key
        times = 2 if key is not None and dice.random() < 0.5 else 1
        shots += [
            Shot(key, player.http.post(move["path"], json=move["body"], headers=headers))
            for _ in range(times)
        ]
    return shots


@pytest.fixture
def fight(people, game):
    """Let everybody fire; return all shots and the whole log."""
    over = threading.Event()
    devices = [people[number % 2].elsewhere() for number in range(DEVICES)]
    with ThreadPoolExecutor(DEVICES) as threads:
        firing = [
            threads.submit(fire, device, game, random.Random(number), over)
            for number, device in enumerate(devices)
        ]
        try:
            wait_for(lambda: people[0].view(game)["version"] >= LAST_VERSION, "the end of the fight")
            # No device sends any more, so the clock ends the turn.
        finally:
            over.set()
        shots = [shot for shooter in firing for shot in shooter.result()]
    wait_for(
        lambda: "clock.expired" in Counter(event["type"] for event in whole_log(people[0], game)), "the clock"
    )
    return shots, whole_log(people[0], game)


def whole_log(player, game):
    log, after = [], "0-0"
    while page := player.events(game, after=after):
        log += page
        after = page[-1]["id"]
    return log


def test_every_version_is_won_once_and_nothing_is_played_twice(fight):
    shots, log = fight
    hits = [shot for shot in shots if shot.answer.status_code == 201]
    misses = Counter(shot.answer.json()["code"] for shot in shots if shot.answer.is_error)

    # Exactly one wins each version.
    won = [shot for shot in hits if "Idempotency-Replayed" not in shot.answer.headers]
    versions = [shot.version for shot in won]
    assert len(versions) == len(set(versions))
    # Every accepted move is in the log: its events are those of that version, except hidden cards.
    for shot in won:
        logged = [event for event in log if event["version"] == shot.version]
        assert [shown(event) for event in shot.answer.json()["events"]] == [shown(event) for event in logged]
    # All other events are the clock's.
    by_clock = {event["version"] for event in log if event["type"] == "clock.expired"}
    deals = {event["version"] for event in log if event["type"] == "deal.started"}
    assert {event["version"] for event in log} - set(versions) - by_clock - deals <= {1, 2, 3}
    assert not by_clock & set(versions)
    # Versions rise by one.
    assert sorted({event["version"] for event in log}) == list(range(1, log[-1]["version"] + 1))

    # A retry gets the stored answer.
    for key in {shot.key for shot in hits} - {None}:
        answers = [shot.answer for shot in hits if shot.key == key]
        assert len({answer.content for answer in answers}) == 1
        assert sum("Idempotency-Replayed" not in answer.headers for answer in answers) == 1
    assert any("Idempotency-Replayed" in shot.answer.headers for shot in hits)

    # Every lost race got a code that a client can act on; there was no other error.
    assert not [shot.answer.text for shot in shots if shot.answer.status_code >= 500]
    assert misses.keys() <= {"version_conflict", "idempotency_in_progress", *RULE_OF_CODE}

    # In a turn there is one draw and one discard.
    for turn in turns_in(log):
        kinds = Counter(event["type"] for event in turn)
        assert kinds["stock.drawn"] + kinds["discard.taken"] <= 1
        assert kinds["card.discarded"] <= 1


def shown(event):
    return {name: value for name, value in event.items() if name not in {"card", "hands"}}


def turns_in(log):
    turn = []
    for event in log:
        if event["type"] == "turn.started":
            yield turn
            turn = []
        turn.append(event)
    yield turn
