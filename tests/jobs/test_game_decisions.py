"""Looking back: every move a player made, with the game as it lay before."""

import random

from hypothesis import given, settings

from service.games.record import ClockExpired, SeatJoined, SeatKind, SeatReplaced
from service.rummy.legal_moves import legal_moves
from service.rummy.moves import CloseCallWindow, Discard, DrawStock, EndGame, StartNextDeal
from service.rummy.play import play
from tests.support.playthrough import GAMES
from tests.support.replays import log_of, played
from tests.support.strategies import chances, situations
from tests.support.tables import discard, draw_stock, table
from workers.jobs.game_decisions import decisions_of, match_listed


def all_seats(game):
    return tuple(range(game.seats))


class TestDecisions:
    @settings(max_examples=60, deadline=None, derandomize=True)
    @given(begun=situations, chance=chances)
    def test_are_the_moves_that_were_made(self, begun, chance):
        seats = random.Random(chance.random()).sample(all_seats(begun.game), 2)
        found = list(decisions_of(begun.game.key, log_of(begun.events, begun.game.seats), seats))
        made = [
            step
            for step in begun.steps
            if not isinstance(step.move, StartNextDeal | CloseCallWindow | EndGame)
            and step.move.seat in seats
        ]

        assert [decision.before for decision in found] == [step.before for step in made]
        for decision, step in zip(found, made, strict=True):
            listed = legal_moves(decision.before, decision.move.seat, limit=50_000).moves
            assert match_listed(decision.move, listed) in listed
            assert play(decision.before, decision.move)[0] == step.events

    def test_count_turns_as_the_replay_does(self):
        game, events = played(GAMES["classic"])
        first = next(decisions_of(game.key, log_of(events, 3), (0,)))

        assert (first.deal, first.turn) == (1, 2)

    def test_of_the_scheduler_and_of_stand_ins_are_no_players(self):
        deal = table(hands=["7H 7D KC", "KD QD JC"], pile="9S", stock="2C 3C 4C 5C 6C 8C")
        log = list(deal.events)
        # Five turns, of both seats in turn; with the events before each.
        for before in (
            [ClockExpired(seat=0)],
            [],
            [SeatReplaced(seat=0, level="steady")],
            [],
            [SeatJoined(seat=0, name="Ana", kind=SeatKind.HUMAN)],
        ):
            drawn = deal.move(draw_stock())
            deal = drawn.move(discard(drawn.discards()[0]))
            log += [*before, *drawn.events, *deal.events]

        made = list(decisions_of(deal.game.key, log_of(log, 2), (0,)))

        assert [type(decision.move) for decision in made] == [DrawStock, Discard]
        assert {decision.turn for decision in made} == {5}
