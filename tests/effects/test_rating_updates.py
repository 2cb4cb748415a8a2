"""Ratings: who is compared with whom, what counts, and that it counts once."""

import json
import threading
from dataclasses import replace

import pytest

from service.effects.projector import FAULT_MS, Projector
from service.effects.rating_updates import (
    ESTABLISHED_GAMES,
    MAX_MEETINGS,
    MEETING_MS,
    Contest,
    RatingUpdater,
    Side,
    Skill,
    contests,
    decode_skill,
    rate_contest,
)
from service.games.codec import decode_record, encode_record
from service.games.opening import NewGame
from service.games.record import GameRecord, RematchOffered, ResignedSeat, Seat, SeatKind, Status
from service.games.seating import abort, expire_turn, resign
from service.rummy.state import DealResult
from service.store.redis.store import RedisStore
from tests.support.memory_store.store import MemoryStore
from tests.support.outside import ANA, BEN, CAL, DAN, EVE, Outside
from tests.support.servers import valkey_server


def human(name):
    return Seat(player_id=f"p{name}", name=name, kind=SeatKind.HUMAN)


def bot(name):
    return Seat(player_id=f"p{name}", name=name, kind=SeatKind.BOT)


def computer(level):
    return Seat(name=level, kind=SeatKind.COMPUTER, level=level)


def finished(*seats, totals, winners, preset="classic", **changes) -> GameRecord:
    """Return a rated game that has ended so."""
    house = Outside()
    new = NewGame(preset=preset, seats=len(seats), seats_held=True, sandbox=True)
    record = house.late.open(new, ANA).record
    assert record.game is not None
    game = replace(record.game, totals=totals, winners=winners, deals=(A_DEAL,))
    return replace(
        record, game=game, seats=seats, rated=True, was_matched=True, status=Status.FINISHED, **changes
    )


#: Its seats say nothing to ratings.
A_DEAL = DealResult(deal=1, reason="went_out", went_out=0, seats=(), totals=())


def order(contest):
    """Return who was placed where, the best first; those who share a place together."""
    sides = contest.sides
    places = sorted({side.place for side in sides})
    return [{name for side in sides if side.place == place for name in side.members} for place in places]


class TestWhoIsCompared:
    def test_people_are_compared_by_what_they_scored(self):
        record = finished(human("A"), human("B"), human("C"), totals=(210, 505, 340), winners=(1,))

        (contest,) = contests(record).values()

        assert list(contests(record)) == ["people"]
        assert order(contest) == [{"pB"}, {"pC"}, {"pA"}]
        assert [side.won for side in contest.sides] == [False, True, False]

    def test_where_points_are_a_penalty_the_fewest_are_best(self):
        record = finished(human("A"), human("B"), human("C"), totals=(10, 90, 50), winners=(0,))
        record = replace(record, variant=replace(record.variant, scoring="penalty"))

        assert order(contests(record)["people"]) == [{"pA"}, {"pC"}, {"pB"}]

    def test_equal_totals_share_a_place(self):
        record = finished(human("A"), human("B"), human("C"), totals=(500, 80, 80), winners=(0,))

        assert order(contests(record)["people"]) == [{"pA"}, {"pB", "pC"}]

    def test_the_winner_is_first_whatever_the_totals_say(self):
        record = finished(human("A"), human("B"), totals=(500, 500), winners=(1,))

        assert order(contests(record)["people"]) == [{"pB"}, {"pA"}]

    def test_each_kind_is_compared_with_its_own(self):
        seats = (human("A"), bot("X"), human("B"), bot("Y"), computer("steady"))
        record = finished(*seats, totals=(10, 20, 30, 505, 50), winners=(3,))

        found = contests(record)

        assert set(found) == {"people", "bots"}
        assert order(found["people"]) == [{"pB"}, {"pA"}]
        assert order(found["bots"]) == [{"pY"}, {"pX"}]

    def test_beating_computers_changes_no_rating(self):
        record = finished(human("A"), computer("steady"), totals=(505, 3), winners=(0,))

        assert contests(record) == {}

    def test_computers_are_compared_by_level(self):
        seats = (human("A"), computer("steady"), computer("casual"))
        record = finished(*seats, totals=(1, 505, 2), winners=(1,))

        assert order(contests(record)["computers"]) == [{"steady"}, {"casual"}]

    def test_a_level_is_not_compared_with_itself(self):
        seats = (computer("steady"), computer("steady"), human("A"))

        assert contests(finished(*seats, totals=(1, 505, 2), winners=(1,))) == {}

    def test_partners_are_placed_together(self):
        seats = (human("A"), human("B"), human("C"), human("D"))
        record = finished(*seats, totals=(505, 120), winners=(0, 2), preset="partnership")

        contest = contests(record)["people"]

        assert order(contest) == [{"pA", "pC"}, {"pB", "pD"}]
        assert [side.won for side in contest.sides] == [True, False]

    def test_a_pair_of_two_kinds_is_in_no_pool(self):
        seats = (human("A"), human("B"), bot("C"), human("D"))
        record = finished(*seats, totals=(505, 120), winners=(0, 2), preset="partnership")

        assert contests(record) == {}

    @pytest.mark.parametrize(
        "change", [{"rated": False}, {"status": Status.ABORTED}, {"status": Status.PLAYING}, {"game": None}]
    )
    def test_only_rated_games_that_were_played_to_the_end_count(self, change):
        record = finished(human("A"), human("B"), totals=(505, 3), winners=(0,))

        assert contests(record)
        assert contests(replace(record, **change)) == {}


