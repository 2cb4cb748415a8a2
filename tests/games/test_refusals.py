"""What each operation on a table answers in each status: the refusals are true, and say what to do."""

from functools import partial
from random import Random

import pytest

from service.games.keeping_apart import BlocksOfPlayer
from service.games.opening import NewGame
from service.games.record import Player, SeatKind, Status
from service.games.refusals import Refusal
from service.games.rematches import join_or_open_rematch
from service.games.seating import abort, join, leave, renew_invites, seat_computer, set_auto_pass, start
from service.games.table import Table
from service.games.table_moves import ReadyForNextDeal, Resignation, apply_move, lawful_moves
from service.jobs.advice import AdviceJobs, NullAdviceQueue
from service.rummy.errors import IllegalMove
from service.rummy.moves import DrawStock
from service.store.contract import StoreUnavailable
from tests.support.memory_store.store import MemoryStore

NOW = 1_000_000
ANA = Player(id="pAna", name="Ana", kind=SeatKind.HUMAN)
BEN = Player(id="pBen", name="Ben", kind=SeatKind.HUMAN)
CEM = Player(id="pCem", name="Cem", kind=SeatKind.HUMAN)

WAITS = "The game has not begun"
RUNS = "The game has begun: "
ENDED = "The game is over"
CALLED_OFF = "The game was called off"


class Turns:
    """A queue of computers' turns that no worker reads."""

    def enqueue(self, game_id, version, attempt):
        del game_id, version, attempt


@pytest.fixture
def table():
    return Table(store=MemoryStore(now=lambda: NOW), turns=Turns(), now=lambda: NOW)


@pytest.fixture
def game_in(table):
    """Return a game that Ana opened, in a status; it was aborted before it began if `early`."""

    def game_in(status, *, early):
        record = table.open(NewGame(preset="classic", seats=2, clock=None), ANA).record
        if status is Status.WAITING:
            return record
        if status is Status.ABORTED and early:
            return table.change(record.id, partial(abort, player=ANA)).record
        table.change(record.id, partial(join, player=BEN, seat=None, now=NOW))
        record = table.change(record.id, partial(start, player=ANA)).record
        if status is Status.FINISHED:
            for player in (BEN, ANA):
                record = table.get(record.id)
                if not record.status.is_over:
                    record = table.play(record, Resignation(player=player)).record
        if status is Status.ABORTED:
            table.play(record, Resignation(player=BEN))
            record = table.change(record.id, partial(abort, player=ANA)).record
        if status is Status.DEAL_OVER:
            record = _to_the_end_of_the_deal(table, record)
        assert record.status is status
        return record

    return game_in


def _to_the_end_of_the_deal(table, record):
    rng = Random(3)
    while record.status is Status.PLAYING:
        move = rng.choice(lawful_moves(record, record.may_act()[0]).moves)
        record = table.play(record, move).record
    return record


def _on_turn(record):
    return record.may_act()[0] if record.status is Status.PLAYING else 0


def _advice():
    """Return the advice jobs; a request that is not refused finds no worker."""
    return AdviceJobs(store=MemoryStore(now=lambda: NOW), queue=NullAdviceQueue(), now=lambda: NOW)


OPERATIONS = {
    "joinGame": lambda _, game: join(game, CEM, seat=None, now=NOW),
    "leaveGame": lambda _, game: leave(game, ANA),
    "seatComputer": lambda _, game: seat_computer(game, ANA, seat=1, level="steady"),
    "startGame": lambda _, game: start(game, ANA),
    "abortGame": lambda _, game: abort(game, ANA),
    "renewInviteCodes": lambda _, game: renew_invites(game, ANA),
    "setAutoPass": lambda _, game: set_auto_pass(game, ANA, auto_pass=True),
    "rematchGame": lambda table, game: join_or_open_rematch(
        table, game.id, ANA, BlocksOfPlayer(), now=lambda: NOW
    ),
    "drawStock": lambda _, game: apply_move(game, DrawStock(seat=_on_turn(game)), now=NOW),
    "readyForNextDeal": lambda _, game: apply_move(game, ReadyForNextDeal(player_id=ANA.id), now=NOW),
    "resignGame": lambda _, game: apply_move(game, Resignation(player=ANA), now=NOW),
    "requestHint": lambda _, game: _advice().ask_hint(game, _on_turn(game), ANA.id),
    "requestReview": lambda _, game: _advice().ask_review(game, (0,), ANA.id),
}

BEGUN = f"already_started: {RUNS}"
OVER = f"already_started: {ENDED}"
GONE = f"game_called_off: {CALLED_OFF}"
FINISHED = f"game_over: {ENDED}"
ABORTED = f"game_over: {CALLED_OFF}"
EARLY = f"wrong_phase: {WAITS}"
STATUSES = (Status.WAITING, Status.PLAYING, Status.DEAL_OVER, Status.FINISHED, Status.ABORTED)
#: The code of each refusal and the start of its sentence, in the order of STATUSES; None is no refusal.
#: Ana asks.
ANSWERS = {
    "joinGame": (None, BEGUN, BEGUN, OVER, GONE),
    "leaveGame": (None, BEGUN, BEGUN, OVER, GONE),
    "seatComputer": (None, BEGUN, BEGUN, OVER, GONE),
    "startGame": ("seats_empty: Some seats", BEGUN, BEGUN, OVER, GONE),
    "abortGame": (None, *("already_started: Other players",) * 2, FINISHED, ABORTED),
    "renewInviteCodes": (None, None, None, None, None),
    "setAutoPass": (None, None, None, FINISHED, ABORTED),
    "rematchGame": (*(EARLY, *("wrong_phase: The game is not over",) * 2, None, None),),
    "drawStock": (EARLY, None, "deal_over: The deal is over", FINISHED, ABORTED),
    "readyForNextDeal": (EARLY, "wrong_phase: The deal is not over", None, FINISHED, ABORTED),
    "resignGame": (EARLY, None, None, FINISHED, ABORTED),
    "requestHint": (EARLY, None, "deal_over: The deal is over", FINISHED, ABORTED),
    "requestReview": (*("game_running: A game can be reviewed",) * 3, None, None),
}


@pytest.mark.parametrize("status, early", [*((status, False) for status in STATUSES), (Status.ABORTED, True)])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_operation_says_what_the_status_is(table, game_in, operation, status, early):
    record = game_in(status, early=early)

    try:
        OPERATIONS[operation](table, record)
    except (Refusal, IllegalMove) as refusal:
        answer = f"{refusal.code}: {refusal.message}"
    except StoreUnavailable:
        answer = None  # The request was queued, had there been a queue.
    else:
        answer = None

    expected = ANSWERS[operation][STATUSES.index(status)]
    assert answer == expected if expected is None else str(answer).startswith(expected)
