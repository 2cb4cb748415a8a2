"""Ratings: who is compared with whom, what counts, and that it counts once."""

import threading
from dataclasses import replace

import pytest

from service.effects.projector import FAULT_MS, Projector
from service.effects.rating_updates import RatingUpdater, Side, Skill, contests, decode_skill, rate_sides
from service.games.opening import NewGame
from service.games.record import GameRecord, RematchOffered, Seat, SeatKind, Status
from service.games.seating import resign
from service.store.redis.store import RedisStore
from tests.support.memory_store.store import MemoryStore
from tests.support.outside import ANA, BEN, CAL, Outside
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
    game = replace(record.game, totals=totals, winners=winners)
    return replace(record, game=game, seats=seats, rated=True, status=Status.FINISHED, **changes)


def order(sides):
    """Return who was placed where, the best first; those who share a place together."""
    places = sorted({side.place for side in sides})
    return [{name for side in sides if side.place == place for name in side.members} for place in places]


class TestWhoIsCompared:
    def test_people_are_compared_by_what_they_scored(self):
        record = finished(human("A"), human("B"), human("C"), totals=(210, 505, 340), winners=(1,))

        (sides,) = contests(record).values()

        assert list(contests(record)) == ["people"]
        assert order(sides) == [{"pB"}, {"pC"}, {"pA"}]
        assert [side.won for side in sides] == [False, True, False]

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

        sides = contests(record)["people"]

        assert order(sides) == [{"pA", "pC"}, {"pB", "pD"}]
        assert [side.won for side in sides] == [True, False]

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


class TestResigning:
    def test_a_player_who_resigned_is_last_even_if_the_computer_on_their_seat_won(self):
        house = Outside()
        record = house.begin(house.late, BEN, rated=True)
        record, _ = resign(record, BEN)
        assert record.game is not None
        game = replace(record.game, totals=(-20, 505), winners=(1,))
        record = replace(record, game=game, status=Status.FINISHED)

        sides = contests(record)["people"]

        assert order(sides) == [{ANA.id}, {BEN.id}]
        assert not any(side.won for side in sides)

    def test_of_several_who_resigned_the_first_is_last(self):
        house = Outside()
        record = house.begin(house.late, BEN, rated=True)
        record, _ = resign(record, BEN)
        record, _ = resign(record, ANA)

        assert record.status is Status.FINISHED
        assert order(contests(record)["people"]) == [{ANA.id}, {BEN.id}]

    def test_a_partner_who_resigned_has_lost_and_the_other_has_not(self):
        sides = (
            Side(members=("pA", "pC"), resigned=frozenset({"pC"}), place=(0, 0, -505), won=True),
            Side(members=("pB", "pD"), resigned=frozenset(), place=(0, 1, -20), won=False),
        )

        after = rate_sides(sides, {name: Skill() for name in ("pA", "pB", "pC", "pD")})

        assert after["pA"].mu > Skill().mu > after["pC"].mu
        assert (after["pA"].wins, after["pC"].wins) == (1, 0)

    def test_a_bot_that_resigned_is_still_a_bot(self):
        house = Outside()
        record = house.begin(house.late, CAL, rated=True)
        record, _ = resign(record, CAL)

        assert [gone.kind for gone in record.resigned] == [SeatKind.BOT]


class TestTheNumbers:
    def test_all_begin_alike_and_the_winner_gains(self):
        sides = (
            Side(members=("pA",), resigned=frozenset(), place=(0,), won=True),
            Side(members=("pB",), resigned=frozenset(), place=(1,), won=False),
        )

        after = rate_sides(sides, {"pA": Skill(), "pB": Skill()})

        assert (Skill().rating, Skill().deviation, Skill().score) == (1500, 500, 0)
        assert after["pA"].rating > 1500 > after["pB"].rating
        assert after["pA"].deviation < 500
        assert (after["pA"].games, after["pA"].wins, after["pB"].wins) == (1, 1, 0)

    def test_to_beat_the_better_one_is_worth_more(self):
        def gain(other):
            sides = (
                Side(members=("pA",), resigned=frozenset(), place=(0,), won=True),
                Side(members=("pB",), resigned=frozenset(), place=(1,), won=False),
            )
            return rate_sides(sides, {"pA": Skill(), "pB": other})["pA"].mu

        assert gain(Skill(mu=35)) > gain(Skill()) > gain(Skill(mu=15))


def games_of(store, player_id):
    (body,) = store.ratings("people", [player_id])
    return 0 if body is None else decode_skill(body).games


class TestCountingOnce:
    def test_a_rated_game_counts_when_it_ends(self):
        house = Outside()
        end(house, house.prompt)

        assert games_of(house.store, ANA.id) == games_of(house.store, BEN.id) == 1
        assert [entry.player_id for entry in house.store.standings("people", limit=9)] == [ANA.id, BEN.id]

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
        assert games_of(house.store, ANA.id) == 1
        assert [entry.player_id for entry in house.store.standings("people", limit=9)] == [ANA.id]

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
            games = [end(house, house.late) for _ in range(12)]

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
    """Let Ana and Ben begin a game and give it up, Ben first; return it as it ended."""
    record = house.begin(table, BEN, rated=rated)
    table.change(record.id, lambda game: resign(game, BEN))
    return table.change(record.id, lambda game: resign(game, ANA)).record
