"""Everything that the rules hand out is a value: frozen, slotted, its members named."""

import inspect
from dataclasses import FrozenInstanceError, is_dataclass

import pytest

from service.rummy import events, legal_moves, moves, positions, presets, state, variants, views
from service.rummy.possible_melds import PossibleMeld
from tests.support.tables import dealt

VALUES = [
    thing
    for module in (events, legal_moves, moves, positions, presets, state, variants, views)
    for name, thing in vars(module).items()
    if is_dataclass(thing) and thing.__module__ == module.__name__ and not name.startswith("_")
]


@pytest.mark.parametrize("value", [*VALUES, PossibleMeld])
def test_it_is_frozen_and_slotted(value):
    assert value.__dataclass_params__.frozen
    assert "__slots__" in vars(value)


@pytest.mark.parametrize("value", VALUES)
def test_its_members_are_named_when_it_is_made(value):
    parameters = inspect.signature(value).parameters.values()

    assert {parameter.kind for parameter in parameters} <= {inspect.Parameter.KEYWORD_ONLY}


def test_a_game_is_never_edited():
    game = dealt().game

    with pytest.raises(FrozenInstanceError):
        game.totals = (500, 0)
    assert hash(game.deal) == hash(dealt().game.deal)
