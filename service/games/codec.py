"""Records and log entries as JSON bytes, and back."""

from dataclasses import dataclass
from typing import Any, Final

import msgspec

from service.games.record import LOGGED_TYPES, GameLogEntry, GameRecord, LoggedEvent, UnknownEvent
from service.rummy.moves import CallRummy, LayMeld, LayOff, PlayerMove
from service.store.contract import StoredEvent
from service.store.schema import SCHEMA, StoredCodec


class _Entry(msgspec.Struct):
    """A log entry whose event is still raw: its type selects the decoder."""

    type: str
    at: int
    event: msgspec.Raw
    deadline_at: int | None = None


_records: Final = StoredCodec(GameRecord)
_decode_entry: Final = msgspec.json.Decoder(_Entry).decode
_event_decoders: Final = {name: msgspec.json.Decoder(event) for name, event in LOGGED_TYPES.items()}
_encoder: Final = msgspec.json.Encoder()


@dataclass(frozen=True, slots=True)
class _Written:
    schema: int
    type: str
    at: int
    event: LoggedEvent
    deadline_at: int | msgspec.UnsetType = msgspec.UNSET


def encode_record(record: GameRecord) -> bytes:
    """Return a record as stored."""
    return _records.encode(record)


def decode_record(body: bytes) -> GameRecord:
    """Return the record of `encode_record`; raise msgspec.ValidationError for anything else."""
    return _records.decode(body)


def encode_entry(entry: GameLogEntry) -> bytes:
    """Return a log entry as stored, without its version and number; its event must be a known one."""
    assert not isinstance(entry.event, UnknownEvent)  # noqa: S101 - nothing writes those
    ends = msgspec.UNSET if entry.deadline_at is None else entry.deadline_at
    return _encoder.encode(_Written(SCHEMA, entry.event.type, entry.at, entry.event, ends))


def decode_event(stored: StoredEvent) -> GameLogEntry:
    """Return the log entry of `encode_entry`; an `UnknownEvent` for a type of a newer release."""
    entry = _decode_entry(stored.body)
    decoder = _event_decoders.get(entry.type)
    event = UnknownEvent(type=entry.type) if decoder is None else decoder.decode(entry.event)
    return GameLogEntry(
        version=stored.version, seq=stored.seq, at=entry.at, event=event, deadline_at=entry.deadline_at
    )


def rename_player(stored: StoredEvent, name: str) -> bytes:
    """Return the entry of an event with another name for its player; all else stays."""
    entry = msgspec.json.decode(stored.body)
    entry["event"]["name"] = name
    return _encoder.encode(entry)


_MOVES: Final = {move.type: move for move in PlayerMove.__args__}


def move_as_json(move: PlayerMove) -> dict[str, Any]:
    """Return a move as JSON, with its type."""
    members: dict[str, Any] = msgspec.to_builtins(move)
    if isinstance(move, CallRummy):
        members["use"] = move_as_json(move.use)
    return {"type": move.type, **members}


def move_of_json(members: dict[str, Any]) -> PlayerMove:
    """Return the move of `move_as_json`."""
    kind = _MOVES[members["type"]]
    if kind is CallRummy:
        use = move_of_json(members["use"])
        assert isinstance(use, LayMeld | LayOff)  # noqa: S101 - what a call is used for
        return CallRummy(seat=members["seat"], card=members["card"], position=members["position"], use=use)
    move: PlayerMove = msgspec.convert(members, kind)
    return move
