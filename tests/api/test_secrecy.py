"""Nobody learns over HTTP what he may not know, whichever outlet he asks.

Non-interference, as the laws of the rules have it (tests/laws/test_hidden_information.py), at the doors:
two services are told the same by the same people. Their games differ only in what a viewer may not know:
other hands but for the cards known to all, the stock, and the seed. Whatever is then done in both alike,
the viewer is answered the same, to the byte: views, logs, streams, replays, proofs, lists of moves, tries,
refusals and his account's stream, with status and headers; and so are spectators and strangers. What the
service logs is the same too. But for these exceptions:

1.  The viewer's own draw shows him one card of the stock: it is only made where it is the same card.
2.  The commitment to the deal is the hash of another seed.
3.  A deal that is over is open. Here no deal ends.

With SECRECY_WORLDS=1000 in the environment it is tried at length.
"""

import logging
import os
import random
import secrets
from typing import Any

import pytest
from flask import Response
from flask.testing import FlaskClient

from service.api import services
from service.api.services import Services
from service.effects.projector import Projector
from service.games.table import Table
from service.rummy.cards import full_pack
from service.streams.connections import Connections, Timing
from tests.support.memory_store.store import MemoryStore

WORLDS = int(os.environ.get("SECRECY_WORLDS", "9"))
MAX_LEGAL_MOVES = 6
HAND_SIZE = 7

#: Presets in which cards are dealt that few to so many; partners, jokers, calls and floating among them.
TABLES = [
    *[("classic", 2, {}), ("classic", 3, {"floating": True, "going_out": "discard_required"})],
    *[("cardcouch", 2, {}), ("ace-low", 3, {}), ("jokers", 4, {}), ("kitchen-table", 3, {})],
    *[("partnership", 4, {}), ("persian", 4, {}), ("basic-rummy", 2, {})],
]

Json = dict[str, Any]


class World:
    """A service of its own, and a game in it."""

    def __init__(self, client, clock, turns):
        self._client = client
        self._dice = random.Random()
        self._store = MemoryStore(clock)
        self._streams = Connections(store=self._store, now=clock, slots=8, timing=Timing(life_seconds=0.0))
        projector = Projector(store=self._store, now=clock)
        table = Table(store=self._store, turns=turns, now=clock, projector=projector)
        self._services = Services(store=self._store, table=table, now=clock, streams=self._streams)
        self._asked = 0
        self._tokens = {}
        self.logged = []

    def close(self):
        self._streams.close()
        self._store.close()

    def chance(self, name):
        """Return what gives chance for a name: the same in both worlds, request by request."""
        return getattr(self._dice, name)

    def ask(self, who, method, path, body=None, **headers):
        """Return all that is answered: status, headers, body."""
        self._asked += 1
        self._dice.seed(self._asked)
        services.init_app(self._client.application, self._services)
        if who in self._tokens:
            headers["Authorization"] = f"Bearer {self._tokens[who]}"
        headers["X-Request-Id"] = f"request-{self._asked}"
        with LogTo(self.logged):
            answer = self._client.open(path, method=method, json=body, headers=headers)
            told = answer.status_code, sorted(answer.headers.items()), answer.get_data(as_text=True)
            answer.close()
        return told, answer.json if answer.is_json else None

    def settle(self, name):
        self._tokens[name] = self.ask(None, "POST", "/v1/players", {"name": name})[1]["token"]


class LogTo(logging.Handler):
    """Writes down every line that is logged, of every level."""

    def __init__(self, lines):
        super().__init__(logging.DEBUG)
        self._lines = lines

    def emit(self, record):
        self._lines.append(f"{record.levelname} {record.name} {record.getMessage()}")

    def __enter__(self):
        root = logging.getLogger()
        self._level = root.level
        root.setLevel(logging.DEBUG)
        root.addHandler(self)

    def __exit__(self, *_):
        root = logging.getLogger()
        root.removeHandler(self)
        root.setLevel(self._level)


@pytest.fixture
def worlds(app, clock, turns, monkeypatch):
    # Whether answers are as the document says is asked elsewhere, and takes longer than they do.
    client = FlaskClient(app, Response)
    two = World(client, clock, turns), World(client, clock, turns)
    now = {"world": two[0]}

    def by_chance(name, made=lambda given: given):
        return lambda *given: made(now["world"].chance(name)(*given))

    monkeypatch.setattr(secrets, "choice", by_chance("choice"))
    monkeypatch.setattr(secrets, "randbelow", by_chance("randrange"))
    monkeypatch.setattr(secrets, "token_bytes", by_chance("randbytes"))
    monkeypatch.setattr(secrets, "token_hex", by_chance("randbytes", bytes.hex))
    monkeypatch.setattr(secrets, "token_urlsafe", by_chance("randbytes", bytes.hex))

    def in_both(who, method, path, body=None, **headers):
        """Ask the same in both worlds; `body` may be a pair, one for each."""
        answers = []
        for world, said in zip(two, body if isinstance(body, tuple) else (body, body), strict=True):
            now["world"] = world
            answers.append(world.ask(who, method, path, said, **headers))
        return answers

    def settle(name):
        for world in two:
            now["world"] = world
            world.settle(name)

    in_both.settle = settle
    in_both.logged = lambda: [world.logged for world in two]
    yield in_both
    for world in two:
        world.close()


