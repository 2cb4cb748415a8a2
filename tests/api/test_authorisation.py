"""Who may do what: every operation, asked by every kind of caller.

A row of the table is an operation: the game it is asked in, the request, and the answers of who opened
the table, who else sits there, who may watch and who is a stranger to it. An answer is a status, with the
problem's code where there is one. What a token without the scope, a revoked one and none at all are told
is the same everywhere, and follows from whether the operation asks for a scope.
"""

import pytest

from service.api.auth import SCOPES
from service.streams.connections import Connections, Timing

WAITING, PLAYING, OVER, ANYWHERE = "waiting", "playing", "over", "anywhere"
GAME = "/v1/games/{game_id}"

#: A stranger is told nothing, not even that there is such a game; who may watch is told why he may not move.
HIDDEN = "404 not_found"
WATCHES = "403 not_seated"
NOT_YET, TOO_EARLY, OFF = "409 not_your_turn", "409 wrong_phase", "409 option_off"

#: Operations that ask for no token.
OPEN = {
    "getHealth": ("GET /healthz", "200"),
    "getReadiness": ("GET /readyz", "200"),
    "getMeta": ("GET /v1/meta", "200"),
    "getProblem": ("GET /problems/not_found", "200"),
    "getRules": ("GET /v1/rules/classic", "200"),
    "getRulesText": ("GET /v1/rules/classic.md", "200"),
    "createPlayer": ("POST /v1/players", "201"),
    "claimDeviceLink": ("POST /v1/device-links/claim", "404 not_found"),
}

