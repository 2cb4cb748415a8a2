"""The facts of the five documents, each played on the rules."""

import json

import pytest

from service.rummy.errors import RULE_OF_CODE
from tests.support.seed_vectors import ACTIONS, NO_CODES, VECTORS, play_vector
from tests.support.tables import InTheRules


@pytest.mark.parametrize("line", VECTORS, ids=[line["id"] for line in VECTORS])
def test_seed_vector(line):
    play_vector(line, InTheRules)


def test_every_vector_is_here():
    assert len(VECTORS) == 161
    assert len({line["id"] for line in VECTORS}) == 161
    assert {line["action"]["type"] for line in VECTORS} == set(ACTIONS)


def test_every_reason_is_a_code_or_known_to_be_none():
    reasons = {line["expected"].get("reason") for line in VECTORS} - {None}

    assert reasons - set(RULE_OF_CODE) == NO_CODES


@pytest.mark.parametrize("part", ["situation", "action", "expected"])
def test_an_unread_word_fails(part):
    line = json.loads(json.dumps(VECTORS[0]))
    line[part]["weather"] = "fine"

    with pytest.raises(AssertionError, match="weather"):
        play_vector(line, InTheRules)
