"""Random positions of every variant, and the way between the oracle's plain values and the rules' own.

Positions are made to be awkward rather than likely: cards of few ranks and suits lie close together, so
that takes, strands, last cards and full melds come up all the time.
"""

import random
from typing import Any

from service.rummy.cards import Card, full_pack, in_order
from service.rummy.errors import VariantContradiction
from service.rummy.moves import (
    CallRummy,
    Discard,
    DrawStock,
    KeepCard,
    LayMeld,
    LayOff,
    Pass,
    PlayerMove,
    TakeDiscard,
)
from service.rummy.options import OPTIONS
from service.rummy.presets import PRESETS, resolve
from service.rummy.state import Deal, Game, LaidCard, Meld, MeldKind, Phase, Stage, Turn
from service.rummy.variants import Variant
from tests.support import oracle
from tests.support.oracle import Move, Position

MOST_HELD = 8
DEEPEST_PILE = 6
ENDINGS = ("going_rummy", "going_out_bonus", "scoring", "tie", "must_go_out_to_win", "go_out_breaks_tie")


def random_variant(chance: random.Random) -> tuple[Variant, int]:
    """Return a preset or a preset with random overrides that fit together, and a number of seats."""
    preset = chance.choice(list(PRESETS.values()))
    least, most = preset.players
    seats = chance.choice([seats for seats in (2, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8) if least <= seats <= most])
    overrides = _random_overrides(chance) if chance.random() < 0.7 else {}
    while True:
        try:
            return resolve(preset.name, overrides, seats=seats), seats
        except VariantContradiction as clash:
            # Whatever clashes goes; where it is the preset's own value, something else must.
            if clash.option in overrides:
                del overrides[clash.option]
            else:
                overrides.popitem()


def _random_overrides(chance: random.Random) -> dict[str, Any]:
    share = chance.choice([0.1, 0.3, 0.6])
    overrides: dict[str, Any] = {
        name: chance.choice(option.values)
        for name, option in OPTIONS.items()
        if option.values and name != "first_dealer" and chance.random() < share
    }
    if chance.random() < 0.3:
        overrides |= {name: chance.choice(OPTIONS[name].values) for name in ENDINGS}
    if chance.random() < 0.3:
        overrides["target"] = chance.choice([1, 50, 100, 500])
    if chance.random() < 0.3:
        overrides |= {"going_out": "discard_required", "floating": chance.random() < 0.6}
    if chance.random() < 0.2:
        overrides["deals"] = chance.randint(1, 4)
    return overrides


def random_position(chance: random.Random) -> Position:
    """Return a position in the middle of a deal, before the draw, after it, or in a call window."""
    variant, seats = random_variant(chance)
    options = variant.options()
    cards = _close_together(chance, options)
    melds = _random_melds(chance, options, seats, cards)
    if chance.random() < 0.03:
        cards, melds = _long_suit(chance, options, seats)
    elif options["four_aces"] and len(melds) < 4 and chance.random() < 0.3:
        melds += _four_aces(chance, f"m{len(melds) + 1}", seats, cards)
    if chance.random() < 0.4:
        _bring_forward(chance, cards, melds)
    # The seat to act and the pile come first: what lies close together lies there.
    seat = chance.randrange(seats)
    nearly_over = chance.random() < 0.1
    own = _held(chance, cards, options, most=chance.choice([1, 2, 4, 6, MOST_HELD - 1]))
    if nearly_over:
        own = own[:1]
    pile = [cards.pop() for _ in range(min(len(cards), chance.randint(0, DEEPEST_PILE)))]
    hands = [_held(chance, cards, options, most=chance.choice([1, 1, 2, 3, 7])) for _ in range(seats)]
    hands[seat] = own
    stock = cards[: chance.choice([0, 0, 1, 2, 30, 30])]
    position: Position = {
        "options": options,
        "preset": variant.name,
        "seats": seats,
        "hands": hands,
        "pile": pile,
        "stock": stock,
        "melds": melds,
        "turn": {
            "seat": seat,
            "phase": "draw",
            "must_use": None,
            "may_not_discard": None,
            "melds_laid": 0,
            "tabled": False,
            "quiet": True,
            "tabled_before": any(laid == seat for meld in melds for _, laid, _ in meld["cards"]),
            "floating": False,
            "asked": [],
            "discarder": None,
        },
        "totals": [_random_total(chance, options) for _ in range(variant.sides(seats))],
        "dealer": chance.randrange(seats),
        "deal": chance.choice([1, 2, 3, 4, 199, 200]),
        "quiet_turns": chance.choice([0, 0, 1, seats - 1, variant.pack_size - 1]),
        "renewals": chance.choice([0, 0, 1, 2]),
    }
    _begin_turn(chance, position, nearly_over=nearly_over)
    return position


