"""Effects of commits: projected once, whichever process dies and however many run."""

import threading
from collections.abc import Iterator

import pytest

from service.effects.background import BackgroundProjector
from service.effects.projector import EFFECTS_LEASE_MS, FAULT_MS, Projector
from service.games.notifications import build_notifications
from service.games.opening import NewGame
from service.games.record import Visibility
from service.games.seating import abort_idle, join, leave
from service.rummy.moves import DrawStock
from service.store.contract import StoreUnavailable
from service.store.lists import GameList
from service.store.redis.store import RedisStore
from tests.support.memory_store.store import MemoryStore
from tests.support.outside import ANA, BEN, CAL, Outside
from tests.support.servers import valkey_server
from tests.support.stores import commit_of, game_in


@pytest.fixture
def house():
    return Outside()


@pytest.fixture(scope="module")
def valkey():
    with valkey_server() as server:
        yield server


@pytest.fixture
def on_redis(valkey) -> Iterator[Outside]:
    with valkey.client() as client:
        client.flushall()
    store = RedisStore.at(valkey.url)
    yield Outside(store)
    store.close()


@pytest.fixture(params=["memory", "redis"])
def any_house(request) -> Outside:
    return Outside() if request.param == "memory" else request.getfixturevalue("on_redis")


class BreaksOnce(MemoryStore):
    """A memory store that cannot be reached once, at the step named."""

    broken: str | None = None

    def _step(self, name):
        if self.broken == name:
            self.broken = None
            raise StoreUnavailable("No server.")

    def append_account_events(self, entries):
        self._step("tell")
        super().append_account_events(entries)

    def mark_effects_done(self, game_id, *, version):
        self._step("mark_effects_done")
        super().mark_effects_done(game_id, version=version)

    def list_game(self, game_id, **rest):
        self._step("list")
        super().list_game(game_id, **rest)

    def unlist_game(self, game_id, **more):
        self._step("unlist")
        super().unlist_game(game_id, **more)


class TestProjectingAtOnce:
    def test_nothing_is_left_for_the_scheduler(self, any_house):
        record = any_house.begin(any_house.prompt, BEN)
        for _ in range(4):
            record = any_house.end_turn(any_house.prompt, record)

        assert any_house.catch_up() == 0
        assert any_house.types(ANA).count("turn.started") + any_house.types(BEN).count("turn.started") == 5

    def test_a_move_without_effects_leaves_the_outbox_empty(self, house):
        record = house.begin(house.late, BEN)
        house.catch_up()

        record = house.late.get(record.id)
        house.late.play(record, DrawStock(seat=record.may_act()[0]))

        assert house.store.pending_effects(record.id) is None


class TestCrashes:
    def test_effects_left_pending_are_projected_once_and_in_order(self, any_house):
        house = any_house
        record = house.begin(house.late, BEN)
        for _ in range(6):
            record = house.end_turn(house.late, record)
        assert house.notifications(ANA) == house.notifications(BEN) == []

        assert house.catch_up() == 1
        assert house.catch_up() == 0

        for player in (ANA, BEN):
            places = [(word["version"], word["seq"]) for word in house.notifications(player)]
            assert places == sorted(set(places))
            assert house.types(player)[0] == "game.started"
        turns = house.types(ANA).count("turn.started") + house.types(BEN).count("turn.started")
        assert turns == 7

    def test_a_later_commit_sees_to_what_an_earlier_one_left(self, any_house):
        house = any_house
        record = house.begin(house.late, BEN)
        house.end_turn(house.late, record)

        house.end_turn(house.prompt, record)

        turns = house.types(ANA).count("turn.started") + house.types(BEN).count("turn.started")
        assert turns == 3
        assert house.types(ANA)[0] == "game.started"
        assert house.catch_up() == 0

    @pytest.mark.parametrize("step", ["tell", "mark_effects_done"])
    def test_a_projection_interrupted_anywhere_is_repeated_without_duplicates(self, step):
        store = BreaksOnce(lambda: 0)
        house = Outside(store)
        record = house.begin(house.prompt, BEN)
        store.broken = step

        record = house.end_turn(house.prompt, record)
        house.catch_up()

        assert house.types(ANA).count("turn.started") + house.types(BEN).count("turn.started") == 2
        assert house.catch_up() == 0

    def test_a_game_whose_listing_was_broken_off_is_listed_later(self):
        store = BreaksOnce(lambda: 0)
        house = Outside(store)
        store.broken = "list"
        record = house.prompt.open(
            NewGame(preset="classic", seats=2, visibility=Visibility.PUBLIC), ANA
        ).record
        assert store.games_in(GameList.open(), limit=9) == []

        house.catch_up()

        for listing in (GameList.open(), GameList.public(), GameList.of_player(ANA.id)):
            assert [entry.game_id for entry in store.games_in(listing, limit=9)] == [record.id]

    def test_a_game_that_is_over_leaves_the_public_lists_later(self):
        store = BreaksOnce(lambda: 0)
        house = Outside(store)
        record = house.begin(house.prompt, BEN, visibility=Visibility.PUBLIC)
        store.broken = "unlist"
        assert house.prompt.change(record.id, abort_idle).record.status.is_over
        going = [GameList.unfinished(), GameList.unfinished(ANA.id), GameList.unfinished(BEN.id)]
        assert all(store.games_in(listing, limit=9) for listing in going)

        house.catch_up()

        assert not any(store.games_in(listing, limit=9) for listing in going)
        assert store.games_in(GameList.of_player(ANA.id), limit=9)

    def test_a_player_who_left_leaves_the_list_later(self):
        store = BreaksOnce(lambda: 0)
        house = Outside(store)
        record = house.prompt.open(NewGame(preset="classic", seats=3), ANA).record
        house.prompt.change(record.id, lambda game: join(game, BEN, seat=None, now=house.time))
        store.broken = "list"
        house.prompt.change(record.id, lambda game: leave(game, BEN))

        house.catch_up()

        assert store.games_in(GameList.of_player(BEN.id), limit=9) == []
        assert [entry.game_id for entry in store.games_in(GameList.left_by(BEN.id), limit=9)] == [record.id]

    def test_a_game_that_has_expired_is_let_go(self, house):
        record = house.late.open(NewGame(preset="classic", seats=2), ANA).record
        house.time += 2 * 24 * 60 * 60 * 1000

        assert house.catch_up() == 1
        assert house.catch_up() == 0
        assert house.store.load(record.id) is None

    def test_an_unreadable_game_delays_no_other(self, house, caplog):
        broken = game_in(house.store)
        house.store.commit(commit_of(broken, 1, effects_due_at=1))
        house.begin(house.late, BEN)

        assert house.catch_up() == 2

        assert house.types(BEN)[0] == "game.started"
        assert broken in caplog.text
        assert house.store.overdue_effects(now=house.time + EFFECTS_LEASE_MS + FAULT_MS - 1, limit=9) == []
        assert house.store.overdue_effects(now=house.time + EFFECTS_LEASE_MS + FAULT_MS, limit=9) != []

    def test_a_bug_in_the_projector_does_not_fail_the_move(self, house, caplog):
        record = house.begin(house.late, BEN)

        house.projector.project(record, ["no event"])

        assert f"The effects of game {record.id} at version" in caplog.text

    def test_a_store_that_is_down_raises_in_the_scheduler(self):
        store = BreaksOnce(lambda: 0)
        house = Outside(store)
        house.begin(house.late, BEN)
        store.broken = "tell"

        with pytest.raises(StoreUnavailable):
            house.catch_up()


