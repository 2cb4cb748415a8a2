"""Web Push: a message without content that wakes a browser, which then reads its games (RFC 8030, 8292).

The push service of the browser learns who sends from a VAPID header: a JWT signed with the key of this
service. Not pywebpush: without content there is nothing to encrypt, and it needs two HTTP clients.
"""

import base64
import hashlib
import re
from dataclasses import dataclass, field
from typing import Final, Self
from urllib.parse import urlsplit

import msgspec
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from service.runtime.durations import HOUR_MS, SECOND_MS

#: A push service refuses a token that is valid for more than a day.
_TOKEN_MS: Final = 12 * HOUR_MS
#: A turn that is a day old wakes no one.
_KEPT_SECONDS: Final = 86_400
_NUMBER_BYTES: Final = 32
#: Those 32 bytes in base64url.
_KEY_FORM: Final = re.compile(r"[A-Za-z0-9_-]{43}")
_TOPIC_CHARACTERS: Final = 32


class InvalidVapidKey(ValueError):  # noqa: N818 - as SettingError, it is for who starts the service
    """The text is no private key; the message says what is."""


@dataclass(frozen=True, slots=True)
class VapidKey:
    """The key by which push services recognise this service; `subject` is how they reach its operator."""

    number: int = field(repr=False)
    subject: str | None

    @classmethod
    def parse(cls, text: str, subject: str | None) -> Self:
        """Return the key written by `text`; raise InvalidVapidKey for anything else."""
        number = int.from_bytes(base64.urlsafe_b64decode(text + "=")) if _KEY_FORM.fullmatch(text) else 0
        try:
            ec.derive_private_key(number, ec.SECP256R1())
        except ValueError as error:
            raise InvalidVapidKey("must be a key that `rummy500 vapid-key` prints.") from error
        return cls(number, subject)

    @classmethod
    def generate(cls) -> str:
        """Return a new private key as text."""
        number = ec.generate_private_key(ec.SECP256R1()).private_numbers().private_value
        return _text(number.to_bytes(_NUMBER_BYTES))

    @property
    def public(self) -> str:
        """The public key as browsers take it, as `applicationServerKey`."""
        point = self._key().public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        return _text(point)

    def headers(self, endpoint: str, *, topic: str, now: int) -> dict[str, str]:
        """Return the headers of a message to an endpoint; a newer one of a topic replaces an older one."""
        parts = urlsplit(endpoint)
        claims: dict[str, str | int] = {
            "aud": f"{parts.scheme}://{parts.netloc}",
            "exp": (now + _TOKEN_MS) // SECOND_MS,
        }
        if self.subject is not None:
            claims["sub"] = self.subject
        token = self._sign(claims)
        digest = hashlib.sha256(topic.encode()).digest()
        return {
            "Authorization": f"vapid t={token}, k={self.public}",
            "TTL": str(_KEPT_SECONDS),
            "Urgency": "high",
            "Topic": _text(digest)[:_TOPIC_CHARACTERS],
        }

    def _sign(self, claims: dict[str, str | int]) -> str:
        parts = ({"typ": "JWT", "alg": "ES256"}, claims)
        signed = ".".join(_text(msgspec.json.encode(part)) for part in parts)
        r, s = decode_dss_signature(self._key().sign(signed.encode(), ec.ECDSA(SHA256())))
        return f"{signed}.{_text(r.to_bytes(_NUMBER_BYTES) + s.to_bytes(_NUMBER_BYTES))}"

    def _key(self) -> ec.EllipticCurvePrivateKey:
        return ec.derive_private_key(self.number, ec.SECP256R1())


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
