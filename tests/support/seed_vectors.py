"""The interpreter of the facts of the five documents (`seed-vectors.json`).

The file describes positions, moves and outcomes in words of its own.
One interpreter reads all of it; a word that it does not know, or does not use, fails,
so that no word of the file is ignored. It plays at tables of two kinds:
the rules themselves (`tables.InTheRules`) and games of the service (`http_tables.OverHttp`).
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from service.rummy.cards import Card, cards, full_pack, in_order
from service.rummy.presets import PRESETS, resolve
from service.rummy.scoring import points
from service.rummy.state import MeldKind, Phase, Stage
from service.rummy.variants import Variant
from tests.support.tables import (
    Asked,
    call,
    discard,
    draw_stock,
    lay,
    lay_off,
    next_deal,
    pass_,
    take_discard,
)

VECTORS: Final = json.loads(
    (Path(__file__).parents[1] / "rules" / "data" / "seed-vectors.json").read_text("utf-8")
)["vectors"]
#: From this seed three players draw AS, 2D and KH for the first deal.
AS_2D_KH: Final = "AS 2D KH 53196"
#: Words of the file that are no codes here, because no move can ask for such a thing.
NO_CODES: Final = {"unplayable_variant", "impossible_position", "must_take_all_above"}


def play_vector(line: dict[str, Any], tables: Any) -> None:
    """Play one line of the file at tables of the kind; no word of it may be left unread."""
    vector = Vector(line, tables)
    ACTIONS[vector.action.words["type"]](vector)
    vector.check_used_up()


class Words:
    """A part of a vector; each word is taken once, and none may be left over."""

    def __init__(self, words: dict[str, Any]) -> None:
        self.words = dict(words)

    def __contains__(self, word: str) -> bool:
        return word in self.words

    def take(self, word: str, default: Any = None) -> Any:
        return self.words.pop(word, default)

    def used_up(self) -> bool:
        return not self.words


class Vector:
    """One line of the file, its parts and its variant."""

    def __init__(self, line: dict[str, Any], tables: Any) -> None:
        self.tables = tables
        line = dict(line)
        line.pop("id")
        assert re.fullmatch(r"00[0-4]_[0-9a-f]{16}\.txt", line.pop("seed"))
        assert line.pop("basis") in {"explicit", "derived"}
        line.pop("note", None)
        self.category = line.pop("category")
        ruleset = Words(line.pop("ruleset"))
        self.preset = ruleset.take("preset")
        self.overrides = ruleset.take("overrides", {})
        self.situation = Words(line.pop("situation"))
        self.action = Words(line.pop("action"))
        self.expected = Words(line.pop("expected"))
        assert not line
        assert ruleset.used_up()

    def check_used_up(self) -> None:
        assert self.situation.used_up(), f"not used: {self.situation.words}"
        assert self.action.used_up(), f"not used: {self.action.words}"
        assert self.expected.used_up(), f"not used: {self.expected.words}"

    @property
    def fewest_seats(self) -> int:
        return 4 if self.overrides.get("teams") == "pairs" else PRESETS[self.preset].players[0]

    def variant(self, seats: int) -> Variant:
        return resolve(self.preset, self.overrides, seats=seats)

    def table(self, **position: Any) -> Any:
        return self.tables.table(preset=self.preset, **self.overrides, **position)

    def dealt(self, seats: int, **how: Any) -> Any:
        return self.tables.dealt(self.preset, seats=seats, **self.overrides, **how)


# --- The deal and the dealer ----------------------------------------------------------------------


def check_deal(vector: Vector) -> None:
    vector.action.take("type")
    expected = vector.expected
    seats = vector.situation.take("players")

    deal = vector.dealt(seats)

    assert expected.take("verdict") == "state"
    assert deal.variant.packs == expected.take("decks")
    if "handSize" in expected:
        size = expected.take("handSize")
        assert [len(deal.hand(seat)) for seat in range(seats)] == [size] * seats
    if "dealtCards" in expected:
        assert sum(len(deal.hand(seat)) for seat in range(seats)) == expected.take("dealtCards")
    assert len(deal.pile) == expected.take("upcards")
    assert deal.stock_count == expected.take("stock")
    pack = deal.whole_pack()
    assert in_order(pack) == in_order(
        full_pack(packs=deal.variant.packs, jokers_per_pack=deal.variant.jokers_per_pack)
    )
    if "jokers" in expected:
        assert sum(one.startswith("X") for one in pack) == expected.take("jokers")


def check_creation(vector: Vector) -> None:
    action, expected = vector.action, vector.expected
    assert action.take("type") == "createGame"
    assert (expected.take("verdict"), expected.take("reason")) == ("illegal", "unplayable_variant")
    seats, options = (
        vector.situation.take("players"),
        {"packs": action.take("decks"), "hand_size": action.take("handSize")},
    )

    assert vector.tables.contradiction(vector.preset, options, seats=seats) == "seats"
    # Where eight may play, the cards that one pack has not are refused in the same way.
    assert vector.tables.contradiction("classic", options, seats=seats) == "hand_size"


def check_misdeal(vector: Vector) -> None:
    """A wrong count is dealt again; the service counts, and never deals one."""
    assert vector.action.take("type") == "checkDeal"
    assert (vector.expected.take("verdict"), vector.expected.take("result")) == ("state", "redeal")
    wrong, seats = vector.situation.take("handCounts"), vector.situation.take("players")

    for number in range(60):
        deal = vector.dealt(seats, seed=f"misdeal {number}")
        counts = [len(deal.hand(seat)) for seat in range(seats)]
        assert counts == [7, 7, 7] != wrong


def check_choice_of_dealer(vector: Vector) -> None:
    vector.action.take("type")
    expected, seats = vector.expected, vector.situation.take("players")
    if "draws" not in vector.situation:
        # The document names no way to choose: our decision is chance, with nothing drawn.
        assert expected.take("verdict") == "decision"
        assert expected.take("question").startswith("003 gives no dealer rule")
        chosen = [vector.dealt(seats, seed=f"dealer {number}") for number in range(60)]
        assert {deal.dealer for deal in chosen} == set(range(seats))
        assert [deal.told("game.started", "dealer_draws") for deal in chosen] == [[()]] * 60
        return
    draws = vector.situation.take("draws")

    deal = vector.dealt(seats, seed=AS_2D_KH)

    (drawn,) = deal.told("game.started", "dealer_draws")
    assert [(one.seat, one.card) for one in drawn] == list(enumerate(draws.values()))
    assert expected.take("verdict") == "state"
    assert list(draws)[deal.dealer] == expected.take("dealer")


def check_first_turn(vector: Vector) -> None:
    assert vector.action.take("type") == "firstTurn"
    assert vector.situation.take("hand") == 1
    names, expected = vector.situation.take("seats"), vector.expected
    assert len(names) == vector.situation.take("players")

    deal = vector.dealt(len(names))
    second = play_out(deal).move(next_deal())

    assert expected.take("verdict") == "state"
    assert names[deal.dealer] == expected.take("dealer")
    assert names[deal.to_move[0]] == expected.take("firstPlayer")
    assert names[second.to_move[0]] == expected.take("nextHandFirst")


def check_next_deal(vector: Vector) -> None:
    assert vector.action.take("type") == "nextHand"
    assert vector.situation.take("hand") == 1
    names, expected = vector.situation.take("seats"), vector.expected
    assert len(names) == vector.situation.take("players")

    deal = vector.dealt(len(names), first_dealer=names.index(vector.situation.take("dealer")))
    second = play_out(deal).move(next_deal())

    assert expected.take("verdict") == "state"
    assert names[deal.to_move[0]] == expected.take("firstPlayerHand1")
    assert names[second.dealer] == expected.take("dealerHand2")
    assert names[second.to_move[0]] == expected.take("firstPlayerHand2")


def play_out(deal: Any) -> Any:
    """Draw and discard until the stock has run out and the deal with it."""
    while not deal.over:
        deal = deal.move(draw_stock() if deal.stock_count else pass_())
        if not deal.over:
            deal = deal.move(discard(deal.discards()[0]))
    return deal


# --- Moves ----------------------------------------------------------------------------------------


class Seats:
    """Gives the names of a vector seats: me (also called the layer) is 0, my partner 2."""

    def __init__(self, fewest: int) -> None:
        self.numbers = {"me": 0, "layer": 0, "Ana": 0, "P1": 0, "opp": 1}
        self.fewest = fewest

    def number(self, name: str) -> int:
        if name == "partner":
            return 2
        if name not in self.numbers:
            self.numbers[name] = int(name[1:]) - 1 if re.fullmatch(r"P\d", name) else 1
        return self.numbers[name]

    @property
    def count(self) -> int:
        return max(self.fewest, *(number + 1 for number in self.numbers.values()))


def check_moves(vector: Vector) -> None:
    steps = vector.action.take("steps", None)
    if steps is None:
        steps, vector.action.words = [vector.action.words], {}
    else:
        assert vector.action.take("type") == "sequence"
    expected = vector.expected
    if expected.words.get("reason") == "impossible_position":
        check_impossible(vector, steps)
        return
    deal = vector.table(**read_position(vector))
    if expected.words.get("reason") == "must_take_all_above":
        check_nothing_is_taken_alone(vector, deal, steps)
        return
    moves = [read_step(Words(step)) for step in steps]
    if expected.take("verdict") == "illegal":
        (move,) = moves
        check_refusal(vector, deal, move)
        return

    after = deal.move(*moves)

    check_points(expected, deal, after)
    check_what_lies_where(expected, after)
    check_where_the_turn_stands(expected, after)
    check_documents_claim(expected, "legal")
    if "meldType" in expected:
        assert after.kind("m1") is MeldKind(expected.take("meldType"))


def read_position(vector: Vector) -> dict[str, Any]:
    """Return the position of a vector, having held what it says of itself against it."""
    situation, seats = vector.situation, Seats(vector.fewest_seats)
    if "players" in situation:
        seats.fewest = situation.take("players")
    melds = []
    for place, meld in enumerate(situation.take("table")):
        assert meld["id"] == f"M{place + 1}"
        assert meld.keys() <= {"id", "owner", "cards", "represents"}
        line = with_faces(meld["cards"], meld.get("represents", {}))
        melds.append(f"{seats.number(meld['owner'])}: {line}")
    position = {
        "hands": [" ".join(situation.take("hand"))],
        "pile": " ".join(situation.take("discard", [])),
        "melds": melds,
        "seats": seats.count,
        "stock": situation.take("stock"),
        **read_turn(vector, seats.count, melds),
    }
    if "floating" in situation:
        # Nothing but the card just drawn, in a game where one may float: the position shows it.
        assert situation.take("floating") is vector.variant(seats.count).floating is True
        assert (position["phase"], len(position["hands"][0].split())) == ("meld", 1)
    if "history" in situation:
        code, meld = re.fullmatch(r"(\w\w) was laid on M(\d) earlier", situation.take("history")).groups()
        assert code in melds[int(meld) - 1]
    return position


def with_faces(codes: list[str], faces: dict[str, str]) -> str:
    return " ".join(f"{code}={faces[code]}" if code in faces else code for code in codes)


def read_turn(vector: Vector, seats: int, melds: list[str]) -> dict[str, Any]:
    """Return how far the turn is, as members of a position."""
    situation = vector.situation
    if "phase" in situation:
        assert situation.take("phase") == "afterTake"
        taken, debt = situation.take("tookDeepest"), situation.take("obligation")
        match debt:
            case "open":
                return {"phase": "meld", "must_use": taken}
            case "met":
                assert any(taken in line for line in melds)
                return {"phase": "meld", "melds_laid": 1}
            case None:
                assert vector.variant(seats).top_discard == "may_keep"
                return {"phase": "meld", "may_not_discard": taken}
        msg = f"unknown obligation {debt}"
        raise AssertionError(msg)
    if situation.take("turn", None) is not None:
        assert situation.take("drawn", False) is False
        return {"phase": "draw"}
    assert situation.take("drawn") is True
    return {"phase": "meld"}


def read_step(step: Words) -> Asked:
    """Return the move that a step of an action asks for."""
    move: Asked
    match step.take("type"):
        case "meld":
            move = lay(with_faces(step.take("cards"), step.take("represents", {})))
        case "layOff":
            meld = step.take("meld", None)
            move = lay_off(step.take("card"), on=meld and meld.lower())
        case "takeDiscard":
            move = take_discard(step.take("card"))
        case "discard":
            move = discard(step.take("card"))
        case "drawStock":
            move = draw_stock()
        case "pass" | "skipDraw":
            move = pass_()
        case "moveCard":
            # No move takes a card from the table; the nearest is to lay the card off once more.
            move = lay_off(step.take("card"), on=step.take("from").lower())
        case "replaceJoker":
            move = lay_off(step.take("card"), on=step.take("meld").lower())
        case unknown:
            msg = f"unknown action {unknown}"
            raise AssertionError(msg)
    assert step.used_up(), f"not used: {step.words}"
    return move


def check_refusal(vector: Vector, deal: Any, move: Asked, by: int | None = None) -> None:
    expected = vector.expected
    refusal = deal.refusal(move, by=by)
    assert refusal.code == expected.take("reason")
    if refusal.code == "choice_required":
        assert refusal.details["choices"] == [{"meld_id": name} for name in deal.melds]
    check_documents_claim(expected, "illegal")
    if "note" in expected:
        # The note of the thirteen in line: other documents allow them.
        total = re.search(r"legal under P001 \(points .* = (\d+)\)", expected.take("note"))[1]
        held = deal.hand(0)
        others = vector.tables.table(preset="classic", hands=[" ".join(held)], phase="meld")
        assert others.move(lay(" ".join(held), ace="low")).points(0) == int(total)


def check_documents_claim(expected: Words, verdict: str) -> None:
    """Where a document's example breaks its own rule, the rule decides."""
    if "documentClaims" in expected:
        assert expected.take("documentClaims") != verdict


