"""A bot that plays Rummy 500. Copy it and write your own `choose`; it needs Python 3.11 and nothing else.

    python3 bot.py http://127.0.0.1:8000 '{"opponents": [{"level": "steady"}]}'

It keeps its token in bot.token. Started again, it goes on with the game that it was in.
"""

import http.client
import json
import random
import sys
import time
import urllib.error
import urllib.request
import uuid
from pathlib import Path

URL, TABLE = sys.argv[1].rstrip("/"), json.loads(sys.argv[2])
TOKEN, ALWAYS = Path("bot.token"), {"Content-Type": "application/json"}
LIKED = "meld lay_off draw_stock discard next_deal".split()
WORTH = {"A": 15, "T": 10, "J": 10, "Q": 10, "K": 10, "X": 15}


def choose(view, moves):
    """Return the move to make: lay what can be laid, else draw, else throw the dearest card."""

    def worth(move):
        cards = move["body"].get("cards") or [move["body"].get("card", "-")]
        return sum(WORTH.get(card[0], 5) for card in cards)

    kind = next((one for one in LIKED if any(move["type"] == one for move in moves)), moves[0]["type"])
    return max((move for move in moves if move["type"] == kind), key=worth)


class Refused(Exception):
    """The service refuses the request, and would again: `code` is for programs, `detail` for people."""


def call(method, path, body=None, **headers):
    """Send a request until it is answered, and return the answer."""
    # One key for all tries: what was done already is not done again, its answer is sent again.
    headers |= ALWAYS | ({"Idempotency-Key": str(uuid.uuid4())} if method == "POST" else {})
    sent = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(URL + path, sent, headers, method=method)
    for tried in range(12):
        try:
            try:
                answer = urllib.request.urlopen(request, timeout=60)
            except urllib.error.HTTPError as error:
                answer = error  # It can be read like all others.
            with answer:
                if answer.status < 400:
                    return json.load(answer)
                wait = float(answer.headers.get("Retry-After", 0))
                told = json.load(answer) if "problem+json" in str(answer.headers["Content-Type"]) else {}
            if answer.status not in (408, 429, *range(500, 600)) and "progress" not in told.get("code", ""):
                raise Refused(told)
        except (OSError, http.client.HTTPException, ValueError):
            wait = 0  # No answer, or half of one: nobody knows whether it was done.
        time.sleep(wait + random.uniform(0.1, min(30, 0.5 * 2**tried)))
    raise SystemExit(f"{method} {path} was not answered.")


def sit_down():
    """Return the game that was left, or a new one."""
    mine = f"/v1/me/games?sandbox={json.dumps(TABLE.get('sandbox', False))}"
    for game in call("GET", mine)["games"]:
        if game["status"] in ("playing", "deal_over"):
            return game
    return call("POST", "/v1/games", TABLE)


def follow(game):
    """Yield the game now and after each change, with the legal moves: from a stream, or by a look."""
    while True:
        try:
            path = f"{URL}{game}/stream.ndjson?include=game,legal_moves"
            with urllib.request.urlopen(urllib.request.Request(path, headers=ALWAYS), timeout=45) as lines:
                for frame in (json.loads(line) for line in lines if line.strip()):
                    if frame["type"] == "snapshot":
                        yield frame["game"]
        except (OSError, http.client.HTTPException, ValueError):
            time.sleep(1)  # No stream, a broken one or a silent one: go on with the game as it is.
        yield call("GET", f"{game}?include=legal_moves")


def play(game):
    """Play to the end of the game and return how it ended."""
    seen = 0
    for view in follow(f"/v1/games/{game['id']}"):
        while view["version"] > seen and view["legal_moves"]:
            seen = view["version"]
            move = choose(view, view["legal_moves"])
            try:
                path, match = f"{move['path']}?include=legal_moves", {"If-Match": f'"{seen}"'}
                view = call(move["method"], path, move["body"], **match)["game"]
            except Refused as refusal:  # Nothing was changed, but perhaps by others: look again.
                print(refusal.args[0].get("detail"), file=sys.stderr)
                view, seen = call("GET", f"/v1/games/{game['id']}?include=legal_moves"), 0
        if view["status"] in ("finished", "aborted"):
            return {name: view[name] for name in ("id", "status", "reason", "winners")}


if __name__ == "__main__":
    if not TOKEN.exists():
        newcomer = call("POST", "/v1/players", {"name": "Example", "kind": "bot"})
        TOKEN.touch(0o600)
        TOKEN.write_text(newcomer["token"])
    ALWAYS["Authorization"] = f"Bearer {TOKEN.read_text()}"
    print(json.dumps(play(sit_down())))
