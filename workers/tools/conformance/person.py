"""A player of ours at one table: looks, moves, and checks whatever comes back against all it was told."""

import hashlib
import random
from collections.abc import Sequence
from typing import Final

from workers.tools.conformance.choosing import choose
from workers.tools.conformance.client import Answer, Client, new_key
from workers.tools.conformance.faults import Json, Wrong, agree
from workers.tools.conformance.shadow_state import Ledger

PATHS: Final = {
    "drawStock": "draw-stock",
    "takeDiscard": "take-discard",
    "layMeld": "melds",
    "layOff": "lay-offs",
    "discardCard": "discard",
    "passDraw": "pass",
    "keepCard": "keep",
    "callRummy": "rummy-calls",
    "readyForNextDeal": "next-deal",
    "playTurn": "turns",
}
#: What an answer to a call may meet through no fault of its own: somebody else, or the clock, was first.
OVERTAKEN: Final = frozenset({"version_conflict", "call_lost", "call_window_closed", "not_your_turn"})
LISTED_MOVES: Final = 2000
#: How often a move is sent twice, and how often it is only tried first.
RESEND_SELDOM: Final = 0.03
TRY_SELDOM: Final = 0.03
#: How often a draw and a discard are said in one breath.
WHOLE_SELDOM: Final = 0.1
OK: Final = 200
CREATED: Final = 201
NOT_MODIFIED: Final = 304
_PAGE: Final = "100"


