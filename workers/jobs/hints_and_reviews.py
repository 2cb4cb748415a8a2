"""The RQ jobs of the adviser: hints for a turn, and reviews of games in slices.

A review runs for a few seconds and is then enqueued again, behind all hints and the waiting reviews. Its
result so far is stored after each slice, so that a worker that dies loses little.
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
from workers.bots.levels.rule_based import STEADY, RuleBasedBot
from workers.bots.levels.shrewd import Shrewd
from workers.bots.search.hint_search import HintSearch
from workers.bots.search.hints import Advice, Adviser
from workers.jobs.game_decisions import Decision, decisions_of, match_listed

log = logging.getLogger(__name__)

#: A player waits for a hint.
HINT: Final = Budget(milliseconds=2_500)
#: A game has hundreds of decisions; this many sampled worlds show which were blunders.
REVIEW: Final = Budget(worlds=200)
SLICE_SECONDS: Final = 3.0
_ALTERNATIVES: Final = 2


def advise(job_id: str, step: int) -> None:
    """Run one step of a job."""
    _runner().run_step(job_id, step)


@cache
def _runner() -> "AdviceRunner":
    """Return what this process runs jobs with, created by its first job."""
    components = build_components(Settings.from_environment())
    jobs = AdviceJobs(store=components.store, queue=components.advice_queue, now=components.now)
    return AdviceRunner(table=components.table, jobs=jobs)


@dataclass(frozen=True, slots=True, kw_only=True)
class AdviceRunner:
    """Computes hints and reviews, from what the players' seats see or saw."""

    table: Table
    jobs: AdviceJobs
    adviser: Adviser = field(default_factory=lambda: HintSearch(Shrewd(), RuleBasedBot(STEADY)))
    hint: Budget = HINT
    review: Budget = REVIEW
    slice_seconds: float = SLICE_SECONDS
    clock: Callable[[], float] = perf_counter

    def run_step(self, job_id: str, step: int) -> None:
        """Run a job from a step on, unless it is finished or another worker has it."""
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
            self.jobs.fail(job, "Internal error; request it again.")
            raise

    def _hint(self, job: Job, record: GameRecord) -> None:
        (seat,) = job.seats
        if record.version != job.version or record.game is None:
            self.jobs.fail(job, "The game has changed; request another hint.")
            return
        # Seeded by public values: a repeated request samples the same worlds, as many as time allows.
        chance = Random(f"hint:{record.id}:{record.version}:{seat}")
        advice = self.adviser.advise(
            view_for(record.game, seat), lawful_moves(record, seat), record.variant, chance, self.hint
        )
        best, *others = map(_as_json, advice)
        result = {"best": best, "alternatives": others[:_ALTERNATIVES]}
        self.jobs.finish(job, steps=1, result=result)

    def _review(self, job: Job, record: GameRecord) -> None:
        found = list(decisions_of(record.key, self.table.whole_log(record), job.seats))
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
        """Add a decision to its turn, unless there was no choice."""
        game, seat = decision.before, decision.move.seat
        legal = legal_moves(game, seat)
        if _has_no_choice(legal):
            return
        move = match_listed(decision.move, legal.moves)
        chance = Random(f"review:{record.id}:{decision.version}:{move}")
        advice = self.adviser.advise(
            view_for(game, seat), legal, game.variant, chance, self.review, also=(move,)
        )
        played = next((_as_json(one) for one in advice if one.move == move), None)
        if played is None:
            return
        best = _as_json(advice[0])
        cost = round(max(0.0, best["points"] - played["points"]), 1)
        where = {"deal": decision.deal, "turn": decision.turn, "seat": seat}
        if not turns or any(turns[-1][name] != value for name, value in where.items()):
            turns.append({**where, "cost": 0.0, "moves": []})
        turns[-1]["moves"].append({"version": decision.version, "played": played, "best": best, "cost": cost})
        turns[-1]["cost"] = round(turns[-1]["cost"] + cost, 1)


def _has_no_choice(legal: LegalMoves) -> bool:
    return len(legal.moves) < 2  # noqa: PLR2004 - a choice needs two moves


def _as_json(advice: Advice) -> Json:
    return {
        "move": move_as_json(advice.move),
        "points": round(advice.points, 1),
        "margin": round(advice.margin, 1),
        "worlds": advice.worlds,
        "reason": advice.reason,
        "reasons": [
            {"reason_code": reason.key, "template": reason.template, "params": dict(reason.params)}
            for reason in advice.reasons
        ],
    }
