"""Who may do what: every operation of the table, requested by every kind of caller with all scopes.

Callers are the creator of the game, the player on the other seat, a spectator, and a stranger to the game.
`test_scopes` has the callers whose token lacks a scope or is unknown.
"""

import pytest

from service.api.auth import SCOPES
from service.streams.connections import Connections, Timing
from tests.support.operations import ANYWHERE, GUARDED, OPEN, OPTIONAL, OVER, PLAYING, WAITING

CALLERS = ("owner", "other seat", "spectator", "stranger")

BODIES = {
    "createPlayer": {"name": "Eve"},
    "claimDeviceLink": {"code": "AAAA-AAAA-AAAA-AAAA-AAAA"},
    "claimRecoveryCode": {"code": "AAAAA-AAAAA-AAAAA-AAAAA-AAAAA"},
    "createScoreSheet": {"players": ["Ana", "Ben"]},
    "recordDeal": {"points": [1, 2]},
    "amendDeal": {"points": [1, 2]},
    "updateMe": {"name": "Anna"},
    "createToken": {"name": "phone"},
    "createStreamTicket": {},
    "createDeviceLink": {},
    "createGame": {"seats": 2},
    "createWebhook": {"url": "https://93.184.216.34/rummy", "events": ["game.ended"]},
    "createSeek": {"seats": 2},
    "seatComputer": {"level": "steady"},
    "sendReaction": {"key": "hello"},
    "reportPlayer": {"reason": "other"},
    "setAutoPass": {"auto_pass": True},
    "layMeld": {"cards": ["7S", "7C", "7D"]},
    "layOff": {"meld_id": "m1", "card": "KD"},
    "discardCard": {"card": "KD"},
    "callRummy": {"card": "7H", "use": {"type": "meld", "cards": ["7S", "7C", "7H"]}},
    "playTurn": {"moves": [{"type": "draw_stock"}, {"type": "discard", "card": "drawn"}]},
}
#: A preset in which whatever lies on top may be taken.
UPCARD_KEPT = {"preset": "kitchen-table"}
#: A game that is over once every card drawn has been discarded and the stock is empty.
ONE_DEAL = {"preset": "classic", "overrides": {"deals": 1, "stock_empty": "end_at_once", "tie": "draw"}}


@pytest.fixture
def streams(clock, store):
    """Streams that end as soon as they have sent what there is."""
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
            "other_id": post("/v1/players", {"name": "Zoe"}, headers={})["player"]["id"],
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
        open_to_all = {**OPEN, **{one: row[1:] for one, row in OPTIONAL.items()}}
        situation, request = (ANYWHERE, open_to_all[name][0]) if name in open_to_all else GUARDED[name][1:3]
        known = made(situation, is_public=is_public)
        method, path = request.split(" ")
        body = {"card": known["upcard"]} if name == "takeDiscard" else BODIES.get(name)
        answer = client.open(path.format(**known), method=method, json=body, headers=headers)
        problem = answer.json["code"] if answer.status_code >= 400 else None
        return f"{answer.status_code} {problem}" if problem else str(answer.status_code)

    return ask


@pytest.mark.parametrize("caller", CALLERS)
@pytest.mark.parametrize("name", GUARDED)
def test_with_all_scopes_one_is_answered_as_the_table_says(ask, company, name, caller):
    expected = GUARDED[name][3 + CALLERS.index(caller)]

    assert ask(name, company[caller], is_public=caller == "spectator") == expected


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer nobody.has-this"}, None])
@pytest.mark.parametrize("name", OPEN)
def test_what_is_open_is_open_to_all(ask, company, name, headers):
    assert ask(name, company["stranger"] if headers is None else headers) == OPEN[name][1]


@pytest.mark.parametrize("name", OPTIONAL)
class TestAnOptionalToken:
    @pytest.mark.parametrize("caller", [None, "stranger"])
    def test_is_not_needed(self, ask, company, name, caller):
        assert ask(name, company[caller] if caller else {}) == OPTIONAL[name][2]

    def test_that_is_invalid_is_refused(self, ask, name):
        assert ask(name, {"Authorization": "Bearer nobody.has-this"}) == "401 token_invalid"

    def test_needs_the_scope(self, ask, client, company, name):
        scopes = [scope for scope in SCOPES if scope != OPTIONAL[name][0]]
        token = client.post("/v1/tokens", json={"scopes": scopes}, headers=company["owner"]).json["token"]

        assert ask(name, {"Authorization": f"Bearer {token}"}) == "403 insufficient_scope"
