"""Web Push: a message without content that wakes a browser."""

import base64
import json

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256

from service.effects.projector import Projector
from service.effects.web_push import InvalidVapidKey, VapidKey
from service.effects.webhook_sender import (
    MAX_WEBHOOKS,
    WAKING_TYPES,
    WEB_PUSH,
    Deliverer,
    WebhookSender,
    decode_webhook,
    encode_webhook,
    new_webhook,
)
from service.runtime.http_client import PostResult
from tests.support.outside import ANA, BEN, Outside

ENDPOINT = "https://push.example.com:8443/wpush/v2/abc"
KEY = VapidKey.parse(VapidKey.generate(), "mailto:ops@example.com")


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class PushService:
    """Keeps what it gets, and answers with a status."""

    def __init__(self, status=201):
        self.status = status
        self.got = []

    def post(self, url, body, headers):
        self.got.append((url, body, dict(headers)))
        return PostResult(status=self.status)


class TestTheToken:
    def test_is_signed_for_the_push_service_by_the_public_key(self):
        headers = KEY.headers(ENDPOINT, topic="g00abc", now=1_790_000_000_000)
        parts = headers["Authorization"].removeprefix("vapid ").split(", ")
        token, key = (part.split("=", 1)[1] for part in parts)
        signed, _, signature = token.rpartition(".")
        head, claims = (json.loads(decoded(part)) for part in signed.split("."))
        raw = decoded(signature)
        public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), decoded(key))

        public.verify(
            encode_dss_signature(int.from_bytes(raw[:32]), int.from_bytes(raw[32:])),
            signed.encode(),
            ec.ECDSA(SHA256()),
        )
        assert key == KEY.public
        assert head == {"typ": "JWT", "alg": "ES256"}
        assert claims == {
            "aud": "https://push.example.com:8443",
            "exp": 1_790_000_000 + 12 * 3600,
            "sub": "mailto:ops@example.com",
        }

    def test_names_nobody_without_a_subject(self):
        key = VapidKey.parse(VapidKey.generate(), None)
        token = key.headers(ENDPOINT, topic="g", now=0)["Authorization"].split("t=")[1]

        assert "sub" not in json.loads(decoded(token.split(".")[1]))

    def test_has_a_topic_of_the_game(self):
        one, other = (KEY.headers(ENDPOINT, topic=game, now=0)["Topic"] for game in ("g00a", "g00b"))

        assert one != other
        assert len(one) == 32

    @pytest.mark.parametrize("text", ["", "x", "A" * 43, "not a key at all", "_" * 60])
    def test_needs_a_key(self, text):
        with pytest.raises(InvalidVapidKey):
            VapidKey.parse(text, None)


class TestADelivery:
    @pytest.fixture
    def house(self):
        house = Outside()
        webhooks = WebhookSender(store=house.store, now=house.now)
        house.prompt = house.table(Projector(store=house.store, now=house.now, webhooks=webhooks))
        return house

    def subscribed(self, house):
        webhook = new_webhook(ENDPOINT, WAKING_TYPES, now=house.time, kind=WEB_PUSH)
        assert house.store.put_webhook(
            ANA.id, webhook.id, encode_webhook(webhook), replaces=None, max_webhooks=MAX_WEBHOOKS
        )
        return webhook

    def delivered(self, house, service, key=KEY):
        house.begin(house.prompt, BEN)
        deliverer = Deliverer(store=house.store, poster=service, now=house.now, vapid_key=key)
        house.time += 120_000
        for due in house.store.deliveries_due(now=house.time, limit=100):
            deliverer.deliver(due.delivery_id, 0)

    def test_has_no_content(self, house):
        self.subscribed(house)
        service = PushService()

        self.delivered(house, service)

        assert service.got
        for url, body, headers in service.got:
            assert (url, body) == (ENDPOINT, b"")
            assert headers["TTL"] == "86400"
            assert not any(name.startswith("webhook-") for name in headers)

    @pytest.mark.parametrize("status", [404, 410])
    def test_to_a_browser_that_has_unsubscribed_ends_the_webhook(self, house, status):
        self.subscribed(house)

        self.delivered(house, PushService(status))

        assert house.store.webhooks_of([ANA.id]) == [[]]
        assert house.store.deliveries_due(now=house.time + 10**9, limit=100) == []


def test_a_webhook_of_an_earlier_release_is_one_of_http():
    stored = json.loads(encode_webhook(new_webhook("https://example.com/", ("turn.started",), now=0)))
    del stored["kind"]

    assert decode_webhook(json.dumps(stored).encode()).kind == "http"