def _begin_turn(chance: random.Random, position: Position, *, nearly_over: bool) -> None:
    turn, options, seats = position["turn"], position["options"], position["seats"]
    phase = chance.choice(["draw", "draw", "meld", "meld", "rummy_call"])
    over = options["stock_empty"] == "end_at_once" and not position["stock"]
    if phase == "rummy_call" and (options["call_rummy"] == "off" or not position["pile"] or over):
        phase = "draw"
    hand = position["hands"][turn["seat"]]
    turn["floating"] = not hand
    if nearly_over and hand and position["stock"]:
        # The last card lies in the hand; another one there would put the end off.
        turn["phase"], turn["quiet"] = "meld", False
        turn["tabled"] = chance.random() < 0.5 and turn["tabled_before"]
        turn["tabled_before"] = turn["tabled_before"] and chance.random() < 0.5
    elif phase == "meld" and position["stock"]:
        # As if the first card of the stock had been drawn.
        hand.append(position["stock"].pop(0))
        turn["phase"], turn["quiet"] = "meld", False
        if options["melds_per_turn"] and chance.random() < 0.3:
            turn["melds_laid"], turn["tabled"] = 1, True
    elif phase == "rummy_call":
        before = (turn["seat"] - 1) % seats
        turn["phase"] = "rummy_call"
        turn["discarder"] = before
        asked = [seat for seat in range(seats) if seat != before]
        turn["asked"] = sorted(chance.sample(asked, chance.randint(1, len(asked))))


def _close_together(chance: random.Random, options: dict[str, Any]) -> list[str]:
    """Return the whole pack, shuffled, cards of a few ranks and suits last: they are handed out first."""
    pack: list[str] = [*full_pack(packs=options["packs"], jokers_per_pack=options["jokers_per_pack"])]
    chance.shuffle(pack)
    width, start = chance.choice([2, 3, 4, 6, 9, 13]), chance.randrange(len(oracle.RANKS))
    ranks = {(oracle.RANKS * 2)[start + step] for step in range(width)}
    suits = set(chance.sample(oracle.SUITS, chance.choice([1, 2, 3, 4, 4])))
    jokers = chance.random() < 0.5
    if len(ranks) * len(suits) < 6:
        suits = set(oracle.SUITS)

    def near(card: str) -> bool:
        return jokers if oracle.is_joker(card) else card[0] in ranks and card[1] in suits

    return sorted(pack, key=near)


def _long_suit(
    chance: random.Random, options: dict[str, Any], seats: int
) -> tuple[list[str], list[dict[str, Any]]]:
    """Return cards and melds with nearly all of one suit in one run, and the aces to come first."""
    suit = chance.choice(oracle.SUITS)
    line = [rank + suit for rank in oracle.RANKS[chance.choice([1, 1, 1, 2]) : chance.choice([12, 13, 13])]]
    pack: list[str] = [*full_pack(packs=options["packs"], jokers_per_pack=options["jokers_per_pack"])]
    for card in line:
        pack.remove(card)
    chance.shuffle(pack)
    pack.sort(key=lambda card: card == "A" + suit or oracle.is_joker(card))
    owner = chance.randrange(seats)
    meld = {"id": "m1", "owner": owner, "cards": [(card, owner, None) for card in line], "at_once": len(line)}
    return pack, [meld]


def _bring_forward(chance: random.Random, cards: list[str], melds: list[dict[str, Any]]) -> None:
    """Let the cards that could prolong the runs on the table be handed out first: chains of lay-offs."""
    for _, _, shape in oracle.table_of({"melds": melds}):
        if shape[0] == "run":
            _, suit, low, high = shape
            around = oracle.RANKS * 3
            ranks = around[low + 10 : low + 13] + around[high + 1 : high + 4]
            near = sorted({rank + suit for rank in ranks} & {*cards})
            chance.shuffle(near)
            for card in near:
                cards.remove(card)
            cards.extend(near)


