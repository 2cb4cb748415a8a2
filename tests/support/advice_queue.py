"""A queue of hints and reviews whose work is done here, at once or when the test says so."""

from collections import deque
from collections.abc import Callable

from service.games.table import Table
from service.jobs.advice import AdviceJobs
from service.store.contract import Store
from workers.bots.bot import Budget
from workers.jobs.hints_and_reviews import AdviceRunner

#: Enough to tell a good move from a bad one in the positions of the tests; no clock is asked.
LITTLE = Budget(worlds=6)


class InlineAdviceQueue:
    """Stands where RQ and its worker stand. Without `at_once` jobs wait until `run` is called."""

    def __init__(self, *, store: Store, table: Table, now: Callable[[], int]) -> None:
        self.waiting: deque[tuple[str, int]] = deque()
        self.at_once = True
        self.is_down = False
        self.jobs = AdviceJobs(store=store, queue=self, now=now)
        self.runner = AdviceRunner(
            table=table,
            jobs=self.jobs,
            hint=LITTLE,
            review=Budget(worlds=2),
            slice_seconds=60.0,
        )

    def enqueue(self, job_id: str, step: int, *, urgent: bool) -> bool:
        del urgent
        if self.is_down:
            return False
        self.waiting.append((job_id, step))
        if self.at_once:
            self.run()
        return True

    def run(self) -> None:
        """Do all that waits, and what comes of it."""
        while self.waiting:
            self.runner.run_step(*self.waiting.popleft())