def check_impossible(vector: Vector, steps: list[dict[str, Any]]) -> None:
    assert vector.expected.take("verdict") == "illegal"
    assert vector.expected.take("reason") == "impossible_position"
    assert [step["type"] for step in steps] == ["layOff"]
    position = read_position(vector)
    refused = vector.tables.impossible(preset=vector.preset, **vector.overrides, **position)
    assert refused == "melds.0"


def check_nothing_is_taken_alone(vector: Vector, deal: Any, steps: list[dict[str, Any]]) -> None:
    """No move takes a buried card alone: a take names one card, and all above it come along."""
    assert vector.expected.take("verdict") == "illegal"
    assert vector.expected.take("reason") == "must_take_all_above"
    (step,) = steps
    assert (step["type"], step["only"]) == ("takeDiscard", True)
    assert not deal.knows(take_discard(step["card"]), "only")
    place = deal.pile.index(step["card"])

    held = deal.hand(0)
    after = deal.move(take_discard(step["card"]))

    assert after.hand(0) == in_order(held + deal.pile[place:])
    assert after.pile == deal.pile[:place]


def check_points(expected: Words, before: Any, after: Any) -> None:
    """Check what the moves changed: for the seat that made them, and for no other."""
    if "points" in expected:
        assert after.points(0) - before.points(0) == expected.take("points")
    if "creditedTo" in expected:
        assert expected.take("creditedTo").startswith("layer")
        for seat in range(1, after.seats):
            assert after.points(seat) == before.points(seat)


