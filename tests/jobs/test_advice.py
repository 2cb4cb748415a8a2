"""Jobs that think for players: one at a time, never lost without a word."""

from contextlib import closing
from dataclasses import replace
from functools import partial

import msgspec
import pytest

from service.games.keeping_apart import BlocksOfPlayer
from service.games.opening import NewGame
from service.games.record import Player, SeatKind
from service.games.refusals import Refusal
from service.games.rematches import join_or_open_rematch
from service.games.seating import resign
from service.games.table import Table
from service.games.table_moves import lawful_moves
from service.jobs.advice import HINT_MS, AdviceJobs, NullAdviceQueue
from service.store.contract import StoreUnavailable
from service.store.schema import SCHEMA
from tests.support.advice_queue import InlineAdviceQueue
from tests.support.memory_store.store import MemoryStore

ANA = Player(id="pAna", name="Ana", kind=SeatKind.HUMAN)


class Turns:
    def enqueue(self, *_):
        """Leave computers alone."""


class House:
    """A table, an advice queue, and a time that tests move."""

    def __init__(self):
        self.time = 1_790_000_000_000
        self.store = MemoryStore(self.now)
        self.table = Table(store=self.store, turns=Turns(), now=self.now)
        self.advice_queue = InlineAdviceQueue(store=self.store, table=self.table, now=self.now)
        self.advice_queue.at_once = False
        self.jobs = self.advice_queue.jobs

    def now(self):
        return self.time

    def opened(self, **more):
        new = NewGame(preset="classic", seats=2, sandbox=True, seats_held=True, seed="advice_queue", **more)
        return self.table.open(new, ANA).record

    def status(self, job):
        return self.jobs.job(job.id, "pAna").status


@pytest.fixture
def house():
    house = House()
    yield house
    house.store.close()


@pytest.fixture
def game(house):
    return house.opened()


def ask(house, game):
    return house.jobs.ask_hint(game, game.may_act()[0], "pAna")


class TestAJobThatAnotherReleaseStored:
    @pytest.fixture
    def stored(self, house, game):
        """Ask for a hint, and put other bytes in its place as another release wrote them."""

        def stored(*, without=(), **members):
            job = ask(house, game)
            body = house.store.advice_job(f"job:{job.id}")
            other = {**msgspec.json.decode(body), **members}
            for name in without:
                del other[name]
            rewritten = msgspec.json.encode(other)
            assert house.store.put_advice_job(
                f"job:{job.id}", rewritten, replaces=body, expires_at=house.time + HINT_MS
            )
            return job

        return stored

    def test_with_fewer_members_is_started_and_done(self, house, stored):
        job = stored(without=["schema", "steps", "reason"])

        house.jobs.finish(house.jobs.begin(job.id, 0), steps=1, result={"best": 1})

        assert house.status(job) == "done"

    def test_with_more_members_is_done_and_keeps_them(self, house, stored):
        job = stored(schema=SCHEMA + 1, depth=3)

        house.jobs.finish(house.jobs.begin(job.id, 0), steps=1, result={"best": 1})

        assert house.status(job) == "done"
        assert msgspec.json.decode(house.store.advice_job(f"job:{job.id}"))["depth"] == 3


class TestAJob:
    def test_waits_runs_and_is_done(self, house, game):
        job = ask(house, game)
        assert house.status(job) == "queued"

        taken = house.jobs.begin(job.id, 0)
        assert house.status(job) == "running"

        house.jobs.finish(taken, steps=1, result={"best": 1})
        assert house.jobs.job(job.id, "pAna").result == {"best": 1}
        assert house.status(job) == "done"

    def test_is_started_once(self, house, game):
        job = ask(house, game)

        assert house.jobs.begin(job.id, 0) is not None
        assert house.jobs.begin(job.id, 1) is None

    def test_is_read_only_by_the_one_who_asked(self, house, game):
        job = ask(house, game)

        with pytest.raises(Refusal, match="no such job"):
            house.jobs.job(job.id, "pBen")
        with pytest.raises(Refusal, match="no such job"):
            house.jobs.job("jnone", "pAna")

    def test_that_no_worker_finishes_fails_at_its_deadline(self, house, game):
        job = ask(house, game)
        house.jobs.begin(job.id, 0)

        house.time += HINT_MS

        job_now = house.jobs.job(job.id, "pAna")
        assert (job_now.status, job_now.reason) == ("failed", "The job was lost: ask again.")
        assert house.jobs.begin(job.id, 0) is None

    def test_that_fails_by_a_bug_says_so_and_shows_the_bug(self, house, game):
        class Broken:
            def advise(self, *_, **__):
                raise ZeroDivisionError

        job = ask(house, game)
        house.advice_queue.runner = replace(house.advice_queue.runner, adviser=Broken())

        with pytest.raises(ZeroDivisionError):
            house.advice_queue.run()

        job_now = house.jobs.job(job.id, "pAna")
        assert (job_now.status, job_now.reason) == ("failed", "Internal error; request it again.")

    def test_of_a_game_that_is_gone_fails(self, house, game):
        job = ask(house, game)
        house.advice_queue.runner = replace(
            house.advice_queue.runner,
            table=Table(store=MemoryStore(house.now), turns=Turns(), now=house.now),
        )

        house.advice_queue.run()

        assert house.jobs.job(job.id, "pAna").reason == "The game is gone."

    def test_that_no_queue_takes_is_refused_and_may_be_asked_for_again(self, house, game):
        house.advice_queue.is_down = True
        with pytest.raises(StoreUnavailable):
            ask(house, game)

        house.advice_queue.is_down = False
        house.advice_queue.at_once = True
        assert house.status(ask(house, game)) == "done"

    def test_without_a_queue_is_refused(self, house, game):
        jobs = AdviceJobs(store=house.store, queue=NullAdviceQueue(), now=house.now)

        with pytest.raises(StoreUnavailable):
            jobs.ask_hint(game, game.may_act()[0], "pAna")