class TestSeveralProjectors:
    def test_two_schedulers_do_not_do_the_same(self, house):
        house.begin(house.late, BEN)
        house.time += 60_000
        (behind,) = house.store.overdue_effects(now=house.time, limit=9)

        house.projector._catch_up(behind)
        house.projector._catch_up(behind)

        assert house.types(BEN)[0] == "game.started"

    def test_many_at_once_notify_once_and_in_order(self, on_redis):
        house = on_redis
        record = house.begin(house.late, BEN, CAL)
        over = threading.Event()
        projectors = [Projector(store=house.store, now=house.now) for _ in range(4)]

        def project(projector):
            while not over.is_set():
                projector.project(record, None)

        threads = [threading.Thread(target=project, args=(projector,)) for projector in projectors]
        for thread in threads:
            thread.start()
        for _ in range(40):
            house.end_turn(house.late, record)
        over.set()
        for thread in threads:
            thread.join()
        house.catch_up()

        log = house.late.events(record.id, after=None, limit=10_000)
        expected = build_notifications(house.late.get(record.id), log)
        for player in (ANA, BEN, CAL):
            received = [(word["version"], word["seq"]) for word in house.notifications(player)]
            assert received == [(word.version, word.seq) for word in expected if word.player_id == player.id]
            assert received


class TestTheBackground:
    def test_work_is_done_in_order_and_blocks_no_caller(self, house):
        slow, done = threading.Event(), []

        def project(record, events):
            slow.wait(60)
            done.append(record.version)

        background = BackgroundProjector(project)
        house.prompt = house.table(background)
        house.begin(house.prompt, BEN)
        assert done == []

        slow.set()
        while len(done) < 3:
            slow.wait(0.01)
        background.close()

        assert done == [1, 2, 3]

    def test_the_scheduler_finds_what_it_never_did(self, house):
        background = BackgroundProjector(house.projector.project)
        background.close()
        house.begin(house.table(background), BEN)
        assert house.notifications(BEN) == []

        house.catch_up()

        assert house.types(BEN)[0] == "game.started"

    def test_its_thread_goes_when_there_is_nothing_to_do_and_comes_back(self, house):
        done = []
        background = BackgroundProjector(
            lambda record, events: done.append(record.version), idle_seconds=0.01
        )
        record = house.begin(house.late, BEN)
        for times in (1, 2):
            background.project(record, ())
            while len(done) < times or background._worker is not None:
                threading.Event().wait(0.01)

        background.close()

        assert done == [record.version] * 2

    def test_too_much_at_once_is_left_to_the_scheduler(self, house, monkeypatch):
        monkeypatch.setattr("service.effects.background._MAX_WAITING", 2)
        gate, done = threading.Event(), []

        def project(record, events):
            gate.wait(60)
            done.append(record.version)

        background = BackgroundProjector(project)
        record = house.begin(house.late, BEN)
        for _ in range(10):
            background.project(record, ())
        gate.set()
        background.close()

        assert len(done) <= 3
