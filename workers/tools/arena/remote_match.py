"""Plays mirrored sets at a service, in sandbox games whose seats belong to the accounts of other bots.

The bots play as always: they notice their games and make their moves. The arena only opens the games
with the bots' tokens, fills the seats, and reads the results. The players keep their seats and the dealer
rotates instead, because the dealer determines which seat gets which cards of a seed.
"""

import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from threading import Event
from typing import Any, Final

import httpx

from workers.errors import CannotStart, WrongArguments
from workers.tools.arena.mirrored_set import Match, Outcome, SetResult, ThinkingTimes, set_result
from workers.tools.conformance.client import Client, SharedTally, meta_of
from workers.tools.conformance.failures import Discrepancy, Json, Stopped

_OK: Final = 200
_CREATED: Final = 201
_NOT_MODIFIED: Final = 304
_WAIT_MS: Final = 5_000
_OVER: Final = frozenset({"finished", "aborted"})
#: How long a call window stays open: bots answer at once, and pass if they do not call.
_CALL_WINDOW_MS: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Participants:
    """Who can play at the service: its levels, and the bots by the tokens of their accounts, one a seat."""

    tokens: Mapping[str, Sequence[str]]
    levels: Sequence[str]

    def check(self, line_up: Sequence[str], seats: int) -> None:
        """Raise WrongArguments unless the line-up can fill the seats."""
        seated = [line_up[seat % len(line_up)] for seat in range(seats)]
        for name in dict.fromkeys(seated):
            if name in self.levels:
                continue
            if name not in self.tokens:
                known = ", ".join((*self.tokens, *self.levels))
                raise WrongArguments(f"unknown player {name!r}; choose from {known}.")
            if seated.count(name) > len(self.tokens[name]):
                raise WrongArguments(
                    f"{name} has {seated.count(name)} seats and needs an account for each: "
                    f"--bot {name}=FIRST_FILE,SECOND_FILE."
                )
        if all(name in self.levels for name in seated):
            raise WrongArguments("name a bot with --bot; levels alone can play without --url.")


def read_bots(given: Sequence[str]) -> dict[str, list[str]]:
    """Return the tokens of bots given as NAME=FILE or NAME=FILE,FILE; each file holds one token.

    Raises WrongArguments for any other form, and CannotStart when a file cannot be read.
    """
    tokens: dict[str, list[str]] = {}
    for text in given:
        name, _, files = text.partition("=")
        if not (name and files):
            raise WrongArguments(f"--bot must be given as NAME=FILE, not {text!r}.")
        try:
            tokens[name] = [Path(file).read_text(encoding="utf-8").strip() for file in files.split(",")]
        except OSError as error:
            raise CannotStart(f"--bot {name}: {error.filename} cannot be read ({error.strerror}).") from None
    return tokens


