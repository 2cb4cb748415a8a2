"""One player of the client in one game: reads, moves, and checks every answer against all earlier ones."""

import hashlib
import random
from collections.abc import Sequence
from typing import Final

from workers.tools.conformance.client import Client, Response, new_key
from workers.tools.conformance.failures import Discrepancy, Json, check_equal
from workers.tools.conformance.move_choice import choose
from workers.tools.conformance.shadow_state import ShadowState

#: Refusals that are no error in a call window: another player, or the clock, was first.
OVERTAKEN: Final = frozenset({"version_conflict", "call_lost", "call_window_closed", "not_your_turn"})
LISTED_MOVES: Final = 2000
#: How often a move is sent twice, and how often as a dry run first.
RESEND_PROBABILITY: Final = 0.03
DRY_RUN_PROBABILITY: Final = 0.03
#: How often a draw and a discard are sent as one whole turn.
WHOLE_TURN_PROBABILITY: Final = 0.1
OK: Final = 200
CREATED: Final = 201
NO_CONTENT: Final = 204
NOT_MODIFIED: Final = 304
_PAGE: Final = "100"


class Person:
    """One seat, from its first view on. Every method raises Discrepancy for a wrong answer."""

    def __init__(self, client: Client, token: str, view: Json) -> None:
        self._client = client
        self._token = token
        self.path = f"/v1/games/{view['id']}"
        self.seat: int = view["viewer"]["seat"]
        self.view: Json = {}
        self._state = ShadowState(self.seat)
        self._log: list[Json] = []
        self._see(view)

    @property
    def version(self) -> int:
        """The version of the last view."""
        return int(self.view["version"])

    @property
    def may_move(self) -> bool:
        """Whether this seat may move, according to the last view."""
        turn = self.view["turn"]
        return turn is not None and self.seat in turn["may_act"]

    @property
    def _others_may_move(self) -> bool:
        """Whether other seats may move too, as in a call window."""
        return bool(self.view["phase"] == "rummy_call")

    def look(self, wait_ms: int = 0) -> bool:
        """Read the game, waiting for news; return whether there was any."""
        answer = self._client.get(
            self.path,
            token=self._token,
            if_none_match=f'"{self.version}"',
            wait_ms=str(wait_ms) if wait_ms else None,
        )
        if answer.status == NOT_MODIFIED:
            return False
        view = answer.expect(OK)
        if view["version"] <= self.version:
            raise Discrepancy(
                f"version {view['version']} was sent as news to a client that has {self.version}"
            )
        self._see(view)
        return True

    def move(self, dice: random.Random) -> None:
        """Make one of the legal moves, if this seat may still move."""
        listed = self._ask("legal-moves")
        if listed["version"] != self.version:
            if not self._others_may_move:
                raise Discrepancy(
                    f"the game moved from {self.version} to {listed['version']} during this seat's turn"
                )
            self.look()
            return
        self._check_list(listed)
        chosen = self._whole_turn(choose(listed["moves"], self.view, dice), dice)
        path = chosen["path"]
        if dice.random() < DRY_RUN_PROBABILITY:
            self._dry_run(path, chosen)
        self._make(path, chosen, twice=dice.random() < RESEND_PROBABILITY)

    def _whole_turn(self, chosen: Json, dice: random.Random) -> Json:
        """Return the move, or sometimes a whole turn that discards right after the draw.

        After a draw from the stock any card of the hand may be discarded, and so may the card drawn,
        unseen. With an empty stock the draw may end the deal.
        """
        if (
            chosen["type"] != "draw_stock"
            or not self.view["stock_count"]
            or dice.random() >= WHOLE_TURN_PROBABILITY
        ):
            return chosen
        discarded = dice.choice(["drawn", *self.view["you"]["hand"]])
        moves = [{"type": "draw_stock"}, {"type": "discard", "card": discarded}]
        return {"type": "turn", "path": f"{self.path}/turns", "body": {"moves": moves}}

    def _check_list(self, listed: Json) -> None:
        check_equal("the seat of the legal moves", listed["seat"], self.seat)
        moves, cut_off = len(listed["moves"]), listed["truncated"]
        if not moves:
            raise Discrepancy("a seat that may act has no legal move")
        check_equal("whether the list of moves is complete", listed["complete"], not cut_off)
        if cut_off and moves < LISTED_MOVES:
            raise Discrepancy(f"a list of only {moves} moves is truncated: {cut_off}")

    def _dry_run(self, path: str, chosen: Json) -> None:
        answer = self._client.post(path, chosen["body"], token=self._token, dry_run=True)
        outcome = answer.expect(OK)
        if not outcome["lawful"] and not self._others_may_move:
            raise Discrepancy(f"a dry run refuses {chosen}, which is listed as legal: {outcome['problem']}")

    def _make(self, path: str, chosen: Json, *, twice: bool) -> None:
        before, key = self.version, new_key()
        answer = self._post(path, chosen, before, key)
        if answer.status != CREATED:
            self._refused(chosen, answer)
            return
        made = answer.body
        after = made["version"]
        if after != before + 1 and not (self._others_may_move and after > before):
            raise Discrepancy(f"a move in version {before} made version {after}")
        check_equal("the version of the view that came with a move", made["game"]["version"], after)
        self._client.tally.add("moves")
        if twice:
            again = self._post(path, chosen, before, key)
            check_equal("the answer to a move sent again", (again.replayed, again.body), (True, made))
        self._see(made["game"], made["events"])

    def _post(self, path: str, chosen: Json, version: int, key: str) -> Response:
        return self._client.post(path, chosen["body"], token=self._token, version=version, key=key)

    def _refused(self, chosen: Json, answer: Response) -> None:
        if self._others_may_move and answer.code in OVERTAKEN:
            self._client.tally.add("overtaken")
            self.look()
            return
        self._client.tally.add("refused")
        why = f"{answer.code}, {answer.body.get('detail')}"
        raise Discrepancy(f"{chosen} is listed as legal and was refused: {why}")

    def _see(self, view: Json, events: Sequence[Json] = ()) -> None:
        """Apply the events up to a new view, and check the view against them.

        `events` are those that came with a move of this seat.
        """
        if self.view and view["version"] < self.version:
            raise Discrepancy(f"the version went back from {self.version} to {view['version']}")
        if events and view["version"] == self._state.version + 1:
            self._apply(events)
        if self._state.version < view["version"]:
            self._catch_up(view["version"])
        if events:
            check_equal("the events that came with a move", list(events), self._log[-len(events) :])
        self._state.check_view(view)
        self.view = view

    def _apply(self, events: Sequence[Json]) -> None:
        for event in events:
            self._state.apply(event)
            self._log.append(event)

    def _catch_up(self, version: int) -> None:
        """Read the log up to a version; the events of a version are written together."""
        reading = True
        while reading:
            page = self._ask("events", after=self._log[-1]["id"] if self._log else None, limit=_PAGE)
            due = [event for event in page["events"] if event["version"] <= version]
            self._apply(due)
            reading = page["next_after"] is not None and len(due) == len(page["events"])
        check_equal("the version the log ends at", self._state.version, version)

    def check_whole_log(self) -> None:
        """Read the log again from its first event, and compare it with the events read before."""
        whole: list[Json] = []
        page: Json = {"next_after": None}
        while not whole or page["next_after"] is not None:
            page = self._ask("events", after=page["next_after"], limit=_PAGE)
            whole += page["events"]
        check_equal("the whole log", whole, self._log)

    def check_proofs(self) -> None:
        """Check that the seed of each deal is the one that was committed to when it was dealt."""
        for event in self._log:
            if event["type"] == "deal.started":
                proof = self._ask(f"deals/{event['deal']}/proof")
                check_equal("the commitment of a deal", proof["commitment"], event["commitment"])
                seed = bytes.fromhex(proof["seed"] or "")
                check_equal(
                    "the hash of a deal's seed", hashlib.sha256(seed).hexdigest(), event["commitment"]
                )

    def check_same_view(self) -> None:
        """Read the game again: the same version must look the same."""
        check_equal("a game in which nothing happened", _lasting(self._ask("")), _lasting(self.view))

    def _ask(self, what: str, **asked: str | None) -> Json:
        path = f"{self.path}/{what}" if what else self.path
        return self._client.get(path, token=self._token, **asked).expect(OK)


def _lasting(view: Json) -> Json:
    """Return a view without what changes within a version: the time and presence."""
    lasting = {name: value for name, value in view.items() if name != "server_time"}
    return {**lasting, "seats": [{**seat, "presence": None} for seat in view["seats"]]}
