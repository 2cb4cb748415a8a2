"""Seconds that deals spend in call windows that nobody can use.

    python -m tests.bench.bench_windows http://127.0.0.1:8000 --deals 3

A person who plays the least moves sits against two computers: by `ace-low`, where public cards decide
who can call, and by `jokers`, where a hand may be part of the call, with auto-pass on. A window is of
no use if no person may answer it: it asks computers alone, or a person whose calls the service passes.
Its length is the time from `call_window.opened` to the next event.
"""

import argparse
import secrets
from datetime import datetime
from itertools import pairwise

import httpx

CASES = {
    "table_or_pile": ({"preset": "ace-low", "overrides": {"call_rummy": "table_or_pile"}}, False),
    "any_meld, auto-pass on": ({"preset": "jokers", "overrides": {"call_rummy": "any_meld"}}, True),
}


class Person:
    """Plays one deal after another by the least moves."""

    def __init__(self, url: str) -> None:
        self.http = httpx.Client(base_url=url, timeout=60)
        token = self.http.post("/v1/players", json={"name": "Ana"}).json()["token"]
        self.http.headers["Authorization"] = f"Bearer {token}"

    def play_deal(self, variant: dict, *, auto_pass: bool) -> str:
        """Play one deal and return the path of the game."""
        body = {"variant": variant, "seats": 3, "opponents": [{"level": "steady"}] * 2}
        game = self.http.post("/v1/games", json=body).json()
        path = f"/v1/games/{game['id']}"
        if auto_pass:
            self.http.put(f"{path}/seats/me/auto-pass", json={"auto_pass": True}).raise_for_status()
        while game["status"] == "playing":
            if 0 not in game["turn"]["may_act"]:
                answer = self.http.get(path, params={"newer_than": game["version"], "wait_ms": 20_000})
                game = answer.json() if answer.status_code == 200 else game
                continue
            self._move(path)
            game = self.http.get(path).json()
        return path

    def _move(self, path: str) -> None:
        moves = {move["type"]: move for move in self.http.get(f"{path}/legal-moves").json()["moves"]}
        move = next(
            moves[kind]
            for kind in ("pass", "draw_stock", "discard", "meld", "lay_off", "take_discard")
            if kind in moves
        )
        key = {"Idempotency-Key": secrets.token_hex(16)}
        self.http.request(move["method"], move["path"], json=move["body"], headers=key)

    def windows(self, path: str, *, auto_pass: bool) -> list[tuple[float, bool]]:
        """Return the seconds of each window of the game, and whether a person could use it."""
        events, page = [], {"limit": 100}
        while found := self.http.get(f"{path}/events", params=page).json()["events"]:
            events += found
            page["after"] = found[-1]["id"]
        return [
            (at(later) - at(event), 0 in event["asked"] and not auto_pass)
            for event, later in pairwise(events)
            if event["type"] == "call_window.opened"
        ]


def at(event: dict) -> float:
    return datetime.fromisoformat(event["at"]).timestamp()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Measure the call windows that nobody can use.")
    parser.add_argument("url")
    parser.add_argument("--deals", type=int, default=3)
    arguments = parser.parse_args()
    person = Person(arguments.url)
    for name, (variant, auto_pass) in CASES.items():
        found = []
        for _ in range(arguments.deals):
            path = person.play_deal(variant, auto_pass=auto_pass)
            found += person.windows(path, auto_pass=auto_pass)
        useless = [seconds for seconds, is_of_use in found if not is_of_use]
        print(
            f"{name}: {len(found)} windows in {arguments.deals} deals, {len(useless)} of no use to a person, "
            f"{sum(useless):.2f} s in these, the longest {max(useless, default=0):.2f} s"
        )


if __name__ == "__main__":
    main()
