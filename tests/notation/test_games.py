"""Whole games as they are written down: one for each preset, and for what no preset does."""

import pytest

from service.notation.reading import parse_replay
from service.notation.verify import verify_replay
from service.notation.writing import format_replay
from tests.support.playthrough import GAMES
from tests.support.replays import FOLDER, golden_text, path_of


@pytest.mark.parametrize("name", GAMES)
class TestAGameOnPaper:
    def test_is_written_as_ever(self, name):
        assert golden_text(name) == path_of(name).read_text(encoding="utf-8")

    def test_is_read_and_written_again_the_same(self, name):
        text = path_of(name).read_text(encoding="utf-8")

        assert format_replay(parse_replay(text)) == text

    def test_is_legal_from_the_first_card_to_the_last_point(self, name):
        verification = verify_replay(parse_replay(path_of(name).read_text(encoding="utf-8")))

        assert verification.faults == ()
        assert all(deal.is_proven for deal in verification.deals)


def test_no_paper_is_left_over():
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(GAMES)
