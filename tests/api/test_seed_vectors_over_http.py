"""The facts of the five documents, played by a client that knows only the contract.

The interpreter is that of `tests/rules`; only the tables differ. A client can reach every
line: deals by opening a game, impossible positions and variants by asking for them, scores
and winners by making the last move before them.
"""

import json

import pytest

from tests.support.seed_vectors import VECTORS, play_vector


@pytest.mark.parametrize("line", VECTORS, ids=[line["id"] for line in VECTORS])
def test_seed_vector(room, line):
    play_vector(line, room)


@pytest.mark.parametrize(
    "member, wrong", [("points", 7), ("score", 7), ("reason", "not_your_turn"), ("handEnds", 7), ("stock", 7)]
)
def test_a_fact_that_is_wrong_fails(room, member, wrong):
    line = next(line for line in VECTORS if member in line["expected"])
    line = json.loads(json.dumps(line))
    line["expected"][member] = wrong

    with pytest.raises(AssertionError):
        play_vector(line, room)
