"""Whole games, move by move, as they were read and found right once."""

import pytest

from service.rummy.presets import PRESETS
from tests.support.playthrough import FOLDER, GAMES, path_of, text_of

MISSING = "write it with `python -m tests.support.playthrough --write`, and read it"


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_has_a_playthrough(preset):
    assert preset in GAMES, f"add a game of {preset} to tests/support/playthrough.py"
    assert GAMES[preset].preset == preset
    assert path_of(preset).exists(), MISSING


@pytest.mark.parametrize("name", GAMES)
def test_the_game_is_played_as_it_is_written(name):
    assert path_of(name).read_text(encoding="utf-8") == text_of(GAMES[name])


def test_every_text_belongs_to_a_game():
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(GAMES)