def check_what_lies_where(expected: Words, after: Any) -> None:
    if "handAfter" in expected:
        assert after.hand(0) == in_order(cards(" ".join(expected.take("handAfter"))))
    if "discardAfter" in expected:
        assert list(after.pile) == expected.take("discardAfter")
    if "stockAfter" in expected:
        assert after.stock_count == expected.take("stockAfter")
    if "order" in expected:
        assert expected.take("order") == "shuffled"
        assert after.told("stock.renewed", "shuffled") == [True]
    if "obligation" in expected:
        assert after.must_use is expected.take("obligation") is None
        assert after.discards()


def check_where_the_turn_stands(expected: Words, after: Any) -> None:
    if "handEnds" in expected:
        assert after.over is expected.take("handEnds")
    if "wentOut" in expected:
        assert after.result.went_out == {"me": 0, "layer": 0, None: None}[expected.take("wentOut")]
    if "discardNeeded" in expected:
        assert expected.take("discardNeeded") is False
        assert "card.discarded" not in after.happened
    if "floating" in expected:
        assert expected.take("floating") is True
        assert after.hand(0) == ()
        assert after.to_move == (1, Phase.DRAW)
    if "scoreAsUsual" in expected:
        assert expected.take("scoreAsUsual") is True
        assert after.scores == tuple(-worth(after.hand(seat), after.variant) for seat in range(2))
    if "mustDiscard" in expected:
        assert expected.take("mustDiscard") is True
        assert after.to_move == (0, Phase.MELD)
        assert tuple(after.discards()) == after.hand(0)


