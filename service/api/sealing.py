"""Stored responses that show a secret once, encrypted with the client's own Idempotency-Key.

The store holds only a hash of the key, so that it can find the response and cannot read it. The cipher is
AES-256-GCM under a key that HKDF-SHA-256 derives from the Idempotency-Key; the name of the reservation is
authenticated with it, so that a response cannot be moved to another request. A client that sends a key
which can be guessed protects its response no better than that key.
"""

import hashlib
import secrets
from typing import Final

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from service.store.answers import IdempotencyKey

#: Release 0.1.0 wrote 16 random bytes here, which are these once in 2 to the 64th.
_PREFIX: Final = b"sealed2:"
_NONCE_BYTES: Final = 12
_OLD_NONCE_BYTES: Final = 16


def seal(text: bytes, key: str, name: IdempotencyKey) -> bytes:
    """Return the text encrypted for the client that sends the key again."""
    nonce = secrets.token_bytes(_NONCE_BYTES)
    return _PREFIX + nonce + _cipher(key, nonce).encrypt(nonce, text, _bound_to(name))


def unseal(sealed: bytes, key: str, name: IdempotencyKey) -> bytes:
    """Return the text that was sealed; raise InvalidTag if the bytes were changed or belong elsewhere."""
    if not sealed.startswith(_PREFIX):
        return _unseal_0_1(sealed, key)
    nonce, text = sealed[len(_PREFIX) :][:_NONCE_BYTES], sealed[len(_PREFIX) + _NONCE_BYTES :]
    return _cipher(key, nonce).decrypt(nonce, text, _bound_to(name))


def _cipher(key: str, nonce: bytes) -> AESGCM:
    # The nonce is the salt as well: each response has a key of its own.
    derived = HKDF(algorithm=SHA256(), length=32, salt=nonce, info=b"rummy500 stored response")
    return AESGCM(derived.derive(key.encode()))


def _bound_to(name: IdempotencyKey) -> bytes:
    return f"{name.player_id}/{name.name}".encode()


def _unseal_0_1(sealed: bytes, key: str) -> bytes:
    """Return what release 0.1.0 sealed, by a key stream of SHAKE-256.

    Responses are stored for 24 hours: remove this in the release after 0.2.
    """
    nonce, text = sealed[:_OLD_NONCE_BYTES], sealed[_OLD_NONCE_BYTES:]
    stream = hashlib.shake_256(nonce + key.encode()).digest(len(text))
    return bytes(a ^ b for a, b in zip(text, stream, strict=True))
