"""The jobs of the adviser: advice for a turn, and reviews of games, a slice at a time.

A review goes on for some seconds and then queues again, behind all hints and behind the
reviews that wait. What it found is kept after each slice, so that no work is lost with a worker.
"""

import logging
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from random import Random
from time import perf_counter
from typing import Final

from service.bootstrap import build_components
from service.config import Settings
from service.games.codec import move_as_json
from service.games.record import GameRecord
from service.games.refusals import Refusal
from service.games.table import Table
from service.games.table_moves import lawful_moves
from service.jobs.advice import AdviceJobs, Job, JobKind
from service.rummy.legal_moves import LegalMoves, legal_moves
from service.rummy.views import view_for
from service.runtime.json_object import Json
from workers.bots.bot import Budget
from workers.bots.search.hint_search import HintSearch
from workers.bots.search.hints import Advice, Adviser
from workers.jobs.game_decisions import Decision, as_listed, decisions

log = logging.getLogger(__name__)

#: A hint is waited for.
HINT: Final = Budget(milliseconds=2_500)
#: A game has hundreds of decisions; so many worlds tell what was a blunder.
REVIEW: Final = Budget(worlds=200)
SLICE_SECONDS: Final = 3.0
_ALTERNATIVES: Final = 2


def advise(job_id: str, step: int) -> None:
    """Go on with a job at a step."""
    _advising().go_on(job_id, step)


@cache
def _advising() -> "Advising":
    """Return the parts of this worker, made when the first job comes."""
    components = build_components(Settings.from_environment())
    jobs = AdviceJobs(store=components.store, queue=components.advice_queue, now=components.now)
    return Advising(table=components.table, jobs=jobs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Advising:
    """Thinks for players, by what their seats see or saw."""

    table: Table
    jobs: AdviceJobs
    adviser: Adviser = field(default_factory=HintSearch)
    hint: Budget = HINT
    review: Budget = REVIEW
    slice_seconds: float = SLICE_SECONDS
    clock: Callable[[], float] = perf_counter

    def go_on(self, job_id: str, step: int) -> None:
        """Think about a job from a step on; nothing is done for one that is over or with somebody else."""
        job = self.jobs.begin(job_id, step)
        if job is None:
            return
        try:
            record = self.table.get(job.game_id)
            if job.kind is JobKind.HINT:
                self._hint(job, record)
            else:
                self._review(job, record)
        except Refusal:
            self.jobs.fail(job, "The game is gone.")
        except Exception:
            self.jobs.fail(job, "Something went wrong on our side: ask again.")
            raise

    def _hint(self, job: Job, record: GameRecord) -> None:
        (seat,) = job.seats
        if record.version != job.version or record.game is None:
            self.jobs.fail(job, "The game has moved on: ask again.")
            return
        # Seeded by what everybody knows: who asks again meets the same worlds, as many as there is time for.
        chance = Random(f"hint:{record.id}:{record.version}:{seat}")
        advice = self.adviser.advise(
            view_for(record.game, seat), lawful_moves(record, seat), record.variant, chance, self.hint
        )
        best, *others = map(_told, advice)
        result = {"best": best, "alternatives": others[:_ALTERNATIVES]}
        self.jobs.finish(job, steps=1, result=result)

    def _review(self, job: Job, record: GameRecord) -> None:
        found = list(decisions(record.key, self.table.whole_log(record), job.seats))
        turns: list[Json] = deepcopy(job.result.get("turns", []))
        until = self.clock() + self.slice_seconds
        for number in range(job.done, len(found)):
            if number > job.done and self.clock() >= until:
                self.jobs.continue_later(job, done=number, steps=len(found), result={"turns": turns})
                return
            self._add(turns, found[number], record)
        cost = round(sum(turn["cost"] for turn in turns), 1)
        self.jobs.finish(job, steps=len(found), result={"turns": turns, "cost": cost})

    def _add(self, turns: list[Json], decision: Decision, record: GameRecord) -> None:
        """Add a decision to the turn it belongs to; one without a choice is no decision."""
        game, seat = decision.before, decision.move.seat
        legal = legal_moves(game, seat)
        if _has_no_choice(legal):
            return
        move = as_listed(decision.move, legal.moves)
        chance = Random(f"review:{record.id}:{decision.version}:{move}")
        advice = self.adviser.advise(
            view_for(game, seat), legal, game.variant, chance, self.review, also=(move,)
        )
        played = next((_told(one) for one in advice if one.move == move), None)
        if played is None:
            return
        best = _told(advice[0])
        cost = round(max(0.0, best["points"] - played["points"]), 1)
        where = {"deal": decision.deal, "turn": decision.turn, "seat": seat}
        if not turns or any(turns[-1][name] != value for name, value in where.items()):
            turns.append({**where, "cost": 0.0, "moves": []})
        turns[-1]["moves"].append({"version": decision.version, "played": played, "best": best, "cost": cost})
        turns[-1]["cost"] = round(turns[-1]["cost"] + cost, 1)


def _has_no_choice(legal: LegalMoves) -> bool:
    return len(legal.moves) < 2  # noqa: PLR2004 - a choice is one of two


def _told(advice: Advice) -> Json:
    return {
        "move": move_as_json(advice.move),
        "points": round(advice.points, 1),
        "margin": round(advice.margin, 1),
        "worlds": advice.worlds,
        "reason": advice.reason,
    }
