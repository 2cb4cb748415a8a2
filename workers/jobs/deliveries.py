"""The jobs of the webhooks' queue: one try to deliver one word."""

from functools import cache

from service.bootstrap import build_components
from service.config import Settings
from service.effects.webhooks import Deliverer
from service.runtime.http_client import WebhookClient


def deliver(delivery_id: str, step: int) -> None:
    """Do the step of a delivery, if nobody has gone on with it."""
    _deliverer().deliver(delivery_id, step)


@cache
def _deliverer() -> Deliverer:
    """Return the parts of this worker, made when the first job comes."""
    settings = Settings.from_environment()
    components = build_components(settings)
    poster = WebhookClient(private=settings.webhook_private_targets)
    return Deliverer(store=components.store, poster=poster, now=components.now)
