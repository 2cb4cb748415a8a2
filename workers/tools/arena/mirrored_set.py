"""Plays a mirrored set: the same cards once for each rotation of the players around the table."""

import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from service.rummy.legal_moves import legal_moves, seats_to_act
from service.rummy.moves import CallRummy, PlayerMove, StartNextDeal
from service.rummy.play import new_game, play
from service.rummy.state import Game, Phase, Stage
from service.rummy.variants import Variant
from service.rummy.views import view_for
from workers.bots.bot import Bot, Budget
from workers.bots.reference.framework import ReferencePlayer
from workers.bots.reference.policies import CHEATS
from workers.tools.arena.entrants import player_factory

_MS: Final = 1000.0


class IllegalMoveChosen(Exception):  # noqa: N818 - named for what happened, as all our refusals
    """A player chose a move that was not offered, so the results are invalid."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """The players of a match, and what they play.

    Seat `s` is taken by `line_up[(s + rotation) % len(line_up)]`, so that over all rotations
    each player takes every seat once. With `whole_games` a set is played to the target, otherwise
    it is one deal. `overrides` are those that the variant was made with.
    """

    variant: Variant
    seats: int
    line_up: tuple[str, ...]
    budget: Budget
    whole_games: bool
    overrides: Mapping[str, Any] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The distinct players, in order."""
        return tuple(dict.fromkeys(self.line_up))

    def seated(self, rotation: int) -> tuple[str, ...]:
        """Return the player of each seat."""
        return tuple(self.line_up[(seat + rotation) % len(self.line_up)] for seat in range(self.seats))

    def chance_to_win(self, name: str) -> float:
        """Return the share of wins a player would have if all were equally strong."""
        return self.line_up.count(name) / len(self.line_up)


@dataclass(slots=True, kw_only=True)
class ThinkingTimes:
    """How long a player thought, in milliseconds: about each decision and each whole turn."""

    decisions: list[float] = field(default_factory=list)
    turns: list[float] = field(default_factory=list)

    def add(self, milliseconds: float, phase: Phase, move: PlayerMove) -> None:
        """Add a decision. A turn begins with a draw or a call; passing on a call begins none."""
        self.decisions.append(milliseconds)
        if phase is Phase.DRAW or isinstance(move, CallRummy):
            self.turns.append(milliseconds)
        elif phase is Phase.MELD:
            self.turns[-1] += milliseconds


@dataclass(frozen=True, slots=True, kw_only=True)
class SetResult:
    """The result of a mirrored set by player: means over its rotations, which share their cards.

    `margins` are points over the mean of the others, `wins` shares of the deals or games won.
    """

    margins: dict[str, float]
    wins: dict[str, float]
    times: dict[str, ThinkingTimes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How one deal or game of a set ended: the player and the score of each seat.

    After a deal, `scores` are each seat's own. After a whole game they are those of its side, and
    `winners` are seats; a draw has none.
    """

    names: Sequence[str]
    scores: Sequence[int]
    winners: Sequence[int] = ()


def play_set(match: Match, seed: int) -> SetResult:
    """Play the deal or game of a seed once for each rotation; raises IllegalMoveChosen."""
    times = {name: ThinkingTimes() for name in match.names}
    outcomes = []
    for rotation in range(len(match.line_up)):
        names = match.seated(rotation)
        outcomes.append(_outcome(match, names, play_game(match, names, seed=seed, times=times)))
    return set_result(match, outcomes, times)


def set_result(match: Match, outcomes: Sequence[Outcome], times: dict[str, ThinkingTimes]) -> SetResult:
    """Return the result of a set from the outcomes of its rotations."""
    margins: dict[str, list[float]] = {name: [] for name in match.names}
    wins: dict[str, list[float]] = {name: [] for name in match.names}
    for outcome in outcomes:
        points = _points(match, outcome)
        won = _won(match, outcome, points)
        for name in match.names:
            own = [seat for seat, seated in enumerate(outcome.names) if seated == name]
            others = [points[seat] for seat in range(match.seats) if seat not in own]
            margins[name].append(_mean([points[seat] for seat in own]) - _mean(others))
            wins[name].append(sum(won[seat] for seat in own))
    return SetResult(
        margins={name: _mean(found) for name, found in margins.items()},
        wins={name: _mean(found) for name, found in wins.items()},
        times=times,
    )


def _points(match: Match, outcome: Outcome) -> list[float]:
    """Return the score of each seat's side, higher being better."""
    sign = -1.0 if match.variant.scoring == "penalty" else 1.0
    if match.whole_games:
        return [sign * score for score in outcome.scores]
    side = match.variant.side
    return [
        sign * sum(score for other, score in enumerate(outcome.scores) if side(other) == side(seat))
        for seat in range(match.seats)
    ]


def _won(match: Match, outcome: Outcome, points: Sequence[float]) -> list[float]:
    """Return each seat's share of the win: of a deal by its points, of a game by the rules."""
    if match.whole_games:
        winners = outcome.winners or range(match.seats)
    else:
        winners = [seat for seat, scored in enumerate(points) if scored == max(points)]
    return [1 / len(winners) if seat in winners else 0.0 for seat in range(match.seats)]


def play_game(match: Match, names: Sequence[str], *, seed: int, times: dict[str, ThinkingTimes]) -> Game:
    """Return the game after its one deal, or at its end."""
    key = hashlib.sha256(f"arena:{seed}".encode()).digest()
    dice = [Random(f"{seed}:{seat}:{name}") for seat, name in enumerate(names)]
    _, game = new_game(match.variant, seats=match.seats, key=key)
    players = [player_factory(name, match.budget)() for name in names]
    while True:
        while game.status is Stage.PLAYING:
            # Calls are decided from the discarder's left; the first call wins.
            seat = seats_to_act(game)[0]
            thinking = times[names[seat]]
            move = _choose(game, seat, names[seat], players[seat], dice[seat], thinking)
            _, game = play(game, move)
        if game.status is Stage.FINISHED or not match.whole_games:
            return game
        _, game = play(game, StartNextDeal())


def _choose(  # noqa: PLR0913, PLR0917 - a player and its situation
    game: Game, seat: int, name: str, player: Bot, chance: Random, thinking: ThinkingTimes
) -> PlayerMove:
    """Return the player's move; raises IllegalMoveChosen unless the rules list it."""
    view, legal = view_for(game, seat), legal_moves(game, seat)
    if name in CHEATS and isinstance(player, ReferencePlayer):
        player.peek(game.deal.hands)
    began = time.perf_counter()
    move = player.choose(view, legal, game.variant, chance)
    taken = (time.perf_counter() - began) * _MS
    if move is None or move not in legal.moves:
        raise IllegalMoveChosen(
            f"{name} chose {move}, which is not among the {len(legal.moves)} legal moves."
        )
    thinking.add(taken, game.deal.turn.phase, move)
    return move


def _outcome(match: Match, names: Sequence[str], game: Game) -> Outcome:
    if match.whole_games:
        totals = [game.totals[game.side(seat)] for seat in range(game.seats)]
        return Outcome(names=names, scores=totals, winners=game.winners or ())
    return Outcome(names=names, scores=[result.score for result in game.deals[-1].seats])


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers)
