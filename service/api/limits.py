"""Rate limits: the policies, which operation counts against which, and the headers that report them.

`service.api.rate_limiter` does the counting. A move in one of the player's own games counts against a
policy of its own, so that no other request can use up the quota for moves.
"""

import hashlib
import ipaddress
import math
from typing import Final

from flask import Flask, Response, current_app, g, request

from service.api.problems import Problem
from service.api.rate_limiter import Limiter, Policy, Quota
from service.api.services import current_services
from service.runtime import metrics
from service.runtime.durations import DAY_MS, HOUR_MS, MINUTE_MS

ADDRESS: Final = Policy(
    name="address",
    quota=36_000,
    window_ms=MINUTE_MS,
    meaning="Every request from one address, except moves.",
)
NEWCOMERS: Final = Policy(
    name="newcomers",
    quota=1_000,
    window_ms=HOUR_MS,
    exact=True,
    meaning="New players (createPlayer) from one address.",
)
CLAIMS: Final = Policy(
    name="claims",
    quota=60,
    window_ms=MINUTE_MS,
    exact=True,
    meaning="Attempts to claim a device link (claimDeviceLink) from one address.",
)
RECOVERIES: Final = Policy(
    name="recoveries",
    quota=30,
    window_ms=HOUR_MS,
    exact=True,
    meaning="Attempts to claim a recovery code (claimRecoveryCode) from one address.",
)
READING: Final = Policy(
    name="reading",
    quota=3_000,
    window_ms=MINUTE_MS,
    meaning="Reads and dry runs of a player. Each move made gives 20 back.",
)
CHANGING: Final = Policy(
    name="changing",
    quota=1_200,
    window_ms=MINUTE_MS,
    meaning="Changes by a player, except moves and new games.",
)
PRINTING: Final = Policy(
    name="printing",
    quota=60,
    window_ms=MINUTE_MS,
    exact=True,
    meaning="Score sheets as PDF, each of which takes half a second to make.",
)
OPENING: Final = Policy(
    name="opening",
    quota=3_000,
    window_ms=HOUR_MS,
    meaning="New games of a player (createGame, rematchGame).",
)
MOVES: Final = Policy(
    name="moves",
    quota=6_000,
    window_ms=MINUTE_MS,
    meaning="Moves of a player in one game. Nothing else counts against it.",
)
REACTIONS: Final = Policy(
    name="reactions",
    quota=20,
    window_ms=MINUTE_MS,
    exact=True,
    meaning="Reactions of a player, over all games.",
)
SHEETS: Final = Policy(
    name="sheets",
    quota=200,
    window_ms=HOUR_MS,
    exact=True,
    meaning="New score sheets (createScoreSheet) from one address.",
)
SCORING: Final = Policy(
    name="scoring",
    quota=600,
    window_ms=MINUTE_MS,
    meaning="Changes of score sheets from one address.",
)
REPORTS: Final = Policy(
    name="reports",
    quota=20,
    window_ms=DAY_MS,
    exact=True,
    meaning="Reports of a player about others (reportPlayer).",
)
EXPORTS: Final = Policy(
    name="exports",
    quota=20,
    window_ms=HOUR_MS,
    exact=True,
    meaning="Exports of an account (exportMe).",
)
POLICIES: Final = (
    ADDRESS,
    NEWCOMERS,
    CLAIMS,
    RECOVERIES,
    READING,
    CHANGING,
    OPENING,
    MOVES,
    SHEETS,
    SCORING,
    PRINTING,
    REACTIONS,
    REPORTS,
    EXPORTS,
)

#: A move gives back the reads that it took to find it: players read more than spectators.
_READS_GIVEN_BACK: Final = 20

