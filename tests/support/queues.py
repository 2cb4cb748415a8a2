"""A queue of computers' turns that holds them until a test has them played, and a house to play in."""

from collections.abc import Callable
from typing import Any

from service.games.opening import NewGame
from service.games.record import GameRecord, Player, SeatKind
from service.games.scheduler import Scheduler
from service.games.table import Table
from service.jobs.fair_queue import TurnOwner
from service.jobs.levels import THINKING
from service.rummy.forced_turn import forced_turn
from tests.support.memory_store.store import MemoryStore
from workers.jobs.turns import ComputerTurnPlayer

ANA = Player(id="pAna", name="Ana", kind=SeatKind.HUMAN)
BEN = Player(id="pBen", name="Ben", kind=SeatKind.HUMAN)


class HeldTurns:
    """Stands in for RQ: turns wait in the order asked for, each id once, until they are taken out."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, int, int]] = []
        self.waiting: list[tuple[str, int, int]] = []
        #: Those that are thought about, in a queue of their own.
        self.thinking: list[tuple[str, int, int]] = []

    def enqueue(self, game_id: str, version: int, attempt: int) -> None:
        self.asked.append((game_id, version, attempt))
        self.waiting.append((game_id, version, attempt))

    def think(self, game_id: str, version: int, attempt: int, owner: TurnOwner) -> None:
        del owner
        self.thinking.append((game_id, version, attempt))

    def is_waiting(self, game_id: str, version: int, attempt: int) -> bool:
        return (game_id, version, attempt) in (*self.waiting, *self.thinking)

    def lose(self) -> tuple[str, int, int]:
        """Take the oldest turn out as a worker does that is killed before its first move."""
        return self.waiting.pop(0)

    def work(self, play: Callable[[str, int, int], None]) -> int:
        """Have all turns played that wait, and those that come up meanwhile; return how many jobs it took."""
        jobs = 0
        while self.waiting:
            play(*self.waiting.pop(0))
            jobs += 1
        return jobs


class House:
    """Table, scheduler and computers over the memory store, with a time that tests move."""

    def __init__(self, *, searching_levels: frozenset[str] = THINKING) -> None:
        self.time = 1_790_000_000_000
        self.turns = HeldTurns()
        self.store = MemoryStore(now=self.now)
        self.table = Table(store=self.store, turns=self.turns, now=self.now)
        self.scheduler = Scheduler(store=self.store, table=self.table, turns=self.turns, now=self.now)
        self.computers = ComputerTurnPlayer(
            table=self.table, turns=self.turns, now=self.now, searching_levels=searching_levels
        )

    def now(self) -> int:
        return self.time

    def open(self, *, seats: int = 2, preset: str = "classic", **more: Any) -> GameRecord:
        """Open a game of Ana against computers, begun at once; not all at their turn have played."""
        computers = more.pop("opponents", ("steady",) * (seats - 1))
        new = NewGame(preset=preset, seats=seats, opponents=computers, **more)
        return self.table.open(new, ANA).record

    def work(self) -> int:
        """Have all turns played that wait."""
        return self.turns.work(self.computers.play)

    def read(self, record: GameRecord) -> GameRecord:
        return self.table.get(record.id)

    def end_turn(self, record: GameRecord) -> GameRecord:
        """Play the least turn for the seat whose turn it is, as a person would: move by move."""
        record = self.read(record)
        assert record.game is not None
        for move in forced_turn(record.game, record.may_act()[0]):
            record = self.table.play(record, move).record
        return record

    def happened(self, record: GameRecord, *, since: int = 0) -> list[tuple[int, str]]:
        """Return the log behind a version: of each event the version and the type."""
        log = self.table.events(record.id, after=None, limit=100_000)
        return [(entry.version, entry.event.type) for entry in log if entry.version > since]
