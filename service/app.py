"""The application: parts, refusals and resources put together. The one place that knows them all."""

from flask import Flask

from service.api import idempotency, limits, metrics, parts, problems, requests
from service.api.device_links import device_links
from service.api.docs import docs
from service.api.document import Document
from service.api.events import events
from service.api.games import games
from service.api.health import health
from service.api.hints import hints
from service.api.leaderboards import leaderboards
from service.api.legal_moves import lawful
from service.api.meta import meta
from service.api.moves import moves
from service.api.parts import Parts
from service.api.players import players
from service.api.rematches import rematches
from service.api.replays import replays
from service.api.rules import rules
from service.api.seats import seats
from service.api.seeks import seeks
from service.api.streams import streams
from service.api.tokens import tokens
from service.api.webhooks import webhooks

RESOURCES = (
    health,
    meta,
    rules,
    players,
    tokens,
    device_links,
    games,
    seats,
    seeks,
    lawful,
    hints,
    moves,
    rematches,
    events,
    streams,
    replays,
    leaderboards,
    webhooks,
)


def create_app(given: Parts, *, trusted_proxies: int = 0) -> Flask:
    """Return the WSGI app that works with these parts, behind so many proxies of our own."""
    app = Flask("rummy500", static_folder=None)
    # A redirect to a tidier path would be HTML; a path that is not ours is a 404 and says so.
    app.url_map.merge_slashes = False
    parts.install(app, given)
    metrics.register(app)
    requests.register(app, trusted_proxies=trusted_proxies)
    limits.register(app)
    problems.register(app)
    idempotency.register(app)
    document = Document(app)
    for resource in RESOURCES:
        document.register_blueprint(resource)
    app.register_blueprint(docs)
    return app