class RemoteMatchPool:
    """Plays sets at a service, several at once."""

    def __init__(
        self, http: httpx.Client, participants: Participants, *, at_once: int, patience_seconds: float
    ) -> None:
        self._participants: Final = participants
        self._at_once: Final = at_once
        self._patience_seconds: Final = patience_seconds
        self._stopped: Final = Event()
        self._client: Final = Client(
            http, SharedTally(), patience_seconds=patience_seconds, stopped=self._stopped
        )
        self._pool: Final = ThreadPoolExecutor(at_once)

    def play_sets(self, match: Match, seeds: Iterable[int]) -> Iterator[SetResult]:
        """Yield the results in the order of the seeds; raises CannotStart when a game does not end."""
        remaining, running = iter(seeds), deque[Future[SetResult]]()
        while True:
            for seed in islice(remaining, self._at_once - len(running)):
                running.append(self._pool.submit(self._play_set, match, seed))
            if not running:
                return
            try:
                yield running.popleft().result()
            except Discrepancy as error:
                raise CannotStart(f"The results are invalid: {error}.") from None

    def close(self) -> None:
        """Stop the games that are being played."""
        self._stopped.set()
        self._pool.shutdown(cancel_futures=True)

    def _play_set(self, match: Match, seed: int) -> SetResult:
        """Play the cards of a seed once for each rotation."""
        names = match.seated(0)
        # The account that opens a game takes its first seat.
        first = next(seat for seat, name in enumerate(names) if name in self._participants.tokens)
        names = (*names[first:], *names[:first])
        whole_rounds = match.seats % len(match.line_up) == 0
        rotations = len(match.line_up) if whole_rounds else match.seats
        outcomes = [
            _outcome(match, names, self._play(match, names, seed=seed, dealer=dealer))
            for dealer in range(rotations)
        ]
        return set_result(match, outcomes, {name: ThinkingTimes() for name in match.names})

    def _play(self, match: Match, names: Sequence[str], *, seed: int, dealer: int) -> Json:
        """Open a game, fill its seats, and return its last view."""
        free = {name: list(tokens) for name, tokens in self._participants.tokens.items()}
        own = free[names[0]].pop(0)
        view = self._client.post("/v1/games", _table(match, seed, dealer), token=own).expect(_CREATED)
        path, code = f"/v1/games/{view['id']}", view["invite_code"]
        try:
            for seat, name in enumerate(names[1:], start=1):
                if name in free:
                    body = {"seat": seat, "invite_code": code}
                    self._client.post(f"{path}/seats", body, token=free[name].pop(0)).expect(_CREATED)
                else:
                    self._client.put(f"{path}/seats/{seat}/computer", {"level": name}, token=own).expect(_OK)
            view = self._client.get(path, token=own).expect(_OK)
            if view["status"] == "waiting":
                view = self._client.post(f"{path}/start", {}, token=own).expect(_OK)
            return self._watched(view, own, names)
        except (Discrepancy, Stopped):
            # An abandoned game must not stay listed. If this fails, the service ends it as idle.
            self._client.post(f"{path}/abort", {}, token=own)
            raise

    def _watched(self, view: Json, token: str, names: Sequence[str]) -> Json:
        """Return the view of the finished game; raises Discrepancy when a player stops moving."""
        path, moved_at = f"/v1/games/{view['id']}", time.monotonic()
        while view["status"] not in _OVER:
            if self._stopped.is_set():
                raise Stopped
            if time.monotonic() - moved_at > self._patience_seconds:
                acting = view["turn"]["may_act"] if view["turn"] else range(len(names))
                idle = ", ".join(dict.fromkeys(names[seat] for seat in acting))
                raise Discrepancy(f"{idle} made no move for {self._patience_seconds:.0f} s; is it running?")
            answer = self._client.get(
                path, token=token, if_none_match=f'"{view["version"]}"', wait_ms=str(_WAIT_MS)
            )
            if answer.status != _NOT_MODIFIED:
                view, moved_at = answer.expect(_OK), time.monotonic()
        if view["status"] == "aborted":
            raise Discrepancy(f"game {view['id']} was aborted")
        return view


def _table(match: Match, seed: int, dealer: int) -> Json:
    overrides: dict[str, Any] = {**match.overrides, "first_dealer": dealer}
    if not match.whole_games:
        overrides["deals"] = 1
    return {
        "variant": {"preset": match.variant.name, "overrides": overrides},
        "seats": match.seats,
        "sandbox": True,
        "seed": f"arena:{seed}",
        "thinking_ms": match.budget.milliseconds,
        "clock": {"turn_ms": None, "call_window_ms": _CALL_WINDOW_MS, "next_deal_ms": None},
    }


def _outcome(match: Match, names: Sequence[str], view: Json) -> Outcome:
    if match.whole_games:
        totals = [seat["total"] for seat in view["seats"]]
        return Outcome(names=names, scores=totals, winners=view["winners"] or ())
    return Outcome(names=names, scores=[seat["score"] for seat in view["deals"][-1]["seats"]])


def participants_at(http: httpx.Client, url: str, tokens: Mapping[str, Sequence[str]]) -> Participants:
    """Return who can play at the service; raises CannotStart when it does not answer."""
    levels = [level["name"] for level in meta_of(http, url)["levels"]]
    clash = next((name for name in tokens if name in levels), None)
    if clash is not None:
        raise WrongArguments(f"--bot {clash}: this is the name of a level; give the bot another name.")
    return Participants(tokens=tokens, levels=levels)