def two_positions(chance, preset, seats, viewer):
    """Return two positions that the viewer cannot tell apart, and the places where their stocks agree."""
    jokers = {"jokers": 2, "persian": 2}.get(preset, 0)
    cards = [str(card) for card in full_pack(packs=1, jokers_per_pack=jokers)]
    chance.shuffle(cards)
    hands = [[cards.pop() for _ in range(HAND_SIZE)] for _ in range(seats)]
    pile = [cards.pop() for _ in range(4)]
    known = [[] if seat == viewer else hand[:4] for seat, hand in enumerate(hands)]
    agreeing = {place for place in range(len(cards)) if chance.random() < 0.6}

    hidden = [card for place, card in enumerate(cards) if place not in agreeing]
    hidden += [card for seat, hand in enumerate(hands) if seat != viewer for card in hand[4:]]
    chance.shuffle(hidden)
    stock = [card if place in agreeing else hidden.pop() for place, card in enumerate(cards)]
    others = [
        hand if seat == viewer else [*hand[:4], *(hidden.pop() for _ in hand[4:])]
        for seat, hand in enumerate(hands)
    ]
    same = {
        "discard_pile": pile,
        "known": known,
        "turn": {"seat": chance.randrange(seats), "phase": "draw"},
    }
    return (
        {**same, "hands": hands, "stock": cards},
        {**same, "hands": others, "stock": stock},
        {place for place, card in enumerate(cards) if stock[place] == card},
    )


def told_alike(answers, *exceptions):
    """Fail unless both worlds answered the same; return the answer as JSON."""
    (here, read), (there, _) = answers
    if exceptions:
        here, there = (
            (
                status,
                [header for header in headers if header[0] != "Content-Length"],
                without(text, exceptions),
            )
            for status, headers, text in (here, there)
        )
    assert first_difference(here, there) is None
    return read


def first_difference(here, there):
    """Return where two answers part, with what stands around it: a whole answer is too long to be read."""
    if here[:2] != there[:2]:
        return here[:2], there[:2]
    if here[2] == there[2]:
        return None
    together = enumerate(zip(here[2], there[2], strict=False))
    place = next((place for place, (one, other) in together if one != other), 0)
    around = slice(max(0, place - 60), place + 80)
    return here[2][around], there[2][around]


def without(text, exceptions):
    for exception in exceptions:
        text = text.replace(exception, "...")
    return text


def commitments(answers):
    """Return the hashes that stand for the deal in either world: they tell nothing, and differ."""
    return {read["commitment"] for _, read in answers}