def worth(held: tuple[Card, ...], variant: Variant) -> int:
    return sum(points(one, variant) for one in held)


# --- The stock ------------------------------------------------------------------------------------


def check_start_of_turn(vector: Vector) -> None:
    """Block Rummy: the turn that draws the last card is the last, and every hand counts."""
    assert vector.action.take("type") == "turnStart"
    expected, situation = vector.expected, vector.situation
    assert expected.take("verdict") == "state"
    assert situation.take("turn") == "draw"
    left = situation.take("stock")
    given = {"hands": ["KC 2D", "7S 3H"], "pile": "9C"}

    blocked = vector.table(stock="4D", **given).move(draw_stock())
    assert blocked.stock_count == left
    ended = blocked.move(discard("2D"))
    waiting = vector.table(stock=left, **given).move(pass_())

    for after in (ended, waiting):
        assert after.over is expected.words["handEnds"]
        assert after.result.went_out is None
        counted = [worth(after.hand(seat), after.variant) for seat in range(2)]
        assert [seat.hand_points for seat in after.result.seats] == counted
    assert expected.take("handEnds") is True
    assert expected.take("everyoneCounts") is True


# --- Scores ---------------------------------------------------------------------------------------

#: Melds and hands worth so much.
TABLED: Final = {
    20: ["5S 5H 5D 5C"],
    40: ["TS TH TD TC"],
    60: ["KS KH KD KC", "5S 5H 5D 5C"],
}
HELD: Final = {0: "", 30: "QH QD QC", 55: "QS QH QD QC JS 2S 3S"}


