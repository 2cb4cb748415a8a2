"""What all tests of clients stand on: Node with its packages, the document, and a service to play at."""

import pytest

from service.api.document import FOLDER
from tests.support import node
from tests.support.tree import Tree


@pytest.fixture(scope="session", autouse=True)
def packages():
    """Node's packages are there, or the tests say why not."""
    node.install()


@pytest.fixture(scope="session")
def document():
    """The committed document; another test holds it equal to the code."""
    return FOLDER / "openapi.json"


@pytest.fixture(scope="session")
def url(tmp_path_factory):
    """Return the address of a real service with everything in it."""
    with Tree(tmp_path_factory.mktemp("service") / "data") as tree:
        yield tree.url
        assert tree.stop() == 0
