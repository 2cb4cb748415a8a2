"""One whole game: people sit down, and whoever is to act moves, until somebody has won."""

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Event
from typing import Final

from workers.errors import CannotStart
from workers.tools.conformance.client import LONGEST_WAIT_MS, Answer, Client
from workers.tools.conformance.faults import GaveUp, Json, Wrong, agree
from workers.tools.conformance.person import CREATED, OK, Person

_OVER: Final = ("finished", "aborted")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What kind of games to play. Seats that no person of ours takes are computers'."""

    preset: str
    overrides: Json
    players: int
    people: int
    level: str
    call_window_ms: int
    sandbox: bool
    patience_seconds: float


def play_game(client: Client, plan: Plan, name: str, *, dice: random.Random, stopped: Event) -> None:
    """Play one game to its end; raise Wrong, naming the game, for anything that is not as it must be."""
    people: list[Person] = []
    try:
        _sit_down(people, client, plan, name)
        _play(people, plan, dice, stopped)
        for person in people:
            person.look()
            person.check_whole_log()
            person.check_same_view()
        people[0].check_proofs()
        client.count.won_with(_winning_total(people[0].view))
    except Wrong as wrong:
        if not people:
            raise
        newest = _newest(people)
        raise Wrong(f"game {newest.view['id']} after version {newest.version}: {wrong}") from wrong
    finally:
        if people:
            client.count.add("deals", len(_newest(people).view["deals"]))


def _winning_total(view: Json) -> int:
    """Return the total the game was won with; the best one of all where it was drawn."""
    winners = view["winners"] or range(len(view["seats"]))
    totals = [int(view["seats"][seat]["total"]) for seat in winners]
    return min(totals) if view["variant"]["options"]["scoring"] == "penalty" else max(totals)


def _newest(people: Sequence[Person]) -> Person:
    """Return the person who knows most."""
    return max(people, key=lambda person: person.version)


def _sit_down(people: list[Person], client: Client, plan: Plan, name: str) -> None:
    """Open a table and seat our people at it, one by one, until the game begins."""
    tokens = [
        client.post("/v1/players", {"name": f"{name} {number + 1}", "kind": "bot"}).told(CREATED)["token"]
        for number in range(plan.people)
    ]
    opened = client.post("/v1/games", _table(plan, name), token=tokens[0])
    if opened.status != CREATED:
        # It would be the same for every other game.
        raise CannotStart(f"The service opens no such game: {_reasons(opened)}")
    creator = Person(client, tokens[0], opened.body)
    people.append(creator)
    for token in tokens[1:]:
        joined = client.post(
            f"{creator.path}/seats", {"invite_code": opened.body["invite_code"]}, token=token
        )
        people.append(Person(client, token, joined.told(CREATED)))
    if plan.people > 1:
        client.post(f"{creator.path}/start", {}, token=tokens[0]).told(OK)
        for person in people:
            person.look()


def _table(plan: Plan, name: str) -> Json:
    table: Json = {
        "variant": {"preset": plan.preset, "overrides": plan.overrides},
        "seats": plan.players,
        "opponents": [{"level": plan.level}] * (plan.players - plan.people),
        "clock": {"turn_ms": None, "call_window_ms": plan.call_window_ms, "next_deal_ms": None},
    }
    return {**table, "sandbox": True, "seed": name} if plan.sandbox else table


def _reasons(refused: Answer) -> str:
    told = refused.body
    fields = [f"{error['field']}: {error['message']}" for error in told.get("errors", [])]
    return " ".join(fields) or str(told.get("detail", told["title"]))


def _play(people: Sequence[Person], plan: Plan, dice: random.Random, stopped: Event) -> None:
    wait_ms = int(min(LONGEST_WAIT_MS, plan.patience_seconds * 1000))
    moved_at = time.monotonic()
    while True:
        if stopped.is_set():
            raise GaveUp
        newest = _newest(people)
        view = newest.view
        if view["status"] in _OVER:
            agree("the status of a game played to its end", view["status"], "finished")
            return
        able = [person for person in people if person.seat in view["turn"]["may_act"]]
        if able:
            _move(able[0], newest, dice)
            moved_at = time.monotonic()
        elif newest.look(wait_ms):
            moved_at = time.monotonic()
        elif time.monotonic() - moved_at >= plan.patience_seconds:
            raise Wrong(f"nobody moved for {plan.patience_seconds:.0f} s; {_waited_for(view)}")


def _move(person: Person, newest: Person, dice: random.Random) -> None:
    """Let a person move who knows all that the others know; in a call window more may have happened."""
    if person.version < newest.version or person.view["phase"] == "rummy_call":
        person.look()
    if person.may_move:
        person.move(dice)


def _waited_for(view: Json) -> str:
    seats = [view["seats"][number] for number in view["turn"]["may_act"]]
    names = ", ".join(f"seat {seat['seat']} ({seat['level'] or seat['kind']})" for seat in seats)
    return f"{view['phase'] or view['status']} waits for {names or 'nobody'}"