def check_score(vector: Vector) -> None:
    """Bring the deal to the end that the vector describes, and compare the scores."""
    vector.action.take("type")
    expected, situation = vector.expected, vector.situation
    assert expected.take("verdict") == "score"
    if "tabled" in situation:
        check_documents_sum(vector)
        return
    if "players" in situation:
        names, melds, hands = read_players(situation.take("players"))
    elif "hands" in situation:
        held = situation.take("hands")
        names, melds, hands = list(held), [], [" ".join(codes) for codes in held.values()]
    else:
        names, melds, hands = read_my_cards(vector)
    totals = list(situation.take("totals", dict.fromkeys(names, 0)).values())
    result = scored(vector, names, melds=melds, hands=hands, totals=totals)
    compare_scores(expected, names, result)


def read_players(players: dict[str, Any]) -> tuple[list[str], list[str], list[str]]:
    """Return names, melds and hands; a single card of a player is laid off on a meld that takes it."""
    melds = [
        f"{seat}: {' '.join(codes)}"
        for seat, player in enumerate(players.values())
        for codes in player["table"]
        if len(codes) > 1
    ]
    for seat, player in enumerate(players.values()):
        for codes in player["table"]:
            if len(codes) == 1:
                melds = laid_off(codes[0], seat, melds)
    assert all(player.keys() == {"table", "hand"} for player in players.values())
    return list(players), melds, [" ".join(player["hand"]) for player in players.values()]


def laid_off(code: str, seat: int, melds: list[str]) -> list[str]:
    """Return the melds with a card laid off on the run below it; if there is none, seat 1 has laid it."""
    ranks = "A23456789TJQK"
    rank = ranks.index(code[0])
    below = " ".join(f"{one}{code[1]}" for one in ranks[rank - 3 : rank])
    if not any(line.endswith(below) for line in melds):
        melds = [*melds, f"1: {below}"]
    return [f"{line} {code}@{seat}" if line.endswith(below) else line for line in melds]


