"""The games of a frozen release: every preset in every phase, and all that can happen beside the cards.

A scene is opened and played over HTTP only, so that it is the release that writes all that is kept.
"""

import random
from collections.abc import Iterable
from typing import Any

import httpx

from tests.support.freeze.guests import Guest, Json, Party, wait_for

#: How many play each preset here.
SEATS = {
    "cardcouch": 2,
    "classic": 2,
    "cardcouch-table": 3,
    "ace-low": 3,
    "jokers": 3,
    "basic-rummy": 2,
    "block-rummy": 2,
    "penalty-rummy": 2,
    "kitchen-table": 2,
    "partnership": 4,
    "persian": 4,
}
#: Short enough that a test can play a game on to its end.
TARGET = 30
SLOW = {"turn_ms": 86_400_000, "call_window_ms": 3_600_000, "next_deal_ms": 86_400_000}


class Scenes:
    """The guests, and the games they left, by name."""

    def __init__(self, http: httpx.Client) -> None:
        self.http = http
        self.guests: dict[str, Guest] = {}
        self.parties: dict[str, Party] = {}
        for name, kind in (
            *(("Ana", "human"), ("Ben", "human"), ("Cal", "human"), ("Dan", "human")),
            *(("Eva", "human"), ("Robo", "bot"), ("Automat", "bot")),
        ):
            self.guests[name] = Guest.arrive(http, name, kind)
        self.ana = self.guests["Ana"]

    def keep(self, name: str, view: Json, *guests: Guest) -> Party:
        """Note a game under a name and return those who sit there."""
        assert name not in self.parties, name
        party = Party(view["id"], list(guests) or [self.ana], random.Random(name))
        self.parties[name] = party
        return party

    def people(self, number: int) -> list[Guest]:
        return list(self.guests.values())[:number]

    def seat(self, view: Json, guests: Iterable[Guest]) -> None:
        for guest in guests:
            guest.do("POST", f"/v1/games/{view['id']}/seats", {"invite_code": view["invite_code"]})

    def begin(self, name: str, guests: list[Guest], preset: str = "classic", **more: Any) -> Party:
        """Let the first guest open a table, the others sit down, and begin."""
        overrides = {"target": TARGET, **more.pop("overrides", {})}
        more.setdefault("clock", SLOW)
        seats = len(guests) + len(more.get("opponents", ()))
        game = guests[0].open(variant={"preset": preset, "overrides": overrides}, seats=seats, **more)
        party = self.keep(name, game, *guests)
        self.seat(game, guests[1:])
        if game["status"] == "waiting":
            guests[0].do("POST", f"/v1/games/{game['id']}/start")
        return party

    def hold(self, name: str, preset: str, position: Json, **overrides: Any) -> Party:
        """Let Ana hold every seat of a sandbox that begins in a position."""
        variant = {"preset": preset, "overrides": {"target": 100, **overrides}}
        game = self.ana.open(
            variant=variant, sandbox=True, seats_held="creator", position=position, clock=SLOW
        )
        return self.keep(name, game)

    def post(self, name: str, what: str, body: Json | None = None, guest: Guest | None = None) -> Json:
        """Do something in the game of a name, as Ana unless another is named."""
        return (guest or self.ana).do("POST", f"/v1/games/{self.parties[name].game_id}/{what}", body)

    # Every preset in every phase

    def preset(self, preset: str) -> None:
        """Leave games of a preset in every status and phase that it has."""
        self._waiting(preset)
        people = self.people(SEATS[preset])
        for phase in ("draw", "meld"):
            party = self.begin(f"{preset} {phase}", people, preset)
            for _ in range(4 * len(people)):
                party.step()
            party.play_until(lambda view, phase=phase: view["phase"] == phase, f"{preset}: {phase}")
        self._resigned(preset, people)
        # The third player is the first who may call: cardcouch is for two.
        if preset != "cardcouch":
            self._call_window(preset, max(3, SEATS[preset]))
        self._ends(preset)

    def _waiting(self, preset: str) -> None:
        seats = SEATS[preset]
        game = self.ana.open(variant={"preset": preset}, seats=seats, visibility="public")
        self.keep(f"{preset} waiting", game)
        given_up = self.ana.open(variant={"preset": preset}, seats=seats)
        self.keep(f"{preset} aborted", given_up)
        self.ana.do("POST", f"/v1/games/{given_up['id']}/abort")

    def _resigned(self, preset: str, people: list[Guest]) -> None:
        # Computers are heard when a call window closes: nobody waits an hour for that.
        party = self.begin(f"{preset} resigned", people, preset, clock={**SLOW, "call_window_ms": 200})
        party.step()
        party.guests.pop().do("POST", f"/v1/games/{party.game_id}/resignation")

    def _call_window(self, preset: str, seats: int) -> None:
        hands = [["2C", "3D"], ["4C", "9S"], ["KS", "QD"], ["TD", "6D"]][:seats]
        run = [{"card": card, "laid_by": 0} for card in ("5H", "6H", "7H")]
        position = {
            "hands": hands,
            "discard_pile": ["JC", "8H"],
            "melds": [{"owner": 0, "cards": run}],
            "turn": {"seat": 1, "phase": "rummy_call", "discarder": 0},
        }
        self.hold(f"{preset} rummy_call", preset, position, call_rummy="any_meld")

    def _ends(self, preset: str) -> None:
        """Let seat 0 throw its last card, once so that another deal follows and once as the last deal."""
        seats = SEATS[preset]
        hands = [["9D"], ["KC", "4H"], ["QC", "3H"], ["JD", "5C"]][:seats]
        kings = [{"card": card, "laid_by": 0} for card in ("KS", "KD", "KH")]
        sides = seats // 2 if preset in {"partnership", "persian"} else seats
        for name, total in (("deal_over", 10), ("finished", 95)):
            party = self.hold(
                f"{preset} {name}",
                preset,
                {
                    "hands": hands,
                    "discard_pile": ["2C"],
                    "melds": [{"owner": 0, "cards": kings}],
                    "totals": [total, *[0] * (sides - 1)],
                    "turn": {"seat": 0, "phase": "meld"},
                },
            )
            self.post(f"{preset} {name}", "discard", {"card": "9D"})
            status = party.view()["status"]
            assert status == name, f"{preset}: {status}, not {name}"

    # What happens at tables

    def tables(self) -> None:
        """Leave seats, codes, rematches, departures and spectators as they can stand."""
        ana, ben, cal, dan = self.people(4)
        game = ana.open(variant={"preset": "classic"}, seats=4, visibility="public")
        self.keep("seats", game)
        self.seat(game, [ben, cal])
        ben.do("DELETE", f"/v1/games/{game['id']}/seats/me")
        ana.do("PUT", f"/v1/games/{game['id']}/seats/3/computer", {"level": "casual"})
        ana.do("POST", f"/v1/games/{game['id']}/invite-codes")

        party = self.begin("ready", [ana, ben], clock=None, overrides={"target": 500})
        party.play_until(lambda view: view["status"] == "deal_over", "the end of a deal")
        self.post("ready", "next-deal", guest=ben)

        watched = self.begin(
            "spectators late",
            [ana, ben],
            visibility="public",
            spectators="public",
            spectator_delay_ms=60_000,
            overrides={"target": 500},
        )
        for _ in range(12):
            watched.step()
        self.begin("spectators invited", [ana, ben], spectators="invite")

        self.begin("rematch offered", [ana, ben]).play_to_the_end()
        again = self.post("rematch offered", "rematch")
        self.keep("rematch", again, ana, ben)
        self.begin("rematch made", [ana, dan]).play_to_the_end()
        self.keep("rematch begun", self.post("rematch made", "rematch"), ana, dan)
        self.post("rematch made", "rematch", guest=dan)

        self.begin("both resigned", [ana, ben])
        self.post("both resigned", "resignation", guest=ben)
        self.post("both resigned", "resignation")

        eva = self.guests.pop("Eva")
        self.begin("former player runs", [ana, eva])
        self.begin("former player over", [ana, eva]).play_to_the_end()
        self.keep("former player waits", ana.open(seats=3, visibility="public"))
        self.post("former player waits", "seats", guest=eva)
        eva.do("DELETE", "/v1/me")
        for party in self.parties.values():
            party.guests = [guest for guest in party.guests if guest is not eva]

    def rated(self) -> None:
        """Leave rated games that run and that counted, in every pool."""
        ana, ben, cal, _ = self.people(4)
        public = {"rated": True, "visibility": "public", "spectators": "public"}
        self.begin("rated people", [ana, ben], **public).play_to_the_end()
        self.begin("rated bots", [self.guests["Robo"], self.guests["Automat"]], **public).play_to_the_end()
        levels = [{"level": "novice"}, {"level": "steady"}]
        self.begin("rated computers", [ana, cal], opponents=levels, **public).play_to_the_end()
        self.begin("rated runs", [ana, ben], **public).step()

    def computers(self) -> None:
        """Leave games with computers of every level that plays at once, where a person is to act."""
        levels = [{"level": level} for level in ("novice", "casual", "steady", "shrewd")]
        party = self.begin("computers", [self.ana], opponents=levels)
        for _ in range(2):
            party.play_until(lambda view: view["turn"] and view["turn"]["may_act"] == [0], "Ana's turn")
            party.step()
        party.play_until(lambda view: view["turn"] and view["turn"]["may_act"] == [0], "Ana's turn")
        paced = self.begin("computer's pace", [self.ana], opponents=levels[:1], computer_pace_ms=60_000)
        paced.play_until(lambda view: view["turn"] and view["turn"]["may_act"] == [1], "the computer's turn")
        self.begin("given up while it runs", [self.ana], opponents=levels[:1])
        self.post("given up while it runs", "abort")

    def cards(self) -> None:
        """Leave a log for each event that seldom comes: calls, passes, renewals, jokers, floating."""
        hands = [["2C", "3D"], ["4C", "9S"], ["KS", "QD"]]
        run = [{"card": card, "laid_by": 1} for card in ("5H", "6H", "7H")]
        window = {"seat": 1, "phase": "rummy_call", "discarder": 0}
        missed = {
            "hands": hands,
            "discard_pile": ["JC", "8H"],
            "melds": [{"owner": 1, "cards": run}],
            "turn": window,
        }
        self.hold("called", "ace-low", missed)
        use = {"type": "lay_off", "card": "8H", "meld_id": "m1"}
        self.post("called", "rummy-calls?as_seat=2", {"card": "8H", "use": use})
        self.hold("passed", "ace-low", missed)
        self.post("passed", "pass?as_seat=2")

        bare = [["8H", "KD"], ["4C", "9C"]]
        for name, how in (("flipped", "flip"), ("reshuffled", "reshuffle")):
            pile = ["2C", "5S", "6D", "JH"]
            self.hold(name, "jokers", {"hands": bare, "discard_pile": pile, "stock": []}, stock_empty=how)
            self.post(name, "draw-stock")
        self.hold("ended on the stock", "classic", {"hands": bare, "discard_pile": ["2C"], "stock": []})
        self.post("ended on the stock", "pass")

        kept = {"hands": [["KD"], ["4C", "9C"]], "discard_pile": ["2C"], "turn": {"seat": 0, "phase": "meld"}}
        self.hold("kept", "classic", kept, going_out="discard_required", floating=True)
        self.post("kept", "keep")

        wild = {
            "hands": [["X1", "7C", "7D", "9S", "KD", "2H"], ["4C", "9C", "QH"]],
            "discard_pile": ["2C", "8S"],
            "turn": {"seat": 0, "phase": "meld"},
        }
        self.hold("jokers stand", "jokers", wild)
        self.post("jokers stand", "melds", {"cards": ["7C", "7D", "X1"], "stands_for": {"X1": "7S"}})

        taken = {"hands": [["7S", "7C", "KD"], ["4H", "9C", "5D"]], "discard_pile": ["2C", "7H", "9D"]}
        self.hold("taken", "classic", taken)
        self.post("taken", "take-discard", {"card": "7H"})
        ready = {"hands": [["7S", "7C", "7H", "KD"], ["4C", "9C"]], "discard_pile": ["2C"]}
        self.hold("whole turn", "classic", ready)
        moves = [
            {"type": "draw_stock"},
            {"type": "meld", "cards": ["7S", "7C", "7H"]},
            {"type": "discard", "card": "drawn"},
        ]
        self.post("whole turn", "turns", {"moves": moves})
        seeded = self.ana.open(sandbox=True, seed="golden", opponents=[{"level": "novice"}])
        self.keep("seeded", seeded)

    def sheets(self) -> None:
        """Leave a score sheet with deals entered in every form, one amended and one undone."""
        rules = {"preset": "jokers", "overrides": {"going_rummy": "bonus_10"}}
        new = {"players": ["Ana", "Ben", "Cal", "Dan"], "variant": rules}
        sheet = f"/v1/score-sheets/{self.ana.do('POST', '/v1/score-sheets', new)['sheet']['id']}"
        ana = {
            "melds": [
                {"cards": ["7H", "X1", "9H"]},
                {"cards": ["4C", "X2", "6C"], "stands_for": {"X2": "5C"}},
                {"cards": ["AS", "2S", "3S"], "ace": "low"},
            ]
        }
        ben = {"lay_offs": [{"card": "TH"}, {"card": "AC", "ace": "low"}], "hand": ["KD"]}
        cards = {"cards": [ana, ben, {"hand": ["2C"]}, {"hand": ["3D"]}], "in_one_turn": True}
        for entry in ({"points": [85, -20, 40, 0], "went_out": 0}, cards):
            self.ana.do("POST", f"{sheet}/deals", entry)
        self.ana.do("PUT", f"{sheet}/deals/1", {"points": [85, -25, 40, 0], "reason": "stock_end"})
        self.ana.do("POST", f"{sheet}/deals", {"points": [1, 2, 3, 4], "went_out": 3})
        self.ana.do("POST", f"{sheet}/undo")

    def questions(self) -> list[str]:
        """Leave positions whose best moves are of every kind; return their names."""
        run = [{"card": card, "laid_by": 1} for card in ("5H", "6H", "7H")]
        melds = [{"owner": 1, "cards": run}]
        last = {"seat": 0, "phase": "meld"}
        asked = {"seat": 1, "phase": "rummy_call", "discarder": 0}
        floating = {"going_out": "discard_required", "floating": True}
        for name, preset, position, overrides in (
            ("take", "classic", {"hands": [["7S", "7C", "KD"], ["4H", "9C"]], "discard_pile": ["7H"]}, {}),
            ("lay", "classic", {"hands": [["7S", "7C", "7D", "8H", "KD"], ["4H"]], "melds": melds}, {}),
            ("pass", "classic", {"hands": [["8D", "KD"], ["4C"]], "discard_pile": ["2C"], "stock": []}, {}),
            ("keep", "classic", {"hands": [["KD"], ["4C", "9C"]], "discard_pile": ["2C"]}, floating),
            ("call", "ace-low", {"hands": [["2C"], ["4C", "9S"], ["KS"]], "discard_pile": ["8H"]}, {}),
        ):
            turn = {"lay": last, "keep": last, "call": asked}.get(name, {"seat": 0})
            also = {"melds": melds} if name == "call" else {}
            self.hold(f"asked to {name}", preset, {**position, **also, "turn": turn}, **overrides)
        return ["take", "lay", "pass", "keep", "call"]

    def clocks(self) -> None:
        """Leave players who let their time run out: once, and so often that a computer stands in."""
        ana, ben, *_ = self.people(2)
        quick = {"turn_ms": 2_000, "next_deal_ms": 86_400_000}
        more = {"clock": quick, "overrides": {"target": 500, "first_dealer": 0}}
        for name, wanted in (("time ran out", "clock.expired"), ("stand-in", "seat.replaced")):
            # Ben never moves.
            alone = Party(self.begin(name, [ana, ben], **more).game_id, [ana])

            def has_come(alone: Party = alone, wanted: str = wanted) -> bool:
                alone.step()
                return any(event["type"] == wanted for event in ana.events(alone.game_id))

            wait_for(has_come, f"{name}: {wanted}")

    def stand_in_came_back(self) -> None:
        """Let Ben come back from a stand-in."""
        ben = self.guests["Ben"]
        self.post("stand-in", "seats", guest=ben)
