"""openapi/NOTATION.md shows a game that is written so, and says every word there is."""

import re

import pytest

from service.api.document import FOLDER
from service.notation.lines import NoteKind
from service.notation.reading import parse_replay
from service.notation.verify import verify_replay
from service.notation.words import VERBS
from tests.support.replays import example_text

DOCUMENT = (FOLDER / "NOTATION.md").read_text(encoding="utf-8")
EXAMPLE = DOCUMENT.partition("```\n")[2].partition("```")[0]


class TestTheExample:
    def test_is_a_game_as_it_is_written(self):
        assert example_text() == EXAMPLE

    def test_is_legal(self):
        assert verify_replay(parse_replay(EXAMPLE)).faults == ()


class TestTheWords:
    @pytest.mark.parametrize("verb", VERBS)
    def test_of_turns_are_all_described(self, verb):
        assert re.search(rf"`{verb}\b", DOCUMENT)

    @pytest.mark.parametrize("said", NoteKind)
    def test_of_notes_are_all_described(self, said):
        assert re.search(rf"`\* [^`]*{said}", DOCUMENT)
