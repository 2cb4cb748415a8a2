"""Where the stories of `tests/stories` are played here: on the rules themselves."""

import pytest

from tests.support.tables import table


@pytest.fixture
def at():
    """Set up a table in a position."""
    return table
