"""What all tests of clients stand on: Node with its packages, and the document they are made from."""

import pytest

from service.api.document import FOLDER
from tests.support import node


@pytest.fixture(scope="session", autouse=True)
def packages():
    """Node's packages are there, or the tests say why not."""
    node.install()


@pytest.fixture(scope="session")
def document():
    """The committed document; another test holds it equal to the code."""
    return FOLDER / "openapi.json"
