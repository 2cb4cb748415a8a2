"""The adviser: queues and a process of its own, so that advice delays no computer's turn."""

import redis
from rq import Queue

from service.jobs.queues import ADVISE, HINTS, QUEUE, REVIEWS, RqAdviceQueue, RqTurnQueue
from tests.support.servers import valkey_server
from workers.jobs import resolve_job
from workers.jobs.hints_and_reviews import advise


class TestTheQueues:
    def test_of_hints_and_reviews_are_not_that_of_turns(self):
        with valkey_server() as server:
            connection = redis.Redis.from_url(server.url)

            advice_queue = RqAdviceQueue(connection)
            assert advice_queue.enqueue("jone", 0, urgent=True)
            assert advice_queue.enqueue("jtwo", 3, urgent=False)
            RqTurnQueue(connection).enqueue("g00abc", 4, 0)

            assert connection.lrange(f"rq:queue:{HINTS}", 0, -1) == [b"advice-jone-0"]
            assert connection.lrange(f"rq:queue:{REVIEWS}", 0, -1) == [b"advice-jtwo-3"]
            assert advice_queue.waiting() == {HINTS: 1, REVIEWS: 1}
            assert connection.lrange(f"rq:queue:{QUEUE}", 0, -1) == [b"turn-g00abc-4-0"]
            connection.close()

    def test_hold_jobs_that_the_adviser_knows(self):
        with valkey_server() as server, redis.Redis.from_url(server.url) as connection:
            RqAdviceQueue(connection).enqueue("jone", 2, urgent=True)

            job = Queue(HINTS, connection=connection).fetch_job("advice-jone-2")

            assert (job.func_name, job.args) == (ADVISE, ("jone", 2))
            assert resolve_job(job.func_name) is advise

    def test_that_cannot_be_reached_takes_nothing_and_says_so(self):
        connection = redis.Redis(port=1, socket_connect_timeout=0.2, retry=None)

        assert not RqAdviceQueue(connection).enqueue("jone", 0, urgent=True)
        connection.close()
