"""How times are written."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.runtime.timestamps import rfc3339

LAST = 253_402_300_799_999
"""The last millisecond of the year 9999."""


class TestATime:
    @pytest.mark.parametrize(
        "at_ms, written",
        [
            (0, "1970-01-01T00:00:00.000Z"),
            (1_790_000_000_120, "2026-09-21T14:13:20.120Z"),
            (1_790_000_000_000, "2026-09-21T14:13:20.000Z"),
            (LAST, "9999-12-31T23:59:59.999Z"),
        ],
    )
    def test_is_written_in_utc_with_three_digits_after_the_second(self, at_ms, written):
        assert rfc3339(at_ms) == written

    @given(st.integers(0, LAST))
    def test_is_read_as_the_same_millisecond(self, at_ms):
        since = datetime.fromisoformat(rfc3339(at_ms)) - datetime(1970, 1, 1, tzinfo=UTC)

        assert since // timedelta(milliseconds=1) == at_ms
        assert since % timedelta(milliseconds=1) == timedelta()
