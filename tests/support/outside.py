"""Table, projector and account logs, with a time that tests set."""

from typing import Any

import msgspec

from service.effects.projector import Projector
from service.games.opening import NewGame
from service.games.record import GameRecord, Player, SeatKind
from service.games.seating import join, start
from service.games.table import NULL_PROJECTOR, ChangeProjector, Table
from service.rummy.forced_turn import forced_turn
from service.store.contract import Store
from tests.support.memory_store.store import MemoryStore
from tests.support.stores import now

ANA = Player(id="pAna", name="Ana", kind=SeatKind.HUMAN)
BEN = Player(id="pBen", name="Ben", kind=SeatKind.HUMAN)
CAL = Player(id="pCal", name="Cal", kind=SeatKind.BOT)
DAN = Player(id="pDan", name="Dan", kind=SeatKind.HUMAN)
EVE = Player(id="pEve", name="Eve", kind=SeatKind.HUMAN)


class NoTurns:
    """Computers never move here."""

    def enqueue(self, game_id: str, version: int, attempt: int) -> None:
        pass


class Outside:
    """Plays games of people, and reads their notifications."""

    def __init__(self, store: Store | None = None, *, projector: ChangeProjector | None = None) -> None:
        # As late as it is: Redis lets things expire by its own clock.
        self.time = now()
        self.store = store or MemoryStore(now=self.now)
        for player in (ANA, BEN, CAL, DAN, EVE):
            self.store.put_player(player.id, player.name.encode(), replaces=None)
        self.projector = Projector(store=self.store, now=self.now)
        self.prompt = self.table(projector or self.projector)
        self.late = self.table(NULL_PROJECTOR)

    def now(self) -> int:
        return self.time

    def table(self, projector: ChangeProjector) -> Table:
        """Return a table with this projector."""
        return Table(store=self.store, turns=NoTurns(), now=self.now, projector=projector)

    def begin(self, table: Table, *others: Player, preset: str = "classic", **more: Any) -> GameRecord:
        """Let Ana and others sit down and begin."""
        new = NewGame(preset=preset, seats=1 + len(others), **more)
        record = table.open(new, ANA).record
        for other in others:
            record = table.change(
                record.id, lambda game, other=other: join(game, other, seat=None, now=self.time)
            ).record
        return table.change(record.id, lambda game: start(game, ANA)).record

    def end_turn(self, table: Table, record: GameRecord) -> GameRecord:
        """Play the least turn for the seat whose turn it is."""
        record = table.get(record.id)
        assert record.game is not None
        for move in forced_turn(record.game, record.may_act()[0]):
            record = table.play(record, move).record
        return record

    def notifications(self, player: Player) -> list[dict[str, Any]]:
        """Return the notifications of a player."""
        return [
            msgspec.json.decode(event.body)
            for event in self.store.account_events(player.id, limit=10_000).events
        ]

    def types(self, player: Player) -> list[str]:
        """Return the types of a player's notifications."""
        return [word["type"] for word in self.notifications(player)]

    def catch_up(self) -> int:
        """Let the scheduler find what is overdue."""
        self.time += 60_000
        return self.projector.catch_up()