def read_my_cards(vector: Vector) -> tuple[list[str], list[str], list[str]]:
    """Return names, melds and hands of a vector about one player only."""
    situation = vector.situation
    names = ["me", *(f"other {number}" for number in range(1, vector.fewest_seats))]
    melds: list[str] = []
    if "tablePoints" in situation:
        melds = [f"0: {line}" for line in TABLED[situation.take("tablePoints")]]
        mine = HELD[situation.take("handPoints")]
    elif "handScore" in situation:
        melds, mine = ["0: 2C 3C 4C"], "4S TS TH"
        assert situation.take("handScore") == 9 - 24
    else:
        for codes in situation.take("table"):
            melds = [*melds, f"0: {' '.join(codes)}"] if len(codes) > 1 else laid_off(codes[0], 0, melds)
        mine = " ".join(situation.take("hand"))
    if "total" in situation:
        situation.words["totals"] = {"me": situation.take("total"), "other 1": 0}
    if "laidAtOnce" in situation:
        assert situation.take("laidAtOnce") is True
    return names, melds, [mine]


def scored(vector: Vector, names: list[str], *, melds: list[str], hands: list[str], totals: list[int]) -> Any:
    """End the deal as the vector describes, or as its hands lead to."""
    situation = vector.situation
    position: dict[str, Any] = {"melds": melds, "totals": totals, "seats": len(names)}
    if vector.variant(len(names)).teams == "pairs":
        position["totals"] = [0, 0]
    if "endedBy" in situation:
        assert situation.take("endedBy") == "stock"
        return vector.table(hands=hands, stock=0, pile="9S", **position).move(pass_())
    names_out = situation.take("wentOut", None)
    out = names.index(names_out) if names_out else (0 if not hands[0] else 1)
    if situation.take("goingRummy", False):
        hands[out] = "3S 3H 3D"
        return vector.table(hands=hands, phase="meld", turn=out, **position).move(lay(hands[out]))
    # The player who goes out has one more card to discard, which scores for no player.
    hands += [""] * (out + 1 - len(hands))
    assert not hands[out]
    used = " ".join([*hands, *melds])
    last = next(code for code in ("2S", "9S", "8D", "3C") if code not in used)
    hands[out] = last
    return vector.table(hands=hands, phase="meld", turn=out, **position).move(discard(last))


def compare_scores(expected: Words, names: list[str], after: Any) -> None:
    if "score" in expected:
        assert after.scores[0] == expected.take("score")
    if "scores" in expected:
        assert dict(zip(names, after.scores, strict=True)) == expected.take("scores")
    if "total" in expected:
        assert after.result.totals[0] == expected.take("total")
    if "totals" in expected:
        assert dict(zip(names, after.result.totals, strict=True)) == expected.take("totals")
    if "gameOver" in expected:
        check_winner(expected, names, after)


def check_documents_sum(vector: Vector) -> None:
    """A sum that stands on a meld the document's own rules forbid: it is refused, and the rest counts."""
    expected, tabled = vector.expected, vector.situation.take("tabled")
    assert vector.situation.take("hand") == []
    assert expected.take("documentOnly") is True
    assert sum(tabled) == expected.take("score")
    melds = {24: "8S 8H 8D", 17: "4H 6H 7H", 15: "5S 5D 5C", 10: "KC"}
    held = vector.table(hands=[" ".join(melds[worth] for worth in tabled)], melds=["KS KH KD"], phase="meld")

    assert held.refused(lay(melds[17])) == "not_consecutive"
    after = held.move(lay(melds[24]), lay(melds[15]), lay_off(melds[10], on="m1"))

    assert after.points(0) == sum(tabled) - 17


def check_total(vector: Vector) -> None:
    assert vector.action.words["type"] == "addToTotal"
    check_score(vector)


# --- The end of the game --------------------------------------------------------------------------


