"""Every sentence of the rule texts has a test, which notices a fault of the rule; see README.md here."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def report():
    """What a run in a process of its own found: it forks for each mutant."""
    ran = subprocess.run(
        [sys.executable, "-m", "tests.rule_texts", "--json"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.stdout, ran.stderr
    return json.loads(ran.stdout)


def test_every_sentence_is_proved(report):
    assert "\n".join(report["problems"]) == ""
    assert report["proved"] == report["sentences"] > 100


def test_every_mutant_is_noticed(report):
    assert report["killed"] == report["mutants"] > 100
