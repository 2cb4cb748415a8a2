"""A replay holds all of a game that its reader may know, and nothing more."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from hypothesis import given, note
from hypothesis import strategies as st

from service.games.record import (
    ClockExpired,
    GameAborted,
    LoggedEvent,
    SeatJoined,
    SeatKind,
    SeatReady,
    SeatReplaced,
    Status,
)
from service.notation.from_record import replay_from_record
from service.notation.lines import Replay
from service.notation.reading import parse_replay
from service.notation.verify import verify_replay
from service.notation.writing import format_replay
from service.rummy.events import EVENT_TYPES, PositionGiven
from service.rummy.forced_turn import forced_turn
from service.rummy.legal_moves import seats_to_act
from service.rummy.moves import EndGame, StartNextDeal
from service.rummy.play import play
from service.rummy.state import Game, Phase, Stage
from service.rummy.views import redact
from tests.laws.test_hidden_information import another_game
from tests.support.replays import log_of, record_of
from tests.support.strategies import Playthrough, chances, situations


@dataclass(frozen=True, slots=True)
class Evening:
    """A game with events of the table: clocks that ran out, players who left and came back."""

    game: Game
    events: tuple[LoggedEvent, ...]
    status: Status
    sandbox: bool

    def replay(self, viewer: int | None = None) -> Replay:
        record = record_of(self.game, sandbox=self.sandbox, status=self.status)
        return replay_from_record(record, log_of(self.events, self.game.seats), viewer)


def evening(begun: Playthrough, chance: random.Random) -> Evening:
    """Put events of the table between the moves of the game, and end it in some way."""
    events: list[LoggedEvent] = [*begun.opening]
    for step in begun.steps:
        events += _happens(step.before, chance)
        if isinstance(step.move, StartNextDeal):
            events += [SeatReady(seat=seat) for seat in range(step.before.seats) if chance.random() < 0.5]
        events += step.events
    game = begun.game
    for _ in range(chance.choice((0, 0, 3))):
        if game.status is Stage.PLAYING and game.deal.turn.phase is not Phase.RUMMY_CALL:
            game, happened = _by_the_clock(game)
            events += happened
    status = Status(game.status)
    if game.status is not Stage.FINISHED and chance.random() < 0.3:
        status = Status.ABORTED
        events.append(GameAborted(reason="no move for too long"))
    elif game.status is not Stage.FINISHED and chance.random() < 0.4:
        ended, game = play(game, EndGame(winners=(chance.randrange(game.seats),), reason="resignation"))
        status = Status.FINISHED
        events += ended
    sandbox = isinstance(begun.opening[1], PositionGiven)
    return Evening(game, tuple(events), status, sandbox)


def _happens(game: Game, chance: random.Random) -> Sequence[LoggedEvent]:
    seat = chance.randrange(game.seats)
    away = SeatReplaced(seat=seat, level="steady")
    back = SeatJoined(seat=seat, name="Ana", kind=SeatKind.HUMAN)
    return {0: [away], 1: [back], 2: [away, back]}.get(chance.randrange(30), [])


def _by_the_clock(game: Game) -> tuple[Game, list[LoggedEvent]]:
    (seat,) = seats_to_act(game)
    events: list[LoggedEvent] = [ClockExpired(seat=seat)]
    for move in forced_turn(game, seat):
        happened, game = play(game, move)
        events += happened
    return game, events


class TestReplays:
    @given(begun=situations, chance=chances, data=st.data())
    def test_text_becomes_the_game_again_and_the_same_text(self, begun, chance, data):
        spent = evening(begun, chance)
        viewer = data.draw(st.sampled_from([None, *range(spent.game.seats)]), label="viewer")
        replay = spent.replay(viewer)
        text = format_replay(replay)
        note(text)

        again = parse_replay(text)

        assert again == replay
        assert format_replay(again) == text

    @given(begun=situations, chance=chances)
    def test_what_was_played_by_the_rules_is_found_right(self, begun, chance):
        spent = evening(begun, chance)
        text = format_replay(spent.replay())
        note(text)

        checked = verify_replay(parse_replay(text))

        assert checked.faults == ()
        over = {result.deal for result in spent.game.deals}
        assert [deal.is_proven for deal in checked.deals] == [
            deal.number in over or spent.status in {Status.FINISHED, Status.ABORTED} for deal in checked.deals
        ]

    @given(begun=situations, chance=chances)
    def test_of_a_deal_that_is_over_everybody_reads_the_same(self, begun, chance):
        spent = evening(begun, chance)
        if spent.status in {Status.FINISHED, Status.ABORTED}:
            texts = {format_replay(spent.replay(viewer)) for viewer in (None, *range(spent.game.seats))}
            assert len(texts) == 1

    @given(begun=situations, chance=chances, data=st.data())
    def test_a_replay_is_made_of_what_its_viewer_may_know(self, begun, chance, data):
        """The same log with the running deal's secrets taken out, and those cards lying otherwise."""
        spent = evening(begun, chance)
        viewer = data.draw(st.sampled_from([None, *range(spent.game.seats)]), label="viewer")
        if spent.game.status is not Stage.PLAYING or spent.status is Status.ABORTED:
            return
        running = spent.game.deal.number
        number, hidden = 0, []
        for event in spent.events:
            number = getattr(event, "deal", number) if event.type in EVENT_TYPES else number
            secret = number == running and event.type in EVENT_TYPES
            hidden.append(redact(event, viewer) if secret else event)
        # The key stays: it opens the deals that are over. Only what is hidden now changes.
        other = replace(another_game(spent.game, viewer, chance), key=spent.game.key)

        assert Evening(other, tuple(hidden), spent.status, spent.sandbox).replay(viewer) == spent.replay(
            viewer
        )