def check_end_of_game(vector: Vector) -> None:
    """Bring the totals to those of the vector, by a deal that really ends so."""
    vector.action.take("type")
    situation, expected = vector.situation, vector.expected
    assert expected.take("verdict") == "state"
    after_deal, names_out = situation.take("totalsAfterHand"), situation.take("wentOut")
    names, pairs = list(after_deal), vector.overrides.get("teams") == "pairs"
    seats = 4 if pairs else len(names)
    out = None if names_out is None else names.index(names_out)
    hands = ["2C", "2D", "2H", "2S"][:seats]
    # Everybody left with a two loses two points on this deal.
    lost = [(4 if seat != out else 2) if pairs else 2 * (seat != out) for seat in range(len(names))]
    totals = [total + less for total, less in zip(after_deal.values(), lost, strict=True)]
    if out is None:
        deal = vector.table(hands=hands, totals=totals, stock=0, pile="9S").move(pass_())
    else:
        deal = vector.table(hands=hands, totals=totals, phase="meld", turn=out)
        deal = deal.move(discard(hands[out]))

    assert deal.result.totals == tuple(after_deal.values())
    assert deal.result.went_out == out
    check_winner(expected, names, deal)


def check_winner(expected: Words, names: list[str], after: Any) -> None:
    if not expected.take("gameOver"):
        assert (after.status, after.winners) == (Stage.DEAL_OVER, None)
        assert expected.take("playOn", True) is True
        assert after.move(next_deal()).deal == 2
        return
    assert after.status is Stage.FINISHED
    winner = expected.take("winner")
    assert {names[after.variant.side(seat)] for seat in after.winners} == ({winner} if winner else set())
    assert expected.take("draw", winner is None) is (winner is None)


# --- Calling rummy --------------------------------------------------------------------------------


def check_call(vector: Vector) -> None:
    situation, action, expected = vector.situation, vector.action, vector.expected
    assert action.take("type") == "callRummy"
    names = situation.take("seats")
    caller, discarder = names.index(action.take("player")), names.index(situation.take("discarder"))
    assert situation.take("phase") == "callWindow"
    window = vector.variant(len(names)).call_rummy != "off"
    held = situation.take("hands")
    melds = [f"{names.index(meld['owner'])}: {' '.join(meld['cards'])}" for meld in situation.take("table")]
    if not melds and expected.words["verdict"] == "illegal":
        # A window opens only where the table or the pile takes a card: here it is the TH.
        melds = ["0: 7H 8H 9H"]
    deal = vector.table(
        hands=["QC", "QD", *(" ".join(codes) for codes in held.values())],
        seats=len(names),
        pile=" ".join(situation.take("discard")),
        melds=melds,
        turn=names.index(situation.take("next")),
        phase="rummy_call" if window else "draw",
        discarder=discarder if window else None,
    )
    assert list(held) == [names[2]]
    code, use = action.take("card"), Words({**action.take("use")})
    if use.words["type"] == "layOff":
        use.words["card"] = code
    asked = call(code, read_step(use))
    if expected.take("verdict") == "illegal":
        check_refusal(vector, deal, asked, by=caller)
        return

    after = deal.move(asked, by=caller)

    assert after.points(caller) - deal.points(caller) == expected.take("points")
    if "takes" in expected:
        (taken,) = after.told("rummy.called", "cards")
        assert list(taken) == expected.take("takes")
    if "callerMustDiscard" in expected:
        assert expected.take("callerMustDiscard") is True
        assert after.to_move == (caller, Phase.MELD)
    thrown = after.move(discard(after.discards()[-1]))
    if "nextPlayer" in expected:
        assert names[thrown.to_move[0]] == expected.take("nextPlayer")


ACTIONS: Final[dict[str, Callable[[Vector], None]]] = {
    "deal": check_deal,
    "createGame": check_creation,
    "checkDeal": check_misdeal,
    "chooseDealer": check_choice_of_dealer,
    "firstTurn": check_first_turn,
    "nextHand": check_next_deal,
    "sequence": check_moves,
    "meld": check_moves,
    "layOff": check_moves,
    "moveCard": check_moves,
    "replaceJoker": check_moves,
    "takeDiscard": check_moves,
    "discard": check_moves,
    "drawStock": check_moves,
    "pass": check_moves,
    "skipDraw": check_moves,
    "turnStart": check_start_of_turn,
    "scoreHand": check_score,
    "addToTotal": check_total,
    "checkGameEnd": check_end_of_game,
    "callRummy": check_call,
}
