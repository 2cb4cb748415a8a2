"""A service that logs all it can is played at and abused, and gives nothing away."""

import json
import re
import socket
from uuid import uuid4

import pytest

from tests.support.tree import PATIENCE_SECONDS, Tree, wait_for

#: A card as it is written, but not within an id.
CARD = re.compile(r"(?<![\w-])(?:[2-9TJQKA][CDHS]|X[1-6])(?![\w-])")


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with Tree(tmp_path_factory.mktemp("logs") / "data", LOG_FORMAT="json", LOG_LEVEL="debug") as tree:
        yield tree
        assert tree.stop() == 0


def play(player, game, moves):
    """Make so many moves, each the first that is lawful, or till the game is over."""
    for _ in range(moves):
        view = wait_for(lambda: _mine(player, game), "the player's turn")
        if view["status"] in {"finished", "aborted"}:
            return
        if view["status"] == "deal_over":
            assert player.post(f"{game}/next-deal").status_code == 201
            continue
        move = player.http.get(f"{game}/legal-moves").json()["moves"][0]
        path = {
            "draw_stock": "draw-stock",
            "take_discard": "take-discard",
            "meld": "melds",
            "lay_off": "lay-offs",
            "call_rummy": "rummy-calls",
        }.get(move["type"], move["type"])
        assert player.post(f"{game}/{path}", move["body"]).status_code == 201


def _mine(player, game):
    view = player.view(game)
    seat = view["viewer"]["seat"]
    over = view["status"] in {"finished", "aborted", "deal_over"}
    return view if over or seat in view["turn"]["may_act"] else None


def abuse(player, game, token):
    """Send tokens and cards to places where none belong."""
    http = player.http
    for path in (f"/{token}", f"/v1/games/{token}", f"/v1/games/{token.replace('.', '%2E')}/events"):
        http.get(path)
    http.get(game, params={"ticket": token, "invite_code": token.split(".")[1]})
    http.get(game, headers={"Authorization": f"Basic {token}"})
    http.get(game, headers={"Authorization": f"Bearer {token}x", "X-Request-Id": token})
    http.get(game, headers={"If-None-Match": token, "User-Agent": token, "Referer": f"https://{token}/"})
    http.post("/v1/players", json={"name": token})
    http.post("/v1/players", content=f'{{"name": "{token}"', headers={"Content-Type": "application/json"})
    http.post(f"{game}/discard", json={"card": token})
    http.post(f"{game}/discard", json={"card": "7H", token: 1}, headers={"Idempotency-Key": token[:64]})
    http.request(token[1:20].replace(".", "").replace("_", "").replace("-", "") or "X", game)
    http.delete(f"/v1/tokens/{token}")
    with socket.create_connection((http.base_url.host, http.base_url.port), PATIENCE_SECONDS) as raw:
        raw.sendall(f"GET /v1/me/stream?ticket={token} and no HTTP\r\n\r\n".encode())
        assert b"bad_request" in raw.makefile("rb").read()


def test_nothing_that_is_logged_gives_a_token_or_a_card_away(service, arrive):
    ana = arrive(service.url, "Ana")
    game = ana.open(seats=3, opponents=[{"level": "steady"}] * 2, computer_pace_ms=0)
    code = ana.post("/v1/device-links").json()["code"]
    phone = ana.http.post("/v1/device-links/claim", json={"code": code}).json()["token"]
    for token in (ana.token, phone):
        abuse(ana, game, token)
    play(ana, game, 25)
    trace = uuid4().hex
    ana.http.get(game, headers={"X-Request-Id": trace})
    service.wait_for_line(trace)

    lines = [json.loads(line) for line in list(service.lines) if line.startswith("{")]
    log = "\n".join(service.lines)
    assert len(lines) > 60
    for secret in (ana.token, phone):
        assert secret not in log
        assert secret.split(".")[1] not in log
    assert code not in log
    invite = ana.view(game)["invite_code"]
    assert invite not in log
    assert not [line for line in service.lines if CARD.search(line)]


def test_every_part_logs_in_the_same_way(service, arrive):
    ana = arrive(service.url, "Ana")
    game = ana.open(seats=2, opponents=[{"level": "steady"}])
    play(ana, game, 4)
    service.wait_for_line("rq.worker")

    lines = [json.loads(line) for line in list(service.lines) if line.startswith("{")]

    assert {"rummy500.access", "gunicorn.error"} <= {line["logger"] for line in lines}
    assert any(line["logger"].startswith("rq") for line in lines)
    assert all({"time", "level", "logger", "process", "message"} <= line.keys() for line in lines)
    answered = next(line for line in lines if line.get("path") == game and line["method"] == "GET")
    assert (answered["status"], answered["request_id"] is not None) == (200, True)
    assert answered["duration_ms"] > 0
