"""Plays whole games of the levels against random players, and stops at the first illegal move.

    python -m tests.proofs.lawful_play --games 1000 --searching-games 100

The number of games is for each preset and level, spread over all sizes of table of the preset. Every move
must be one of the legal moves, and is made by the rules. Prints a line for each preset and level; the exit
status is 0 only if all games ended.
"""

import argparse
import sys
import time
from dataclasses import dataclass

from tqdm import tqdm

from service.rummy.presets import PRESETS, resolve
from workers.arguments import whole_number
from workers.bots.bot import Budget
from workers.bots.registry import BOT_FACTORIES, SEARCHING
from workers.tools.arena.match_pool import MatchPool, cores, open_pool
from workers.tools.arena.mirrored_set import IllegalMoveChosen, Match

#: Few samples are enough: this is about legality, not strength.
WORLDS = 4
#: Lower than usual: a random player needs many deals to reach a high target, and the last show nothing new.
TARGETS = {"basic-rummy": 60}
TARGET = 250


@dataclass(frozen=True, slots=True)
class Played:
    """How many games and decisions a level has played of a preset."""

    games: int
    decisions: int


def matches(preset: str, level: str) -> list[Match]:
    """Return the level against random players, at every size of table."""
    least, most = PRESETS[preset].players
    overrides = {"target": TARGETS.get(preset, TARGET)}
    return [
        Match(
            variant=resolve(preset, overrides, seats=seats),
            seats=seats,
            line_up=(level, "random"),
            budget=Budget(worlds=WORLDS),
            whole_games=True,
        )
        for seats in range(least, most + 1)
    ]


def prove(players: MatchPool, preset: str, level: str, *, games: int, seed: int) -> Played:
    """Play so many games or one more; raise IllegalMoveChosen for the first move that is not lawful."""
    tables = matches(preset, level)
    played = decisions = 0
    for turn, match in enumerate(tables):
        # A set is two games: the players change places in the second.
        due = games * (turn + 1) // len(tables)
        sets = max(0, (due - played + 1) // 2)
        for result in players.play_sets(match, range(seed, seed + sets)):
            played += 2
            decisions += len(result.times[level].decisions)
    return Played(played, decisions)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=whole_number(1), default=1000, help="a preset and level")
    parser.add_argument(
        "--searching-games", type=whole_number(0), default=100, help="where the level searches"
    )
    parser.add_argument("--levels", nargs="*", choices=BOT_FACTORIES, default=list(BOT_FACTORIES))
    parser.add_argument("--presets", nargs="*", choices=PRESETS, default=list(PRESETS))
    parser.add_argument("--seed", type=whole_number(0), default=1)
    parser.add_argument("--processes", type=whole_number(1), default=cores())
    asked = parser.parse_args()
    pairs = [(preset, level) for preset in asked.presets for level in asked.levels]
    with open_pool(asked.processes) as players:
        for preset, level in tqdm(pairs, unit="pair", disable=None):
            games = asked.searching_games if level in SEARCHING else asked.games
            began = time.monotonic()
            try:
                played = prove(players, preset, level, games=games, seed=asked.seed)
            except IllegalMoveChosen as fault:
                print(f"{preset}: {fault}")
                return 1
            print(
                f"{preset:<14} {level:<7} {played.games:>5} games {played.decisions:>8} decisions, "
                f"all legal ({time.monotonic() - began:.0f} s)",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
