"""How long a player's expert takes while a crowd keeps the thinkers busy.

    python -m tests.bench.bench_crowd

Starts a service with one thinker. First nobody else plays, then one account has 60 tables with three slow
experts each, then twenty guests of one address have three tables each. Quotas are raised so that the crowd is
let in. The player comes from another address; each figure is the time of one turn of their expert,
whose budget is 500 ms.
"""

import argparse
import statistics
import tempfile
import time
from pathlib import Path

import httpx

from tests.support.tree import Tree

BUDGET_MS = 500
TABLES = 60
GUESTS = 20
TURNS = 8
SLOW = {"seats": 4, "opponents": [{"level": "expert"}] * 3, "thinking_ms": 5_000}
FIRST = {"variant": {"preset": "classic", "overrides": {"first_dealer": 0}}}


class Client:
    """A guest at an address; a trusted proxy would name it so."""

    def __init__(self, url: str, address: str) -> None:
        self.http = httpx.Client(base_url=url, headers={"X-Forwarded-For": address}, timeout=60)
        token = self.http.post("/v1/players", json={"name": "Guest"}).json()["token"]
        self.http.headers["Authorization"] = f"Bearer {token}"

    def open(self, **body: object) -> str:
        made = self.http.post("/v1/games", json={**FIRST, **body})
        assert made.status_code == 201, made.text
        return f"/v1/games/{made.json()['id']}"

    def wait_for_turn(self, path: str) -> dict:
        """Return the game when it is this player's turn, or over."""
        game = self.http.get(path).json()
        while game["status"] == "playing" and game["turn"]["may_act"] != [0]:
            answer = self.http.get(path, params={"newer_than": game["version"], "wait_ms": 20_000})
            game = answer.json() if answer.status_code == 200 else game
        return game

    def end_turn(self, path: str) -> None:
        """Draw from the stock and throw the card."""
        moves = [{"type": "draw_stock"}, {"type": "discard", "card": "drawn"}]
        self.http.post(f"{path}/turns", json={"moves": moves}).raise_for_status()


def seconds_of_turns(url: str, address: str) -> list[float]:
    """Return how long the expert of a new player takes for each of its turns."""
    player, taken = Client(url, address), []
    path = player.open(opponents=[{"level": "expert"}], thinking_ms=BUDGET_MS)
    game = player.wait_for_turn(path)
    while len(taken) < TURNS:
        if game["status"] != "playing":
            path = player.open(opponents=[{"level": "expert"}], thinking_ms=BUDGET_MS)
            game = player.wait_for_turn(path)
            continue
        player.end_turn(path)
        begun = time.monotonic()
        game = player.wait_for_turn(path)
        taken.append(time.monotonic() - begun)
    return taken


def report(what: str, seconds: list[float]) -> None:
    print(f"{what:<42} median {statistics.median(seconds):5.2f} s, longest {max(seconds):5.2f} s", flush=True)


def main() -> None:
    """Measure and print."""
    argparse.ArgumentParser(description="Measure an expert's turns beside a crowd.").parse_args()
    print(f"One thinker; budget of the turn {BUDGET_MS} ms; {TURNS} turns.")
    with tempfile.TemporaryDirectory() as folder:
        with Tree(Path(folder) / "data", RATE_LIMITS="20", TRUSTED_PROXIES="1") as tree:
            report("nobody else", seconds_of_turns(tree.url, "192.0.2.1"))
            crowd = Client(tree.url, "198.51.100.1")
            for _ in range(TABLES):
                crowd.open(**SLOW)
            report(f"one account with {TABLES} tables", seconds_of_turns(tree.url, "192.0.2.2"))
        with Tree(Path(folder) / "guests", RATE_LIMITS="20", TRUSTED_PROXIES="1") as tree:
            for _ in range(GUESTS):
                guest = Client(tree.url, "198.51.100.2")
                for _ in range(TABLES // GUESTS):
                    guest.open(**SLOW)
            report(f"{GUESTS} guests of one address, 3 tables each", seconds_of_turns(tree.url, "192.0.2.3"))


if __name__ == "__main__":
    main()