def _four_aces(chance: random.Random, name: str, seats: int, cards: list[str]) -> list[dict[str, Any]]:
    """Lay four aces, if they are there: together by one seat, or three and one laid off by anybody."""
    aces = [ace for ace in ("AC", "AD", "AH", "AS") if ace in cards]
    if len(aces) < 4:
        return []
    for ace in aces:
        cards.remove(ace)
    owner, at_once = chance.randrange(seats), chance.choice([3, 4, 4])
    last = owner if at_once == 4 else chance.randrange(seats)
    laid = [(ace, last if ace == aces[3] else owner, None) for ace in aces]
    return [{"id": name, "owner": owner, "cards": laid, "at_once": at_once}]


def _held(chance: random.Random, cards: list[str], options: dict[str, Any], *, most: int) -> list[str]:
    # Without floating nobody's hand is empty but in a given position.
    least = 0 if chance.random() < (0.3 if options["floating"] else 0.03) else 1
    return [cards.pop() for _ in range(min(len(cards), chance.randint(least, most) if least else 0))]


def _random_total(chance: random.Random, options: dict[str, Any]) -> int:
    target: int = options["target"]
    return target - chance.choice([0, 1, 10, 20, 30, 45, 60, 100, 300, 600])


def _random_melds(
    chance: random.Random, options: dict[str, Any], seats: int, cards: list[str]
) -> list[dict[str, Any]]:
    """Lay up to four melds out of the cards, taking them away; some grown by others' lay-offs."""
    melds: list[dict[str, Any]] = []
    for _ in range(chance.choice([0, 0, 1, 2, 3, 4])):
        # Seventeen cards are enough to choose from, and few enough to try every meld of.
        near = cards[-17:]
        jokers = [card for card in near if oracle.is_joker(card)]
        for joker in jokers[1:]:
            near.remove(joker)
        found = sorted(oracle.possible_melds(near, options), key=repr)
        if not found:
            continue
        (_, laid, stands, _), shape = chance.choice(found)
        for card in laid:
            cards.remove(card)
        owner = chance.randrange(seats)
        melds.append(_as_laid(chance, f"m{len(melds) + 1}", owner, laid, dict(stands), shape, seats))
    return melds


def _as_laid(
    chance: random.Random,
    name: str,
    owner: int,
    laid: tuple[str, ...],
    stands: dict[str, str],
    shape: oracle.Shape,
    seats: int,
) -> dict[str, Any]:
    """Return a meld as if some of its cards had been laid at once and the others laid off since."""
    cards = [(card, stands.get(card)) for card in laid]
    if shape[0] == "set":
        chance.shuffle(cards)
    else:
        line = [rank + shape[1] for rank in oracle.LINE[shape[2] : shape[3] + 1]]
        cards.sort(key=lambda pair: line.index(pair[1] or pair[0]))
    at_once = chance.randint(3, len(cards))
    first = 0 if shape[0] == "set" else chance.randint(0, len(cards) - at_once)
    if all(oracle.is_joker(card) for card, _ in cards[first : first + at_once]):
        at_once, first = len(cards), 0
    together = range(first, first + at_once)
    return {
        "id": name,
        "owner": owner,
        "cards": [
            (card, owner if place in together else chance.randrange(seats), face)
            for place, (card, face) in enumerate(cards)
        ],
        "at_once": at_once,
    }


# --- To the rules and back ------------------------------------------------------------------------


