"""Plays one whole game: fills the seats, and moves for its players until the game ends."""

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Event
from typing import Final

from workers.errors import WrongArguments
from workers.tools.conformance.client import LONGEST_WAIT_MS, Client, Response
from workers.tools.conformance.failures import Discrepancy, Json, Stopped, check_equal
from workers.tools.conformance.person import CREATED, NO_CONTENT, OK, Person

_OVER: Final = ("finished", "aborted")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The games to play. Computers take the seats beyond `people`."""

    preset: str
    overrides: Json
    players: int
    people: int
    level: str
    call_window_ms: int
    sandbox: bool
    patience_seconds: float


def play_game(client: Client, plan: Plan, name: str, *, dice: random.Random, stopped: Event) -> None:
    """Play one game to its end, and delete the accounts it used; raises Discrepancy, naming the game."""
    tokens: list[str] = []
    people: list[Person] = []
    try:
        _sit_down(people, tokens, client, plan, name)
        _play(people, plan, dice, stopped)
        for person in people:
            person.look()
            person.check_whole_log()
            person.check_same_view()
        people[0].check_proofs()
        client.tally.add_winning_total(_winning_total(people[0].view))
    except Discrepancy as error:
        if not people:
            raise
        newest = _newest(people)
        raise Discrepancy(f"game {newest.view['id']} after version {newest.version}: {error}") from error
    finally:
        if people:
            client.tally.add("deals", len(_newest(people).view["deals"]))
        for token in tokens:
            _delete_account(client, token)


def _delete_account(client: Client, token: str) -> None:
    try:
        client.delete("/v1/me", token=token).expect(NO_CONTENT)
    except (Discrepancy, Stopped):
        client.tally.add("accounts_left")


def _winning_total(view: Json) -> int:
    """Return the winning total, or the best one of a draw."""
    winners = view["winners"] or range(len(view["seats"]))
    totals = [int(view["seats"][seat]["total"]) for seat in winners]
    return min(totals) if view["variant"]["options"]["scoring"] == "penalty" else max(totals)


def _newest(people: Sequence[Person]) -> Person:
    """Return the person with the newest view."""
    return max(people, key=lambda person: person.version)


def _sit_down(people: list[Person], tokens: list[str], client: Client, plan: Plan, name: str) -> None:
    """Create accounts, open a game and seat them, until the game begins."""
    for number in range(plan.people):
        account = {"name": f"{name} {number + 1}", "kind": "bot"}
        tokens.append(client.post("/v1/players", account).expect(CREATED)["token"])
    opened = client.post("/v1/games", _table(plan, name), token=tokens[0])
    if opened.status != CREATED:
        # The service would refuse every other game too.
        raise WrongArguments(f"The service refuses to open this game: {_reasons(opened)}")
    creator = Person(client, tokens[0], opened.body)
    people.append(creator)
    for token in tokens[1:]:
        joined = client.post(
            f"{creator.path}/seats", {"invite_code": opened.body["invite_code"]}, token=token
        )
        people.append(Person(client, token, joined.expect(CREATED)))
    if plan.people > 1:
        client.post(f"{creator.path}/start", {}, token=tokens[0]).expect(OK)
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


def _reasons(refused: Response) -> str:
    problem = refused.body
    fields = [f"{error['field']}: {error['message']}" for error in problem.get("errors", [])]
    return " ".join(fields) or str(problem.get("detail", problem["title"]))


def _play(people: Sequence[Person], plan: Plan, dice: random.Random, stopped: Event) -> None:
    wait_ms = int(min(LONGEST_WAIT_MS, plan.patience_seconds * 1000))
    moved_at = time.monotonic()
    while True:
        if stopped.is_set():
            raise Stopped
        newest = _newest(people)
        view = newest.view
        if view["status"] in _OVER:
            check_equal("the status of a game played to its end", view["status"], "finished")
            return
        able = [person for person in people if person.seat in view["turn"]["may_act"]]
        if able:
            _move(able[0], newest, dice)
            moved_at = time.monotonic()
        elif newest.look(wait_ms):
            moved_at = time.monotonic()
        elif time.monotonic() - moved_at >= plan.patience_seconds:
            raise Discrepancy(f"no move for {plan.patience_seconds:.0f} s; {_waited_for(view)}")


def _move(person: Person, newest: Person, dice: random.Random) -> None:
    """Make a move for a person, whose view is brought up to date first."""
    if person.version < newest.version or person.view["phase"] == "rummy_call":
        person.look()
    if person.may_move:
        person.move(dice)


def _waited_for(view: Json) -> str:
    seats = [view["seats"][number] for number in view["turn"]["may_act"]]
    names = ", ".join(f"seat {seat['seat']} ({seat['level'] or seat['kind']})" for seat in seats)
    return f"{view['phase'] or view['status']} waits for {names or 'no seat'}"