class OneTable:
    """The same table in both worlds, with one seat's eyes on it."""

    def __init__(self, worlds, chance, preset, seats, overrides, viewer):
        self._worlds = worlds
        self._chance = chance
        self.viewer = viewer
        *positions, self._agreeing = two_positions(chance, preset, seats, viewer)
        bodies = tuple(
            {
                "variant": {"preset": preset, "overrides": {"first_dealer": 0, **overrides}},
                "seats": seats,
                "visibility": "public",
                "spectators": "public",
                "sandbox": True,
                "seats_held": "creator",
                "seed": seed,
                "position": position,
            }
            for seed, position in zip(("one", "another"), positions, strict=True)
        )
        (_, opened), _ = worlds("Ana", "POST", "/v1/games", bodies)
        self.path = f"/v1/games/{opened['id']}"
        self._drawn = 0
        proofs = [worlds("Ana", "GET", f"{self.path}/deals/1/proof")]
        self.hashes = commitments(proofs[0])
        assert len(self.hashes) == 2

    def ask(self, who, method, path, body=None, **headers):
        return self._worlds(who, method, path, body, **headers)

    def as_seat(self, path, seat, **query):
        asked = {"as_seat": seat, **query}
        return f"{self.path}{path}?" + "&".join(f"{name}={value}" for name, value in asked.items())

    def look_everywhere(self):
        """Ask at every outlet, as the viewer, as a spectator and as somebody who may not watch."""
        looks = ["", "/events", "/stream", "/stream.ndjson", "/replay", "/replay.txt"]
        for look in looks:
            told_alike(self.ask("Ana", "GET", self.as_seat(look, self.viewer)), *self.hashes)
            told_alike(self.ask("Cem", "GET", f"{self.path}{look}"), *self.hashes)
            told_alike(self.ask(None, "GET", f"{self.path}{look}"))
        for look, included in (("", "legal_moves"), ("/stream", "game,legal_moves")):
            told_alike(
                self.ask("Ana", "GET", self.as_seat(look, self.viewer, include=included)), *self.hashes
            )
            told_alike(self.ask("Cem", "GET", f"{self.path}{look}?include={included}"), *self.hashes)
        for look in ("/rules", "/deals/1/proof"):
            told_alike(self.ask("Ana", "GET", f"{self.path}{look}"), *self.hashes)
            told_alike(self.ask("Cem", "GET", f"{self.path}{look}"), *self.hashes)
        for look in ("/v1/me/games?sandbox=true", "/v1/games?sandbox=true", "/v1/me/stream"):
            told_alike(self.ask("Ana", "GET", look))
            told_alike(self.ask("Cem", "GET", look))
        told_alike(self.ask("Cem", "GET", self.as_seat("", self.viewer)))
        told_alike(self.ask("Cem", "GET", f"{self.path}/legal-moves"))

    def try_everything(self):
        """Ask about moves of every kind, lawful or not, as the viewer: none is made."""
        listed = told_alike(self.ask("Ana", "GET", self.as_seat("/legal-moves", self.viewer)))
        view = told_alike(self.ask("Ana", "GET", self.as_seat("", self.viewer)))
        card = self._chance.choice([str(card) for card in full_pack(packs=1, jokers_per_pack=2)])
        held = self._chance.choice([*view["you"]["hand"], card])
        tries = [
            *[
                ("draw-stock", {}),
                ("take-discard", {"card": card}),
                ("discard", {"card": card}),
                ("pass", {}),
            ],
            *[("melds", {"cards": [card, held, "7H"]}), ("lay-offs", {"card": held, "meld_id": "m1"})],
            ("rummy-calls", {"card": card, "use": {"type": "meld", "cards": [card, held, "7H"]}}),
            ("turns", {"moves": [{"type": "draw_stock"}, {"type": "discard", "card": card}]}),
            ("turns", {"moves": [{"type": "draw_stock"}, {"type": "discard", "card": "drawn"}]}),
            (
                "turns",
                {"moves": [{"type": "draw_stock"}, {"type": "meld", "cards": [card, held, "9S"]}]},
            ),
        ]
        for path, body in tries:
            told_alike(self.ask("Ana", "POST", self.as_seat(f"/{path}", self.viewer, dry_run="true"), body))
            told_alike(self.ask("Cem", "POST", f"{self.path}/{path}", body))
        return listed["moves"]

    def play(self):
        """Make a move in both worlds, if there is one that may be made in both; tell whether there was."""
        (_, here), (_, there) = self.ask("Ana", "GET", self.as_seat("", self.viewer))
        able = here["turn"]["may_act"] if here["turn"] else []
        if here["status"] != "playing" or not able:
            return False
        seat = self._chance.choice(able)
        (_, here), (_, there) = self.ask("Ana", "GET", self.as_seat("/legal-moves", seat))
        both = [move for move in here["moves"] if move in there["moves"]]
        if seat == self.viewer:
            assert here == there
            if self._drawn not in self._agreeing:
                both = [move for move in both if move["type"] != "draw_stock"]
        # A take of others may be lawful in one world alone, and a deal that ends is open to all.
        both = [move for move in both if self._is_quiet(move, seat)]
        if not both:
            return False
        kinds = sorted({move["type"] for move in both})
        kind = self._chance.choice(kinds)
        move = self._chance.choice([move for move in both if move["type"] == kind])
        path = self.as_seat(move["path"].removeprefix(self.path), seat, include="legal_moves")
        made = self.ask("Ana", "POST", path, move["body"])
        assert [told[0] for told, _ in made] == [201, 201]
        self._drawn += kind == "draw_stock"
        if seat == self.viewer:
            told_alike(made, *self.hashes)
        return True

    def _is_quiet(self, move, seat):
        """Tell whether the move leaves the deal running whatever the hands are."""
        spends = {"discard": 1, "lay_off": 1, "meld": len(move["body"].get("cards", ()))}.get(move["type"], 0)
        (_, view), _ = self.ask("Ana", "GET", self.as_seat("", seat))
        return view["seats"][seat]["hand_count"] > spends + 1


@pytest.mark.parametrize("number", range(WORLDS))
def test_what_a_viewer_may_not_know_changes_nothing_they_see(worlds, number):
    chance = random.Random(f"secrecy {number}")
    preset, seats, overrides = TABLES[number % len(TABLES)]
    for name in ("Ana", "Cem"):
        worlds.settle(name)
    table = OneTable(worlds, chance, preset, seats, overrides, viewer=chance.randrange(seats))

    for _ in range(MAX_LEGAL_MOVES):
        table.look_everywhere()
        table.try_everything()
        if not table.play():
            break

    here, there = worlds.logged()
    assert [without(line, table.hashes) for line in here] == [without(line, table.hashes) for line in there]
