"""Notifications of games: their recipients and their content."""

from service.games.notifications import NOTIFICATION_TYPES, build_notifications, decode_notification
from service.games.opening import NewGame
from service.games.record import GameLogEntry, RematchOffered
from service.games.seating import abort, expire_turn, resign, return_to_seats
from service.rummy.events import CallWindowOpened, CardDiscarded, TurnStarted
from tests.support.outside import ANA, BEN, CAL, Outside


class TestRecipients:
    def test_all_are_notified_of_the_start_and_one_of_their_turn(self):
        house = Outside()
        record = house.begin(house.prompt, BEN)
        first, second = (ANA, BEN) if record.may_act() == (0,) else (BEN, ANA)

        assert house.types(first) == ["game.started", "turn.started"]
        assert house.types(second) == ["game.started"]

    def test_a_turn_notifies_the_next_player_and_a_draw_no_player(self):
        house = Outside()
        record = house.begin(house.prompt, BEN, CAL)
        before = sum(len(house.notifications(player)) for player in (ANA, BEN, CAL))

        record = house.end_turn(house.prompt, record)

        sitter = (ANA, BEN, CAL)[record.may_act()[0]]
        assert sum(len(house.notifications(player)) for player in (ANA, BEN, CAL)) == before + 1
        word = house.notifications(sitter)[-1]
        assert (word["type"], word["version"], word["seat"]) == (
            "turn.started",
            record.version,
            record.may_act()[0],
        )

    def test_all_hear_that_the_game_was_given_up(self):
        house = Outside()
        record = house.begin(house.prompt, BEN)
        house.prompt.change(record.id, lambda game: resign(game, BEN))
        house.prompt.change(record.id, lambda game: abort(game, ANA))

        assert house.types(ANA)[-1] == "game.aborted"

    def test_the_others_hear_of_a_rematch(self):
        house = Outside()
        record = house.begin(house.late, BEN)
        offered = GameLogEntry(version=9, seq=0, at=0, event=RematchOffered(seat=0, rematch_id="g00new"))

        assert [word.player_id for word in build_notifications(record, [offered])] == [BEN.id]

    def test_a_call_window_notifies_the_players_asked(self):
        house = Outside()
        record = house.begin(house.late, BEN, CAL)
        asked = GameLogEntry(
            version=9, seq=1, at=0, event=CallWindowOpened(discarder=0, next_seat=1, asked=(1, 2))
        )

        assert [(word.player_id, word.type) for word in build_notifications(record, [asked])] == [
            (BEN.id, "call_window.opened"),
            (CAL.id, "call_window.opened"),
        ]

    def test_computers_get_no_notifications(self):
        house = Outside()
        house.prompt.open(NewGame(preset="classic", seats=2, opponents=("steady",)), ANA)

        assert set(house.types(ANA)) <= set(NOTIFICATION_TYPES)

    def test_a_player_with_a_stand_in_is_not_notified_of_turns(self):
        house = Outside()
        record = house.begin(house.late, BEN)
        for _ in range(3):
            record, _ = expire_turn(record, 1)
        turn = GameLogEntry(version=9, seq=0, at=0, event=TurnStarted(deal=1, seat=1))

        assert build_notifications(record, [turn]) == ()

    def test_a_sandbox_with_one_player_has_no_notifications(self):
        house = Outside()
        house.prompt.open(NewGame(preset="classic", seats=2, sandbox=True, seats_held=True), ANA)

        assert house.notifications(ANA) == []


class TestLookingBack:
    """A log that was left undone is read with the record as it is now."""

    def log(self, house, record):
        return house.late.events(record.id, after=None, limit=1000)

    def turns_of(self, player, house, record):
        record = house.late.get(record.id)
        return [
            word.version
            for word in build_notifications(record, self.log(house, record))
            if (word.player_id, word.type) == (player.id, "turn.started")
        ]

    def test_a_player_who_resigned_is_notified_of_earlier_turns(self):
        house = Outside()
        record = house.begin(house.late, BEN)
        for _ in range(3):
            record = house.end_turn(house.late, record)
        before = self.turns_of(BEN, house, record)
        record = house.late.change(record.id, lambda game: resign(game, BEN)).record

        assert before
        assert self.turns_of(BEN, house, record) == before

    def test_turns_of_a_stand_in_notify_no_player(self):
        house = Outside()
        record = house.begin(house.late, BEN)
        if record.may_act() != (1,):
            record = house.end_turn(house.late, record)
        before = self.turns_of(BEN, house, record)
        away = house.late.change(record.id, lambda game: stays_away(game, 1)).record

        assert self.turns_of(BEN, house, away) == before
        turn = TurnStarted(deal=1, seat=1)
        house.late.change(record.id, lambda game: (game, (turn,)))
        back = house.late.change(record.id, lambda game: return_to_seats(game, (1,))).record
        assert self.turns_of(BEN, house, back) == before


def stays_away(record, seat):
    """Let a seat's time run out until a computer stands in."""
    events = ()
    for _ in range(3):
        record, more = expire_turn(record, seat)
        events += more
    return record, events


class TestContent:
    def test_a_notice_says_where_to_look_and_nothing_else(self):
        house = Outside()
        record = house.begin(house.late, BEN)
        turn = GameLogEntry(version=4, seq=2, at=1_790_000_000_120, event=TurnStarted(deal=1, seat=0))

        (word,) = build_notifications(record, [turn])

        assert decode_notification(word.body) == {
            "type": "turn.started",
            "game_id": record.id,
            "version": 4,
            "seq": 2,
            "at": "2026-09-21T14:13:20.120Z",
            "seat": 0,
        }

    def test_no_notice_is_made_of_a_card(self):
        house = Outside()
        record = house.begin(house.late, BEN)
        assert record.game is not None
        thrown = CardDiscarded(seat=0, card=record.game.deal.hands[0][0])

        assert build_notifications(record, [GameLogEntry(version=4, seq=0, at=0, event=thrown)]) == ()
