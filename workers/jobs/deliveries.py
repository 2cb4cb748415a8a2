"""The RQ job that makes one attempt of a webhook delivery."""

from functools import cache

from service.bootstrap import build_components, vapid_key_of
from service.config import Settings
from service.effects.webhook_sender import Deliverer
from service.runtime.http_client import WebhookClient


def deliver(delivery_id: str, step: int) -> None:
    """Run a step of a delivery, unless another worker has done it."""
    _deliverer().deliver(delivery_id, step)


@cache
def _deliverer() -> Deliverer:
    """Return what this process delivers with, created by its first job."""
    settings = Settings.from_environment()
    components = build_components(settings)
    poster = WebhookClient(private=settings.webhook_private_targets)
    return Deliverer(
        store=components.store, poster=poster, now=components.now, vapid_key=vapid_key_of(settings)
    )
