"""The table of facts taken from the five documents, played by a client that knows nothing but the contract.

The interpreter is that of `tests/rules`; only the tables differ. A client can bring about
every line of it: deals by opening a game, impossible positions and variants by asking for
them, scores and winners by playing the last move before them.
"""

import json

import pytest

from tests.support.http_tables import OverHttp
from tests.support.seed_vectors import VECTORS, play_vector


@pytest.fixture
def over_http(client, ana):
    return OverHttp(client, ana)


@pytest.mark.parametrize("line", VECTORS, ids=[line["id"] for line in VECTORS])
def test_seed_vector(over_http, line):
    play_vector(line, over_http)


@pytest.mark.parametrize(
    "member, wrong", [("points", 7), ("score", 7), ("reason", "not_your_turn"), ("handEnds", 7), ("stock", 7)]
)
def test_a_fact_that_is_wrong_fails(over_http, member, wrong):
    line = next(line for line in VECTORS if member in line["expected"])
    line = json.loads(json.dumps(line))
    line["expected"][member] = wrong

    with pytest.raises(AssertionError):
        play_vector(line, over_http)