def to_game(position: Position) -> Game:
    """Return the game that stands as the position says."""
    options, seats, turn = position["options"], position["seats"], position["turn"]
    variant = Variant(name=position["preset"], **options)
    melds = tuple(
        Meld(
            id=meld["id"],
            owner=meld["owner"],
            kind=MeldKind.SET if shape[0] == "set" else MeldKind.RUN,
            cards=tuple(
                LaidCard(card=Card(card), laid_by=laid_by, stands_for=Card(face) if face else None)
                for card, laid_by, face in meld["cards"]
            ),
            laid_at_once=meld["at_once"],
        )
        for meld, (_, _, shape) in zip(position["melds"], oracle.table_of(position), strict=True)
    )
    deal = Deal(
        number=position["deal"],
        dealer=position["dealer"],
        hands=tuple(in_order(Card(card) for card in hand) for hand in position["hands"]),
        known=((),) * seats,
        stock=tuple(Card(card) for card in position["stock"]),
        discard_pile=tuple(Card(card) for card in position["pile"]),
        melds=melds,
        turn=Turn(
            seat=turn["seat"],
            phase=Phase(turn["phase"]),
            must_use=turn["must_use"],
            may_not_discard=turn["may_not_discard"],
            melds_laid=turn["melds_laid"],
            tabled=turn["tabled"],
            quiet=turn["quiet"],
            tabled_before=turn["tabled_before"],
            floating=turn["floating"],
            discarder=turn["discarder"],
            asked=tuple(turn["asked"]),
        ),
        quiet_turns=position["quiet_turns"],
        renewals=position["renewals"],
    )
    return Game(
        variant=variant,
        seats=seats,
        key=bytes(32),
        dealer_draws=(),
        status=Stage.PLAYING,
        deal=deal,
        deals=(),
        totals=tuple(position["totals"]),
    )


def to_position(game: Game) -> Position:
    """Return the plain values of a running game, as the oracle reads them."""
    deal, turn = game.deal, game.deal.turn
    return {
        "options": game.variant.options(),
        "preset": game.variant.name,
        "seats": game.seats,
        "hands": [[*hand] for hand in deal.hands],
        "pile": [*deal.discard_pile],
        "stock": [*deal.stock],
        "melds": [
            {
                "id": meld.id,
                "owner": meld.owner,
                "cards": [(laid.card, laid.laid_by, laid.stands_for) for laid in meld.cards],
                "at_once": meld.laid_at_once,
            }
            for meld in deal.melds
        ],
        "turn": {
            "seat": turn.seat,
            "phase": str(turn.phase),
            "must_use": turn.must_use,
            "may_not_discard": turn.may_not_discard,
            "melds_laid": turn.melds_laid,
            "tabled": turn.tabled,
            "quiet": turn.quiet,
            "tabled_before": turn.tabled_before,
            "floating": turn.floating,
            "asked": [*turn.asked],
            "discarder": turn.discarder,
        },
        "totals": [*game.totals],
        "dealer": deal.dealer,
        "deal": deal.number,
        "quiet_turns": deal.quiet_turns,
        "renewals": deal.renewals,
    }


def to_plain(move: PlayerMove, position: Position) -> Move:
    """Return the oracle's form of a move."""
    match move:
        case DrawStock():
            return ("draw_stock",)
        case Pass():
            return ("pass",)
        case KeepCard():
            return ("keep",)
        case Discard(card=card):
            return ("discard", card)
        case TakeDiscard(card=card, position=place):
            return ("take_discard", _place(card, place, position))
        case LayMeld(cards=cards, stands_for=stands_for, ace=ace):
            return ("meld", tuple(sorted(cards)), tuple(sorted(stands_for.items())), ace)
        case LayOff(card=card, meld_id=meld_id, end=end, stands_for=face):
            return ("lay_off", card, meld_id, end, face)
        case CallRummy(card=card, position=place, use=use):
            return ("call_rummy", _place(card, place, position), to_plain(use, position))


def _place(card: str, place: int | None, position: Position) -> int:
    return position["pile"].index(card) if place is None else place


def to_move(plain: Move, seat: int, position: Position) -> PlayerMove:
    """Return the rules' form of a move."""
    match plain:
        case ("draw_stock",):
            return DrawStock(seat=seat)
        case ("pass",):
            return Pass(seat=seat)
        case ("keep",):
            return KeepCard(seat=seat)
        case ("discard", card):
            return Discard(seat=seat, card=card)
        case ("take_discard", place):
            return TakeDiscard(seat=seat, card=position["pile"][place], position=place)
        case ("meld", cards, stands_for, ace):
            return LayMeld(seat=seat, cards=cards, stands_for=dict(stands_for), ace=ace)
        case ("lay_off", card, meld_id, end, face):
            return LayOff(seat=seat, card=card, meld_id=meld_id, end=end, stands_for=face)
        case ("call_rummy", place, use):
            lay = to_move(use, seat, position)
            assert isinstance(lay, LayMeld | LayOff)
            return CallRummy(seat=seat, card=position["pile"][place], position=place, use=lay)
    message = f"no such move: {plain}"
    raise ValueError(message)
