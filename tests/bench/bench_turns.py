"""How long people wait for a computer's move.

    python -m tests.bench.bench_turns [--games 200] [--seconds 30] [--pause-seconds 8]

First one game with `steady` and nothing else to do: from the moment the turn is put into the
queue to the computer's first committed move, and to the end of its turn. Then many games
with `shrewd` at once, whose people take some seconds for their turns, as people do: by chance
from half of the pause to one and a half of it. Valkey writes
every move to disk, one worker and one thinker play, as in `make run`; people come in by the
table and not over HTTP, so that the waiting is measured and not the asking.
"""

import argparse
import heapq
import os
import random
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from service.bootstrap import Components, build_components, now_ms
from service.config import Settings
from service.games.opening import NewGame
from service.games.record import GameRecord, Player, SeatKind, Status
from service.games.table import Table
from service.games.table_moves import ReadyForNextDeal
from service.rummy.forced_turn import forced_turn
from tests.support.servers import valkey_server
from workers.processes.child_process import child_environment, rummy500_command

ANA = Player(id="pBench", name="Ana", kind=SeatKind.HUMAN)
#: Looking at every game that waits takes the processor from those who play them.
LOOK_SECONDS = 0.02
WARM_TURNS = 20


@dataclass(slots=True)
class Noting:
    """Notes when turns are put into the queue."""

    components: Components
    asked_at: dict[str, int] = field(default_factory=dict)

    def enqueue(self, game_id: str, version: int, attempt: int) -> None:
        self.asked_at[game_id] = now_ms()
        self.components.turns.enqueue(game_id, version, attempt)


@dataclass(slots=True)
class Waits:
    """How long people waited, in milliseconds: for the first move, and for the whole turn."""

    first: list[int] = field(default_factory=list)
    whole: list[int] = field(default_factory=list)

    def line(self, name: str) -> str:
        return (
            f"{name}: {len(self.first)} turns; first move p50 {percentile(self.first, 50)} ms, "
            f"p99 {percentile(self.first, 99)} ms, max {max(self.first)} ms; "
            f"whole turn p50 {percentile(self.whole, 50)} ms, p99 {percentile(self.whole, 99)} ms"
        )


def percentile(times: list[int], percent: int) -> int:
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]


@contextmanager
def service() -> Iterator[Components]:
    """Run Valkey, a worker and a thinker; give the parts to reach them by."""
    with valkey_server() as server:
        components = build_components(Settings.from_environment({"REDIS_URL": server.url}))
        environ = child_environment(REDIS_URL=server.url)
        workers = [
            subprocess.Popen(rummy500_command(part, "--quiet"), env=environ) for part in ("turns", "thinker")
        ]
        try:
            yield components
        finally:
            for worker in workers:
                worker.terminate()
            for worker in workers:
                worker.wait(60)
            components.store.close()


def measure(components: Components, *, level: str, games: int, seconds: float, pause_seconds: float) -> Waits:
    """Play so many games for so long and return the waits; the first turns of each warm everything up."""
    noting, chance, waits = Noting(components), random.Random(1), Waits()
    table = Table(store=components.store, turns=noting, now=now_ms)

    def opened() -> GameRecord:
        return table.open(NewGame(preset="classic", seats=2, opponents=(level,)), ANA).record

    began = time.monotonic()
    due = [(began + chance.random() * pause_seconds, number, opened()) for number in range(games)]
    heapq.heapify(due)
    waiting: list[tuple[int, GameRecord]] = []
    turns, warm = 0, max(WARM_TURNS, games)
    while time.monotonic() - began < seconds:
        while due and due[0][0] <= time.monotonic():
            _, number, record = heapq.heappop(due)
            waiting.append((number, acted(table, table.get(record.id), opened)))
        still = []
        for number, before in waiting:
            record = table.get(before.id)
            if record.computer_to_move() is not None:
                still.append((number, before))
                continue
            turns += 1
            if record.version > before.version and turns > warm:
                note(table, noting, before, waits)
            heapq.heappush(due, (time.monotonic() + pause_seconds * (0.5 + chance.random()), number, record))
        waiting = still
        time.sleep(LOOK_SECONDS if games > 1 else LOOK_SECONDS / 4)
    return waits


def acted(table: Table, record: GameRecord, opened: Callable[[], GameRecord]) -> GameRecord:
    """Return the game after the person's turn: the least there is, a next deal, or a new game."""
    if record.status is Status.DEAL_OVER:
        return table.play(record, ReadyForNextDeal(player_id=ANA.id)).record
    if record.status is not Status.PLAYING:
        return opened()
    assert record.game is not None
    for move in forced_turn(record.game, 0):
        record = table.play(record, move).record
    return record


def note(table: Table, noting: Noting, before: GameRecord, waits: Waits) -> None:
    """Note how long the computer took, by the times in the log."""
    asked_at = noting.asked_at.pop(before.id, None)
    log = table.events(before.id, after=(before.version, 10_000), limit=200)
    if asked_at is None or not log:
        return
    first = log[0].version
    waits.first.append(max(0, max(entry.at for entry in log if entry.version == first) - asked_at))
    waits.whole.append(max(0, log[-1].at - asked_at))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--pause-seconds", type=float, default=8.0)
    asked = parser.parse_args()
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores before the start")
    with service() as components:
        idle = measure(components, level="steady", games=1, seconds=asked.seconds, pause_seconds=0.02)
        print(idle.line("steady, idle queue"), flush=True)
        busy = measure(
            components,
            level="shrewd",
            games=asked.games,
            seconds=asked.seconds,
            pause_seconds=asked.pause_seconds,
        )
        print(busy.line(f"shrewd, {asked.games} games at once"))


if __name__ == "__main__":
    main()