def begun(*players, preset="classic", rated=True):
    """Return a game that Ana and others began."""
    house = Outside()
    return house.begin(house.late, *players, preset=preset, rated=rated)


def winners(record):
    assert record.game is not None
    return record.game.winners


class TestLeaving:
    def test_a_rated_game_is_over_when_one_player_is_left_who_has_won(self):
        record, events = resign(begun(BEN), BEN)

        assert record.status is Status.FINISHED
        assert record.reason == "resignation"
        assert winners(record) == (0,)
        assert [event.type for event in events] == ["game.ended"]

    def test_it_goes_on_while_two_players_are_left(self):
        record, _ = resign(begun(BEN, DAN), BEN)
        assert record.status is Status.PLAYING

        record, _ = resign(record, DAN)

        assert record.status is Status.FINISHED
        assert winners(record) == (0,)
        assert order(contests(record)["people"]) == [{ANA.id}, {DAN.id}, {BEN.id}]

    def test_it_goes_on_while_a_partner_is_left(self):
        record, _ = resign(begun(BEN, DAN, EVE, preset="partnership"), BEN)
        assert record.status is Status.PLAYING

        record, _ = resign(record, EVE)

        assert record.status is Status.FINISHED
        assert winners(record) == (0, 2)

    def test_a_game_that_is_not_rated_goes_on_against_the_computer(self):
        record, _ = resign(begun(BEN, rated=False), BEN)

        assert record.status is Status.PLAYING

    def test_whose_time_runs_out_three_times_in_a_row_has_left(self):
        record = begun(BEN)
        for _ in range(2):
            record, _ = expire_turn(record, 1)
        assert record.status is Status.PLAYING

        record, events = expire_turn(record, 1)

        assert [event.type for event in events] == ["clock.expired", "game.ended"]
        assert winners(record) == (0,)

    def test_a_partner_who_resigned_has_lost_and_the_other_has_not(self):
        contest = contest_of(
            Side(members=("pA", "pC"), resigned=frozenset({"pC"}), place=(0, 0, -505), won=True),
            Side(members=("pB", "pD"), resigned=frozenset(), place=(0, 1, -20), won=False),
        )

        after = rate_contest(contest, {name: Skill() for name in ("pA", "pB", "pC", "pD")}, at=0)

        assert after["pA"].mu > Skill().mu > after["pC"].mu
        assert (after["pA"].wins, after["pC"].wins) == (1, 0)

    def test_a_bot_that_resigned_is_still_a_bot(self):
        record, _ = resign(begun(CAL), CAL)

        assert [gone.kind for gone in record.resigned] == [SeatKind.BOT]


