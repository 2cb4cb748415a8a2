"""What released versions stored is read by this one, each kind of it, and there is a sample of each kind.

The samples lie in `tests/store/golden`; its README gives the rule, and how to add a release.
"""

import dataclasses
import inspect
import json
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec
import pytest

from service.api import auth
from service.api.recovery_secrets import RecoverySecret
from service.api.resources import device_links
from service.api.sse import tickets
from service.effects.rating_updates import Meeting, Skill
from service.effects.webhook_sender import EVENT_TYPES, PendingDelivery, Webhook
from service.games.codec import (
    decode_event,
    decode_record,
    encode_entry,
    encode_record,
    move_as_json,
    move_of_json,
)
from service.games.matchmaking import SeekTicket
from service.games.notifications import NOTIFICATION_TYPES, decode_notification
from service.games.record import (
    LOGGED_TYPES,
    GameLogEntry,
    GameRecord,
    RematchWithdrawn,
    SeatKind,
    Status,
)
from service.jobs import queues
from service.jobs.advice import Job, JobKind, JobStatus
from service.rummy.moves import PlayerMove
from service.rummy.presets import PRESETS
from service.rummy.state import Phase
from service.scorekeeping.deal_entry import DealEntry, EnteredLayOff, EnteredMeld, PlayersCards
from service.scorekeeping.sheet import ScoreSheet, SheetChange
from service.store.contract import StoredEvent
from service.store.ratings import POOLS
from service.store.redis.answers import AnswerHead
from service.store.schema import SCHEMA, StoredCodec
from tests.support.golden import PLACES, Golden, Stored, releases
from workers.jobs import resolve_job

Json = dict[str, Any]

RELEASES = releases()

#: What is new since the last release, so that no release has stored it. Empty it when you freeze one.
SINCE_THE_LAST_RELEASE: frozenset[object] = frozenset(
    {
        *("cardcouch-table", "block-rummy", "penalty-rummy"),
        *("score sheet", ScoreSheet, SheetChange, DealEntry),
        *("recovery code", RecoverySecret, Meeting),
        *(RematchWithdrawn.type, RematchWithdrawn),
        *(PlayersCards, EnteredMeld, EnteredLayOff),
    }
)

#: What a preset never comes to: cardcouch is for two, and a call window is for a third player.
NEVER = {("cardcouch", Phase.RUMMY_CALL)}


def log_entry(stored: Stored) -> GameLogEntry:
    entry_id = stored.name.partition(" ")[0]
    version, seq = map(int, entry_id.split("-"))
    return decode_event(StoredEvent(version=version, seq=seq, body=stored.body))


def plain(type_: type) -> tuple[Callable[[Stored], Any], Callable[[Any], bytes]]:
    codec = StoredCodec(type_)
    return lambda stored: codec.decode(stored.body), codec.encode


#: How each kind of bytes is read, and how it is written.
CODECS: Mapping[str, tuple[Callable[[Stored], Any], Callable[[Any], bytes]]] = {
    "record": (lambda stored: decode_record(stored.body), encode_record),
    "log entry": (log_entry, encode_entry),
    "player": plain(auth.Account),
    "token": plain(auth.Token),
    "webhook": plain(Webhook),
    "delivery": plain(PendingDelivery),
    "device link": plain(device_links._Link),
    "recovery code": plain(RecoverySecret),
    "stream ticket": plain(tickets.Ticket),
    "seek": plain(SeekTicket),
    "rating": plain(Skill),
    "job": plain(Job),
    "score sheet": plain(ScoreSheet),
}

#: The classes that are written as JSON, from which all others are reached.
ROOTS = (
    *(
        GameRecord,
        auth.Account,
        auth.Token,
        RecoverySecret,
        Webhook,
        PendingDelivery,
        device_links._Link,
        tickets.Ticket,
    ),
    *(SeekTicket, Skill, Job, ScoreSheet, *LOGGED_TYPES.values()),
)


def is_kept(before: Any, after: Any) -> bool:
    """Return whether everything is still there; there may be new members."""
    match before, after:
        case dict(), dict():
            return all(name in after and is_kept(value, after[name]) for name, value in before.items())
        case list(), list():
            return len(before) == len(after) and all(map(is_kept, before, after))
    return type(before) is type(after) and bool(before == after)


def with_unknown(value: Any) -> Any:
    """Return the same JSON as a newer release may write it: every object in it has one more member."""
    match value:
        case dict():
            # Overrides are a table of options, not an object with members.
            inner = {
                name: each if name == "overrides" else with_unknown(each) for name, each in value.items()
            }
            return {**inner, "unknown": {"new": [1]}}
        case list():
            return [with_unknown(inner) for inner in value]
    return value


def within(value: object) -> Iterator[object]:
    """Yield a value and all that it holds."""
    yield value
    if dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from within(getattr(value, field.name))
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from within(inner)
    elif isinstance(value, tuple | list):
        for inner in value:
            yield from within(inner)


def classes_within(type_: Any, found: set[type]) -> None:
    """Find the dataclasses that values of a type are made of."""
    if dataclasses.is_dataclass(type_):
        if type_ not in found:
            found.add(typing.cast("type", type_))
            hints = typing.get_type_hints(type_)
            for field in dataclasses.fields(type_):
                # What is unset unless it was read is not stored.
                if field.default is not msgspec.UNSET:
                    classes_within(hints[field.name], found)
    elif typing.get_origin(type_) is not None or isinstance(type_, types.UnionType):
        for inner in typing.get_args(type_):
            classes_within(inner, found)


