"""A real service for the tests that leave it as it was: Valkey, clock, worker and two API processes."""

from contextlib import ExitStack
from functools import partial

import pytest

from tests.e2e.people import Player
from tests.support.tree import Tree


@pytest.fixture(scope="session")
def url(tmp_path_factory):
    with Tree(tmp_path_factory.mktemp("service") / "data", API_PROCESSES="2") as tree:
        yield tree.url
        assert tree.stop() == 0


@pytest.fixture
def arrive():
    """Create a player at a service: `arrive(url, "Ana")`."""
    with ExitStack() as connections:
        yield partial(Player, connections)
