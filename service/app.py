"""The Flask application: services, error handlers and resources put together."""

from flask import Flask

from service.api import compression, idempotency, limits, problems, requests, services
from service.api.document import Document
from service.api.resources import metrics
from service.api.resources.blocks import blocks
from service.api.resources.device_links import device_links
from service.api.resources.docs import docs
from service.api.resources.events import events
from service.api.resources.exports import exports
from service.api.resources.front_page import front_page
from service.api.resources.games import games
from service.api.resources.health import health
from service.api.resources.hints import hints
from service.api.resources.leaderboards import leaderboards
from service.api.resources.legal_moves import legal_moves
from service.api.resources.meta import meta
from service.api.resources.moves import moves
from service.api.resources.players import players
from service.api.resources.printing import printing
from service.api.resources.reactions import reactions
from service.api.resources.recovery_codes import recovery_codes
from service.api.resources.rematches import rematches
from service.api.resources.replays import replays
from service.api.resources.reports import reports
from service.api.resources.rules import rules
from service.api.resources.score_sheets import score_sheets
from service.api.resources.seats import seats
from service.api.resources.seeks import seeks
from service.api.resources.streams import streams
from service.api.resources.tokens import tokens
from service.api.resources.webhooks import webhooks
from service.api.services import Services

RESOURCES = (
    health,
    meta,
    rules,
    printing,
    players,
    tokens,
    device_links,
    recovery_codes,
    blocks,
    reports,
    exports,
    games,
    seats,
    seeks,
    legal_moves,
    hints,
    moves,
    reactions,
    rematches,
    events,
    streams,
    replays,
    leaderboards,
    score_sheets,
    webhooks,
)


def create_app(app_services: Services, *, trusted_proxies: int = 0) -> Flask:
    """Return the WSGI app with these services, behind this number of our own proxies."""
    app = Flask("rummy500", static_folder=None)
    # A redirect to a merged path would be HTML; an unknown path is a 404.
    app.url_map.merge_slashes = False
    services.init_app(app, app_services)
    metrics.register(app)
    compression.register(app)
    requests.register(app, trusted_proxies=trusted_proxies)
    limits.register(app)
    problems.register(app)
    idempotency.register(app)
    document = Document(app)
    for resource in RESOURCES:
        document.register_blueprint(resource)
    app.register_blueprint(docs)
    app.register_blueprint(front_page)
    return app
