"""How fast the rules are, on one core in plain Python, beside two gin rummy engines.

    python -m tests.bench.bench_rules [--rounds N] [--games N]

Two figures an engine: moves of recorded games made again, and random lawful play
that asks for the legal moves at every step. Gin rummy is a smaller game (one card
to take, no lay-offs in turn), and OpenSpiel's is C++; they stand here as a scale.
Rounds alternate between the engines, time is the process's own, and the median
counts, because the machine has neighbours.
"""

import argparse
import random
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

from service.rummy.legal_moves import legal_moves, seats_to_act
from service.rummy.moves import Move, StartNextDeal
from service.rummy.play import new_game, play
from service.rummy.presets import resolve
from service.rummy.state import Game, Stage

LONGEST_GAME = 2_000
REPLAY_TARGET = 20_000
RANDOM_TARGET = 5_000


@dataclass(frozen=True)
class Engine:
    """Plays games at random and again; both answer how many moves were made."""

    name: str
    play_at_random: Callable[[int], int]
    play_again: Callable[[], int]


def _our_engine(preset: str, seats: int) -> Engine:
    variant = resolve(preset, {}, seats=seats)
    recorded: list[tuple[Game, list[Move]]] = []

    def play_at_random(games: int) -> int:
        recorded.clear()
        dice = random.Random(1)
        for _ in range(games):
            _, game = new_game(variant, seats=seats, key=dice.randbytes(32))
            first, moves = game, []
            while game.status is not Stage.FINISHED and len(moves) < LONGEST_GAME:
                move: Move = StartNextDeal()
                if game.status is Stage.PLAYING:
                    move = dice.choice(legal_moves(game, dice.choice(seats_to_act(game))).moves)
                _, game = play(game, move)
                moves.append(move)
            recorded.append((first, moves))
        return sum(len(moves) for _, moves in recorded)

    def play_again() -> int:
        for first, moves in recorded:
            game = first
            for move in moves:
                _, game = play(game, move)
        return sum(len(moves) for _, moves in recorded)

    return Engine(f"ours, {preset}, {seats} players", play_at_random, play_again)


def _openspiel() -> Engine:
    import pyspiel

    game = pyspiel.load_game("gin_rummy")
    recorded: list[list[int]] = []

    def play_at_random(games: int) -> int:
        recorded.clear()
        dice = random.Random(1)
        for _ in range(games):
            state, actions = game.new_initial_state(), []
            while not state.is_terminal():
                legal = state.legal_actions()
                actions.append(dice.choice(legal))
                state.apply_action(actions[-1])
            recorded.append(actions)
        return sum(map(len, recorded))

    def play_again() -> int:
        for actions in recorded:
            state = game.new_initial_state()
            for action in actions:
                state.apply_action(action)
        return sum(map(len, recorded))

    return Engine("OpenSpiel gin_rummy (C++)", play_at_random, play_again)


def _rlcard() -> Engine:
    import rlcard

    recorded: list[tuple[int, list[object]]] = []
    env = rlcard.make("gin-rummy", config={"seed": 1})

    def _begin(seed: int) -> None:
        env.seed(seed)
        env.game.init_game()

    def play_at_random(games: int) -> int:
        recorded.clear()
        dice = random.Random(1)
        for seed in range(games):
            _begin(seed)
            actions: list[object] = []
            while not env.game.is_over():
                actions.append(dice.choice(env.game.judge.get_legal_actions()))
                env.game.step(actions[-1])
            recorded.append((seed, actions))
        return sum(len(actions) for _, actions in recorded)

    def play_again() -> int:
        for seed, actions in recorded:
            _begin(seed)
            for action in actions:
                env.game.step(action)
        return sum(len(actions) for _, actions in recorded)

    return Engine("RLCard gin-rummy (Python)", play_at_random, play_again)


def _rate(work: Callable[[], int]) -> float:
    begun = time.process_time()
    moves = work()
    return moves / (time.process_time() - begun)


def main() -> int:
    """Measure and print; 1 where our own targets are missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--games", type=int, default=10)
    asked = parser.parse_args()
    engines = [
        _our_engine("classic", 2),
        _our_engine("classic", 4),
        _our_engine("jokers", 4),
        _rlcard(),
        _openspiel(),
    ]
    at_random: dict[str, list[float]] = {engine.name: [] for engine in engines}
    again: dict[str, list[float]] = {engine.name: [] for engine in engines}
    for _ in range(asked.rounds):
        for engine in engines:
            at_random[engine.name].append(_rate(lambda engine=engine: engine.play_at_random(asked.games)))  # type: ignore[misc]
            again[engine.name].append(_rate(engine.play_again))
    print(
        f"{'moves a second, median of ' + str(asked.rounds):38} {'made again':>20} {'random, all legal':>24}"
    )
    for engine in engines:
        print(f"{engine.name:38} {_shown(again[engine.name]):>20} {_shown(at_random[engine.name]):>24}")
    first = engines[0].name
    met = (
        statistics.median(again[first]) >= REPLAY_TARGET
        and statistics.median(at_random[first]) >= RANDOM_TARGET
    )
    print(f"targets {REPLAY_TARGET:,} and {RANDOM_TARGET:,} {'met' if met else 'MISSED'} by {first}")
    return 0 if met else 1


def _shown(rates: list[float]) -> str:
    return f"{statistics.median(rates):,.0f} ({min(rates):,.0f}-{max(rates):,.0f})"


if __name__ == "__main__":
    raise SystemExit(main())
