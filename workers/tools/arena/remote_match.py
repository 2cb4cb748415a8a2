"""A contest at a service: mirrored sandbox games, with seats for accounts that other people's bots hold.

The bots play as they always do: they see that they have a game, and make their moves. The
arena only opens the games with their tokens, seats everybody, and reads the results. The
deal moves round the table instead of the players: who deals settles which seat gets which
of the cards that a seed deals.
"""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from threading import Event
from typing import Any, Final

import httpx

from workers.errors import CannotStart
from workers.tools.arena.mirrored_set import Clocked, Match, Outcome, SetResult, set_result
from workers.tools.conformance.client import Client, Count, meta_of
from workers.tools.conformance.faults import GaveUp, Json, Wrong

_OK: Final = 200
_CREATED: Final = 201
_NOT_MODIFIED: Final = 304
_WAIT_MS: Final = 5_000
_OVER: Final = frozenset({"finished", "aborted"})
#: A call of "Rummy!" is waited for so long: bots answer at once, and those who do not call pass.
_CALL_WINDOW_MS: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Guests:
    """Who plays at the service: the tokens of each bot's accounts, one a seat, and the levels it offers."""

    tokens: Mapping[str, Sequence[str]]
    levels: Sequence[str]

    def check(self, line_up: Sequence[str], seats: int) -> None:
        """Raise CannotStart unless these can sit down at a table of so many seats."""
        seated = [line_up[seat % len(line_up)] for seat in range(seats)]
        for name in dict.fromkeys(seated):
            if name in self.levels:
                continue
            if name not in self.tokens:
                known = ", ".join((*self.tokens, *self.levels))
                raise CannotStart(f"nobody at this service is called {name!r}; there are {known}.")
            if seated.count(name) > len(self.tokens[name]):
                raise CannotStart(
                    f"{name} takes {seated.count(name)} seats and so needs as many accounts: "
                    f"--bot {name}=FIRST_FILE,SECOND_FILE."
                )
        if all(name in self.levels for name in seated):
            raise CannotStart("name a bot of yours with --bot; levels alone can meet without --url.")


def bots(given: Sequence[str]) -> dict[str, list[str]]:
    """Return the tokens of bots given as NAME=FILE or NAME=FILE,FILE; a file holds one token.

    Raises CannotStart for a file that cannot be read.
    """
    tokens: dict[str, list[str]] = {}
    for text in given:
        name, _, files = text.partition("=")
        try:
            tokens[name] = [Path(file).read_text(encoding="utf-8").strip() for file in files.split(",")]
        except OSError as error:
            raise CannotStart(f"--bot {name}: {error.filename} cannot be read ({error.strerror}).") from None
    return tokens


class RemoteCrew:
    """Plays sets at a service, several at once."""

    def __init__(self, http: httpx.Client, guests: Guests, *, at_once: int, patience_seconds: float) -> None:
        self._guests: Final = guests
        self._at_once: Final = at_once
        self._patience_seconds: Final = patience_seconds
        self._stopped: Final = Event()
        self._client: Final = Client(http, Count(), patience_seconds=patience_seconds, stopped=self._stopped)
        self._pool: Final = ThreadPoolExecutor(at_once)

    def results(self, match: Match, seeds: Iterable[int]) -> Iterator[SetResult]:
        """Yield the results in the order of the seeds; raise CannotStart for a game that does not end."""
        left, begun = iter(seeds), list[Future[SetResult]]()
        while True:
            for seed in islice(left, self._at_once - len(begun)):
                begun.append(self._pool.submit(self._play_set, match, seed))
            if not begun:
                return
            try:
                yield begun.pop(0).result()
            except Wrong as wrong:
                raise CannotStart(f"the contest is void: {wrong}.") from None

    def close(self) -> None:
        """Give up what is being played."""
        self._stopped.set()
        self._pool.shutdown(cancel_futures=True)

    def _play_set(self, match: Match, seed: int) -> SetResult:
        """Play the cards of the seed once for each player at each seat's hand."""
        names = match.seated(0)
        # Whoever opens a table sits on its first seat.
        first = next(seat for seat, name in enumerate(names) if name in self._guests.tokens)
        names = (*names[first:], *names[:first])
        whole_rounds = match.seats % len(match.line_up) == 0
        rotations = len(match.line_up) if whole_rounds else match.seats
        outcomes = [
            _outcome(match, names, self._play(match, names, seed=seed, dealer=dealer))
            for dealer in range(rotations)
        ]
        return set_result(match, outcomes, {name: Clocked() for name in match.names})

    def _play(self, match: Match, names: Sequence[str], *, seed: int, dealer: int) -> Json:
        """Open a game, seat everybody, and return its last view."""
        left = {name: list(tokens) for name, tokens in self._guests.tokens.items()}
        own = left[names[0]].pop(0)
        view = self._client.post("/v1/games", _table(match, seed, dealer), token=own).told(_CREATED)
        path, code = f"/v1/games/{view['id']}", view["invite_code"]
        try:
            for seat, name in enumerate(names[1:], start=1):
                if name in left:
                    body = {"seat": seat, "invite_code": code}
                    self._client.post(f"{path}/seats", body, token=left[name].pop(0)).told(_CREATED)
                else:
                    self._client.put(f"{path}/seats/{seat}/computer", {"level": name}, token=own).told(_OK)
            view = self._client.get(path, token=own).told(_OK)
            if view["status"] == "waiting":
                view = self._client.post(f"{path}/start", {}, token=own).told(_OK)
            return self._watched(view, own, names)
        except (Wrong, GaveUp):
            # Nobody shall find a game that nobody waits for. Where that fails the service ends it in time.
            self._client.post(f"{path}/abort", {}, token=own)
            raise

    def _watched(self, view: Json, token: str, names: Sequence[str]) -> Json:
        """Return the view once the game is over; raise Wrong when nobody moves any more."""
        path, moved_at = f"/v1/games/{view['id']}", time.monotonic()
        while view["status"] not in _OVER:
            if self._stopped.is_set():
                raise GaveUp
            if time.monotonic() - moved_at > self._patience_seconds:
                acting = view["turn"]["may_act"] if view["turn"] else range(len(names))
                idle = ", ".join(dict.fromkeys(names[seat] for seat in acting))
                raise Wrong(f"{idle} made no move for {self._patience_seconds:.0f} s; does it run?")
            answer = self._client.get(
                path, token=token, if_none_match=f'"{view["version"]}"', wait_ms=str(_WAIT_MS)
            )
            if answer.status != _NOT_MODIFIED:
                view, moved_at = answer.told(_OK), time.monotonic()
        if view["status"] == "aborted":
            raise Wrong(f"game {view['id']} was given up")
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


def guests_at(http: httpx.Client, url: str, tokens: Mapping[str, Sequence[str]]) -> Guests:
    """Return who can play at the service; raise CannotStart where there is none."""
    levels = [level["name"] for level in meta_of(http, url)["levels"]]
    clash = next((name for name in tokens if name in levels), None)
    if clash is not None:
        raise CannotStart(f"--bot {clash}: a level of the service is called that; call the bot otherwise.")
    return Guests(tokens=tokens, levels=levels)
