"""The large proof: rules and oracle agree on as many random positions as are asked for.

    python -m tests.proofs.rules_agree --positions 100000 --seed 1

Positions come of seeds, one after another from `--seed` on. A disagreement is printed with its seed, and
`--seed S --positions 1` shows that one again. The last line says how many positions were compared; the
command fails if any disagreed.
"""

import argparse
import multiprocessing
import os
import sys
from collections import Counter
from collections.abc import Sequence

from tqdm import tqdm

from tests.support.agreement import disagreements

SEEDS_AT_A_TIME = 50
SHOWN = 20


def compare(seeds: Sequence[int]) -> tuple[Counter[str], list[str]]:
    """Compare the positions of some seeds; return what was counted and every disagreement."""
    counts: Counter[str] = Counter()
    found = [sentence for seed in seeds for sentence in disagreements(seed, counts)]
    return counts, found


def prove(positions: int, *, first_seed: int, processes: int) -> tuple[Counter[str], list[str]]:
    """Compare at least so many positions, on so many processes, with a progress bar."""
    counts: Counter[str] = Counter()
    found: list[str] = []
    # A seed gives more than one position, so this many seeds are always enough.
    pieces = [
        range(seed, min(seed + SEEDS_AT_A_TIME, first_seed + positions))
        for seed in range(first_seed, first_seed + positions, SEEDS_AT_A_TIME)
    ]
    with (
        multiprocessing.Pool(processes) as pool,
        tqdm(total=positions, unit=" positions", disable=not sys.stderr.isatty()) as bar,
    ):
        for piece, sentences in pool.imap(compare, pieces):
            counts += piece
            found += sentences
            bar.update(piece["positions"])
            if counts["positions"] >= positions or len(found) > SHOWN:
                break
    return counts, found


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 0 if rules and oracle agree, else 1."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.proofs.rules_agree", description=__doc__.split("\n")[0]
    )
    parser.add_argument("--positions", type=int, default=100_000, help="how many to compare (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="the first seed (%(default)s)")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="processes (%(default)s)")
    chosen = parser.parse_args(arguments)
    counts, found = prove(chosen.positions, first_seed=chosen.seed, processes=chosen.processes)
    for sentence in found[:SHOWN]:
        print(sentence, end="\n\n")
    for what, how_many in sorted(counts.items()):
        print(f"{how_many:>12,}  {what}")
    print(f"{len(found):>12,}  disagreements")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
