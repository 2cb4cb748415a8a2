"""Matchmaking: players who seek opponents for the same game are matched once.

A seek is a ticket, not a connection: it expires unless the player renews it. All
settings that opponents must agree on (rules, seats, time limits, rated or not) form a
pool, and the store matches seeks of one pool. The first player who learns of the match
creates the game, under the id that the match fixed; for the others it exists already.
"""

import hashlib
import re
import secrets
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import msgspec

from service.games.opening import NewGame, check_new_game, open_table, seat_joined_events
from service.games.record import GameRecord, Player, TimeControl, Visibility
from service.games.refusals import Refusal, VersionConflict
from service.games.seating import MIN_RATED_PLAYERS, STAND_IN, GameChange, computer_seat, deal, player_seat
from service.games.table import Table
from service.games.timing import SEEK_MS
from service.rummy.presets import resolve
from service.store.contract import Store
from service.store.ids import new_game_id
from service.store.schema import StoredCodec, StoredValue
from service.store.seeks import Seek, SeekKey, SeekState

_FORM: Final = re.compile(r"s([0-9a-f]{32})([0-9A-Za-z_-]{16,40})")


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedGame:
    """The settings of the game that a player seeks."""

    preset: str
    overrides: dict[str, int | str | bool | None]
    seats: int
    rated: bool
    clock: TimeControl | None

    def as_new_game(self) -> NewGame:
        """Return the table for the matched players: listed in public, without spectators."""
        return NewGame(
            preset=self.preset,
            overrides=self.overrides,
            seats=self.seats,
            rated=self.rated,
            clock=self.clock,
            visibility=Visibility.PUBLIC,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SeekTicket(StoredValue):
    """A seek as stored: the player and the game they seek."""

    player: Player
    wanted: WantedGame
    meets: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeekResult:
    """The state of a seek. `record` is the game it found, None while it waits."""

    id: str
    ticket: SeekTicket
    until: int
    record: GameRecord | None


_TICKETS: Final = StoredCodec(SeekTicket)


class Matchmaker:
    """Matches players who seek the same game."""

    def __init__(self, *, store: Store, table: Table, now: Callable[[], int]) -> None:
        self._store: Final = store
        self._table: Final = table
        self._now: Final = now

    def seek(self, wanted: WantedGame, player: Player, *, meets: str | None) -> SeekResult:
        """Create a seek, and match it if possible.

        Raises what opening such a table would: VariantContradiction, or Refusal.
        """
        check_new_game(wanted.as_new_game())
        name = SeekKey(pool=_pool_of(wanted), id=secrets.token_urlsafe(16), player_id=player.id)
        ticket = SeekTicket(player=player, wanted=wanted, meets=meets)
        seek = Seek(
            name=name,
            kind=player.kind,
            meets=meets,
            size=wanted.seats,
            body=_TICKETS.encode(ticket),
            blocked=self._blocked_by(player.id),
        )
        now = self._now()
        return self._found(name, self._store.seek(seek, now=now, until=now + SEEK_MS, game_id=new_game_id()))

    def renew(self, seek_id: str, player_id: str) -> SeekResult:
        """Extend a seek, and match it if possible; raise Refusal not_found if it is over."""
        name, now = _parse_seek_id(seek_id, player_id), self._now()
        sought = self._store.renew_seek(
            name,
            now=now,
            until=now + SEEK_MS,
            game_id=new_game_id(),
            blocked=self._blocked_by(player_id),
        )
        if sought is None:
            raise _seek_not_found()
        return self._found(name, sought)

    def cancel(self, seek_id: str, player_id: str) -> None:
        """End a seek; raise Refusal if it is over or has found a game."""
        game_id = self._store.end_seek(_parse_seek_id(seek_id, player_id), now=self._now())
        if game_id is None:
            raise _seek_not_found()
        if game_id:
            raise Refusal("already_started", "The seek has found its game: it can no longer be cancelled.")

    def _blocked_by(self, player_id: str) -> tuple[str, ...]:
        return tuple(block.player_id for block in self._store.blocks_of(player_id))

    def _found(self, name: SeekKey, sought: SeekState) -> SeekResult:
        tickets = [_TICKETS.decode(body) for body in sought.bodies if body]
        own = next(ticket for ticket in tickets if ticket.player.id == name.player_id)
        record = None if sought.game_id is None else self._game(sought.game_id, tickets)
        return SeekResult(id=f"s{name.pool}{name.id}", ticket=own, until=sought.until, record=record)

    def _game(self, game_id: str, tickets: list[SeekTicket]) -> GameRecord:
        """Return the game of the matched players; the first request creates it."""
        ids = [ticket.player.id for ticket in tickets]
        gone = {
            player_id for player_id, kept in zip(ids, self._store.players(ids), strict=True) if kept is None
        }
        try:
            return self._table.begin(partial(open_matched_game, game_id, tickets, gone)).record
        except VersionConflict:
            return self._table.get(game_id)


def open_matched_game(game_id: str, tickets: list[SeekTicket], gone: Collection[str], now: int) -> GameChange:
    """Open and deal the game of the matched players, in the order of their seeks.

    A computer takes the seat of a player who has deleted their account since.
    """
    players = [ticket.player for ticket in (*tickets[1:], tickets[0])]
    present = [player for player in players if player.id not in gone]
    new = tickets[0].wanted.as_new_game()
    record, _ = open_table(new, game_id=game_id, creator=present[0], now=now)
    record = replace(
        record,
        rated=new.rated and len(present) >= MIN_RATED_PLAYERS,
        was_matched=True,
        seats=tuple(
            player_seat(player) if player in present else computer_seat(STAND_IN) for player in players
        ),
    )
    begun, events = deal(record)
    return begun, (*seat_joined_events(record), *events)


def _pool_of(wanted: WantedGame) -> str:
    """Return a hash of the settings that opponents must agree on; equal games give equal pools."""
    variant = resolve(wanted.preset, wanted.overrides, seats=wanted.seats)
    agreed = (variant, wanted.seats, wanted.rated, wanted.clock)
    return hashlib.sha256(msgspec.json.encode(agreed)).hexdigest()[:32]


def _parse_seek_id(seek_id: str, player_id: str) -> SeekKey:
    form = _FORM.fullmatch(seek_id)
    if form is None:
        raise _seek_not_found()
    return SeekKey(pool=form[1], id=form[2], player_id=player_id)


def _seek_not_found() -> Refusal:
    return Refusal("not_found", "You have no such seek, or it has expired: create a new one.")