def contest_of(*sides, **more):
    return Contest(**{"pool": "people", "sides": sides, "deals": 1, "is_arranged": False, **more})


def beats(winner, loser, **more):
    """Return the contest of a game that one player won against another."""
    return contest_of(
        Side(members=(winner,), resigned=frozenset(), place=(0,), won=True),
        Side(members=(loser,), resigned=frozenset(), place=(1,), won=False),
        **more,
    )


class TestTheNumbers:
    def test_all_begin_alike_and_the_winner_gains(self):
        after = rate_contest(beats("pA", "pB"), {"pA": Skill(), "pB": Skill()}, at=0)

        assert (Skill().rating, Skill().deviation, Skill().score) == (1500, 500, 0)
        assert after["pA"].rating > 1500 > after["pB"].rating
        assert after["pA"].deviation < 500
        assert (after["pA"].games, after["pA"].wins, after["pB"].wins) == (1, 1, 0)

    def test_to_beat_the_better_one_is_worth_more(self):
        def gain(other):
            return rate_contest(beats("pA", "pB"), {"pA": Skill(), "pB": other}, at=0)["pA"].mu

        assert gain(Skill(mu=35)) > gain(Skill()) > gain(Skill(mu=15))


class Ladder:
    """Skills of players by name, new ones at first, after one game after another."""

    def __init__(self, **skills):
        self.skills = skills
        self.at = 0

    def play(self, contest):
        names = [name for side in contest.sides for name in side.members]
        before = {name: self.skills.setdefault(name, Skill()) for name in names}
        self.skills |= rate_contest(contest, before, at=self.at)

    def __getitem__(self, name):
        return self.skills[name]


VETERAN = Skill(mu=27.0, sigma=2.0, games=40, wins=20, opponents=("pX", "pY", "pZ"))