#: Health checks and metrics are exempt.
_UNLIMITED: Final = frozenset({"getHealth", "getReadiness", "getMetrics"})
_POLICY_OF_OPERATION: Final = {
    "createPlayer": NEWCOMERS,
    "claimDeviceLink": CLAIMS,
    "claimRecoveryCode": RECOVERIES,
    "getEmptyScoreSheetPdf": PRINTING,
    "getScoreSheetPdf": PRINTING,
    "sendReaction": REACTIONS,
    "reportPlayer": REPORTS,
    "exportMe": EXPORTS,
    "createGame": OPENING,
    "rematchGame": OPENING,
    "createScoreSheet": SHEETS,
    **dict.fromkeys(("recordDeal", "amendDeal", "undoDeal"), SCORING),
}
#: The headers of a 429, as the document describes them.
HEADERS: Final = {
    "Retry-After": "The seconds to wait before a retry.",
    "RateLimit": 'What is left: `"reading";r=2990;t=42`, requests and seconds until the window ends.',
    "RateLimit-Policy": 'The limits: `"reading";q=3000;w=60`, requests and seconds of the window.',
}


def policy_of(operation_id: str, method: str, *, has_token: bool, is_move: bool) -> Policy | None:
    """Return the policy of an operation; None for no limit. Without a token it counts against the address."""
    if operation_id in _UNLIMITED:
        return None
    named = _POLICY_OF_OPERATION.get(operation_id)
    if named is not None:
        return named
    if is_move:
        return MOVES
    if not has_token:
        return ADDRESS
    return READING if method == "GET" else CHANGING


def count_request(limiter: Limiter | None, policy: Policy, player_id: str | None) -> None:
    """Count the running request of a player or an address; raise `Problem` rate_limited over the quota."""
    if limiter is None:
        return
    if policy is MOVES and request.args.get("dry_run") == "true":
        policy = READING
    subject = address_hash() if player_id is None else player_id
    if policy is MOVES:
        subject = f"{subject}/{(request.view_args or {}).get('game_id')}"
    quota = limiter.take(policy, subject)
    g.quotas = [*g.get("quotas", ()), quota]
    if quota.retry_after_ms is not None:
        raise _rate_limited(quota, quota.retry_after_ms)


def give_back_reads(limiter: Limiter | None, player_id: str) -> None:
    """Return part of the reading quota to a player who has made a move."""
    if limiter is not None:
        limiter.give_back(READING, player_id, _READS_GIVEN_BACK)


def _rate_limited(quota: Quota, retry_after_ms: int) -> Problem:
    metrics.LIMITED.labels(quota.policy.name).inc()
    seconds = math.ceil(retry_after_ms / 1000)
    return Problem(
        "rate_limited",
        f"Too many requests ({quota.policy.name}): retry in {seconds} s.",
        headers={"Retry-After": str(seconds)},
        policy=quota.policy.name,
        retry_after_ms=retry_after_ms,
    )


def address_hash() -> str:
    """Return a hash of the client's address; of an IPv6 address its /64, which one household shares."""
    sent = request.remote_addr or ""
    try:
        address = ipaddress.ip_address(sent)
    except ValueError:
        network = sent
    else:
        network = str(ipaddress.ip_network((address, 64 if address.version == 6 else 32), strict=False))  # noqa: PLR2004 - IPv6
    return hashlib.sha256(network.encode()).hexdigest()[:32]


def _count_address() -> None:
    view = current_app.view_functions.get(request.endpoint or "")
    # A move counts against the address only without a valid token; see `Resource`.
    if request.method != "OPTIONS" and getattr(view, "policy", ADDRESS) not in {MOVES, None}:
        count_request(current_services().limiter, ADDRESS, None)


def _add_headers(response: Response) -> Response:
    quotas: list[Quota] = g.get("quotas", [])
    if quotas:
        response.headers["RateLimit-Policy"] = ", ".join(
            f'"{quota.policy.name}";q={quota.policy.quota};w={quota.policy.window_ms // 1000}'
            for quota in quotas
        )
        response.headers["RateLimit"] = ", ".join(
            f'"{quota.policy.name}";r={quota.left};t={math.ceil(quota.resets_in_ms / 1000)}'
            for quota in quotas
        )
    return response


def register(app: Flask) -> None:
    """Count every request, and report what is left in the headers."""
    app.before_request(_count_address)
    app.after_request(_add_headers)