def decoded(golden: Golden, what: str) -> list[Any]:
    decode, _ = CODECS[what]
    return [decode(stored) for stored in golden.stored(what)]


@pytest.fixture(scope="module")
def samples() -> list[Any]:
    """Every value that any release stored."""
    return [value for golden in RELEASES for what in CODECS for value in decoded(golden, what)]


@pytest.mark.parametrize("golden", RELEASES, ids=str)
class TestWhatAReleaseStored:
    @pytest.mark.parametrize("what", CODECS)
    def test_it_is_read_and_written_again_with_all_its_members(self, golden, what):
        decode, encode = CODECS[what]
        found = golden.stored(what)
        assert found or what in SINCE_THE_LAST_RELEASE, f"no sample of a {what}"
        for stored in found:
            again = encode(decode(stored))
            assert is_kept(json.loads(stored.body), json.loads(again)), f"{stored}\nis now\n{again!r}"

    @pytest.mark.parametrize("what", [what for what in CODECS if what != "log entry"])
    def test_it_may_have_members_of_a_newer_release(self, golden, what):
        decode, encode = CODECS[what]
        for stored in golden.stored(what):
            whole = {**with_unknown(json.loads(stored.body)), "schema": SCHEMA + 1}
            again = encode(decode(dataclasses.replace(stored, body=json.dumps(whole).encode())))
            assert json.loads(again) == whole

    def test_an_answer_is_told_from_its_head(self, golden):
        for stored in golden.stored("answer"):
            head, _, body = stored.body.partition(b"\n")
            assert msgspec.json.decode(head, type=AnswerHead).status >= 200
            assert body

    def test_an_account_event_is_a_notification(self, golden):
        found = [decode_notification(stored.body) for stored in golden.stored("account event")]
        assert {event["type"] for event in found} == {*NOTIFICATION_TYPES} - SINCE_THE_LAST_RELEASE

    def test_a_job_in_a_queue_finds_its_function(self, golden):
        names = {name for name, _ in golden.jobs()}
        assert len(names) >= 4, "computers' turns, those thought about, advice and deliveries"
        for name, arguments in golden.jobs():
            function = resolve_job(name)
            assert function is not None, name
            inspect.signature(function).bind(*arguments)

    def test_moves_of_hints_and_reviews_are_read(self, golden):
        for move in moves_of(decoded(golden, "job")):
            assert json.loads(msgspec.json.encode(move_as_json(move_of_json(move)))) == move


class TestThereIsASample:
    """Every new kind of stored value needs bytes here that a release wrote."""

    def test_of_every_kind_of_bytes(self):
        assert CODECS.keys() == PLACES.keys() - {"answer", "account event"}

    def test_of_every_class(self, samples):
        stored: set[type] = set()
        for root in ROOTS:
            classes_within(root, stored)
        missing = stored - {type(value) for sample in samples for value in within(sample)}
        assert missing - SINCE_THE_LAST_RELEASE == set()

    def test_of_every_event(self, samples):
        found = {sample.event.type for sample in samples if isinstance(sample, GameLogEntry)}
        assert {*LOGGED_TYPES} - found == SINCE_THE_LAST_RELEASE & {*LOGGED_TYPES}

    def test_of_every_preset_in_every_status_and_phase(self, samples):
        found: set[tuple[str, object]] = set()
        for record in samples:
            if isinstance(record, GameRecord):
                name = record.variant.name
                found.add((name, record.status))
                if record.status is Status.PLAYING:
                    assert record.game is not None
                    found.add((name, record.game.deal.turn.phase))
        wanted = {(name, stage) for name in PRESETS for stage in (*Status, *Phase)} - NEVER
        assert {stage for stage in wanted - found if not SINCE_THE_LAST_RELEASE & {*stage}} == set()

    def test_of_every_job(self, samples):
        jobs = [sample for sample in samples if isinstance(sample, Job)]
        assert {job.status for job in jobs} == {*JobStatus} - SINCE_THE_LAST_RELEASE
        assert {job.kind for job in jobs} == {*JobKind} - SINCE_THE_LAST_RELEASE
        types_ = {move["type"] for move in moves_of(jobs)}
        assert types_ == {move.type for move in PlayerMove.__args__} - SINCE_THE_LAST_RELEASE

    def test_of_every_webhook_event(self, samples):
        found = {sample.type for sample in samples if isinstance(sample, PendingDelivery)}
        subscribed = {name for sample in samples if isinstance(sample, Webhook) for name in sample.events}
        assert {*EVENT_TYPES} - found - subscribed == SINCE_THE_LAST_RELEASE & {*EVENT_TYPES}

    def test_of_every_kind_of_player(self, samples):
        seats = [seat for sample in samples if isinstance(sample, GameRecord) for seat in sample.seats]
        assert {seat.kind for seat in seats if seat.kind} == {*SeatKind}

    def test_of_every_pool(self):
        found = {stored.key for golden in RELEASES for stored in golden.stored("rating")}
        assert found == {f"rummy:{{pool:{pool}}}:ratings" for pool in POOLS}

    def test_of_every_job_in_a_queue(self):
        names = {name for golden in RELEASES for name, _ in golden.jobs()}
        assert (
            names >= {queues.JOB, queues.THINKING_JOB, queues.ADVISE, queues.DELIVER} - SINCE_THE_LAST_RELEASE
        )


def moves_of(jobs: list[Job]) -> Iterator[Json]:
    """Yield the moves that hints and reviews speak of."""
    for job in jobs:
        for value in within(job.result):
            if isinstance(value, dict) and {"move", "points"} <= value.keys():
                yield value["move"]
