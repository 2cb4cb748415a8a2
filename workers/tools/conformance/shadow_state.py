"""The state of a game as one seat can derive it from the events alone.

Every event is applied to it, and every view must then equal it: a card, a point or a turn that no event
explains is noticed at once.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from workers.tools.conformance.expected_scores import (
    ExpectedEnding,
    check_options,
    decision,
    hand_points,
    side_of,
    table_points,
    whole_pack,
)
from workers.tools.conformance.failures import Discrepancy, Json, check_equal

_COMMITMENT_DIGITS: Final = 64


class ShadowState:
    """The game as the events describe it to one seat, from the first event on."""

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self.version = 0
        self.status = "waiting"
        self.options: Json = {}
        self.sides = 0
        self.hand: Counter[str] = Counter()
        self.counts: list[int] = []
        self.known: list[Counter[str]] = []
        self.pile: list[str] = []
        self.melds: dict[str, Json] = {}
        self.stock = 0
        self.deal = 0
        self.dealer = 0
        self.turn = 0
        self.phase: str | None = None
        self.must_use: str | None = None
        self.asked: list[int] = []
        self.ready: list[int] = []
        self.deals: list[Json] = []
        self.totals: list[int] = []
        self.winners: list[int] | None = None
        self.reason: str | None = None
        self._next_seq = 0
        self._pack: Counter[str] = Counter()
        self._out: int | None = None
        self._has_laid = False
        self._had_laid = False
        self._handlers: dict[str, Callable[[Json], None]] = {
            "game.started": self._game_started,
            "deal.started": self._deal_started,
            "turn.started": self._turn_started,
            "stock.drawn": self._stock_drawn,
            "stock.renewed": self._stock_renewed,
            "discard.taken": self._discard_taken,
            "meld.laid": self._meld_laid,
            "card.laid_off": self._card_laid_off,
            "card.discarded": self._card_discarded,
            "turn.passed": self._turn_passed,
            "call_window.opened": self._call_window_opened,
            "rummy.called": self._rummy_called,
            "player.went_out": self._player_went_out,
            "deal.ended": self._deal_ended,
            "game.ended": self._game_ended,
            "seat.ready": self._seat_ready,
        }

    def apply(self, event: Json) -> None:
        """Apply the next event of the log, which must follow the last one without a gap."""
        version, seq = event["version"], event["seq"]
        expected = {(self.version, self._next_seq), (self.version + 1, 0)}
        if (version, seq) not in expected:
            raise Discrepancy(f"event {version}-{seq} follows {self.version}-{self._next_seq - 1} in the log")
        check_equal("the id of an event", event["id"], f"{version}-{seq}")
        self.version, self._next_seq = version, seq + 1
        # Clients ignore unknown types.
        if handler := self._handlers.get(event["type"]):
            handler(event)

    def _game_started(self, event: Json) -> None:
        self.options = event["variant"]["options"]
        check_options(self.options)
        self._pack = whole_pack(self.options)
        seats = event["seats"]
        self.sides = 2 if self.options["teams"] == "pairs" else seats
        self.totals = [0] * self.sides
        self.counts = [0] * seats
        self.dealer = event["dealer"]

    def _deal_started(self, event: Json) -> None:
        seats = len(self.counts)
        check_equal("the number of a deal", event["deal"], self.deal + 1)
        check_equal("the dealer", event["dealer"], (self.dealer + (self.deal > 0)) % seats)
        size = self.options["hand_size"]
        for seat, hand in enumerate(event["hands"]):
            if seat != self.seat:
                check_equal(f"the hand dealt to seat {seat}", hand, None)
        own = event["hands"][self.seat]
        check_equal("the size of the hand dealt", len(own), size)
        check_equal("the secret order of the stock", event["stock"], None)
        self.stock = self._pack.total() - seats * size - 1
        check_equal("the size of the new stock", event["stock_count"], self.stock)
        check_equal("the length of the commitment", len(event["commitment"]), _COMMITMENT_DIGITS)
        self.status = "playing"
        self.deal, self.dealer = event["deal"], event["dealer"]
        self.hand = Counter(own)
        self.counts = [size] * seats
        self.known = [Counter() for _ in range(seats)]
        self.pile, self.melds, self.ready = [event["upcard"]], {}, []
        self._out = None

    def _begin_turn(self, seat: int, phase: str) -> None:
        self.turn, self.phase = seat, phase
        self.must_use, self.asked = None, []
        self._has_laid, self._had_laid = False, self._laid_any(seat)

    def _laid_any(self, seat: int) -> bool:
        return any(laid["laid_by"] == seat for meld in self.melds.values() for laid in meld["cards"])

    def _turn_started(self, event: Json) -> None:
        self._begin_turn(event["seat"], "draw")

    def _call_window_opened(self, event: Json) -> None:
        self._begin_turn(event["next_seat"], "rummy_call")
        self.asked = list(event["asked"])

    def _turn_passed(self, event: Json) -> None:
        if self.phase == "rummy_call":
            if event["seat"] not in self.asked:
                raise Discrepancy(f"seat {event['seat']} passed a call it was not asked for")
            self.asked.remove(event["seat"])
        else:
            self._check_actor(event)
            self.phase = "meld"

    def _check_actor(self, event: Json) -> None:
        check_equal(f"the seat of {event['type']}", event["seat"], self.turn)

    def _stock_drawn(self, event: Json) -> None:
        self._check_actor(event)
        self.stock -= 1
        check_equal("the stock after a draw", event["stock_count"], self.stock)
        self.counts[self.turn] += 1
        if self.turn == self.seat:
            if event["card"] is None:
                raise Discrepancy("the card drawn is hidden from the seat that drew it")
            self.hand[event["card"]] += 1
        else:
            check_equal("a card that another seat drew", event["card"], None)
        self.phase = "meld"

    def _stock_renewed(self, event: Json) -> None:
        check_equal("the secret order of the renewed stock", event["order"], None)
        self.stock = len(self.pile) - (1 if self.options["upcard_stays"] else 0)
        self.pile = self.pile[self.stock :]
        check_equal("the renewed stock", event["stock_count"], self.stock)

    def _take(self, event: Json) -> None:
        """Move cards from the pile, which all see, into the hand of the acting seat."""
        position, taken = event["position"], event["cards"]
        check_equal("the deepest card taken", event["card"], taken[0])
        check_equal("the card at the position", event["card"], self.pile[position])
        left = self.pile[:position]
        missing = list(taken)
        for card in self.pile[position:]:
            if missing[:1] == [card]:
                del missing[0]
            else:
                left.append(card)
        check_equal("the cards taken that do not lie in the pile", missing, [])
        self.pile = left
        self.counts[self.turn] += len(taken)
        self.known[self.turn].update(taken)
        if self.turn == self.seat:
            self.hand.update(taken)

    def _discard_taken(self, event: Json) -> None:
        self._check_actor(event)
        check_equal(
            "the cards left on the pile by a take", len(self.pile), event["position"] + len(event["cards"])
        )
        self._take(event)
        self.phase, self.must_use = "meld", event["must_use"]

    def _rummy_called(self, event: Json) -> None:
        if event["seat"] not in self.asked:
            raise Discrepancy(f"seat {event['seat']} called without being asked")
        self._begin_turn(event["seat"], "meld")
        self._take(event)

    def _remove(self, cards: Sequence[str]) -> None:
        """Remove cards from the hand of the acting seat; those that all saw it take go first."""
        self.counts[self.turn] -= len(cards)
        for card in cards:
            if self.known[self.turn][card]:
                self.known[self.turn][card] -= 1
            if self.turn == self.seat:
                if not self.hand[card]:
                    raise Discrepancy(f"{card} was played from a hand that does not hold it")
                self.hand[card] -= 1

    def _lay(self, cards: Sequence[str]) -> None:
        self._remove(cards)
        self._has_laid = True
        if self.must_use in cards:
            self.must_use = None

    def _meld_laid(self, event: Json) -> None:
        self._check_actor(event)
        meld = event["meld"]
        check_equal("the owner of a new meld", meld["owner"], self.turn)
        check_equal("the id of a new meld", meld["id"], f"m{len(self.melds) + 1}")
        if any(laid["laid_by"] != self.turn for laid in meld["cards"]):
            raise Discrepancy(f"a card of the new meld {meld['id']} was laid by another seat")
        self.melds[meld["id"]] = {**meld, "cards": list(meld["cards"]), "laid_at_once": len(meld["cards"])}
        self._lay([laid["card"] for laid in meld["cards"]])

    def _card_laid_off(self, event: Json) -> None:
        self._check_actor(event)
        if event["meld_id"] not in self.melds:
            raise Discrepancy(f"a card was laid off on {event['meld_id']}, which is not on the table")
        meld = self.melds[event["meld_id"]]
        laid = {"card": event["card"], "laid_by": event["seat"], "stands_for": event["stands_for"]}
        if meld["kind"] == "run" and event["end"] == "low":
            meld["cards"].insert(0, laid)
        else:
            meld["cards"].append(laid)
        self._lay([event["card"]])

    def _card_discarded(self, event: Json) -> None:
        self._check_actor(event)
        check_equal("the card to be used when the turn ended", self.must_use, None)
        self._remove([event["card"]])
        self.pile.append(event["card"])

    def _player_went_out(self, event: Json) -> None:
        self._check_actor(event)
        check_equal("the hand of the seat that went out", self.counts[self.turn], 0)
        self._out = self.turn

    def _seat_ready(self, event: Json) -> None:
        self.ready.append(event["seat"])

    def _deal_ended(self, event: Json) -> None:
        result = event["result"]
        check_equal("the number of the deal that ended", result["deal"], self.deal)
        check_equal("the seat that went out", result["went_out"], self._out)
        reason = "target" if self._is_unfinished() else "stock_end" if self._out is None else "went_out"
        check_equal("why the deal ended", result["reason"], reason)
        self._check_cards(result)
        self._check_scores(result)
        self.deals.append(result)
        self.totals = list(result["totals"])
        self.status, self.phase = "deal_over", None

    def _check_cards(self, result: Json) -> None:
        """Check that the open hands, the melds and the pile are the whole pack except the stock."""
        for seat, row in enumerate(result["seats"]):
            laid = _laid(self.melds.values(), seat)
            check_equal(f"what seat {seat} laid", Counter(row["table"]), laid)
            check_equal(f"the size of the hand of seat {seat}", len(row["hand"]), self.counts[seat])
            missing = self.known[seat] - Counter(row["hand"])
            if missing:
                raise Discrepancy(f"seat {seat} was seen to take {sorted(missing)} and does not hold them")
        check_equal("the hand at the end", Counter(result["seats"][self.seat]["hand"]), +self.hand)
        seen = Counter(self.pile)
        for row in result["seats"]:
            seen.update(row["hand"])
            seen.update(row["table"])
        if too_many := seen - self._pack:
            raise Discrepancy(f"the open cards hold {sorted(too_many)} too often")
        check_equal("the number of cards in play", seen.total() + self.stock, self._pack.total())

    def _table_points(self) -> list[int]:
        return [table_points(self.melds.values(), seat, self.options) for seat in range(len(self.counts))]

    def _is_unfinished(self) -> bool:
        """Return whether the cards that one side laid have reached the target."""
        totals = list(self.totals)
        for seat, points in enumerate(self._table_points()):
            totals[side_of(seat, self.options)] += points
        return bool(self.options["target_reached"] == "at_once" and max(totals) >= self.options["target"])

    def _check_scores(self, result: Json) -> None:
        options = self.options
        ending = ExpectedEnding(
            options=options,
            table=self._table_points(),
            hands=[hand_points(row["hand"], options) for row in result["seats"]],
            went_out=self._out,
            went_rummy=self._has_laid and not self._had_laid,
            unfinished=self._is_unfinished(),
        )
        totals = list(self.totals)
        for seat, row in enumerate(result["seats"]):
            bonus, score = ending.bonus_and_score(seat)
            check_equal(f"the table points of seat {seat}", row["table_points"], ending.table[seat])
            check_equal(f"the hand points of seat {seat}", row["hand_points"], ending.hands[seat])
            check_equal(f"the bonus of seat {seat}", row["bonus"], bonus)
            check_equal(f"the score of seat {seat}", row["score"], score)
            totals[side_of(seat, options)] += score
        check_equal("the totals after the deal", result["totals"], totals)

    def _game_ended(self, event: Json) -> None:
        self.status, self.phase = "finished", None
        self.winners, self.reason = event["winners"], event["reason"]

    def check_view(self, view: Json) -> None:
        """Check a view against this state; raises Discrepancy at the first difference."""
        check_equal("the version", view["version"], self.version)
        check_equal("the status", view["status"], self.status)
        viewer = {name: view["viewer"][name] for name in ("role", "seat")}
        check_equal("the seat of the viewer", viewer, {"role": "player", "seat": self.seat})
        if self.status != "waiting":
            self._check_table(view)
            self._check_turn(view)
            self._check_results(view)

    def _check_table(self, view: Json) -> None:
        check_equal("the number of the deal", view["deal"], self.deal)
        check_equal("the dealer", view["dealer"], self.dealer)
        check_equal("the own hand", Counter(view["you"]["hand"]), +self.hand)
        check_equal(
            "the points of the own hand",
            view["you"]["hand_points"],
            hand_points(self.hand.elements(), self.options),
        )
        check_equal("the own hand's size", len(view["you"]["hand"]), self.counts[self.seat])
        check_equal("the stock", view["stock_count"], self.stock)
        check_equal("the discard pile", view["discard_pile"], self.pile)
        check_equal("the melds", view["melds"], [self._counted(meld) for meld in self.melds.values()])
        for number, seat in enumerate(view["seats"]):
            check_equal(f"the hand count of seat {number}", seat["hand_count"], self.counts[number])
            check_equal(
                f"the known cards of seat {number}", Counter(seat["known_cards"]), +self.known[number]
            )
            laid = table_points(self.melds.values(), number, self.options)
            check_equal(f"the table points of seat {number}", seat["table_points"], laid)
            check_equal(
                f"the total of seat {number}", seat["total"], self.totals[side_of(number, self.options)]
            )
        lying = Counter(self.pile)
        for number in range(len(self.counts)):
            lying.update(_laid(self.melds.values(), number))
        if too_many := lying + self.hand - self._pack:
            raise Discrepancy(f"the cards in sight hold {sorted(too_many)} too often")
        check_equal("the number of cards", lying.total() + sum(self.counts) + self.stock, self._pack.total())

    def _counted(self, meld: Json) -> Json:
        """Return a meld as the view of a game shows it."""
        seats = range(len(self.counts))
        return {**_shown(meld), "points": sum(table_points([meld], seat, self.options) for seat in seats)}

    def _check_turn(self, view: Json) -> None:
        check_equal("the phase", view["phase"], self.phase)
        turn = view["turn"]
        if self.status == "finished":
            check_equal("the turn after the end", turn, None)
            return
        if self.status == "deal_over":
            people = [number for number, seat in enumerate(view["seats"]) if seat["player"] is not None]
            waited_for = [number for number in people if number not in self.ready]
            check_equal("who may act", turn["may_act"], waited_for)
            return
        check_equal("whose turn it is", turn["seat"], self.turn)
        check_equal("who may act", turn["may_act"], self.asked if self.phase == "rummy_call" else [self.turn])
        check_equal("the card that must be used", turn["must_use"], self.must_use)
        if turn["phase_version"] > self.version:
            raise Discrepancy(f"the phase began at version {turn['phase_version']}, which is in the future")

    def _check_results(self, view: Json) -> None:
        check_equal("the finished deals", view["deals"], self.deals)
        if view["teams"] is not None:
            check_equal("the totals of the teams", [team["total"] for team in view["teams"]], self.totals)
        check_equal("the winners", view["winners"], self.winners)
        check_equal("the reason", view["reason"], self.reason)
        if not self.deals:
            return
        out = self.deals[-1]["went_out"]
        decided = decision(
            self.options,
            [deal["totals"] for deal in self.deals],
            went_out=None if out is None else side_of(out, self.options),
            deals=len(self.deals),
        )
        if decided is None:
            check_equal("the winners of a game that goes on", self.winners, None)
        else:
            sides, reason = decided
            winners = [seat for seat in range(len(self.counts)) if side_of(seat, self.options) in sides]
            check_equal("who won and why", (self.winners, self.reason), (winners, reason))


def _laid(melds: Iterable[Json], seat: int) -> Counter[str]:
    return Counter(laid["card"] for meld in melds for laid in meld["cards"] if laid["laid_by"] == seat)


def _shown(meld: Json) -> Json:
    return {name: meld[name] for name in ("id", "owner", "kind", "cards")}