class TestAttacks:
    """openapi/RATINGS.md: what was tried, and what it brings."""

    def test_a_guest_who_resigns_at_once_gives_nothing(self):
        ladder = Ladder(pA=VETERAN, pB=VETERAN)
        left = contest_of(
            Side(members=("pA",), resigned=frozenset(), place=(0,), won=True),
            Side(members=("pB",), resigned=frozenset({"pB"}), place=(1,), won=False),
            deals=0,
        )

        ladder.play(left)

        assert ladder["pA"] == VETERAN
        assert ladder["pB"].mu < VETERAN.mu, "who leaves before the first deal is over has lost"
        assert (ladder["pB"].games, ladder["pB"].wins) == (VETERAN.games + 1, VETERAN.wins)

    def test_guests_at_tables_by_invite_code_give_nothing(self):
        ladder = Ladder()
        for number in range(50):
            ladder.play(beats("pA", f"pGuest{number}", is_arranged=True))

        assert ladder["pA"] == Skill()

    def test_guests_found_by_seeks_give_little_and_no_place_on_the_board(self):
        ladder = Ladder()
        for number in range(50):
            ladder.play(beats("pA", f"pGuest{number}"))

        assert ladder["pA"].games == 2
        assert not ladder["pA"].is_established

    def test_a_veteran_gains_nothing_from_guests(self):
        ladder = Ladder(pA=VETERAN)
        for number in range(50):
            ladder.play(beats("pA", f"pGuest{number}"))

        assert ladder["pA"] == VETERAN

    def test_a_guest_learns_their_own_rating_from_a_veteran(self):
        ladder = Ladder(pA=VETERAN)

        ladder.play(beats("pGuest", "pA"))

        assert ladder["pGuest"].rating > 1500
        assert ladder["pA"] == VETERAN

    def test_a_champion_who_gives_games_away_to_a_guest_is_worth_no_more_than_a_beginner(self):
        champion, beginner = (replace(VETERAN, mu=mu) for mu in (45.0, Skill().mu))
        ladder = Ladder(pChampion=champion, pBeginner=beginner)

        ladder.play(beats("pGuest", "pChampion"))
        ladder.play(beats("pOther", "pBeginner"))

        assert ladder["pChampion"] == champion
        assert ladder["pGuest"].rating == ladder["pOther"].rating

    def test_a_defeat_by_a_champion_costs_a_guest_little(self):
        ladder = Ladder(pChampion=replace(VETERAN, mu=45.0), pBeginner=replace(VETERAN, mu=Skill().mu))

        ladder.play(beats("pChampion", "pGuest"))
        ladder.play(beats("pBeginner", "pOther"))

        assert 1500 > ladder["pGuest"].rating > ladder["pOther"].rating

    def test_two_players_count_three_times_a_day(self):
        ladder = Ladder(pA=VETERAN, pB=VETERAN)
        for _ in range(20):
            ladder.play(beats("pA", "pB"))
        assert ladder["pA"].games == VETERAN.games + MAX_MEETINGS

        ladder.at += MEETING_MS
        ladder.play(beats("pA", "pB"))

        assert ladder["pA"].games == VETERAN.games + MAX_MEETINGS + 1
        assert len(ladder["pA"].meetings) == 1

    def test_those_who_trade_wins_gain_nothing(self):
        ladder = Ladder(pA=VETERAN, pB=VETERAN)
        for day in range(30):
            ladder.at = day * MEETING_MS
            ladder.play(beats("pA", "pB"))
            ladder.play(beats("pB", "pA"))

        assert max(ladder["pA"].rating, ladder["pB"].rating) < VETERAN.rating + 60

    def test_a_third_at_the_table_does_not_make_the_pair_count_again(self):
        ladder = Ladder(pA=VETERAN, pB=VETERAN, pC=VETERAN)
        for _ in range(MAX_MEETINGS):
            ladder.play(beats("pA", "pB"))
        before = ladder["pA"]

        ladder.play(
            contest_of(
                Side(members=("pC",), resigned=frozenset(), place=(0,), won=True),
                Side(members=("pA",), resigned=frozenset(), place=(1,), won=False),
                Side(members=("pB",), resigned=frozenset(), place=(2,), won=False),
            )
        )

        assert ladder["pA"].mu < before.mu, "A lost to C, and beating B no longer counts"

    def test_established_players_may_arrange_their_games(self):
        ladder = Ladder(pA=VETERAN, pB=VETERAN)

        ladder.play(beats("pA", "pB", is_arranged=True))

        assert ladder["pA"].rating > VETERAN.rating > ladder["pB"].rating

    def test_wins_and_rating_tell_one_story(self):
        """No rating rises without a win, and no win counts without a game."""
        ladder = Ladder(pA=VETERAN)
        for number in range(30):
            before = ladder["pA"]
            ladder.play(beats("pA", f"p{number % 7}", is_arranged=number % 2 == 0))
            assert (ladder["pA"].mu > before.mu) == (ladder["pA"].wins > before.wins)


class TestTheBoard:
    def beaten(self, house, number, *names):
        """Let Ana win a game against others, a day after the one before."""
        house.time += MEETING_MS
        totals = (505, *range(len(names)))
        record = finished(human("Ana"), *map(human, names), totals=totals, winners=(0,))
        record = replace(record, id=f"g00{number}", updated_at=house.time)
        RatingUpdater(house.store).count(record, at=house.time)

    def board(self, house):
        return [entry.player_id for entry in house.store.standings("people", limit=9)]

    def test_has_established_players_alone(self):
        house = Outside()
        for number in range(ESTABLISHED_GAMES):
            assert self.board(house) == []
            self.beaten(house, number, "Ben", "Dan", "Eve")

        assert self.board(house) == [ANA.id, EVE.id, DAN.id, BEN.id]

    def test_is_not_for_two_who_play_only_each_other(self):
        house = Outside()
        for number in range(2 * ESTABLISHED_GAMES):
            self.beaten(house, number, "Ben")

        assert games_of(house.store, ANA.id) == 2 * ESTABLISHED_GAMES
        assert self.board(house) == []