class Person:
    """One seat, from its first view on. Every method raises Wrong for what is not as it must be."""

    def __init__(self, client: Client, token: str, view: Json) -> None:
        self._client = client
        self._token = token
        self.path = f"/v1/games/{view['id']}"
        self.seat: int = view["viewer"]["seat"]
        self.view: Json = {}
        self._ledger = Ledger(self.seat)
        self._log: list[Json] = []
        self._see(view)

    @property
    def version(self) -> int:
        """The version of the last view."""
        return int(self.view["version"])

    @property
    def may_move(self) -> bool:
        """Tell whether it is ours to move, as far as the last view tells."""
        turn = self.view["turn"]
        return turn is not None and self.seat in turn["may_act"]

    @property
    def _others_may_move(self) -> bool:
        """Tell whether the game may change without us: in a call window."""
        return bool(self.view["phase"] == "rummy_call")

    def look(self, wait_ms: int = 0) -> bool:
        """Look at the game, waiting for news; tell whether there were any."""
        answer = self._client.get(
            self.path,
            token=self._token,
            if_none_match=f'"{self.version}"',
            wait_ms=str(wait_ms) if wait_ms else None,
        )
        if answer.status == NOT_MODIFIED:
            return False
        view = answer.told(OK)
        if view["version"] <= self.version:
            raise Wrong(f"version {view['version']} was told as news to a client that has {self.version}")
        self._see(view)
        return True

    def move(self, dice: random.Random) -> None:
        """Make one of the lawful moves, if it is still ours to make."""
        listed = self._ask("legal-moves")
        if listed["version"] != self.version:
            if not self._others_may_move:
                raise Wrong(f"the game moved from {self.version} to {listed['version']} in a turn of ours")
            self.look()
            return
        self._check_list(listed)
        chosen = self._whole_turn(choose(listed["moves"], self.view, dice), dice)
        path = f"{self.path}/{PATHS[chosen['operation_id']]}"
        if dice.random() < TRY_SELDOM:
            self._try(path, chosen)
        self._make(path, chosen, twice=dice.random() < RESEND_SELDOM)

    def _whole_turn(self, chosen: Json, dice: random.Random) -> Json:
        """Return the move, or now and then the whole turn that throws something right after the draw.

        A card of the hand may always be thrown after a draw from the stock, and so may the
        card drawn, unseen. With an empty stock the draw may end the deal.
        """
        if chosen["type"] != "draw_stock" or not self.view["stock_count"] or dice.random() >= WHOLE_SELDOM:
            return chosen
        thrown = dice.choice(["drawn", *self.view["you"]["hand"]])
        moves = [{"type": "draw_stock"}, {"type": "discard", "card": thrown}]
        return {"type": "turn", "operation_id": "playTurn", "body": {"moves": moves}}

    def _check_list(self, listed: Json) -> None:
        agree("the seat of the lawful moves", listed["seat"], self.seat)
        moves, cut_off = len(listed["moves"]), listed["truncated"]
        if not moves:
            raise Wrong("a seat that is to act has no lawful move")
        agree("whether the list of moves is complete", listed["complete"], not cut_off)
        if cut_off and moves < LISTED_MOVES:
            raise Wrong(f"{cut_off} are cut off a list of {moves} moves")

    def _try(self, path: str, chosen: Json) -> None:
        answer = self._client.post(path, chosen["body"], token=self._token, dry_run=True)
        told = answer.told(OK)
        if not told["lawful"] and not self._others_may_move:
            raise Wrong(f"a dry run refuses {chosen}, which is listed as lawful: {told['problem']}")

    def _make(self, path: str, chosen: Json, *, twice: bool) -> None:
        before, key = self.version, new_key()
        answer = self._post(path, chosen, before, key)
        if answer.status != CREATED:
            self._refused(chosen, answer)
            return
        made = answer.body
        after = made["version"]
        if after != before + 1 and not (self._others_may_move and after > before):
            raise Wrong(f"a move in version {before} made version {after}")
        agree("the version of the view that came with a move", made["game"]["version"], after)
        self._client.count.add("moves")
        if twice:
            again = self._post(path, chosen, before, key)
            agree("the answer to a move sent again", (again.replayed, again.body), (True, made))
        self._see(made["game"], made["events"])

    def _post(self, path: str, chosen: Json, version: int, key: str) -> Answer:
        return self._client.post(path, chosen["body"], token=self._token, version=version, key=key)

    def _refused(self, chosen: Json, answer: Answer) -> None:
        if self._others_may_move and answer.code in OVERTAKEN:
            self._client.count.add("overtaken")
            self.look()
            return
        self._client.count.add("refused")
        why = f"{answer.code}, {answer.body.get('detail')}"
        raise Wrong(f"{chosen} is listed as lawful and was refused: {why}")

    # What was told

    def _see(self, view: Json, events: Sequence[Json] = ()) -> None:
        """Take a new view: fold what happened until then, and hold the one against the other.

        `events` are those that came with a move of ours.
        """
        if self.view and view["version"] < self.version:
            raise Wrong(f"the version fell from {self.version} to {view['version']}")
        if events and view["version"] == self._ledger.version + 1:
            self._fold(events)
        if self._ledger.version < view["version"]:
            self._catch_up(view["version"])
        if events:
            agree("the events that came with a move", list(events), self._log[-len(events) :])
        self._ledger.check(view)
        self.view = view

    def _fold(self, events: Sequence[Json]) -> None:
        for event in events:
            self._ledger.fold(event)
            self._log.append(event)

    def _catch_up(self, version: int) -> None:
        """Read the log up to a version, all of whose events were written together."""
        reading = True
        while reading:
            page = self._ask("events", after=self._log[-1]["id"] if self._log else None, limit=_PAGE)
            due = [event for event in page["events"] if event["version"] <= version]
            self._fold(due)
            reading = page["next_after"] is not None and len(due) == len(page["events"])
        agree("the version the log ends at", self._ledger.version, version)

    def check_whole_log(self) -> None:
        """Read the log again from its first event: it must be what was told bit by bit."""
        whole: list[Json] = []
        page: Json = {"next_after": None}
        while not whole or page["next_after"] is not None:
            page = self._ask("events", after=page["next_after"], limit=_PAGE)
            whole += page["events"]
        agree("the whole log", whole, self._log)

    def check_proofs(self) -> None:
        """Check that the seed of each deal is the one that was committed to when it was dealt."""
        for event in self._log:
            if event["type"] == "deal.started":
                proof = self._ask(f"deals/{event['deal']}/proof")
                agree("the commitment of a deal", proof["commitment"], event["commitment"])
                seed = bytes.fromhex(proof["seed"] or "")
                agree("the hash of a deal's seed", hashlib.sha256(seed).hexdigest(), event["commitment"])

    def check_same_view(self) -> None:
        """Look again as if for the first time: the same version must look the same."""
        agree("a game in which nothing happened", _lasting(self._ask("")), _lasting(self.view))

    def _ask(self, what: str, **asked: str | None) -> Json:
        path = f"{self.path}/{what}" if what else self.path
        return self._client.get(path, token=self._token, **asked).told(OK)


def _lasting(view: Json) -> Json:
    """Return a view without what no version stands for: the time, and who is listening."""
    lasting = {name: value for name, value in view.items() if name != "server_time"}
    return {**lasting, "seats": [{**seat, "presence": None} for seat in view["seats"]]}