class TestOneAtATime:
    def test_the_same_question_is_the_same_job(self, house, game):
        assert ask(house, game).id == ask(house, game).id

        house.advice_queue.run()

        assert ask(house, game).status == "done"

    def test_another_question_waits_for_the_first(self, house, game):
        first = ask(house, game)
        later = replace(game, version=game.version + 1)

        with pytest.raises(Refusal) as refused:
            ask(house, later)

        assert refused.value.code == "hint_in_progress"
        assert refused.value.details["job_id"] == first.id

    def test_a_question_may_follow_one_that_is_over(self, house, game):
        first = ask(house, game)
        house.advice_queue.run()

        assert ask(house, replace(game, version=game.version + 1)).id != first.id

    def test_a_question_may_follow_one_that_got_lost(self, house, game):
        first = ask(house, game)
        house.time += HINT_MS

        assert ask(house, game).id != first.id

    def test_two_who_ask_at_the_same_moment_get_one_job(self, house, game):
        seat = game.may_act()[0]
        quicker = AtTheSameMoment(house.store, lambda: ask(house, game))
        jobs = AdviceJobs(store=quicker, queue=house.advice_queue, now=house.now)

        job = jobs.ask_hint(game, seat, "pAna")

        assert job == quicker.done
        assert [waiting for waiting, _ in house.advice_queue.waiting] == [job.id]

    def test_another_question_at_the_same_moment_gets_the_job_in_progress(self, house, game):
        seat = game.may_act()[0]
        quicker = AtTheSameMoment(house.store, lambda: ask(house, game))
        jobs = AdviceJobs(store=quicker, queue=house.advice_queue, now=house.now)

        with pytest.raises(Refusal, match="One hint at a time") as refused:
            jobs.ask_hint(replace(game, version=game.version + 1), seat, "pAna")

        assert refused.value.details["job_id"] == quicker.done.id

    def test_a_job_that_failed_at_the_same_moment_blocks_no_other(self, house, game):
        def fails():
            house.advice_queue.is_down = True
            with pytest.raises(StoreUnavailable):
                ask(house, game)
            house.advice_queue.is_down = False

        jobs = AdviceJobs(store=AtTheSameMoment(house.store, fails), queue=house.advice_queue, now=house.now)

        job = jobs.ask_hint(game, game.may_act()[0], "pAna")

        assert [waiting for waiting, _ in house.advice_queue.waiting] == [job.id]


class AtTheSameMoment:
    """A store in which another request acts just before a job takes its place."""

    def __init__(self, store, do):
        self._store = store
        self._do = do
        self.done = None

    def advice_job(self, name):
        return self._store.advice_job(name)

    def put_advice_job(self, name, body, **how):
        if name.startswith("hint-of:") and self._do is not None:
            do, self._do = self._do, None
            self.done = do()
        return self._store.put_advice_job(name, body, **how)


class TestAReview:
    def test_is_not_made_again_when_the_game_has_a_rematch(self, house):
        game = house.opened()
        over = house.table.change(game.id, partial(resign, player=ANA)).record
        first = house.jobs.ask_review(over, over.seats_of("pAna"), "pAna")
        house.advice_queue.run()
        join_or_open_rematch(house.table, game.id, ANA, BlocksOfPlayer(), now=house.now)

        offered = house.table.get(game.id)
        again = house.jobs.ask_review(offered, offered.seats_of("pAna"), "pAna")

        assert offered.version > over.version
        assert (again.id, again.status) == (first.id, "done")


class TestAReviewInSlices:
    def played(self, house):
        game = house.opened()
        for _ in range(6):
            move = lawful_moves(game, game.may_act()[0]).moves[0]
            game = house.table.play(game, move).record
        return house.table.change(game.id, partial(resign, player=ANA)).record

    def test_continues_behind_waiting_jobs_and_loses_nothing(self, house):
        game = self.played(house)
        job = house.jobs.ask_review(game, game.seats_of("pAna"), "pAna")
        house.advice_queue.runner = replace(house.advice_queue.runner, slice_seconds=0.0)

        house.advice_queue.runner.run_step(*house.advice_queue.waiting.popleft())
        job_now = house.jobs.job(job.id, "pAna")
        assert (job_now.status, job_now.done, job_now.steps) == ("queued", 1, 6)

        house.advice_queue.run()

        sliced = house.jobs.job(job.id, "pAna")
        assert (sliced.status, sliced.done) == ("done", 6)
        assert sliced.result == self.in_one_go(house, game)

    def in_one_go(self, house, game):
        with closing(MemoryStore(house.now)) as store:
            advice_queue = InlineAdviceQueue(store=store, table=house.table, now=house.now)
            job = advice_queue.jobs.ask_review(game, game.seats_of("pAna"), "pAna")
            return advice_queue.jobs.job(job.id, "pAna").result

    def test_that_cannot_go_on_has_failed(self, house):
        game = self.played(house)
        job = house.jobs.ask_review(game, game.seats_of("pAna"), "pAna")
        house.advice_queue.runner = replace(house.advice_queue.runner, slice_seconds=0.0)
        waiting = house.advice_queue.waiting.popleft()
        house.advice_queue.is_down = True

        house.advice_queue.runner.run_step(*waiting)

        assert house.status(job) == "failed"
