"""Stored responses that hold a token: only the client's Idempotency-Key opens them."""

from dataclasses import replace

import pytest
from cryptography.exceptions import InvalidTag

from service.api.sealing import seal, unseal
from service.store.answers import IdempotencyKey

TEXT = b'{"token":"pAna.secret"}'
KEY = "5f0c2a54-6f0e-4f6c-9c59-0d2f6f1f7a10"
NAME = IdempotencyKey(player_id="pAna", name="a" * 64)


class TestASealedResponse:
    def test_opens_with_its_key(self):
        assert unseal(seal(TEXT, KEY, NAME), KEY, NAME) == TEXT

    def test_does_not_show_its_text(self):
        assert b"secret" not in seal(TEXT, KEY, NAME)

    def test_is_different_each_time(self):
        assert seal(TEXT, KEY, NAME) != seal(TEXT, KEY, NAME)

    def test_does_not_open_with_another_key(self):
        with pytest.raises(InvalidTag):
            unseal(seal(TEXT, KEY, NAME), "another key", NAME)

    @pytest.mark.parametrize("other", [{"player_id": "pBen"}, {"name": "b" * 64}])
    def test_does_not_open_for_another_request(self, other):
        with pytest.raises(InvalidTag):
            unseal(seal(TEXT, KEY, NAME), KEY, replace(NAME, **other))

    @pytest.mark.parametrize("place", [8, 20, -1])
    def test_that_was_changed_does_not_open(self, place):
        sealed = bytearray(seal(TEXT, KEY, NAME))
        sealed[place] ^= 1

        with pytest.raises(InvalidTag):
            unseal(bytes(sealed), KEY, NAME)

    def test_of_release_0_1_still_opens(self):
        sealed = bytes.fromhex(
            "000102030405060708090a0b0c0d0e0fced4d980999dd42d5b749cdf62211570becdb9ecfc480b"
        )

        assert unseal(sealed, "key-1", NAME) == TEXT
