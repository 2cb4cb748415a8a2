"""What holds for every test."""

import signal

import pytest
from hypothesis import settings

# Stories are imported by the tests that play them: their asserts are to be explained too.
pytest.register_assert_rewrite("tests.stories")

# A busy machine is no bug: tests say themselves how long something may take. A failing example
# is printed so that it can be run again.
settings.register_profile("rummy500", deadline=None, print_blob=True)
settings.load_profile("rummy500")

# Whoever starts the tests in the background may have told them to ignore Ctrl-C, and programs that tests
# start and interrupt would ignore it too.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_report_header() -> str:
    from workers.bots.engine.card_bits import COMPILED

    return f"engine of the bots: {'compiled' if COMPILED else 'plain Python'}"