#: operation: the game, the request, and the answers to its owner, the other seat, a spectator, a stranger.
TABLE = {
    # One's own account: everybody has one, and nobody reaches another's.
    "getMe": (ANYWHERE, "GET /v1/me", "200", "200", "200", "200"),
    "updateMe": (ANYWHERE, "PATCH /v1/me", "200", "200", "200", "200"),
    "deleteMe": (ANYWHERE, "DELETE /v1/me", "204", "204", "204", "204"),
    "listMyGames": (ANYWHERE, "GET /v1/me/games", "200", "200", "200", "200"),
    "listTokens": (ANYWHERE, "GET /v1/tokens", "200", "200", "200", "200"),
    "createToken": (ANYWHERE, "POST /v1/tokens", "201", "201", "201", "201"),
    "revokeToken": (ANYWHERE, "DELETE /v1/tokens/{token_id}", "204", HIDDEN, HIDDEN, HIDDEN),
    "createDeviceLink": (ANYWHERE, "POST /v1/device-links", "201", "201", "201", "201"),
    "createStreamTicket": (ANYWHERE, "POST /v1/stream-tickets", "201", "201", "201", "201"),
    "streamMyEvents": (ANYWHERE, "GET /v1/me/stream", "200", "200", "200", "200"),
    "listWebhooks": (ANYWHERE, "GET /v1/webhooks", "200", "200", "200", "200"),
    "createWebhook": (ANYWHERE, "POST /v1/webhooks", "201", "201", "201", "201"),
    "deleteWebhook": (ANYWHERE, "DELETE /v1/webhooks/{webhook_id}", "204", HIDDEN, HIDDEN, HIDDEN),
    "testWebhook": (ANYWHERE, "POST /v1/webhooks/{webhook_id}/test", "202", HIDDEN, HIDDEN, HIDDEN),
    # The lobby.
    "createGame": (ANYWHERE, "POST /v1/games", "201", "201", "201", "201"),
    "listGames": (ANYWHERE, "GET /v1/games", "200", "200", "200", "200"),
    "createSeek": (ANYWHERE, "POST /v1/seeks", "201", "201", "201", "201"),
    "renewSeek": (ANYWHERE, "PUT /v1/seeks/{seek_id}", "200", HIDDEN, HIDDEN, HIDDEN),
    "cancelSeek": (ANYWHERE, "DELETE /v1/seeks/{seek_id}", "204", HIDDEN, HIDDEN, HIDDEN),
    "getPlayer": (ANYWHERE, "GET /v1/players/{player_id}", "200", "200", "200", "200"),
    "getLeaderboard": (ANYWHERE, "GET /v1/leaderboards/people", "200", "200", "200", "200"),
    # A table that waits for players.
    "joinGame": (WAITING, f"POST {GAME}/seats", "409 seat_taken", "409 seat_taken", "201", HIDDEN),
    "leaveGame": (WAITING, f"DELETE {GAME}/seats/me", "204", "204", WATCHES, HIDDEN),
    "seatComputer": (WAITING, f"PUT {GAME}/seats/2/computer", "200", "403 not_creator", WATCHES, HIDDEN),
    "startGame": (WAITING, f"POST {GAME}/start", "409 seats_empty", "403 not_creator", WATCHES, HIDDEN),
    "abortGame": (WAITING, f"POST {GAME}/abort", "200", "403 not_creator", WATCHES, HIDDEN),
    "renewInviteCodes": (WAITING, f"POST {GAME}/invite-codes", "200", "403 not_creator", WATCHES, HIDDEN),
    # Looking at a game.
    "getGame": (PLAYING, f"GET {GAME}", "200", "200", "200", HIDDEN),
    "getGameRules": (PLAYING, f"GET {GAME}/rules", "200", "200", "200", HIDDEN),
    "listLegalMoves": (PLAYING, f"GET {GAME}/legal-moves", "200", "200", WATCHES, HIDDEN),
    "listEvents": (PLAYING, f"GET {GAME}/events", "200", "200", "200", HIDDEN),
    "streamGame": (PLAYING, f"GET {GAME}/stream", "200", "200", "200", HIDDEN),
    "streamGameNdjson": (PLAYING, f"GET {GAME}/stream.ndjson", "200", "200", "200", HIDDEN),
    "getReplay": (PLAYING, f"GET {GAME}/replay", "200", "200", "200", HIDDEN),
    "getReplayText": (PLAYING, f"GET {GAME}/replay.txt", "200", "200", "200", HIDDEN),
    "getDealProof": (PLAYING, f"GET {GAME}/deals/1/proof", "200", "200", "200", HIDDEN),
    # Advice, where it is the owner's turn; a job is for the one who asked.
    "requestHint": (PLAYING, f"POST {GAME}/hints", "202", NOT_YET, WATCHES, HIDDEN),
    "getJob": (PLAYING, "GET /v1/jobs/{job_id}", "200", HIDDEN, HIDDEN, HIDDEN),
    # Moves, where it is the owner's turn to draw.
    "drawStock": (PLAYING, f"POST {GAME}/draw-stock", "201", NOT_YET, WATCHES, HIDDEN),
    "takeDiscard": (PLAYING, f"POST {GAME}/take-discard", "201", NOT_YET, WATCHES, HIDDEN),
    "layMeld": (PLAYING, f"POST {GAME}/melds", "409 draw_first", NOT_YET, WATCHES, HIDDEN),
    "layOff": (PLAYING, f"POST {GAME}/lay-offs", "409 draw_first", NOT_YET, WATCHES, HIDDEN),
    "discardCard": (PLAYING, f"POST {GAME}/discard", "409 draw_first", NOT_YET, WATCHES, HIDDEN),
    "passDraw": (PLAYING, f"POST {GAME}/pass", "409 stock_not_empty", NOT_YET, WATCHES, HIDDEN),
    "keepCard": (PLAYING, f"POST {GAME}/keep", OFF, OFF, WATCHES, HIDDEN),
    "callRummy": (PLAYING, f"POST {GAME}/rummy-calls", OFF, OFF, WATCHES, HIDDEN),
    "playTurn": (PLAYING, f"POST {GAME}/turns", "201", NOT_YET, WATCHES, HIDDEN),
    "readyForNextDeal": (
        PLAYING,
        f"POST {GAME}/next-deal",
        TOO_EARLY,
        TOO_EARLY,
        WATCHES,
        HIDDEN,
    ),
    "resignGame": (PLAYING, f"POST {GAME}/resignation", "201", "201", WATCHES, HIDDEN),
    # After the game.
    "requestReview": (OVER, f"POST {GAME}/review", "202", "202", WATCHES, HIDDEN),
    "getReview": (OVER, f"GET {GAME}/review", "404 not_found", "404 not_found", WATCHES, HIDDEN),
    "rematchGame": (OVER, f"POST {GAME}/rematch", "201", "201", WATCHES, HIDDEN),
}

CALLERS = ("owner", "other seat", "spectator", "stranger")

BODIES = {
    "createPlayer": {"name": "Eve"},
    "claimDeviceLink": {"code": "AAAA-AAAA-AAAA-AAAA-AAAA"},
    "updateMe": {"name": "Anna"},
    "createToken": {"name": "phone"},
    "createStreamTicket": {},
    "createDeviceLink": {},
    "createGame": {"seats": 2},
    "createWebhook": {"url": "https://93.184.216.34/rummy", "events": ["game.ended"]},
    "createSeek": {"seats": 2},
    "seatComputer": {"level": "steady"},
    "layMeld": {"cards": ["7S", "7C", "7D"]},
    "layOff": {"meld_id": "m1", "card": "KD"},
    "discardCard": {"card": "KD"},
    "callRummy": {"card": "7H", "use": {"type": "meld", "cards": ["7S", "7C", "7H"]}},
    "playTurn": {"moves": [{"type": "draw_stock"}, {"type": "discard", "card": "drawn"}]},
}
#: A preset in which whatever lies on top may be taken.
UPCARD_KEPT = {"preset": "kitchen-table"}
#: A game that is over when everybody has thrown what he drew until the stock was empty.
ONE_DEAL = {"preset": "classic", "overrides": {"deals": 1, "stock_empty": "end_at_once", "tie": "draw"}}


def scope_of(contract, name):
    return contract.operations[name].get("x-scope")


