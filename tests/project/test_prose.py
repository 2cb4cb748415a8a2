"""Prose is plain English: the words that we avoid stay few, each on purpose."""

from tests.project.mannered_words import LIMIT, found


def test_words_that_we_avoid_are_few():
    words = [f"{path}:{number}: {word}" for path, number, word in found()]

    assert len(words) < LIMIT, "\n".join(words)