class TestWhatAnOlderReleaseStored:
    def test_a_rating_keeps_its_games_and_has_to_meet_opponents_again(self):
        skill = decode_skill(b'{"schema":2,"mu":30.0,"sigma":3.0,"games":12,"wins":9}')

        assert (skill.games, skill.meetings, skill.opponents) == (12, (), ())
        assert not skill.is_established

    @pytest.mark.parametrize("ends", [resign, abort])
    def test_a_rated_game_that_one_player_was_left_in_ends_as_won(self, ends):
        """Ben resigned when a computer still took the seat; the bytes know nothing of seeks."""
        record = begun(BEN)
        gone = ResignedSeat(seat=1, player_id=BEN.id, kind=SeatKind.HUMAN)
        record = replace(record, seats=(record.seats[0], computer("steady")), resigned=(gone,))
        stored = json.loads(encode_record(record))
        del stored["was_matched"]
        old = decode_record(json.dumps(stored).encode())

        after, events = ends(old, ANA)

        assert (after.status, after.reason, winners(after)) == (Status.FINISHED, "resignation", (0,))
        assert [event.type for event in events] == ["game.ended"]


def games_of(store, player_id):
    (body,) = store.ratings("people", [player_id])
    return 0 if body is None else decode_skill(body).games


class TestCountingOnce:
    def test_a_rated_game_counts_when_it_ends(self):
        house = Outside()
        end(house, house.prompt)

        assert games_of(house.store, ANA.id) == games_of(house.store, BEN.id) == 1

    def test_a_game_whose_projection_was_interrupted_after_the_rating_counts_once(self):
        class Breaks(MemoryStore):
            times = 0

            def mark_effects_done(self, game_id, *, version):
                if game_id in self.broken and self.times < 3:
                    self.times += 1
                    raise OSError("killed here")
                super().mark_effects_done(game_id, version=version)

        store = Breaks(lambda: 0)
        store.broken = ()
        house = Outside(store)
        store.broken = (end(house, house.late).id,)

        for _ in range(5):
            house.time += FAULT_MS
            house.catch_up()

        assert store.times == 3
        assert games_of(store, ANA.id) == 1

    def test_a_game_that_is_not_rated_does_not_count(self):
        house = Outside()
        end(house, house.prompt, rated=False)

        assert games_of(house.store, ANA.id) == 0

    def test_a_player_who_is_gone_counts_for_the_others_alone(self):
        house = Outside()
        record = end(house, house.late)
        house.store.delete_player(BEN.id)

        house.catch_up()

        assert contests(house.late.get(record.id))
        assert (games_of(house.store, ANA.id), games_of(house.store, BEN.id)) == (1, 0)

    def test_what_follows_later_from_a_finished_game_does_not_count_it_again(self):
        house = Outside()
        record = end(house, house.prompt)
        # As if that were so long ago that the pool has forgotten it.
        house.store._pools["people"].rated.clear()
        offered = RematchOffered(seat=1, rematch_id="g00new")

        house.prompt.change(record.id, lambda game: (game, (offered,)))
        house.late.change(record.id, lambda game: (game, (offered,)))
        assert house.catch_up() == 1

        assert games_of(house.store, ANA.id) == 1

    def test_two_projectors_and_many_games_at_once_count_each_game_once(self):
        with valkey_server() as valkey:
            store = RedisStore.at(valkey.url)
            house = Outside(store)
            games = []
            for _ in range(12):
                house.time += MEETING_MS
                games.append(end(house, house.late))

            def project():
                projector = Projector(store=store, now=house.now)
                for game in games:
                    projector.project(game, None)
                ratings = RatingUpdater(store)
                for game in games:
                    ratings.count(game, at=house.now())

            threads = [threading.Thread(target=project) for _ in range(3)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

            assert games_of(store, ANA.id) == games_of(store, BEN.id) == 12
            assert house.catch_up() == 0
            store.close()


def end(house, table, *, rated=True):
    """Let Ana and Ben, whom their seeks brought together, play a deal; then Ben resigns."""
    record = house.begin(table, BEN, rated=rated)

    def with_deal(game):
        return replace(game, was_matched=True, game=replace(game.game, deals=(A_DEAL,))), ()

    table.change(record.id, with_deal)
    ended = table.change(record.id, lambda game: resign(game, BEN)).record
    return ended if rated else table.change(record.id, lambda game: resign(game, ANA)).record