class TestTheTable:
    def test_has_every_operation(self, contract):
        assert sorted(contract.operations) == sorted({*OPEN, *TABLE})

    def test_knows_which_operations_ask_for_a_token(self, contract):
        assert {name for name in contract.operations if scope_of(contract, name) is None} == set(OPEN)


@pytest.fixture
def streams(clock, store):
    """Streams that end as soon as they have told what there is."""
    streams = Connections(store=store, now=clock, slots=2, timing=Timing(life_seconds=0.0))
    yield streams
    streams.close()


@pytest.fixture
def company(client, settle):
    return {caller: settle(caller.title()) for caller in CALLERS}


@pytest.fixture
def made(client, company, open_table, advice_queue):
    """Make the game an operation is asked in; the ids that its path may name are returned."""
    owner, other = company["owner"], company["other seat"]
    # Asking is what is judged here, not thinking.
    advice_queue.at_once = False

    def post(path, body=None, *, headers):
        answer = client.post(path, json=body, headers=headers)
        assert answer.status_code in {200, 201, 202}, answer.json
        return answer.json

    def made(situation, *, is_public):
        known = {
            "token_id": post("/v1/tokens", {"name": "lost phone"}, headers=owner)["token_info"]["id"],
            "seek_id": post("/v1/seeks", {"seats": 2}, headers=owner)["id"],
            "webhook_id": post("/v1/webhooks", BODIES["createWebhook"], headers=owner)["webhook"]["id"],
            "player_id": client.get("/v1/me", headers=owner).json["id"],
        }
        if situation == ANYWHERE:
            return known
        watched = {"visibility": "public", "spectators": "public"} if is_public else {}
        seats = 3 if situation == WAITING else 2
        variant = ONE_DEAL if situation == OVER else UPCARD_KEPT
        game = open_table(owner, seats=seats, variant=variant, **watched)
        path = f"/v1/games/{game['id']}"
        post(f"{path}/seats", {"invite_code": game["invite_code"]}, headers=other)
        if situation in {PLAYING, OVER}:
            view = post(f"{path}/start", headers=owner)
            while view["turn"] and (view["turn"]["seat"] == 1 or situation == OVER):
                to_act = (owner, other)[view["turn"]["seat"]]
                view = post(f"{path}/turns", BODIES["playTurn"], headers=to_act)["game"]
        pile = client.get(path, headers=owner).json["discard_pile"]
        if situation == PLAYING:
            known["job_id"] = post(f"{path}/hints", headers=owner)["id"]
        return {**known, "game_id": game["id"], "upcard": pile[-1] if pile else None}

    return made


@pytest.fixture
def ask(client, made):
    """Ask for an operation in a game made for it, with these headers."""

    def ask(name, headers, *, is_public=False):
        situation, request = (ANYWHERE, OPEN[name][0]) if name in OPEN else TABLE[name][:2]
        known = made(situation, is_public=is_public)
        method, path = request.split(" ")
        body = {"card": known["upcard"]} if name == "takeDiscard" else BODIES.get(name)
        answer = client.open(path.format(**known), method=method, json=body, headers=headers)
        problem = answer.json["code"] if answer.status_code >= 400 else None
        return f"{answer.status_code} {problem}" if problem else str(answer.status_code)

    return ask


@pytest.mark.parametrize("caller", CALLERS)
@pytest.mark.parametrize("name", TABLE)
def test_with_all_scopes_one_is_answered_as_the_table_says(ask, company, name, caller):
    expected = TABLE[name][2 + CALLERS.index(caller)]

    assert ask(name, company[caller], is_public=caller == "spectator") == expected


@pytest.mark.parametrize("name", TABLE)
def test_without_the_scope_its_owner_is_refused(client, contract, ask, company, name):
    scopes = [scope for scope in SCOPES if scope != scope_of(contract, name)]
    made = client.post("/v1/tokens", json={"name": "bot", "scopes": scopes}, headers=company["owner"])

    assert ask(name, {"Authorization": f"Bearer {made.json['token']}"}) == "403 insufficient_scope"


@pytest.mark.parametrize("name", TABLE)
def test_a_revoked_token_opens_nothing(client, ask, company, name):
    made = client.post("/v1/tokens", json={"name": "lost phone"}, headers=company["owner"]).json
    path = f"/v1/tokens/{made['token_info']['id']}"
    assert client.delete(path, headers=company["owner"]).status_code == 204

    assert ask(name, {"Authorization": f"Bearer {made['token']}"}) == "401 token_invalid"


@pytest.mark.parametrize("name", TABLE)
def test_without_a_token_nothing_is_told(ask, name):
    assert ask(name, {}) == "401 token_missing"


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer nobody.has-this"}, None])
@pytest.mark.parametrize("name", OPEN)
def test_what_is_open_is_open_to_all(ask, company, name, headers):
    assert ask(name, company["stranger"] if headers is None else headers) == OPEN[name][1]
